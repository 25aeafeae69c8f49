"""Distributions over orders of ties against all orders, in exact fractions, on random instances."""

from __future__ import annotations

import json
import pickle
import random
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import untied
from commands import Command, Outcome
from nightly import many, seeded
from oracle import distributions as listed
from oracle.judgements import Truth
from oracle.measures import COUNTS, Measure
from oracle.stated import STATED
from strategies import BUILT_IN, as_text
from untied.cli import main

TOLERANCE = 1e-9
FORMS = [
    Measure("P", 3),
    Measure("P", 2, rel=2),
    Measure("R", 3),
    Measure("F1", 3),
    Measure("Hits", 3),
    Measure("Hits"),
    Measure("RelP", 3),
    Measure("Rprec"),
    Measure("Rprec", mult=Fraction(1, 2)),
    Measure("Success", 2),
    Measure("AllFound", 2),
    Measure("AllFound", 4, rel=2),
    Measure("RR"),
    Measure("RR", 2),
    Measure("AP"),
    Measure("AP", 3),
    Measure("AP", rel=2, recall_base="ranking"),
    Measure("AP", judged_only=True),
    Measure("Bpref"),
    Measure("Bpref", variant="paper", extra=2),
    Measure("DCG", 3),
    Measure("DCG", gain="exp2", discount="inverse"),
    Measure("nDCG"),
    Measure("nDCG", 3, gain="exp2"),
    Measure("nDCG", discount="inverse"),
    Measure("nDCG", gain={0: 0, 1: 2, 2: -1, 3: 4}, discount="inverse"),
    Measure("SDCG", 3, max_rel=3),
    Measure("INSQ", T=1, max_rel=3),
    Measure("RBP"),
    Measure("RBP", 3, p=Fraction(1, 2), max_grade=3),
    Measure("ERR"),
    Measure("ERR", 3),
    Measure("nERR"),
    Measure("Cascade", gain={0: 0.25, 1: 0.5, 2: 0.75, 3: 1.0}, discount="inverse"),
    Measure("iRBU", p=Fraction(1, 2)),
    Measure("Q"),
    Measure("Q", 3, beta=Fraction(1, 2)),
    Measure("ADR"),
    Measure("ADR", 3),
    Measure("ADR", 5, beyond="recall"),
    Measure("ADR", 20, rel=2),
    Measure("PairConcordance"),
]
#: Those whose distributions are found by listing all orders.
LISTED = [
    Measure("YAAP"),
    Measure("IPrec", 0.5),
    Measure("IPrecMean"),
    Measure("Rndcg"),
    Measure("nDCGRel"),
    Measure("G"),
    Measure("binG"),
    Measure("O"),
    Measure("Pmeasure"),
    Measure("Pplus"),
    Measure("NCU"),
    Measure("GAP", 3),
    Measure("RBPResidual"),
    Measure("NERR8", 3, max_rel=3),
    Measure("NERR9", 3, max_rel=3),
    Measure("NERR10", max_rel=3),
    Measure("NERR11", max_rel=3),
    Measure("BPM", 3, max_rel=3),
    Measure("INST", max_rel=3),
    Measure("ESL"),
    Measure("EP", 0.5),
    Measure("Rnorm"),
    Measure("Accuracy"),
    Measure("infAP"),
    Measure("subAP"),
    Measure("Judged", 3),
    Measure("Unjudged", 3),
    Measure("ADRInverted"),
    Measure("Compat", p=Fraction(3, 4), depth=3),
    Measure("Compat", p=Fraction(1, 2), depth=8, normalize=False),
    Measure("SetP"),
    Measure("SetRelP"),
    Measure("SetR"),
    Measure("SetF"),
    Measure("SetAP"),
    Measure("Utility"),
    Measure("NumQ"),
    Measure("NumRet"),
    Measure("NumRel"),
    Measure("NumRelRet"),
    Measure("NumNonrelJudgedRet"),
]


