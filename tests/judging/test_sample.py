"""Samples of judgments and of collections, and pools."""

from __future__ import annotations

import pathlib
import random
from collections import Counter
from collections.abc import Callable

import pytest

import untied
from commands import Command
from untied.judging import sample

QRELS = {
    str(query): {f"d{query}-{i}": int(i % 10 == 0) for i in range(200)} | {f"p{query}-{i}": -2 for i in range(5)}
    for query in range(20)
}


def kept(judged: dict[str, dict[str, float]]) -> set[tuple[str, str]]:
    return {(query, doc) for query, docs in judged.items() for doc, grade in docs.items() if grade >= 0}


def test_a_sample_keeps_grades_and_marks_the_rest_as_pooled() -> None:
    found = sample.judgments(QRELS, 0.1, seed=7)
    assert {query: set(docs) for query, docs in found.items()} == {query: set(docs) for query, docs in QRELS.items()}
    for query, docs in found.items():
        for doc, grade in docs.items():
            assert grade == QRELS[query][doc] or (grade == -1 and QRELS[query][doc] >= 0)
    assert 300 < len(kept(found)) < 500  # 400 expected, standard deviation 19
    assert all(any(grade >= 1 for grade in docs.values()) for docs in found.values())
    assert sample.judgments(QRELS, 1.0) == QRELS


def test_queries() -> None:
    """All are drawn alike; a larger sample holds a smaller one; strata get their shares, and two queries at least."""
    every = sorted(QRELS)
    counts = Counter(query for seed in range(2000) for query in sample.queries(QRELS, 5, seed=seed))
    assert all(abs(counts[query] - 500) < 100 for query in every)  # standard deviation 19
    some, more = (sample.queries(QRELS, number, seed=4) for number in (5, 9))
    assert set(some) < set(more)
    assert more == [query for query in every if query in more]
    assert sample.queries(QRELS, 20) == every
    strata = {query: "rare" if int(query) < 3 else "even" if int(query) % 2 else "odd" for query in every}
    drawn = [sample.queries(QRELS, 10, strata=strata, seed=seed) for seed in range(600)]
    assert {tuple(sorted(Counter(strata[query] for query in one).items())) for one in drawn} == {
        (("even", 4), ("odd", 4), ("rare", 2))
    }
    counts = Counter(query for one in drawn for query in one)
    assert all(abs(counts[query] - 600 * (2 / 3 if int(query) < 3 else 8 / 17)) < 70 for query in every)
    for options, said in (
        ({"number": 21}, "cannot draw 21 queries from 20"),
        ({"number": 0}, "number must be at least 1, not 0"),
        ({"number": 3, "strata": strata}, "judged must be from 6"),
        ({"number": 9, "strata": {"1": 1}}, "query '0' has no stratum"),
    ):
        with pytest.raises(untied.UntiedError, match=said):
            sample.queries(QRELS, **options)  # type: ignore[arg-type]


def test_samples_depend_on_seed_and_ids_alone() -> None:
    shuffled = {}
    for query in random.Random(1).sample(sorted(QRELS), len(QRELS)):
        shuffled[query] = dict(random.Random(2).sample(sorted(QRELS[query].items()), len(QRELS[query])))
    assert sample.judgments(shuffled, 0.2, seed=3) == sample.judgments(QRELS, 0.2, seed=3)
    assert sample.judgments(QRELS, 0.2, seed=4) != sample.judgments(QRELS, 0.2, seed=3)
    # Without anything to draw again for, lower rates give parts of higher ones.
    plain = {query: dict.fromkeys(docs, 0) for query, docs in QRELS.items()}
    assert kept(sample.judgments(plain, 0.1)) < kept(sample.judgments(plain, 0.3))


def test_every_document_is_as_likely() -> None:
    plain = {"q": dict.fromkeys([f"d{i}" for i in range(20)], 0)}
    counts = dict.fromkeys(plain["q"], 0)
    for seed in range(500):
        for _, doc in kept(sample.judgments(plain, 0.3, seed=seed)):
            counts[doc] += 1
    assert all(110 < count < 190 for count in counts.values()), counts  # 150 expected, standard deviation 10


def test_a_sample_is_drawn_again_only_for_a_relevant_grade() -> None:
    """Of 200 queries with one relevant document among ten, a tenth keeps it, or every query."""
    qrels = {str(query): {f"d{i}": int(i == 0) for i in range(10)} for query in range(200)}

    def relevant(rel: float | None) -> int:
        return sum(docs["d0"] > 0 for docs in sample.judgments(qrels, 0.1, rel=rel).values())

    assert relevant(1) == 200
    assert relevant(None) == relevant(2) < 35  # 20 expected, standard deviation 4


