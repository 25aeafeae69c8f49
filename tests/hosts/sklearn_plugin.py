"""For scikit-learn's own tests: its ranking metrics are ours (`tests/compat/test_hosts.py`)."""

import sklearn.metrics
import sklearn.metrics.tests.test_ranking

from untied.compat import sklearn as ours

for name in ours.__all__:
    setattr(sklearn.metrics.tests.test_ranking, name, getattr(ours, name))
