"""trec_eval's command line: small files whose report is known, trec_eval's own tests, TREC's published evaluations.

The latter two need the folder ``shared`` next to the repository, or wherever UNTIED_SHARED points to.
"""

from __future__ import annotations

import gzip
import lzma
import os
import subprocess
import sys
import tarfile
from collections.abc import Callable
from functools import partial
from math import isnan
from pathlib import Path
from random import Random

import pytest

from commands import Command
from nightly import many, seeded
from untied._core import TrecReport
from untied.cli.trec_eval import defaults

TYPE_CHECKING = False
if TYPE_CHECKING:
    from untied._types import TrecOptions

SHARED = Path(os.environ.get("UNTIED_SHARED") or Path(__file__).resolve().parents[3] / "shared")
DATA = SHARED / "data"

needs_data = pytest.mark.skipif(
    not DATA.is_dir(), reason=f"no TREC data in {SHARED} (set UNTIED_SHARED to the folder that holds data/)"
)


QRELS = """\
q1 0 a 1
q1 0 b 0
q1 0 c 2
q1 0 d -1
q2 0 a 1
q10 0 z 1
"""
RUN = """\
q1 Q0 b 1 3.0 old
q1 Q0 a 2 2.5 old
q1 Q0 d 3 2.0 old
q1 Q0 x 4 1.0 old
q1 Q0 c 5 1.0 old
q10 Q0 y 1 1.0 old
q2 Q0 a 1 1.0 new
"""


@pytest.fixture
def trec_eval(untied_: Command) -> Command:
    return partial(untied_, "trec_eval")


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    """The judgments and the run above."""
    return written(tmp_path, QRELS, RUN)


def written(folder: Path, qrels: str, run: str) -> tuple[Path, Path]:
    (folder / "qrels").write_text(qrels)
    (folder / "run").write_text(run)
    return folder / "qrels", folder / "run"


def rows(output: str) -> dict[tuple[str, str], str]:
    """A report as (measure, topic) -> value."""
    found = {}
    for line in output.splitlines():
        name, topic, value = line.split("\t")
        assert len(name) >= 22
        found[name.rstrip(), topic] = value
    return found


def test_a_report_byte_for_byte(trec_eval: Command, files: tuple[Path, Path]) -> None:
    """Topics in byte order, trec_eval's order of measures, its columns; ties by id, descending: x before c."""
    asked = ("-m", "P.2,1", "-m", "relstring", "-m", "map", "-m", "num_ret", "-m", "runid", "-m", "num_q")
    assert trec_eval("-q", *asked, *files) == (
        0,
        "num_ret               \tq1\t5\n"
        "map                   \tq1\t0.4500\n"
        "P_1                   \tq1\t0.0000\n"
        "P_2                   \tq1\t0.5000\n"
        "relstring             \tq1\t'01.-2'\n"
        "num_ret               \tq10\t1\n"
        "map                   \tq10\t0.0000\n"
        "P_1                   \tq10\t0.0000\n"
        "P_2                   \tq10\t0.0000\n"
        "relstring             \tq10\t'-'\n"
        "num_ret               \tq2\t1\n"
        "map                   \tq2\t1.0000\n"
        "P_1                   \tq2\t1.0000\n"
        "P_2                   \tq2\t0.5000\n"
        "relstring             \tq2\t'1'\n"
        "runid                 \tall\tnew\n"
        "num_q                 \tall\t3\n"
        "num_ret               \tall\t7\n"
        "map                   \tall\t0.4833\n"
        "P_1                   \tall\t0.3333\n"
        "P_2                   \tall\t0.3333\n",
        "",
    )


def test_options_as_getopt_reads_them(trec_eval: Command, files: tuple[Path, Path]) -> None:
    """Letters together, arguments attached, long options and their beginnings, options after files."""
    plain = trec_eval("-q", "-c", "-m", "map", "-m", "relstring.3", "-l", "2", "-M", "4", *files)
    assert plain[0] == 0
    for spelling in (
        ["-qcmmap", "-mrelstring.3", "-l2", "-M4", *files],
        [files[0], "-q", files[1], "-c", "-m", "relstring.3", "-mmap", "-l2junk", "-M04"],
        ["--query_eval_wanted", "--comp", "--measure=map", "--meas", "relstring.3", "--level=2", "--Max=4", *files],
        ["-qc", "-l2", "-M4", "-m", "map", "-mrelstring.3", "-mrelstring.7", "-o", "-D", "3", "-N5", "--", *files],
    ):
        assert trec_eval(*spelling) == plain, spelling
    assert trec_eval("-n", *files) == (0, "", "")
    code, out, _ = trec_eval("-q", "-D0.q2", "-m", "num_ret", *files)
    assert (code, rows(out)) == (0, {("num_ret", "q2"): "1", ("num_ret", "all"): "1"})