def test_by_query_keeps_an_exact_share() -> None:
    found = sample.judgments(QRELS, 0.05, by_query=True)
    assert {len([g for g in docs.values() if g >= 0]) for docs in found.values()} == {10}
    tiny = sample.judgments({"q": {"a": 1, "b": 0}}, 0.01, by_query=True)
    assert tiny == {"q": {"a": 1.0, "b": -1.0}}


def test_strata_have_rates_of_their_own() -> None:
    strata = {query: {doc: "top" if doc.endswith("0") else "rest" for doc in docs} for query, docs in QRELS.items()}
    found = sample.judgments(QRELS, {"top": 1.0, "rest": 0.1}, strata=strata)
    for query, docs in found.items():
        assert all(docs[doc] >= 0 for doc in docs if doc.endswith("0") and doc.startswith("d"))
        assert sum(docs[doc] >= 0 for doc in docs if not doc.endswith("0")) < 60, query
    with pytest.raises(untied.UntiedError, match="stratum 'rest': expected a rate, found none"):
        sample.judgments(QRELS, {"top": 1.0}, strata=strata)
    with pytest.raises(untied.UntiedError, match="stratum 'none' has a rate, but no documents"):
        sample.judgments(QRELS, {"top": 1.0, "rest": 0.5, "none": 1.0}, strata=strata)
    with pytest.raises(untied.UntiedError, match=r"rate of stratum rest must be above 0 and at most 1, not 1\.5"):
        sample.judgments(QRELS, {"top": 1.0, "rest": 1.5}, strata=strata)
    del strata["3"]["d3-7"]
    with pytest.raises(untied.UntiedError, match="query '3', document 'd3-7': expected a stratum, found none"):
        sample.judgments(QRELS, {"top": 1.0, "rest": 0.5}, strata=strata)
    with pytest.raises(untied.UntiedError, match="give strata and rates by stratum together"):
        sample.judgments(QRELS, 0.5, strata=strata)


@pytest.mark.parametrize("rate", [0, -1, 10])
def test_rates_are_shares(rate: float) -> None:
    message = f"^rate must be above 0 and at most 1, not {rate}{': 10 % is 0.1' if rate == 10 else ''}$"
    with pytest.raises(untied.UntiedError, match=message):
        sample.judgments(QRELS, rate)
    with pytest.raises(untied.UntiedError, match=message):
        sample.collection(QRELS, {}, rate)


def test_pool_of_runs_to_a_depth() -> None:
    one = {"q": {"a": 3.0, "b": 2.0, "c": 2.0}, "x": {"z": 1.0}}
    other = {"q": ["d", "a", "e"]}
    # Of the tied b and c the pool takes the higher id.
    assert sample.pool([one, other], 2) == {"q": {"a": -1, "c": -1, "d": -1}, "x": {"z": -1}}
    qrels = {"q": {"a": 1, "b": 0, "d": 2}, "y": {"a": 1}}
    assert sample.pool([one, other], 2, qrels) == {"q": {"a": 1, "c": -1, "d": 2}, "y": {}}
    with pytest.raises(untied.UntiedError, match="at least 1"):
        sample.pool([one], 0)


def test_part_of_a_collection() -> None:
    run = {query: {doc: float(i) for i, doc in enumerate(docs)} for query, docs in QRELS.items()}
    judged, runs = sample.collection(QRELS, {"r": run}, 0.5, seed=1)
    assert judged == QRELS
    left = {doc for docs in runs["r"].values() for doc in docs}
    assert 0.4 < len(left) / sum(map(len, QRELS.values())) < 0.6
    assert all(runs["r"][query].items() <= run[query].items() for query in run)
    both, _ = sample.collection(QRELS, {"r": run}, 0.5, seed=1, sample_judgments=True)
    assert {doc for docs in both.values() for doc in docs} == left


@pytest.fixture
def untied_sample(untied_: Command) -> Callable[..., str]:
    """Run the command: what it prints, or its messages where it is to fail."""

    def run(*arguments: object, code: int = 0) -> str:
        ended, printed, messages = untied_("sample", *arguments)
        assert ended == code, messages
        return messages if code else printed

    return run


