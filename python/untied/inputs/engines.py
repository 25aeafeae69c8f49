"""Answers of search engines as runs: JSON lines, each with the id of a query and the engine's response to it.

Responses without ids, such as those of ``_msearch``, are in the order of the queries, whose ids are named apart.
An answer that an engine calls incomplete is refused: its documents are not what the engine ranks best.
"""

from __future__ import annotations

import json
from decimal import Decimal

from untied._core import Run, show_id
from untied.errors import InputError, UntiedError
from untied.inputs.lines import id_of, numbered, refused
from untied.inputs.rows import ROW
from untied.inputs.tolerance import Repeated, Tolerance

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    #: A document's id and score.
    Hit = tuple[str, Decimal]


class WrongAnswer(Exception):
    """Raised if an answer cannot be read. It says what was expected, and what was found."""


class Failed(WrongAnswer):
    """Raised if the engine calls its answer incomplete, or returned an error."""


def read_answers(path: str, engine: str, threads: int | None, ids: str | None, tolerance: Tolerance) -> Run:
    """Return the run in a file of an engine's answers. The engine is a key of `ENGINES`.

    Each answer has the id of its query, unless `ids` says where the ids are. It is `ROW`, or @ and a file with an id on
    every line.
    """
    answers = _numbered_answers(path) if ids is None else _answers_in_order(path, ids)
    rankings: dict[str, dict[str, float]] = {}
    for number, query, response in answers:
        try:
            if query in rankings:
                raise WrongAnswer("one answer for each query", f"query {show_id(query)} again")
            rankings[query] = _ranking(ENGINES[engine](response), tolerance)
        except WrongAnswer as wrong:
            if isinstance(wrong, Failed) and tolerance.leaves_out(query):
                continue
            expected, found = wrong.args
            error = refused(path, number, expected, f"{found} for query {show_id(query)}")
            error.kind = "failed" if isinstance(wrong, Failed) else None
            raise error from None
    if not any(rankings.values()):
        raise InputError(f"{show_id(path)}: expected documents, found none", path, None, "documents", "none")
    return Run.from_mapping(rankings, threads)


def _numbered_answers(path: str) -> Iterator[tuple[int, str, dict[str, Any]]]:
    """Yield the number of each line, the id of its query, and its response."""
    for number, line in numbered(path):
        if line.strip():
            try:
                yield number, *_answer(line)
            except WrongAnswer as wrong:
                raise refused(path, number, *wrong.args) from None


def _answers_in_order(path: str, ids: str) -> list[tuple[int, str, dict[str, Any]]]:
    """Yield the same for responses without ids. Each has a line, or all are in the response to several queries."""
    lines = [(number, line) for number, line in numbered(path) if line.strip()]
    try:
        whole = [(lines[0][0] if lines else 1, _object(b"\n".join(line for _, line in lines)))]
    except WrongAnswer:
        whole = []
    responses: list[tuple[int, Any]] = []
    for number, line in whole or lines:
        try:
            one = line if isinstance(line, dict) else _object(line)
            if "query_id" in one:
                raise WrongAnswer("responses without ids, as the queries' ids are named apart", '"query_id"')
            several = next((one[name] for name in SEVERAL if isinstance(one.get(name), list)), [one])
            if not all(isinstance(response, dict) for response in several):
                raise WrongAnswer("an object for every query", "another value")
        except WrongAnswer as wrong:
            raise refused(path, number, *wrong.args) from None
        responses += [(number, response) for response in several]
    if ids == ROW:
        queries = [str(number) for number in range(1, len(responses) + 1)]
    elif ids.startswith("@"):
        named = (line.decode("utf-8", "surrogateescape").strip() for _, line in numbered(ids.removeprefix("@")))
        queries = [query for query in named if query]
    else:
        expected = f"{ROW}, or @ and a file with an id on every line,"
        raise UntiedError(f"{show_id(path)}: expected {expected} as the ids of queries, found {show_id(ids)}")
    if len(queries) != len(responses):
        found = f"{len(queries)} in {show_id(ids.removeprefix('@'))}"
        expected = f"ids for {len(responses)} responses"
        raise InputError(f"{show_id(path)}: expected {expected}, found {found}", path, None, expected, found)
    return [(number, query, response) for query, (number, response) in zip(queries, responses, strict=True)]


#: The lists of responses to several queries.
SEVERAL = ("responses", "results")


def _object(text: bytes) -> dict[str, Any]:
    """A JSON object."""
    try:
        value = json.loads(text, parse_float=Decimal)
    except (ValueError, RecursionError) as error:
        raise WrongAnswer("an object", f"no JSON ({error})") from None
    if not isinstance(value, dict):
        raise WrongAnswer("an object", "another value")
    return value


def _answer(line: bytes) -> tuple[str, dict[str, Any]]:
    """The query's id and the response in a line."""
    expected = 'an object {"query_id": ..., "response": {...}}'
    try:
        answer = json.loads(line, parse_float=Decimal)
    except (ValueError, RecursionError) as error:
        raise WrongAnswer(expected, f"no JSON ({error})") from None
    if isinstance(answer, dict) and "query_id" not in answer and any(name in answer for name in SEVERAL):
        named = f"query=@FILE names their queries' ids in a file, and query={ROW} numbers them"
        raise WrongAnswer(expected, f"several responses (--column {named})")
    if not isinstance(answer, dict) or not isinstance(answer.get("response"), dict):
        raise WrongAnswer(expected, "another value")
    query = id_of(answer.get("query_id"))
    if query is None:
        raise WrongAnswer('a text or a whole number as "query_id"', json.dumps(answer.get("query_id"), default=str))
    return query, answer["response"]


