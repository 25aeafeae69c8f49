"""Compare two rankings of passages: the largest difference that judgments of text could show."""

from __future__ import annotations

from math import fsum, isfinite
from operator import index

from untied import _core
from untied._core import show_id
from untied.errors import UntiedError, check_flag
from untied.inputs.convert import read_once
from untied.inputs.lines import lines, refused

__all__ = ["PassageComparison", "compare_passages", "read_judged_passages", "read_passages"]

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Mapping
    from typing import Any, TypeAlias

    #: Document, offset of the first character, number of characters.
    Passage: TypeAlias = tuple[str, int, int]
    #: The same and what each character gains.
    Judged: TypeAlias = tuple[str, int, int, float]

#: The name of the only query where two lists are compared.
QUERY = "query"
#: Texts of documents end before this offset.
LONGEST = 1 << 32
#: Characters after which nothing counts, as in the track of TREC that ranked passages.
LENGTH = 12_000.0


#: What lines of files hold.
RUN = "query document start length rank score tag"
JUDGED = "query document start length gain"


class PassageComparison:
    """The largest possible difference of two rankings of passages, for each query.

    `compare_passages` returns it.

    Attributes
    ----------
    per_query : dict of str and float
        The largest possible difference for each query. Queries are in byte order of their ids.
    alone : tuple of int
        How many queries only the first run has, and how many only the second run has. These queries are left out.
    """

    __slots__ = ("alone", "per_query")

    def __init__(self, per_query: dict[str, float], alone: tuple[int, int]) -> None:
        self.per_query = per_query
        self.alone = alone

    @property
    def mean(self) -> float:
        """The mean of the largest possible difference over queries."""
        return fsum(self.per_query.values()) / len(self.per_query)

    def most_changed(self, n: int = 20) -> list[str]:
        """Return the queries that could differ most.

        Parameters
        ----------
        n : int
            How many queries to list at most.

        Returns
        -------
        list of str
            The ids of these queries, the largest difference first. Where differences are equal, ids are in byte order.
        """
        return sorted(self.per_query, key=lambda query: -self.per_query[query])[:n]

    def __repr__(self) -> str:
        return f"<untied.PassageComparison: mean {self.mean:.4f} of {len(self.per_query)} queries>"


def read_passages(path: str | os.PathLike[str]) -> tuple[dict[str, list[Passage]], int]:
    """Read a run of passages from a file, for `compare_passages`.

    Each line is a passage: ``query document start length rank score tag``, where ``start`` is its offset in the
    document, counted from 0. Passages are ranked by score; equal scores keep the order of the file. Blank lines and
    lines that begin with ``#`` are skipped.

    Parameters
    ----------
    path : str or path-like
        The file, which may be compressed with gzip, zstd or xz.

    Returns
    -------
    tuple
        Two things: a dict with the passages of each query, best first, and the number of passages with tied scores.

    Raises
    ------
    InputError
        A line does not have seven fields, an offset, length or score is not a number, or the file is empty.
    OSError
        The file cannot be read.
    """
    scored: dict[str, list[tuple[float, Passage]]] = {}
    for number, fields in lines(path, RUN):
        if len(fields) != 7:
            raise refused(path, number, f"7 fields ({RUN})", str(len(fields)))
        text = _offsets(path, number, fields)
        scored.setdefault(fields[0], []).append((_number(path, number, "score", fields[5]), text))
    tied = 0
    for passages in scored.values():
        passages.sort(key=lambda passage: -passage[0])
        scores = [score for score, _ in passages]
        tied += sum(score in scores[max(0, i - 1) : i] + scores[i + 1 : i + 2] for i, score in enumerate(scores))
    return {query: [text for _, text in passages] for query, passages in scored.items()}, tied


