//! G: gain discounted by what the ideal ranking would have gained by then.
//!
//! With C(i) = sum over j <= i of max(1, ideal gain at j), S(i) = sum over j <= i of the gains of the ranking,
//!
//!   G = (sum over i of g_i / log2(2 + C(i) - S(i))) / (sum of all ideal gains).
//!
//! C depends only on the rank, and S on how many documents of each gain are above, so `lattice` gives all statistics. G
//! may fall when a higher gain moves up: of gains 3, 2 and 1, the order 1, 2, 3 has a higher G than 1, 3, 2. But it
//! never falls when a document without gain moves down. So the extremes have all of these last, or first, and only
//! orders of the others are tried.
//!
//! The mean of a group of n documents, M of them with a gain, adds up what is gained at each rank. Let P_i(m) be the
//! probability that m documents with a gain are among the first i (it is hypergeometric), and Q_m(c) the probability
//! that c_k of them have the gain g_k, which n_k documents have in all. Then
//!
//!   E = sum over i, m, c, k of P_i(m) Q_m(c) (n_k - c_k) / (n - i) g_k / log2(2 + C - S),    S = sum of c g, and g_k.
//!
//! All c with the same S are put together first, so there is little to do for each rank.

use super::gain::{GAIN, Gain};
use super::graded::{Ideal, by_gain, gain};
use super::orders::sampling;
use super::orders::{Outcome, drawing, lattice};
use super::{Certainty, Definition, Measure, Orders};
use crate::elementary::log2;
use crate::error::Error;
use crate::grade::Level;
use crate::names::{Info, JUDGED_ONLY, Sampled, unbounded};
use crate::ranking::{Group, Ranking};
use crate::table::Judgments;

pub static COST_GAIN: Definition = Info {
    name: "G",
    aliases: &["g"],
    title: "gain, discounted by how far the gain so far is behind the ideal",
    parameters: &[GAIN, JUDGED_ONLY],
    equation: "G = sum over ranks i of g_i / log2(2 + C(i) - S(i)) / sum of all gains, S(i) = sum of the first i \
               gains, C(i) = sum of max(1, gain) over the first i ranks of the ideal ranking",
    tex: r"\mathrm{G} = \frac{1}{\sum_d g_d} \sum_{i} \frac{g_i}{\log_2 (2 + C(i) - S(i))}",
    reference: "trec_eval (G, Buckley 2008)",
    sampled: &[Sampled {
        unless: "a tie group has many documents with several different gains",
        then: "all values are estimates",
    }],
    unbounded: Some(unbounded::IDEAL),
    ..Info::DEFAULT
}
.built_by(|spec, scope| {
    let gain = gain(spec, scope)?;
    // Sums of costs, at least 1 a rank, and of gains are subtracted, so large gains would lose the digits of small
    // ones.
    match scope.grades.iter().find(|&&grade| gain.of(grade) > 1e9) {
        Some(grade) => Err(Error::Value(format!("{spec}: the gain of grade {grade} is above 1e9"))),
        None => Ok(Box::new(CostGain { gain })),
    }
});

struct CostGain {
    gain: Gain,
}

