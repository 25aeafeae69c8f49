"""Arrays of scores and labels: the same bits as runs and qrels with names, whatever holds the numbers."""

from __future__ import annotations

import array
import ctypes
import itertools
import pickle
from typing import Any

import ml_dtypes
import numpy as np
import polars
import pyarrow
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oracle
import untied
from nightly import many
from strategies import TESTED, Topic, as_text, measures, topics
from untied.paper import paper_table
from untied.statistics import discriminative_power, significance

NAMES = [
    name for name in TESTED if name not in oracle.OF_DOCUMENTS | oracle.OF_SUBTOPICS and name not in oracle.OF_PAIRS
]
TIES = ["expected", "range", "best", "worst", "given"]
UNJUDGED = ["nonrelevant", "remove", "best", "worst", "range"]
DTYPES = [np.float64, np.float32, np.float16, ml_dtypes.bfloat16, ml_dtypes.float8_e4m3fn, np.int8, np.int64, ">f4"]


class Made:
    """Topics as a run with qrels, and as arrays."""

    def __init__(self, drawn: list[Topic], seed: int, dtype: Any) -> None:
        random = np.random.default_rng(seed)
        self.qrels = {f"{i}": topic.truth for i, topic in enumerate(drawn)}
        self.run: dict[str, dict[str, float]] = {}
        scores: list[float] = []
        labels: list[float] = []
        self.sizes = []
        for i, topic in enumerate(drawn):
            ranked = topic.scores()
            docs = list(random.permutation(list(ranked))) if ranked else []
            self.run[f"{i}"] = {doc: ranked[doc] for doc in docs}
            scores += self.run[f"{i}"].values()
            labels += [topic.truth.get(doc, np.nan) for doc in docs]
            self.sizes.append(len(docs))
        self.scores = np.array(scores).astype(dtype)
        self.labels = np.array(labels)
        grades = sorted({grade for topic in drawn for grade in topic.truth.values()})
        self.totals = {
            grade: np.array([list(topic.truth.values()).count(grade) for topic in drawn]) for grade in grades
        }
        # The same with padding anywhere, behind which nothing may be looked at.
        width = max(self.sizes) + 2
        self.mask = np.zeros((len(drawn), width), dtype=bool)
        for row, size in zip(self.mask, self.sizes, strict=True):
            row[np.sort(random.permutation(width)[:size])] = True
        self.padded_scores = np.full(self.mask.shape, np.nan if np.dtype(dtype).kind == "f" else 1).astype(dtype)
        self.padded_scores[self.mask] = self.scores
        self.padded_labels = np.full(self.mask.shape, np.inf)
        self.padded_labels[self.mask] = self.labels

    def forms(self) -> list[tuple[Any, Any, dict[str, Any]]]:
        """Scores, labels and what goes with them, in all ways to say which documents are whose."""
        judged = ~np.isnan(self.labels)
        plain = np.where(judged, self.labels, 5)
        ids = np.repeat(["b", "a", "c", "d"][: len(self.sizes)], self.sizes)
        forms = [
            (self.scores, self.labels, {"sizes": self.sizes}),
            (self.scores, plain, {"offsets": np.cumsum([0, *self.sizes]), "judged": judged}),
            (self.padded_scores, self.padded_labels, {"mask": self.mask}),
        ]
        return forms + [(self.scores, self.labels, {"query_ids": ids})] * all(self.sizes)


def parts(value: untied.Value) -> list[float]:
    return [np.nan if part is None else part for part in (value.mean, value.low, value.high, value.variance)]


def fields(values: untied.ArrayValues) -> Any:
    nothing = np.full(values.value.shape, np.nan)
    return np.array([values.value, values.low, values.high, nothing if values.variance is None else values.variance])


UP_TO_3 = st.lists(topics(), min_size=1, max_size=3)
OF_DTYPES = st.sampled_from(DTYPES)
THREADS = st.sampled_from([(1, 3), (3, 1)])
OPTIONS = {
    "ties": st.sampled_from(TIES),
    "unjudged": st.sampled_from(UNJUDGED),
    "on_undefined": st.sampled_from(["zero", "nan"]),
    "variance": st.booleans(),
}


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=many(5, nightly=80))
@given(data=st.data())
def test_the_same_bits_as_names(name: str, data: st.DataObject) -> None:
    measure = as_text(data.draw(measures(name)))
    drawn = data.draw(UP_TO_3)
    made = Made(drawn, data.draw(st.integers(0, 99)), data.draw(OF_DTYPES))
    options = {name: data.draw(values) for name, values in OPTIONS.items()}
    refusal = None
    try:
        expected = untied.evaluate(made.qrels, made.run, measure, **options)
    except untied.UntiedError as error:
        refusal = error
    if refusal is not None:
        for scores, labels, form in made.forms():
            with pytest.raises(type(refusal)) as caught:
                untied.evaluate_arrays(scores, labels, measure, num_relevant=made.totals, **form, **options)
            assert str(caught.value) == str(refusal)
        return
    one_by_one = np.array([parts(expected.value(measure, query)) for query in made.qrels]).T
    facts = expected.facts()["run"]
    # Alternately one thread and three, so that over all examples every form has both.
    for (scores, labels, form), threads in zip(made.forms(), itertools.cycle(data.draw(THREADS)), strict=False):
        found = untied.evaluate_arrays(
            scores, labels, measure, num_relevant=made.totals, threads=threads, **form, **options
        )
        np.testing.assert_array_equal(parts(found[measure]), parts(expected[measure]))
        np.testing.assert_array_equal(fields(found.per_query[measure]), one_by_one)
        assert found[measure].certainty == expected[measure].certainty
        assert found.facts() == facts
        columns = np.array([scores, scores])
        many = untied.evaluate_arrays(
            columns, labels, measure, num_relevant=made.totals, threads=threads, **form, **options
        )
        np.testing.assert_array_equal(fields(many[measure]), np.array([parts(expected[measure])] * 2).T)
        assert many.facts() == [facts, facts]