@pytest.mark.parametrize(
    ("arguments", "code", "part"),
    [
        (["-x", "{q}", "{r}"], 1, "unknown option -x"),
        (["--nonsense", "{q}", "{r}"], 1, "unknown option --nonsense"),
        (["--", "{q}"], 1, "two files are needed, not 1"),
        (["{q}", "{r}", "{r}"], 1, "two files are needed, not 3"),
        (["{q}", "{r}", "-m"], 1, "-m needs an argument"),
        (["--query_eval_wanted=1", "{q}", "{r}"], 1, "takes no argument"),
        (["--re", "x", "{q}", "{r}"], 1, "unknown option --re"),
        (["--Re", "x", "{q}", "{r}"], 1, "ambiguous option --Re"),
        (["--trec-version", "8", "{q}", "{r}"], 1, "must be 9 or 10"),
        (["-m", "nap", "{q}", "{r}"], 1, "nap"),
        (["--trec-version", "9", "-m", "dcg", "{q}", "{r}"], 1, "dcg"),
        (["-m", "P.x", "{q}", "{r}"], 2, 'whole numbers of at least 1 as cutoffs, found "x"'),
        (["-m", "P.", "{q}", "{r}"], 1, "-m P.: parameters are missing after the full stop"),
        (["-m", "utility.1,2", "{q}", "{r}"], 4, "utility_1,2: expected 4 weights, found 2"),
        (["--trec-version", "9", "-m", "utility.1,2,3,4,5", "{q}", "{r}"], 4, "expected 4 weights, found 5"),
        (["-m", "P.5,5", "{q}", "{r}"], 2, 'a cutoff appears twice in "5,5"'),
        (["-m", "P.0", "{q}", "{r}"], 2, 'whole numbers of at least 1 as cutoffs, found "0"'),
        (["-m", "ndcg.1", "{q}", "{r}"], 2, 'expected pairs as 1=3,2=9, found "1"'),
        (["{q}", "{q}.not"], 2, "No such file"),
        (["{q}.not", "{r}"], 2, "No such file"),
        (["-R", "x", "{q}", "{r}"], 2, "-R: unknown format"),
        (["-T", "x", "{q}", "{r}"], 2, "-T: unknown format"),
        (["{r}", "{r}"], 2, "line 1: expected 4 columns"),
        (["{q}", "{q}"], 2, "line 1: expected 6 columns"),
        (["-m", "prefs_simp", "{q}", "{r}"], 4, "prefs_simp cannot be computed with -R qrels"),
        (["-R", "qrels_prefs", "{q}", "{r}"], 4, "num_ret cannot be computed with -R qrels_prefs"),
        (["-R", "prefs", "{q}", "{r}"], 2, "line 1: expected query, group, subgroup, document and level"),
        (["-R", "prefs", "-Z", "{q}.not", "{q}", "{r}"], 2, "line 1: expected query, group, subgroup"),
        (["-R", "prefs", "-m", "P.0", "{q}", "{r}.not"], 2, "line 1: expected query, group, subgroup"),
        (["-Z", "{q}.not", "{q}", "{r}"], 255, "No such file"),
    ],
)
def test_exit_codes(trec_eval: Command, files: tuple[Path, Path], arguments: list[str], code: int, part: str) -> None:
    filled = [argument.format(q=files[0], r=files[1]) for argument in arguments]
    found, out, err = trec_eval(*filled)
    assert (found, out) == (code, "")
    assert err.startswith("untied trec_eval: ")
    assert part in err


def test_a_measure_fails_at_the_first_topic(trec_eval: Command, tmp_path: Path) -> None:
    """Wrong weights and judgments that a measure cannot use end the report where a topic is evaluated, not before."""
    paths = written(tmp_path, "q 0 a 1\n", "r 0 a 1 1 t\n")
    for asked in (["-mutility.1,2"], ["-mprefs_simp"], ["-R", "qrels_prefs", "-mmap"]):
        assert trec_eval("--trec-version", "9", *asked, *paths)[0] == 7, asked
        assert trec_eval("-D0.other", *asked, *paths)[0] == 7, asked
        code, out, _ = trec_eval("-qc", "-mnum_q", *asked, *paths)
        assert (code, out) == (4, ""), asked


