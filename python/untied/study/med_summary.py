"""The summary of the study of MED: text and tables."""

from __future__ import annotations

from itertools import combinations

from untied.study import med_plots
from untied.study.med_names import AMONG, DIFFERENCES, short
from untied.study.rows import by_first, gathered, markdown, mean

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from untied.results.table import Table
    from untied.study.med_names import Distances
    from untied.study.plots import Figure
    from untied.study.rows import Row


def pieces(tables: Mapping[str, Table], name: str, distances: Distances, ties: str) -> Iterator[str | Figure]:
    """Sections on groups, judgments, measures and parameters, with plots if there is data."""
    main = short(distances.main)
    rows = list(tables[name].rows())
    values = gathered(((measure, judged), value) for *_, measure, judged, value, _ in rows)
    unknown = gathered(((measure, judged), width > 1e-12) for *_, measure, judged, _, width in rows)
    same = [bool(group) for _, _, group, *key, _, _ in rows if (*key,) == (distances.main, 0.0)]
    rates = sorted(rate for measure, rate in values if measure == distances.main)
    correlations: dict[Row, Row] = {
        (measure, judged, to, among): row
        for (measure, to, among, judged, _), row in by_first(tables[f"{name}-correlations"], 5).items()
    }

    def correlation(*key: object) -> tuple[str, ...]:
        return tuple(f"{value:.4f}" for value in correlations[key])

    yield (
        f"Distances of {len(same):,} pairs of runs, {sum(same):,} of them of the same group: means over queries, tied "
        f"documents `{ties}`.\n"
    )
    yield "## Groups\n"
    yield from med_plots.groups(tables, name, distances)
    yield (
        "Mean distances, and pairs for which the value is not certain to the last digit (a search ended early, or "
        "documents beyond the end of the rankings count):\n"
    )
    lines = []
    for one in distances.listed:
        parted = gathered(zip(same, values[one, 0.0], strict=True))
        means = [f"{mean(parted.get(of, ())):.4f}" for of in (True, False)]
        lines.append([short(one), *means, str(sum(unknown[one, 0.0]))])
    yield markdown(["distance", "same group", "two groups", "uncertain"], lines)
    yield med_plots.map_of_runs(tables, name, distances)
    yield "## Judgments\n"
    actual = tables[f"{name}-differences"]
    yield med_plots.judgments(distances, values, rates, actual[DIFFERENCES[0]], same)
    of_means, per_query, scaled = (mean(actual[one]) for one in DIFFERENCES)
    yield (
        f"{main} with a share of the judgments: its mean, and its correlation (Pearson, Kendall's tau_b) over all "
        "pairs with differences that there are with all of them. *of means*: of the two runs' means; *per query*: "
        "the mean over queries of the difference; *scaled*: the same, normalised as MED is. Their means are "
        f"{of_means:.4f}, {per_query:.4f} and {scaled:.4f}.\n"
    )
    lines = [
        [f"{rate:g} %", f"{mean(values[distances.main, rate]):.4f}",
         *(", ".join(correlation(distances.main, rate, one, "all")) for one in DIFFERENCES)]
        for rate in rates
    ]  # fmt: skip
    yield markdown(["judgments known", f"mean {main}", "of means", "per query", "scaled"], lines)
    yield "## Measures\n"
    yield from med_plots.measures(distances, values, same)
    yield "Pearson's and Kendall's (tau_b) correlation over all pairs, over those of a group, and over the others:\n"
    lines = [
        [f"{short(one)}, {short(to)}", *(", ".join(correlation(one, 0.0, to, among)) for among in AMONG)]
        for one, to in combinations(distances.listed, 2)
    ]
    yield markdown(["distances", "all", "same group", "two groups"], lines)
    yield "## Parameters\n"
    if distances.swept:
        yield med_plots.parameters(distances, correlations)
    lines = [
        [what, f"{number:g}", f"{mean(values[one, 0.0]):.4f}", str(sum(unknown[one, 0.0])),
         *(("", "") if one == distances.main else correlation(one, 0.0, distances.main, "all"))]
        for (what, number), one in distances.swept.items()
    ]  # fmt: skip
    yield markdown(["distance", "psi or k", "mean", "uncertain", f"Pearson with {main}", "Kendall"], lines)
    if psi := distances.numbers("RBO"):
        yield "1 - RBO and MED-RBP of the same persistence:\n"
        pairs = ((f"{p:g}", distances.swept["RBO", p], distances.swept["MED-RBP", p]) for p in psi)
        yield markdown(["psi", "Pearson", "Kendall"], [[p, *correlation(a, 0.0, b, "all")] for p, a, b in pairs])