def test_values_of_queries_are_a_table_too() -> None:
    scores, labels = np.array([[1.0, 1.0], [1.0, 2.0]]), [[1, 0], [1, 0]]
    found = untied.evaluate_arrays(scores, labels, ["RR", "P@1"], ties="range")
    assert found.per_query.measures == ["RR", "P@1"]
    assert len(found.per_query) == 2
    assert repr(found.per_query) == "<untied.ArrayQueries: RR, P@1; 2 queries>"
    documents = {f"q{row}": {f"d{i}": float(score) for i, score in enumerate(of)} for row, of in enumerate(scores)}
    judged = {query: {"d0": 1, "d1": 0} for query in documents}
    expected = untied.evaluate(judged, documents, ["RR", "P@1"], ties="range").per_query.to_dicts()
    assert found.per_query.to_dicts() == [
        {"query": int(row["query"][1:])} | {name: row[name] for name in ("measure", "value", "low", "high")}
        for row in expected
    ]
    both = untied.evaluate_arrays([scores, -scores], labels, ["RR", "P@1"], per_query=True).per_query
    assert [(row["column"], row["query"], row["measure"], row["value"]) for row in both.to_dicts()][3:6] == [
        (0, 1, "P@1", 0.0), (1, 0, "RR", 0.75), (1, 0, "P@1", 0.5),
    ]  # fmt: skip
    assert "low" not in both.to_polars().columns


def test_many_columns() -> None:
    random = np.random.default_rng(1)
    labels = random.integers(0, 3, (50, 8))
    scores = random.integers(0, 5, (4, 50, 8)) / 2
    evaluator = untied.ArrayEvaluator(labels, ["nDCG@5", "AP"], variance=True)
    many = evaluator.evaluate(scores, per_query=True)
    for i, column in enumerate(scores):
        one = evaluator.evaluate(column)
        for measure in ("nDCG@5", "AP"):
            assert many[measure].value[i] == one[measure].mean
            assert many[measure].variance[i] == one[measure].variance
            np.testing.assert_array_equal(many.per_query[measure].value[i], one.per_query[measure].value)
    assert many.means.columns == ["column", "measure", "value", "variance"]
    assert many.means["value"] == [many[m].value[i] for i in range(4) for m in ("nDCG@5", "AP")]
    assert hasattr(many, "per_query")
    assert not hasattr(evaluator.evaluate(scores), "per_query")
    with pytest.raises(untied.UntiedError, match="per_query=True"):
        evaluator.evaluate(scores).per_query["AP"]
    assert len(evaluator.evaluate(scores[:0])["AP"].value) == 0
    with pytest.raises(KeyError, match="RR was not computed; nDCG@5, AP were"):
        many["RR"]
    assert evaluator.evaluate(scores[0]).means.columns == ["measure", "value", "variance"]


def test_bfloat16_ties_where_bfloat16_ties() -> None:
    exact = np.array([[1.0, 1.001, 1.002, 0.5]], dtype=np.float32)
    labels = [[1, 0, 0, 0]]
    assert untied.evaluate_arrays(exact, labels, "RR")["RR"].mean == 1 / 3
    third = (1 + 1 / 2 + 1 / 3) / 3
    assert untied.evaluate_arrays(exact.astype(ml_dtypes.bfloat16), labels, "RR")["RR"].mean == pytest.approx(third)
    assert untied.evaluate_arrays(exact, labels, "RR", score_dtype="bfloat16")["RR"].mean == pytest.approx(third)
    half = np.array([[2048, 2049, 1]])
    assert untied.evaluate_arrays(half, [[1, 0, 0]], "RR")["RR"].mean == 0.5
    assert untied.evaluate_arrays(half.astype(np.float16), [[1, 0, 0]], "RR")["RR"].mean == 0.75
    large = np.array([[2**63 - 1, 2**63 - 2]])
    assert untied.evaluate_arrays(large, [[1, 0]], "RR")["RR"].mean == 1
    assert untied.evaluate_arrays(large.astype(float), [[1, 0]], "RR")["RR"].mean == 0.75
    assert untied.evaluate_arrays(large.astype(np.uint64) + 5, [[0, 1]], "RR")["RR"].mean == 0.5
    assert untied.evaluate_arrays([[True, False]], [[0, 1]], "RR")["RR"].mean == 0.5


