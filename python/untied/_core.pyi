"""Types of the native part."""

import os
from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any, TypeAlias, final

from untied._types import (
    AboutMeasure,
    Compared,
    Concluded,
    Explained,
    Facts,
    FileFormat,
    Findings,
    Law,
    MeasureInfo,
    Parts,
    PolicyInfo,
    Purpose,
    TrecOptions,
)
from untied.inputs.convert import ArrowTable, OneRun, QrelsLike, Rows

__all__ = [
    "OPT_LEVEL",
    "ArrayComparer",
    "ArrayEvaluation",
    "ArrayEvaluator",
    "Comparison",
    "Evaluation",
    "Evaluator",
    "FeatureEvaluation",
    "FeatureEvaluator",
    "Laws",
    "Lengths",
    "Measure",
    "Policies",
    "Qrels",
    "Run",
    "Terms",
    "Totals",
    "TrecEvaluator",
    "TrecReport",
    "__version__",
    "adjust",
    "arrow_stream",
    "bootstrap_interval",
    "bootstrap_means",
    "certify_runs",
    "check_run",
    "compare_laws",
    "compare_rows",
    "compare_runs",
    "comparing_info",
    "comparing_measure",
    "decide",
    "define_additive",
    "define_formula",
    "difference",
    "difference_outcomes",
    "differences",
    "differences_of_queries",
    "drawn_at_least",
    "explain_measures",
    "explain_verdict",
    "fact_info",
    "file_formats",
    "filled_rankings",
    "find_columns",
    "formula_inputs",
    "in_common",
    "item_distance",
    "judged_tops",
    "judgment_outlook",
    "largest_assignment",
    "look_swapped",
    "malformed_lines",
    "measure_info",
    "most_different",
    "moved_documents",
    "no_facts",
    "observe",
    "only_documents",
    "overturning_documents",
    "pair",
    "parse_measures",
    "passage_differences",
    "place_columns",
    "policies",
    "possible_grades",
    "randomization_p",
    "ranked",
    "read_bytes",
    "register",
    "retrieved_documents",
    "show_id",
    "standing",
    "tie_counts",
    "top_changes",
    "top_groups",
    "trec_eval_names",
    "tukey_p",
    "why_not",
]

#: How far the native part is optimised: 3 in what is released.
OPT_LEVEL: str
__version__: str

_Parts: TypeAlias = tuple[float, float | None, float | None, float | None, str]

@final
class Terms:
    def __new__(
        cls, run: str, measure: Measure, values: Sequence[float], ends: Sequence[Sequence[float]] | None = None
    ) -> Terms: ...
    def known(self) -> list[float]: ...
    def of_mean(self, mean: float) -> float: ...
    def difference(self, mean: float, queries: int) -> float: ...

@final
class Run:
    def __new__(
        cls,
        run: OneRun,
        *,
        name: str | None = None,
        format: str = "auto",
        columns: Mapping[str, str] | None = None,
        duplicates: str = "error",
        threads: int | None = None,
    ) -> Run: ...
    @property
    def name(self) -> str | None: ...
    @staticmethod
    def read(
        path: str | os.PathLike[str],
        threads: int | None = None,
        format: str = "trec",
        columns: Mapping[str, str] | None = None,
        ranks: bool = False,
    ) -> Run: ...
    @staticmethod
    def from_mapping(run: Mapping[Any, Any], threads: int | None = None) -> Run: ...
    def with_duplicates(self, duplicates: int) -> Run: ...
    @staticmethod
    def from_arrow(
        table: ArrowTable,
        threads: int | None = None,
        columns: Mapping[str, str] | None = None,
        source: str = "run",
        ranks: bool = False,
        piece: bool = False,
    ) -> Run: ...
    @staticmethod
    def from_rows(
        rows: Rows,
        threads: int | None = None,
        columns: Mapping[str, str] | None = None,
        names: list[str] | None = None,
    ) -> Run: ...
    def queries(self) -> list[str]: ...
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[str]: ...
    def __contains__(self, key: object, /) -> bool: ...
    def __getitem__(self, key: str | bytes | int, /) -> list[tuple[str, float]]: ...
    @staticmethod
    def restore(bytes: bytes, name: str | None = None, duplicates: int = 0) -> Run: ...
    def __reduce__(self) -> tuple[Any, ...]: ...
    def __copy__(self) -> Run: ...
    def __deepcopy__(self, _memo: object, /) -> Run: ...

