//! Branch and bound, depth first. A node stands for the assignments that agree with what is decided there. It is bounded,
//! and split in two where one of them may be better than the best that is known.
//!
//! Every search has its own budget: nodes or steps. Where it is spent, the nodes that are left stay *open*: nothing in them
//! was found, but nothing is above the highest of their bounds either.

/// A search for the best assignment, which it keeps.
pub(super) trait BranchAndBound {
    /// What is decided, and what follows for the rest.
    type Node;

    /// Decide what is certain in a node, keep assignments met on the way that are better than the best, and bound the node;
    /// `above` is the bound of its parent.
    fn bound(&mut self, node: &mut Self::Node, above: f64) -> Bound;

    /// Both parts of a node that was just bounded, the more promising one first.
    fn split(&mut self, node: Self::Node) -> [Self::Node; 2];
}

/// What may be in a node.
pub(super) enum Bound {
    /// Nothing that is better than the best assignment.
    Closed,
    /// Nothing above this.
    AtMost(f64),
    /// The same, but the budget does not suffice to look further.
    OutOfBudget(f64),
}

/// Search a node of which nothing is above `above`; the highest bound of the nodes that stay open, if any do.
pub(super) fn depth_first<S: BranchAndBound>(search: &mut S, mut node: S::Node, above: f64) -> Option<f64> {
    match search.bound(&mut node, above) {
        Bound::Closed => None,
        Bound::OutOfBudget(bound) => Some(bound),
        Bound::AtMost(bound) => {
            let open = search.split(node).map(|part| depth_first(search, part, bound));
            open.into_iter().flatten().reduce(f64::max)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The most of the chosen weights, of which no two neighbours may be chosen.
    struct WeightsWithoutNeighbours {
        weights: Vec<f64>,
        best: f64,
        nodes: usize,
    }

    impl BranchAndBound for WeightsWithoutNeighbours {
        /// What the first documents weigh, their number, and whether the last of them is chosen.
        type Node = (f64, usize, bool);

        fn bound(&mut self, &mut (value, decided, _): &mut Self::Node, above: f64) -> Bound {
            if self.nodes == 0 {
                return Bound::OutOfBudget(above);
            }
            self.nodes -= 1;
            self.best = self.best.max(value);
            let bound = value + self.weights[decided..].iter().sum::<f64>();
            if bound <= self.best { Bound::Closed } else { Bound::AtMost(bound) }
        }

        fn split(&mut self, (value, decided, is_chosen): Self::Node) -> [Self::Node; 2] {
            let weight = if is_chosen { f64::NEG_INFINITY } else { self.weights[decided] };
            [(value + weight, decided + 1, true), (value, decided + 1, false)]
        }
    }

    #[test]
    fn the_best_is_found_or_enclosed() {
        let search = |nodes: usize| {
            let mut search = WeightsWithoutNeighbours { weights: vec![3.0, 4.0, 3.0, 1.0, 2.0], best: 0.0, nodes };
            let open = depth_first(&mut search, (0.0, 0, false), f64::INFINITY);
            (search.best, open)
        };
        for nodes in 0..50 {
            let (best, open) = search(nodes);
            assert!(best == 8.0 || open.is_some_and(|bound| bound >= 8.0), "{nodes} {best} {open:?}");
        }
        assert_eq!(search(50), (8.0, None));
    }
}