class Tensor:
    """A tensor of another library, as DLPack shows it: on some device, of a type that numpy may not have."""

    def __init__(self, values: Any, device: int = 1, versioned: bool = True) -> None:
        self.values = values.view(np.uint16) if values.dtype.name == "bfloat16" else values
        self.is_bfloat16 = values.dtype.name == "bfloat16"
        self.device = device
        self.versioned = versioned

    def __dlpack_device__(self) -> tuple[int, int]:
        return (self.device, 0)

    def __dlpack__(self, **options: Any) -> Any:
        if options and not self.versioned:
            raise TypeError("__dlpack__() got an unexpected keyword argument")
        capsule = self.values.__dlpack__(**options)
        name = b"dltensor_versioned" if options else b"dltensor"
        pointer = ctypes.pythonapi.PyCapsule_GetPointer
        pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
        code = pointer(capsule, name) + (32 if options else 0) + 20
        if self.is_bfloat16:
            ctypes.c_uint8.from_address(code).value = 4
        return capsule

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise AssertionError("DLPack comes first")


class Differentiable:
    """A tensor that is part of a computation of gradients, which PyTorch exports only after ``detach()``."""

    requires_grad = True

    def __init__(self, values: Any) -> None:
        self.values = values

    def detach(self) -> Any:
        return self.values

    def __dlpack_device__(self) -> tuple[int, int]:
        return (1, 0)

    def __dlpack__(self, **_: Any) -> Any:
        raise BufferError("Can't export tensors that require gradient, use tensor.detach()")

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise RuntimeError("Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.")


def test_tensors_that_require_gradients() -> None:
    scores, labels = np.array([[0.5, 0.25, 0.75]]), np.array([[1.0, 0.0, 0.0]])
    found = untied.evaluate_arrays(Differentiable(scores), Differentiable(labels), "AP")
    assert found["AP"] == untied.evaluate_arrays(scores, labels, "AP")["AP"] == 0.5
    columns = {"label": labels[0], "qid": np.array([1, 1, 1]), "bm25": scores[0]}
    differentiable = {**columns, "label": Differentiable(labels[0]), "bm25": Differentiable(scores[0])}
    assert (
        untied.evaluate_features(differentiable, "AP").means.to_dicts()
        == untied.evaluate_features(columns, "AP").means.to_dicts()
    )
    with pytest.raises(TypeError, match=r"scores cannot be read as an array: .*Use tensor.detach\(\)"):
        untied.evaluate_arrays([Differentiable(scores[0])], labels, "AP")


class Interface:
    """What only says where its memory is."""

    def __init__(self, values: Any) -> None:
        self.values = values
        self.__array_interface__ = values.__array_interface__


def test_whatever_holds_the_numbers() -> None:
    random = np.random.default_rng(2)
    scores = random.integers(0, 4, (6, 5)).astype(np.float32)
    labels = random.integers(0, 2, (6, 5))
    expected = untied.evaluate_arrays(scores, labels, ["AP", "nDCG"]).means["value"]
    spread = np.asfortranarray(np.repeat(scores, 2, axis=1))[:, ::2]
    unaligned = np.frombuffer(b"\0" + scores.tobytes(), dtype=np.uint8)[1:].view("f4").reshape(6, 5)
    read_only = scores.copy()
    read_only.setflags(write=False)
    bfloat16 = scores.astype(ml_dtypes.bfloat16)
    holders: list[Any] = [spread, scores[::-1][::-1], unaligned, read_only, scores.tolist(), Interface(scores)]
    holders += [Tensor(scores), Tensor(scores, versioned=False), Tensor(bfloat16), Tensor(bfloat16, versioned=False)]
    holders += [np.ctypeslib.as_array((ctypes.c_float * 30)(*scores.ravel())).reshape(6, 5)]
    holders += [Tensor(bfloat16[:, ::-1])]
    for holder in holders[:-1]:
        found = untied.evaluate_arrays(holder, labels, ["AP", "nDCG"])
        assert found.means["value"] == expected, holder
    turned = untied.evaluate_arrays(holders[-1], labels[:, ::-1], ["AP", "nDCG"])
    assert turned.means["value"] == expected
    flat = untied.evaluate_arrays(
        array.array("f", scores.ravel()), memoryview(labels.ravel()), ["AP", "nDCG"], sizes=array.array("i", [5] * 6)
    )
    assert flat.means["value"] == expected
    # Nothing was written to, and types that were borrowed have been given back.
    np.testing.assert_array_equal(read_only, scores)
    np.testing.assert_array_equal(bfloat16.astype(np.float32), scores)


def test_tensors_are_not_copied() -> None:
    from untied.arrays.inputs import as_numbers

    for dtype in (np.float64, np.float16, ml_dtypes.bfloat16, np.int32, bool):
        values = np.ones((3, 4)).astype(dtype)
        for holder in (values, Tensor(values)) if dtype is not bool else (values,):
            found, name = as_numbers("scores", holder)
            assert np.shares_memory(found, values)
            assert name == ("uint8" if dtype is bool else np.dtype(dtype).name)


def test_num_relevant() -> None:
    scores, labels = [[3, 2, 1], [3, 2, 1]], [[1, 0, 1], [0, 0, 1]]
    found = untied.evaluate_arrays(scores, labels, ["R@3", "nDCG"], num_relevant=[4, 1])
    assert found.per_query["R@3"].value.tolist() == [0.5, 1]
    by_grade = untied.evaluate_arrays(scores, labels, ["R@3", "nDCG"], num_relevant={1: [4, 1]})
    np.testing.assert_array_equal(by_grade.per_query["nDCG"].value, found.per_query["nDCG"].value)
    ideal = sum(1 / np.log2(rank + 2) for rank in range(4))
    assert found.per_query["nDCG"].value[0] == pytest.approx((1 + 0.5) / ideal)
    assert untied.evaluate_arrays(scores, labels, "R@3", num_relevant=4).per_query["R@3"].value.tolist() == [0.5, 0.25]