def ranking(rng: random.Random) -> list[list[str]]:
    docs = rng.sample([f"d{i}" for i in range(7)], rng.randint(1, 6))
    groups = []
    while docs:
        size = rng.choice([1, 2, 3, 4, 6])
        groups.append(docs[:size])
        docs = docs[size:]
    return groups


def judgments(rng: random.Random) -> Truth:
    grades = rng.choice([[0, 1], [0, 1, None], [0, 1, 2, None], [0, 1, 2, 3]])
    found = {f"d{i}": rng.choice(grades) for i in range(8)}
    return {"else": 0} | {doc: grade for doc, grade in found.items() if grade is not None}


def collapsed(law: listed.Law) -> list[tuple[float, float]]:
    """As the package has it: values that only rounding could tell apart are one."""
    found: list[tuple[float, float]] = []
    for value, chance in sorted(law.items()):
        if found and float(value) - found[-1][0] <= 1e-12 * abs(float(value)) + 1e-15:
            found[-1] = (found[-1][0], found[-1][1] + float(chance))
        else:
            found.append((float(value), float(chance)))
    return found


def is_same(found: untied.Distribution, law: listed.Law) -> None:
    assert found.certainty == "exact"
    expected = collapsed(law)
    assert len(found.lower) == len(expected), (found.lower, expected)
    for (value, chance), (other, probability) in zip(found.lower, expected, strict=True):
        assert value == pytest.approx(other, abs=1e-12, rel=1e-12)
        assert chance == pytest.approx(probability, abs=1e-12)


def encloses(found: untied.Distribution, law: listed.Law, levels: list[Fraction]) -> None:
    steps = listed.steps(law)
    for value in law:
        for beside in (Fraction(-1, 10**7), Fraction(1, 10**12), Fraction(1, 10**7)):  # logarithms are rounded
            low, high = found.at_most(float(value + beside))
            assert low - TOLERANCE <= steps.at_most(value + beside) <= high + TOLERANCE
    for level in levels:
        low, high = found.quantile(float(level))
        assert low - TOLERANCE <= steps.quantile(level) <= high + TOLERANCE


def compared(found: untied.tie_orders.Probabilities, a: listed.Law, b: listed.Law, width: float | None) -> None:
    for (low, high), chance in zip(found, listed.chances(a, b), strict=True):
        assert low - TOLERANCE <= chance <= high + TOLERANCE
        if width is not None:
            assert high - low <= width


@pytest.mark.filterwarnings("ignore::untied.UntiedWarning")  # nothing may be in common, or relevant
@pytest.mark.parametrize("measure", [*FORMS, *LISTED], ids=as_text)
def test_exact_and_enclosed_distributions_are_those_of_all_orders(measure: Measure) -> None:
    rng = seeded(f"distributions {as_text(measure)}")
    for _ in range(many(6, nightly=2000)):
        queries = [f"q{i}" for i in range(rng.randint(1, 2))]
        qrels = {query: judgments(rng) for query in queries}
        runs = {name: {query: ranking(rng) for query in queries} for name in "ab"}
        policy = "zero" if measure.name == "Accuracy" else rng.choice(["zero", "nan"])
        name = as_text(measure)
        options: dict[str, Any] = {"on_undefined": policy, "per_query": True}
        found = untied.distributions(qrels, runs, name, **options)
        rough = untied.distributions(qrels, runs, name, states=1, cells=rng.choice([1, 4, 16, 300, 4000]), **options)
        known: dict[str, listed.Law] = {}
        for run, rankings in runs.items():
            laws = [listed.law(measure, rankings[query], qrels[query]) for query in queries]
            zero = {Fraction(0): Fraction(1)}
            kept = [zero if one is None else one for one in laws if one is not None or policy == "zero"]
            if not kept:
                assert found[run, name].lower == []
                continue
            total = listed.mean(kept)
            if measure.name in COUNTS:
                total = {value * len(kept): chance for value, chance in total.items()}
            known[run] = total
            levels = [Fraction(0), Fraction(1, 2), Fraction(1), Fraction(rng.randint(0, 1000), 1000)]
            levels.append(listed.steps(total).at_most(rng.choice(list(total))))
            is_same(found[run, name], total)
            encloses(found[run, name], total, levels)
            encloses(rough[run, name], total, levels)
            for query, one in zip(queries, laws, strict=True):
                if one is not None:
                    is_same(found.query(query, name, run=run), one)
                    encloses(rough.query(query, name, run=run), one, levels[:4])
        if len(known) == 2:
            compared(found.chances("a", "b", name), known["a"], known["b"], 0.0)
            compared(rough.chances("a", "b", name), known["a"], known["b"], None)
            pairs = found.pairs
            assert (pairs["greater_low"], pairs["less_high"]) == (
                [found.chances("a", "b").greater[0]],
                [found.chances("a", "b").less[1]],
            )


