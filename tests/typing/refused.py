"""Every line with the comment `refused` is a mistake that mypy and pyright must see; it is not run."""

import untied
from untied import batches, gate, report, statistics, study
from untied.evaluation import curves

QRELS = {"q": {"a": 1}}
RUN = {"q": {"a": 1.0}}

untied.evaluate(QRELS, RUN, ties="rnage")  # refused
untied.evaluate(QRELS, RUN, unjudged="none")  # refused
untied.evaluate(QRELS, RUN, unretrieved="judged")  # refused
untied.evaluate(QRELS, RUN, queries="all")  # refused
untied.evaluate(QRELS, RUN, on_undefined="skip")  # refused
untied.evaluate(QRELS, RUN, qrels_format="xml")  # refused
untied.evaluate(QRELS, RUN, score_dtype=32)  # refused
untied.evaluate(QRELS, RUN, tie="range")  # refused
untied.evaluate(QRELS, RUN, threads="2")  # refused
untied.evaluate(QRELS, 7)  # refused
untied.evaluate(QRELS, RUN, [10])  # refused
untied.Evaluator(QRELS, "AP", ties="rnage")  # refused
untied.Evaluator(QRELS, "AP").means(3)  # refused
untied.compare(RUN, RUN, "RBO", ties="range")  # refused
untied.compare(RUN, 7, "RBO")  # refused
untied.compare_all([RUN, RUN], "RBO", ties="rnage")  # refused
untied.evaluate_arrays([[1.0]], [[1]], ties="docid")  # refused
untied.ArrayEvaluator([[1]], ties="trec")  # refused
untied.evaluate_features("train.txt", ties="docid")  # refused
untied.read_run(7)  # refused
gate.gate(QRELS, RUN, ties="range")  # refused
gate.gate(QRELS, RUN, on_undefined="raise")  # refused
report.report(QRELS, RUN, unjudged="rnage")  # refused
report.report(QRELS, RUN, test="tukee")  # refused
report.report(QRELS, RUN, correction="hom")  # refused
statistics.significance(untied.evaluate(QRELS, RUN), interval="bootstrap")  # refused
statistics.t_test([1.0], [2.0], alternative="more")  # refused
statistics.adjust([0.5], "tukey")  # refused
float(untied.evaluate_arrays([[1.0]], [[1]])["AP"].value)  # refused
curves.curves(QRELS, RUN, "q", ties="rnage")  # refused
study.med(QRELS, [RUN], "out", ties="range")  # refused
study.ties(QRELS, [RUN], "out", plots="pdf")  # refused
study.incomplete(QRELS, [RUN], "out", sampling="stratified")  # refused
batches.BatchEvaluator(grades=[1], ties="rnage")  # refused
value: str = untied.evaluate(QRELS, RUN)["AP"]  # refused
rows: list[str] = untied.evaluate(QRELS, RUN).means  # refused
print(untied.evaluate(QRELS, RUN).mean)  # refused