REFUSED: list[tuple[str, type[Exception], dict[str, Any]]] = [
    (
        r"scores have shape \(2, 2\), expected the shape of labels, \(2, 3\)",
        untied.UntiedError,
        {"scores": [[1, 2], [3, 4]]},
    ),
    (
        r"scores\[1, 2\]|query 1, document 2 .*found NaN|found NaN for query 1, document 2",
        untied.UntiedError,
        {"scores": [[1, 2, 3], [1, 2, np.nan]]},
    ),
    ("found inf for query 0, document 1", untied.UntiedError, {"scores": [[1, np.inf, 3], [1, 2, 3]]}),
    (
        "labels: expected finite numbers or NaN, found -inf for query 1, document 0",
        untied.UntiedError,
        {"labels": [[1, 0, 0], [-np.inf, 0, 0]]},
    ),
    ("scores must hold .* not complex", TypeError, {"scores": np.ones((2, 3), complex)}),
    ("scores must hold .* not float128|not longdouble", TypeError, {"scores": np.ones((2, 3), np.longdouble)}),
    ("labels must hold .* not str", TypeError, {"labels": [["a", "b", "c"], ["d", "e", "f"]]}),
    (
        "scores: the rows have different lengths; pass flat arrays and sizes=",
        TypeError,
        {"scores": [[1, 2, 3], [1, 2]]},
    ),
    (
        "found -inf for query 0, document 1 .*; for padding, pass mask=",
        untied.UntiedError,
        {"scores": [[1, -np.inf, 3]] * 2},
    ),
    ("scores is a masked array", TypeError, {"scores": np.ma.masked_equal([[1, 2, 3], [1, 2, 3]], 1)}),
    ("scores is on another device", TypeError, {"scores": Tensor(np.ones((2, 3)), device=2)}),
    ("mask has shape", untied.UntiedError, {"mask": [[True] * 2] * 2}),
    ("mask must hold booleans", TypeError, {"mask": [[1.0] * 3] * 2}),
    ("judged has shape", untied.UntiedError, {"judged": [True] * 3}),
    ("sizes is for flat labels", untied.UntiedError, {"sizes": [3, 3]}),
    (
        "XGBRanker calls gets no groups, so give it the group sizes .* as sizes=",
        untied.UntiedError,
        {"labels": [1, 0, 0]},
    ),
    (
        "one of sizes, offsets and query_ids, not sizes and offsets",
        untied.UntiedError,
        {"labels": [1, 0, 0], "sizes": [3], "offsets": [0, 3]},
    ),
    ("labels must have one or two dimensions", untied.UntiedError, {"labels": [[[1]]]}),
    ("sizes add up to 4, but labels have 3", untied.UntiedError, {"labels": [1, 0, 0], "sizes": [1, 3]}),
    (r"sizes\[1\] is -1", untied.UntiedError, {"labels": [1, 0, 0], "sizes": [4, -1]}),
    ("sizes must hold integers", TypeError, {"labels": [1, 0, 0], "sizes": [1.5, 1.5]}),
    ("offsets must go from 0 to 3, .* found 1 to 3", untied.UntiedError, {"labels": [1, 0, 0], "offsets": [1, 3]}),
    (
        r"offsets\[2\] is 1, less than the one before, 2",
        untied.UntiedError,
        {"labels": [1, 0, 0], "offsets": [0, 2, 1, 3]},
    ),
    ("query_ids has 2 ids", untied.UntiedError, {"labels": [1, 0, 0], "query_ids": ["a", "b"]}),
    (r"query_ids\[2\] is a again", untied.UntiedError, {"labels": [1, 0, 0], "query_ids": ["a", "b", "a"]}),
    ("num_relevant has 3 numbers for 2 queries", untied.UntiedError, {"num_relevant": [1, 2, 3]}),
    ("num_relevant must hold integers", TypeError, {"num_relevant": [1.0, 2.0]}),
    (r"query 1 \(counted from 0\) has 1 documents of grade 1", untied.UntiedError, {"num_relevant": [1, 0]}),
    ("labels such as 2 leave open", untied.UntiedError, {"labels": [[2, 0, 1], [1, 0, 0]], "num_relevant": [3, 3]}),
    ("not 'docid': documents have no ids here", untied.UntiedError, {"ties": "docid"}),
    ("which arrays do not have", untied.UntiedError, {"measures": "TBG"}),
    ("does not fit the score_dtype", untied.UntiedError, {"scores": [[1e9] * 3] * 2, "score_dtype": "float16"}),
    ("no query to evaluate", untied.UntiedError, {"scores": np.empty((0, 3)), "labels": np.empty((0, 3))}),
    ("threads must be at least 1", untied.UntiedError, {"threads": 0}),
    ("unknown measure", untied.MeasureError, {"measures": "nDGC"}),
    (
        r"AP is undefined for query 1 \(counted from 0\)|AP.*query 1",
        untied.UndefinedError,
        {"labels": [[1, 0, 0], [0, 0, 0]], "on_undefined": "raise"},
    ),
]