@final
class Lengths:
    @staticmethod
    def read(path: str | os.PathLike[str], threads: int | None = None) -> Lengths: ...
    @staticmethod
    def from_mapping(docs: Mapping[Any, Any], threads: int | None = None) -> Lengths: ...
    def __len__(self) -> int: ...
    @staticmethod
    def restore(bytes: bytes) -> Lengths: ...
    def __reduce__(self) -> tuple[Any, ...]: ...
    def __copy__(self) -> Lengths: ...
    def __deepcopy__(self, _memo: object, /) -> Lengths: ...

@final
class Qrels:
    def __new__(
        cls,
        qrels: QrelsLike,
        *,
        format: str = "auto",
        columns: Mapping[str, str] | None = None,
        threads: int | None = None,
    ) -> Qrels: ...
    @staticmethod
    def read(
        path: str | os.PathLike[str],
        threads: int | None = None,
        format: str = "trec",
        layout: str = "trec",
        columns: Mapping[str, str] | None = None,
    ) -> Qrels: ...
    @staticmethod
    def from_mapping(qrels: Mapping[Any, Any], threads: int | None = None, format: str = "trec") -> Qrels: ...
    @staticmethod
    def from_arrow(
        table: ArrowTable,
        threads: int | None = None,
        format: str = "trec",
        columns: Mapping[str, str] | None = None,
        source: str = "qrels",
        piece: bool = False,
    ) -> Qrels: ...
    @staticmethod
    def from_preferences(
        orders: Sequence[tuple[object, Sequence[tuple[object, Sequence[int]]]]], threads: int | None = None
    ) -> Qrels: ...
    @staticmethod
    def from_probabilities(
        queries: Sequence[tuple[object, Sequence[tuple[object, Sequence[tuple[int, float]]]]]],
        threads: int | None = None,
    ) -> Qrels: ...
    @staticmethod
    def from_rows(
        rows: Rows,
        threads: int | None = None,
        format: str = "trec",
        columns: Mapping[str, str] | None = None,
        names: list[str] | None = None,
    ) -> Qrels: ...
    @property
    def repeated(self) -> int: ...
    @property
    def format(self) -> str: ...
    def queries(self) -> list[str]: ...
    def grades(self) -> list[float]: ...
    def among(self, grades: list[float]) -> Qrels: ...
    def by_subtopic(self, query: str) -> dict[str, dict[str, float]]: ...
    def unanswered(self) -> set[int]: ...
    def without(self, queries: AbstractSet[int], threads: int | None) -> Qrels: ...
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[str]: ...
    def __contains__(self, key: object, /) -> bool: ...
    def __getitem__(self, key: str | bytes | int, /) -> dict[str, float]: ...
    def places(self, query: str | bytes | int) -> dict[str, float]: ...
    def drawn(self, query: str | bytes | int) -> dict[str, tuple[float, float]]: ...
    @staticmethod
    def restore(bytes: bytes) -> Qrels: ...
    def __reduce__(self) -> tuple[Any, ...]: ...
    def __copy__(self) -> Qrels: ...
    def __deepcopy__(self, _memo: object, /) -> Qrels: ...

@final
class Measure:
    def __new__(cls, name: str) -> Measure: ...
    @property
    def name(self) -> str: ...
    @property
    def cutoff(self) -> int | None: ...
    @property
    def is_count(self) -> bool: ...
    @property
    def is_geometric(self) -> bool: ...
    @property
    def lower_is_better(self) -> bool: ...
    @property
    def least_grade(self) -> float | None: ...
    def __matmul__(self, value: float, /) -> Measure: ...
    def __call__(self, of: Measure | str | None = None, /, **parameters: Any) -> Measure: ...
    def __eq__(self, value: object, /) -> bool: ...
    def __hash__(self, /) -> int: ...

