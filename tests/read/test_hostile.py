"""Objects that are used up, lie, fail or hold what no input may hold: one clear error each, never a wrong value."""

from __future__ import annotations

import io
import pathlib
import pickle
from collections import OrderedDict
from decimal import Decimal
from typing import Any

import numpy
import pandas
import polars
import pyarrow
import pytest
import zstandard

import untied
from untied import gate, judging
from untied.evaluation import curves
from untied.judging import estimates, sample

QRELS = {"q": {"a": 1, "b": 0}}
RUN = {"q": {"a": 1.0, "b": 2.0}}
HALF = "\ud800"


def table(**columns: Any) -> pyarrow.Table:
    return pyarrow.table({"qid": ["q", "q"], "docno": ["a", "b"], "score": [1.0, 2.0]} | columns)


def judged() -> pyarrow.Table:
    return pyarrow.table({"qid": ["q", "q"], "docno": ["a", "b"], "label": [1, 0]})


def used_reader(of: pyarrow.Table) -> pyarrow.RecordBatchReader:
    reader = of.to_reader()
    reader.read_all()
    return reader


def used_rows() -> Any:
    rows = iter([("q", "a", 1)])
    list(rows)
    return rows


class Stream:
    """An Arrow stream that can be had once, as anything but a table may be."""

    def __init__(self, of: pyarrow.Table) -> None:
        self._reader = of.to_reader()

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self._reader.__arrow_c_stream__(requested_schema)


def used_stream(of: pyarrow.Table) -> Stream:
    stream = Stream(of)
    untied.Run(stream) if "score" in of.column_names else untied.Qrels(stream)
    return stream


# Used up.


@pytest.mark.parametrize("used", [lambda: used_reader(table()), used_rows, lambda: used_stream(table())])
@pytest.mark.parametrize(
    "call",
    [
        lambda run: untied.Run(run),
        lambda run: untied.evaluate(QRELS, {"one": run}),
        lambda run: untied.Evaluator(QRELS).means({"one": run}),
        lambda run: untied.compare(run, RUN),
        lambda run: untied.compare_all({"one": run, "two": RUN}),
        lambda run: gate.gate(QRELS, run, min={"AP": 0.0}),
        lambda run: gate.gate(QRELS, RUN, baseline=run, max_drop={"AP": 0.5}),
        lambda run: judging.judge_next(QRELS, {"one": run, "two": RUN}),
        lambda run: curves.curves(QRELS, {"one": run}, "q"),
        lambda run: sample.pool([run], 10),
        lambda run: estimates.infap_error(QRELS, run),
    ],
)
def test_a_run_that_was_read_before_is_an_error(used: Any, call: Any) -> None:
    with pytest.raises(untied.UntiedError, match=r"gave no rows; was it read before|no run given"):
        call(used())


@pytest.mark.parametrize("used", [lambda: used_reader(judged()), used_rows, lambda: used_stream(judged())])
@pytest.mark.parametrize(
    "call",
    [
        lambda qrels: untied.Qrels(qrels),
        lambda qrels: untied.evaluate(qrels, RUN),
        lambda qrels: untied.compare(RUN, RUN, "MED(P@1)", qrels=qrels),
        lambda qrels: gate.gate(qrels, RUN, min={"AP": 0.0}),
        lambda qrels: sample.judgments(qrels, 0.5),
        lambda qrels: estimates.with_pool(QRELS, qrels),
    ],
)
def test_qrels_that_were_read_before_are_an_error(used: Any, call: Any) -> None:
    with pytest.raises(untied.UntiedError, match="gave no rows; was it read before"):
        call(used())


def test_a_reader_evaluates_once_and_not_to_zero_then() -> None:
    reader = table().to_reader()
    assert untied.evaluate(QRELS, reader, "AP")["AP"].mean == 0.5
    with pytest.raises(untied.UntiedError, match="this RecordBatchReader gave no rows"):
        untied.evaluate(QRELS, reader, "AP")


def test_a_table_without_rows_is_a_run_without_queries() -> None:
    for empty in (table().slice(0, 0), polars.from_arrow(table()).clear(), table().to_pandas().iloc[:0], [], {}):
        assert len(untied.Run(empty)) == 0


@pytest.mark.parametrize("file", [io.StringIO("q Q0 a 1 1 t\n"), io.BytesIO(b"q Q0 a 1 1 t\n")])
def test_an_open_file_is_no_run(file: Any) -> None:
    for call in (
        untied.Run,
        untied.Qrels,
        lambda run: untied.evaluate(QRELS, run),
        lambda qrels: untied.evaluate(qrels, RUN),
    ):
        with pytest.raises(untied.UntiedError, match="give the path of a file, not an open"):
            call(file)


