//! Bounds nDCG over all grades that unjudged documents may have. The ideal DCG changes with these grades, too.
//!
//! Let 0 = G_0 < G_1 < .. < G_L be the distinct gains. Each sum of gains can be split by thresholds:
//!
//!   DCG = sum over t of (G_t - G_{t-1}) F_t,   IDCG = sum over t of (G_t - G_{t-1}) A(J_t + m_t),
//!
//! where F_t adds up the discounts of the documents with a gain of at least G_t, J_t and m_t count the judged and the
//! open ones among them, and A(c) = D(1) + .. + D(c). If the m_t are fixed (they fall with t), nDCG is largest with
//! these open documents as high up as possible, and smallest with them as far down.
//!
//! The m_t themselves are found by Dinkelbach's method (1967). For a trial ratio, dynamic programming over (t, m_t)
//! makes DCG - ratio * IDCG as large (or small) as possible. The ratio of the two is the next trial, until it no longer
//! changes.

use super::{Bounds, Open, Resolution};
use crate::ranking::Group;

/// The open and the judged documents, threshold by threshold.
pub(crate) struct Thresholds {
    /// The thresholds, from the lowest.
    steps: Vec<Threshold>,
    /// A(0), A(1), ..
    ideal: Vec<f64>,
}

struct Threshold {
    /// G_t - G_{t-1}
    gain: f64,
    /// Whether an open document can have exactly this gain.
    allowed: bool,
    /// J_t
    judged: usize,
    /// F_t for each number of open documents with such a gain: with those at the top, then with those at the bottom.
    high: Vec<f64>,
    low: Vec<f64>,
}

impl Thresholds {
    /// `gain` is the gain of a grade, `discounts` are D(1), D(2), .. as far as they count, and `judged` counts the
    /// judged documents with at least a gain.
    pub fn new(
        open: &Open<'_>,
        gain: impl Fn(f64) -> f64,
        discounts: &[f64],
        judged: impl Fn(f64) -> usize,
    ) -> Thresholds {
        let mut gains: Vec<f64> = open.grades.iter().chain(open.truth.grades()).map(|&grade| gain(grade)).collect();
        gains.retain(|&gain| gain > 0.0);
        gains.sort_unstable_by(f64::total_cmp);
        gains.dedup();
        let steps = gains.iter().enumerate().map(|(t, &least)| {
            let groups: Vec<Vec<f64>> = open
                .ranking
                .groups()
                .map(|group| {
                    let known = group.levels.iter().filter(|level| level.grade >= 0.0 && gain(level.grade) >= least);
                    let known = known.map(|level| level.count as usize).sum();
                    sums(&group, known, discounts, open.resolution)
                })
                .collect();
            Threshold {
                gain: least - if t == 0 { 0.0 } else { gains[t - 1] },
                allowed: open.grades.iter().any(|&grade| gain(grade) == least),
                judged: judged(least),
                high: filled(groups.iter(), &groups, open.unretrieved, false),
                low: filled(groups.iter().rev(), &groups, open.unretrieved, true),
            }
        });
        let steps = steps.collect();
        let ideal = std::iter::once(0.0)
            .chain(discounts.iter().scan(0.0, |sum, discount| {
                *sum += discount;
                Some(*sum)
            }))
            .collect();
        Thresholds { steps, ideal }
    }

    fn a(&self, count: usize) -> f64 {
        self.ideal[count.min(self.ideal.len() - 1)]
    }

    /// The smallest and the largest nDCG, which is undefined if nothing can be gained.
    pub fn bounds(&self) -> Bounds {
        let open = self.steps.first().map_or(0, |step| step.high.len() - 1);
        // If no judged document has a gain, an open one must, or nDCG is undefined.
        let least = usize::from(self.steps.iter().all(|step| step.judged == 0));
        if open < least || self.a(1) == 0.0 {
            return Bounds::UNDEFINED;
        }
        Bounds { low: self.extreme(-1.0, least), high: self.extreme(1.0, least), undefined: least > 0 }
    }