@final
class Policies:
    def __new__(cls, purpose: Purpose, /, *, typed: Sequence[str] = ..., **chosen: str) -> Policies: ...
    def __getnewargs_ex__(self) -> tuple[tuple[str], dict[str, str]]: ...
    def __getitem__(self, name: str, /) -> Any: ...
    def chosen(self) -> dict[str, Any]: ...
    @property
    def varied(self) -> tuple[str, ...]: ...

@final
class Evaluator:
    def __new__(
        cls,
        qrels: Qrels,
        measures: list[Measure],
        policies: Policies,
        *,
        variance: bool,
        threads: int | None,
        docs: Lengths | None = None,
    ) -> Evaluator: ...
    def evaluate(self, run: Run, ungrouped: bool = False) -> Evaluation: ...
    def evaluate_arrow(
        self, table: object, columns: Mapping[str, str] | None, source: str, stream: bool
    ) -> Evaluation | None: ...
    def evaluate_file(
        self, path: str | os.PathLike[str], format: str, columns: Mapping[str, str] | None, stream: bool
    ) -> Evaluation: ...
    def laws(self, run: Run, states: int, cells: int, per_query: bool) -> Laws: ...
    def rows(self, run: Run) -> object: ...

@final
class Laws:
    @staticmethod
    def of(queries: list[str], totals: list[Law | None], of_queries: list[list[Law | None]]) -> Laws: ...
    def parts(self) -> tuple[list[str], list[Law | None], list[list[Law | None]]]: ...
    def queries(self) -> list[str]: ...
    def has_queries(self) -> bool: ...
    def law(self, measure: int, row: int | None = None) -> Law | None: ...
    def is_exact(self, measure: int, row: int | None = None) -> bool: ...
    def quantiles(self, measure: int, levels: list[float], row: int | None = None) -> list[tuple[float, float]]: ...
    def at_most(self, measure: int, x: float, row: int | None = None) -> tuple[float, float]: ...
    def against(self, other: Laws, measure: int, rows: tuple[int, int] | None = None) -> Compared | None: ...

@final
class Evaluation:
    def queries(self) -> list[str]: ...
    def query(self, row: int) -> str: ...
    def same_queries(self, other: Evaluation) -> bool: ...
    def find(self, query: str | bytes | int) -> int | None: ...
    def columns(self) -> list[str]: ...
    def totals(self) -> list[Parts]: ...
    def values(self) -> list[Parts]: ...
    def value(self, row: int, measure: int) -> Parts: ...
    def column(self, measure: int, field: str) -> bytearray: ...
    def facts(self) -> Facts: ...
    def is_plain(self, least: float) -> bool: ...

@final
class Totals:
    def __new__(cls, measures: list[Measure], policies: Policies | None = None, variance: bool = False) -> Totals: ...
    def add(
        self, measure: int, values: list[tuple[float, float | None, float | None, float | None, str, bool]]
    ) -> None: ...
    def finish(self) -> list[_Parts]: ...

@final
class FeatureEvaluator:
    def __new__(
        cls,
        measures: list[Measure],
        policies: Policies,
        *,
        directions: list[bool],
        per_query: bool,
        threads: int | None,
    ) -> FeatureEvaluator: ...
    def read(self, paths: list[str | os.PathLike[str]]) -> FeatureEvaluation: ...
    def columns(
        self, queries: list[tuple[Any, int, int]], labels: tuple[Any, str], columns: list[tuple[Any, str, str]]
    ) -> FeatureEvaluation: ...