def test_help_and_version(trec_eval: Command) -> None:
    code, out, err = trec_eval("-h", "-m", "P.5", "-m", "runid")
    assert (code, err) == (0, "")
    for part in ("--Rel_info_format", "--trec-version", "P_5\n    precision\n    P@k = ", "runid\n"):
        assert part in out
    assert trec_eval("-h", "-m", "nap")[0] == 1
    code, out, err = trec_eval("-v")
    assert (code, out) == (0, "")
    assert err.startswith("trec_eval version 10.0 ")
    assert trec_eval("--trec-version", "9", "--version")[2].startswith("trec_eval version 9.0.8 ")


def test_the_version_ends_the_command_where_it_stands(trec_eval: Command) -> None:
    """Measures before it must exist; their parameters, other values and whatever follows are not looked at."""
    for before in (["-mnap"], ["-mP."], ["-x"], ["--trec-version", "9", "-mdcg"]):
        code, out, err = trec_eval(*before, "-v")
        assert (code, out, "trec_eval version" in err) == (1, "", False), before
    for around in (["-v", "-mnap"], ["-v", "-x"], ["-mP.0", "-v"], ["-l0", "-R", "x", "-h", "-v"]):
        code, out, err = trec_eval(*around)
        assert (code, out, err.startswith("trec_eval version 10.0 ")) == (0, "", True), around


def test_numbers_as_c_reads_them(trec_eval: Command, tmp_path: Path) -> None:
    """Grades 1.9 and 0.9 are 1 and 0, x is 0; scores 9,5 and text are 9 and 0, nan stands last; fields may follow."""
    qrels = "q 0 a 1.9\nq 0 b 0.9\nq 0 c x\nq 0 d -3\nq 0 e 12\nq 0 f 3z\n"
    run = "q 0 a 1 9,5 t\nq 0 b 1 9.25 t and more fields\nq 0 c 1 text t\n\n   \nq 0 d 1 nan t\nq 0 e 1 1e999 t\n"
    run += " # a comment\nq 0 f 1 -inf t"
    code, out, err = trec_eval("-q", "-mrelstring", "-mndcg", *written(tmp_path, qrels, run))
    assert (code, err) == (0, "")
    assert rows(out)["relstring", "q"] == "'>0103.'"


def test_comments_and_blank_lines(trec_eval: Command, tmp_path: Path) -> None:
    """Version 10 knows comments, 9 does not; blank lines are malformed in judgments only."""
    paths = written(tmp_path, "# one\n# two\n" + QRELS, "#\n" + RUN)
    assert trec_eval(*paths)[0] == 0
    code, _, err = trec_eval("--trec-version", "9", *paths)
    assert (code, "line 1" in err) == (2, True)
    code, _, err = trec_eval(*written(tmp_path, QRELS + "\n", RUN))
    assert (code, "line 7" in err) == (2, True)
    assert trec_eval(*written(tmp_path, QRELS, "\n" + RUN + " \n"))[0] == 0
    assert trec_eval(*written(tmp_path, "", RUN))[0] == 2


def test_topics_without_results(trec_eval: Command, tmp_path: Path) -> None:
    """Version 10 stops at the first one, or with -c counts it 0; version 9 leaves it out, with -c of the lines only."""
    run = "".join(line + "\n" for line in RUN.splitlines() if not line.startswith("q10 "))
    paths = written(tmp_path, QRELS, run + "unknown Q0 a 1 1 t\n")
    asked = ("-q", "-mnum_q", "-mnum_ret", "-mnum_rel", "-mmap", "-mgm_map", "-mrelstring", "-mset_P", *paths)

    code, out, err = trec_eval(*asked)
    assert code == 4
    assert err == "untied trec_eval: the results lack topic q10; with -c it counts 0\n"
    assert {topic for _, topic in rows(out)} == {"q1"}

    code, out, err = trec_eval("-c", *asked)
    assert (code, err) == (0, "")
    found = rows(out)
    assert [found[name, "q10"] for name in ("num_ret", "num_rel", "map", "relstring")] == ["0", "1", "0.0000", "''"]
    summary = {"num_q": "3", "num_ret": "6", "num_rel": "4", "map": "0.4833", "gm_map": "0.0165"}
    assert {name: found[name, "all"] for name in summary} == summary

    code, out, err = trec_eval("--trec-version", "9", *asked)
    assert (code, err) == (0, "")
    found = rows(out)
    assert {topic for _, topic in found} == {"q1", "q2", "all"}
    summary = {"num_q": "2", "num_ret": "6", "num_rel": "3", "map": "0.7250", "gm_map": "0.6708"}
    assert {name: found[name, "all"] for name in summary} == summary

    found = rows(trec_eval("--trec-version", "9", "-c", *asked)[1])
    assert {topic for _, topic in found} == {"q1", "q2", "all"}
    summary = {"num_q": "3", "num_ret": "6", "num_rel": "4", "map": "0.4833", "gm_map": "0.0165"}
    assert {name: found[name, "all"] for name in summary} == summary

    # -l has no effect on the summary's number of relevant documents where -c is given.
    assert rows(trec_eval("-c", "-l2", *asked)[1])["num_rel", "all"] == "4"


