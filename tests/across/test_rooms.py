"""Rooms of the Python package know only those that ARCHITECTURE.md lists before them, and public names stay."""

import ast
import importlib
import pkgutil
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

import untied
from test_arrows import circles

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "python" / "untied"

#: What `untied` promises beside its own names (docs/versioning.md): modules and what each offers.
PUBLIC = {
    "arrays": "ArrayComparison ArrayEvaluator ArrayQueries ArrayResults ArrayValues compare_arrays evaluate_arrays",
    "batches": "BatchComparer BatchEvaluator ComparisonSummary EvaluationSummary",
    "comparison": "Assignment Comparison Comparisons Outcomes TopChanges compare compare_all",
    "comparison.correlation": "kendall spearman swapped tau_ap",
    "comparison.distances": "footrule kendall_distance",
    "comparison.passages": "PassageComparison compare_passages read_judged_passages read_passages",
    "compat.beir": "EvaluateRetrieval hole mrr recall_cap top_k_accuracy",
    "compat.ir_measures": "install uninstall",
    "compat.mteb": "install mrr recall_cap uninstall",
    "compat.pytrec_eval": "RelevanceEvaluator compute_aggregated_measure parse_qrel parse_run",
    "compat.sentence_transformers": "TieAware compute_metrics",
    "compat.sklearn": "coverage_error dcg_score label_ranking_average_precision_score label_ranking_loss ndcg_score "
    "top_k_accuracy_score",
    "errors": "InputError MeasureError NotKeptError UndefinedError UntiedError UntiedWarning",
    "evaluation": "Evaluator evaluate",
    "evaluation.curves": "NAMES curves",
    "evaluation.orders": "evaluate_orders",
    "evaluation.searches": "evaluate_searches",
    "features": "FeatureResults evaluate_features",
    "gate": "Check GateResult gate",
    "inputs": "read_qrels read_run",
    "inputs.truth": "groups_from_preferences groups_from_rankings orders_of_preferences read_groups read_mirex "
    "read_preferences",
    "judging": "Advice Candidate agreement judge_next",
    "judging.estimates": "infap_error subcollection with_pool",
    "judging.sample": "Judgments collection judgments keeps_document pool queries",
    "measures": "AP as_measure as_measures nDCG parse_measure",
    "measures.own": "additive_measure load_plugin measure",
    "paper": "paper_table",
    "report": "comparison_report report",
    "results": "MeasureResults Results Table Value for_trackers",
    "spark": "SparkComparison SparkEvaluation SparkResults clear_errors compare evaluate",
    "statistics": "Estimate RunEstimates Significance TESTS Test adjust allocate discriminative_power effect_size "
    "estimate_drawn estimate_mean estimate_runs estimate_strata mean_interval paired_p randomization_test significance "
    "t_test wilcoxon_test",
    "study": "PLOTS STUDIES Result Study agreement imperfect incomplete judges judging med order passages ties",
}

Module = tuple[str, ...]


def modules() -> dict[Module, Path]:
    """Files of the package by the paths of their modules; the root is ``()``."""
    found = {}
    for file in sorted(PACKAGE.rglob("*.py")):
        module = file.relative_to(PACKAGE).with_suffix("").parts
        found[module[:-1] if module[-1] == "__init__" else module] = file
    return found


def imports(text: str) -> Iterator[Module]:
    """Modules or names of `untied` that a file imports, those for type checkers too."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, "relative imports are not followed"
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            continue
        for name in names:
            package, *path = name.split(".")
            if package == "untied":
                yield tuple(path)


def arrows() -> set[tuple[Module, Module]]:
    """Which file imports which other one, the native module and the root among them."""
    files = modules()
    found = set()
    for module, file in files.items():
        for path in imports(file.read_text(encoding="utf-8")):
            named = path
            while named not in files and named[:1] != ("_core",):
                named = named[:-1]
            found.add((module, named[:1] if named[:1] == ("_core",) else named))
    return {(a, b) for a, b in found if a != b}


def order() -> list[str]:
    """The rooms in the order of ARCHITECTURE.md's table, lowest first."""
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    rows = re.search(r"\n\| room \|.*\n\|---\|---\|\n((?:\|.*\n)+)", text)
    assert rows
    return [name for row in rows[1].splitlines() for name in re.findall(r"`(\w+)(?:/|\.py)?`", row.split("|")[1])]