#: Those that read more of a document than a grade.
OF_PROFILES = [
    Measure("alpha_DCG", 3),
    Measure("alpha_nDCG", 3),
    Measure("ERR_IA"),
    Measure("nERR_IA", 3),
    Measure("NRBP"),
    Measure("nNRBP"),
    Measure("AP_IA"),
    Measure("AP_IA", 2),
    Measure("P_IA", 3),
    Measure("StRecall", 2),
    Measure("D_nDCG", 3),
    Measure("Dsharp_nDCG", 3),
    Measure("RBU"),
    Measure("xinfAP"),
    Measure("infNDCG", 3),
    Measure("statAP"),
]


@pytest.mark.filterwarnings("ignore::untied.UntiedWarning")  # nothing may be in common, or relevant
@pytest.mark.parametrize("measure", OF_PROFILES, ids=as_text)
def test_distributions_of_measures_that_read_profiles(measure: Measure) -> None:
    rng = seeded(f"distributions {as_text(measure)}")
    name, form = as_text(measure), STATED[measure.name].form
    for _ in range(many(10, nightly=2000)):
        graded = {f"d{i}": rng.choice([0, 1, 2]) for i in range(7) if rng.random() < 0.8} | {"else": 1}
        truth: Any = {doc: (rng.choice([0.5, 1.0]), grade) for doc, grade in graded.items()}
        if form == "subtopics":
            truth = {f"s{i}": {doc: rng.choice([0, 1, 2]) for doc in graded} for i in range(2)}
        elif form == "stratified":
            truth = {doc: (rng.randint(1, 2), rng.choice([grade, -1])) for doc, grade in graded.items()}
        elif form == "prels":
            truth = {doc: (grade, chance) for doc, (chance, grade) in truth.items()}
        groups = ranking(rng)
        one = listed.law(measure, groups, truth)
        found = untied.distributions(
            {"q": truth}, {"q": groups}, name, qrels_format=form, on_undefined="nan", per_query=True
        )
        if one is None or not found[name].lower:
            continue
        is_same(found.query("q", name), one)


def test_every_measure_is_tested() -> None:
    """Measures of texts, PRR and formulas have no distribution."""
    tested = {measure.name for measure in (*FORMS, *LISTED, *OF_PROFILES)}
    for info in BUILT_IN:
        if info["needs"] != "documents" and info["name"] != "PRR":
            assert info["name"] in tested


def test_what_is_refused() -> None:
    @untied.measure(best_by_grade=True)
    def own_formula(grades: tuple[float, ...]) -> float:
        return max(grades, default=0.0)

    qrels, run = {"q": {"a": 1, "b": 0}}, {"q": [["a", "b"]]}
    for measure, why in (
        ("own_formula", "it is your own formula"),
        ("PRR@0.5", "not the mean over their orders"),
        ("TBG", "needs lengths of documents"),
    ):
        with pytest.raises(untied.UntiedError, match=why):
            untied.distributions(qrels, run, ["AP", measure])