def _ranking(hits: Iterator[Hit], tolerance: Tolerance) -> dict[str, float]:
    """Return the scores of documents as floats in the same order. Only equal scores become equal floats."""
    try:
        scores = tolerance.kept(hits)
    except Repeated as repeated:
        raise WrongAnswer("every document once", f"{show_id(repeated.args[0])} again") from None
    different = set(scores.values())
    floats = {document: float(score) for document, score in scores.items()}
    if len(set(floats.values())) == len(different):
        return floats
    # Typesense's scores have more digits than floats. Their places among all scores of the query are exact.
    places = {score: float(place) for place, score in enumerate(sorted(different))}
    return {document: places[score] for document, score in scores.items()}


def _list(holder: Any, *names: str) -> list[Any]:
    """Return the list in an object under a path of names."""
    for name in names:
        holder = holder.get(name) if isinstance(holder, dict) else None
    if not isinstance(holder, list):
        raise WrongAnswer(f'a list "{".".join(names)}"', "none" if holder is None else "another value")
    return holder


def _hit(hit: Any, name: str, score: str) -> Hit:
    """The document's id and score of an object."""
    return _id(hit, name), _score(hit, score)


def _id(hit: Any, name: str) -> str:
    value = hit.get(name) if isinstance(hit, dict) else None
    document = id_of(value)
    if document is None:
        raise WrongAnswer(f'an id "{name}" of every hit', json.dumps(value, default=str))
    return document


def _score(hit: Any, name: str) -> Decimal:
    """Return a score without loss: whole numbers and decimals stay as they are written."""
    value = hit.get(name) if isinstance(hit, dict) else None
    if isinstance(value, int) and not isinstance(value, bool):
        return Decimal(value)
    if isinstance(value, Decimal) and value.is_finite():
        return value
    expected = f'a number "{name}" of every hit (ask the engine for scores, and sort by them)'
    raise WrongAnswer(expected, json.dumps(value, default=str))


def _complete(is_complete: bool, reason: str) -> None:
    if not is_complete:
        raise Failed("a complete answer", reason)


def _search(response: dict[str, Any]) -> Iterator[Hit]:
    """Elasticsearch and OpenSearch: ``_search``, and each of the responses of ``_msearch``."""
    _complete("error" not in response, "an error")
    status = response.get("status")
    _complete(not isinstance(status, int) or status < 400, f'"status": {status}')
    _complete(response.get("timed_out") is not True, '"timed_out": true')
    shards = response.get("_shards")
    _complete(not (isinstance(shards, dict) and shards.get("failed")), "failed shards")
    indices: dict[str, Any] = {}
    for hit in _list(response, "hits", "hits"):
        document = _id(hit, "_id")
        index = hit.get("_index")
        if indices.setdefault(document, index) != index:
            raise WrongAnswer("ids that differ between indices", f"{show_id(document)} in two indices")
        yield document, _score(hit, "_score")


def _vespa(response: dict[str, Any]) -> Iterator[Hit]:
    """Vespa's query API, without grouping."""
    root = response.get("root")
    root = root if isinstance(root, dict) else {}
    _complete(not root.get("errors"), "errors")
    coverage = root.get("coverage")
    _complete(not isinstance(coverage, dict) or coverage.get("full") is not False, '"coverage" that is not full')
    for hit in _list(response, "root", "children") if "children" in root or not root else ():
        if isinstance(hit, dict) and "children" in hit:
            raise WrongAnswer("hits that are not grouped", "a group")
        yield _hit(hit, "id", "relevance")


def _solr(response: dict[str, Any]) -> Iterator[Hit]:
    """Solr's select handler, with ``fl=id,score``."""
    _complete("error" not in response, "an error")
    header = response.get("responseHeader")
    partial = header.get("partialResults") if isinstance(header, dict) else None
    _complete(partial not in (True, "omitted"), f'"partialResults": {json.dumps(partial)}')
    for document in _list(response, "response", "docs"):
        yield _hit(document, "id", "score")


def _typesense(response: dict[str, Any]) -> Iterator[Hit]:
    """Typesense's search; ``text_match`` has more digits than a float, and the text beside it has all of them."""
    _complete("error" not in response, "an error")
    _complete(response.get("search_cutoff") is not True, '"search_cutoff": true')
    for hit in _list(response, "hits"):
        document = _id(hit.get("document") if isinstance(hit, dict) else None, "id")
        info = hit.get("text_match_info")
        text = info.get("score") if isinstance(info, dict) else None
        if isinstance(text, str) and text.isascii() and text.isdigit():
            yield document, Decimal(text)
        else:
            yield document, _score(hit, "text_match")


def _meilisearch(response: dict[str, Any]) -> Iterator[Hit]:
    """Meilisearch's search, with ``showRankingScore`` and documents whose primary key is ``id``."""
    _complete("code" not in response, "an error")
    for hit in _list(response, "hits"):
        yield _hit(hit, "id", "_rankingScore")


#: How the hits of each engine are read.
ENGINES: dict[str, Callable[[dict[str, Any]], Iterator[Hit]]] = {
    "search": _search,
    "vespa": _vespa,
    "solr": _solr,
    "typesense": _typesense,
    "meilisearch": _meilisearch,
}