@pytest.mark.parametrize(("message", "kind", "changed"), REFUSED)
def test_refused(message: str, kind: type[Exception], changed: dict[str, Any]) -> None:
    call: dict[str, Any] = {"scores": [[1, 2, 3], [1, 2, 3]], "labels": [[1, 0, 0], [1, 0, 0]], "measures": "AP"}
    call |= changed
    if np.ndim(call["labels"]) == 1 and "scores" not in changed:
        call["scores"] = [1, 2, 3]
    with pytest.raises(kind, match=message):
        untied.evaluate_arrays(**call)


def test_results_are_shown() -> None:
    found = untied.evaluate_arrays([[1, 1]], [[1, 0]], ["RR", "NumQ"], ties="range")
    assert repr(found).splitlines() == ["                     RR  NumQ", "0.7500 [0.5000, 1.0000]     1"]
    assert "<table>" in found._repr_html_()
    assert repr(found.per_query["RR"]) == "<untied.ArrayValues: 1 rows>"
    assert (found.measures, len(found), found.queries.tolist()) == (["RR", "NumQ"], 1, [0])
    with_ids = untied.evaluate_arrays([1, 2, 3], [1, 0, 1], "RR", query_ids=["b", "b", "a"])
    assert with_ids.queries.tolist() == ["b", "a"]


def test_swapped_arrays_are_doubted(recwarn: pytest.WarningsRecorder) -> None:
    random = np.random.default_rng(7)
    labels, scores = random.integers(0, 3, (40, 20)), random.random((40, 20), dtype="float32")
    untied.evaluate_arrays(scores, labels, "AP")
    untied.evaluate_arrays(random.integers(0, 3, (40, 20)), labels, "AP")  # a feature of few values
    untied.evaluate_arrays(np.argsort(scores) % 10, np.where(labels > 1, 0.5, labels), "AP")  # soft labels
    ranks = np.tile(np.arange(10), (40, 1))
    untied.evaluate_arrays(ranks, scores[:, :10] + 1, "AP")  # ranks by another system, and soft labels
    assert not recwarn.list
    scores += 1  # so that some of them are grades as high as asked for
    for made in (labels, labels.astype("float32"), labels.astype(np.float16)):
        with pytest.warns(untied.UntiedWarning, match="are they swapped"):
            untied.evaluate_arrays(made, scores, "AP")
    with pytest.warns(untied.UntiedWarning, match="are they swapped"):
        untied.evaluate_arrays(labels, scores.astype(ml_dtypes.bfloat16), "AP")
    padded = np.where(labels > 1, np.inf, scores)
    with pytest.warns(untied.UntiedWarning, match="are they swapped"):
        untied.evaluate_arrays(np.where(labels > 1, -1e9, labels), padded, "AP", mask=labels <= 1)


def test_labels_that_may_be_padding_are_doubted(recwarn: pytest.WarningsRecorder) -> None:
    labels, scores = np.array([[1, 0, -100], [0, 1, 1]]), np.array([[3.0, 2, 1], [1, 2, 3]])
    untied.evaluate_arrays(scores, np.where(labels < 0, -1, labels), "AP")
    untied.evaluate_arrays(scores, labels, "AP", mask=labels >= 0)
    assert not recwarn.list
    for made in (labels, labels.astype("float32"), labels.astype(ml_dtypes.bfloat16)):
        with pytest.warns(untied.UntiedWarning, match="padding, pass mask="):
            untied.evaluate_arrays(scores, made, "AP")


def test_means_of_arrays_are_those_of_their_results() -> None:
    labels, scores = [[1, 0, 0], [0, 1, 1]], [[3.0, 2, 1], [1, 2, 3]]
    evaluator = untied.ArrayEvaluator(labels, ["AP", "NumRel"])
    assert repr(evaluator) == "<untied.ArrayEvaluator: AP, NumRel; 2 queries>"
    assert evaluator.means(scores) == dict(evaluator.evaluate(scores))
    with pytest.raises(untied.UntiedError, match="one column of scores, not 2"):
        evaluator.means([scores, scores])


@pytest.mark.parametrize("array", [np.ones((2, 3)), np.ones((2, 3), bool), Tensor(np.ones((2, 3)))])
def test_arrays_without_ids_are_sent_to_their_function(array: Any) -> None:
    for call in (lambda: untied.evaluate(array, array), lambda: untied.Evaluator(array),
                 lambda: untied.evaluate({"q": {"d": 1}}, array)):  # fmt: skip
        with pytest.raises(untied.UntiedError, match=r"untied\.evaluate_arrays\(scores, labels\)"):
            call()