# Lies.


class Other(dict):  # type: ignore[type-arg]
    """A dict whose items are not those that it was made of."""

    def items(self) -> Any:
        return [("a", 1.0), ("b", 2.0)]


class Pairless(dict):  # type: ignore[type-arg]
    def items(self) -> Any:
        return [5]


class Short(list):  # type: ignore[type-arg]
    def __len__(self) -> int:
        return 0


def test_a_dict_that_says_what_its_items_are_is_asked() -> None:
    assert untied.Run({"q": Other(z=9)})["q"] == [("a", 1.0), ("b", 2.0)]
    assert untied.Qrels({"q": Other(z=9)})["q"] == {"a": 1.0, "b": 2.0}
    assert untied.Run({"q": OrderedDict(a=1.0)})["q"] == [("a", 1.0)]
    with pytest.raises(TypeError, match=r"run\['q'\]: items\(\) must give pairs of a key and a value, not 5"):
        untied.Run({"q": Pairless(a=1)})
    twice = type("Twice", (dict,), {"items": lambda self: [("a", 1.0), ("a", 2.0)]})
    with pytest.raises(untied.UntiedError, match='document "a" of query "q" again'):
        untied.Run({"q": twice()})


def test_a_list_that_lies_about_its_length_has_the_grades_of_what_it_holds() -> None:
    assert untied.Qrels({"q": Short([["a"], ["b"]])})["q"] == {"a": 2.0, "b": 1.0}


class Boastful:
    """Something that says that it holds five, and gives none."""

    def __len__(self) -> int:
        return 5

    def __iter__(self) -> Any:
        return iter(())


def test_what_says_that_it_holds_rows_and_gives_none_is_an_error() -> None:
    for call in (untied.Run, untied.Qrels, lambda qrels: sample.judgments(qrels, 0.5)):
        with pytest.raises(untied.UntiedError, match="this Boastful gave no rows"):
            call(Boastful())


def test_other_iterators_that_were_used_up() -> None:
    used = iter([("d", 0, 10)])
    list(used)
    with pytest.raises(untied.UntiedError, match="query 'query' of a: this list_iterator gave no rows"):
        untied.compare_passages(used, [("d", 5, 10)])
    with pytest.raises(untied.UntiedError, match="query 'query' of judged: this list_iterator gave no rows"):
        untied.compare_passages([("d", 0, 10)], [("d", 5, 10)], judged=used)
    with pytest.raises(untied.UntiedError, match="no run given"):
        sample.pool(iter(()), 1)
    data = pyarrow.table({"qid": ["q", "q"], "label": [1, 0], "f": [1.0, 2.0]})
    with pytest.raises(untied.UntiedError, match="data: this RecordBatchReader gave no rows"):
        untied.evaluate_features(used_reader(data), "AP")
    assert untied.compare_passages([], [("d", 5, 10)]).mean > 0


# What is no text.


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: untied.Run({"q": {HALF: 1}}), r'query "q": a document id must be valid text, not .\\ud800'),
        (lambda: untied.Run({HALF: {"a": 1}}), r"a query id must be valid text, not .\\ud800"),
        (lambda: untied.Run({"q": ["a", HALF]}), r'query "q": a document id must be valid text'),
        (lambda: untied.Run([("q", "a", 1), ("q", HALF, 1)]), r"run, row 1: expected valid text .* found .\\ud800"),
        (lambda: untied.Run([(HALF, "a", 1)]), r'row 0: expected valid text .*column "query", found .\\ud800'),
        (lambda: untied.Qrels({"q": {HALF: 1}}), r'query "q": a document id must be valid text'),
        (lambda: untied.Qrels({"q": {HALF: {"a": 1}}}), r"a subtopic's id must be valid text"),
        (lambda: untied.Run(frame(["a", HALF])), r"run: this DataFrame cannot be read as an Arrow table: .*ud800"),
        (lambda: untied.evaluate(QRELS, RUN).value("AP", HALF), r"a query id must be valid text"),
        (lambda: untied.Run(RUN)[HALF], r"a query id must be valid text"),
        (lambda: untied.evaluate(QRELS, {HALF: RUN}), r"a run's name must be valid text, not .\\ud800"),
        (lambda: untied.compare_all({HALF: RUN, "b": RUN}), r"a run's name must be valid text"),
        (lambda: untied.evaluate(QRELS, RUN, HALF), r"a measure's name must be valid text, not .\\ud800"),
        (lambda: untied.compare(RUN, RUN, HALF), r"a measure's name must be valid text, not .\\ud800"),
        (lambda: untied.evaluate(QRELS, RUN, docs={HALF: 1}), r"a document id must be valid text"),
        (lambda: untied.read_run(HALF), r"a path must be valid text, not .\\ud800"),
        (lambda: untied.read_qrels(HALF), r"a path must be valid text, not .\\ud800"),
        (lambda: untied.evaluate(QRELS, HALF), r"a (path|run's name) must be valid text, not .\\ud800"),
        (lambda: untied.evaluate(QRELS, RUN, docs=HALF), r"a path must be valid text, not .\\ud800"),
        (lambda: untied.evaluate_features(HALF), r"a path must be valid text, not .\\ud800"),
    ],
)
def test_half_of_a_surrogate_pair_is_named(call: Any, said: str) -> None:
    with pytest.raises(untied.UntiedError, match=said):
        call()