def read_judged_passages(path: str | os.PathLike[str]) -> dict[str, list[Judged]]:
    """Read judgments of passages from a file, for `compare_passages`.

    Each line is a judged passage: ``query document start length gain``.

    Parameters
    ----------
    path : str or path-like
        The file, which may be compressed with gzip, zstd or xz.

    Returns
    -------
    dict
        The judged passages of each query.

    Raises
    ------
    InputError
        A line does not have five fields, an offset, length or gain is not a number, or the file is empty.
    OSError
        The file cannot be read.
    """
    passages: dict[str, list[Judged]] = {}
    for number, fields in lines(path, JUDGED):
        if len(fields) != 5:
            raise refused(path, number, f"5 fields ({JUDGED})", str(len(fields)))
        gain = _number(path, number, "gain", fields[4])
        if gain < 0:
            raise refused(path, number, "a gain of at least 0", show_id(fields[4]))
        passages.setdefault(fields[0], []).append((*_offsets(path, number, fields), gain))
    return passages


def _offsets(path: Any, line: int, fields: list[str]) -> Passage:
    """The passage in a line."""
    for name, field in zip(("start", "length"), fields[2:4], strict=True):
        if not (field.isascii() and field.isdigit()):
            raise refused(path, line, f"a {name}: a whole number of at least 0", show_id(field))
    start, length = (int(field.lstrip("0")[:20] or "0") for field in fields[2:4])  # 20 digits are too many already
    if start + length > LONGEST:
        raise refused(path, line, f"text that ends before {LONGEST}", f"{fields[2]} and {fields[3]} more")
    return fields[1], start, length


def _number(path: Any, line: int, name: str, field: str) -> float:
    try:
        number = float(field)
    except ValueError:
        number = float("nan")
    if not isfinite(number) or "_" in field or not field.isascii():
        raise refused(path, line, f"a {name}: a finite number", show_id(field))
    return number