def test_a_large_group_is_enclosed_closely_and_hits_stay_exact() -> None:
    qrels = {"q": {f"d{i}": 1 for i in range(60)}}
    run = {"q": [[f"d{i}" for i in range(1000)]]}
    found = untied.distributions(qrels, run, ["AP", "P@100", "RR", "Rprec"])
    assert [found[name].certainty for name in ("AP", "P@100", "RR", "Rprec")] == ["interval", *["exact"] * 3]
    assert sum(chance for _, chance in found["P@100"].lower) == pytest.approx(1, abs=1e-12)
    spread = untied.evaluate(qrels, run, "AP", variance=True)["AP"]
    low, high = found["AP"].quantile(0.5)
    assert low < spread.mean < high + 0.01
    assert high - low < 0.02
    for atoms, side in ((found["AP"].lower, 1), (found["AP"].upper, -1)):
        mean = sum(value * chance for value, chance in atoms)
        assert side * (spread.mean - mean) >= 0
    ends = untied.evaluate(qrels, run, "AP", ties="range")["AP"]
    assert found["AP"].quantile(0)[0] == pytest.approx(ends.low)
    assert found["AP"].quantile(1)[1] == pytest.approx(ends.high)
    wide = untied.distributions(qrels, run, "AP", cells=100)["AP"].quantile(0.5)
    assert wide[0] <= low <= high <= wide[1]


def test_of_a_group_with_too_many_kinds_only_the_ends_are_known() -> None:
    grades = {f"d{i}": i for i in range(1, 31)}  # each has another gain: 2^30 ways to have placed some of them
    run = {"q": [list(grades)]}
    found = untied.distributions({"q": grades}, run, "nDCG")["nDCG"]
    ends = untied.evaluate({"q": grades}, run, "nDCG", ties="range")["nDCG"]
    assert ends.low < ends.high
    assert (found.certainty, found.lower, found.upper) == ("interval", [(ends.low, 1)], [(ends.high, 1)])


def test_geometric_means_and_sums() -> None:
    qrels = {"q1": {"a": 1}, "q2": {"b": 1}}
    run = {"q1": [["a", "x"]], "q2": [["b", "y"]]}
    found = untied.distributions(qrels, run, ["AP(mean='geometric')", "Hits@1"])
    values = [(0.5, 0.25), (0.5**0.5, 0.5), (1.0, 0.25)]
    for (value, chance), (other, probability) in zip(found["AP(mean='geometric')"].lower, values, strict=True):
        assert (value, chance) == (pytest.approx(other), pytest.approx(probability))


def test_results_can_be_pickled_looked_up_and_refused() -> None:
    qrels = {"q": {"a": 1}}
    runs = {"x": {"q": [["a", "b"]]}, "y": {"q": [["a", "c", "d"]]}}
    found = untied.distributions(qrels, runs, ["RR", "AP"], per_query=True)
    again = pickle.loads(pickle.dumps(found))
    assert again.pairs.to_dicts() == found.pairs.to_dicts()
    assert again.query("q", "RR", run="y").lower == found.query("q", "RR", run="y").lower
    assert ("x", "RR") in found
    assert "P@3" not in found
    assert found.chances("x", "y", query="q") == found.chances("x", "y")
    with pytest.raises(KeyError, match="name one of the runs"):
        found["RR"]
    with pytest.raises(untied.UntiedError, match="per_query=True"):
        untied.distributions(qrels, runs, "RR").query("q", "RR", run="x")
    with pytest.raises(untied.UntiedError, match=r"from 0 to 1, not 1\.5"):
        found["x", "RR"].quantile(1.5)
    with pytest.raises(untied.UntiedError, match="states must be from 1"):
        untied.distributions(qrels, runs, "RR", states=0)
    with pytest.raises(untied.UntiedError, match="only one run"):
        untied.distributions(qrels, runs["x"], "RR").compare_pairs()
    with pytest.raises(untied.UntiedError, match="unjudged"):
        untied.distributions(qrels, runs, "RR", unjudged="range")  # type: ignore[arg-type]