def frame(ids: list[Any]) -> pandas.DataFrame:
    return pandas.DataFrame({"qid": ["q", "q"], "docno": pandas.Series(ids, dtype=object), "score": [1, 2]})


def test_bytes_that_were_no_text_stay_ids() -> None:
    """As Python reads names of files, and lines with ``errors="surrogateescape"``."""
    assert len(untied.Run({"q": {"\udcff": 1}})["q"]) == 1


# Frames.


def test_a_lazy_frame_is_collected() -> None:
    lazy = polars.from_arrow(table()).lazy()
    assert untied.evaluate(QRELS, lazy, "AP")["AP"].mean == 0.5
    assert untied.evaluate(QRELS, {"a": lazy, "b": RUN}, "AP")["a", "AP"].mean == 0.5
    assert untied.evaluate(polars.from_arrow(judged()).lazy(), RUN, "AP")["AP"].mean == 0.5
    data = polars.DataFrame({"qid": ["q", "q"], "label": [1, 0], "f": [1.0, 2.0]})
    assert (
        untied.evaluate_features(data.lazy(), "AP")["f", "AP"].mean
        == untied.evaluate_features(data, "AP")["f", "AP"].mean
    )


@pytest.mark.parametrize(
    ("made", "said"),
    [
        (lambda: polars.from_arrow(table()).with_columns(score=polars.col("score").cast(polars.Int128)), "run: "),
        (lambda: polars.DataFrame({"qid": ["q"], "docno": [object()], "score": [1]}), 'column "docno"'),
        (lambda: frame(["a", 1]), "docno"),
        (lambda: frame(["a", None]), 'row 1: expected a document.s id in column "docno", found null'),
        (lambda: frame(["a", float("nan")]), 'row 1: expected a document.s id in column "docno"'),
        (lambda: table(docno=[1.0, 2.0]), 'expected text, bytes or whole numbers in column "docno"'),
        (lambda: table(docno=[True, False]), 'expected text, bytes or whole numbers in column "docno"'),
        (lambda: table(score=pyarrow.array([1, None])), 'row 1: .*column "score", found null'),
        (
            lambda: table(score=pandas.to_datetime(["2020-01-01", "2020-01-02"], utc=True)),
            'expected numbers in column "score"',
        ),
        (
            lambda: table().to_pandas().assign(score=pandas.array([1, None], dtype="Int64")),
            'row 1: .*"score", found null',
        ),
        (
            lambda: pandas.DataFrame([["q", "a", 1, 2]], columns=["qid", "docno", "score", "score"]),
            "[Dd]uplicate|may both",
        ),
        (lambda: table().append_column("score", pyarrow.array([1, 2])), 'columns "score" and "score" may both hold'),
    ],
)
def test_columns_that_cannot_be_read(made: Any, said: str) -> None:
    with pytest.raises(untied.UntiedError, match=said):
        untied.Run(made())


@pytest.mark.parametrize(
    "answer", [ValueError("boom"), KeyError("boom"), RuntimeError("boom"), lambda: 7, lambda: None, lambda: object()]
)
def test_a_stream_that_fails(answer: Any) -> None:
    class Failing:
        def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
            if isinstance(answer, Exception):
                raise answer
            return answer()

    with pytest.raises((untied.UntiedError, TypeError), match=r"run: .*(boom|must return a capsule)"):
        untied.Run(Failing())
    with pytest.raises((untied.UntiedError, TypeError), match=r"qrels: .*(boom|must return a capsule)"):
        untied.Qrels(Failing())


def test_a_stream_that_fails_on_the_way() -> None:
    def batches() -> Any:
        yield table().to_batches()[0]
        raise ValueError("boom")

    with pytest.raises(untied.UntiedError, match=r"run: .*boom"):
        untied.Run(pyarrow.RecordBatchReader.from_batches(table().schema, batches()))


