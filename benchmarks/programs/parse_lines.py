"""Usage: RUN. Query, document and score of a run by splitting every line: what plain Python takes at least."""

import sys

count, total = 0, 0.0
with open(sys.argv[1]) as file:
    for line in file:
        query, _, document, _, score, _ = line.split()
        count, total = count + 1, total + float(score)
print(query, document, count, total)
