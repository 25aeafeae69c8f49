//! Average dynamic recall: how well a ranking follows a ground truth of ordered groups (Typke, Veltkamp & Wiering 2006).
//!
//! The truth is n documents in groups, best first, without an order inside a group: documents of equal grade. For
//! position i let c(i) be the group that holds the i-th document of the truth. Then
//!
//!   r_i = (documents among the first i that belong to groups 1..c(i)) / i,    ADR = (1/n) sum over i <= n of r_i.
//!
//! A document of group j at rank w counts in r_i for all i >= max(w, s_j), where s_j is the first position of its group
//! in the truth. So ADR is a sum over documents of
//!
//!   W(w, j) = (1/k) sum over i = max(w, s_j) .. k of 1 / den(i),
//!
//! with k = n and den(i) = i, which makes mean and variance over ties exact.
//!
//! The law over orders of ties needs one count of a tie group: the number F of its documents of groups 1..c(i) among the
//! first i. The a documents placed so far that F does not count are a random subset of all those of the tie group that
//! it does not count, because the history of F does not tell them apart. So when c(i) advances, F grows by a
//! hypergeometric number.
//!
//! If the truth is preferences between documents, s_x of a document x is 1 plus the number of documents that are preferred
//! to it, directly or by others in between: x can be among the first i of an order that agrees with all preferences if
//! s_x <= i. If the preferences form groups, these are the s_j.
//!
//! Bounds over the groups of open documents (those without a judgment): let u_c be the number of open documents in
//! groups 1..c. If the u_c are fixed, so are n and c(i), and which documents belong to which group follows from
//! [`super::bounds::groups`]. The numbers themselves are chosen by dynamic programming over c and u_c; group c takes the
//! ranks from J_(c-1) + u_(c-1) + 1 to J_c + u_c, where J_c counts the judged documents in groups 1..c.

use super::bounds::groups::{AssignedGroups, TruthGroup};
use super::bounds::{Bounds, Open};
use super::orders::drawing;
use super::orders::law::{self, Chain};
use super::{Definition, Measure, TieDistribution};
use crate::elementary::ln;
use crate::error::Result;
use crate::grade::levels_from;
use crate::law::{Law, Limits};
use crate::names::{Cutoff, Info, JUDGED_ONLY, Parameter, REL, Spec};
use crate::ranking::{Group, Ranking};
use crate::table::Judgments;
use crate::watch;

const BEYOND: Parameter = Parameter {
    name: "beyond",
    default: "'position'",
    help: "divisor after the n documents of the ground truth (with a cutoff above n): 'position' divides by i, so \
        that 1 cannot be reached; 'recall' divides by min(i, n)",
};

pub static AVERAGE_DYNAMIC_RECALL: Definition = Info {
    name: "ADR",
    aliases: &["average_dynamic_recall"],
    title: "average dynamic recall, the agreement with a truth of ordered groups",
    cutoff: Cutoff::Optional,
    parameters: &[REL, BEYOND, JUDGED_ONLY],
    equation: "ADR@k = (1/k) sum over i <= k of r_i, r_i = (documents among the first i that belong to the groups of \
               the truth's first i documents) / i; k = n, the number of relevant documents, unless given",
    tex: r"\mathrm{ADR}@k = \frac{1}{k} \sum_{i=1}^{k} r_i, \quad r_i = \frac{|\{ d_1, \ldots, d_i \} \cap
           \text{groups of the first } i|}{i}",
    reference: "Typke, Veltkamp & Wiering 2006; a sum over documents, so exact with ties on both sides",
    reads_preferences: true,
    ..Info::DEFAULT
}
.built_by(|spec, _| {
    Ok(Box::new(DynamicRecall { rel: spec.rel()?, cutoff: spec.cutoff, beyond: GroupsBeyond::parse(spec)? }))
});

#[derive(Clone, Copy, PartialEq)]
enum GroupsBeyond {
    Position,
    Recall,
}

impl GroupsBeyond {
    fn parse(spec: &Spec) -> Result<GroupsBeyond> {
        spec.choice(BEYOND.name, &[("position", GroupsBeyond::Position), ("recall", GroupsBeyond::Recall)])
    }
}

struct DynamicRecall {
    rel: f64,
    cutoff: Option<usize>,
    beyond: GroupsBeyond,
}

