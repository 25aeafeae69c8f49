"""The least complete line of every command, for tests that sweep all of them.

Names in braces are files: {q} qrels, {a} and {b} runs, {pa} and {pb} runs of passages, {l} learning-to-rank data,
{certificate} what certify wrote; {folder} is a folder to write to, and {query} a query.
"""

from __future__ import annotations

COMMANDS = {
    "eval": "{q} {a} {b}",
    "compare": "{a} {b} --qrels {q}",
    "passages": "{pa} {pb}",
    "stats": "{q} {a} {b}",
    "judges": "{q} {q} {a} {b}",
    "certify": "{q} {a} {b}",
    "verify": "{certificate} {q} {a} {b}",
    "report": "{q} {a} {b} -o {folder}/page.html",
    "check": "{q} {a} {b}",
    "gate": "{q} {a} --min AP=0",
    "curve": "{q} {a} --query {query}",
    "features": "{l}",
    "judge-next": "{q} {a}",
    "sample": "{q} {a} --depth 10",
    "convert": "run {a} -o {folder}/converted.run",
    "study": "ties {q} {a} {b} -o {folder}/study --plots none",
    "measures": "nDCG",
    "trec_eval": "{q} {a}",
    "completion": "bash",
}
