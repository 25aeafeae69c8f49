"""For ir_measures' own tests: who computes in its pytrec_eval provider's place (`tests/compat/test_hosts.py`)."""

import os
import sys

if os.environ["WHO"] == "module":
    from untied.compat import pytrec_eval

    sys.modules["pytrec_eval"] = pytrec_eval

import ir_measures

if os.environ["WHO"] == "provider":
    import untied.compat.ir_measures as ours

    ours.install(prefer=True)
    ir_measures.pytrec_eval = ours.PROVIDER
    ir_measures.providers.PytrecEvalProvider = lambda: ours.PROVIDER
