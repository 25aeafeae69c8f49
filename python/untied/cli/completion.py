"""``untied completion``: scripts that complete commands, options and their values, made from the parsers."""

from __future__ import annotations

from importlib import import_module

from untied.cli.command import Command
from untied.cli.commands import COMMANDS
from untied.cli.options import Arguments
from untied.cli.output import write

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Iterator
    from typing import Any

    from untied.cli.usage import FullParser

EXAMPLES = """\
  source <(untied completion bash)       # in ~/.bashrc
  source <(untied completion zsh)        # in ~/.zshrc, below compinit
  untied completion fish | source        # in ~/.config/fish/config.fish
"""


COMMAND = Command(
    "completion",
    "print a script that completes commands in your shell",
    EXAMPLES,
    listed_after="trec_eval",
)


@COMMAND.declare
def declare(arguments: Arguments) -> None:
    """Declare the command's arguments."""
    arguments.add_argument("shell", metavar="SHELL", choices=tuple(SCRIPTS), help="bash, zsh or fish")


@COMMAND.run
def main(options: argparse.Namespace) -> None:
    """Run the command."""
    write(SCRIPTS[options.shell](), None)


def _parsers() -> Iterator[tuple[str, FullParser]]:
    """Commands, and studies as ``study NAME``, with their parsers; trec_eval has options of its own."""
    for command in COMMANDS:
        module = import_module(f"untied.cli.{command.replace('-', '_')}")
        if command == "study":
            for study in module.study.STUDIES:
                yield f"study {study}", module.arguments_parser(study).full()
        elif command != "trec_eval":
            yield command, module.COMMAND.arguments().full()


def _names(action: argparse.Action) -> list[str]:
    return list(action.option_strings)


def _values(action: argparse.Action, command: str) -> list[str]:
    """The values that an option or argument accepts, if they are a fixed list."""
    policy = getattr(action.type, "__self__", None)
    values: Iterable[Any] = action.choices or getattr(policy, "values", ()) or ()
    if action.metavar == "MEASURE":
        from untied._core import measure_info

        measures = measure_info(comparing=command == "compare")
        values = [info["name"] + ("@10" if info["cutoff"] == "required" else "") for info in measures]
        if command in ("eval", "stats") and "--sort-by" in action.option_strings:
            from untied.cli.sorting import WIDTH

            values.append(WIDTH)
    return [str(value) for value in values]


def _words() -> dict[str, list[str]]:
    """Words that may follow ``COMMAND``, and the values that may follow ``COMMAND OPTION``."""
    words = {"": [*COMMANDS, "-h", "--help", "-V", "--version"]}
    for command, made in _parsers():
        if command.startswith("study "):
            words.setdefault("study", ["--help"]).append(command.removeprefix("study "))
        words[command] = [name for action in made._actions for name in _names(action)]
        words[command] += [
            value for action in made._actions if not _names(action) for value in _values(action, command)
        ]
        for action in made._actions:
            for name in _names(action):
                if action.nargs != 0:
                    words[f"{command} {name}"] = _values(action, command)
    return words


def _cases() -> str:
    """The branches of a shell's ``case`` that set ``words``; no words means files."""
    return "".join(f'    "{key}") words="{" ".join(words)}" ;;\n' for key, words in _words().items())


def _words_function(say: str) -> str:
    """The function for bash and zsh that finds the words of a case and offers them by a shell command."""
    return f"""\
_untied_words() {{
  local words
  case "$1" in
{_cases()}    *) return 1 ;;
  esac
  {say} "$words"
}}
"""


def _bash() -> str:
    # Bash takes the = of --option=value for a word. Where there are no words to offer, readline completes files.
    return f"""\
{_words_function("printf '%s'")}\
_untied() {{
  local current="${{COMP_WORDS[COMP_CWORD]}}" previous="${{COMP_WORDS[COMP_CWORD-1]}}" command words
  COMPREPLY=()
  if [ "$current" = = ]; then current=""
  elif [ "$previous" = = ]; then previous="${{COMP_WORDS[COMP_CWORD-2]}}"; fi
  if [ "$COMP_CWORD" -gt 1 ]; then command="${{COMP_WORDS[1]}}"; fi
  if [ "$command" = study ] && [ "$COMP_CWORD" -gt 2 ]; then command="study ${{COMP_WORDS[2]}}"; fi
  if words="$(_untied_words "$command $previous")"; then :
  elif words="$(_untied_words "$command")"; then
    case "$command:$current" in :*|study:*|completion:*|measures:*|*:-*) ;; *) words="" ;; esac
  fi
  if [ -n "$words" ]; then
    compopt +o default 2>/dev/null
    COMPREPLY=($(compgen -W "$words" -- "$current"))
  fi
}}
complete -o default -F _untied untied
"""


def _zsh() -> str:
    return f"""\
#compdef untied
{_words_function("print -r --")}\
_untied() {{
  local current="${{words[CURRENT]}}" previous="${{words[CURRENT-1]}}" command="" found=""
  if [[ "$current" == --*=* ]]; then previous="${{current%%=*}}"; compset -P '*='; fi
  if (( CURRENT > 2 )); then command="${{words[2]}}"; fi
  if [[ "$command" == study ]] && (( CURRENT > 3 )); then command="study ${{words[3]}}"; fi
  if found="$(_untied_words "$command $previous")"; then :
  elif found="$(_untied_words "$command")"; then
    case "$command:$current" in :*|study:*|completion:*|measures:*|*:-*) ;; *) found="" ;; esac
  fi
  if [[ -n "$found" ]]; then compadd -- ${{=found}}; else _files; fi
}}
compdef _untied untied
"""


def _fish() -> str:
    def quoted(text: str) -> str:
        return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"

    lines = ["complete -c untied -n __fish_use_subcommand -f"]
    lines += [
        f"complete -c untied -n __fish_use_subcommand -a {name} -d {quoted(what)}" for name, what in COMMANDS.items()
    ]
    studies = [command.removeprefix("study ") for command, _ in _parsers() if command.startswith("study ")]
    which = f"__fish_seen_subcommand_from study ; and not __fish_seen_subcommand_from {' '.join(studies)}"
    lines.append(f"complete -c untied -n {quoted(which)} -f -a {quoted(' '.join(studies))}")
    for command, made in _parsers():
        seen = " ; and ".join(f"__fish_seen_subcommand_from {word}" for word in command.split())
        for action in made._actions:
            values = _values(action, command)
            if not _names(action):
                if values:
                    lines.append(f"complete -c untied -n {quoted(seen)} -f -a {quoted(' '.join(values))}")
                continue
            named = " ".join(f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}" for name in _names(action))
            takes = "" if action.nargs == 0 else f" -x -a {quoted(' '.join(values))}" if values else " -r"
            about = (action.help or "").partition("\n")[0] % {"prog": made.prog}
            lines.append(f"complete -c untied -n {quoted(seen)} {named}{takes} -d {quoted(about)}")
    return "\n".join(lines) + "\n"


#: What makes the script of a shell.
SCRIPTS = {"bash": _bash, "zsh": _zsh, "fish": _fish}
