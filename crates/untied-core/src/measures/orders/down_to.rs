//! Blended ratios at the relevant documents of a tie group down to the first of its best ones.
//!
//! The c-th other relevant document stands at a position that weighs w_c, the best one at one that weighs W and itself
//! counts v. With u_c = B + v_1 + .. + v_c what is counted down to the c-th, C of them add up to
//!
//!   S = w_1 u_1 + .. + w_C u_C + W (u_C + v).
//!
//! As in [`super::fading`], the values are drawn without replacement from r, with mean m and variance s^2, whatever the
//! positions are; with U_c = w_c + .. + w_C,
//!
//!   E\[S | positions\] = sum of w_c (B + c m) + W (B + C m + v),
//!   Var(S | positions) = s^2 r/(r-1) \[sum of (U_c + W)^2 - (sum of (U_c + W))^2 / r\],    sum of U_c = sum of c w_c.
//!
//! Let c relevant and i other documents stand above a position. Each of these c + i documents is equally likely to be the
//! last one. The moments for (c, i) therefore follow from those for (c - 1, i) and (c, i - 1), with the weights c/(c+i)
//! and i/(c+i).

use super::fading::FadingMoments;
use super::lattice;

/// A tie group with documents of the highest grade.
pub(crate) struct DownTo<'a> {
    /// The value of each document of the highest grade, v, and their number.
    pub best: (f64, usize),
    /// The value and number of other relevant documents, by grade.
    pub values: &'a [(f64, usize)],
    /// The number of documents that are not relevant.
    pub rest: usize,
    /// The sum of the values of relevant documents before the group, B.
    pub before: f64,
    /// The weight of each position.
    pub weights: &'a [f64],
}

/// The moments of S if the best document is directly below a number of other relevant documents.
pub(crate) struct BestBelow {
    pub chance: f64,
    pub hits: usize,
    pub mean: f64,
    pub variance: f64,
}

/// The probability and the moments of the orders with some numbers of relevant and other documents above.
#[derive(Clone, Copy, Default)]
struct Above {
    /// The probability that exactly these documents come first.
    chance: f64,
    /// The moments of the sum of w_c (B + c m).
    value: FadingMoments,
    /// The moments of the sum of U_c.
    weights: FadingMoments,
    /// The mean of the sum of U_c^2.
    squares: f64,
}

impl Above {
    /// Adds one more relevant document, the c-th.
    fn and(self, weight: f64, c: f64, value: f64) -> Above {
        Above {
            chance: self.chance,
            value: self.value.plus(weight * value),
            weights: self.weights.plus(c * weight),
            squares: self.squares + weight * (2.0 * self.weights.mean + c * weight),
        }
    }
}

