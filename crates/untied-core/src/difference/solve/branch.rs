//! Branch and bound for problems in which each unit (a document) gets one of several choices (a grade), and a bound is
//! known when only some units have theirs.
//!
//! Units get their choices in a fixed order. The open node with the highest bound is visited next. Units that are alike
//! follow each other, and their choices never fall, because exchanging them changes nothing.

use super::budget::Budget;
use super::open_nodes::OpenNodes;

/// Two values count as equal if they differ by this share of the best value, or of 1.
const TOLERANCE: f64 = 1e-12;

/// A problem in which each unit gets one of several choices. The value of all choices should be as large as possible.
pub trait Problem {
    /// The kind of each unit. Units of one kind are alike, and stand next to each other.
    fn units(&self) -> &[usize];

    /// How many choices each unit has.
    fn choices(&self) -> usize;
    /// The value if the units have these choices.
    fn value(&self, chosen: &[u8]) -> f64;

    /// An upper bound of the value if the first units have these choices, and the others any.
    fn bound(&self, chosen: &[u8]) -> f64;

    /// About how many steps a value takes, and a bound.
    fn steps(&self) -> (usize, usize);
}

/// The best choices found so far, and an upper bound of any value.
#[derive(Debug, Clone, PartialEq)]
pub struct Incumbent {
    /// The choice of each unit.
    pub chosen: Vec<u8>,
    /// The value of these choices.
    pub value: f64,
    /// An upper bound of the value of any choices.
    pub bound: f64,
    /// How many nodes were visited.
    pub nodes: u64,
}

/// Searches for the largest value of a problem. It improves the best of `starts`, which has at least one list of
/// choices for all units.
pub fn solve(problem: &dyn Problem, starts: Vec<Vec<u8>>, mut work: Budget) -> Incumbent {
    let mut best = Incumbent { chosen: Vec::new(), value: f64::NEG_INFINITY, bound: f64::INFINITY, nodes: 1 };
    // One bound and one value are computed even if there is not enough work for them.
    for (i, chosen) in starts.iter().enumerate() {
        if work.take(problem.steps().0) || i == 0 {
            best.offer(problem.value(chosen), chosen);
        }
    }
    best.bound = problem.bound(&[]);
    if best.is_closed(best.bound) {
        return best.close();
    }
    // Up to a quarter of the work goes into a local search, and the rest into branch and bound.
    let mut climb = work.split(1, 4);
    best.climb(problem, &mut climb);
    work.give_back(climb);
    best.search(problem, work)
}

impl Incumbent {
    /// Keeps these choices if their value is larger.
    pub fn offer(&mut self, value: f64, chosen: &[u8]) {
        if value > self.value {
            self.value = value;
            self.chosen = chosen.to_vec();
        }
    }

    /// Whether a node with this bound has no better choices, but for rounding.
    fn is_closed(&self, bound: f64) -> bool {
        bound <= self.value + TOLERANCE * self.value.abs().max(1.0)
    }

    /// Closes the gap between value and bound if they differ only by rounding.
    pub fn close(self) -> Incumbent {
        Incumbent { bound: if self.is_closed(self.bound) { self.value } else { self.bound }, ..self }
    }

    /// A local search: tries all choices of one unit after the other, as long as the value grows.
    fn climb(&mut self, problem: &dyn Problem, work: &mut Budget) {
        let mut chosen = self.chosen.clone();
        let mut helps = true;
        while std::mem::take(&mut helps) {
            for unit in 0..chosen.len() {
                for choice in 0..problem.choices() as u8 {
                    if choice == self.chosen[unit] {
                        continue;
                    }
                    if !work.take(problem.steps().0) {
                        return;
                    }
                    chosen[unit] = choice;
                    let before = self.value;
                    self.offer(problem.value(&chosen), &chosen);
                    helps |= self.value > before + TOLERANCE * before.abs().max(1.0);
                }
                chosen[unit] = self.chosen[unit];
            }
        }
    }

