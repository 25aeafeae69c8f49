"""The summary of the study of MED: text and tables."""

from __future__ import annotations

from itertools import combinations

from untied.study import med_plots
from untied.study.med_names import AMONG, DIFFERENCES, short
from untied.study.rows import by_first, gathered, markdown, mean, percent

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from untied.results.table import Table
    from untied.study.med_names import Distances
    from untied.study.plots import Figure
    from untied.study.rows import Row


def pieces(tables: Mapping[str, Table], name: str, distances: Distances, ties: str) -> Iterator[str | Figure]:
    """Yield the sections on groups, judgments, measures and parameters, with plots if there is data."""
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
        f"There are {len(same):,} pairs of runs, {sum(same):,} of them from the same group. The distance between two "
        f"runs is a mean over queries, computed with `--ties {ties}`.\n"
    )
    yield "## Groups\n"
    yield from med_plots.groups(tables, name, distances)
    yield (
        "The column *uncertain* counts the pairs of runs whose distance may be larger than computed, because a search "
        "ended early, or because rankings could continue:\n"
    )
    lines = []
    for one in distances.listed:
        parted = gathered(zip(same, values[one, 0.0], strict=True))
        means = [f"{mean(parted.get(of, ())):.4f}" for of in (True, False)]
        lines.append([short(one), *means, str(sum(unknown[one, 0.0]))])
    yield markdown(
        ["mean distance between", "runs from the same group", "runs from different groups", "uncertain"], lines
    )
    yield med_plots.map_of_runs(tables, name, distances)
    yield "## Judgments\n"
    actual = tables[f"{name}-differences"]
    yield med_plots.judgments(distances, values, rates, actual[DIFFERENCES[0]], same)
    of_means, per_query, scaled = (mean(actual[one]) for one in DIFFERENCES)
    yield (
        f"The table shows the mean of {main} if only some judgments are known, and its correlation (Pearson, Kendall's "
        "tau_b) with the actual differences between all pairs of runs. The actual difference, with all judgments, is "
        f"measured in three ways. *of means* is the difference between the two means ({of_means:.4f} on average). *per "
        f"query* is the mean absolute difference per query ({per_query:.4f} on average). *scaled* is like *per query*, "
        f"but with the divisor of MED ({scaled:.4f} on average).\n"
    )
    lines = [
        [f"{percent(rate)} %", f"{mean(values[distances.main, rate]):.4f}",
         *(", ".join(correlation(distances.main, rate, one, "all")) for one in DIFFERENCES)]
        for rate in rates
    ]  # fmt: skip
    yield markdown(["judgments known", f"mean {main}", "of means", "per query", "scaled"], lines)
    if distances.expected:
        yield "How expected differences agree with the actual ones, as more judgments are known:\n"
        lines = [
            [short(one), f"{percent(rate)} %", f"{mean(values[one, rate]):.4f}",
             *(", ".join(correlation(one, rate, to, "all")) for to in DIFFERENCES)]
            for one in distances.expected for rate in rates if rate > 0
        ]  # fmt: skip
        yield markdown(["distance", "judgments known", "mean", "of means", "per query", "scaled"], lines)
    yield "## Measures\n"
    yield from med_plots.measures(distances, values, same)
    yield "How each distance, without judgments, agrees with the actual differences (Pearson, Kendall's tau_b):\n"
    lines = [
        [short(one), *(", ".join(correlation(one, 0.0, to, "all")) for to in DIFFERENCES)] for one in distances.listed
    ]
    yield markdown(["distance", "of means", "per query", "scaled"], lines)
    yield "Each cell has Pearson's correlation and Kendall's tau_b of two distances:\n"
    lines = [
        [f"{short(one)}, {short(to)}", *(", ".join(correlation(one, 0.0, to, among)) for among in AMONG)]
        for one, to in combinations(distances.listed, 2)
    ]
    yield markdown(["distances", "all pairs of runs", "runs from the same group", "runs from different groups"], lines)
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
        yield "Correlation of 1 - RBO and MED-RBP with the same persistence:\n"
        pairs = ((f"{p:g}", distances.swept["RBO", p], distances.swept["MED-RBP", p]) for p in psi)
        yield markdown(["psi", "Pearson", "Kendall"], [[p, *correlation(a, 0.0, b, "all")] for p, a, b in pairs])
