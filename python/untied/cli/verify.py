"""``untied verify``: whether a certificate of ``untied certify`` holds."""

from __future__ import annotations

from untied.cli.command import Command
from untied.cli.options import QRELS, RUNS, Arguments

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse


EXAMPLES = """\
  untied certify qrels.txt old.run new.run -m P@10 --certificate p10.json
  untied verify p10.json qrels.txt old.run new.run

The exit code is 0 if every claim in the certificate is proved. The exit code is
1 if a claim is not proved, or if an input file has changed. The exit code is 2
if a file cannot be read.

The code that checks certificates is one file of plain Python,
untied/verdicts/verify.py. You can also run this file without untied.
"""


COMMAND = Command(
    "verify",
    "check a certificate that untied certify wrote",
    EXAMPLES,
    listed_after="certify",
)


@COMMAND.declare
def declare(arguments: Arguments) -> None:
    """Declare the command's arguments."""
    arguments.add_argument("certificate", metavar="CERTIFICATE", help="a file that untied certify --certificate wrote")
    arguments.add_argument("qrels", metavar="QRELS", help=QRELS)
    arguments.add_argument("runs", metavar="RUN", nargs="+", help=RUNS)


@COMMAND.run
def main(options: argparse.Namespace) -> int:
    """Run the command."""
    from untied.verdicts.verify import main as check

    return int(check([options.certificate, options.qrels, *options.runs]))
