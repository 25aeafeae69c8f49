"""Helpers for estimating from incomplete judgments: pools, standard errors and random samples."""

from untied.judging.estimates import infap_error, subcollection, with_pool

__all__ = ["infap_error", "subcollection", "with_pool"]
