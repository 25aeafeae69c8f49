"""Which page stands where. A page that is not named is found by its folder, so that none is lost."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

#: Sections and parts of sections, with their pages in order, as paths in the repository.
SECTIONS: dict[str, tuple[str, ...]] = {
    "Start": (
        "docs/index.md",
        "docs/install.md",
        "docs/browser.md",
        "docs/quick_start.md",
        "docs/command_line.md",
        "docs/coming_from.md",
        "docs/coming_from_paper.md",
        "docs/glossary.md",
    ),
    "Start/Coming from": (
        "docs/coming_from/pytrec_eval.md",
        "docs/coming_from/ir_measures.md",
        "docs/coming_from/ranx.md",
        "docs/coming_from/beir.md",
        "docs/coming_from/mteb.md",
        "docs/coming_from/sentence_transformers.md",
        "docs/coming_from/scikit_learn.md",
        "docs/coming_from/torchmetrics.md",
        "docs/coming_from/lightgbm.md",
        "docs/coming_from/ntcireval.md",
        "docs/coming_from/workbench.md",
    ),
    "Tutorials": (
        "docs/tutorials/half_precision.md",
        "docs/tutorials/shallow_pools.md",
        "docs/tutorials/two_engines.md",
        "docs/tutorials/feature_ranking.md",
    ),
    "Guides/What is computed": (
        "docs/ties.md",
        "docs/incomplete.md",
        "docs/estimators.md",
        "docs/sampled_pools.md",
        "docs/partial-order.md",
        "docs/conventions.md",
        "docs/subtopics.md",
        "docs/exactness.md",
        "docs/abilities.md",
        "docs/own-measures.md",
        "docs/results.md",
    ),
    "Guides/Comparing runs": (
        "docs/comparing.md",
        "docs/passages.md",
        "docs/med.md",
        "docs/certify.md",
        "docs/certificates.md",
        "docs/sample_verdicts.md",
        "docs/statistics.md",
        "docs/segments.md",
        "docs/machine_judges.md",
        "docs/document_samples.md",
        "docs/probabilities.md",
        "docs/report.md",
        "docs/gate.md",
    ),
    "Guides/What goes in": (
        "docs/inputs.md",
        "docs/other_shapes.md",
        "docs/no_answer.md",
        "docs/searches.md",
        "docs/arrays.md",
        "docs/features.md",
        "docs/spark.md",
    ),
    "Measures": ("docs/measures.md",),
    "Reference": (
        "docs/who-does-what.md",
        "docs/errata.md",
        "docs/trec_eval.md",
        "docs/trec_eval_faults.md",
        "docs/similarities.md",
        "docs/med_reference.md",
        "docs/gate_reference.md",
        "docs/statistics_reference.md",
        "docs/machine_judges_reference.md",
        "conformance/README.md",
        "conformance/DISAGREEMENTS.md",
        "conformance/reports/README.md",
    ),
    "Studies": (
        "docs/studies/README.md",
        "docs/studies/incomplete.md",
        "docs/studies/imperfect.md",
        "docs/studies/estimators_tables.md",
        "docs/studies/ties.md",
        "docs/studies/features.md",
        "docs/studies/audit.md",
        "docs/studies/med.md",
        "docs/studies/passages.md",
        "docs/studies/agreement.md",
        "docs/studies/judges.md",
        "docs/studies/judges_tables.md",
        "docs/studies/judging.md",
        "docs/studies/order.md",
        "docs/studies/order_criteria.md",
        "docs/studies/verdicts.md",
    ),
    "Project": (
        "docs/performance.md",
        "docs/timings.md",
        "benchmarks/README.md",
        "docs/determinism.md",
        "docs/testing.md",
        "docs/mutants.md",
        "docs/versioning.md",
        "ARCHITECTURE.md",
        "CONTRIBUTING.md",
        "CHANGELOG.md",
    ),
}

#: Where pages go that no section names, by the folder they are in; and what is a page beside them.
FOLDERS = {"docs": "Project", "docs/tutorials": "Tutorials", "docs/studies": "Studies"}
PLACES = {
    "benchmarks/README.md": "benchmarks.md",
    "conformance/README.md": "conformance/index.md",
    "conformance/DISAGREEMENTS.md": "conformance/disagreements.md",
    "conformance/reports/README.md": "conformance/reports.md",
    "ARCHITECTURE.md": "architecture.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "README.md": "index.md",
    "docs/studies/README.md": "studies/index.md",
}


def sections() -> dict[str, list[str]]:
    """All pages there are, section by section: those named, then those found."""
    found = {title: [page for page in pages if (ROOT / page).is_file()] for title, pages in SECTIONS.items()}
    named = {page for pages in found.values() for page in pages}
    for folder, title in FOLDERS.items():
        others = sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / folder).glob("*.md"))
        found[title] += [page for page in others if page not in named]
    return found


def place(source: str) -> str:
    """Where a page of the repository stands in the site."""
    return PLACES.get(source) or source.removeprefix("docs/")
