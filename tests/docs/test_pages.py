"""The code of all pages runs, and shows what comes out."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from docsite import examples, navigation

PAGES = ["README.md", *(page for pages in navigation.sections().values() for page in pages)]

#: Blocks that are shown and not run, by their reasons: how many there are on all pages.
NOT_RUN = {
    "a pipeline for another machine": 1,
    "builds all of untied": 6,
    "data of LETOR": 2,
    "data of MIREX 2005": 3,
    "needs queries of several collections": 1,
    "installs packages": 2,
    "needs a model in PyTorch": 1,
    "needs cargo-fuzz, atheris, and time": 1,
    "needs PyTerrier": 1,
    "needs Spark": 1,
    "needs the databases of advisories": 1,
    "needs torch": 2,
    "takes a quarter of an hour and the peers": 1,
    "the core for browsers is built by python3 dev.py web": 1,
    "takes minutes, a nightly compiler, and valgrind": 1,
    "installs evaluators": 1,
    "needs your evaluator": 1,
    "the page on both kinds of judgments makes this report": 1,
}


@pytest.mark.parametrize("page", PAGES)
def test_code_of(page: str) -> None:
    """In a process of its own, as pages define measures and change other packages."""
    command = [sys.executable, "-m", "docsite.examples", "--check", page]
    done = subprocess.run(command, cwd=navigation.ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert not (wrong := json.loads(done.stdout)["wrong"]), "\n\n".join(wrong)


@pytest.mark.parametrize("page", PAGES)
def test_rows_of_tables_are_whole(page: str) -> None:
    """A row is one line, however long: an editor that wraps it breaks the table."""
    heads: dict[int, int] = {}
    is_code = False
    for number, line in enumerate((navigation.ROOT / page).read_text(encoding="utf-8").splitlines()):
        is_code ^= line.startswith("```")
        if line.startswith("|") and not is_code:
            bare = re.sub("`[^`]*`", "code", line).replace("\\|", "")
            heads[number] = heads.get(number - 1, bare.count("|"))
            assert line.endswith("|"), f"{page}:{number + 1}"
            assert bare.count("|") == heads[number], f"{page}:{number + 1}"
    assert not is_code


def test_what_is_not_run_is_listed() -> None:
    texts = [(navigation.ROOT / page).read_text(encoding="utf-8") for page in PAGES]
    assert Counter(block.reason for text in texts for block in examples.blocks(text) if block.reason) == NOT_RUN


PAGE = """\
<!-- python
number = 6
-->

```python
number * 7  # 41
number + 1  # not compared
print(number)  # 5
```

```pycon
>>> number / 0
Traceback (most recent call last):
    ...
ZeroDivisionError: ...
>>> [number,
...  number]
[5, 5]
```

```console
$ echo one; \\
  echo two
one
...
$ false
```

```sh
test -e qrels.txt
exit 3
```

```text
anything
```

```java
nothing
```

    an indented block

```python
import math as numbers
numbers.pi  # 3.14...
```

```pycon
>>> numbers.floor(untied.nDCG.cutoff or 2.5)
2
```

<!-- not run: it is Spark's -->

```python
spark
```
"""


def test_what_is_wrong_is_found_and_can_be_written_into_the_page(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(PAGE)
    outcome = examples.run(page)
    expected = [
        "an indented block, 'an indented block'",
        "line 5: number * 7",
        "line 5: print(number)",
        "line 11: >>> [number,",
        "line 21: $ false: exit code 1",
        "line 29: exit code 3",
        "line 38: nobody knows how to run java",
        "line 49: numbers is not imported in this block",
        "line 49: untied is not imported in this block",
    ]
    assert len(outcome.wrong) == len(expected)
    for found, start in zip(outcome.wrong, expected, strict=True):
        assert found.startswith(start)
    assert outcome.not_run == ["it is Spark's"]
    assert outcome.text == PAGE.replace("# 41", "# 42").replace("# 5", "# 6").replace("[5, 5]", "[6, 6]")