@final
class FeatureEvaluation:
    def __len__(self) -> int: ...
    def numbers(self) -> list[int]: ...
    def queries(self) -> list[str]: ...
    def documents(self) -> int: ...
    def ties(self, feature: int) -> tuple[int | None, int, int, int, int, int]: ...
    def chance(self) -> list[_Parts]: ...
    def chances(self) -> list[_Parts]: ...
    def totals(self, feature: int, direction: int) -> list[_Parts]: ...
    def values(self, feature: int, direction: int) -> list[_Parts]: ...
    def facts(self, feature: int, direction: int) -> Facts: ...

@final
class ArrayComparer:
    def __new__(
        cls, measures: list[Measure], columns: int, padding: int | None, threads: int | None
    ) -> ArrayComparer: ...
    def compare(self, a: object, b: object, first: int) -> bytearray: ...

@final
class ArrayEvaluator:
    def __new__(
        cls,
        labels: tuple[object, str],
        groups: tuple[int | None, object],
        measures: list[Measure],
        policies: Policies,
        *,
        present: object | None,
        judged: object | None,
        totals: Sequence[tuple[float | None, object]],
        variance: bool,
        threads: int | None,
    ) -> ArrayEvaluator: ...
    def labels(self) -> bytearray: ...
    def present(self) -> bytearray | None: ...
    def totals(self) -> list[tuple[float, bytearray]]: ...
    def evaluate(
        self, columns: list[tuple[Any, str, str]], aggregates: bool
    ) -> tuple[list[ArrayEvaluation], list[tuple[list[Parts], Facts]]]: ...

@final
class ArrayEvaluation:
    def totals(self) -> list[Parts]: ...
    def facts(self) -> Facts: ...
    def has_variance(self) -> bool: ...
    def column(self, measure: int, field: str) -> bytearray: ...

@final
class Comparison:
    def runs(self) -> tuple[int, int]: ...
    def queries(self) -> list[str]: ...
    def __len__(self) -> int: ...
    def query(self, query: int) -> str: ...
    def find(self, query: str | bytes | int) -> int | None: ...
    def totals(self) -> list[_Parts]: ...
    def values(self) -> list[_Parts]: ...
    def value(self, query: int, measure: int) -> _Parts: ...
    def column(self, measure: int, high: bool = False) -> list[float]: ...
    def alone(self) -> tuple[int, int]: ...

@final
class TrecEvaluator:
    def __new__(
        cls,
        qrels: Mapping[str, Mapping[str, float]],
        measures: list[str],
        policies: Policies,
        *,
        level: float,
        judged_only: bool,
    ) -> TrecEvaluator: ...
    def evaluate(self, scores: Mapping[str, Mapping[str, float]]) -> dict[str, dict[str, float]]: ...

@final
class TrecReport:
    def __new__(
        cls, judgments: str | os.PathLike[str], results: str | os.PathLike[str], options: TrecOptions
    ) -> TrecReport: ...
    def __iter__(self, /) -> TrecReport: ...
    def __next__(self, /) -> bytes: ...
    @property
    def failure(self) -> tuple[int, str] | None: ...

