"""Samples of judgments and collections, for studies of incomplete and imperfect judgments.

Whether a document is kept depends only on the seed, its query and its id, not on the order of the input or on other
judgments. With the same seed, the sample at a lower rate is therefore part of the sample at a higher rate, unless a
query had to be drawn again.
"""

from untied.judging.sample import Judgments, collection, judgments, keeps_document, pool

__all__ = ["Judgments", "collection", "judgments", "keeps_document", "pool"]
