"""Colours and lines of all pictures and pages, and their meanings."""

from __future__ import annotations

# Okabe & Ito's colours, which colour-blind readers can tell apart; lines differ too, for print in black.
COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000")
#: The same, light enough for a dark page.
ON_DARK = ("#4FA3E3", "#F08A5D", "#2FBF92", "#D993BC", "#8FD0F5", "#F0B73F", "#E5E9F0")
DASHES = ("-", (0, (5, 1.5)), (0, (1, 1)), (0, (5, 1.5, 1, 1.5)), (0, (3, 1)))

#: Places of colours with a meaning: the first and the second of two runs; from the worst to the best order of tied
#: documents; the order by document id. The mean over all orders has the colour of text.
FIRST, SECOND, TIE_RANGE, BY_DOCID = 0, 1, 4, 1
