"""Makes the cases from the oracle in ``tests/oracle``, which shares no code with untied.

Every answer is the mean, the lowest or the highest of a definition over explicitly listed orders of tied documents, or
its value for the one order that a convention chooses.
"""