/// The weights of a query: by rank, and the first position of every group of the truth.
struct RankWeights {
    /// The cutoff, or n.
    k: usize,
    /// W(w, 1) k for w = 1, 2, .. and no further than one rank beyond rankings and truth.
    from: Vec<f64>,
    /// For each group of the truth, its grade and s_j.
    firsts: Vec<(f64, usize)>,
}

impl RankWeights {
    /// W(w, j) k for a document at rank w, where s_j is `first`.
    fn at(&self, rank: usize, first: usize) -> f64 {
        self.from.get(rank.max(first) - 1).copied().unwrap_or(0.0)
    }

    /// s_j for a grade; for grades outside the truth, a rank that no document reaches.
    fn first(&self, grade: f64) -> usize {
        self.firsts.iter().find(|&&(of, _)| of == grade).map_or(usize::MAX, |&(_, first)| first)
    }
}

/// The sum of 1/i over `from < i <= to`. Up to 65,536, terms are added one by one; the rest comes from Euler and
/// Maclaurin's formula, whose next term is below 1e-21.
fn reciprocals(from: usize, to: usize) -> f64 {
    let middle = from.max(1 << 16).min(to);
    let beyond = |m: f64| ln(m) + 0.5 / m - 1.0 / (12.0 * m * m);
    let far = if middle < to { beyond(to as f64) - beyond(middle as f64) } else { 0.0 };
    (from..middle).rev().fold(far, |sum, i| sum + 1.0 / (i + 1) as f64)
}

impl DynamicRecall {
    /// den(i), for a truth of n documents.
    fn divisor(&self, rank: usize, n: usize) -> usize {
        if self.beyond == GroupsBeyond::Recall { rank.min(n) } else { rank }
    }

    /// The weights, as far as documents are ranked or in the truth; none if nothing is relevant.
    fn weights(&self, retrieved: usize, truth: &Judgments<'_>) -> Option<RankWeights> {
        let n = truth.relevant(self.rel);
        if n == 0 {
            return None;
        }
        let k = self.cutoff.unwrap_or(n);
        let last = k.min(n.max(retrieved));
        let mut sum = match self.beyond {
            GroupsBeyond::Recall => (k - last) as f64 / n as f64,
            GroupsBeyond::Position => reciprocals(last, k),
        };
        let mut from = vec![sum; last + 1];
        for rank in (1..=last).rev() {
            sum += 1.0 / self.divisor(rank, n) as f64;
            from[rank - 1] = sum;
        }
        let groups = levels_from(truth.levels, self.rel).iter();
        let firsts = if truth.profiles().is_empty() {
            let firsts = groups.scan(1, |next, level| {
                let first = *next;
                *next += level.count as usize;
                Some((level.grade, first))
            });
            firsts.collect()
        } else {
            // With preferences, a profile has an entry for the document itself and for each one preferred to it.
            groups.map(|level| (level.grade, truth.profile(level.grade).len())).collect()
        };
        Some(RankWeights { k, firsts, from })
    }

    /// The classes of the group's documents: s_j and the number of documents. Those outside the truth never count.
    fn classes(&self, group: &Group<'_>, weights: &RankWeights) -> Vec<(usize, usize)> {
        let mut classes: Vec<(usize, usize)> = Vec::new();
        for level in levels_from(group.levels, self.rel) {
            let first = weights.first(level.grade);
            match classes.last_mut() {
                // Each document of preferences has a grade of its own, but those with the same s_x are one class.
                Some(last) if last.0 == first && first != usize::MAX => last.1 += level.count as usize,
                _ => classes.push((first, level.count as usize)),
            }
        }
        classes
    }
}

impl Measure for DynamicRecall {
    fn mean(&self, ranking: &Ranking, truth: &Judgments<'_>) -> f64 {
        let Some(weights) = self.weights(ranking.retrieved, truth) else { return f64::NAN };
        let depth = weights.k;
        let mut total = 0.0;
        for group in ranking.groups_to(depth) {
            let ranks = group.start + 1..=group.start + group.slots(depth);
            for (first, count) in self.classes(&group, &weights) {
                let sum: f64 = ranks.clone().map(|rank| weights.at(rank, first)).sum();
                total += count as f64 * (sum / group.size as f64);
            }
        }
        total / depth as f64
    }

