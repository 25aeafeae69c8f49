"""Mutation testing: whether the tests of a room notice a small change of its code.

A rebuild of the core for every mutant would take days. Here all mutants of a sample are compiled into one build, in a
copy of the sources, and a variable chooses one when the program runs.
"""

from __future__ import annotations

import json
import math
import os
import random
import re
import resource
import subprocess
import sys
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from devtools import parts
from devtools.copies import copy_sources, write
from devtools.environment import BIN, ROOT, variables
from devtools.mutants import package, rust
from devtools.mutants.schemata import Mutant, render

WORK = ROOT / "target" / "mutants"
TREE = WORK / "tree"
LIBRARY = f"{parts.CORE}lib.rs"
CARGO_TARGET = WORK / "cargo"
#: The compiled core, which Python loads.
CORE = Path("python/untied/_core.abi3.so")
#: Survivors that no test can kill, each with the reason.
EQUIVALENT = Path(__file__).with_name("equivalent.toml")
#: What became of a mutant, and which test killed it.
Outcome = tuple[str, str]
#: Tests that every room has to face besides its own.
COMMON = ("tests/conformance/test_conformance.py", "tests/across/test_golden.py")


@dataclass
class Room:
    """A folder of sources, and a sample of its mutants in the order in which they were drawn."""

    name: str
    seed: int
    folder: str
    drawn: list[Mutant]
    #: All that could have been drawn.
    population: int
    #: The first of those drawn that compile.
    counted: list[Mutant] = field(default_factory=list)
    refused: int = 0


def mutants(rooms: Sequence[str], seeds: Sequence[int], count: int, processes: int, only: Sequence[str]) -> None:
    """Draw mutants of some rooms, build them, run the tests with each, and print what became of them."""
    sampled = [sample(room, seed, count) for seed in seeds for room in rooms]
    print(f"{count} mutants of each of {len(rooms)} rooms, for each seed of", *seeds, flush=True)
    numbered = compile_mutants(sampled, count)
    if only:
        numbered = {number: mutant for number, mutant in numbered.items() if f"{mutant.path}:{mutant.line}" in only}
    report(sampled, numbered, run_tests(sampled, numbered, processes))


def folder_of(room: str) -> str:
    """The folder of a room: of the core if there is one, unless it is named as a path."""
    for folder in (room, f"{parts.CORE}{room}", f"{parts.PYTHON}{room}"):
        if (ROOT / folder).is_dir():
            return folder.rstrip("/")
    sys.exit(f"no room has the name {room}: name a folder of {parts.CORE} or {parts.PYTHON}, or a path")


