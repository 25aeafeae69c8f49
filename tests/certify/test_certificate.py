"""Certificates: the checker accepts true ones, and refuses claims that enumeration shows to be false."""

from __future__ import annotations

import ast
import contextlib
import copy
import gzip
import hashlib
import json
import os
import re
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any, NamedTuple

import pytest

import untied
from nightly import many, seeded
from oracle.verdicts import Case, difference, extremes, largest, overturn
from test_certify import FORMS as ALL
from test_certify import Form, as_run, drawn, with_scale
from untied.cli import main
from untied.verdicts import certificate, proofs, verify

SOURCE = Path(verify.__file__)
FORMS = [form for form in ALL if not form.name.startswith("Bpref")]
pytestmark = pytest.mark.filterwarnings("ignore::untied.UntiedWarning")  # small instances often have nothing in common


SIDES = ("low", "high")
#: What the checker says of a claim that holds.
SAID = ("verdict", "low", "high", "overturn", "largest_m")
#: Measures whose means over orders of ties are found just as one order is.
ADDITIVE = ("P", "Hits", "R", "F1", "RBP", "DCG", "nDCG")


def claim_of(told: dict[str, Any]) -> dict[str, Any]:
    """The first claim of a certificate."""
    of_run = next(iter(told["claims"].values()))
    return next(iter(next(iter(of_run.values())).values()))


class Certified(NamedTuple):
    """A certificate with its inputs, and what enumeration finds."""

    path: Path
    inputs: list[str]
    cases: dict[str, Case]
    form: Form

    @property
    def told(self) -> dict[str, Any]:
        return json.loads(self.path.read_text())

    @property
    def claim(self) -> dict[str, Any]:
        return claim_of(self.told)

    def check(self, told: dict[str, Any] | None = None) -> int:
        """What the checker says of this certificate, or of another one about the same inputs."""
        path = self.path
        if told is not None:
            path = self.path.with_suffix(".other")
            path.write_text(json.dumps(told))
        return verify.main([str(path), *self.inputs])


def certified(folder: Path, form: Form, cases: list[Case], ties: str = "docid", **options: Any) -> Certified:
    """A certificate about cases as queries of two runs."""
    if form.grades[-1] > 1:
        cases = with_scale(cases, form.grades)
    if not all(any(getattr(case, side) for case in cases) for side in "ab"):
        cases = [*cases, Case([["d0"]], [["d0"]], {"d0": 0})]  # no file is empty
    queries = {f"q{i}": case for i, case in enumerate(cases)}
    qrels = {query: {**case.known, **dict.fromkeys(case.free, -1)} or {"nothing": 0} for query, case in queries.items()}
    files = {
        "qrels": "".join(f"{query} 0 {doc} {grade}\n" for query, docs in qrels.items() for doc, grade in docs.items())
    }
    for side in "ab":
        run = as_run(queries, side)
        files[side] = "".join(
            f"{query} Q0 {doc} 0 {score} t\n" for query, docs in run.items() for doc, score in docs.items()
        )
    for name, text in files.items():
        (folder / name).write_text(text)
    paths = [str(folder / name) for name in files]
    verdicts = untied.certify(paths[0], paths[1:], form.name, unretrieved="pooled", ties=ties, **options)
    verdicts.write_certificate(folder / "certificate.json", paths[0], paths[1:])
    return Certified(folder / "certificate.json", paths, queries, form)


def is_additive(form: Form) -> bool:
    """Whether means over orders of ties are found just as one order is."""
    return form.name.partition("@")[0].partition("(")[0] in ADDITIVE


