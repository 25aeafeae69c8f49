//! INST, whose users adapt to what they have gained so far.

use super::{DEPTH, GOAL, MAX_REL, MIN_REL, Steps, goal, limit, steps};
use crate::measures::orders::Outcome;
use crate::measures::orders::sampling::{self, PlacedDocument};
use crate::measures::{Certainty, Definition, Measure, Orders};
use crate::names::{Info, JUDGED_ONLY, Sampled, unbounded};
use crate::ranking::Ranking;
use crate::table::Judgments;

pub static INST: Definition = Info {
    name: "INST",
    title: "the mean gain of a user who hopes for the gain T and adapts to what they found",
    parameters: &[GOAL, MIN_REL, MAX_REL, DEPTH, JUDGED_ONLY],
    equation: "sum over ranks of W(i) g_i, C(i) = ((x-1) / x)^2, x = i + 2T - (g_1 + .. + g_i)",
    tex: r"\mathrm{INST} = \sum_i W(i)\, g_i, \quad \frac{W(i+1)}{W(i)} = C(i) = \left( \frac{x - 1}{x} \right)^2,
           \quad x = i + 2T - \sum_{j \le i} g_j",
    reference: "Moffat, Bailey, Scholer & Thomas 2015, 2017; ties: all orders if there are few, else a sample",
    sampled: &[Sampled { unless: sampling::MANY_ORDERS, then: "all values are estimates" }],
    unbounded: Some(unbounded::WEIGHTS),
    ..Info::DEFAULT
}
.built_by(|spec, scope| {
    let goal = goal(spec, 0.25)?;
    Ok(Box::new(Adaptive { gain: steps(spec, scope)?, goal, limit: limit(spec, false)? }))
});

/// INST with its parameters.
struct Adaptive {
    gain: Steps,
    goal: f64,
    limit: usize,
}

impl Adaptive {
    fn value(&self, placed: &[PlacedDocument]) -> f64 {
        // `missing` is x at the rank before the next one. Without gains, the product of C(i) = ((x-1)/x)^2 telescopes.
        let (mut gained, mut all, mut reach, mut at) = (0.0, 0.0, 1.0, 0);
        let mut missing = 2.0 * self.goal;
        let pass = |all: &mut f64, reach: &mut f64, missing: &mut f64, ranks: usize| {
            let next = *missing + ranks as f64;
            *all += *reach * *missing * *missing * inverse_squares(*missing, ranks);
            *reach *= (*missing / next).powi(2);
            *missing = next;
        };
        for (rank, gain) in self.gain.of(placed, self.limit) {
            pass(&mut all, &mut reach, &mut missing, rank - 1 - at);
            all += reach;
            gained += reach * gain;
            missing += 1.0 - gain;
            reach *= ((missing - 1.0) / missing).powi(2);
            at = rank;
        }
        pass(&mut all, &mut reach, &mut missing, self.limit - at);
        gained / all
    }

    fn statistics(&self, ranking: &Ranking) -> Outcome {
        sampling::over_orders(&self.gain.classes(ranking, self.limit), |placed| self.value(placed)).outcome
    }
}

impl Measure for Adaptive {
    fn mean(&self, ranking: &Ranking, _: &Judgments<'_>) -> f64 {
        self.statistics(ranking).mean
    }

    fn variance(&self, ranking: &Ranking, _: &Judgments<'_>) -> f64 {
        self.statistics(ranking).variance
    }

    fn extremes(&self, orders: &Orders, _: &Judgments<'_>) -> (f64, f64) {
        // The orders by grade are nearly always the best and the worst, but this is not proved.
        let outcome = self.statistics(&orders.tied);
        let (worst, best) = (self.statistics(&orders.worst).mean, self.statistics(&orders.best).mean);
        (outcome.low.min(worst).min(best), outcome.high.max(worst).max(best))
    }

    fn certainty(&self, ranking: &Ranking, _: &Judgments<'_>) -> Certainty {
        self.gain.certainty(ranking, self.limit)
    }
}

/// The sum of the first terms of 1/x^2 + 1/(x+1)^2 + ..
fn inverse_squares(x: f64, terms: usize) -> f64 {
    /// From this x on, the asymptotic series has all digits.
    const FAR: f64 = 16.0;
    let one_by_one = |terms: usize| (0..terms).rev().map(|i| (x + i as f64).powi(-2)).sum::<f64>();
    // The sum of all terms from y on, by its asymptotic series (Euler & Maclaurin).
    let from = |y: f64| {
        let z = 1.0 / (y * y);
        (1.0 + 0.5 / y + z * (1.0 / 6.0 - z * (1.0 / 30.0 - z * (1.0 / 42.0 - z / 30.0)))) / y
    };
    let near = if x < FAR { 16 } else { 0 };
    if terms <= near + 8 {
        return one_by_one(terms);
    }
    one_by_one(near) + (from(x + near as f64) - from(x + terms as f64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_of_inverse_squares() {
        for (x, terms) in [(0.25, 1000), (2.0, 998), (7.3, 40), (500.0, 500), (1.0, 33), (3.0, 32)] {
            let sum: f64 = (0..terms).rev().map(|i| (x + f64::from(i)).powi(-2)).sum();
            let value = inverse_squares(x, terms as usize);
            assert!((value - sum).abs() < 1e-13 * sum, "{x} {terms}: {value} {sum}");
        }
    }
}
