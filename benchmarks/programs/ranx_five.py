"""Usage: QRELS RUN. Means of five measures, as one would write it with ranx."""

import sys

from ranx import Qrels, Run, evaluate

qrels = Qrels.from_file(sys.argv[1], kind="trec")
run = Run.from_file(sys.argv[2], kind="trec")
print(evaluate(qrels, run, ["map", "ndcg@10", "mrr", "precision@10", "recall@1000"]))
