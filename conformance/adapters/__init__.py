"""One module for each evaluator: ``PACKAGE``, ``HOW`` it is asked, and ``answer(case)``."""