# Arrays.


class Tensor:
    """Something that has DLPack, and fails."""

    shape = (2,)

    def __init__(self, device: Any = (1, 0), capsule: Any = None) -> None:
        self._device, self._capsule = device, capsule

    def __dlpack_device__(self) -> Any:
        if isinstance(self._device, Exception):
            raise self._device
        return self._device

    def __dlpack__(self, **_: Any) -> Any:
        if isinstance(self._capsule, Exception):
            raise self._capsule
        return self._capsule


@pytest.mark.parametrize(
    "tensor",
    [
        Tensor(ValueError("boom")),
        Tensor(device=7),
        Tensor(device=("a", "b")),
        Tensor(capsule=TypeError("boom")),
        Tensor(capsule=KeyError("boom")),
        Tensor(capsule=ValueError("boom")),
        Tensor(capsule=7),
    ],
)
def test_a_tensor_that_fails(tensor: Tensor) -> None:
    with pytest.raises(TypeError, match=r"^scores[ :]"):
        untied.evaluate_arrays(tensor, [[1, 0]], "AP")
    with pytest.raises(TypeError, match=r"^labels[ :]"):
        untied.evaluate_arrays([[1, 0]], tensor, "AP")


class Failing:
    def __array__(self, *_: Any, **__: Any) -> Any:
        raise KeyError("boom")


@pytest.mark.parametrize(
    "array",
    [
        Failing(),
        numpy.ma.array([[1.0, 2.0]], mask=[[True, False]]),
        [numpy.ma.array([1.0, 2.0], mask=[True, False])],
        numpy.array([["a", "b"]]),
        numpy.array([[1, None]], dtype=object),
        numpy.array([[Decimal(1), Decimal(2)]]),
        numpy.array([[1, 2]], dtype=numpy.longdouble),
        numpy.array([[1j, 2]]),
        numpy.array([["2020", "2021"]], dtype="M8[Y]"),
    ],
)
def test_arrays_that_hold_no_numbers(array: Any) -> None:
    with pytest.raises(TypeError, match=r"^(scores|labels) "):
        untied.evaluate_arrays(array, [[1, 0]], "AP")
    with pytest.raises(TypeError, match=r"^(scores|labels) "):
        untied.evaluate_arrays([[1, 0]], array, "AP")


def test_masks_are_not_passed_over_elsewhere() -> None:
    masked = numpy.ma.array([[1, 2, 3]], mask=[[False, True, False]])
    with pytest.raises(TypeError, match=r"^a is a masked array"):
        untied.compare_arrays(masked, [[1, 2, 3]], "RBO")
    flat = numpy.ma.array([1.0, 2.0], mask=[True, False])
    with pytest.raises(TypeError, match=r"^f is a masked array"):
        untied.evaluate_features({"qid": ["q", "q"], "label": [1, 0], "f": flat}, "AP")
    with pytest.raises(TypeError, match=r"^query_ids is a masked array"):
        untied.evaluate_arrays([1, 0], [1, 0], "AP", query_ids=numpy.ma.array([1, 1], mask=[True, False]))


def test_whole_numbers_in_a_list_are_not_rounded_by_numpy() -> None:
    with pytest.raises(untied.UntiedError, match="scores has an integer that float64 cannot represent"):
        untied.evaluate_arrays([[(1 << 53) + 1, float(1 << 53)]], [[1, 0]], "AP")
    assert untied.evaluate_arrays([[(1 << 53) + 2, float(1 << 53)]], [[1, 0]], "AP")["AP"].mean == 1


@pytest.mark.parametrize(
    "array",
    [
        numpy.array([[1.0, 9, 2, 9, 2, 9]])[:, ::2],
        numpy.array([[1.0, 2, 2]], dtype=">f8"),
        numpy.asfortranarray(numpy.array([[1.0, 2, 2], [1, 2, 2]]))[:1],
        numpy.array([[2.0, 2, 1]])[:, ::-1],
    ],
)
def test_any_layout_of_memory(array: Any) -> None:
    array.flags.writeable = False
    assert untied.evaluate_arrays(array, [[0, 1, 0]], "RR", ties="range")["RR"].mean == 0.75


def test_numbers_alone_are_no_rankings() -> None:
    for one in (numpy.float64(3), numpy.array(3.0), 3.0):
        with pytest.raises(untied.UntiedError):
            untied.evaluate_arrays(one, one, "AP")
        with pytest.raises((untied.UntiedError, TypeError)):
            untied.compare_arrays(one, one, "RBO")