def sample(room: str, seed: int, count: int) -> Room:
    """Mutants of a room in random order: more than are counted, because some do not compile."""
    folder = folder_of(room)
    all_of_it: list[Mutant] = []
    tests = rust.files_of_tests(ROOT / folder)
    for path in sorted({*(ROOT / folder).rglob("*")} - tests):
        all_of_it += mutants_in(path)
    equal: Counter[str] = Counter()

    def draw(mutant: Mutant) -> float:
        """A number for each mutant that stays when others come and go, so that a sample outlives a commit."""
        name = f"{seed} {Path(mutant.path).name} {mutant.code} {mutant.change}"
        equal[name] += 1
        return random.Random(f"{name} {equal[name]}").random()

    drawn = sorted(all_of_it, key=draw)[: count + max(10, count // 2)]
    return Room(room, seed, folder, drawn, len(all_of_it))


def mutants_in(path: Path) -> list[Mutant]:
    """All mutants of a file of the project; of others than Rust and Python there are none."""
    read = {".rs": rust.mutants_of, ".py": package.mutants_of}.get(path.suffix)
    found = read(path.relative_to(ROOT).as_posix(), path.read_bytes()) if read else []
    starts: dict[tuple[str, str], list[int]] = defaultdict(list)
    for mutant in found:
        starts[mutant.code, mutant.change].append(mutant.start)

    def which(mutant: Mutant) -> int:
        return 1 + sum(start < mutant.start for start in starts[mutant.code, mutant.change])

    return [replace(mutant, which=which(mutant)) for mutant in found]


def compile_mutants(rooms: Sequence[Room], count: int) -> dict[int, Mutant]:
    """Build the copy with all mutants, without those that do not compile: the first of each room, by number."""
    drawn = dict(enumerate(dict.fromkeys(mutant for room in rooms for mutant in room.drawn)))
    refused: set[Mutant] = set()
    copy_sources(TREE, without={LIBRARY, *(mutant.path for mutant in drawn.values())})
    while True:
        for room in rooms:
            room.counted = [mutant for mutant in room.drawn if mutant not in refused][:count]
        counted = {mutant for room in rooms for mutant in room.counted}
        numbered = {number: mutant for number, mutant in drawn.items() if mutant in counted}
        write_mutants(drawn, numbered)
        wrong = refused_by_compiler(numbered)
        if not wrong:
            break
        refused |= wrong
    for room in rooms:
        last = room.drawn.index(room.counted[-1])
        room.refused = sum(mutant in refused for mutant in room.drawn[:last])
    return numbered


def write_mutants(drawn: dict[int, Mutant], numbered: dict[int, Mutant]) -> None:
    """Write every file of the copy that mutants were drawn from, with those that still count."""
    for path in {mutant.path for mutant in drawn.values()}:
        mine = {number: mutant for number, mutant in numbered.items() if mutant.path == path}
        text = render((ROOT / path).read_bytes(), mine, rust.choice if path.endswith(".rs") else package.choice)
        write(TREE / path, text.encode())
    library = (ROOT / LIBRARY).read_text(encoding="utf-8").replace("#![forbid(unsafe_code)]\n", "")
    write(TREE / LIBRARY, (library + rust.CHOOSER.format(count=len(drawn))).encode())
    write(TREE / "python" / "untied_mutants.py", package.CHOOSER.encode())


def cargo(*arguments: str) -> list[dict[str, object]]:
    """The messages of Cargo in the copy."""
    command = ("cargo", *arguments, "--profile", "quick", "--locked", "--message-format=json")
    environment = variables() | {"CARGO_TARGET_DIR": str(CARGO_TARGET), "PYO3_PYTHON": str(BIN / "python")}
    done = subprocess.run(command, cwd=TREE, env=environment, capture_output=True, text=True, check=False)
    messages = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    if done.returncode and not any(is_error(message) for message in messages):
        sys.exit(done.stderr)
    return messages


def is_error(message: dict[str, object]) -> bool:
    """Whether Cargo's message is an error of the compiler with a place."""
    told = message.get("message")
    return isinstance(told, dict) and told.get("level") == "error" and bool(told.get("spans"))


def refused_by_compiler(numbered: dict[int, Mutant]) -> set[Mutant]:
    """Build the core, unless no mutant is in it; the mutants that the compiler refuses, by the lines of its errors."""
    if all(mutant.path.endswith(".py") for mutant in numbered.values()):
        write(TREE / CORE, (ROOT / CORE).read_bytes())
        return set()
    messages = cargo("build", "-p", "untied-python")
    wrong: set[Mutant] = set()
    for message in filter(is_error, messages):
        told = message["message"]
        assert isinstance(told, dict)
        named: set[int] = set()
        for span in told["spans"]:
            lines = (TREE / span["file_name"]).read_text(encoding="utf-8").splitlines()
            told_lines = lines[span["line_start"] - 1 : span["line_end"]]
            named |= {int(number) for number in re.findall(r"mutants::on\((\d+)\)", "\n".join(told_lines))}
        if not named:
            sys.exit(f"the copy does not compile, and no mutant is the reason:\n{told['rendered']}")
        wrong |= {numbered[number] for number in named}
    if not wrong:
        built = [message for message in messages if message.get("reason") == "compiler-artifact"]
        [artifact] = [
            one for one in built if "untied-python" in str(one["package_id"]) and "_core" in str(one["filenames"])
        ]
        names = artifact["filenames"]
        assert isinstance(names, list)
        write(TREE / CORE, Path(names[0]).read_bytes())
    return wrong


def run_tests(rooms: Sequence[Room], numbered: dict[int, Mutant], processes: int) -> dict[int, Outcome]:
    """What became of each mutant, and by which test: those in Rust, which take a second, or those in Python."""
    room_by_number = {number: room for number, mutant in numbered.items() for room in rooms if mutant in room.counted}
    killed: dict[int, Outcome] = {}
    for room in rooms:
        if room.folder.startswith(parts.CORE):
            killed |= run_in_rust(room, [number for number, of in room_by_number.items() if of is room])
    alive = {number: room for number, room in room_by_number.items() if number not in killed}
    return killed | run_in_python(alive, processes)


def run_in_python(room_by_number: dict[int, Room], processes: int) -> dict[int, Outcome]:
    """Run the tests of its room in Python with each mutant."""

    def files(room: Room) -> list[str]:
        return list(dict.fromkeys([*parts.tests_of([parts.part_of(f"{room.folder}/")]), *COMMON]))

    results = WORK / "results.jsonl"
    results.unlink(missing_ok=True)
    plan = {
        "mutants": {number: files(room) for number, room in room_by_number.items()},
        "in_core": [number for number, room in room_by_number.items() if room.folder.startswith(parts.CORE)],
        "results": str(results),
        "processes": processes,
    }
    path = WORK / "plan.json"
    path.write_text(json.dumps(plan), encoding="utf-8")
    environment = variables() | {
        "UNTIED_MUTANTS_PLAN": str(path),
        "UNTIED_SHARED": os.environ.get("UNTIED_SHARED", str(ROOT.parent / "shared")),
        "PYTHONPATH": f"{TREE}{os.pathsep}{TREE / 'python'}",
    }
    options = (
        "-q",
        "--capture=sys",
        "-p",
        "no:cacheprovider",
        "-p",
        "no:faulthandler",
        "-p",
        "devtools.mutants.plugin",
    )
    tests = sorted({file for room in room_by_number.values() for file in files(room)})
    subprocess.run((BIN / "python", "-m", "pytest", *options, *tests), cwd=TREE, env=environment, check=False)
    about, *lines = [json.loads(line) for line in results.read_text(encoding="utf-8").splitlines()]
    print(f"{about['tests']} tests in Python; {len(about['failed'])} of them fail without a mutant", *about["failed"])
    return {line["mutant"]: (line["outcome"], line["by"]) for line in lines}


def run_in_rust(room: Room, numbers: Sequence[int]) -> dict[int, Outcome]:
    """Run the tests of a room in Rust with each mutant; those that they kill."""
    messages = cargo("test", "--no-run", "--lib", "-p", "untied-core")
    [program] = [str(message["executable"]) for message in messages if message.get("executable")]
    modules = parts.PARTS[parts.part_of(f"{room.folder}/")].modules or (f"{room.name}::",)
    killed: dict[int, Outcome] = {}

    def failing(number: int | None) -> str:
        chosen = {} if number is None else {"UNTIED_MUTANT": str(number)}
        done = subprocess.run(
            (program, *modules), cwd=TREE / "crates/untied-core", env=variables() | chosen, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (60, 65)),
        )  # fmt: skip
        failed = re.findall(r"^test (\S+) \.\.\. FAILED", done.stdout, re.MULTILINE)
        return failed[0] if failed else "" if done.returncode == 0 else f"exit code {done.returncode}, in Rust"

    if failing(None):
        sys.exit(f"a test in Rust fails without a mutant: {failing(None)}")
    for number in numbers:
        test = failing(number)
        if test:
            killed[number] = ("killed", test)
    return killed


#: The name of a file, a line of it, what was changed there, and which of equal places it is: these find a mutant when
#: its file has moved.
Place = tuple[str, str, str, int]


def place_of(mutant: Mutant) -> Place:
    """What a reason names a mutant by."""
    return Path(mutant.path).name, mutant.code, mutant.change, mutant.which


def known_equivalents() -> dict[Place, str]:
    """Reasons why no test can kill a mutant."""
    entries = tomllib.loads(EQUIVALENT.read_text(encoding="utf-8")).get("mutant", [])
    return {
        (entry["file"], entry["code"], entry["change"], entry.get("which", 1)): entry["reason"] for entry in entries
    }


def outdated(reasons: Iterable[Place], sources: Iterable[Path]) -> list[Place]:
    """The places with reasons where no mutant of the files is."""
    reasons = set(reasons)
    named = [path for path in sources if path.name in {place[0] for place in reasons}]
    return sorted(reasons - {place_of(mutant) for path in named for mutant in mutants_in(path)})


def wilson(killed: int, count: int) -> tuple[float, float]:
    """Wilson's interval at 95 % of a share."""
    if not count:
        return 0.0, 1.0
    z, share = 1.959963984540054, killed / count
    middle = share + z * z / (2 * count)
    half = z * math.sqrt(share * (1 - share) / count + z * z / (4 * count * count))
    return (middle - half) / (1 + z * z / count), (middle + half) / (1 + z * z / count)


def report(rooms: Sequence[Room], numbered: dict[int, Mutant], outcomes: dict[int, Outcome]) -> None:
    """Print what became of the mutants, those that survived last."""
    reasons = known_equivalents()
    rows: list[str] = []
    survivors: list[str] = []
    for room in rooms:
        mine = {number: mutant for number, mutant in numbered.items() if mutant in room.counted}
        killed = equivalent = 0
        for number, mutant in mine.items():
            outcome, by = outcomes[number]
            reason = reasons.get(place_of(mutant))
            which = f" (the same change no. {mutant.which} of equal lines)" if mutant.which > 1 else ""
            told = f"{mutant.path}:{mutant.line}: {mutant.change}{which}"
            if outcome == "killed":
                killed += 1
                print(f"killed  {told}  by {by}")
            elif reason:
                equivalent += 1
                survivors.append(f"equivalent  {told}\n    {mutant.code}\n    {reason}")
            else:
                survivors.append(f"{outcome}  {told}\n    {mutant.code}")
        low, high = wilson(killed, len(mine) - equivalent)
        share = killed / max(1, len(mine) - equivalent)
        rows.append(
            f"| `{room.name}` | {room.seed} | {room.population:,} | {room.refused} | {len(mine)} | {killed} "
            f"| {equivalent} | {len(mine) - killed - equivalent} | {share:.0%} ({low:.0%} to {high:.0%}) |"
        )
    print("\n".join(survivors))
    sources = [path for folder in (parts.CORE, parts.PYTHON) for path in (ROOT / folder).rglob("*.[rp][sy]")]
    for place in outdated(reasons, sources):
        print(f"{EQUIVALENT.name} has a reason about code that has changed:", *place)
    print("\n| room | seed | mutants | refused | sample | killed | equivalent | survived | killed of the others |")
    print("|---|---|---|---|---|---|---|---|---|")
    print("\n".join(rows))