@pytest.mark.parametrize("dtype", [np.float32, np.float64, ml_dtypes.bfloat16, np.int8])
@pytest.mark.parametrize("width", [3, 10, 12, 17])
def test_many_short_queries_are_counted_as_they_are_sorted(width: int, dtype: Any) -> None:
    random = np.random.default_rng(width)
    shape = (17_000, width)  # so many are counted several at a time
    scores = random.integers(-40, 40, shape).astype(dtype)
    labels = random.choice([0, 0, 0, 0, 0, 0, 1, 1, 2, 3], shape).astype(np.int8)
    measures = ["nDCG@10", "P@10", "R@5", "RR@10", "AP", "Success@1"]
    counted = untied.evaluate_arrays(scores, labels, measures)
    # Bpref reads judged non-relevant documents too, so that everything is sorted.
    ordered = untied.evaluate_arrays(scores, labels, [*measures, "Bpref"])
    for measure in measures:
        np.testing.assert_array_equal(counted.per_query[measure].value, ordered.per_query[measure].value)
        assert parts(counted[measure])[:1] == parts(ordered[measure])[:1]
    assert counted.facts() | {"undefined": 0, "left_out": 0} == ordered.facts() | {"undefined": 0, "left_out": 0}
    if np.dtype(dtype).kind == "f":
        scores[[9000, 16_900], 1] = np.inf
        with pytest.raises(untied.UntiedError, match=r"found inf for query 9000, document 1 \(counted from 0\)"):
            untied.evaluate_arrays(scores, labels, measures)


def of_many_relevant(dtype: Any) -> tuple[Any, Any]:
    """Rankings of 1500 documents, a third of them relevant: untied, tied behind the cutoffs or everywhere."""
    random = np.random.default_rng(1500)
    labels = random.choice([np.nan, -1, 0, 0, 0, 0, 1, 1, 2, 3], (12, 1500))
    levels = [1500, 1500, 1500, 1500, 1500, 700, 120, 120, 30, 5, 2, 1]  # different scores
    scores = np.array([random.permutation(1500) % level for level in levels], dtype=np.float64)
    # Far behind, a pair of tied documents: of one grade, of two, relevant and not judged, both of them not relevant.
    for query, grades in enumerate([(2, 2), (1, 3), (2, np.nan), (0, -1)], start=1):
        last = np.argsort(scores[query])[:2]
        scores[query, last], labels[query, last] = 0, grades
    scores[-1, 7] = -0.0
    return (scores % 100 if np.dtype(dtype).itemsize == 1 else scores - 700).astype(dtype), labels


@pytest.mark.parametrize("ties", TIES)
@pytest.mark.parametrize("dtype", [np.float64, np.float32, ml_dtypes.bfloat16, np.float16, np.int64, np.uint8])
def test_first_documents_are_found_as_they_are_sorted(dtype: Any, ties: Any) -> None:
    """Where many documents are relevant and all measures have a cutoff, only the first ones are sorted."""
    scores, labels = of_many_relevant(dtype)
    measures = [
        "nDCG@10",
        "P@1",
        "R@20",
        "RR@10",
        "AP@5",
        "AP(recall_base=7)@9",
        "Success@3",
        "RBP@10",
        "DCG@23",
        "F1@2",
    ]
    flat = {"sizes": [1500] * 11 + [1400, 100]}  # of the last two, one has too few documents
    for column in (scores, scores[::-1, ::-1]):
        for shaped, options in (((column, labels), {}), ((column.ravel(), labels.ravel()), flat)):
            first = untied.evaluate_arrays(*shaped, measures, ties=ties, **options)
            # Bpref reads judged non-relevant documents too, at all ranks: everything is sorted.
            ordered = untied.evaluate_arrays(*shaped, [*measures, "Bpref"], ties=ties, **options)
            for measure in measures:
                for part in ("value", "low", "high"):
                    np.testing.assert_array_equal(
                        getattr(first.per_query[measure], part), getattr(ordered.per_query[measure], part)
                    )
                assert parts(first[measure]) == parts(ordered[measure])
            known = {"undefined": 0, "left_out": 0}
            assert first.facts() | known == ordered.facts() | known
            assert first.facts()["mixed"] > 0
            assert first.facts()["mixed"] < 12 or np.dtype(dtype).itemsize < 4


def test_first_documents_are_finite_and_rounded_as_asked() -> None:
    scores, labels = of_many_relevant(np.float64)
    rounded = untied.evaluate_arrays(scores / 7, labels, ["nDCG@10", "R@20"], score_dtype="float16")
    ordered = untied.evaluate_arrays((scores / 7).astype(np.float16), labels, ["nDCG@10", "R@20", "AP"])
    assert all(rounded[name].mean == ordered[name].mean for name in ("nDCG@10", "R@20"))
    for wrong in (np.nan, np.inf, -np.inf):
        scores[3, 1200] = wrong
        with pytest.raises(untied.UntiedError, match=r"query 3, document 1200 \(counted from 0\)"):
            untied.evaluate_arrays(scores, labels, "nDCG@10")


def with_ids(labels: Any, scores: Any) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, dict[str, float]]]]:
    """Qrels, and a run for each column of scores; ids of queries sort as their numbers do."""
    qrels = {f"{i:02}": {f"d{j}": int(grade) for j, grade in enumerate(row)} for i, row in enumerate(labels)}
    runs = {
        str(name): {f"{i:02}": {f"d{j}": float(x) for j, x in enumerate(row)} for i, row in enumerate(column)}
        for name, column in enumerate(scores)
    }
    return qrels, runs


