"""Second readers of the formats that untied reads in Python: slow and plain, from the formats' descriptions.

They share nothing with untied, and say where they refuse what is no such file.
"""

from __future__ import annotations

import math
import re
from decimal import Decimal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

#: What is recognised and not read.
UNREADABLE = (b"BZh", b"PK\x03\x04", b"\x04\x22\x4d\x18", b"PAR1", b"\xff\xfe", b"\xfe\xff")
#: Levels of JSON that any interpreter reads; how many more there may be is its matter.
LEVELS = 200
#: Digits of a whole number that Python reads by default.
DIGITS = 4300


class Refused(Exception):
    """No such file; the lines in which that may be said to stand, or none for the whole file."""

    def __init__(self, first: int | None = None, last: int | None = None) -> None:
        super().__init__(first, last)
        self.lines = {None} if first is None else set(range(first, (last or first) + 1))


class Deep(Exception):
    """More levels of JSON than need be read."""


def rows(data: bytes) -> Iterator[tuple[int, list[bytes]]]:
    """Numbers and fields of the lines that say something; there is one."""
    if data.startswith(UNREADABLE):
        raise Refused
    empty = True
    for number, line in enumerate(data.removeprefix(b"\xef\xbb\xbf").split(b"\n"), 1):
        if line.startswith(b"\xef\xbb\xbf"):
            raise Refused(number)
        fields = [field for field in re.split(rb"[ \t\r\x0b\x0c]", line) if field]
        if not fields or fields[0][:1] == b"#":
            continue
        if 0 in line:
            raise Refused(number)
        empty = False
        yield number, fields
    if empty:
        raise Refused


def groups(data: bytes) -> dict[bytes, dict[bytes, float]]:
    """``query document document | document``, groups best first; the last has grade 1."""
    truth: dict[bytes, dict[bytes, float]] = {}
    for number, (query, *fields) in rows(data):
        ordered: list[list[bytes]] = []
        group: list[bytes] = []
        for field in [*fields, b"|"]:
            if field == b"|":
                ordered.append(group)
                group = []
            else:
                group.append(field)
        documents = [document for group in ordered for document in group]
        if [] in ordered or query in truth or len(set(documents)) < len(documents):
            raise Refused(number)
        best = len(ordered)
        truth[query] = {document: float(best - place) for place, group in enumerate(ordered) for document in group}
    return truth


def mirex(data: bytes) -> dict[bytes, dict[bytes, float]]:
    """``source query document group``, group 1 being the best; the last has grade 1."""
    judged: dict[bytes, dict[bytes, Decimal]] = {}
    sources = set()
    for number, fields in rows(data):
        if len(fields) != 4 or not re.fullmatch(rb"[0-9]*[1-9][0-9]*", fields[3]):
            raise Refused(number)
        source, query, document, group = fields
        sources.add(source)
        named = judged.setdefault(query, {}).setdefault(document, Decimal(group.decode()))
        if len(sources) > 1 or named != Decimal(group.decode()):
            raise Refused(number)
    return {
        query: {
            document: 1.0 + len({other for other in ranks.values() if other > rank}) for document, rank in ranks.items()
        }
        for query, ranks in judged.items()
    }


def preferences(data: bytes) -> dict[bytes, set[tuple[bytes, bytes]]]:
    """``query better worse``, or ``query group subgroup document level`` with higher levels preferred in a subgroup."""
    #: For each pair of a query, the lines that may say so.
    stated: dict[bytes, dict[tuple[bytes, bytes], set[int]]] = {}
    judged: list[tuple[int, bytes, bytes, bytes, float]] = []
    columns, groups = 0, dict[bytes, bytes]()
    for number, fields in rows(data):
        columns = columns or len(fields)
        if len(fields) != columns or columns not in (3, 5):
            raise Refused(number)
        query = fields[0]
        pairs = stated.setdefault(query, {})
        if columns == 3:
            if fields[1] == fields[2]:
                raise Refused(number)
            pairs.setdefault((fields[1], fields[2]), set()).add(number)
            continue
        _, group, subgroup, document, text = fields
        is_number = re.fullmatch(rb"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?", text)
        if groups.setdefault(query, group) != group or not is_number or not math.isfinite(float(text)):
            raise Refused(number)
        for line, other_query, other_subgroup, other, level in judged:
            if (other_query, other_subgroup) == (query, subgroup) and level != float(text):
                if other == document:
                    raise Refused(number)
                pair = (other, document) if level > float(text) else (document, other)
                pairs.setdefault(pair, set()).update((line, number))
        judged.append((number, query, subgroup, document, float(text)))
    contradicting = Refused()
    contradicting.lines = set()
    for pairs in stated.values():
        above = set(pairs)
        while joined := {(a, d) for a, b in above for c, d in pairs if b == c} - above:
            above |= joined
        contradicting.lines |= {line for (a, b), lines in pairs.items() if (b, a) in above for line in lines}
    if contradicting.lines:
        raise contradicting
    if not any(stated.values()):
        raise Refused
    return {query: set(pairs) for query, pairs in stated.items()}


