"""Usage: QRELS RUN. Five measures of every query and their means, as one would write it with pytrec_eval."""

import sys

import pytrec_eval

MEASURES = ["map", "ndcg_cut_10", "recip_rank", "P_10", "recall_1000"]

with open(sys.argv[1]) as file:
    qrels = pytrec_eval.parse_qrel(file)
with open(sys.argv[2]) as file:
    run = pytrec_eval.parse_run(file)
results = pytrec_eval.RelevanceEvaluator(qrels, set(MEASURES)).evaluate(run)
for query, values in results.items():
    for measure in MEASURES:
        print(query, measure, f"{values[measure]:.4f}", sep="\t")
for measure in MEASURES:
    print("all", measure, f"{sum(values[measure] for values in results.values()) / len(results):.4f}", sep="\t")