def test_the_stand_in_for_an_absent_topic(trec_eval: Command, tmp_path: Path) -> None:
    """Version 10 ranks one unknown document for it, then empties some values, by their printed names."""
    paths = written(tmp_path, "q 0 a 1\nr 0 a 1\n", "q 0 a 1 1 t\n")
    plain = rows(trec_eval("-qcmutility", "-mrbp_resid", "-munj", "-mnum_ret", *paths)[1])
    assert [plain[name, "r"] for name in ("utility", "rbp_resid", "unj_5", "num_ret")] == ["0.0000"] * 3 + ["0"]
    given = rows(trec_eval("-qcmutility.2,-3,0.5,0", "-mrbp_resid.p=0.5", "-mset_P", *paths)[1])
    names = ("utility_2,-3,0.5,0", "rbp_resid_p=0.5", "set_P")
    assert [given[name, "r"] for name in names] == ["-2.5000", "1.0000", "0.0000"]
    for name, shown in (("relstring", "''"), ("relstring.1", "'-'"), ("relstring.20", "'-'"), ("relstring.0", "''")):
        given = rows(trec_eval("-qc", "-m", name, *paths)[1])
        assert given[name.replace(".", "_"), "r"] == shown
    # Without it: -J takes it out, -M0 cuts it off.
    for option in ("-J", "-M0"):
        given = rows(trec_eval("-qcmutility.2,-3,0.5,0", "-mrelstring.20", option, *paths)[1])
        assert given["utility_2,-3,0.5,0", "r"] == "0.5000"
        assert given["relstring_20", "r"] == "''"


def test_no_topic_in_common(trec_eval: Command, tmp_path: Path) -> None:
    paths = written(tmp_path, "q 0 a 1\n", "r 0 a 1 1 t\n")
    assert trec_eval("--trec-version", "9", *paths)[:2] == (7, "")
    assert trec_eval("--trec-version", "9", "-c", *paths)[:2] == (7, "")
    assert trec_eval(*paths)[:2] == (4, "")
    assert rows(trec_eval("-c", "-mnum_q", "-mmap", *paths)[1]) == {("num_q", "all"): "1", ("map", "all"): "0.0000"}
    for measure in ("num_q", "runid"):  # although they depend on no ranking
        assert trec_eval("-m", measure, *paths)[:2] == (4, "")
    assert trec_eval("-c", "-mnum_q", *paths)[:2] == (0, "num_q                 \tall\t1\n")


@pytest.mark.parametrize("blank", ["\n", "  \n\t\n", "\n\n  ", "   "])
def test_results_of_blank_lines(trec_eval: Command, tmp_path: Path, blank: str) -> None:
    """They are results without a topic; an empty file cannot be read."""
    paths = written(tmp_path, QRELS, blank)
    assert trec_eval(*paths)[:2] == (4, "")
    assert trec_eval("--trec-version", "9", *paths)[:2] == (7, "")
    code, out, err = trec_eval("-c", *paths)
    assert (code, err) == (0, "")
    assert (rows(out)["num_ret", "all"], rows(out)["map", "all"]) == ("0", "0.0000")
    assert trec_eval("-c", *written(tmp_path, QRELS, ""))[0] == 2


@pytest.mark.parametrize(("options", "code"), [(["-c"], 0), ([], 4), (["--trec-version", "9"], 7)])
def test_empty_standard_input(tmp_path: Path, options: list[str], code: int) -> None:
    """It has no results, as a file of blank lines."""
    qrels, run = written(tmp_path, QRELS, "\n")
    command = [sys.executable, "-m", "untied", "trec_eval", "-q", *options, str(qrels)]
    empty = subprocess.run([*command, "-"], input="", capture_output=True, text=True, check=False)
    blank = subprocess.run([*command, str(run)], capture_output=True, text=True, check=False)
    assert (empty.returncode, empty.stdout) == (blank.returncode, blank.stdout)
    assert empty.returncode == code
    if code == 0:
        assert (rows(empty.stdout)["num_q", "all"], rows(empty.stdout)["map", "all"]) == ("3", "0.0000")