    /// For one group with the matrix W (documents by positions), subtract the means of rows and columns from W; the sum
    /// of the squares, divided by n - 1, is the variance (Hoeffding 1951).
    fn variance(&self, ranking: &Ranking, truth: &Judgments<'_>) -> f64 {
        let Some(weights) = self.weights(ranking.retrieved, truth) else { return f64::NAN };
        let depth = weights.k;
        let mut total = 0.0;
        for group in ranking.groups_to(depth).filter(|group| group.size > 1) {
            let (n, slots) = (group.size as f64, group.slots(depth));
            let mut classes = self.classes(&group, &weights);
            let counted: usize = classes.iter().map(|&(_, count)| count).sum();
            classes.push((usize::MAX, group.size - counted));
            let row = |first: usize| (0..slots).map(move |a| (group.start + a + 1, first));
            let means: Vec<f64> = classes
                .iter()
                .map(|&(first, _)| row(first).map(|(rank, first)| weights.at(rank, first)).sum::<f64>() / n)
                .collect();
            let overall = classes.iter().zip(&means).map(|(&(_, count), mean)| count as f64 * mean).sum::<f64>() / n;
            let mut squares = 0.0;
            for a in 0..=slots {
                // W is 0 at all positions beyond the cutoff, so one of them stands for all.
                let (rank, times) = if a < slots { (group.start + a + 1, 1.0) } else { (usize::MAX, n - slots as f64) };
                let values: Vec<f64> = classes.iter().map(|&(first, _)| weights.at(rank, first)).collect();
                let column = classes.iter().zip(&values).map(|(&(_, count), w)| count as f64 * w).sum::<f64>() / n;
                for ((&(_, count), w), mean) in classes.iter().zip(&values).zip(&means) {
                    squares += times * count as f64 * (w - mean - column + overall).powi(2);
                }
            }
            total += squares / (n - 1.0);
        }
        total / (depth as f64).powi(2)
    }

    fn distribution(&self) -> Option<&dyn TieDistribution> {
        Some(self)
    }

    fn bounds(&self, open: &Open<'_>) -> Option<Bounds> {
        let unjudged = open.relevant_count(self.rel);
        let truth = TruthGroup::all(open, self.rel);
        let judged = truth.last().map_or(0, |last| last.judged);
        if judged + unjudged == 0 {
            return Some(Bounds::UNDEFINED);
        }
        if unjudged > MOST_UNJUDGED {
            return Some(Bounds { low: 0.0, high: 1.0, undefined: judged == 0 });
        }
        let [low, high] = [false, true].map(|highest| {
            let assigned = AssignedGroups { open, unjudged, highest };
            self.extreme(&truth, &assigned)
        });
        Some(Bounds { low, high, undefined: judged == 0 })
    }
}

/// With more open documents than this, simpler bounds are used, because the work is quadratic in their number.
const MOST_UNJUDGED: usize = 8192;

impl TieDistribution for DynamicRecall {
    fn law(&self, ranking: &Ranking, truth: &Judgments<'_>, limits: Limits) -> Result<Option<Law>> {
        let n = truth.relevant(self.rel);
        let Some(weights) = self.weights(ranking.retrieved, truth) else { return Ok(None) };
        // Documents add the same to ranks after their tie group in all orders.
        let mut added_below = 0.0;
        let mut laws = Vec::new();
        for group in ranking.groups_to(weights.k) {
            let classes = self.classes(&group, &weights);
            let slots = group.slots(weights.k);
            let rank = |position: usize| group.start + position + 1;
            let from_next = |&(first, count): &(usize, usize)| count as f64 * weights.at(rank(slots), first);
            added_below += classes.iter().map(from_next).sum::<f64>();
            let counted = |rank: usize| classes.iter().filter(|class| class.0 <= rank).map(|class| class.1).sum();
            laws.push(law::of_chain(
                &mut Recalls {
                    size: group.size,
                    members: (0..slots).map(|position| counted(rank(position))).collect(),
                    divisors: (0..slots).map(|position| self.divisor(rank(position), n) as f64).collect(),
                },
                limits,
            ));
        }
        laws.push(Ok(Some(Law::certain(added_below))));
        law::over(laws, weights.k as f64, limits)
    }
}

