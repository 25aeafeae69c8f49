"""Options that would have no effect are refused before anything is read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import untied
from commands import Command
from untied.gate import gate

COMPARED = "gate QRELS NEW --baseline OLD --max-drop AP=0.1"
LACKS = "has no effect without"


@pytest.mark.parametrize(("line", "refusal"), [
    (f"{COMPARED} --level 0.9", f"--level {LACKS} --significant"),
    (f"{COMPARED} --samples 9", f"--samples {LACKS} --significant"),
    ("gate QRELS NEW --min AP=0.1 --seed 1", f"--seed {LACKS} --significant"),
    ("gate QRELS NEW --baseline OLD --certain AP --unjudged worst", f"--unjudged {LACKS} --min, --max or --max-drop"),
    ("eval QRELS NEW --unretrieved pooled", "unretrieved 'pooled' has no effect unless unjudged is range"),
    ("compare OLD NEW --qrels-format csv", f"--qrels-format {LACKS} --qrels"),
    ("compare OLD NEW --qrels-column grade=x", f"--qrels-column {LACKS} --qrels"),
    ("sample QRELS --seed 1", f"--seed {LACKS} --rate"),
    ("sample QRELS NEW --depth 5 --by-query", f"--by-query {LACKS} --rate"),
    ("sample QRELS NEW --depth 5 --once", f"--once {LACKS} --rate"),
    ("sample QRELS NEW --depth 5 --rel 2", f"--rel {LACKS} --rate"),
    ("stats QRELS NEW OLD --test t --samples 9", "--samples has no effect with --test t"),
    ("stats QRELS NEW OLD --test wilcoxon --interval none --seed 1", "--seed has no effect with --test wilcoxon and"),
    ("stats QRELS NEW OLD --test tukey --correction bh", "--correction has no effect with --test tukey, which"),
    ("stats QRELS NEW OLD --power --test tukey --correction bh", "--correction has no effect with --test tukey"),
    ("stats QRELS NEW OLD --power --sort-by AP", "--sort-by has no effect with --power"),
    ("stats QRELS NEW OLD --rows 9 --format csv", "--rows has no effect with --format csv, which has all"),
    ("stats QRELS NEW OLD --power --baseline OLD", "--baseline has no effect with --power"),
    ("stats QRELS NEW OLD --by-run --interval t", "--interval cannot be combined with --by-run or --format latex"),
    ("report QRELS NEW OLD -o x.html --test t --samples 9", "--samples has no effect with --test t"),
    ("curve QRELS NEW --query 1 -o x.svg --digits 2", "--digits has no effect on plots; -o x.svg is one"),
    ("study med QRELS NEW -o x --text-length 9", "--text-length needs --passages"),
    ("study med QRELS NEW -o x --passages --cutoffs 5", "--cutoffs cannot be combined with --passages"),
    ("study med QRELS NEW -o x --passages --distance RBO", "--distance cannot be combined with --passages"),
    ("study med QRELS NEW -o x --groups GROUPS --prefix 5", "--prefix has no effect with --groups"),
    # The same, if what is typed is the default.
    (f"{COMPARED} --level 0.95", f"--level {LACKS} --significant"),
    (f"{COMPARED} --level=0.95", f"--level {LACKS} --significant"),
    ("gate QRELS NEW --min AP=0.1 --seed 0", f"--seed {LACKS} --significant"),
    ("gate QRELS NEW --baseline OLD --certain AP --unjudged nonrelevant", f"--unjudged {LACKS} --min, --max or"),
    ("eval QRELS NEW --unretrieved none", "unretrieved 'none' has no effect unless unjudged is range"),
    ("eval QRELS NEW --ties trec --score-dtype float64", "ties 'trec' reads scores as float32"),
    ("eval QRELS NEW --quantiles 0.5 --ties expected", "--quantiles cannot be combined with --ties"),
    ("compare OLD NEW --qrels-format auto", f"--qrels-format {LACKS} --qrels"),
    ("compare OLD NEW --passages --run-format auto", "--run-format cannot be combined with --passages"),
    ("certify QRELS OLD NEW --from-sample --unjudged retrieved", "--from-sample cannot be combined with --unjudged"),
    ("sample QRELS --seed 0", f"--seed {LACKS} --rate"),
    ("stats QRELS NEW OLD --test t --samples 100000", "--samples has no effect with --test t"),
    ("stats QRELS NEW OLD --test tukey --correction holm", "--correction has no effect with --test tukey, which"),
    ("stats QRELS NEW OLD --test tukey --corr=holm", "--correction has no effect with --test tukey, which"),
    ("stats QRELS NEW OLD --power --interval bca", "--interval has no effect with --power"),
    ("report QRELS NEW OLD -o x.html --test t --samples 100000", "--samples has no effect with --test t"),
    ("curve QRELS NEW --query 1 -o x.svg --digits 4", "--digits has no effect on plots; -o x.svg is one"),
    ("study med QRELS NEW -o x --passages --seed 0", "--seed cannot be combined with --passages"),
])  # fmt: skip
def test_what_has_no_effect_is_refused(untied_: Command, line: str, refusal: str) -> None:
    code, out, err = untied_(*line.split())
    assert (code, out) == (2, "")
    assert refusal in err, err
    assert "No such file" not in err


@pytest.mark.parametrize("line", [
    f"{COMPARED} --significant --level 0.9 --samples 9 --seed 1",
    "gate QRELS NEW --baseline OLD --certain AP --min AP=0.1 --unjudged worst",
    "eval QRELS NEW --unretrieved pooled --unjudged worst",
    "eval QRELS NEW --unretrieved none --unjudged range",
    "eval QRELS NEW --ties trec --score-dtype float32",
    "eval QRELS NEW --ties expected --score-dtype float64 --adjust none --digits 4",
    "compare OLD NEW --qrels QRELS --qrels-format csv",
    "sample QRELS NEW --depth 5 --rate 0.5 --by-query --rel 2 --seed 1",
    "stats QRELS NEW OLD --test tukey --interval none --samples 9 --seed 1",
    "stats QRELS NEW OLD --test t --seed 1",
    "stats QRELS NEW OLD --power --correction holm",
    "stats QRELS NEW OLD --rows 9 --format md",
    "report QRELS NEW OLD -o x.html --test t --seed 1",
    "study med QRELS NEW -o x --passages --text-length 9 --prefix 5",
])  # fmt: skip
def test_what_has_an_effect_is_accepted(untied_: Command, line: str) -> None:
    code, _, err = untied_(*line.split())
    assert (code, "No such file" in err) == (2, True), err


def test_a_format_that_is_typed_holds_for_any_name(untied_: Command, tmp_path: Path) -> None:
    qrels, run, written = (tmp_path / name for name in ("qrels", "run", "gate.json"))
    qrels.write_text("q 0 d 1\n")
    run.write_text("q Q0 d 1 2 t\n")
    command = ["gate", qrels, run, "--min", "RR=1", "-o", written]
    assert untied_(*command)[0] == 0
    assert written.read_text().startswith("{"), "by the suffix"
    assert untied_(*command, "--format", "text")[0] == 0
    assert written.read_text().startswith("passed"), "by the option"


@pytest.mark.parametrize(("options", "refusal"), [
    ({"min": {"RR": 0}, "level": 0.9}, "level has no effect without significant"),
    ({"min": {"RR": 0}, "samples": 9}, "samples has no effect without significant"),
    ({"min": {"RR": 0}, "seed": 1}, "seed has no effect without significant"),
    ({"certain": "P@1", "baseline": "OLD", "unjudged": "worst"}, "unjudged has no effect without min, max or max_drop"),
])  # fmt: skip
def test_gates_in_python(options: Any, refusal: str) -> None:
    with pytest.raises(untied.UntiedError, match=refusal):
        gate("QRELS", "NEW", **options)


def test_unretrieved_documents_in_python() -> None:
    for unjudged in ("nonrelevant", "remove"):
        with pytest.raises(untied.UntiedError, match="unretrieved 'pooled' has no effect unless unjudged is range"):
            untied.Evaluator("QRELS", unjudged=unjudged, unretrieved="pooled")
