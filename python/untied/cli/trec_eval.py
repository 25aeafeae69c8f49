"""``untied trec_eval``: trec_eval's command line."""

from __future__ import annotations

import sys

from untied._core import TrecReport, __version__, explain_measures
from untied.cli.command import Command
from untied.results.writing import write_out

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from untied._types import TrecOptions

#: Options of one letter; a colon stands after those that take an argument.
LETTERS = "hvqm:cl:nD:JN:M:R:T:oZ:"

#: Long options: the letter that means the same, or a name of its own.
NAMES = {
    "help": "h",
    "version": "v",
    "query_eval_wanted": "q",
    "measure": "m:",
    "complete_rel_info_wanted": "c",
    "level_for_rel": "l:",
    "nosummary": "n",
    "Debug_level": "D:",
    "Judged_docs_only": "J",
    "Number_docs_in_coll": "N:",
    "Max_retrieved_per_topic": "M:",
    "Rel_info_format": "R:",
    "Results_format": "T:",
    "Output_old_results_format": "o:",
    "Zscore": "Z:",
    "trec-version": "trec-version:",
}

USAGE = """\
usage: untied trec_eval [-h] [-v] [-q] [-n] [-c] [-J] [-m MEASURE[.PARAMETERS]]... [-l NUM] [-M NUM] [-N NUM]
                        [-R FORMAT] [-T FORMAT] [-Z FILE] [-D NUM.TOPIC] [--trec-version 9|10] REL_INFO RESULTS
"""

HELP = f"""\
{USAGE}
Evaluate RESULTS against the judgments of REL_INFO as trec_eval does. The report and the exit codes are the same as
trec_eval's. RESULTS can be - for standard input. Files may be compressed (gzip, zstd, xz).

  -m, --measure MEASURE               compute MEASURE, such as P.5,10 or all_trec (repeatable; default: official)
  -q, --query_eval_wanted             also print the values of every topic
  -n, --nosummary                     do not print the summary of all topics
  -c, --complete_rel_info_wanted      count topics without results as 0
  -l, --level_for_rel NUM             set the lowest grade that counts as relevant (default: 1)
  -J, --Judged_docs_only              remove unjudged documents from the results
  -M, --Max_retrieved_per_topic NUM   evaluate only the first NUM documents of each topic
  -N, --Number_docs_in_coll NUM       set the collection's number of documents, for the measure utility (default: 0)
  -R, --Rel_info_format FORMAT        read judgments in the format qrels (default), prefs, qrels_prefs or qrels_jg
  -T, --Results_format FORMAT         read results in the format trec_results (default)
  -Z, --Zscore FILE                   print z-scores instead of values; FILE has means and standard deviations
  -D, --Debug_level NUM.TOPIC         evaluate only TOPIC
  -o                                  no effect, as in trec_eval
  --trec-version 9|10                 choose the version of trec_eval to imitate (default: 10)
  -h, --help                          show this help, and describe the measures given with -m
  -v, --version                       show the version

Each line of REL_INFO has a topic, an iteration (or group), a document and a grade. Each line of RESULTS has a topic, an
iteration, a document, a rank, a score and a tag. Fields are separated by white space. Lines that begin with # are
comments. Documents are sorted by score, highest first. Documents with equal scores are sorted by id, descending.

docs/trec_eval.md lists the cases in which the output differs from trec_eval's.
"""


class TrecEvalUsageError(Exception):
    """Arguments that the command does not take."""


def defaults() -> TrecOptions:
    """The default options."""
    return {
        "version": 10,
        "measures": [],
        "per_topic": False,
        "summary": True,
        "complete": False,
        "judged_only": False,
        "level": "1",
        "collection": "0",
        "depth": None,
        "judgments": "qrels",
        "results": "trec_results",
        "deviations": None,
        "topic": None,
    }


COMMAND = Command(
    "trec_eval", "take trec_eval's options, and print what trec_eval prints", USAGE, listed_after="measures"
)


@COMMAND.run
def main(arguments: Sequence[str]) -> int:
    """Run the command."""
    given = defaults()
    files, wants_help = [], False
    try:
        for option, value in read(arguments):
            if option == "":
                files.append(value)
            elif option == "v":
                # trec_eval looks up each measure as it reads the option, and the rest only after the last one.
                _, failure = explain_measures(
                    {**defaults(), "version": given["version"], "measures": given["measures"]}
                )
                if failure is not None and failure[0] == 1:
                    return told(failure, meant(given))
                version = "9.0.8" if given["version"] == 9 else "10.0"
                print(f"trec_eval version {version} (untied {__version__})", file=sys.stderr)
                return 0
            elif option == "h":
                wants_help = True
            else:
                take(given, option, value)
        if wants_help:
            return explain(given)
        if len(files) != 2:
            raise TrecEvalUsageError(f"two files are needed, not {len(files)}")
    except TrecEvalUsageError as error:
        print(f"untied trec_eval: {error}\n{USAGE}", end="", file=sys.stderr)
        return 1
    report = TrecReport(files[0], files[1], given)
    write_out(report)
    return told(report.failure, meant(given))


