//! Branch and bound for problems with bounds for partial assignments.
//!
//! Choices are made in a fixed order. Of all that is open the node with the highest bound is next, so that the bound of
//! the whole falls as long as there is work left. Choices of alike units, which follow each other, never fall: what
//! differs in their order alone is met once.

use super::budget::Budget;
use super::open_nodes::OpenNodes;

/// Values that lie this close, as a share of the larger one (or of 1), count as equal.
const TOLERANCE: f64 = 1e-12;

/// A problem with a choice for each of its units.
pub trait Problem {
    /// Units with equal numbers are alike, and stand next to each other.
    fn units(&self) -> &[usize];

    /// How many choices a unit has.
    fn choices(&self) -> usize;

    /// The value where all is chosen.
    fn value(&self, chosen: &[u8]) -> f64;

    /// Nothing is above this where the first units have these choices.
    fn bound(&self, chosen: &[u8]) -> f64;

    /// About how many steps a value and a bound take.
    fn steps(&self) -> (usize, usize);
}

/// The best choices so far, and a bound of all others.
#[derive(Debug, Clone, PartialEq)]
pub struct Incumbent {
    /// The choices.
    pub chosen: Vec<u8>,
    /// Their value.
    pub value: f64,
    /// Nothing is above this.
    pub bound: f64,
    /// How many nodes were visited.
    pub nodes: u64,
}

/// The largest value, from the best of some choices of all units on, of which there is at least one.
pub fn solve(problem: &dyn Problem, starts: Vec<Vec<u8>>, mut work: Budget) -> Incumbent {
    let mut best = Incumbent { chosen: Vec::new(), value: f64::NEG_INFINITY, bound: f64::INFINITY, nodes: 1 };
    // A bound and a value are always found, however long they take.
    for (i, chosen) in starts.iter().enumerate() {
        if work.take(problem.steps().0) || i == 0 {
            best.offer(problem.value(chosen), chosen);
        }
    }
    best.bound = problem.bound(&[]);
    if best.is_closed(best.bound) {
        return best.close();
    }
    let mut climb = work.split(1, 4);
    best.climb(problem, &mut climb);
    work.give_back(climb);
    best.search(problem, work)
}

impl Incumbent {
    /// Keeps choices if they are better.
    pub fn offer(&mut self, value: f64, chosen: &[u8]) {
        if value > self.value {
            self.value = value;
            self.chosen = chosen.to_vec();
        }
    }

    /// Whether nothing below a bound is better.
    fn is_closed(&self, bound: f64) -> bool {
        bound <= self.value + TOLERANCE * self.value.abs().max(1.0)
    }

    /// The incumbent, whose bound is its value if the difference is only rounding.
    pub fn close(self) -> Incumbent {
        Incumbent { bound: if self.is_closed(self.bound) { self.value } else { self.bound }, ..self }
    }

    /// Changes one unit after the other as long as the value grows.
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
            // Only what was closed is left.
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
}