@pytest.mark.parametrize("options", [{}, {"ties": "range"}, {"unjudged": "range"}, {"on_undefined": "nan"}], ids=str)
def test_significance_of_arrays_is_that_of_runs(options: dict[str, Any]) -> None:
    """By name, and for columns; the same table as for documents with ids, but for bounds of both runs together."""
    labels = np.array([[1, 0, 2, 0, -1], [0, 1, 0, 0, 0], [1, 1, 0, 0, -1], [0, 0, 0, 0, 0], [0, 2, 1, 0, 0]])
    chance = np.random.default_rng(8)
    scores = chance.integers(0, 4, (3, *labels.shape)).astype("float16")
    measures = ["AP", "nDCG@3", "P@2"]
    qrels, runs = with_ids(labels, scores)
    results = untied.evaluate(qrels, runs, measures, **options)
    expected = significance(results)
    evaluator = untied.ArrayEvaluator(labels, measures, **options)
    named = {str(name): evaluator.evaluate(column) for name, column in enumerate(scores)}
    for same in (named, evaluator.evaluate(scores, per_query=True), pickle.loads(pickle.dumps(named))):
        found = significance(same)
        for row, other in zip(found.table.to_dicts(), expected.table.to_dicts(), strict=True):
            if options.get("unjudged"):
                assert row.pop("least") <= other.pop("least") + 1e-12
                assert row.pop("most") >= other.pop("most") - 1e-12
                assert row.pop("p_most") >= other.pop("p_most") - 1e-12
                del row["survives"], other["survives"]
            assert row == other
        assert found.varied == expected.varied
        if options.get("unjudged"):
            assert found.apart == results.measures
            assert any("a document could get different grades in the two runs" in note for note in found.notes)
        assert paper_table(same, expected) == paper_table(results, expected)
        power = discriminative_power(same).to_dicts()
        assert power == discriminative_power(results).to_dicts()


def test_results_of_arrays_that_cannot_be_compared() -> None:
    evaluator = untied.ArrayEvaluator([[1, 0], [0, 1]], ["AP", "RR"])
    one = evaluator.evaluate([[1, 2], [2, 1]])
    many = evaluator.evaluate([[[1, 2], [2, 1]]] * 2)
    other = untied.evaluate_arrays([[1, 2], [2, 1]], [[1, 0], [0, 1]], ["AP", "RR"], ties="range")
    fewer = untied.evaluate_arrays([[1, 2]], [[1, 0]], ["AP", "RR"])
    alone = untied.evaluate_arrays([[1, 2], [2, 1]], [[1, 0], [0, 1]], "AP")
    for same, message in [
        (one, "results have one column of scores; pass several by name"),
        (many, "were not kept: evaluate with per_query=True"),
        ({"a": one, "b": many}, "b: expected results with one column of scores, found 2"),
        ({"a": one, "b": other}, "b: expected the same policies"),
        ({"a": one, "b": fewer}, "b: expected the same queries"),
        ({"a": one, "b": alone}, "b: expected the same measures"),
    ]:
        with pytest.raises(untied.UntiedError, match=message):
            significance(same)
    for nothing in ({}, {"a": 1}, [one, one]):
        with pytest.raises(TypeError, match="expected results of untied"):
            significance(nothing)  # type: ignore[arg-type]


@pytest.mark.parametrize("options", [{}, {"ties": "range"}, {"unjudged": "range"}, {"on_undefined": "nan"}], ids=str)
def test_differences_of_arrays_are_those_of_runs(options: dict[str, Any]) -> None:
    """Their queries are numbers; bounds over judgments may be wider, as those of tests are."""
    chance = np.random.default_rng(9)
    labels, scores = chance.integers(-1, 3, (12, 5)), chance.integers(0, 4, (3, 12, 5)).astype("float16")
    measures = ["AP", "ESL", "P@2"]
    qrels, runs = with_ids(labels, scores)
    results = untied.evaluate(qrels, runs, measures, **options)
    evaluator = untied.ArrayEvaluator(labels, measures, **options)
    columns = evaluator.evaluate(scores, per_query=True)

    def check(found: untied.Table, expected: untied.Table, names: dict[str, str]) -> None:
        assert found.columns == expected.columns
        assert len(found) == len(expected) > 0
        for row, other in zip(found.to_dicts(), expected.to_dicts(), strict=True):
            other |= {
                "query": int(other["query"]),
                **{run: names.get(other[run], other[run]) for run in ("run_a", "run_b")},
            }
            if options.get("unjudged") and not np.isnan(other["least"]):
                assert row.pop("least") <= other.pop("least") + 1e-12
                assert row.pop("most") >= other.pop("most") - 1e-12
            if "least" in other and np.isnan(other["least"]):
                del row["least"], row["most"], other["least"], other["most"]
            assert row == other

    for top in (None, 2):
        check(columns.query_differences(top=top), results.query_differences(top=top), {})
        check(columns.query_differences(baseline=1, top=top), results.query_differences(baseline="1", top=top), {})
        alone = [evaluator.evaluate(one) for one in scores[:2]]
        names = {"0": "run", "1": "baseline"}
        two = untied.evaluate(qrels, {name: runs[name] for name in "01"}, measures, **options)
        for new, old in (alone, pickle.loads(pickle.dumps(alone))):
            check(new.query_differences(baseline=old, top=top), two.query_differences(baseline="1", top=top), names)