def passages(data: bytes, judged: bool) -> tuple[dict[bytes, list[tuple[Any, ...]]], int]:
    """``query document start length rank score tag`` or ``query document start length gain``."""
    lines: dict[bytes, list[tuple[Any, ...]]] = {}
    for number, fields in rows(data):
        if len(fields) != (5 if judged else 7) or not all(re.fullmatch(rb"[0-9]+", field) for field in fields[2:4]):
            raise Refused(number)
        start, length = (Decimal(field.decode()) for field in fields[2:4])
        value = fields[4 if judged else 5]
        if start + length > 2**32 or not re.fullmatch(rb"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?", value):
            raise Refused(number)
        value = float(value)
        if not math.isfinite(value) or (judged and value < 0):
            raise Refused(number)
        lines.setdefault(fields[0], []).append((fields[1], int(start), int(length), value))
    if judged:
        return lines, 0
    tied = 0
    for query, found in lines.items():
        scores = [score for *_, score in found]
        tied += sum(scores.count(score) > 1 for score in scores)
        ranking = sorted(range(len(found)), key=lambda place: (-scores[place], place))
        lines[query] = [found[place][:3] for place in ranking]
    return lines, tied


class Json:
    """RFC 8259, with NaN and infinities; names stand once in an object, strings are Unicode."""

    def __init__(self, data: bytes) -> None:
        if data.startswith(UNREADABLE):
            raise Refused
        try:
            self.text = data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise Refused(error.object.count(b"\n", 0, error.start) + 1) from None
        self.at = self.end = 0

    def wrong(self) -> Refused:
        """What stands here is no JSON: between what was read last and here."""
        return Refused(*(self.text.count("\n", 0, place) + 1 for place in (self.end, self.at)))

    def read(self) -> dict[str, Any]:
        """The object that is all there is."""
        value = self.value(1)
        self.blanks()
        if self.at < len(self.text):
            raise self.wrong()
        if not is_unicode(value) or not isinstance(value, dict):
            raise Refused
        return value

    def blanks(self) -> None:
        """Go to what comes next."""
        while self.at < len(self.text) and self.text[self.at] in " \t\r\n":
            self.at += 1

    def take(self, *tokens: str) -> str:
        """One of these, or nothing."""
        self.blanks()
        for token in tokens:
            if self.text.startswith(token, self.at):
                self.at += len(token)
                self.end = self.at
                return token
        return ""

    def expect(self, *tokens: str) -> str:
        """One of these."""
        token = self.take(*tokens)
        if not token:
            raise self.wrong()
        return token

    def value(self, level: int) -> Any:
        """Any value."""
        if level > LEVELS:
            raise Deep
        match self.take("{", "[", '"', "null", "true", "false", "NaN", "Infinity", "-Infinity"):
            case "{":
                return self.members(level)
            case "[":
                return self.items(level)
            case '"':
                return self.string()
            case "":
                return self.number()
            case word:
                return {"null": None, "true": True, "false": False}.get(word, math.nan)

    def items(self, level: int) -> list[Any]:
        """The rest of an array."""
        items: list[Any] = []
        if self.take("]"):
            return items
        while True:
            items.append(self.value(level + 1))
            if self.expect(",", "]") == "]":
                return items

    def members(self, level: int) -> dict[str, Any]:
        """The rest of an object."""
        members: dict[str, Any] = {}
        names = 0
        if self.take("}"):
            return members
        while True:
            self.expect('"')
            name = self.string()
            self.expect(":")
            members[name] = self.value(level + 1)
            names += 1
            if self.expect(",", "}") == "}":
                break
        if len(members) < names:
            raise Refused
        return members

    def string(self) -> str:
        """The rest of a string; halves of pairs of surrogates stay what they are."""
        units: list[int] = []
        while True:
            character = self.text[self.at : self.at + 1]
            if character < " ":
                raise self.wrong()
            self.at += 1
            if character == '"':
                self.end = self.at
                return b"".join(unit.to_bytes(2, "little") for unit in units).decode("utf-16-le", "surrogatepass")
            if character != "\\":
                encoded = character.encode("utf-16-le")
                units += [int.from_bytes(encoded[at : at + 2], "little") for at in range(0, len(encoded), 2)]
                continue
            escape = self.text[self.at : self.at + 1]
            digits = re.compile("u([0-9a-fA-F]{4})").match(self.text, self.at)
            if digits:
                units.append(int(digits[1], 16))
                self.at += 5
            elif escape and escape in '"\\/bfnrt':
                units.append(ord(dict(zip("bfnrt", "\b\f\n\r\t", strict=True)).get(escape, escape)))
                self.at += 1
            else:
                raise self.wrong()

    def number(self) -> int | float:
        """A number."""
        found = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?").match(self.text, self.at)
        if not found:
            raise self.wrong()
        self.at = self.end = found.end()
        if found[2] or found[3]:
            return float(found[0])
        if len(found[1]) > DIGITS:
            raise Refused
        return int(found[0])