def judgment_outlook(
    qrels: Qrels,
    runs: list[Run],
    measure: Measure,
    *,
    top: int,
    depth: int,
    prior: float | None,
    until_decided: bool,
    docs: Lengths | None,
    threads: int | None,
) -> tuple[list[list[bytearray]], list[tuple[str, str, list[int | None], float, float, float, float]], int]: ...
def possible_grades(qrels: Qrels, measure: Measure) -> list[float]: ...
def passage_differences(
    a: list[tuple[int, int, int]],
    b: list[tuple[int, int, int]],
    judged: list[tuple[int, int, int, float]],
    *,
    top: float,
    linear: bool,
    length: float,
    overhead: float,
    filled: bool,
) -> tuple[float, float]: ...
def arrow_stream(
    names: Sequence[tuple[str, Sequence[str] | array[int]]], numbers: Sequence[tuple[str, Sequence[float | None]]]
) -> object: ...
def certify_runs(
    runs: Sequence[Run],
    measures: list[Measure],
    *,
    qrels: Qrels,
    policies: Policies,
    most: int | None,
    docs: Lengths | None,
    threads: int | None,
) -> list[list[Concluded]]: ...
def differences_of_queries(
    runs: Sequence[Run],
    pairs: Sequence[tuple[int, int]],
    measures: list[Measure],
    *,
    qrels: Qrels,
    policies: Policies,
    docs: Lengths | None,
    threads: int | None,
) -> list[list[tuple[bytearray, bytearray]]]: ...
def check_run(qrels: Qrels, run: Run, threads: int | None = None) -> Findings: ...
def judged_tops(
    qrels: Qrels, run: Run, depths: Sequence[int], score_dtype: str = "float64", threads: int | None = None
) -> list[tuple[int, float]]: ...
def malformed_lines(
    path: str | os.PathLike[str], format: str, is_run: bool, most: int, threads: int | None = None
) -> tuple[list[str], int]: ...
def compare_laws(laws: Sequence[Laws], threads: int | None) -> list[list[Compared | None]]: ...
def compare_rows(
    run_a: Run,
    run_b: Run,
    measures: list[Measure],
    *,
    qrels: Qrels | None,
    probabilities: Run | None,
    depth: int | None,
    policies: Policies,
    variance: bool,
    threads: int | None,
) -> object: ...
def compare_runs(
    runs: Sequence[Run],
    measures: list[Measure],
    *,
    names: Sequence[str],
    qrels: Qrels | None,
    probabilities: Run | None,
    docs: Lengths | None,
    depth: int | None,
    policies: Policies,
    variance: bool,
    itself: bool,
    threads: int | None,
    only_means: bool = False,
) -> list[Comparison]: ...
def comparing_info(measure: Measure) -> tuple[int | None, bool, str]: ...
def comparing_measure(name: str) -> Measure: ...
def define_additive(function: Callable[..., Any], about: AboutMeasure, *, ideal: bool) -> Measure: ...
def define_formula(
    function: Callable[..., Any],
    about: AboutMeasure,
    *,
    inputs: list[str],
    best_by_grade: bool,
    grows_with_grade: bool,
    frombuffer: Callable[..., Any] | None,
) -> Measure: ...
def difference_outcomes(
    run_a: Run,
    run_b: Run,
    measure: Measure,
    query: str | bytes | int,
    points: int,
    seed: int,
    *,
    qrels: Qrels | None,
    probabilities: Run | None,
    docs: Lengths | None,
    depth: int | None,
    policies: Policies,
) -> tuple[list[float], list[float], float | None]: ...
def explain_measures(options: TrecOptions) -> tuple[str, tuple[int, str] | None]: ...
def explain_verdict(
    run_a: Run,
    run_b: Run,
    measure: Measure,
    *,
    qrels: Qrels,
    policies: Policies,
    most: int | None,
    docs: Lengths | None,
    threads: int | None,
) -> tuple[Concluded, list[Explained]]: ...
def overturning_documents(
    run_a: Run,
    run_b: Run,
    measure: Measure,
    *,
    qrels: Qrels,
    policies: Policies,
    most: int | None,
    docs: Lengths | None,
    threads: int | None,
) -> bytearray: ...
def filled_rankings(measure: Measure, a: Run, b: Run, depth: int | None) -> tuple[int, int]: ...
def fact_info() -> list[tuple[str, str, str]]: ...
def file_formats(runs: bool) -> list[FileFormat]: ...
def no_facts() -> Facts: ...
def find_columns(names: list[str], holds: str, columns: Mapping[str, str] | None, source: str) -> list[str]: ...
def formula_inputs() -> list[str]: ...
def register(name: str, function: Callable[..., object]) -> None: ...
def in_common(run: Run, other: Qrels | Run, threads: int | None = None) -> tuple[int, bool]: ...
def item_distance(
    a: list[int],
    b: list[int],
    *,
    footrule: bool,
    weights: list[float],
    delta: list[float],
    unmoved: float,
    dissimilarities: list[list[float]] | None,
) -> _Parts: ...
def largest_assignment(
    run_a: Run,
    run_b: Run,
    measure: Measure,
    query: str | bytes | int,
    *,
    qrels: Qrels | None,
    docs: Lengths | None,
    depth: int | None,
    policies: Policies,
) -> tuple[bool, float, list[tuple[str, float]], list[float]]: ...
def drawn_at_least(documents: int) -> int: ...
def look_swapped(qrels: Qrels, run: Run) -> bool: ...
def measure_info(*, comparing: bool = False) -> list[MeasureInfo]: ...
def moved_documents(
    run_a: Run,
    run_b: Run,
    query: str | bytes | int,
    *,
    qrels: Qrels | None,
    depth: int,
    policies: Policies,
) -> list[tuple[str, tuple[int, int] | None, tuple[int, int] | None, float | None]]: ...
def top_changes(
    run_a: Run, run_b: Run, *, depth: int, policies: Policies, threads: int | None
) -> tuple[int, int, int]: ...
def policies(purpose: Purpose) -> list[PolicyInfo]: ...
def why_not(purpose: Purpose, name: str, value: object) -> str | None: ...
def observe(observer: Callable[[str, str, int, int | None], object] | None) -> None: ...
def difference(a: float, b: float) -> float: ...
def differences(a: Sequence[float], b: Sequence[float]) -> tuple[bytearray, float]: ...
def most_different(columns: Sequence[array[float]], most: int) -> list[int]: ...
def ranked(values: Sequence[float], lower_is_better: bool) -> list[tuple[int, int]]: ...
def pair(
    a: Terms, b: Terms, bounds: Sequence[Sequence[float]] | None = None, all: bool = False
) -> tuple[
    bytearray, bytearray, tuple[int, int], tuple[float, float], float, list[int], tuple[float, float], list[float]
]: ...
def standing(a: Terms, b: Terms, bounds: Sequence[Sequence[float]] | None = None) -> tuple[float, float, str]: ...
def parse_measures(text: str) -> list[Measure]: ...
def bootstrap_interval(
    values: Sequence[float], level: float, samples: int, seed: int, threads: int | None = None
) -> tuple[float, float]: ...
def bootstrap_means(
    values: Sequence[float], samples: int, seed: int, threads: int | None = None
) -> tuple[list[float], int, int]: ...
def randomization_p(
    differences: Sequence[Sequence[float]],
    samples: int,
    seed: int,
    threads: int | None = None,
    pairs: Sequence[tuple[Terms, Terms]] | None = None,
) -> list[tuple[list[float], bool]]: ...
def adjust(p: list[float], correction: str) -> list[float]: ...
def decide(
    p: list[float], p_most: list[float], ends: list[tuple[float, float]], correction: str, level: float
) -> tuple[list[float], list[float], list[bool], list[str]]: ...
def place_columns(
    names: list[str], format: str | None, ranks: bool, source: str
) -> tuple[int, int, list[tuple[int, bool]], int | None]: ...
def read_bytes(path: str | os.PathLike[str], *, lines: bool) -> bytes: ...
def show_id(id: str | bytes | int) -> str: ...
def tukey_p(
    columns: Sequence[Terms], pairs: Sequence[tuple[int, int]], samples: int, seed: int, threads: int | None = None
) -> list[float]: ...
def retrieved_documents(runs: Sequence[Run], threads: int | None = None) -> list[str]: ...
def only_documents(runs: Sequence[Run], documents: Iterator[str], threads: int | None = None) -> list[Run]: ...
def tie_counts(run: Run, threads: int | None = None, score_dtype: str = "float64") -> dict[str, int]: ...
def top_groups(
    run: Run, query: str | bytes | int, depth: int, score_dtype: str = "float64"
) -> tuple[list[list[str]], int, int]: ...
def trec_eval_names() -> tuple[list[str], dict[str, list[str]]]: ...