impl DownTo<'_> {
    /// Visits all numbers of relevant and other documents above the first document of the highest grade. Returns false
    /// if there are too many.
    pub fn visit(&self, mut visit: impl FnMut(BestBelow)) -> bool {
        let relevant: usize = self.values.iter().map(|value| value.1).sum();
        if !lattice::is_small(&[relevant, self.rest]) {
            return false;
        }
        let r = relevant as f64;
        let sum = |of: &dyn Fn(f64) -> f64| -> f64 {
            self.values.iter().map(|&(value, count)| count as f64 * of(value)).sum()
        };
        let mean = if relevant > 0 { sum(&|value| value) / r } else { 0.0 };
        let spread: f64 = if relevant > 1 { sum(&|value| (value - mean).powi(2)) / (r - 1.0) } else { 0.0 };
        let inverse: Vec<f64> = (0..=self.weights.len()).map(|number| 1.0 / number as f64).collect();
        // With i others above, by the number of relevant documents above.
        let mut above = vec![Above::default(); relevant + 1];
        above[0].chance = 1.0;
        for i in 0..=self.rest {
            let mut last: Option<Above> = None;
            for (c, place) in above.iter_mut().enumerate() {
                let (at, count) = (c + i, c as f64);
                if let Some(left) = (at > 0).then(|| inverse[self.weights.len() - at + 1]) {
                    let hit = last.map(|last| last.and(self.weights[at - 1], count, self.before + count * mean));
                    let from_hit = hit.map_or(0.0, |hit| hit.chance * (relevant - c + 1) as f64 * left);
                    let from_other = if i > 0 { place.chance * (self.rest - i + 1) as f64 * left } else { 0.0 };
                    if let Some(hit) = hit {
                        let share = count * inverse[at];
                        place.value = hit.value.mixed(place.value, share);
                        place.weights = hit.weights.mixed(place.weights, share);
                        place.squares = share * hit.squares + (1.0 - share) * place.squares;
                    }
                    place.chance = from_hit + from_other;
                }
                last = Some(*place);
                let Some(weight) = self.weights.get(at) else { continue };
                let weights = place.weights.plus(count * weight);
                let squares = place.squares + weight * (2.0 * place.weights.mean + count * weight);
                let drawn = if spread > 0.0 { spread * (squares - weights.square() / r).max(0.0) } else { 0.0 };
                visit(BestBelow {
                    chance: place.chance * self.best.1 as f64 * inverse[self.weights.len() - at],
                    hits: c,
                    mean: place.value.mean + weight * (self.before + count * mean + self.best.0),
                    variance: place.value.variance + drawn,
                });
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nightly::seeds;
    use crate::random::Random;

    /// For all orders of documents that count so much (not relevant: 0), the other relevant documents above the first of
    /// the best, and S.
    fn every_order(
        left: &mut Vec<f64>,
        best: f64,
        weights: &[f64],
        hits: usize,
        count: f64,
        sum: f64,
    ) -> Vec<(usize, f64)> {
        let mut orders_of_group = Vec::new();
        for i in 0..left.len() {
            let value = left.swap_remove(i);
            let (weight, count) = (weights[weights.len() - 1 - left.len()], count + value);
            if value == best {
                // The others may follow in any order.
                let orders = (1..=left.len()).product();
                orders_of_group.extend(std::iter::repeat_n((hits, sum + weight * count), orders));
            } else {
                let (hits, sum) = if value > 0.0 { (hits + 1, sum + weight * count) } else { (hits, sum) };
                orders_of_group.extend(every_order(left, best, weights, hits, count, sum));
            }
            left.push(value);
            let last = left.len() - 1;
            left.swap(i, last);
        }
        orders_of_group
    }

    #[test]
    fn as_every_order_says() {
        for seed in seeds(30) {
            let mut random = Random::new(seed);
            let mut below = |n: u64| random.below(n) as usize;
            let (best, bests, rest) = ((9.0, 1 + below(2)), below(4), below(3));
            let values = [(4.0, bests), (1.5, below(2))];
            let (start, before) = (below(20), below(9) as f64);
            let mut documents = vec![0.0; rest];
            for (value, count) in values.into_iter().chain([best]) {
                documents.extend(std::iter::repeat_n(value, count));
            }
            let weights: Vec<f64> = (1..=documents.len()).map(|a| 1.0 / (start + 2 * a) as f64).collect();
            let all = every_order(&mut documents, best.0, &weights, 0, before, 0.0);
            let mut moments = [(0.0, 0.0, 0.0); 8]; // probability, first and second moment by hits
            let group = DownTo { best, values: &values, rest, before, weights: &weights };
            assert!(group.visit(|one| {
                let place = &mut moments[one.hits];
                place.0 += one.chance;
                place.1 += one.chance * one.mean;
                place.2 += one.chance * (one.mean * one.mean + one.variance);
            }));
            for (hits, moments) in moments.iter().enumerate() {
                let mean = |of: &dyn Fn(f64) -> f64| {
                    all.iter().filter(|one| one.0 == hits).map(|one| of(one.1)).sum::<f64>() / all.len() as f64
                };
                for (value, expected) in
                    [(moments.0, mean(&|_| 1.0)), (moments.1, mean(&|x| x)), (moments.2, mean(&|x| x * x))]
                {
                    assert!((value - expected).abs() <= 1e-12 * expected.max(1e-3), "{seed}: {value} {expected}");
                }
            }
        }
    }
}