def between_rooms() -> dict[tuple[str, str], list[str]]:
    """Arrows between rooms, with the files that they begin in; the root is no room."""
    found = defaultdict(list)
    for a, b in sorted(arrows()):
        if a and a[0] != "__main__" and a[:1] != b[:1] and b[:1] != ("_core",):
            found[a[0], b[0] if b else "untied"].append("/".join(a))
    return found


def test_every_room_stands_once_in_the_order() -> None:
    rooms = {module[0] for module in modules() if module} - {"__main__"}
    assert sorted(order()) == sorted(rooms)


def test_arrows_go_down() -> None:
    """Nothing imports a room above it or the root."""
    place = {room: number for number, room in enumerate(order())}
    wrong = [
        f"{a} -> {b}: {', '.join(files)}" for (a, b), files in between_rooms().items() if place.get(b, 99) > place[a]
    ]
    assert not wrong, "\n".join(["arrows that go up:", *wrong])


def test_nothing_but_the_command_line_imports_it() -> None:
    assert {a[0] for a, b in arrows() if b[:1] == ("cli",)} == {"cli", "__main__"}


def test_files_form_no_circle_but_parent_and_child() -> None:
    assert not circles({(a, b) for a, b in arrows() if a[: len(b)] != b and b[: len(a)] != a})


def test_the_border_imports_only_errors() -> None:
    sources = (ROOT / "crates" / "untied-python" / "src").rglob("*.rs")
    named = {name for source in sources for name in re.findall(r'"(untied(?:\.\w+)+)"', source.read_text("utf-8"))}
    assert named - {"untied._core"} == {"untied.errors"}


def test_the_border_calls_what_was_registered_first() -> None:
    untied._core.register("as_run", lambda *_: None)
    assert untied.Run({"q": {"d": 1.0}}).queries() == ["q"]
    with pytest.raises(ValueError, match="the border calls no function other"):
        untied._core.register("other", print)


@pytest.mark.parametrize("module", PUBLIC)
def test_public_names_are_there(module: str) -> None:
    imported = importlib.import_module(f"untied.{module}")
    for name in PUBLIC[module].split():
        assert hasattr(imported, name)


def test_every_module_is_public_or_inside() -> None:
    """What the package's folder holds without an underscore can be named after ``import untied``."""
    for module in pkgutil.iter_modules(untied.__path__):
        if not module.name.startswith("_"):
            assert hasattr(untied, module.name) or module.name in {"cli"}, module.name


def written() -> Iterator[tuple[str, str]]:
    """Imports that pages, scripts and tests show: modules and names."""
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    for page in pages:
        text = page.read_text(encoding="utf-8")
        for module, names in re.findall(r"^(?:>>> )?from (untied[.\w]*) import (\w+(?:, \w+)*)", text, re.MULTILINE):
            yield from ((module, name) for name in names.split(", "))
        for module in re.findall(r"^(?:>>> )?import (untied[.\w]+)", text, re.MULTILINE):
            yield module, "__name__"
        for path in re.findall(r"\b(untied(?:\.[a-z_]+){2,})\b(?=[`(])", text):
            module, _, name = path.rpartition(".")
            yield module, name


def test_pages_name_what_is_there() -> None:
    found = set(written())
    assert len(found) > 30
    for module, name in sorted(found):
        parts = module.split(".")[1:]
        held: object = untied
        for part in parts:
            held = getattr(held, part, None) or importlib.import_module(module)
        assert hasattr(held, name) or importlib.import_module(f"{module}.{name}"), (module, name)