def is_unicode(value: Any) -> bool:
    """Whether no text in here has half of a pair of surrogates."""
    if isinstance(value, dict):
        return all(map(is_unicode, value)) and all(map(is_unicode, value.values()))
    if isinstance(value, list):
        return all(map(is_unicode, value))
    return not isinstance(value, str) or not any("\ud800" <= character <= "\udfff" for character in value)


def finite(value: Any) -> float:
    """A number that a float holds."""
    if not isinstance(value, (int, float)) or (isinstance(value, int) and abs(value) > 10**308):
        raise Refused
    number = float(value)
    if not math.isfinite(number) or number != value:
        raise Refused
    return number


def identifier(value: Any) -> str:
    """The id of a document in a list."""
    if isinstance(value, bool) or not isinstance(value, (int, str)):
        raise Refused
    return str(value)


#: Queries, with documents and their numbers.
Table = dict[str, list[tuple[str, float]]]


def mapping(value: Any) -> dict[str, Any]:
    """An object."""
    if not isinstance(value, dict):
        raise Refused
    return value


def plain(content: dict[str, Any], best: Callable[[int], int], *, are_grades: bool = False) -> Table:
    """``{query: {document: number}}`` or ``{query: [document, [document, ...], ...]}``; grades are only of lists."""
    table: Table = {}
    for query, held in content.items():
        if isinstance(held, list):
            groups = [entry for entry in held if isinstance(entry, list)]
            if are_grades and len(groups) < len(held):
                raise Refused
            if any(len({isinstance(document, str) for document in group}) > 1 for group in groups):
                raise Refused
            table[query] = [
                (identifier(document), float(best(len(held)) - rank))
                for rank, entry in enumerate(held)
                for document in (entry if isinstance(entry, list) else [entry])
            ]
        else:
            table[query] = [(document, finite(number)) for document, number in mapping(held).items()]
    return table


def once(table: Table) -> Table:
    """The same if no document stands twice in a query."""
    for documents in table.values():
        if len(dict(documents)) < len(documents):
            raise Refused
    return table


def agreeing(table: Table) -> Table:
    """The same if no document has two grades in a query."""
    for documents in table.values():
        if len(dict(documents)) < len(set(documents)):
            raise Refused
    return table


def run(content: dict[str, Any]) -> Table:
    """``{query: {document: score}}``."""
    return once(plain(content, lambda length: 0))


def qrels(content: dict[str, Any], format: str) -> Table:
    """``{query: {document: grade}}``, or with more than a grade."""
    if format in ("stratified", "prels"):
        return {
            query: [(document, pair(numbers, format)) for document, numbers in mapping(held).items()]
            for query, held in content.items()
        }
    first = next((held for held in content.values() if held != {}), None)
    if not isinstance(first, dict) or not isinstance(next(iter(first.values())), dict):
        if format == "subtopics":
            raise Refused
        return agreeing(plain(content, lambda length: length, are_grades=True))
    table: Table = {}
    for query, subtopics in content.items():
        highest: dict[str, float] = {}
        for subtopic, held in mapping(subtopics).items():
            if " " in subtopic:
                raise Refused
            for document, grade in mapping(held).items():
                highest[document] = max(finite(grade), highest.get(document, -math.inf))
        table[query] = list(highest.items())
    return table


def pair(numbers: Any, format: str) -> float:
    """The grade beside a stratum or a probability."""
    if not isinstance(numbers, list) or len(numbers) != 2:
        raise Refused
    one, other = map(finite, numbers)
    if format == "prels":
        if not 0 < other <= 1:
            raise Refused
        return one
    if not 0 <= one < 2**32 or one != int(one):
        raise Refused
    return other


def member(holder: Any, name: str, kind: type | tuple[type, ...]) -> Any:
    """What stands there."""
    value = mapping(holder).get(name)
    if not isinstance(value, kind):
        raise Refused
    return value


def judged(request: dict[str, Any]) -> Table:
    """``requests[].ratings[]``."""
    table: Table = {}
    for asked in member(request, "requests", list):
        for rating in member(asked, "ratings", list):
            grade = finite(member(rating, "rating", (int, float)))
            table.setdefault(member(asked, "id", str), []).append((member(rating, "_id", str), grade))
    return agreeing(table)


def retrieved(response: dict[str, Any]) -> Table:
    """``details.*.hits[].hit``."""
    table: Table = {}
    if response.get("failures"):
        raise Refused
    for query, details in member(response, "details", dict).items():
        rows = table.setdefault(query, [])
        for found in member(details, "hits", list):
            hit = member(found, "hit", dict)
            rows.append((member(hit, "_id", str), finite(member(hit, "_score", (int, float)))))
    return once(table)
