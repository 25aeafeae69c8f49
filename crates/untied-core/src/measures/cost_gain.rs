//! G: gain discounted by what the ideal ranking would have gained by then.
//!
//! With C(i) = sum over j <= i of max(1, ideal gain at j), S(i) = sum over j <= i of the gains of the ranking,
//!
//!   G = (sum over i of g_i / log2(2 + C(i) - S(i))) / (sum of all ideal gains).
//!
//! C depends on the rank alone and S on how many documents of each gain are above, so `lattice` gives all statistics.
//! G may fall when a higher gain moves up: of gains 3, 2 and 1, the order 1, 2, 3 has a higher G than 1, 3, 2.

use super::dcg::{GAIN, Gain};
use super::graded::{Ideal, by_gain, gain};
use super::orders::sampling;
use super::orders::{Outcome, lattice};
use super::{Certainty, Definition, Measure, Orders};
use crate::error::Error;
use crate::names::{Info, JUDGED_ONLY, Sampled, unbounded};
use crate::ranking::{Group, Ranking};
use crate::table::Judgments;

pub static COST_GAIN: Definition = Info {
    name: "G",
    aliases: &["g"],
    title: "gain discounted by how far it is behind the ideal gain",
    parameters: &[GAIN, JUDGED_ONLY],
    equation: "G = sum over ranks i of g_i / log2(2 + C(i) - S(i)) / sum of all gains, S(i) = sum of the first i \
               gains, C(i) = sum of max(1, gain) over the first i ranks of the ideal ranking",
    tex: r"\mathrm{G} = \frac{1}{\sum_d g_d} \sum_{i} \frac{g_i}{\log_2 (2 + C(i) - S(i))}",
    reference: "trec_eval (G, Buckley 2008)",
    sampled: &[Sampled {
        unless: "(documents of each gain + 1) times each other exceed 2 million in a group",
        then: "estimates",
    }],
    unbounded: Some(unbounded::IDEAL),
    ..Info::DEFAULT
}
.built_by(|spec, scope| {
    let gain = gain(spec, scope)?;
    // Costs of 1 and gains are added up, and the sums taken from each other.
    match scope.grades.iter().find(|&&grade| gain.of(grade) > 1e9) {
        Some(grade) => Err(Error::Value(format!("{spec}: the gain of grade {grade} is above 1e9"))),
        None => Ok(Box::new(CostGain { gain })),
    }
});

struct CostGain {
    gain: Gain,
}

impl CostGain {
    /// Statistics; none where nothing can be gained.
    fn find(&self, ranking: &Ranking, truth: &Judgments<'_>) -> Option<Outcome> {
        let ideal = Ideal::new(truth, &self.gain)?;
        let ranking = by_gain(ranking, &self.gain);
        let Outcome { mean, variance, low, high } = sum(&ranking, &ideal).unwrap_or_else(|| {
            let one_order = |one: &Ranking| sum(one, &ideal).map_or(f64::NAN, |outcome| outcome.mean);
            sampling::over_rankings(&ranking, usize::MAX, one_order).outcome
        });
        let total: f64 = ideal.gains().sum();
        let variance = variance / (total * total);
        Some(Outcome { mean: mean / total, variance, low: low / total, high: high / total })
    }
}

/// Statistics of the sum, if no group is too large.
fn sum(ranking: &Ranking, ideal: &Ideal) -> Option<Outcome> {
    // max(1, gain) rank by rank; what follows costs 1.
    let mut costs = ideal.gains().map(|gain| gain.max(1.0)).chain(std::iter::repeat(1.0));
    let (mut cost, mut rank, mut gained) = (0.0, 0, 0.0);
    let mut total = Outcome::default();
    let mut costs_here = Vec::new();
    for group in ranking.groups() {
        let mut cost_at = |to: usize| {
            cost += costs.by_ref().take(to - rank).sum::<f64>();
            rank = to;
            cost
        };
        costs_here.clear();
        costs_here.extend((group.start + 1..=group.start + group.size).map(&mut cost_at));
        let part = part(&group, &costs_here, gained)?;
        total = total + part;
        gained += group.levels.iter().map(|level| f64::from(level.count) * level.grade).sum::<f64>();
    }
    Some(total)
}

/// A group's part, given C at its ranks and S before it.
fn part(group: &Group<'_>, costs: &[f64], gained: f64) -> Option<Outcome> {
    let term = |cost: f64, above: f64, gain: f64| gain / (2.0 + cost - (above + gain)).log2();
    let Some(counts) = mixed(group) else {
        let mut part = 0.0;
        let gains = group.levels.iter().flat_map(|level| std::iter::repeat_n(level.grade, level.count as usize));
        for ((cost, gain), i) in costs.iter().zip(gains).zip(0..) {
            part += term(*cost, gained + f64::from(i) * gain, gain);
        }
        return Some(Outcome::certain(part));
    };
    lattice::over_orders(&counts, |placed, kind| {
        let Some(level) = group.levels.get(kind) else { return 0.0 };
        let above: f64 = group.levels.iter().zip(placed).map(|(level, &placed)| level.grade * placed as f64).sum();
        term(costs[placed.iter().sum::<usize>()], gained + above, level.grade)
    })
}

/// Documents of each gain, and those without any, unless all are alike.
fn mixed(group: &Group<'_>) -> Option<Vec<usize>> {
    let unjudged = group.unjudged();
    let counts = || group.levels.iter().map(|level| level.count as usize).chain([unjudged]).collect();
    (group.levels.len() > 1 || unjudged > 0).then(counts)
}

impl Measure for CostGain {
    fn mean(&self, ranking: &Ranking, truth: &Judgments<'_>) -> f64 {
        self.find(ranking, truth).map_or(f64::NAN, |found| found.mean)
    }

    fn variance(&self, ranking: &Ranking, truth: &Judgments<'_>) -> f64 {
        self.find(ranking, truth).map_or(f64::NAN, |found| found.variance)
    }

    fn extremes(&self, orders: &Orders, truth: &Judgments<'_>) -> (f64, f64) {
        self.find(&orders.tied, truth).map_or((f64::NAN, f64::NAN), |found| (found.low, found.high))
    }

    fn certainty(&self, ranking: &Ranking, _: &Judgments<'_>) -> Certainty {
        let gains = by_gain(ranking, &self.gain);
        let small = |group: Group<'_>| mixed(&group).is_none_or(|counts| lattice::is_small(&counts));
        if gains.groups().all(small) || sampling::is_exact(&gains, usize::MAX) {
            Certainty::Exact
        } else {
            Certainty::Estimate
        }
    }
}