def triples(name: str, form: Form, ties: bool, count: int) -> list[list[Case]]:
    cases = drawn(f"{name} {form.name}", form.grades, ties, 3 * many(count))
    return [cases[start : start + 3] for start in range(0, len(cases), 3)]


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.name)
def test_true_certificates_are_accepted(form: Form, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for cases in triples("accepted", form, False, 6):
        made = certified(tmp_path, form, cases)
        assert made.check() == 0, capsys.readouterr().out
        claim = made.claim
        assert claim["exact"]
        assert is_true(made, made.told)


def test_certificates_of_all_verdicts(tmp_path: Path) -> None:
    form = next(form for form in FORMS if form.name == "AP")
    verdicts = set()
    for cases in triples("verdicts", form, False, 20):
        made = certified(tmp_path, form, cases)
        assert made.check() == 0
        verdicts.add(made.claim["verdict"])
    assert verdicts == {"A", "B", "open"}


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.name)
def test_tied_documents(form: Form, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for cases in triples("tied", form, True, 4):
        made = certified(tmp_path, form, cases, "expected")
        assert made.check() == 0, capsys.readouterr().out
        assert made.claim["exact"] or not is_additive(form)
        assert is_true(made, made.told)


@pytest.mark.parametrize(
    "form", [form for form in FORMS if not form.name.startswith("ERR")], ids=lambda form: form.name
)
def test_at_most_one_relevant_document(form: Form, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for cases in triples("most", form, False, 4):
        made = certified(tmp_path, form, cases, most=1)
        assert made.check() == 0, capsys.readouterr().out
        assert is_true(made, made.told, 1)


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.name)
def test_false_bounds_are_refused(form: Form, tmp_path: Path) -> None:
    """Bounds that exclude something possible, and bounds that nothing reaches."""
    for cases in triples("false", form, False, 3):
        made = certified(tmp_path, form, cases)
        for query in made.cases:
            for end in (0, 1):
                for by in (Fraction(-1, 1000), Fraction(1, 1000)):
                    told = made.told
                    move(told, query, end, by)
                    assert not is_true(made, told)
                    assert made.check(told) == 1


def move(told: dict[str, Any], query: str, end: int, by: Fraction) -> None:
    """Move a bound of a query, and all that follows from it."""
    claim = claim_of(told)
    side = claim["queries"][query][SIDES[end]]
    side["bound"] = decimal(Fraction(side["bound"]) + by)
    sums = [sum(Fraction(one[side]["bound"]) for one in claim["queries"].values()) for side in SIDES]
    low, high = (Fraction(total * 10**10 / len(claim["queries"])) for total in sums)
    claim["low"], claim["high"] = decimal(Fraction(low // 1, 10**10)), decimal(Fraction(-(-high // 1), 10**10))
    claim["verdict"] = "A" if low // 1 > 0 else "B" if -(-high // 1) < 0 else "open"


def decimal(number: Fraction) -> str:
    return f"{float(number):.10f}"


def is_true(made: Certified, told: dict[str, Any], most: int | None = None) -> bool:
    """Whether all that a certificate claims of bounds, verdict and numbers of documents is true, by enumeration."""
    claim = claim_of(told)
    near = float(verify.NEAR.get(made.form.name.partition("@")[0].partition("(")[0], verify.MARGIN))
    score = made.form.score
    ends = [extremes(score, case, made.form.grades) for case in made.cases.values()]
    for (query, case), of_query in zip(made.cases.items(), ends, strict=True):
        one = claim["queries"][query]
        for end, sign in ((0, -1), (1, 1)):
            stated = Fraction(one[SIDES[end]]["bound"])
            true = of_query[-1 if most is None else min(most, len(of_query) - 1)][end]
            if sign * (true - stated) > 0:
                return False
            if claim["exact"]:
                grades = {doc: int(grade) for grade, docs in one[SIDES[end]]["witness"].items() for doc in docs}
                if not set(grades) <= set(case.unknown):
                    return False
                if abs(float(difference(score, case, grades) - stated)) > 2 * near:
                    return False
    means = [sum(Fraction(one[side]["bound"]) for one in claim["queries"].values()) / len(ends) for side in SIDES]
    low, high = Fraction(claim["low"]), Fraction(claim["high"])
    if not (0 <= means[0] - low <= Fraction(1, 10**10) and 0 <= high - means[1] <= Fraction(1, 10**10)):
        return False
    if claim["verdict"] != ("A" if low > 0 else "B" if high < 0 else "open"):
        return False
    is_tied = told["policies"]["ties"] == "expected"
    return are_numbers_true(made.form, claim, ends, is_tied)


def are_numbers_true(form: Form, claim: dict[str, Any], ends: Any, is_tied: bool) -> bool:
    """Whether the overturn number and largest m are true, where they are claimed at all."""
    if form.name.startswith("ERR"):
        return claim["overturn"] is None and claim["largest_m"] is None
    least, most = overturn(ends), largest(ends)
    told = float("inf") if claim["overturn"] == "never" else claim["overturn"]
    true = float("inf") if least is None else least
    told_most = float("inf") if claim["largest_m"] == "any" else claim["largest_m"]
    true_most = float("inf") if most == -1 else most
    is_chain = form.name.startswith("nDCG") and len(form.grades) > 2 and claim["overturn"] is None
    if (
        is_chain or form.name.startswith("AP") or (is_tied and not is_additive(form))
    ):  # from bounds that may only enclose
        held = told in (None, 0) or told <= true
        return held and (None in (told_most, true_most) or told_most <= true_most)
    return told in (None, true) and told_most == true_most


#: What to change in a certificate.
MUTATIONS: dict[str, Callable[[dict[str, Any], dict[str, Any], Random], None]] = {}


def mutation(change: Callable[[dict[str, Any], dict[str, Any], Random], None]) -> Callable[..., None]:
    MUTATIONS[change.__name__] = change
    return change


@mutation
def a_hash(told: dict[str, Any], claim: dict[str, Any], chance: Random) -> None:
    where, name = chance.choice([(told, "qrels"), (told["runs"], "a"), (told["runs"], "b")])
    place = chance.randrange(64)
    other = chance.choice([digit for digit in "0123456789abcdef" if digit != where[name][place]])
    where[name] = where[name][:place] + other + where[name][place + 1 :]


@mutation
def runs_exchanged(told: dict[str, Any], claim: dict[str, Any], chance: Random) -> None:
    told["runs"]["a"], told["runs"]["b"] = told["runs"]["b"], told["runs"]["a"]


@mutation
def a_bound(told: dict[str, Any], claim: dict[str, Any], chance: Random) -> None:
    by = chance.choice([-1, 1]) * Fraction(10 ** chance.randrange(9), 10**9)
    move(told, chance.choice(sorted(claim["queries"])), chance.randrange(2), by)


@mutation
def a_bound_alone(told: dict[str, Any], claim: dict[str, Any], chance: Random) -> None:
    end = chance.choice(list(claim["queries"].values()))[chance.choice(SIDES)]
    end["bound"] = decimal(Fraction(end["bound"]) + Fraction(chance.choice([-1, 1]), 10 ** chance.randrange(1, 9)))


@mutation
def a_sum(told: dict[str, Any], claim: dict[str, Any], chance: Random) -> None:
    name = chance.choice(["low", "high"])
    claim[name] = decimal(Fraction(claim[name]) + Fraction(chance.choice([-1, 1]), 10 ** chance.randrange(10)))


@mutation
def a_verdict(told: dict[str, Any], claim: dict[str, Any], chance: Random) -> None:
    claim["verdict"] = chance.choice([other for other in ("A", "B", "open") if other != claim["verdict"]])


@mutation
def a_witness(told: dict[str, Any], claim: dict[str, Any], chance: Random) -> None:
    witness = chance.choice(list(claim["queries"].values()))[chance.choice(SIDES)]["witness"]
    if witness and chance.random() < 0.4:
        witness.pop(chance.choice(sorted(witness)))
    else:
        docs = witness.setdefault(chance.choice(["0", "1", "2", "5", "1e9", "x"]), [])
        docs.append(chance.choice([*(f"d{i}" for i in range(6)), "free0", "free1", "x", "nothing"]))


@mutation
def a_number(told: dict[str, Any], claim: dict[str, Any], chance: Random) -> None:
    name = chance.choice(["overturn", "largest_m"])
    values = [0, 1, 2, 3, 4, 7, None, "never" if name == "overturn" else "any"]
    claim[name] = chance.choice([value for value in values if value != claim[name]])


@mutation
def what_is_exact(told: dict[str, Any], claim: dict[str, Any], chance: Random) -> None:
    claim["exact"] = not claim["exact"]


@mutation
def a_query(told: dict[str, Any], claim: dict[str, Any], chance: Random) -> None:
    query = chance.choice(sorted(claim["queries"]))
    one = claim["queries"].pop(query)
    if chance.random() < 0.5:
        claim["queries"]["other"] = one


@mutation
def what_is_there(told: dict[str, Any], claim: dict[str, Any], chance: Random) -> None:
    of_query = chance.choice(list(claim["queries"].values()))
    where = chance.choice([told, claim, told["policies"], of_query, of_query["low"]])
    where.pop(chance.choice(sorted(where)))


@mutation
def a_proof(told: dict[str, Any], claim: dict[str, Any], chance: Random) -> None:
    end = chance.choice(list(claim["queries"].values()))[chance.choice(SIDES)]
    end["proof"] = chance.choice([{}, {"d0 d1": 10**6}, {"d0 d1": -5}, {"d0 d1": 0.5}, ["d0", {}, {}], ["d9", {}], 5])


@mutation
def a_price(told: dict[str, Any], claim: dict[str, Any], chance: Random) -> None:
    claim["price"] = chance.choice([0, 1, 1 << 70, 1 << 80, 1 << 200])


@mutation
def an_unknown_value(told: dict[str, Any], claim: dict[str, Any], chance: Random) -> None:
    where, name = chance.choice(
        [(told["policies"], name) for name in sorted(told["policies"])]
        + [(claim, name) for name in sorted(set(claim) - {"queries"})]
        + [(told, "certificate"), (chance.choice(list(claim["queries"].values()))["low"], "bound")]
    )
    where[name] = chance.choice(["foo", "range", "NaN", "Infinity", "-1", "", -1, 0.5, float("nan"), [], {}, ["open"]])


@mutation
def another_policy(told: dict[str, Any], claim: dict[str, Any], chance: Random) -> None:
    told["policies"] |= chance.choice([{"unjudged": "pooled"}, {"unretrieved": "none"}, {"most": 0}, {"ties": "given"}])


@mutation
def what_is_more(told: dict[str, Any], claim: dict[str, Any], chance: Random) -> None:
    of_query = chance.choice(list(claim["queries"].values()))
    where = chance.choice([told, claim, told["policies"], of_query, of_query["low"]])
    where["note"] = "proved"


@mutation
def claims(told: dict[str, Any], claim: dict[str, Any], chance: Random) -> None:
    name = next(iter(told["claims"]["a"]["b"]))
    told["claims"] = chance.choice([{}, [], {"a": {}}, {"a": {"b": {}}}, {"a": {"other": {name: claim}}}, {"c": claim}])


@mutation
def sides_exchanged(told: dict[str, Any], claim: dict[str, Any], chance: Random) -> None:
    told["claims"] = {"b": {"a": told["claims"]["a"]["b"]}}


@mutation
def a_measure(told: dict[str, Any], claim: dict[str, Any], chance: Random) -> None:
    """Names that untied does not know, though something could be computed for them."""
    of_pair = told["claims"]["a"]["b"]
    name, _, cutoff = next(iter(of_pair)).partition("@")
    name = name.partition("(")[0]
    end = f"@{cutoff}" * bool(cutoff)
    others = [f"{name}(2){end}", f"{name}(gain='binary'){end}", f"{name}(discount='RBP'){end}", f"{name}(foo=1){end}"]
    others += [f"{name}(max_grade=4, max_grade=4){end}", f"{name}@0", f"{name}(rel=1)(rel=1){end}", f"x{name}{end}"]
    others += [f"{name}(rel=1e999999999){end}", f"{name}(rel=-1){end}"]
    told["claims"]["a"]["b"] = {chance.choice(others): claim}


def test_mutated_certificates(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each of 1,500 is refused, or what it claims is still true by enumeration; and most of each kind are refused."""
    chance = seeded("mutated certificates")
    refused, accepted = Counter(), Counter()
    per_form = -(-many(1500) // len(FORMS))
    for form in FORMS:
        made: Certified | None = None
        for number in range(per_form):
            if made is None or number % 25 == 0:
                made = certified(tmp_path, form, drawn(f"{form.name} mutated {number}", form.grades, False, 3))
                original = made.told
                assert made.check(original) == 0
            name = chance.choice(list(MUTATIONS))
            told = copy.deepcopy(original)
            MUTATIONS[name](told, claim_of(told), chance)
            code = made.check(told)
            assert code in (0, 1)
            if code:
                refused[name] += 1
                continue
            accepted[name] += 1
            asked = made
            if name in ("runs_exchanged", "sides_exchanged"):
                asked = made._replace(
                    cases={query: Case(case.b, case.a, case.known, case.free) for query, case in made.cases.items()}
                )
            assert is_true(asked, told), (name, form.name, told, original)
    assert refused.total() + accepted.total() >= 1500
    always = {"a_hash", "a_bound_alone", "a_verdict", "a_query", "what_is_there"}
    always |= {"an_unknown_value", "what_is_more", "claims", "a_measure"}
    assert not always & accepted.keys(), accepted
    # Some numbers are not checked, and claims may be weaker than they need be; what proves them may be another proof.
    for name, times in {
        "a_bound": 10,
        "a_sum": 10,
        "a_witness": 1,
        "runs_exchanged": 5,
        "sides_exchanged": 5,
        "a_number": 2,
    }.items():
        assert refused[name] > times * accepted[name], (name, refused[name], accepted[name])
    capsys.readouterr()


def changed(value: Any) -> Iterator[Any]:
    """Return every part of a certificate in turn changed: dropped, doubled, exchanged, renamed, or another value."""
    if isinstance(value, dict):
        for key, part in value.items():
            rest = {name: other for name, other in value.items() if name != key}
            yield rest
            yield {**rest, f"{key}x": part}
            yield {**value, f"{key}x": part}
            yield from ({**value, key: other} for other in changed(part))
        for one, other in combinations(value, 2):
            yield value | {one: value[other], other: value[one]}
            yield value | {one: value[other]}
    elif isinstance(value, list):
        for place, part in enumerate(value):
            before, after = value[:place], value[place + 1 :]
            yield before + after
            yield [*value, part]
            yield from ([*before, other, *after] for other in changed(part))
            yield from ([*before, other, *after] for other in ("d0", "d1", "free0", "x"))
        yield value[::-1]
        yield [*value, "d0"]
    elif isinstance(value, str) and re.fullmatch(r"-?[0-9]+\.[0-9]{10}", value):
        by = (Fraction(sign, 10**place) for place in (0, 1, 3, 6, 9, 10) for sign in (1, -1))
        yield from (decimal(Fraction(value) + step) for step in by)
        yield from ("0.0000000000", decimal(-Fraction(value)))
    elif isinstance(value, int) and not isinstance(value, bool):
        yield from (value + 1, value - 1, 2 * value, 0, str(value))
    yield from (None, True, False, 0, 3, -1, 0.5, "", "A", "B", "open", "never", "any", "pooled", "none", [], {})


def meant(made: Certified, told: dict[str, Any]) -> Certified:
    """The cases that a certificate is about, by its runs and policies."""
    of = {hashlib.sha256(Path(path).read_bytes()).hexdigest(): Path(path).name for path in made.inputs[1:]}
    [(first, pair)] = told["claims"].items()
    [second] = pair
    sides = [of[told["runs"][name]] for name in (first, second)]
    policies = told["policies"]

    def case(known: Case) -> Case:
        outside = dict.fromkeys({*known.unknown} - {*known.free}, 0) if policies["unjudged"] == "pooled" else {}
        free = known.free if policies["unretrieved"] == "pooled" else ()
        return Case(*(getattr(known, side) for side in sides), {**known.known, **outside}, free)

    return made._replace(cases={query: case(known) for query, known in made.cases.items()})


@pytest.mark.parametrize(
    ("form", "how"),
    [
        pytest.param(form, how, id=f"{form.name} {how}")
        for form in FORMS
        for how in ("docid", "expected", "most")
        if how != "most" or not form.name.startswith("ERR")
    ],
)
def test_every_part_changed(form: Form, how: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What is accepted is true by enumeration: every number, list and name is changed in every way."""
    ties, options = ("docid", {"most": 1}) if how == "most" else (how, {})
    cases = triples(f"changed {how}", form, how == "expected", 1)[0][:2]
    made = certified(tmp_path, form, cases, ties, **options)
    assert made.check() == 0
    original = made.told
    everything = [told for told in changed(original) if told is not None]
    refused = 0
    chance = seeded(f"{form.name} {how}")
    chosen = chance.sample(everything, min(len(everything), many(40, nightly=10**6)))
    for told in chosen:
        if made.check(told):
            refused += 1
            continue
        claim_of(told)
        assert is_true(meant(made, told), told, told["policies"]["most"]), (told, original)
    assert refused > len(chosen) / 2
    capsys.readouterr()


def test_nothing_relevant_is_0(tmp_path: Path) -> None:
    """Where nothing relevant is known, no bound above can be below 0, though every other assignment is."""
    form = next(form for form in FORMS if form.name == "AP")
    made = certified(tmp_path, form, [Case([], [["d0"]], {"d1": 0})])
    told = made.told
    assert Fraction(claim_of(told)["high"]) >= 0
    move(told, "q0", 1, Fraction(-1, 1000))
    assert made.check(told) == 1


def hard(seed: str, count: int, length: int, grades: list[int]) -> Case:
    """Two long rankings that disagree in places, and few judgments."""
    chance = seeded(seed)
    docs = [f"d{i:03}" for i in range(count)]

    def ranking() -> list[list[str]]:
        noise = {doc: place * 0.2 + chance.gauss(0, 4) for place, doc in enumerate(docs)}
        return [[doc] for doc in sorted(docs, key=noise.__getitem__)[:length]]

    known = {doc: chance.choice(grades) for doc in docs if chance.random() < 0.2}
    return Case(ranking(), ranking(), known)


@pytest.mark.parametrize("name", ["AP@20", "AP@50", "ERR(max_grade=1)@15"])
def test_proofs_are_needed(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Trees and multipliers prove exact bounds of long rankings; without them, the same bounds are refused."""
    form = next(form for form in FORMS if form.name == "AP")._replace(name=name)
    length = int(name.partition("@")[2])
    proofs = 0
    for number in range(6):
        made = certified(tmp_path, form, [hard(f"{name} {number}", length + 15, length, [0, 1])])
        told = made.told
        assert made.check(told) == 0, capsys.readouterr().out
        assert claim_of(told)["exact"]
        one = claim_of(told)["queries"]["q0"]
        if any(one[side]["proof"] for side in SIDES):
            proofs += 1
            for side in SIDES:
                one[side]["proof"] = {}
            assert made.check(told) == 1
    assert proofs > 0


def test_only_documents_within_the_cutoff_make_a_proof_long(tmp_path: Path) -> None:
    form = next(form for form in FORMS if form.name == "AP")._replace(name="AP@20")
    made = certified(tmp_path, form, [hard(f"deep {number}", 500, 400, [0, 1]) for number in range(3)])
    assert all(len(case.unknown) > verify.DOCUMENTS for case in made.cases.values())
    assert made.check() == 0
    assert made.claim["exact"]


def test_comments_hold_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Even if they have as many columns as other lines."""
    made = certified(tmp_path, FORMS[0], drawn("comments", (0, 1), False, 3))
    for path, comment in zip(
        map(Path, made.inputs), ("# of 2005 1", " #q1 Q0 d0 1 2 t", "#q2 Q0 d1 1 9 t"), strict=True
    ):
        path.write_text(f"{comment}\n{path.read_text()}")
    told, (qrels, *runs) = tmp_path / "with_comments", made.inputs
    untied.certify(qrels, runs, made.form.name).write_certificate(told, qrels, runs)
    assert verify.main([str(told), *made.inputs]) == 0
    assert "verified: a b" in capsys.readouterr().out


def test_rel_is_refused_beside_max_grade(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Where it would have no effect: by the checker, too. A document of grade 1 gains 1/3."""
    (tmp_path / "qrels").write_text("q 0 a 1\nq 0 b 0\nq 0 c 2\n")
    for name, docs in {"a": "abu", "b": "bcv"}.items():
        (tmp_path / name).write_text("".join(f"q Q0 {doc} 0 -{i} t\n" for i, doc in enumerate(docs)))
    qrels, *runs = (str(tmp_path / name) for name in ("qrels", "a", "b"))
    told, name = tmp_path / "certificate", "RBP(max_grade=3)"
    found = untied.certify(qrels, runs, name)
    found.write_certificate(told, qrels, runs)
    claim = claim_of(json.loads(told.read_text()))
    assert claim["exact"]
    assert float(claim["low"]) == pytest.approx(found["a", "b"][name].low, abs=1e-8)
    assert verify.main([str(told), qrels, *runs]) == 0
    capsys.readouterr()
    both = name.replace("(", "(rel=2, ")
    told.write_text(told.read_text().replace(name, both))
    assert verify.main([str(told), qrels, *runs]) == 1
    assert f"{both}: its parameters, or its gains of these grades, are not covered" in capsys.readouterr().out


def test_the_checker_is_short_and_independent() -> None:
    source = SOURCE.read_text()
    tree = ast.parse(source)
    texts: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and ast.get_docstring(node) is not None:
            texts |= set(range(node.body[0].lineno, node.body[0].end_lineno + 1))
        if isinstance(node, ast.Import):
            assert {name.name for name in node.names} <= sys.stdlib_module_names
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0
            assert node.module in sys.stdlib_module_names
    lines = enumerate(source.splitlines(), 1)
    code = [line for number, line in lines if number not in texts and line.strip() and line.strip()[0] != "#"]
    assert len(code) <= 330


def test_the_checker_runs_alone(tmp_path: Path) -> None:
    made = certified(tmp_path, FORMS[0], drawn("alone", (0, 1), False, 3))
    packed = [tmp_path / "certificate.json.gz", *(Path(f"{path}.gz") for path in made.inputs)]
    for source, target in zip([made.path, *map(Path, made.inputs)], packed, strict=True):
        target.write_bytes(gzip.compress(source.read_bytes()))
    alone = tmp_path / "alone" / "verify.py"
    alone.parent.mkdir()
    alone.write_text(SOURCE.read_text())

    def run(*files: object) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-I", "-S", str(alone), *map(str, files)]
        return subprocess.run(command, cwd=alone.parent, capture_output=True, text=True, check=False)

    done = run(made.path, *made.inputs)
    policies = "policies: ties docid, score_dtype float64, unjudged retrieved, unretrieved pooled, most any\n"
    said = f"{policies}runs: a is {made.inputs[1]}, b is {made.inputs[2]}\nverified: a b P@3: verdict "
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(said)
    claim = made.claim
    assert done.stdout == f"{said}{', '.join(f'{name} {claim[name]}' for name in SAID).removeprefix('verdict ')}\n"
    done = run(packed[0], *packed[1:])
    assert (done.returncode, done.stdout) == (1, f"refused: {packed[0]}: {HASHED}")
    done = run(packed[0], *made.inputs)
    assert done.returncode == 0
    done = run(packed[0])
    assert done.returncode == 2
    assert done.stderr.startswith("bad input: arguments: ")


HASHED = "the hash of the qrels differs from that in the certificate\n"


@pytest.fixture
def made(tmp_path: Path) -> Certified:
    return certified(tmp_path, FORMS[0], drawn("forged", (0, 1), False, 3))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"ties": "range"}, ', found "range"'),
        ({"ties": "rank"}, 'policies, ties: expected "expected"|'),
        ({"score_dtype": "foo"}, """policies, score_dtype: expected "float64"|"float32", found "foo\""""),
        ({"unjudged": "foo"}, """policies, unjudged: expected "retrieved"|"pooled", found "foo\""""),
        ({"unretrieved": "foo"}, """policies, unretrieved: expected "none"|"pooled", found "foo\""""),
        ({"most": -1}, "policies, most: expected null|[0-9]+, found -1"),
        ({"most": "3"}, "policies, most: expected null|[0-9]+, found"),
        ({"note": 1}, "unretrieved, most, found ties, score_dtype, unjudged, unretrieved, most, note\n"),
    ],
)
def test_policies_are_those_that_the_checker_knows(
    change: dict[str, Any], said: str, made: Certified, capsys: pytest.CaptureFixture[str]
) -> None:
    assert made.check(made.told | {"policies": made.told["policies"] | change}) == 1
    out = capsys.readouterr().out
    assert out.startswith("refused: ")
    assert said in out


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{}", "certificate: expected the keys certificate, untied, qrels, runs, policies, claims, found none\n"),
        ("", "malformed: JSONDecodeError("),
        ("[]", "certificate: expected the keys certificate, untied, qrels, runs, policies, claims, found none\n"),
        ('{"certificate":1,"certificate":1}', "expected each key once, found certificate, certificate\n"),
    ],
)
def test_what_is_no_certificate(text: str, said: str, made: Certified, capsys: pytest.CaptureFixture[str]) -> None:
    made.path.write_text(text)
    assert made.check() == 1
    assert f"refused: {made.path}: {said}" in capsys.readouterr().out


def test_a_certificate_that_claims_nothing_is_refused(made: Certified, capsys: pytest.CaptureFixture[str]) -> None:
    for claims in ({}, {"a": {}}, {"a": {"b": {}}}):
        assert made.check(made.told | {"claims": claims}) == 1
        assert capsys.readouterr().out.endswith(": expected the keys *, found none\n")


def test_messages_name_the_file(made: Certified, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, (qrels, a, b) = str(made.path), made.inputs
    other, packed = tmp_path / "other.run", tmp_path / "packed.xz"
    other.write_text("q0 Q0 nothing 1 1 t\n")
    packed.write_bytes(b"\xfd7zXZ\x00 a b c d e\n")
    assert verify.main([path, qrels, a, str(other)]) == 1
    assert f"run b: none of {a}, {other} has its hash in the certificate" in capsys.readouterr().out
    assert verify.main([path, qrels, a, b, str(other)]) == 0
    assert f"not in the certificate: {other}\n" in capsys.readouterr().out
    for wrong, inputs in {
        packed: [qrels, a, packed],
        tmp_path / "none": [qrels, tmp_path / "none", b],
        a: [a, a, b],
        path: [path, a, b],
    }.items():
        assert verify.main([path, *map(str, inputs)]) == 2
        said = capsys.readouterr().err
        assert said.startswith(f"bad input: {wrong}: ")
        assert said.endswith("; expected CERTIFICATE QRELS RUN..., plain or packed by gzip\n")
        assert len(said) < len(str(wrong)) + 200  # not a whole certificate


def test_bounds_that_may_be_too_wide_are_not_proved_to_be_reached(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A wider bound holds, but the verdict "open" does not follow from it: here A is better whatever is relevant."""
    made = certified(
        tmp_path, FORMS[0], [Case([["r"]], [["u"]], {"r": 1, "n": 0}), Case([["r"]], [["n"]], {"r": 1, "n": 0})]
    )
    told = made.told
    assert claim_of(told)["verdict"] == "A"
    assert made.check(told) == 0
    assert "proved" not in capsys.readouterr().out
    move(told, "q0", 0, Fraction(-1))
    claim_of(told)["exact"] = False
    assert claim_of(told)["verdict"] == "open"
    assert made.check(told) == 0
    said = capsys.readouterr().out
    assert ": verdict open, low " in said
    assert said.endswith(", bounds not proved to be reached\n")


@pytest.mark.parametrize(
    ("name", "ties", "least"),
    [("AP", "docid", True), ("RR", "expected", True), ("RR", "docid", False), ("P@3", "expected", False)],
)
def test_numbers_that_are_lower_bounds_say_so(
    name: str, ties: str, least: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    form = next(form for form in FORMS if form.name == name)
    case = Case([["r"]], [["u", "v"]], {"r": 1})
    made = certified(tmp_path, form, [case] * 2, ties)
    claim = made.claim
    assert isinstance(claim["overturn"], int)
    capsys.readouterr()
    assert made.check() == 0
    prefix = "at least " * least
    said = f", overturn {prefix}{claim['overturn']}, largest_m {prefix}{claim['largest_m']}"
    assert said in capsys.readouterr().out


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("RBP(p=1e-999)", "p must be between 0 and 1"),
        ("RBP(p=1e-99)", "expected a number from 1e-60 to 1e60, or 0, found 1e-99"),
        (f"RBP(p=0.{'9' * 4000})", "this measure, or these parameters of it, are not known"),
        ("ERR(max_grade=1e10)", "p must be between 0 and 1, max_grade and grades in powers of 2 up to 1000"),
        ("P@" + "9" * 4000, "this measure, or these parameters of it, are not known"),
    ],
)
def test_parameters_that_would_take_too_long_are_refused(
    name: str, said: str, made: Certified, capsys: pytest.CaptureFixture[str]
) -> None:
    told = made.told
    told["claims"]["a"]["b"] = {name: claim_of(told)}
    assert made.check(told) == 1
    assert said in capsys.readouterr().out


def apart(length: int) -> Case:
    """Two rankings without a common document; that of A begins with a relevant one, and nothing else is judged."""
    docs = [[f"d{i}"] for i in range(2 * length - 1)]
    return Case([["r"], *docs[: length - 1]], docs[length - 1 :], {"r": 1})


def test_an_overturn_number_that_takes_too_many_steps_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    form = FORMS[0]._replace(name="R@500")
    made = certified(tmp_path, form, [apart(500)] * 10)
    told = made.told
    assert made.check() == 0
    claim_of(told)["overturn"] = 25_000
    assert made.check(told) == 1
    assert "a proof of overturn number 10,000 would take too long" in capsys.readouterr().out


def test_a_proof_about_too_many_documents_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made = certified(tmp_path, FORMS[0]._replace(name="AP"), [apart(200)])
    told = made.told
    assert made.check() == 0
    move(told, "q0", 1, Fraction(-1, 2))
    claim_of(told)["exact"] = False
    assert made.check(told) == 1
    assert "a proof about 399 unjudged documents would take too long" in capsys.readouterr().out


@pytest.mark.parametrize("place", [0, 1, 2])
def test_an_endless_pipe_is_refused(
    made: Certified, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, place: int
) -> None:
    monkeypatch.setattr(verify, "LARGEST", 100_000)
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)

    def write() -> None:
        with contextlib.suppress(BrokenPipeError), pipe.open("wb", buffering=0) as file:
            while True:
                file.write(b"q0 0 d 1\n" * 1000)

    writer = threading.Thread(target=write)
    writer.start()
    files = [str(made.path), *made.inputs]
    files[place] = str(pipe)
    assert verify.main(files) == 2
    writer.join()
    said = f"bad input: {pipe}: it is larger than 100,000 bytes, or does not end; expected CERTIFICATE QRELS RUN..."
    assert capsys.readouterr().err.startswith(said)


def test_an_archive_bomb_is_refused(made: Certified, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bomb = tmp_path / "bomb.gz"
    bomb.write_bytes(gzip.compress(bytes(100_000_000)))
    assert verify.main([str(made.path), str(bomb), *made.inputs[1:]]) == 2
    said = f"bad input: {bomb}: it unpacks to more than 64 MiB and 250 times its size; "
    assert capsys.readouterr().err.startswith(said)


@pytest.mark.parametrize(
    "text",
    ["nan", "NaN", "inf", "-Infinity", "1e999", "1_000", "1/2", "１", "٣", "0x10", "1e", ".", "+-1", "1e99999999999"],
)
@pytest.mark.parametrize("kind", ["grade", "score"])
def test_numbers_that_untied_refuses_are_refused(
    kind: str, text: str, made: Certified, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    inputs, wrong = list(made.inputs), tmp_path / "wrong"
    inputs[kind == "score"] = str(wrong)
    wrong.write_text(f"q0 0 d0 {text}\n" if kind == "grade" else f"q0 Q0 d0 1 {text} t\n")
    assert verify.main([str(made.path), *inputs]) == 2
    assert f"{wrong}: expected a finite number, found {text}" in capsys.readouterr().err
    with pytest.raises(untied.InputError, match="number"):
        untied.certify(inputs[0], inputs[1:])


@pytest.mark.parametrize(
    "text", ["1", "+1", "1.", ".5", "1e1", "1E-1", "-0", "0.30000000000000004", "12345678901234567890"]
)
def test_numbers_that_untied_reads_are_read(text: str, tmp_path: Path) -> None:
    (tmp_path / "run").write_text(f"q Q0 d 1 {text} t\n")
    (tmp_path / "qrels").write_text(f"q 0 d {text}\n")
    [(_, read)] = untied.Run(tmp_path / "run")["q"]
    [grade] = dict(untied.Qrels(tmp_path / "qrels")["q"]).values()
    assert verify.read(tmp_path / "run", 6, 4, verify.score)[1] == {"q": {"d": read}}
    assert float(verify.read(tmp_path / "qrels", 4, 3, verify.number)[1]["q"]["d"]) == grade


@pytest.mark.parametrize("grade", ["1e999999999", "1e-999999999", "1e61", "1e-320"])
def test_grades_beyond_what_measures_take_are_refused(
    grade: str, made: Certified, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    qrels = tmp_path / "large"
    qrels.write_text(f"q0 0 d0 {grade}\n")
    assert verify.main([str(made.path), str(qrels), *made.inputs[1:]]) == 2
    assert f"bad input: {qrels}: expected a " in capsys.readouterr().err


def test_a_document_that_occurs_twice_is_named(
    made: Certified, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    twice = tmp_path / "twice.run"
    twice.write_text("q0 Q0 same 1 2 t\nq0 Q0 same 2 1 t\n")
    assert verify.main([str(made.path), made.inputs[0], str(twice)]) == 2
    said = f"bad input: {twice}: line 2: expected 6 columns and a new document, found b'q0 Q0 same 2 1 t'; "
    assert capsys.readouterr().err.startswith(said)


def test_commands(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made = certified(tmp_path, FORMS[0], drawn("commands", (0, 1), False, 3))
    target = tmp_path / "other.json"
    assert main(["certify", *made.inputs, "-m", "P@3", "--ties", "docid", "--certificate", str(target)]) == 0
    assert f"{target}: certificate of 1 claim, {target.stat().st_size / 1000:.1f} kB\n" in capsys.readouterr().err
    assert main(["verify", str(target), *made.inputs]) == 0
    assert "\nverified: a b P@3: verdict " in capsys.readouterr().out
    target.write_text(target.read_text().replace('"open"', '"A"').replace('"B"', '"A"'))
    assert main(["verify", str(target), *made.inputs]) == 1
    assert (
        "refused: a b P@3: verdict, overturn, largest_m: by the bounds of queries, they are open, "
        in capsys.readouterr().out
    )
    assert main(["verify", str(tmp_path / "none"), *made.inputs]) == 2


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (["--qrels-format", "csv"], "expected files in TREC's format, which untied verify reads, found format csv"),
        (["--ties", "range"], "certificates need ties expected, docid, trec or given, not 'range'"),
        (["--score-dtype", "float16"], "certificates need score_dtype float64 or float32, not 'float16'"),
        (["-m", "ERR", "--most", "1"], "certificates of ERR cannot be combined with --most"),
        (["-m", "DCG(gain={1: 3})"], "a certificate cannot cover this measure with these parameters"),
        (["-m", "Bpref"], "a certificate cannot cover this measure"),
    ],
)
def test_what_certificates_do_not_hold(
    asked: list[str], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = certified(tmp_path, FORMS[0], drawn("refused", (0, 1), False, 3))
    target = tmp_path / "none.json"
    options = ["--certificate", str(target), *([] if "--ties" in asked else ["--ties", "docid"])]
    assert main(["certify", *made.inputs, *options, *asked]) == 2
    assert said in capsys.readouterr().err
    assert not target.exists()


def test_proofs_take_bounded_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With less work than a proof needs, the certificate claims wider bounds, which hold."""
    form = next(form for form in FORMS if form.name == "AP")._replace(name="AP@20")
    cases = [hard(f"AP@20 {number}", 35, 20, [0, 1]) for number in range(6)]
    closest = certified(tmp_path, form, cases).claim
    assert closest["exact"]
    monkeypatch.setattr(proofs, "WORK", 0)
    made = certified(tmp_path, form, cases)
    assert made.check() == 0
    wider = made.claim
    assert not wider["exact"]
    low, high = (Fraction(wider[side]) - Fraction(closest[side]) for side in SIDES)
    assert low <= 0 <= high
    assert high - low > 0


def test_the_command_says_where_a_certificate_claims_less(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """AP of tied runs, all of whose documents are judged: the difference is known, and the checker only bounds it."""
    (tmp_path / "qrels").write_text("".join(f"q 0 d{i} {i % 2}\n" for i in range(4)))
    for name, scores in {"a": "2211", "b": "1222"}.items():
        (tmp_path / name).write_text("".join(f"q Q0 d{i} 0 {score} t\n" for i, score in enumerate(scores)))
    paths = [str(tmp_path / name) for name in ("qrels", "a", "b")]
    certificate = str(tmp_path / "c.json")
    command = ["certify", *paths, "-m", "AP", "-m", "P@2", "--certificate", certificate]
    assert main(command) == 0
    said = capsys.readouterr().err.splitlines()[-1]
    verdicts = untied.certify(paths[0], paths[1:], ["AP", "P@2"])
    claims = verdicts.write_certificate(certificate, paths[0], paths[1:]).to_dicts()
    printed = verdicts.table.to_dicts()
    assert claims[0]["low"] < printed[0]["low"] - 0.01
    assert claims[1]["low"] == pytest.approx(printed[1]["low"], abs=1e-6)
    assert said == (
        "note: bounds in the certificate are wider than the bounds printed, in 1 of 2 claims: AP of a and b "
        f"({claims[0]['low']:.4f} to {claims[0]['high']:.4f}{', open' if printed[0]['verdict'] != 'open' else ''})"
    )
    told = json.loads(Path(certificate).read_text())["claims"]["a"]["b"]["AP"]
    assert (float(told["low"]), float(told["high"])) == (claims[0]["low"], claims[0]["high"])
    assert main([*command, "--ties", "docid"]) == 0
    assert "wider" not in capsys.readouterr().err


def test_a_bound_of_a_proof_adds_its_constant_in_the_same_unit() -> None:
    """A quarter below, and a document that adds a half, are a quarter above 0: that proves nothing."""
    single = {"x": {"x": 0}}
    assert proofs._leaf(-verify.ONE // 4, {"x": verify.ONE // 2}, single, 10)[0] is None
    assert proofs._leaf(-verify.ONE // 2, {"x": verify.ONE // 4}, single, 10)[0] == {}


def test_the_search_for_a_proof_stops_once_its_bound_is_below_0() -> None:
    """The bound is -3/4 at first, and other multipliers of the pair could lower it."""
    one = verify.ONE
    pairs = {"x": {"x": 0, "y": one // 2}, "y": {"x": one // 2, "y": 0}}
    assert proofs._leaf(-2 * one, {"x": one, "y": -one}, pairs, 10) == ({"x y": 500_000}, "x", 1)


def test_a_proof_branches_on_a_document_of_the_pair_with_the_most_tension() -> None:
    """|excess| (1/10 + 4 share (1 - share)) is 1.1 for w and x, whose share is 1/2, and 1.22 for y and z: 3/10."""
    one = verify.ONE
    pairs = {i: dict.fromkeys("wxyz", 0) for i in "wxyz"}
    pairs["w"]["x"] = pairs["x"]["w"] = one
    pairs["y"]["z"] = pairs["z"]["y"] = -one * 13 // 10
    assert proofs._leaf(-9 * one, dict.fromkeys("wxyz", 0), pairs, 1)[1] == "y"


def test_a_proof_has_a_limited_number_of_leaves(monkeypatch: pytest.MonkeyPatch) -> None:
    """A tree with three nodes: a document judged either way, below a question that is open."""
    open_question, closed = SimpleNamespace(ceilings=[1]), SimpleNamespace(ceilings=[0])
    open_question.m = SimpleNamespace(name="ERR", open=[1])
    open_question.judging = lambda grades: closed
    monkeypatch.setattr(proofs, "_better", lambda question: "x")
    assert proofs._Search(0, 3, 9).tree(open_question) == ["x", {}, {}]
    assert proofs._Search(0, 2, 9).tree(open_question) is None


def test_a_proof_without_multipliers_has_those_that_are_usually_enough() -> None:
    """Half of what a pair adds, where it adds more than the other documents, and 3/10 where it adds less.

    The largest sum is -500 for the first program and -1400 for the second. A proof only bounds it.
    """
    gives_more = {"x": {"x": 300, "y": -700, "z": -900}, "y": {"x": -700, "y": 100, "z": 1000}}
    gives_more["z"] = {"x": -900, "y": 1000, "z": 0}
    assert verify.never_positive({}, -500, {"x": -100, "y": -900, "z": -100}, gives_more)
    gives_less = {"x": {"x": -200, "y": -700, "z": -400}, "y": {"x": -700, "y": -200, "z": -800}}
    gives_less["z"] = {"x": -400, "y": -800, "z": 1000}
    assert not verify.never_positive({}, -2800, {"x": 800, "y": 600, "z": 1000}, gives_less)


def test_a_multiplier_below_0_is_read_as_0() -> None:
    """The largest sum is 0, with y alone. A multiplier of 0 proves it, and one of -1 in a million bounds it by 2000."""
    least = 10**9
    pairs = {"x": {"x": 0, "y": least}, "y": {"x": least, "y": 0}}
    assert verify.never_positive({"x y": -1}, -least // 2, {"x": -1, "y": -least // 2}, pairs)


def test_the_best_choice_of_documents_is_the_one_of_its_value() -> None:
    assert proofs._best([1.0, -1.0, 2.0], [0.0, 0.0, 0.0]) == (3.0, [1, 0, 1])
    assert proofs._best([1.0, 1.0, 1.0], [0.0, -2.0, -3.0]) == (1.0, [1, 0, 0])


def test_ceilings_of_ap_are_reached_where_the_other_run_has_nothing() -> None:
    """x, then the relevant r: AP is a half, and 1 if x is relevant too."""
    judged, first = {"q": {"r": 1}}, {"q": {"x": 2.0, "r": 1.0}}
    m = verify.Measure("AP", judged, first, {})
    policies = {"ties": "docid", "score_dtype": "float64", "unjudged": "retrieved", "unretrieved": "none", "most": None}
    question = verify.Question(m, judged["q"], [["x"], ["r"]], [], policies)
    assert [ceiling / verify.ONE for ceiling in question.ceilings] == pytest.approx([0.5, 1])


def test_a_price_is_never_negative() -> None:
    assert certificate._price([[0, -1]], 1) == 0
    assert certificate._price([[0, 8, 12]], 1) == 4


def test_nothing_relevant_has_no_proof_below_0() -> None:
    """No assignment is left to bound where every document is 0, so the search ends before it makes a program."""
    nothing = SimpleNamespace(ceilings=[0], m=SimpleNamespace(name="AP"), relevant=0)
    assert proofs._Search(-1, 9, 9).tree(nothing) is None


def test_a_certificate_never_replaces_an_input(made: Certified) -> None:
    qrels, *runs = made.inputs
    verdicts = untied.certify(qrels, runs, made.form.name, unretrieved="pooled", ties="docid")
    for target in (qrels, runs[1]):
        before = Path(target).read_bytes()
        with pytest.raises(untied.UntiedError):
            verdicts.write_certificate(target, qrels, runs)
        assert Path(target).read_bytes() == before


def test_grades_below_1_count_where_gains_are_grades(tmp_path: Path) -> None:
    paths = [str(tmp_path / name) for name in ("qrels", "a", "b")]
    first, second = ("q Q0 x 1 2.5 t\nq Q0 y 2 1.5 t\n", "q Q0 y 1 2.5 t\nq Q0 x 2 1.5 t\n")
    for path, text in zip(paths, ("q 0 x 0.5\nq 0 y 0\nq 0 z 1\n", first, second), strict=True):
        Path(path).write_text(text)
    verdicts = untied.certify(paths[0], paths[1:], "DCG@2", ties="docid")
    verdicts.write_certificate(tmp_path / "certificate", paths[0], paths[1:])
    assert verify.main([str(tmp_path / "certificate"), *paths]) == 0