def test_command(tmp_path: pathlib.Path, untied_sample: Callable[..., str]) -> None:
    lines = [f"{query} 0 {doc} {grade}\n" for query, docs in QRELS.items() for doc, grade in docs.items()]
    qrels = tmp_path / "qrels.txt"
    qrels.write_text("".join(lines))
    text = untied_sample(qrels, "--rate", 0.1, "--seed", 7)
    found = {(query, doc): float(grade) for query, _, doc, grade in map(str.split, text.splitlines())}
    expected = sample.judgments(QRELS, 0.1, seed=7)
    assert found == {(query, doc): grade for query, docs in expected.items() for doc, grade in docs.items()}
    assert untied.Qrels(expected).grades() == [1.0, 0.0, -1.0, -2.0]
    once = untied_sample(qrels, "--rate", 0.001, "--once").splitlines()
    assert {line for line in once if line.split()[0] == "3"} == {
        f"3 0 {doc} {grade:g}" for doc, grade in sample.judgments(QRELS, 0.001, rel=None)["3"].items()
    }
    strata = tmp_path / "strata.txt"
    rows = [line.split() for line in lines]
    strata.write_text("".join(f"{query} {doc} s{int(grade == '1')}\n" for query, _, doc, grade in rows))
    stratified = untied_sample(qrels, "--strata", strata, "--rate", "s0=0.5,s1=1").splitlines()
    assert {len(line.split()) for line in stratified} == {5}
    run = tmp_path / "a.run"
    run.write_text("".join(f"{query} Q0 d{query}-{i} 1 {-i} t\n" for query in range(20) for i in range(30)))
    pool = untied_sample(qrels, run, "--depth", 5).splitlines()
    assert len(pool) == 100
    assert pool[0] == "0 0 d0-0 1"
    untied_sample(qrels, run, "--documents", 0.5, "--seed", 2, "-o", tmp_path / "half")
    half = untied.read_run(tmp_path / "half" / "a.run")
    assert half["0"] == [(f"d0-{i}", float(-i)) for i in range(30) if sample.keeps_document(f"d0-{i}", 0.5, seed=2)]
    assert (tmp_path / "half" / "qrels.txt").exists()


def test_command_draws_a_subcollection(tmp_path: pathlib.Path, untied_sample: Callable[..., str]) -> None:
    qrels = tmp_path / "qrels.txt"
    qrels.write_text("q 0 a 1\nq 0 b 0\nq 0 c -1\n")
    run = tmp_path / "one.run"
    run.write_text("".join(f"q Q0 {doc} 1 {-i} t\n" for i, doc in enumerate("xyzwcvutbsra")))
    untied_sample(qrels, run, "--subcollection", "--seed", 3, "-o", tmp_path / "drawn")
    drawn = untied.read_run(tmp_path / "drawn" / "one.run")
    expected = untied.judging.estimates.subcollection(qrels, run, seed=3)
    assert dict(drawn["q"]) == expected["q"]
    assert {"a", "b"} <= expected["q"].keys() < set("abxyzwvutsr")
    assert not (tmp_path / "drawn" / "qrels.txt").exists()


def test_command_refuses(tmp_path: pathlib.Path, untied_sample: Callable[..., str]) -> None:
    qrels = tmp_path / "qrels.txt"
    qrels.write_text("q 0 a 1\n")
    strata = tmp_path / "strata.txt"
    strata.write_text("q a\n")
    twice = tmp_path / "twice.txt"
    twice.write_text("q a 1\nq a 2\n")
    for arguments, code, message in (
        (["--rate", "x"], 2, "--rate: expected a number"),
        (["--strata", strata, "--rate", "1=1"], 2,
         "strata.txt:1: expected 3 columns (query document stratum), found 2"),
        (["--depth", "5"], 2, "--depth has no effect without RUN"),
        (["--strata", twice, "--rate", "1=1"], 2,
         "twice.txt:2: expected one stratum for every document of a query, found"),
        (["--rate", "0"], 2, "rate must be above 0 and at most 1, not 0"),
        (["--rate", "nan"], 2, "rate must be above 0 and at most 1, not nan"),
        (["--subcollection"], 2, "--subcollection has no effect without RUN"),
        (["--subcollection", "--by-query"], 2, "--subcollection cannot be combined with --by-query"),
        (["--documents", "0.5"], 2, "--documents has no effect without RUN"),
        (["--documents", "0.5", "--rate", "0.5"], 2, "--documents cannot be combined with --rate"),
        (["--documents", "0.5", "--rel", "0", "--once"], 2, "--documents cannot be combined with --once"),
        (["--rate", "0.5", "--once", "--rel", "1"], 2, "--rel cannot be combined with --once"),
        (["--rate", "0.5", "--judgments-too"], 2, "--judgments-too has no effect without --documents"),
    ):  # fmt: skip
        assert message in untied_sample(qrels, *arguments, code=code)


def test_what_a_sample_would_lose_is_refused() -> None:
    """Samples hold a grade for each document, and neither strata, probabilities nor subtopics."""
    run = {"r": {"q": ["a"]}}
    for format, judged in (
        ("subtopics", {"q": {"s1": {"a": 1}, "s2": {"b": 2}}}),
        ("stratified", {"q": {"a": (1, 1), "b": (0, 2)}}),
        ("prels", {"q": {"a": (1, 1.0), "b": (0, 0.1)}}),
    ):
        qrels = untied.Qrels(judged, format=format)
        for call in (
            lambda qrels=qrels: sample.judgments(qrels, 0.5),
            lambda qrels=qrels: sample.pool(run.values(), 1, qrels),
            lambda qrels=qrels: sample.collection(qrels, run, 0.5),
        ):
            with pytest.raises(untied.UntiedError, match=f"found qrels in the format '{format}'"):
                call()