/// What the documents of a tie group add to r_i at its own ranks, as a Markov chain. A point is F; see the head of this
/// file.
struct Recalls {
    /// The number of documents in the tie group.
    size: usize,
    /// At each rank i of the tie group, how many of its documents belong to groups 1..c(i).
    members: Vec<usize>,
    /// den(i) at each of these ranks.
    divisors: Vec<f64>,
}

impl Chain for Recalls {
    fn slots(&self) -> usize {
        self.members.len()
    }

    fn points(&self) -> Option<usize> {
        let most = self.members.last().map_or(0, |&members| members.min(self.slots()));
        self.slots().checked_mul(most + 1)
    }

    fn visit_next(&mut self, position: usize, counted: usize, visit: &mut dyn FnMut(Option<usize>, f64, f64)) {
        // The next document is one that counted before, or another one, and some of the others count from now on.
        let before = self.members[position.saturating_sub(1)];
        let (others, joining) = (self.size - before, self.members[position] - before);
        let share = (before - counted) as f64 / (self.size - position) as f64;
        let placed = position - counted;
        for (chance, counted, placed) in [(share, counted + 1, placed), (1.0 - share, counted, placed + 1)] {
            if chance > 0.0 {
                for (joined, probability) in drawing::within(others, joining, placed) {
                    let counted = counted + joined;
                    visit(Some(counted), chance * probability, counted as f64 / self.divisors[position]);
                }
            }
        }
    }
}

impl DynamicRecall {
    /// The largest or the smallest value over all numbers of open documents in the groups of the truth.
    fn extreme(&self, truth: &[TruthGroup], assigned: &AssignedGroups<'_>) -> f64 {
        let sign = if assigned.highest { 1.0 } else { -1.0 };
        let cutoff = self.cutoff.unwrap_or(usize::MAX);
        // For each u_c: the best sum of r_i over the ranks of groups 1..c.
        let mut sums = vec![f64::NEG_INFINITY; assigned.unjudged + 1];
        sums[0] = 0.0;
        let (mut counts, mut recalls) = (Vec::new(), Vec::new());
        let mut before = 0;
        for group in truth {
            let choose = |u: usize| {
                let end = (group.judged + u).min(cutoff);
                assigned.counts(group.grade, u, end, &mut counts);
                recalls.clear();
                recalls.extend(counts.iter().enumerate().scan(0.0, |sum, (rank, count)| {
                    *sum += count / rank.max(1) as f64;
                    Some(*sum)
                }));
                let fewest = if group.is_possible { 0 } else { u };
                let sums_of = (fewest..=u).map(|v| sums[v] + sign * (recalls[end] - recalls[(before + v).min(end)]));
                sums_of.fold(f64::NEG_INFINITY, f64::max)
            };
            sums = watch::until_stopped(0..sums.len()).map(choose).collect();
            before = group.judged;
        }
        let values = sums.iter().enumerate().filter(|&(u, sum)| before + u > 0 && sum.is_finite()).map(|(u, sum)| {
            let n = before + u;
            let depth = self.cutoff.unwrap_or(n);
            let retrieved = assigned.open.ranking.retrieved;
            let beyond = truth.last().filter(|_| depth > n).map_or(0.0, |last| {
                assigned.counts(last.grade, u, depth.min(n.max(retrieved)), &mut counts);
                let last = counts.len() - 1;
                let far = match self.beyond {
                    GroupsBeyond::Recall => (depth - last) as f64 / n as f64,
                    GroupsBeyond::Position => reciprocals(last, depth),
                };
                (n + 1..=last).map(|rank| counts[rank] / self.divisor(rank, n) as f64).sum::<f64>() + counts[last] * far
            });
            (sign * sum + beyond) / depth as f64
        });
        values.fold(f64::NEG_INFINITY * sign, |best, value| if sign * value > sign * best { value } else { best })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cutoff_takes_no_room() {
        for (from, to) in [(0, 0), (3, 3), (0, 10), (5, 70_000), (70_000, 200_000), (0, 200_000)] {
            let sum: f64 = (from..to).rev().map(|i| 1.0 / (i + 1) as f64).sum();
            assert!((reciprocals(from, to) - sum).abs() <= 1e-14 * sum, "{from} {to}");
        }
        // Without the logarithm, Euler's constant is left.
        assert!((reciprocals(0, 1 << 60) - 60.0 * 2f64.ln() - 0.577_215_664_901_532_9).abs() < 1e-13);
    }
}
