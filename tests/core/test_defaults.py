"""What documentation names exists, and what is shared has one default everywhere."""

import importlib
import inspect
import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import pytest

from untied.cli import main

ROOT = Path(__file__).parents[2]
MODULES = [
    "untied", "untied.batches", "untied.comparison.correlation", "untied.comparison.distances",
    "untied.evaluation.curves", "untied.gate", "untied.inputs.truth", "untied.judging", "untied.judging.estimates",
    "untied.judging.sample", "untied.paper", "untied.report", "untied.spark", "untied.statistics", "untied.study",
    "untied.verdicts",
]  # fmt: skip
SHARED = (
    "ties", "unjudged", "unretrieved", "score_dtype", "qrels_format", "on_undefined", "adjust", "queries", "threads",
    "seed", "level", "strict", "variance", "stream",
)  # fmt: skip
#: By design another: the option, where, what, and why.
OTHERS = {
    ("ties", "untied.evaluation.curves.curves"): "range",  # a curve is drawn with its band
    (
        "ties",
        "untied.features.evaluate.evaluate_features",
    ): "range",  # features tie many documents: that is what they are about
    ("ties", "untied.study.med.med"): "docid",  # as the program that the study repeats
    ("unjudged", "untied.verdicts.runs.certify"): "retrieved",  # which ones may be relevant, not what they count
    ("on_undefined", "untied.gate.gate"): "fail",  # a gate decides; nothing counts silently
    ("score_dtype", "untied.arrays.evaluate.evaluate_arrays"): None,  # arrays are compared as they are
    ("score_dtype", "untied.arrays.evaluate.ArrayEvaluator"): None,
    ("threads", "untied.batches.evaluate.BatchEvaluator"): 1,  # engines run several tasks at once
    ("threads", "untied.batches.compare.BatchComparer"): 1,
}
#: What was found, no options.
RESULTS = ("untied.gate.check.Check", "untied.arrays.values.ArrayValues", "untied.results.value.Value")


def test_shared_options_have_one_default() -> None:
    found: dict[str, dict[object, list[str]]] = defaultdict(lambda: defaultdict(list))
    for module in MODULES:
        imported = importlib.import_module(module)
        for name in {*vars(imported), *getattr(imported, "__all__", ())}:
            one = getattr(imported, name)
            if name.startswith("_") or not (inspect.isfunction(one) or inspect.isclass(one)):
                continue
            if not one.__module__.startswith("untied") or f"{one.__module__}.{name}" in RESULTS or name == "Policies":
                continue
            try:
                parameters = inspect.signature(one).parameters
            except ValueError:
                continue
            for option in SHARED:
                if option in parameters and parameters[option].default is not inspect.Parameter.empty:
                    default = parameters[option].default
                    where = f"{one.__module__}.{name}"
                    if (option, where) in OTHERS:
                        assert default == OTHERS[option, where]
                    else:
                        found[option][default].append(where)
    assert {option: dict(defaults) for option, defaults in found.items() if len(defaults) > 1} == {}
    assert list(found["qrels_format"]) == ["auto"]


def named() -> set[str]:
    """``untied.X`` and ``untied.X.Y`` in documents, but for names of files and commands."""
    names = set()
    for page in [ROOT / "README.md", *(ROOT / "docs").glob("**/*.md")]:
        for name in re.findall(r"(?<![\w./-])untied((?:\.[A-Za-z_]\w*)+)", page.read_text(encoding="utf-8")):
            names.add(name[1:])
    return {
        name for name in names if not name.startswith(("compat.", "cli")) and name.split(".")[0] not in ("toml", "html")
    }


def test_what_documentation_names_exists() -> None:
    names = sorted(named())
    assert "report.report" in names
    code = f"""
import untied
for name in {names!r}:
    one = untied
    try:
        for part in name.split("."):
            one = getattr(one, part)
    except AttributeError as error:
        print(name, error)
"""
    missing = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout
    assert missing == ""


def test_what_documentation_names_of_drop_ins_exists() -> None:
    for page in (ROOT / "docs").glob("**/*.md"):
        for name in re.findall(r"(?<![\w./-])untied\.(compat\.\w+)", page.read_text(encoding="utf-8")):
            pytest.importorskip(f"untied.{name}", exc_type=ImportError)


COMMANDS = {
    "eval": "eval {q} {r} -o {o}",
    "compare": "compare {r} {s} -o {o}",
    "passages": "passages {r} {s} -o {o}",
    "stats": "stats {q} {r} {s} -o {o}",
    "features": "features {q} -o {o}",
    "curve": "curve {q} {r} --query q -o {o}",
    "judge-next": "judge-next {q} {r} -o {o}",
    "gate": "gate {q} {r} --min AP=0 -o {o}",
    "report": "report {q} {r} -o {o}",
    "sample": "sample {q} --rate 1 -o {o}",
}


@pytest.mark.parametrize("suffix", [".pdf", ".xyz", ".docx", ".csv.gz"])
@pytest.mark.parametrize("command", COMMANDS)
def test_an_unknown_suffix_is_refused(
    command: str, suffix: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if (command, suffix) in [("curve", ".pdf"), ("eval", ".pdf"), ("sample", ".xyz"), ("sample", ".docx")]:
        pytest.skip("written, a plot that needs --quantiles, or the name of judgments")
    (tmp_path / "q").write_text("q 0 d 1\n")
    for name in "rs":
        (tmp_path / name).write_text("q Q0 d 1 1 t\n")
    out = tmp_path / f"out{suffix}"
    words = [
        word.format(q=tmp_path / "q", r=tmp_path / "r", s=tmp_path / "s", o=out) for word in COMMANDS[command].split()
    ]
    assert main(words) == 2
    err = capsys.readouterr().err
    assert re.search(r"expected a suffix (of|such as) \.\w+", err), err
    assert f"found .{suffix.rpartition('.')[2]}" in err
    assert not out.exists()


def test_known_suffixes_and_none(tmp_path: Path) -> None:
    (tmp_path / "q").write_text("q 0 d 1\n")
    (tmp_path / "r").write_text("q Q0 d 1 1 t\n")
    for name, begins in [("a.TSV", "run\t"), ("a.csv", "run,"), ("a.md", "| run"), ("a.json", "{"), ("a", "run\t")]:
        assert main(["eval", str(tmp_path / "q"), str(tmp_path / "r"), "-o", str(tmp_path / name)]) == 0
        assert (tmp_path / name).read_text().startswith(begins)
    named = ["-o", str(tmp_path / "a.xyz"), "--format", "tsv"]
    assert main(["eval", str(tmp_path / "q"), str(tmp_path / "r"), *named]) == 0, "whoever names the format may choose"