def test_nan_stands_last_whatever_the_other_documents_are_called(trec_eval: Command, tmp_path: Path) -> None:
    """trec_eval ranks z first, as if it were tied: its rank there depends on ids and on the C library's sort."""
    paths = written(tmp_path, "q 0 z 1\nq 0 a 0\n", "q 0 z 1 nan t\nq 0 a 1 1 t\nq 0 b 1 -inf t\n")
    assert rows(trec_eval("-q", "-mrelstring", *paths)[1])["relstring", "q"] == "'01-'"


def test_arithmetic_step_by_step(trec_eval: Command, tmp_path: Path) -> None:
    """set_F of 51 relevant documents among 863, of 97, is .10625, which trec_eval's quotients of quotients miss."""
    qrels = "".join(f"q 0 r{i} 1\n" for i in range(97))
    run = "".join(f"q 0 {'r' if i < 51 else 'x'}{i} 1 1 t\n" for i in range(863))
    paths = written(tmp_path, qrels, run)
    for version in ("9", "10"):
        assert rows(trec_eval("--trec-version", version, "-m", "set_F", *paths)[1])["set_F", "all"] == "0.1063"


@pytest.mark.parametrize("parameter", ["", ".0.5", ".3", ".0.37"])
def test_set_f_to_the_last_bit(parameter: str) -> None:
    pytrec_eval = pytest.importorskip("pytrec_eval")
    from untied.compat import pytrec_eval as ours

    random = seeded(7)
    qrels: dict[str, dict[str, int]] = {}
    run: dict[str, dict[str, float]] = {}
    for topic in range(400):
        relevant, retrieved = random.randint(0, 90), random.randint(1, 300)
        hits = random.randint(0, min(relevant, retrieved))
        qrels[f"t{topic}"] = {f"r{i}": 1 for i in range(relevant)} | {"other": 0}
        run[f"t{topic}"] = {f"{'r' if i < hits else 'x'}{i}": float(i) for i in range(retrieved)}
    theirs, mine = (
        module.RelevanceEvaluator(qrels, {f"set_F{parameter}"}).evaluate(run) for module in (pytrec_eval, ours)
    )
    assert {topic: values["set_F"] for topic, values in theirs.items()} == {
        topic: values["set_F"] for topic, values in mine.items()
    }


@pytest.mark.parametrize("p", [0.9, 0.8, 0.123])
def test_rbp_resid_adds_powers_one_by_one(tmp_path: Path, p: float) -> None:
    """Version 10 multiplies by p rank by rank. Means over few topics are often halves of the last digit printed, which
    a last bit decides."""
    random = Random(int(1000 * p))
    name = "rbp_resid" if p == 0.9 else f"rbp_resid.p={p}"
    for _ in range(many(100, nightly=3000)):
        qrels, run, values = ["t0 0 elsewhere 1\n"], [], []
        for topic in range(random.choice([2, 2, 4, 8])):
            power, total = 1.0, 0.0
            for rank in range(random.randint(1, 6)):
                kind = random.choice("jnu")
                if kind != "n":
                    qrels.append(f"t{topic} 0 d{rank} {0 if kind == 'j' else -1}\n")
                run.append(f"t{topic} 0 d{rank} 1 {-rank} t\n")
                if kind != "j":
                    total += power
                power *= p
            qrels.append(f"t{topic} 0 elsewhere{topic} 1\n")
            values.append(power + (1 - p) * total if total else 0.0)
        found = rows(report(*written(tmp_path, "".join(qrels), "".join(run)), [name], 10))
        shown = [*values, sum(values) / len(values)]
        assert list(found.values()) == [f"{value:.4f}" for value in shown]


def test_duplicates(trec_eval: Command, tmp_path: Path) -> None:
    """They end the report at their topic, whatever their grades; elsewhere nobody sees them."""
    twice = RUN + "q10 Q0 y 1 5 t\n"
    code, out, err = trec_eval("-q", "-mmap", *written(tmp_path, QRELS, twice))
    assert (code, rows(out)) == (4, {("map", "q1"): "0.4500"})
    assert err == 'untied trec_eval: document "y" appears twice in topic q10 of the results\n'
    for again in ("q2 0 a 1\n", "q2 0 a 0\n"):
        code, out, err = trec_eval("-q", "-mmap", *written(tmp_path, QRELS + again, RUN))
        assert (code, list(rows(out))) == (4, [("map", "q1"), ("map", "q10")])
        assert err == 'untied trec_eval: document "a" appears twice in topic q2 of the judgments\n'
    assert trec_eval(*written(tmp_path, QRELS, RUN + 2 * "unknown Q0 y 1 5 t\n"))[0] == 0
    unused = QRELS + 2 * "q3 0 a 1\n"
    assert trec_eval("--trec-version", "9", *written(tmp_path, unused, RUN))[0] == 0
    assert trec_eval("-c", *written(tmp_path, unused, RUN))[0] == 4