    fn search(mut self, problem: &dyn Problem, mut work: Budget) -> Incumbent {
        let units = problem.units();
        let mut open = OpenNodes::new(self.bound, Vec::new());
        while let Some((highest, decided)) = open.pop() {
            self.bound = highest;
            if self.is_closed(highest) {
                break;
            }
            let unit = decided.len();
            // A unit gets no smaller choice than the unit before it that is alike.
            let least = if unit > 0 && units[unit] == units[unit - 1] { decided[unit - 1] } else { 0 };
            for choice in least..problem.choices() as u8 {
                if !work.take(problem.steps().1) {
                    return self.close();
                }
                self.nodes += 1;
                let chosen: Vec<u8> = decided.iter().copied().chain([choice]).collect();
                if chosen.len() == units.len() {
                    self.offer(problem.value(&chosen), &chosen);
                    continue;
                }
                let bound = problem.bound(&chosen).min(highest);
                if !self.is_closed(bound) {
                    open.push(bound, chosen);
                }
            }
            // If no node is open, no choices are better.
            if open.is_empty() {
                self.bound = self.value;
            }
        }
        self.close()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::difference::solve::testing::assignments;
    use crate::nightly::seeds;
    use crate::random::Random;

    /// A sum of products of neighbours.
    struct Chain {
        units: Vec<usize>,
        weights: Vec<f64>,
    }

    impl Problem for Chain {
        fn units(&self) -> &[usize] {
            &self.units
        }

        fn choices(&self) -> usize {
            3
        }

        fn value(&self, chosen: &[u8]) -> f64 {
            let pairs = chosen.windows(2).zip(&self.weights);
            pairs.map(|(pair, weight)| weight * f64::from(pair[0]) * f64::from(pair[1])).sum()
        }

        fn bound(&self, chosen: &[u8]) -> f64 {
            let rest = &self.weights[chosen.len().max(1) - 1..];
            self.value(chosen) + rest.iter().map(|weight| 4.0 * weight.max(0.0)).sum::<f64>()
        }

        fn steps(&self) -> (usize, usize) {
            (1, 1)
        }
    }

    #[test]
    fn it_is_the_largest_or_enclosed() {
        for seed in seeds(100) {
            let mut random = Random::new(seed);
            let count = 1 + random.below(6) as usize;
            let weights = (1..count).map(|_| random.unit() - 0.5).collect();
            let problem = Chain { units: (0..count).collect(), weights };
            let mut largest = f64::NEG_INFINITY;
            assignments(count, &[0.0, 1.0, 2.0], &mut |chosen| {
                let chosen: Vec<u8> = chosen.iter().map(|&x| x as u8).collect();
                largest = largest.max(problem.value(&chosen));
            });
            let found = solve(&problem, vec![vec![0; count]], Budget::new(1_000_000));
            assert!((found.value - largest).abs() < 1e-12 && found.bound == found.value, "{seed} {found:?}");
            assert_eq!(problem.value(&found.chosen), found.value);
            let found = solve(&problem, vec![vec![0; count]], Budget::new(random.below(20)));
            assert!(found.value <= largest + 1e-12 && largest <= found.bound + 1e-12, "{seed} {found:?}");
        }
    }

    #[test]
    fn a_bound_that_is_reached_at_once_needs_no_search() {
        let problem = Chain { units: vec![0, 1, 2], weights: vec![-0.5, -0.25] };
        let found = solve(&problem, vec![vec![0; 3]], Budget::new(100));
        assert_eq!((found.value, found.bound, found.nodes), (0.0, 0.0, 1));
    }

    #[test]
    fn a_local_search_ends_where_no_single_choice_helps() {
        for seed in seeds(100) {
            let mut random = Random::new(seed);
            let count = 2 + random.below(5) as usize;
            let weights = (1..count).map(|_| random.unit() - 0.5).collect();
            let problem = Chain { units: (0..count).collect(), weights };
            let chosen = vec![1; count];
            let mut best = Incumbent { value: problem.value(&chosen), chosen, bound: f64::INFINITY, nodes: 1 };
            best.climb(&problem, &mut Budget::new(10_000));
            assert_eq!(problem.value(&best.chosen), best.value);
            for (unit, choice) in (0..count).flat_map(|unit| (0..3).map(move |choice| (unit, choice))) {
                let mut other = best.chosen.clone();
                other[unit] = choice;
                assert!(problem.value(&other) <= best.value + 1e-9, "{seed} {unit} {choice} {best:?}");
            }
        }
    }
}
