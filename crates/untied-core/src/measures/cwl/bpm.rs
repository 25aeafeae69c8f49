//! BPM: the user stops when the gain that they hoped for is reached. This depends only on how many documents of each
//! gain are above, so [`crate::measures::orders::lattice`] gives its statistics.

use std::slice;

use super::{GOAL, MAX_REL, MIN_REL, Steps, goal, grades, steps};
use crate::measures::orders::Outcome;
use crate::measures::orders::lattice::Lattice;
use crate::measures::orders::sampling::{self, Classes};
use crate::measures::{Certainty, Definition, Measure, Orders};
use crate::names::{Cutoff, Info, JUDGED_ONLY, Sampled, unbounded};
use crate::ranking::Ranking;
use crate::table::Judgments;

pub static BPM: Definition = Info {
    name: "BPM",
    title: "the bejeweled player model, whose user stops at rank k or once the gain T is reached",
    cutoff: Cutoff::Required,
    parameters: &[GOAL, MIN_REL, MAX_REL, JUDGED_ONLY],
    equation: "(g_1 + .. + g_I) / I, I the first rank with g_1 + .. + g_I >= T, at most k",
    tex: r"\mathrm{BPM}@k = \frac{1}{I} \sum_{i=1}^{I} g_i, \quad I = \min \left( k, \min \{ i : g_1 + \cdots + g_i
           \ge T \} \right)",
    reference: "Zhang, Liu, Li, Zhang, Xu & Ma 2017 (its static form); ties: by counts of documents gained, exact",
    sampled: &[Sampled {
        unless: "the user can stop within a tie group that has many documents with several different gains",
        then: "all values are estimates",
    }],
    unbounded: Some(unbounded::WEIGHTS),
    ..Info::DEFAULT
}
.built_by(|spec, scope| {
    let goal = goal(spec, 0.0)?;
    let (least, most) = grades(spec)?;
    Ok(Box::new(Player { gain: steps(spec, scope)?, goal: goal * (most - least), cutoff: spec.cutoff_or(1) }))
});

/// BPM.
struct Player {
    gain: Steps,
    /// The gain that the user hopes for, in grades.
    goal: f64,
    cutoff: usize,
}

/// The group in which the user may stop, and what was gained before it. The order within earlier groups does not
/// matter.
struct Last {
    group: Classes,
    /// The number of documents of each gain, the most frequent gain first.
    counts: Vec<usize>,
    /// These gains, in grades.
    gains: Vec<f64>,
    before: f64,
    slots: usize,
}

impl Player {
    /// Finds this group. If the user reaches the cutoff among documents that gain nothing, there is none, and the error
    /// is what was gained.
    fn last(&self, ranking: &Ranking) -> Result<Last, f64> {
        let mut before = 0.0;
        for group in ranking.groups_to(self.cutoff) {
            let counts = self.gain.counts(&group);
            let mut gains: Vec<(usize, f64)> =
                counts.iter().map(|&(class, n)| (n as usize, self.gain.above[class as usize])).collect();
            let rest = group.size - gains.iter().map(|(n, _)| n).sum::<usize>();
            gains.extend((rest > 0).then_some((rest, 0.0)));
            let all: f64 = gains.iter().map(|&(n, gain)| n as f64 * gain).sum();
            if before + all >= self.goal || group.start + group.size >= self.cutoff {
                let most = (0..gains.len()).max_by_key(|&kind| gains[kind].0).unwrap_or(0);
                gains[..=most].rotate_right(1);
                let (counts_of, gains) = gains.into_iter().unzip();
                let (start, size, slots) = (group.start, group.size, group.slots(self.cutoff));
                return Ok(Last {
                    group: Classes { start, size, slots, counts },
                    counts: counts_of,
                    gains,
                    before,
                    slots,
                });
            }
            before += all;
        }
        Err(before)
    }

    fn lattice<'l>(&self, last: &'l Last) -> Lattice<'l> {
        let missing = self.goal - last.before;
        Lattice::new(&last.counts, last.slots, |kind| {
            // One more is added, because rounding may miss one.
            if last.gains[kind] > 0.0 { (missing / last.gains[kind]) as usize + 2 } else { usize::MAX }
        })
    }

    fn statistics(&self, ranking: &Ranking) -> Outcome {
        let last = match self.last(ranking) {
            Ok(last) => last,
            Err(gained) => return Outcome::certain(gained / self.gain.unit / self.cutoff as f64),
        };
        let lattice = self.lattice(&last);
        if lattice.is_short() {
            let gained = |point: &[usize]| point.iter().zip(&last.gains).map(|(&n, gain)| n as f64 * gain).sum::<f64>();
            let settled = |placed, point: &[usize]| {
                let (rank, gained) = (last.group.start + placed, last.before + gained(point));
                // Users always stop at the end, even if rounding leaves them short of the goal.
                let stops = gained >= self.goal || placed == last.slots;
                stops.then(|| Outcome::certain(gained / self.gain.unit / rank as f64))
            };
            return lattice.outcome(settled, |_, _, _, after| after);
        }
        sampling::over_orders(&[last.group], |placed| {
            let mut gained = last.before;
            for &(position, class) in placed.iter().take_while(|(position, _)| *position < self.cutoff) {
                gained += self.gain.above[class as usize];
                if gained >= self.goal {
                    return gained / self.gain.unit / (position + 1) as f64;
                }
            }
            gained / self.gain.unit / self.cutoff as f64
        })
        .outcome
    }
}

impl Measure for Player {
    fn mean(&self, ranking: &Ranking, _: &Judgments<'_>) -> f64 {
        self.statistics(ranking).mean
    }

    fn variance(&self, ranking: &Ranking, _: &Judgments<'_>) -> f64 {
        self.statistics(ranking).variance
    }

    fn extremes(&self, orders: &Orders, _: &Judgments<'_>) -> (f64, f64) {
        let outcome = self.statistics(&orders.tied);
        (outcome.low, outcome.high)
    }

    fn certainty(&self, ranking: &Ranking, _: &Judgments<'_>) -> Certainty {
        match self.last(ranking) {
            Ok(last) if !self.lattice(&last).is_short() && !sampling::is_listed(slice::from_ref(&last.group)) => {
                Certainty::Estimate
            }
            _ => Certainty::Exact,
        }
    }
}
