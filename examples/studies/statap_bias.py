"""How far off is statAP? Sampling simulated on LETOR's MQ2008, with its labels as the truth.

Every judged document is included in a sample by chance, independently of the others, with the inclusion probability
that ``prels`` states (or a floor, as probabilities of 0.002 make a few documents stand for everything). The sum in
statAP, divided by the true R, is an unbiased estimate of AP; statAP itself divides by the estimated R, and is not.
Rankings are by one of LETOR's features, ties and all: of tied documents both AP and statAP are means over all orders.

    python examples/studies/statap_bias.py FOLDER [--draws 200] [--feature 40] [--floor 0.05]

FOLDER holds S1.txt.xz, S2.txt.xz, S3.txt.xz and prels.mq.10001-20000.xz.
"""

from __future__ import annotations

import argparse
import lzma
import math
import random
from dataclasses import dataclass
from pathlib import Path

import untied

PARTS = ["S1.txt.xz", "S2.txt.xz", "S3.txt.xz"]
PRELS = "prels.mq.10001-20000.xz"


@dataclass
class Collection:
    """By query and document: labels, scores, inclusion probabilities."""

    labels: dict[str, dict[str, int]]
    scores: dict[str, dict[str, float]]
    inclusion: dict[str, dict[str, float]]


@dataclass
class Estimate:
    """The mean of an estimate over queries and samples, and its standard error over samples."""

    mean: float
    error: float

    @classmethod
    def of(cls, values: list[float]) -> Estimate:
        """Mean and standard error of some values."""
        mean = sum(values) / len(values)
        return cls(mean, math.sqrt(sum((value - mean) ** 2 for value in values) / (len(values) - 1) / len(values)))


@dataclass
class Outcome:
    """What a simulation found."""

    queries: int
    truth: float
    numerator: Estimate
    ratio: Estimate
    ratio_ht: Estimate
    empty: float


def read(folder: Path, feature: int, queries: int | None = None) -> Collection:
    """Queries with something relevant; documents that prels does not have count as judged for sure."""
    found: dict[str, dict[str, float]] = {}
    with lzma.open(folder / PRELS, "rt") as lines:
        for line in lines:
            query, document, _, _, probability = line.split()
            found.setdefault(query, {})[document] = float(probability)
    collection = Collection({}, {}, {})
    for part in PARTS:
        with lzma.open(folder / part, "rt") as lines:
            for line in lines:
                label, query, *features = line.split()
                query = query.removeprefix("qid:")
                document = features[features.index("#docid") + 2]
                collection.labels.setdefault(query, {})[document] = int(label)
                score = float(features[feature - 1].partition(":")[2])
                collection.scores.setdefault(query, {})[document] = score
                probability = found.get(query, {}).get(document, 1.0)
                collection.inclusion.setdefault(query, {})[document] = probability
    relevant = [query for query, labels in collection.labels.items() if any(labels.values())][:queries]
    for column in (collection.labels, collection.scores, collection.inclusion):
        for query in column.keys() - set(relevant):
            del column[query]
    return collection


def simulate(collection: Collection, draws: int, floor: float, seed: int = 1) -> Outcome:
    """Draw samples and evaluate each; ``floor`` is the lowest inclusion probability."""
    chance = random.Random(seed)
    labels, queries = collection.labels, len(collection.labels)
    truth = untied.evaluate(labels, collection.scores, ["AP"]).value("AP").mean
    relevant = {query: sum(label > 0 for label in of.values()) for query, of in labels.items()}
    numerators, ratios, ratios_ht, empty = [], [], [], 0
    for _ in range(draws):
        sample = {
            query: {
                document: (label, probability)
                for document, label in of.items()
                if chance.random() < (probability := max(floor, collection.inclusion[query][document]))
            }
            for query, of in labels.items()
        }
        sample = {query: of for query, of in sample.items() if of}  # without any judgment the estimate is 0
        names = ["statAP", "statAP(self_weight='ht')"]
        results = untied.evaluate(sample, collection.scores, names, qrels_format="prels")
        numerator = ratio = ratio_ht = 0.0
        for query, of in sample.items():
            estimated = sum(1 / probability for label, probability in of.values() if label > 0)
            value = results.value("statAP", query=query).mean
            numerator += value * estimated / relevant[query]
            ratio += value
            ratio_ht += results.value(names[1], query=query).mean
            empty += estimated == 0
        empty += queries - len(sample)
        numerators.append(numerator / queries)
        ratios.append(ratio / queries)
        ratios_ht.append(ratio_ht / queries)
    every = (Estimate.of(values) for values in (numerators, ratios, ratios_ht))
    return Outcome(queries, truth, *every, empty / draws / queries)


def main() -> None:
    """Simulate for one or several floors, and print."""
    parser = argparse.ArgumentParser(description="Bias of statAP, by simulated sampling on MQ2008.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--draws", type=int, default=200)
    parser.add_argument("--feature", type=int, default=40, help="the feature of LETOR to rank by (default: 40)")
    parser.add_argument("--floor", type=float, action="append", help="lowest inclusion probability; may be repeated")
    options = parser.parse_args()
    collection = read(options.folder, options.feature)
    for floor in options.floor or [0.0, 0.05, 0.2]:
        found = simulate(collection, options.draws, floor)
        print(f"probabilities of at least {floor:g}: {found.queries} queries, {options.draws} samples")
        print(f"  AP of all labels                      {found.truth:.4f}")
        for name, one in [
            ("sum of statAP / R (unbiased)", found.numerator),
            ("statAP", found.ratio),
            ("statAP(self_weight='ht')", found.ratio_ht),
        ]:
            bias = one.mean - found.truth
            print(f"  {name:<36}  {one.mean:.4f}  bias {bias:+.4f} +- {one.error:.4f}")
        print(f"  samples without a relevant document   {found.empty:.1%}, where statAP is 0")


if __name__ == "__main__":
    main()