def test_depth_then_judged_documents(trec_eval: Command, files: tuple[Path, Path]) -> None:
    """-M cuts the sorted ranking, -J then takes out what is not judged, negative grades included."""

    def shown(*options: str) -> tuple[str, str]:
        found = rows(trec_eval("-q", "-mrelstring", "-mnum_ret", *options, *files)[1])
        return found["relstring", "q1"], found["num_ret", "q1"]

    assert shown() == ("'01.-2'", "5")
    assert shown("-M4") == ("'01.-'", "4")
    assert shown("-J") == ("'012'", "3")
    assert shown("-J", "-M4") == ("'01'", "2")
    assert shown("-M0") == shown("-M-3") == ("''", "0")
    assert shown("-M9999999999999999999999") == shown()


def test_single_precision_in_version_9(trec_eval: Command, tmp_path: Path) -> None:
    run = "q 0 a 1 1.000000002 t\nq 0 b 2 1.000000001 t\nq 0 c 3 1e39 t\nq 0 d 3 1e40 t\n"
    paths = written(tmp_path, "q 0 a 1\nq 0 b 2\nq 0 c 3\nq 0 d 4\n", run)
    assert rows(trec_eval("-q", "-mrelstring", *paths)[1])["relstring", "q"] == "'4312'"
    run = "q 0 d 1 1.000000002 t\nq 0 a 2 1.000000001 t\nq 0 c 3 1e39 t\nq 0 b 3 1e40 t\n"
    paths = written(tmp_path, "q 0 a 1\nq 0 b 2\nq 0 c 3\nq 0 d 4\n", run)
    assert rows(trec_eval("-q", "-mrelstring", *paths)[1])["relstring", "q"] == "'2341'"
    nine = trec_eval("-q", "--trec-version", "9", "-mrelstring", *paths)[1]
    assert rows(nine)["relstring", "q"] == "'3241'"


def test_deviations(trec_eval: Command, files: tuple[Path, Path], tmp_path: Path) -> None:
    """Values above their means in standard deviations; a million below where there are none."""
    zscores = tmp_path / "zscores"
    zscores.write_text("q1 map 0.2 0.5\nq1 num_ret 3 4\nq10 map 0.0 0\nq10 num_ret 1 0\nq2 map 0.5 0\n")
    code, out, err = trec_eval("-q", "-Z", zscores, "-mmap", "-mnum_ret", "-mnum_q", "-mrunid", *files)
    assert (code, err) == (0, "")
    assert out.startswith("Znum_ret               \tq1\t0.5000\nZmap                   \tq1\t0.5000\n")
    assert "runid                 \tall\tnew\nZnum_q                 \tall\t3.0000\n" in out
    found = rows(out)
    values = [found[name, topic] for topic in ("q10", "q2") for name in ("Zmap", "Znum_ret")]
    assert values == ["0.0000", "0.0000", "-1000000.0000", "-1000000.0000"]
    assert found["Zmap", "all"] == "-333333.1667"
    assert found["Znum_ret", "all"] == "-999999.5000"
    zscores.write_text("q1 map 0.2\n")
    assert trec_eval("-Z", zscores, *files)[0] == 255