def test_differences_need_two_columns() -> None:
    evaluator = untied.ArrayEvaluator([[1, 0], [0, 1]], ["AP", "RR"])
    one, many = evaluator.evaluate([[1, 2], [2, 1]]), evaluator.evaluate([[[1, 2], [2, 1]]] * 2, per_query=True)
    for call, message in [
        (lambda: one.query_differences(), "one column of scores; pass the results to compare with as baseline"),
        (lambda: one.query_differences(baseline=many), "baseline: expected results with one column of scores, found 2"),
        (lambda: many.query_differences(baseline=one), "run: expected results with one column of scores, found 2"),
        (lambda: many.query_differences(baseline=2), "no run '2'; the runs are 0, 1"),
        (lambda: evaluator.evaluate([[[1, 2], [2, 1]]] * 2).query_differences(), "evaluate with per_query=True"),
    ]:  # fmt: skip
        with pytest.raises(untied.UntiedError, match=message):
            call()


@pytest.mark.parametrize(("ids", "kind"), [
    ({}, int),
    ({"query_ids": np.repeat([10, 9, 100], 4)}, int),
    ({"query_ids": np.repeat(np.array([10, 9, 100], "uint8"), 4)}, int),
    ({"sizes": [4, 4, 4]}, int),
    ({"query_ids": np.repeat(np.array([10, 9, 2**64 - 1], "uint64"), 4)}, str),
    ({"query_ids": np.repeat(["10", "9", "100"], 4)}, str),
], ids=str)  # fmt: skip
def test_queries_without_names_are_numbers_in_tables(ids: dict[str, Any], kind: type) -> None:
    """As names, 10 would stand before 9."""
    labels = np.array([[1, 0, 2, 0], [0, 1, 0, 0], [1, 1, 0, 0]])
    scores = np.array([[3.0, 1, 2, 2], [0, 1, 1, 5], [1, 2, 1, 0]])
    if ids:
        labels, scores = labels.ravel(), scores.ravel()
    evaluator = untied.ArrayEvaluator(labels, ["AP", "RR"], **ids)
    one, two = evaluator.evaluate(scores), evaluator.evaluate(np.array([scores, -scores]), per_query=True)
    queries = [kind(query) for query in one.queries]
    arrow = "int64" if kind is int else "string"
    for table, expected in (
        (one.per_query, [query for query in queries for _ in "ab"]),
        (one.per_query.wide(), queries),
        (two.per_query, [query for query in queries for _ in "ab"] * 2),
        (two.per_query.wide(), queries * 2),
    ):
        assert [row["query"] for row in table.to_dicts()] == expected
        assert table.to_pandas()["query"].tolist() == expected
        assert str(pyarrow.table(table).schema.field("query").type) == arrow
        assert pyarrow.table(table)["query"].to_pylist() == expected
        assert polars.DataFrame(table)["query"].to_list() == table.to_polars()["query"].to_list() == expected
    differences = two.query_differences()
    assert sorted(differences["query"]) == sorted(queries * 2)
    assert str(pyarrow.table(differences).schema.field("query").type) == arrow
    for table, columns in ((two.means, [0, 0, 1, 1]), (two.wide(), [0, 1]), (two.per_query, [0] * 6 + [1] * 6)):
        assert table.to_pandas()["column"].tolist() == pyarrow.table(table)["column"].to_pylist() == columns
    assert "<td" in two._repr_html_()


def test_wide_forms_of_results() -> None:
    labels, scores = [[1, 0, 2, 0], [0, 1, 0, 0]], [[3, 1, 2, 2], [0, 1, 1, 5]]
    found = untied.evaluate_arrays(scores, labels, ["AP", "RR"], ties="range")
    assert found.wide().columns == ["AP", "AP low", "AP high", "RR", "RR low", "RR high"]
    assert found.wide()["AP"] == [found["AP"].mean]
    wide = found.per_query.wide()
    assert wide.columns == ["query", *found.wide().columns]
    for field in ("low", "high"):
        assert wide[f"RR {field}"] == getattr(found.per_query["RR"], field).tolist()
    results = untied.evaluate({"q": {"d": 1}}, {"a": {"q": ["d"]}, "b": {"q": ["e", "d"]}}, ["AP", "RR"])
    assert results.wide().to_dicts() == results.means.wide().to_dicts() == [
        {"run": "a", "AP": 1.0, "RR": 1.0}, {"run": "b", "AP": 0.5, "RR": 0.5},
    ]  # fmt: skip


def test_lists_of_half_precision_columns() -> None:
    """No number of 16 bits is so large that whole numbers are rounded."""
    scores = np.array([[3.0, 1, 2, 2], [0, 1, 1, 5]], "float16")
    evaluator = untied.ArrayEvaluator([[1, 0, 2, 0], [0, 1, 0, 0]], "AP")
    assert evaluator.evaluate([scores, -scores])["AP"].value[0] == evaluator.evaluate(scores)["AP"].mean


@pytest.mark.parametrize("name", ["scores", "labels"])
def test_sparse_arrays_are_refused_with_the_way_out(name: str) -> None:
    sparse = pytest.importorskip("scipy.sparse")
    for kind in (sparse.csr_matrix, sparse.coo_array, sparse.dok_array):
        arrays = {"scores": np.eye(2, 3), "labels": np.eye(2, 3)}
        arrays[name] = kind(arrays[name])
        with pytest.raises(TypeError, match=rf"{name} must be an array, not a sparse \w+: pass {name}.toarray\(\)"):
            untied.evaluate_arrays(arrays["scores"], arrays["labels"], ["AP"])
