//! The inverted list by which Typke, Veltkamp & Wiering (2006, section 4) want to distinguish rankings with equal ADR.
//!
//! Of the first n ranks a document of group j, the positions s_j .. e_j of the truth, is kept where its rank w is below
//! s_j (ADR counts it as wrong first, and as right later) or above e_j (too late). Every other entry becomes one fixed
//! member of the best group. The list is scored by ADR against the groups in inverted order:
//!
//!   r_i = (documents among the first i that belong to the i worst places' groups) / i,   value = (1/n) sum of r_i.
//!
//! The paper leaves open which direction is better and whether the repeated member counts once. No answer makes the
//! tie-breaker consistent with ADR (docs/partial-order.md), so this is here for the record; pair concordance is the one to use. A member that
//! the list does not keep stands for the others as long as the best group has one.

use super::orders::Outcome;
use super::orders::sampling;
use super::{Certainty, Definition, Measure, Orders};
use crate::names::{Info, JUDGED_ONLY, Parameter, REL, Sampled, unbounded};
use crate::ranking::Ranking;
use crate::table::Judgments;

const COUNT: Parameter = Parameter {
    name: "count",
    default: "'set'",
    help: "how often the document that replaces all others counts: once ('set') or at every rank ('list')",
};

pub static INVERTED_RECALL: Definition = Info {
    name: "ADRInverted",
    aliases: &["adr_inverted"],
    title: "the paper's tie-breaker for equal ADR, which is not consistent; use PairConcordance instead",
    parameters: &[REL, COUNT, JUDGED_ONLY],
    equation: "The better ranking may have the higher or the lower value. ADR, against the groups in inverted order, \
               of the list that keeps what ADR counts too late (below its group's last position) or first wrong and \
               then right (above its first), all else replaced by a member of the best group",
    tex: r"\mathrm{ADRInverted} = \mathrm{ADR} \text{ of the inverted list}",
    reference: "Typke, Veltkamp & Wiering 2006, section 4",
    sampled: &[Sampled { unless: sampling::MANY_ORDERS, then: "all values are estimates" }],
    unbounded: Some(unbounded::DIRECTION),
    ..Info::DEFAULT
}
.built_by(|spec, _| {
    let once = spec.choice(COUNT.name, &[("set", true), ("list", false)])?;
    Ok(Box::new(Inverted { rel: spec.rel()?, once }))
});

struct Inverted {
    rel: f64,
    once: bool,
}

impl Inverted {
    /// The value of a ranking without ties.
    fn of(&self, ranking: &Ranking, truth: &Judgments<'_>) -> f64 {
        let sizes: Vec<_> = truth.levels.iter().take_while(|level| level.grade >= self.rel).collect();
        let n = truth.relevant(self.rel);
        // The group at each rank: that of the document if it is kept, else the best group.
        let mut kept: Vec<Option<usize>> = vec![None; n.min(ranking.retrieved)];
        for group in ranking.groups_to(n) {
            let mut last = 0;
            for (j, size) in sizes.iter().enumerate() {
                let first = last + 1;
                last += size.count as usize;
                let rank = group.start + 1;
                if group.levels.first().is_some_and(|level| level.grade == size.grade)
                    && !(first..=last).contains(&rank)
                {
                    kept[group.start] = Some(j);
                }
            }
        }
        let mut counts = vec![0; sizes.len()];
        let (mut fillers, mut total) = (0, 0.0);
        // The groups that hold the last i places of the truth.
        let (mut from, mut places) = (sizes.len(), 0);
        for i in 1..=n {
            if places < i {
                from -= 1;
                places += sizes[from].count as usize;
            }
            match kept.get(i - 1) {
                Some(&Some(j)) => counts[j] += 1,
                Some(None) => fillers += 1,
                None => {}
            }
            let mut retrieved: usize = counts[from..].iter().sum();
            if from == 0 {
                retrieved += if self.once { fillers.min(1).min(sizes[0].count as usize - counts[0]) } else { fillers };
            }
            total += retrieved as f64 / i as f64;
        }
        total / n as f64
    }

    fn statistics(&self, ranking: &Ranking, truth: &Judgments<'_>) -> Outcome {
        match truth.relevant(self.rel) {
            0 => Outcome::certain(f64::NAN),
            n => sampling::over_rankings(ranking, n, |one| self.of(one, truth)).outcome,
        }
    }
}

impl Measure for Inverted {
    fn mean(&self, ranking: &Ranking, truth: &Judgments<'_>) -> f64 {
        self.statistics(ranking, truth).mean
    }

    fn variance(&self, ranking: &Ranking, truth: &Judgments<'_>) -> f64 {
        self.statistics(ranking, truth).variance
    }

    fn extremes(&self, orders: &Orders, truth: &Judgments<'_>) -> (f64, f64) {
        let outcome = self.statistics(&orders.tied, truth);
        (outcome.low, outcome.high)
    }

    fn certainty(&self, ranking: &Ranking, truth: &Judgments<'_>) -> Certainty {
        let few = sampling::is_exact(ranking, truth.relevant(self.rel));
        if few { Certainty::Exact } else { Certainty::Estimate }
    }
}