def test_pipes(files: tuple[Path, Path], tmp_path: Path) -> None:
    """Results from standard input, a reader that stops early, ids that are no UTF-8."""
    command = [sys.executable, "-m", "untied", "trec_eval"]
    done = subprocess.run([*command, "-mmap", files[0], "-"], input=RUN.encode(), capture_output=True, check=True)
    assert done.stdout == b"map                   \tall\t0.4833\n"
    many = tmp_path / "many"
    many.write_text("".join(f"{topic} 0 a 1 1 t\n" for topic in range(20_000)))
    qrels = tmp_path / "manyq"
    qrels.write_text("".join(f"{topic} 0 a 1\n" for topic in range(20_000)))
    process = subprocess.Popen(
        [*command, "-q", "-mall_trec", qrels, many], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.read(100)
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait() == 0
    odd = tmp_path / "odd"
    odd.write_bytes(b"\xff\xe9 0 \xe9 1\n")
    run = b"\xff\xe9 0 \xe9 1 1 t\xfc\n"
    done = subprocess.run([*command, "-qmmap", "-mrunid", odd, "-"], input=run, capture_output=True, check=True)
    expected = b"map                   \t\xff\xe9\t1.0000\n"
    assert done.stdout == expected + b"runid                 \tall\tt\xfc\nmap                   \tall\t1.0000\n"


def test_long_reports_are_whole(trec_eval: Command, tmp_path: Path) -> None:
    """A report is written in pieces; nothing is lost between them."""
    topics = sorted(str(topic) for topic in range(10_000))
    qrels = "".join(f"{topic} 0 a 1\n" for topic in topics)
    run = "".join(f"{topic} 0 {'a' if int(topic) % 3 else 'b'} 1 1 t\n" for topic in topics)
    out = trec_eval("-q", "-mmap", *written(tmp_path, qrels, run))[1]
    expected = [f"map                   \t{topic}\t{float(int(topic) % 3 > 0):.4f}" for topic in topics]
    assert out.splitlines() == [*expected, "map                   \tall\t0.6666"]


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """trec_eval's own tests."""
    folder = tmp_path_factory.mktemp("suite")
    with tarfile.open(DATA / "trec_eval_suite" / "test.tar.xz") as tar:
        tar.extractall(folder, filter="data")
    return folder / "test"


@pytest.mark.parametrize("level", [1, 2])
@pytest.mark.parametrize("judged_only", [False, True])
def test_random_files_in_version_9(trec_eval: Command, tmp_path: Path, level: int, judged_only: bool) -> None:
    """Ties, negative grades, unjudged documents, other topics: all lines equal pytrec_eval's values."""
    pytrec_eval = pytest.importorskip("pytrec_eval")
    random = Random(f"{level} {judged_only}")
    documents = [f"d{i}" for i in range(40)]
    run = {
        f"t{i}": {doc: random.randint(0, 12) / 4 for doc in random.sample(documents, random.randint(1, 30))}
        for i in range(60)
    }
    qrels = {
        f"t{i}": {"best": 3, **{doc: random.randint(-2, 3) for doc in random.sample(documents, random.randint(1, 30))}}
        for i in range(5, 65)
    }
    flags = {"relevance_level": level, "judged_docs_only_flag": judged_only}
    theirs = pytrec_eval.RelevanceEvaluator(qrels, {"all_trec"}, **flags).evaluate(run)
    paths = written(
        tmp_path,
        "".join(f"{topic} 0 {doc} {grade}\n" for topic, docs in qrels.items() for doc, grade in docs.items()),
        "".join(f"{topic} 0 {doc} 1 {score} t\n" for topic, docs in run.items() for doc, score in docs.items()),
    )
    options = ("-J",) if judged_only else ()
    code, out, err = trec_eval("--trec-version", "9", "-qnmall_trec", f"-l{level}", *options, *paths)
    assert (code, err) == (0, "")
    values = {key: value for key, value in rows(out).items() if key[0] != "relstring"}
    assert len(values) == 55 * 90
    for (name, topic), value in values.items():
        expected = theirs[topic][name]
        if isnan(expected):
            # 0 / 0: interpolated precision where -J leaves nothing.
            assert judged_only
            assert name.startswith(("iprec_at_recall", "11pt_avg"))
            assert values["num_ret", topic] == "0"
            expected = 0.0
        assert value == f"{expected:{'.0f' if name.startswith('num_') else '.4f'}}", (name, topic)


SUITE = """\
qrels.test results.test -> out.test
qrels.test.with-comments results.test -> out.test
qrels.comment.test results.comment.test -> out.comment.test
-m all_trec qrels.test results.test -> out.test.a
-m all_trec -q qrels.test results.test -> out.test.aq
-m all_trec -q -c qrels.test results.trunc -> out.test.aqc
-m all_trec -q -c -M100 qrels.test results.trunc -> out.test.aqcM
-m all_trec -mrelstring.20 -q -l2 qrels.rel_level results.test -> out.test.aql
-m all_prefs -q -R prefs prefs.test prefs.results.test -> out.test.prefs
-m all_prefs -q -R prefs prefs.comment.test prefs.results.test -> out.test.prefs
-m all_prefs -q -R qrels_prefs qrels.test results.test -> out.test.qrels_prefs
-m qrels_jg -q -R qrels_jg qrels.123 results.test -> out.test.qrels_jg
-m qrels_jg -q -R qrels_jg qrels.comments.123 results.test -> out.test.qrels_jg
-q -miprec_at_recall..10,.20,.25,.75,.50 -m P.5,7,3 -m recall.20,2000 -m Rprec_mult.5.0,0.2,0.35 -mutility.2,-1,0,0 \
-m 11pt_avg..25,.5,.75 -mndcg.1=3,2=9,4=4.5 -mndcg_cut.10,20,23.4 -msuccess.2,5,20 \
qrels.test results.test -> out.test.meas_params
-q -m all_trec -Z zscores_file qrels.test results.test -> out.test.aqZ
"""


@needs_data
@pytest.mark.parametrize("line", SUITE.splitlines())
def test_suite(trec_eval: Command, suite: Path, monkeypatch: pytest.MonkeyPatch, line: str) -> None:
    """The commands of trec_eval's `make quicktest`, byte for byte."""
    monkeypatch.chdir(suite)
    arguments, expected = line.split(" -> ")
    assert trec_eval(*arguments.split()) == (0, Path(expected).read_text(), "")


def report(qrels: Path, run: Path, measures: list[str], version: int, summary: bool = True) -> str:
    """The command's report, without the command: 130 runs in a few seconds."""
    asked: TrecOptions = {**defaults(), "version": version, "measures": measures, "per_topic": True, "summary": summary}
    found = TrecReport(qrels, run, asked)
    text = b"".join(found).decode()
    assert found.failure is None
    return text


@needs_data
@pytest.mark.parametrize(
    ("collection", "archive", "runs"),
    [("trec8", "published-eval.tar.xz", 129), ("robust03", "trec_eval-10.tar.xz", 17)],
)
def test_published(unpacked: Callable[[str], Path], collection: str, archive: str, runs: int) -> None:
    """TREC's runs as trec_eval 10 evaluated them, every line; Robust's come without rbp."""
    folder = unpacked(collection)
    left_out = ("rbp ", "rbp_resid ") if collection == "robust03" else ()
    compared = 0
    with tarfile.open(DATA / collection / archive) as tar:
        for member in tar:
            content = tar.extractfile(member)
            if content is None:
                continue
            run = Path(member.name).name.removeprefix("eval.")
            mine = report(folder / "qrels.txt", folder / f"{run}.run", ["all_trec"], 10)
            lines = [line for line in mine.splitlines() if not line.startswith(left_out)]
            assert lines == content.read().decode().splitlines(), run
            compared += 1
    assert compared == runs


@needs_data
@pytest.mark.parametrize("rate", ["0.02", "0.1"])
def test_sampled_judgments_in_version_9(unpacked: Callable[[str], Path], tmp_path: Path, rate: str) -> None:
    """Judgments of a sample, the rest of the pool as -1: what trec_eval 9.0.8 makes of all 129 runs."""
    folder = unpacked("trec8")
    names = ["num_rel", "num_rel_ret", "map", "bpref", "infAP", "num_nonrel_judged_ret"]
    qrels = tmp_path / "qrels"
    qrels.write_bytes(lzma.decompress((DATA / "trec8" / f"sampled-{rate}.qrels.xz").read_bytes()))
    published: dict[str, list[list[str]]] = {}
    with gzip.open(DATA / "trec8" / f"sampled-{rate}.trec_eval-9.0.8.txt.gz", "rt") as lines:
        for line in lines:
            run, *value = line.split()
            published.setdefault(run, []).append(value)
    assert len(published) == 129
    for run, values in published.items():
        mine = report(qrels, folder / f"{run}.run", names, 9)
        assert sorted(line.split() for line in mine.splitlines()) == sorted(v for v in values if v[0] in names), run


@needs_data
def test_pytrec_eval_is_version_9(unpacked: Callable[[str], Path]) -> None:
    """All of its measures, on runs with many ties; uwmt8a0 has scores that tie in 32 bits only."""
    pytrec_eval = pytest.importorskip("pytrec_eval")
    for collection, runs in {"trec8": ["uwmt8a0", "disco1", "cirtrc82"], "robust03": [None]}.items():
        folder = unpacked(collection)
        with (folder / "qrels.txt").open() as lines:
            judgments = pytrec_eval.parse_qrel(lines)
        evaluator = pytrec_eval.RelevanceEvaluator(judgments, {"all_trec"})
        for run in runs:
            path = folder / f"{run}.run" if run else min(folder.glob("*.run"))
            with path.open(errors="surrogateescape") as lines:
                theirs = evaluator.evaluate(pytrec_eval.parse_run(lines))
            mine = rows(report(folder / "qrels.txt", path, ["all_trec"], 9, summary=False))
            compared = 0
            for (name, topic), value in mine.items():
                if name != "relstring":
                    whole = name.startswith("num_")
                    assert value == f"{theirs[topic][name]:{'.0f' if whole else '.4f'}}", (path.name, name, topic)
                    compared += 1
            assert compared == 90 * len(theirs)