def compare_passages(
    a: Iterable[Passage] | Mapping[str, Iterable[Passage]],
    b: Iterable[Passage] | Mapping[str, Iterable[Passage]],
    *,
    judged: Iterable[Judged] | Mapping[str, Iterable[Judged]] | None = None,
    max_gain: float = 1.0,
    decay: str = "linear",
    length: float = LENGTH,
    overhead: float = 0,
    filled: bool = True,
    direction: str = "both",
) -> PassageComparison:
    """Return the largest difference that two rankings of passages could have, whatever the judgments say (MED-U).

    Use it if your system returns passages or other pieces of text instead of whole documents. Text is valued as
    somebody reads it, passage after passage: each character adds its gain, times a weight that falls with the number of
    characters read so far. A character has the same gain in both rankings, and counts each time it is read. Unjudged
    characters get the gains that make the two rankings differ most.

    Parameters
    ----------
    a, b : list of (document, start, length), or dict of query and list
        The passages of each ranking, best first: a list for a single query, or a dict with a list for each query. A
        passage starts at the offset ``start`` of the document, counted from 0, and has ``length`` characters. Bytes
        will do as well, if you use them throughout.
    judged : list of (document, start, length, gain), or dict of query and list, optional
        Passages whose gains are known, such as ``("doc1", 0, 500, 1.0)``. Where passages overlap, the highest gain
        counts. To judge a document as a whole, give its whole text the gain 0 and its relevant passages their gains. By
        default, nothing is judged.
    max_gain : float
        The largest gain that an unjudged character may have.
    decay : str
        How the weight falls with the number i of characters read. ``"linear"``: max(0, 1 - i / length), as in the
        U-measure. ``"exponential"``: 2^(-i / length), as in time-biased gain.
    length : float
        How far a reader gets, in characters. With ``"linear"``, text beyond this does not count. With
        ``"exponential"``, its weight there is one half.
    overhead : float
        What it costs to go to a passage, as a number of characters that are read.
    filled : bool
        Whether each ranking goes on with text that isn't known. The rankings can then differ more, because this text
        may be relevant.
    direction : str
        Which difference to maximise. ``"a-b"``: how far the first ranking can be ahead. ``"b-a"``: how far the second
        can be ahead. ``"both"``: the larger of the two.

    Returns
    -------
    PassageComparison

    Raises
    ------
    UntiedError
        A passage or an option is refused, or the runs have no query in common.

    Examples
    --------
    >>> from untied.comparison.passages import compare_passages
    >>> old, new = [("a", 0, 500), ("b", 200, 300)], [("a", 0, 500), ("c", 0, 300)]
    >>> round(compare_passages(old, new).mean, 4)
    5509.9375
    >>> round(compare_passages(old, new, filled=False).mean, 4)
    283.7375
    """
    if isinstance(a, dict) != isinstance(b, dict):
        raise TypeError("both inputs must be ranked lists of passages, or both dicts")
    runs: list[Any] = [a, b] if isinstance(a, dict) else [{QUERY: a}, {QUERY: b}]
    if judged is not None and isinstance(a, dict) != isinstance(judged, dict):
        raise TypeError("judgments must be a list for ranked lists, or a dict for dicts")
    known: Any = (judged if isinstance(a, dict) else {QUERY: judged}) if judged is not None else {}
    directions = {"both": slice(2), "a-b": slice(1), "b-a": slice(1, 2)}
    _refuse(decay not in ("linear", "exponential"), f"decay must be 'linear' or 'exponential', not {decay!r}")
    _refuse(direction not in tuple(directions), f"direction must be 'both', 'a-b' or 'b-a', not {direction!r}")
    check_flag("filled", filled)
    for name, number in {"length": length, "max_gain": max_gain}.items():
        _refuse(not (isfinite(number) and number > 0), f"{name} must be a number above 0, not {number}")
    _refuse(not (isfinite(overhead) and overhead >= 0), f"overhead must be a number of at least 0, not {overhead}")
    both = sorted(runs[0].keys() & runs[1].keys(), key=lambda query: query.encode("utf-8", "surrogateescape"))
    _refuse(not both, "the runs have no query in common")
    per_query = {}
    for query in both:
        numbers: dict[str, int] = {}
        up_and_down: tuple[float, ...] = _core.passage_differences(
            _texts(runs[0][query], numbers, f"query {query!r} of a", "document, start, length"),
            _texts(runs[1][query], numbers, f"query {query!r} of b", "document, start, length"),
            _texts(known.get(query, ()), numbers, f"query {query!r} of judged", "document, start, length, gain"),
            top=max_gain, linear=decay == "linear", length=length, overhead=overhead, filled=filled,
        )  # fmt: skip
        per_query[query] = max(up_and_down[directions[direction]])
    return PassageComparison(per_query, (len(runs[0]) - len(both), len(runs[1]) - len(both)))


def _refuse(condition: bool, message: str) -> None:
    if condition:
        raise UntiedError(message)


def _texts(passages: Iterable[Any], numbers: dict[str, int], where: str, fields: str) -> list[Any]:
    """Return the passages by the number of their document, with gains if the fields have them."""
    texts = []
    if not hasattr(passages, "__iter__"):
        raise TypeError(f"{where}: expected a list of ({fields}), found {passages!r}")
    for place, passage in enumerate(passages, 1):
        here = f"{where}, passage {place}"
        size = len(passage) if hasattr(passage, "__len__") else 0
        _refuse(size != len(fields.split(",")), f"{here}: expected ({fields}), found {passage!r}")
        gains = [float(gain) for gain in passage[3:]]
        if not all(isfinite(gain) and gain >= 0 for gain in gains):
            raise UntiedError(f"{here}: the gain must be a number of at least 0, not {passage[3]!r}")
        texts.append((*_text(passage, numbers, here), *gains))
    return read_once(texts, passages, where)


def _text(passage: Any, numbers: dict[str, int], where: str) -> tuple[int, int, int]:
    document, start, length = passage[0], index(passage[1]), index(passage[2])
    _refuse(
        start < 0 or length < 0,
        f"{where}: start and length must be whole numbers of at least 0, not {start} and {length}",
    )
    _refuse(start + length > LONGEST, f"{where}: it ends at {start + length}, beyond {LONGEST}")
    return numbers.setdefault(document, len(numbers)), start, length
