"""Write the benchmarks' synthetic inputs: TREC runs and qrels, and arrays, the same bytes for the same seed.

S, M, L and A are the shapes the published figures refer to; W and T are shapes of tied scores.

    S   50 topics x 1,000 documents, about 2,000 judged a topic, grades -2..3, ClueWeb12-like document ids
    M   250 topics x 1,000, about 1,250 judged a topic, grades 0..2, newswire-like ids
    L   6,980 topics x 1,000, one or two relevant a topic and nothing else judged, integer ids (MS MARCO)
    A   1,000,000 queries x 10 documents as arrays: scores, gains, num_rel in A.npz
    W   28,043 queries ranked by web in-degree: nearly every document is tied (McSherry & Najork 2008, section 3)
    T   one query of 100,000 documents, all with the same score

In S, M and L `--ties` is the probability that a score equals the one just above it: 0 gives strictly decreasing
scores, 1 a single tie group.  A document is the less likely to be judged the deeper it is ranked, and relevant
documents come early.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

SCORE_AT_TOP = 25.0
"""Score of the first document of a topic in S, M and L; every further one is lower or equal."""


@dataclass(frozen=True)
class Collection:
    """What makes one of the TREC-like shapes S, M and L."""

    topics: int
    depth: int
    judged: int
    """Judged documents a topic, about; 0 means only the one or two relevant ones."""
    relevant_share: float
    """Share of relevant documents among the judged ones deep in or outside the ranking."""
    universe: int
    """Document ids are drawn from 0 to this."""
    docno: Callable[[int], str]
    first_topic: int | None
    """Topics are numbered from here; None draws sorted numbers like MS MARCO's."""
    max_grade: int
    spam_grade: int
    """Grade of the hundredth part of the judged, not retrieved documents that is spam."""


def clueweb_docno(number: int) -> str:
    """Like clueweb12-0001wb-12-34567."""
    segment, file, record = number // 7_000_000 % 2000, number // 70_000 % 100, number % 70_000
    return f"clueweb12-{segment:04d}{('wb', 'tw', 'wt')[number % 3]}-{file:02d}-{record:05d}"


def news_docno(number: int) -> str:
    """Like FBIS3-1234, FT934-5418, LA010189-0018 and FR940104-0-00001, in turn."""
    number, source = divmod(number, 4)
    match source:
        case 0:
            return f"FBIS{3 + number % 2}-{number}"
        case 1:
            return f"FT{911 + number % 34}-{number}"
        case 2:
            return f"LA{number // 400 % 1_000_000:06d}-{number % 10_000:04d}"
        case _:
            return f"FR{940_104 + number // 50_000:06d}-{number % 3}-{number % 50_000:05d}"


COLLECTIONS = {
    "S": Collection(50, 1000, 2000, 0.06, 52_000_000, clueweb_docno, 201, 3, -2),
    "M": Collection(250, 1000, 1250, 0.055, 528_155, news_docno, 301, 2, 0),
    "L": Collection(6980, 1000, 0, 0.0, 8_841_823, str, None, 1, 0),
}


def falling_scores(rng: np.random.Generator, count: int, ties: float) -> np.ndarray:
    """`count` scores, best first, each equal to the one above it with probability `ties`."""
    drop = rng.exponential(0.02, count) + 1e-5
    drop[0] = 0.0
    drop[rng.random(count) < ties] = 0.0
    return np.round(SCORE_AT_TOP - np.cumsum(drop), 6)


