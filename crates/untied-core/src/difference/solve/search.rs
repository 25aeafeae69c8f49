//! Branch and bound, depth first. A node stands for all assignments that agree with its decisions. It is bounded, and
//! split in two if it may hold an assignment that is better than the best one known.
//!
//! Every search has a budget in nodes or steps. When it is spent, the remaining nodes stay *open*: they are not
//! searched, but no assignment in them is above the highest of their bounds.

/// A search for the best assignment.
pub(super) trait BranchAndBound {
    /// A node: its decisions, and what follows from them.
    type Node;

    /// Makes certain decisions in a node, keeps assignments that are better than the best one, and returns the node's
    /// bound. `above` is the bound of its parent.
    fn bound(&mut self, node: &mut Self::Node, above: f64) -> Bound;

    /// The two halves of a node, the more promising one first.
    fn split(&mut self, node: Self::Node) -> [Self::Node; 2];
}

/// Whether a node can still hold the best assignment, and an upper bound of its value.
pub(super) enum Bound {
    /// No assignment of the node is better than the best one known.
    Closed,
    /// No assignment of the node has a value above this.
    AtMost(f64),
    /// No assignment of the node has a value above this, and the budget does not suffice to search it.
    OutOfBudget(f64),
}

/// Searches a node. `above` is an upper bound of its values. Returns the highest bound of the nodes that stay open, if
/// any do.
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

    /// The largest sum of weights, no two of them neighbours.
    struct WeightsWithoutNeighbours {
        weights: Vec<f64>,
        best: f64,
        nodes: usize,
    }

    impl BranchAndBound for WeightsWithoutNeighbours {
        /// The sum of the weights chosen so far, the number of weights decided, and whether the last one is chosen.
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