impl CostGain {
    /// The sum over groups of the numbers that `of` returns, divided by all gains. If it has no answer for a group, the
    /// numbers come from `sampled`, which draws orders. NaN if nothing can be gained.
    fn over_groups<const N: usize>(
        &self,
        ranking: &Ranking,
        truth: &Judgments<'_>,
        of: impl Fn(&GainedGroup<'_>) -> Option<[f64; N]>,
        sampled: impl Fn(Outcome) -> [f64; N],
    ) -> Option<([f64; N], f64)> {
        let ideal = Ideal::new(truth, &self.gain)?;
        let ranking = by_gain(ranking, &self.gain);
        let value = sum(&ranking, &ideal, of).unwrap_or_else(|| {
            let certain = |part: &GainedGroup<'_>| part.certain().map(|value| [value]);
            let one_order = |one: &Ranking| sum(one, &ideal, certain).map_or(f64::NAN, |[value]| value);
            sampled(sampling::over_rankings(&ranking, usize::MAX, one_order).outcome)
        });
        Some((value, ideal.gains().sum()))
    }
}

/// The sum over groups, if there is an answer for each.
fn sum<const N: usize>(
    ranking: &Ranking,
    ideal: &Ideal,
    of: impl Fn(&GainedGroup<'_>) -> Option<[f64; N]>,
) -> Option<[f64; N]> {
    // The cost down to each rank of the ideal ranking: max(1, gain) for each rank, and 1 for each rank after its end.
    let mut costs = vec![0.0];
    ideal.gains().for_each(|gain| costs.push(costs[costs.len() - 1] + gain.max(1.0)));
    let last = costs.len() - 1;
    let cost_at = |rank: usize| costs[rank.min(last)] + rank.saturating_sub(last) as f64;
    let mut gained = 0.0;
    let mut total = [0.0; N];
    let mut costs_here = Vec::new();
    for group in ranking.groups() {
        costs_here.clear();
        costs_here.extend((group.start + 1..=group.start + group.size).map(cost_at));
        let part = of(&GainedGroup { levels: group.levels, others: group.unjudged(), costs: &costs_here, gained })?;
        total.iter_mut().zip(part).for_each(|(total, part)| *total += part);
        gained += group.levels.iter().map(|level| f64::from(level.count) * level.grade).sum::<f64>();
    }
    Some(total)
}

/// A tie group with its gains.
struct GainedGroup<'a> {
    /// The gains of its documents, with their numbers.
    levels: &'a [Level],
    /// The number of documents without a gain.
    others: usize,
    /// C at its ranks.
    costs: &'a [f64],
    /// S before it.
    gained: f64,
}

impl GainedGroup<'_> {
    /// What a document of this gain adds if documents of the group above it gained `above`.
    fn term(&self, rank: usize, above: f64, gain: f64) -> f64 {
        gain / log2(2.0 + self.costs[rank] - (self.gained + above + gain))
    }

    /// Whether all its documents gain the same, so that all its orders are the same.
    fn is_alike(&self) -> bool {
        self.levels.len() == 1 && self.others == 0
    }

    /// What the group adds if all its documents gain the same.
    fn certain(&self) -> Option<f64> {
        if !self.is_alike() {
            return None;
        }
        let mut part = 0.0;
        let gains = self.levels.iter().flat_map(|level| std::iter::repeat_n(level.grade, level.count as usize));
        for (rank, gain) in gains.enumerate() {
            part += self.term(rank, rank as f64 * gain, gain);
        }
        Some(part)
    }

    /// The number of documents of each gain, highest first.
    fn gaining(&self) -> Vec<usize> {
        self.levels.iter().map(|level| level.count as usize).collect()
    }

    /// The number of documents of each gain, and of those without a gain.
    fn counts(&self) -> Vec<usize> {
        let mut counts = self.gaining();
        counts.push(self.others);
        counts
    }

    fn is_small(&self) -> bool {
        self.is_alike() || lattice::is_small(&self.counts())
    }

    /// What documents gain together, given their number for each gain.
    fn gain_of(&self, placed: &[usize]) -> f64 {
        self.levels.iter().zip(placed).map(|(level, &placed)| level.grade * placed as f64).sum()
    }