def take(given: TrecOptions, option: str, value: str) -> None:
    """Note an option."""
    if option == "q":
        given["per_topic"] = True
    elif option == "n":
        given["summary"] = False
    elif option == "c":
        given["complete"] = True
    elif option == "J":
        given["judged_only"] = True
    elif option == "m":
        given["measures"].append(readable(value))
    elif option == "l":
        given["level"] = readable(value)
    elif option == "N":
        given["collection"] = readable(value)
    elif option == "M":
        given["depth"] = readable(value)
    elif option == "R":
        given["judgments"] = readable(value)
    elif option == "T":
        given["results"] = readable(value)
    elif option == "Z":
        given["deviations"] = value
    elif option == "D":
        _, dot, topic = readable(value).partition(".")
        if dot:
            given["topic"] = topic
    elif option == "trec-version":
        if value not in ("9", "10"):
            raise TrecEvalUsageError(f"--trec-version must be 9 or 10, not {readable(value)!r}")
        given["version"] = int(value)


def readable(text: str) -> str:
    """Replace bytes that are not valid UTF-8 by backslash escapes."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def explain(given: TrecOptions) -> int:
    """Print the help, and describe the requested measures."""
    text, failure = (
        explain_measures(given) if given["measures"] else ("Use -m MEASURE -h to describe a measure.\n", None)
    )
    if failure is None:
        write_out([f"{HELP}\n{text}".encode()])
    return told(failure, meant(given))


def meant(given: TrecOptions) -> dict[str, str]:
    """Measures that trec_eval knows only in small letters, by the names that were given."""
    odd = [name for name in given["measures"] if name != name.lower()]
    known = [name for name in odd if explain_measures({**given, "measures": [name.lower()]})[1] is None]
    return {name: name.lower() for name in known}


def told(failure: tuple[int, str] | None, others: dict[str, str]) -> int:
    """Print an error, with the names to use for measures that are unknown, and return the exit code."""
    if failure is None:
        return 0
    code, message = failure
    hints = [
        f"; did you mean {its}?" for name, its in others.items() if message.startswith(f'unknown measure "{name}"')
    ]
    print(f"untied trec_eval: {message}{''.join(hints)}", file=sys.stderr)
    return code


def read(arguments: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Options with their arguments, and files (with an empty name), parsed as by C's ``getopt_long``.

    Letters may be combined (``-qc``), and an argument may follow its letter directly (``-M100``). Long options may be
    abbreviated. Options may follow files, but not ``--``.
    """
    rest = list(arguments)
    while rest:
        argument = rest.pop(0)
        if argument == "--":
            yield from (("", file) for file in rest)
            return
        if argument.startswith("--"):
            name, equals, value = argument[2:].partition("=")
            option = named(name)
            if option[-1] == ":" and not equals:
                value = following(rest, argument)
            elif equals and option[-1] != ":":
                raise TrecEvalUsageError(f"option --{readable(name)} takes no argument")
            yield option.rstrip(":"), value
        elif argument[0:1] == "-" and argument != "-":
            letters = argument[1:]
            while letters:
                option, letters = letters[0], letters[1:]
                if option not in LETTERS.replace(":", ""):
                    raise TrecEvalUsageError(f"unknown option -{readable(option)}")
                value = ""
                if f"{option}:" in LETTERS:
                    value, letters = letters or following(rest, f"-{option}"), ""
                yield option, value
        else:
            yield "", argument


def named(name: str) -> str:
    """The long option with this name or prefix."""
    options = {option for long, option in NAMES.items() if long == name} or {
        option for long, option in NAMES.items() if long.startswith(name)
    }
    if len(options) != 1:
        raise TrecEvalUsageError(f"{'ambiguous' if options else 'unknown'} option --{readable(name)}")
    return options.pop()


def following(rest: list[str], option: str) -> str:
    """Take the next word as the argument of an option."""
    if not rest:
        raise TrecEvalUsageError(f"option {readable(option)} needs an argument")
    return rest.pop(0)
