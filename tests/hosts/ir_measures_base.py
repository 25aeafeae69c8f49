"""In the place of the module that ir_measures' tests import and its source distribution lacks."""

import unittest
from typing import Any


class BaseMeasureTest(unittest.TestCase):
    """Compares metrics in any order, rounded."""

    def assertMetrics(self, found: Any, expected: Any, places: int = 4, not_equal: bool = False) -> None:
        rows, others = (
            sorted((metric.query_id, str(metric.measure), round(metric.value, places)) for metric in metrics)
            for metrics in (found, expected)
        )
        assert (rows == others) is not not_equal
