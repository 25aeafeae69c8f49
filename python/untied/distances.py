"""Distances of two rankings with weights and similarities of items (Kumar & Vassilvitskii 2010).

With weights w of items, costs delta_i of moving from rank i - 1 to rank i, and dissimilarities D of items, let pbar_x
be the mean cost of the ranks that item x moved across (`unmoved` if it did not move), and v_x = w_x pbar_x. Then

    K = sum of v_x v_y D_xy over pairs in opposite orders,
    F = sum over x of v_x | sum of v_y D_xy over y above x in the one ranking - the same in the other |.

Without weights, costs and dissimilarities they are Kendall's distance (the number of pairs in opposite orders) and
Spearman's footrule. For position weights alone, of whole runs, there are the measures ``WeightedKendall`` and
``WeightedFootrule`` of `untied.compare`; `untied.correlation.kendall` is Kendall's tau.
"""

from untied.compare.distances import footrule, kendall_distance

__all__ = ["footrule", "kendall_distance"]