def pooled_judgments(
    rng: np.random.Generator, shape: Collection, retrieved: np.ndarray, others: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Documents and grades of a deep pool: everything judged at the top of the ranking, nothing at its end."""
    chance_judged = np.clip(1.15 * np.exp(-np.arange(shape.depth) / 350.0), 0.0, 1.0)
    judged = np.flatnonzero(rng.random(shape.depth) < chance_judged)
    chance_relevant = np.clip(0.75 * np.exp(-judged / 60.0), shape.relevant_share / 2, 1.0)
    is_relevant = rng.random(judged.size) < chance_relevant
    grades = np.where(is_relevant, 1 + rng.binomial(2, 0.25, judged.size), 0)

    missed = others[: max(shape.judged - judged.size, 0)]
    is_relevant = rng.random(missed.size) < shape.relevant_share
    missed_grades = np.where(is_relevant, 1 + rng.binomial(2, 0.15, missed.size), 0)
    missed_grades[rng.random(missed.size) < 0.01] = shape.spam_grade
    documents = np.concatenate([retrieved[judged], missed])
    return documents, np.minimum(np.concatenate([grades, missed_grades]), shape.max_grade)


def sparse_judgments(
    rng: np.random.Generator, depth: int, retrieved: np.ndarray, others: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """One relevant document, rarely two, mostly near the top; nothing else is judged (MS MARCO dev)."""
    count = 1 + int(rng.random() < 0.07)
    is_retrieved = rng.random(count) < 0.85
    position = np.minimum(rng.exponential(40.0, count).astype(int), depth - 1)
    documents = np.unique(np.where(is_retrieved, retrieved[position], others[:count]))
    return documents, np.ones(documents.size, int)


def run_lines(topic: int, names: Iterable[str], ranks: Iterable[int], scores: Iterable[str], tag: str) -> str:
    """One topic of a TREC run."""
    return "".join(
        f"{topic} Q0 {name} {rank} {score} {tag}\n" for name, rank, score in zip(names, ranks, scores, strict=True)
    )


def qrels_lines(topic: int, names: Iterable[str], grades: Iterable[int]) -> str:
    """One topic of TREC qrels."""
    return "".join(f"{topic} 0 {name} {grade}\n" for name, grade in zip(names, grades, strict=True))


def write_collection(name: str, folder: Path, ties: float, seed: int, shuffle: bool) -> None:
    """Write shape S, M or L."""
    shape = COLLECTIONS[name]
    rng = np.random.default_rng([seed, ord(name)])
    if shape.first_topic is None:
        topics = np.sort(rng.choice(1_102_000, shape.topics, replace=False))
    else:
        topics = np.arange(shape.first_topic, shape.first_topic + shape.topics)

    with open(folder / f"{name}.run", "w", newline="") as run, open(folder / f"{name}.qrels", "w", newline="") as qrels:
        for topic in topics.tolist():
            drawn = rng.choice(shape.universe, shape.depth + 3 * max(shape.judged, 10), replace=False)
            retrieved, others = drawn[: shape.depth], drawn[shape.depth :]
            scores = falling_scores(rng, shape.depth, ties)
            if shape.judged:
                documents, grades = pooled_judgments(rng, shape, retrieved, others)
                order = rng.permutation(documents.size)
            else:
                documents, grades = sparse_judgments(rng, shape.depth, retrieved, others)
                order = np.argsort(documents)
            qrels.write(qrels_lines(topic, map(shape.docno, documents[order].tolist()), grades[order].tolist()))

            line_order = rng.permutation(shape.depth) if shuffle else np.arange(shape.depth)
            run.write(
                run_lines(
                    topic,
                    map(shape.docno, retrieved[line_order].tolist()),
                    (line_order + 1).tolist(),
                    (f"{score:.6f}" for score in scores[line_order].tolist()),
                    f"synth-{name}",
                )
            )


def write_arrays(folder: Path, ties: float, seed: int, queries: int = 1_000_000, depth: int = 10) -> None:
    """Write shape A: the rows are not in rank order, as they come from a model."""
    rng = np.random.default_rng([seed, ord("A")])
    drop = rng.exponential(0.1, (queries, depth)) + 1e-4
    drop[rng.random((queries, depth)) < ties] = 0.0
    scores = np.round(30.0 - np.cumsum(drop, axis=1), 5)
    is_relevant = rng.random((queries, depth)) < 0.5 * np.exp(-np.arange(depth) / 4.0)
    gains = np.where(is_relevant, 1 + rng.binomial(2, 0.2, (queries, depth)), 0).astype(np.int8)
    shuffled = np.argsort(rng.random((queries, depth)), axis=1)
    scores, gains = np.take_along_axis(scores, shuffled, axis=1), np.take_along_axis(gains, shuffled, axis=1)
    num_rel = ((gains > 0).sum(axis=1) + rng.integers(0, 3, queries)).astype(np.int32)
    np.savez(folder / "A.npz", scores=scores, gains=gains, num_rel=num_rel)


@dataclass(frozen=True)
class InDegree:
    """Shape W, after section 3 of McSherry & Najork (2008): result vectors of 28,043 queries scored by in-degree.

    The paper gives the number of queries and the scoring function; the rest is chosen to be like a web collection:

    * 50 to 1,000 results a query, the number of queries with more than n results falling like 1/n (mean 157);
    * in-degree d with probability proportional to (d + 1) ** -2.1, the exponent usual for the web: 64 % of the
      documents have in-degree 0, 15 % have 1, 6 % have 2, so 96 % of all documents are tied;
    * 5 judged results a query and more, 17 on average; the higher the in-degree the likelier a result was judged;
    * grades 0 to 4 (34, 41, 20, 5 and 1 % of the judged), rising slowly with the logarithm of the in-degree.
    """

    queries: int = 28_043
    shortest: int = 50
    longest: int = 1000
    exponent: float = 2.1
    pages: int = 400_000_000
    fewest_judged: int = 5
    mean_judged: float = 17.0


def write_in_degree(folder: Path, seed: int, shape: InDegree = InDegree()) -> None:
    """Write shape W: the lines of a query are in order of score, tied documents in no order."""
    rng = np.random.default_rng([seed, ord("W")])
    # Inverse transform of a density falling like n ** -2 between the shortest and the longest result vector.
    shortest_share = 1.0 - shape.shortest / (shape.longest + 1)
    lengths = (shape.shortest / (1.0 - rng.random(shape.queries) * shortest_share)).astype(int)
    further_judged = rng.geometric(1.0 / (shape.mean_judged - shape.fewest_judged + 1), shape.queries) - 1

    with open(folder / "W.run", "w", newline="") as run, open(folder / "W.qrels", "w", newline="") as qrels:
        for query in range(shape.queries):
            length = int(lengths[query])
            documents = rng.choice(shape.pages, length, replace=False)
            degrees = np.sort(rng.zipf(shape.exponent, length) - 1)[::-1]
            weight = np.log2(degrees + 2.0)

            judged_count = min(shape.fewest_judged + int(further_judged[query]), length)
            judged = rng.choice(length, judged_count, replace=False, p=weight / weight.sum())
            grades = rng.binomial(4, np.minimum(0.15 + 0.05 * weight[judged], 0.6))

            names = documents.tolist()
            run.write(run_lines(query + 1, names, range(1, length + 1), degrees.tolist(), "in-degree"))
            qrels.write(qrels_lines(query + 1, documents[judged].tolist(), grades.tolist()))


def write_one_group(folder: Path, seed: int, documents: int = 100_000, relevant: int = 1_000) -> None:
    """Write shape T: one query, every score 1, a hundredth of the documents relevant, as many judged not to be."""
    rng = np.random.default_rng([seed, ord("T")])
    names = rng.choice(8_841_823, documents, replace=False)
    judged = rng.choice(documents, 2 * relevant, replace=False)
    grades = np.concatenate([rng.integers(1, 4, relevant), np.zeros(relevant, int)])
    run_text = run_lines(1, names.tolist(), range(1, documents + 1), ["1"] * documents, "constant")
    (folder / "T.run").write_text(run_text, newline="")
    (folder / "T.qrels").write_text(qrels_lines(1, names[judged].tolist(), grades.tolist()), newline="")


def main() -> None:
    """Write the shapes asked for."""
    default_folder = Path(__file__).parent / "data"
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, default=default_folder, help="default: benchmarks/data")
    parser.add_argument("--shapes", default="SMLAWT", help="letters of the shapes to write (default: %(default)s)")
    parser.add_argument("--ties", type=float, default=0.10, help="of S, M, L and A (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--shuffle", action="store_true", help="lines of a topic in random order (S, M, L)")
    options = parser.parse_args()
    if unknown := set(options.shapes) - set("SMLAWT"):
        parser.error(f"no such shape: {', '.join(sorted(unknown))}")

    options.folder.mkdir(parents=True, exist_ok=True)
    for name in options.shapes:
        match name:
            case "A":
                write_arrays(options.folder, options.ties, options.seed)
            case "W":
                write_in_degree(options.folder, options.seed)
            case "T":
                write_one_group(options.folder, options.seed)
            case _:
                write_collection(name, options.folder, options.ties, options.seed, options.shuffle)


if __name__ == "__main__":
    main()