def test_the_command_line_has_quantiles_and_chances(tmp_path: Path, untied_: Command) -> None:
    (tmp_path / "qrels").write_text("q 0 a 1\n")
    (tmp_path / "tied.run").write_text("".join(f"q Q0 {doc} 1 1 x\n" for doc in "abcd"))
    (tmp_path / "plain.run").write_text("q Q0 b 1 2 x\nq Q0 a 2 1 x\n")
    files = [str(tmp_path / name) for name in ("qrels", "tied.run", "plain.run")]

    def run(command: str, *options: str) -> Outcome:
        return untied_(command, *files, "-m", "RR", *options)

    code, out, _ = run("eval", "--quantiles", "0.25,1", "--format", "tsv", "-q")
    assert code == 0
    assert out.splitlines() == [
        "run\tquery\tmeasure\tcertainty\tquantile\tlow\thigh",
        *(
            f"tied\t{query}\tRR\texact\t{level}"
            for query in ("q", "all")
            for level in ("0.25\t0.2500\t0.2500", "1\t1.0000\t1.0000")
        ),
        *(f"plain\t{query}\tRR\texact\t{level}\t0.5000\t0.5000" for query in ("q", "all") for level in ("0.25", "1")),
    ]
    assert [row["low"] for row in json.loads(run("eval", "--quantiles", "0.5", "--format", "json")[1])["results"]] == [
        pytest.approx(1 / 3),
        0.5,
    ]
    [row] = json.loads(run("stats", "--shuffle", "--format", "json")[1])["results"]
    assert (row["greater_low"], row["equal_high"], row["less_low"]) == (0.25, 0.25, 0.5)
    assert "0.2500" in run("stats", "--shuffle", "--format", "table")[1]
    # What rounding leaves of certainty is neither turned round nor shown twice.
    example = Path(__file__).parents[2] / "examples/tar2017"
    paths = [str(example / name) for name in ("qrels.txt", "amc.run", "qut.run")]
    options = ["-m", "AP", "--shuffle", "--digits", "4"]
    [row] = json.loads(untied_("stats", *paths, *options, "--format", "json")[1])["results"]
    assert all(row[f"{what}_low"] <= row[f"{what}_high"] for what in ("greater", "equal", "less"))
    assert row["equal_low"] == 0
    table = untied_("stats", *paths, *options, "--format", "table")[1]
    assert ">0.9999" in table
    assert " to " not in table
    assert "P(a = b)" not in table
    for command, options, said in (
        ("eval", ["--quantiles", "2"], "expected numbers from 0 to 1"),
        ("eval", ["--quantiles", "x"], "expected numbers from 0 to 1"),
        ("eval", ["--quantiles", "0.5", "--ties", "range"], "--quantiles cannot be combined with --ties"),
        ("eval", ["--quantiles", "0.5", "--unjudged", "range"], "--unjudged nonrelevant or remove"),
        ("stats", ["--shuffle", "--ties", "docid"], "--shuffle needs --ties expected or range"),
        ("stats", ["--shuffle", "--show", "power"], "--show power cannot be combined with --shuffle"),
    ):
        code, _, error = run(command, *options)
        assert (code, said in error) == (2, True), (options, error)


def test_distributions_have_the_notes_of_the_command_line(tmp_path: Path, untied_: Command) -> None:
    qrels = {"q": {"a": 1, "b": 0}, "none": {"a": 0}, "absent": {"a": 1}}
    runs = {"x": {"q": {"a": 1, "b": 1}, "none": {"a": 1}, "more": {"a": 1}}}
    found = untied.distributions(qrels, runs, ["RR", "AP"])
    for name, content in {"qrels": qrels, **runs}.items():
        (tmp_path / f"{name}.json").write_text(json.dumps(content))
    options = ("--quantiles", "0.5", "-m", "RR", "-m", "AP", "--format", "json")
    said = json.loads(untied_("eval", tmp_path / "qrels.json", tmp_path / "x.json", *options)[1])["notes"]
    assert len(said) == 3
    expected = [
        note.replace("--queries common", 'queries="common"').replace("--on-undefined nan", 'on_undefined="nan"')
        for note in said
    ]
    assert repr(found).splitlines()[-3:] == [f"note: {note}" for note in expected]
    mean = found["RR"]
    assert (list(mean.notes), repr(mean)[-12:]) == (expected, "(see .notes)")
    again = pickle.loads(pickle.dumps(found))
    assert (repr(again), repr(pickle.loads(pickle.dumps(mean)))) == (repr(found), repr(mean))
    kept = untied.distributions(qrels, runs, "RR", per_query=True)
    assert not kept.query("q", "RR").notes
    enclosed = untied.distributions({"q": {"a": 2, "b": 1}}, {"q": {"a": 1, "b": 1, "c": 1}}, "nDCG", states=1)
    assert repr(enclosed).splitlines()[-1] == (
        "note: distributions that are not exact, but given by bounds: nDCG of run"
    )


