"""Samples of judgments and of collections: the incomplete and the imperfect judgments of studies.

Whether a document is kept depends on nothing but the seed, its query and its id: not on the order of the input, nor on
what else is judged. So the sample at a lower rate is part of the one at a higher rate with the same seed, unless a
query had to be drawn again.
"""

from untied.judging.sample import Judgments, collection, judgments, keeps_document, pool

__all__ = ["Judgments", "collection", "judgments", "keeps_document", "pool"]