    fn mean(&self) -> Option<f64> {
        if let Some(value) = self.certain() {
            return Some(value);
        }
        if !self.is_small() {
            return None;
        }
        let counts = self.gaining();
        let all: usize = counts.iter().sum();
        // For m documents with a gain: S after the next one, and its gain times the number of documents that have it.
        let mut nexts: Vec<Vec<(f64, f64)>> = vec![Vec::new(); all + 1];
        let placed_of = |placed: &[usize]| placed.iter().sum::<usize>();
        lattice::forward(&counts, |placed, chance| {
            let above = self.gain_of(placed);
            for ((level, count), placed_here) in self.levels.iter().zip(&counts).zip(placed) {
                let gain = chance * (count - placed_here) as f64 * level.grade;
                nexts[placed_of(placed)].push((above + level.grade, gain));
            }
        });
        let mut sums: Vec<f64> = nexts.iter().flatten().map(|&(sum, _)| sum).collect();
        sums.sort_unstable_by(f64::total_cmp);
        sums.dedup();
        let nexts: Vec<Vec<(usize, f64)>> = nexts.into_iter().map(|nexts| merged(nexts, &sums)).collect();
        let mut rows = drawing::DrawnRows::new(self.costs.len(), all);
        let mut gains = vec![0.0; sums.len()];
        let mut mean = 0.0;
        for (rank, cost) in self.costs.iter().enumerate() {
            let (from, row) = rows.row();
            gains.fill(0.0);
            for (chance, nexts) in row.iter().zip(&nexts[from..]) {
                nexts.iter().for_each(|&(sum, gain)| gains[sum] += chance * gain);
            }
            let expected = gains.iter().zip(&sums).filter(|&(&gain, _)| gain > 0.0);
            let expected = expected.map(|(gain, sum)| gain / log2(2.0 + cost - (self.gained + sum)));
            mean += expected.sum::<f64>() / (self.costs.len() - rank) as f64;
            rows.advance();
        }
        Some(mean)
    }

    fn variance(&self) -> Option<f64> {
        if self.is_alike() {
            return Some(0.0);
        }
        let outcome = lattice::over_orders(&self.counts(), |placed, kind| {
            let Some(level) = self.levels.get(kind) else { return 0.0 };
            self.term(placed.iter().sum(), self.gain_of(placed), level.grade)
        });
        outcome.map(|outcome| outcome.variance)
    }

    fn extremes(&self) -> Option<(f64, f64)> {
        if let Some(value) = self.certain() {
            return Some((value, value));
        }
        if !self.is_small() {
            return None;
        }
        let after = |others: usize| {
            lattice::over_orders(&self.gaining(), |placed, kind| {
                self.term(others + placed.iter().sum::<usize>(), self.gain_of(placed), self.levels[kind].grade)
            })
        };
        Some((after(self.others)?.low, after(0)?.high))
    }
}

/// Adds up the second numbers of pairs with the same sum. A sum is returned as its index among `sums`.
fn merged(mut pairs: Vec<(f64, f64)>, sums: &[f64]) -> Vec<(usize, f64)> {
    pairs.sort_by(|a, b| a.0.total_cmp(&b.0));
    pairs.dedup_by(|next, last| {
        let same = next.0 == last.0;
        last.1 += if same { next.1 } else { 0.0 };
        same
    });
    pairs.into_iter().map(|(sum, gain)| (sums.partition_point(|&other| other < sum), gain)).collect()
}

impl Measure for CostGain {
    fn mean(&self, ranking: &Ranking, truth: &Judgments<'_>) -> f64 {
        let values = self.over_groups(ranking, truth, |part| Some([part.mean()?]), |outcome| [outcome.mean]);
        values.map_or(f64::NAN, |([mean], total)| mean / total)
    }

    fn variance(&self, ranking: &Ranking, truth: &Judgments<'_>) -> f64 {
        let values = self.over_groups(ranking, truth, |part| Some([part.variance()?]), |outcome| [outcome.variance]);
        values.map_or(f64::NAN, |([variance], total)| variance / (total * total))
    }

    fn extremes(&self, orders: &Orders, truth: &Judgments<'_>) -> (f64, f64) {
        let of = |part: &GainedGroup<'_>| part.extremes().map(|(low, high)| [low, high]);
        let values = self.over_groups(&orders.tied, truth, of, |outcome| [outcome.low, outcome.high]);
        values.map_or((f64::NAN, f64::NAN), |([low, high], total)| (low / total, high / total))
    }

    fn certainty(&self, ranking: &Ranking, _: &Judgments<'_>) -> Certainty {
        let gains = by_gain(ranking, &self.gain);
        let small = |group: Group<'_>| {
            GainedGroup { levels: group.levels, others: group.unjudged(), costs: &[], gained: 0.0 }.is_small()
        };
        if gains.groups().all(small) || sampling::is_exact(&gains, usize::MAX) {
            Certainty::Exact
        } else {
            Certainty::Estimate
        }
    }
}