def test_the_command_line_plots_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("matplotlib")
    (tmp_path / "qrels").write_text("q 0 a 1\n")
    (tmp_path / "tied.run").write_text("".join(f"q Q0 {doc} 1 1 x\n" for doc in "abcd"))
    files = [str(tmp_path / "qrels"), str(tmp_path / "tied.run")]
    picture = tmp_path / "laws.svg"
    assert main(["eval", *files, "-m", "RR", "--quantiles", "0.5", "-o", str(picture)]) == 0
    runs = {"tied": {"q": [["a", "b", "c", "d"]]}}
    assert picture.read_bytes() == untied.distributions({"q": {"a": 1}}, runs, "RR").plot()
    capsys.readouterr()
    for options, said in (
        (["-m", "RR", "-o", str(picture)], "-o FILE.svg has no effect without --quantiles"),
        (
            ["-m", "RR", "-m", "AP", "--quantiles", "0.5", "-o", str(picture)],
            "a plot needs one measure, such as -m nDCG@10",
        ),
        (["-m", "RR", "--quantiles", "0.5", "-o", "laws.gif"], ".tex, .svg, .png or .pdf, found .gif"),
    ):
        assert main(["eval", *files, *options]) == 2
        assert said in capsys.readouterr().err


def test_a_plot_has_all_runs() -> None:
    pytest.importorskip("matplotlib")
    qrels = {"q": {"a": 1}}
    runs = {"tied": {"q": [["a", "b", "c", "d"]]}, "plain": {"q": ["b", "a"]}}
    picture = untied.distributions(qrels, runs, ["RR", "AP"]).plot("AP")
    assert picture.startswith(b"<?xml")
    assert picture == untied.distributions(qrels, runs, ["RR", "AP"]).plot("AP")
    with pytest.raises(untied.UntiedError, match="style must be"):
        untied.distributions(qrels, runs, "RR").plot(style="gif")


def test_quantiles_say_what_counts_as_zero(untied_: Command, tmp_path: Path) -> None:
    """As the command says without them."""
    qrels, run, other = (tmp_path / name for name in ("qrels", "run", "other"))
    qrels.write_text("q 0 a 1\nq 0 a 1\nr 0 a 1\ns 0 a 0\n")
    run.write_text("q Q0 a 1 2 t\nq Q0 b 2 2 t\ns Q0 a 1 1 t\nx Q0 a 1 1 t\n")
    other.write_text("q Q0 a 1 2 t\nr Q0 a 1 1 t\ns Q0 a 1 1 t\n")

    def notes(*options: str) -> list[str]:
        code, _, err = untied_("eval", qrels, run, other, "-m", "RR", *options)
        assert code == 0
        return [line for line in err.splitlines() if "tied documents" not in line]

    for more in ([], ["--on-undefined", "nan"], ["--queries", "common"]):
        assert notes("--quantiles", "0.5", *more) == notes(*more), more
    assert len(notes("--quantiles", "0.5")) == 4
    found = untied.distributions(qrels, run, "RR")
    assert found.facts() == untied.evaluate(qrels, run, "RR").facts()
    assert pickle.loads(pickle.dumps(found)).facts() == found.facts()
    with pytest.warns(untied.UntiedWarning, match="the highest grade is 1, lower than these measures need"):
        untied.distributions(qrels, run, "RR(rel=2)")
    with pytest.raises(untied.UntiedError, match="the highest grade is 1, lower than these measures need"):
        untied.distributions(qrels, run, "RR(rel=2)", strict=True)