    /// The largest ratio (`sign` 1) or the smallest (-1), if at least `least` open documents have a gain above 0.
    fn extreme(&self, sign: f64, least: usize) -> f64 {
        let mut ratio = if sign > 0.0 { 0.0 } else { 1.0 };
        for _ in 0..50 {
            let (dcg, ideal) = self.best_for(ratio, sign, least);
            let next = dcg / ideal;
            if (next - ratio).abs() <= 1e-15 * next.abs() {
                return next;
            }
            ratio = next;
        }
        ratio
    }

    /// DCG and IDCG with the grades for which sign * (DCG - ratio * IDCG) is largest.
    fn best_for(&self, ratio: f64, sign: f64, least: usize) -> (f64, f64) {
        let sums = |step: &Threshold, m: usize| {
            let f = if sign > 0.0 { step.high[m] } else { step.low[m] };
            (step.gain * f, step.gain * self.a(step.judged + m))
        };
        let numbers = self.steps[0].high.len();
        // For every m_t: the best sum over this and all higher thresholds, and the m_{t+1} that it has.
        let mut best = vec![f64::NEG_INFINITY; numbers];
        best[0] = 0.0;
        let mut taken: Vec<Vec<usize>> = Vec::with_capacity(self.steps.len());
        for step in self.steps.iter().rev() {
            let mut highest = 0;
            let mut from = Vec::with_capacity(numbers);
            let mut next = Vec::with_capacity(numbers);
            for m in 0..numbers {
                if best[m] > best[highest] {
                    highest = m;
                }
                let source = if step.allowed { highest } else { m };
                let (dcg, ideal) = sums(step, m);
                from.push(source);
                next.push(best[source] + sign * (dcg - ratio * ideal));
            }
            taken.push(from);
            best = next;
        }
        let mut m = (least..numbers).fold(least, |highest, m| if best[m] > best[highest] { m } else { highest });
        let (mut dcg, mut ideal) = (0.0, 0.0);
        for (step, from) in self.steps.iter().zip(taken.iter().rev()) {
            let (d, i) = sums(step, m);
            dcg += d;
            ideal += i;
            m = from[m];
        }
        (dcg, ideal)
    }
}

/// The sums of the discounts of a group's known documents and of 0, 1, 2, .. of its open ones.
fn sums(group: &Group<'_>, known: usize, discounts: &[f64], resolution: Resolution) -> Vec<f64> {
    let open = group.size - group.relevant(0.0);
    let at = |position: usize| discounts.get(group.start + position).copied().unwrap_or(0.0);
    let mean = (0..group.slots(discounts.len())).map(at).sum::<f64>() / group.size as f64;
    let discount = |i: usize| match resolution {
        Resolution::Mean => mean,
        Resolution::Best => at(i),
        Resolution::Worst => at(group.size - 1 - i),
    };
    let mut sum: f64 = (0..known).map(discount).sum();
    std::iter::once(sum)
        .chain((known..known + open).map(|i| {
            sum += discount(i);
            sum
        }))
        .collect()
}

/// F_t for each number of open documents. They are added group by group in the given order, and those that are not
/// retrieved come first or last.
fn filled<'g>(
    order: impl Iterator<Item = &'g Vec<f64>>,
    all: &[Vec<f64>],
    unretrieved: usize,
    unretrieved_first: bool,
) -> Vec<f64> {
    let mut sum: f64 = all.iter().map(|sums| sums[0]).sum();
    let mut filled = vec![sum];
    let elsewhere = |filled: &mut Vec<f64>, sum: f64| filled.extend(std::iter::repeat_n(sum, unretrieved));
    if unretrieved_first {
        elsewhere(&mut filled, sum);
    }
    for sums in order {
        filled.extend(sums[1..].iter().map(|with| sum + (with - sums[0])));
        sum += sums[sums.len() - 1] - sums[0];
    }
    if !unretrieved_first {
        elsewhere(&mut filled, sum);
    }
    filled
}