def test_counts_of_relevant_documents_in_a_series_are_counts() -> None:
    """A Series has items too: they were taken for grades."""
    labels, scores, counts = [[1, 0], [1, 0]], [[2, 1], [1, 2]], [1, 2]
    found = untied.evaluate_arrays(scores, labels, "AP", num_relevant=pandas.Series(counts))
    assert found["AP"] == untied.evaluate_arrays(scores, labels, "AP", num_relevant=counts)["AP"]
    for grade in ("q", float("nan"), None):
        with pytest.raises(untied.UntiedError, match="num_relevant: expected finite numbers as grades, found"):
            untied.evaluate_arrays(scores, labels, "AP", num_relevant={grade: counts})


def test_padding_is_a_whole_number() -> None:
    for padding in (float("nan"), "0", 0.5):
        with pytest.raises(TypeError, match="integer"):
            untied.compare_arrays([[1, 2]], [[2, 1]], "RBO", padding=padding)  # type: ignore[arg-type]


def test_features_of_what_is_no_table() -> None:
    for data in (pandas.Series([1, 2]), type("Failing", (), {"__arrow_c_stream__": lambda self, schema=None: None})()):
        with pytest.raises(untied.UntiedError, match=r"data: cannot read this (Series|Failing) as a table"):
            untied.evaluate_features(data, "AP")


def test_a_depth_of_nothing_is_an_error() -> None:
    for call in (untied.compare, lambda a, b, m, depth: untied.compare_all({"a": a, "b": b}, m, depth=depth)):
        with pytest.raises(untied.UntiedError, match="depth must be at least 1, not 0"):
            call(RUN, RUN, "RBO", depth=0)


def test_documents_of_a_query_that_there_is_not() -> None:
    with pytest.raises(KeyError, match="query 'other' is in neither run"):
        untied.compare(RUN, RUN, "RBO").moved("other")


# Objects in dicts.


class Raises:
    """A number, a mapping and a sequence that fails whatever it is asked."""

    def __float__(self) -> float:
        raise KeyError("boom")

    __index__ = __len__ = __iter__ = keys = items = values = __float__  # type: ignore[assignment]

    def __getitem__(self, _: object) -> object:
        raise KeyError("boom")


@pytest.mark.parametrize(
    "run",
    [
        {"q": {"a": Raises()}},
        {"q": Raises()},
        {"q": {"a": "1"}},
        {"q": {"a": None}},
        {"q": {"a": float("nan")}},
        {"q": {"a": numpy.float32("inf")}},
        {"q": {"a": pandas.NA}},
        {"q": {True: 1}},
        {True: {"a": 1}},
        {"q": {None: 1}},
        {float("nan"): {"a": 1}},
        {"q": {1.5: 1}},
        {"q": [None]},
        {"q": [["a"], [True]]},
        {"q": {"a": [1]}},
        {"q": {"a": numpy.ma.masked}},
        [("q", "a", Raises())],
        [("q", "a")],
        [Raises()],
        [("q", "a", 1), 5],
        [(True, "a", 1)],
    ],
)
def test_objects_that_are_no_input(run: Any) -> None:
    with pytest.raises((untied.UntiedError, TypeError, KeyError)) as raised:
        untied.Run(run)
    assert not isinstance(raised.value, KeyError) or "boom" in str(raised.value)


def test_subclasses_of_str_are_text() -> None:
    class Text(str):
        def __str__(self) -> str:
            return "other"

    assert untied.Run({Text("q"): {Text("a"): 1}})["q"] == [("a", 1.0)]


# Archives.


def test_zstd_that_begins_with_a_frame_to_skip(tmp_path: pathlib.Path) -> None:
    skipped = b"\x5a\x2a\x4d\x18\x03\x00\x00\x00abc"
    lines = [f"q Q0 d{number} 0 {number} t\n".encode() for number in range(3)]
    packed = [zstandard.compress(line) for line in lines]
    for number, parts in enumerate(
        ([skipped, *packed], [skipped, skipped, packed[0], skipped, packed[1], packed[2], skipped], packed)
    ):
        path = tmp_path / f"{number}.run.zst"
        path.write_bytes(b"".join(parts))
        assert untied.Run(path)["q"] == [("d0", 0.0), ("d1", 1.0), ("d2", 2.0)]
    for wrong in (skipped, skipped + b"no archive"):
        path.write_bytes(wrong)
        with pytest.raises(untied.InputError):
            untied.Run(path)


def test_an_error_survives_pickling() -> None:
    with pytest.raises(untied.InputError) as raised:
        untied.Run({"q": {"a": Decimal("0.10000000000000000001"), "b": Decimal("0.10000000000000000002")}})
    assert str(pickle.loads(pickle.dumps(raised.value))) == str(raised.value)
