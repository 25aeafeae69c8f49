//! Values that trec_eval computes differently from our measures; they have no name in the grammar.

pub mod gains;

use untied_core::error::{Error, Result};
use untied_core::measures::variants::{Target, interpolated_precision, r_precision, utility};
use untied_core::measures::{Definition, Measure, Scope};
use untied_core::names::{Info, Parameter, REL, Spec, Value};
use untied_core::ranking::Ranking;
use untied_core::registry;
use untied_core::table::Judgments;

use gains::{DCG, G, IDEAL_DCG, NDCG, NDCG_REL, RBP, RNDCG};

const LEVELS: Parameter = Parameter { name: "levels", default: "", help: "recall levels or multiples of R" };
const WEIGHTS: Parameter = Parameter { name: "weights", default: "", help: "four weights" };
const COLLECTION: Parameter = Parameter { name: "collection", default: "0", help: "size of the collection" };
const BETA: Parameter = Parameter { name: "beta", default: "1", help: "weight" };
const P: Parameter = Parameter { name: "p", default: "0.9", help: "persistence" };

const INTERPOLATED: &str = "interpolated precision";

/// Interpolated precision with the targets of version 9: x R + 0.9, cut off.
pub static INTERPOLATED_9: Definition = quirk(
    "IPrec of trec_eval 9",
    INTERPOLATED,
    "max of P@i over the ranks i with at least floor(x R + 0.9) relevant documents; a mean over levels x",
    &[LEVELS, REL],
)
.built_by(|spec, _| interpolated(spec, |x| Box::new(move |relevant| cut_off(x, relevant))));

/// Interpolated precision with the targets of version 10: x R, rounded.
pub static INTERPOLATED_10: Definition = quirk(
        "IPrec of trec_eval 10",
        INTERPOLATED,
        "max of P@i over the ranks i with at least x R relevant documents, rounded to the nearest number; a mean over levels x",
        &[LEVELS, REL],
    ).built_by(|spec, _| interpolated(spec, |x| Box::new(move |relevant| (x * relevant as f64).round() as usize)));

/// Precision at a multiple of R, with 0.9 added and cut off.
pub static R_PRECISION_MULTIPLE: Definition =
    quirk("Rprec_mult of trec_eval", "precision at a multiple of R", "P@c, c = floor(x R + 0.9)", &[LEVELS, REL])
        .built_by(|spec, _| {
            let [multiple] = list(spec, LEVELS.name)[..] else { return Err(wrong(spec)) };
            Ok(r_precision(spec.rel()?, Box::new(move |relevant| cut_off(multiple, relevant))))
        });

/// Utility in a collection of unknown size: it is 0.
pub static UTILITY: Definition = quirk(
    "utility of trec_eval",
    "worth of the retrieved set",
    "w1 H + w2 (n - H) + w3 (R - H) + w4 (N + H - n - R), H of n retrieved documents are relevant",
    &[WEIGHTS, COLLECTION, REL],
)
.built_by(|spec, _| {
    let [a, b, c, d] = list(spec, WEIGHTS.name)[..] else { return Err(wrong(spec)) };
    let collection = spec.number(COLLECTION.name, 0.0, "a number", |_| true)?;
    Ok(utility([a, b, c, d], collection, spec.rel()?))
});

/// The residual of RBP in version 10: 0 where all retrieved documents are judged.
pub static RBP_RESIDUAL: Definition = quirk(
    "rbp_resid of trec_eval 10",
    "what unjudged documents could add to RBP",
    "p^n + (1-p) sum over ranks i of unjudged documents of p^(i-1), 0 if there are none",
    &[P],
)
.built_by(|spec, _| Ok(Box::new(Residual { p: spec.number(P.name, 0.9, "a number", |_| true)? })));

/// SetF from precision and recall, whose roundings stay in it.
pub static SET_F: Definition = quirk(
    "set_F of trec_eval",
    "weighted harmonic mean of precision and recall of the retrieved set",
    "(beta + 1) P R / (beta P + R), P = H / n and R = H / R",
    &[BETA, REL],
)
.built_by(|spec, _| {
    let beta = spec.number(BETA.name, 1.0, "a number", |_| true)?;
    Ok(Box::new(FromShares { beta, rel: spec.rel()? }))
});

static ALL: &[&Definition] = &[
    &INTERPOLATED_9,
    &INTERPOLATED_10,
    &R_PRECISION_MULTIPLE,
    &UTILITY,
    &DCG,
    &NDCG,
    &IDEAL_DCG,
    &G,
    &NDCG_REL,
    &RNDCG,
    &RBP,
    &RBP_RESIDUAL,
    &SET_F,
];

/// A measure that `untied eval` does not know.
const fn quirk(
    name: &'static str,
    title: &'static str,
    equation: &'static str,
    parameters: &'static [Parameter],
) -> Info {
    Info { name, title, parameters, range: "", equation, reference: "trec_eval", ..Info::DEFAULT }
}

/// Make a measure, one of these or of the registry.
///
/// # Errors
/// A parameter has a value that it cannot take.
pub fn build(spec: &Spec, scope: &Scope<'_>) -> Result<Box<dyn Measure>> {
    match ALL.iter().find(|quirk| quirk.info == *spec.info) {
        Some(quirk) => spec.check().and_then(|()| (quirk.build)(spec, scope)),
        None => registry::build(spec, scope),
    }
}

fn wrong(spec: &Spec) -> Error {
    Error::Measure(format!("{spec}: too few or too many numbers"))
}

fn list<'s>(spec: &'s Spec, name: &str) -> &'s [f64] {
    match spec.parameter(name) {
        Some(Value::List(list)) => list,
        _ => &[],
    }
}

/// C's conversion to an integer, of x R + 0.9.
fn cut_off(x: f64, relevant: usize) -> usize {
    (x * relevant as f64 + 0.9) as usize
}

fn interpolated(spec: &Spec, target: impl Fn(f64) -> Target) -> Result<Box<dyn Measure>> {
    let (levels, rel) = (list(spec, LEVELS.name), spec.rel()?);
    let targets: Vec<Target> = levels.iter().copied().map(target).collect();
    if targets.is_empty() {
        return Err(wrong(spec));
    }
    match levels.is_sorted() {
        true => Ok(interpolated_precision(rel, targets)),
        false => Ok(Box::new(Unsorted { rel, targets })),
    }
}

/// The mean over recall levels that do not ascend: as the ranking is read from its end, the last level's hits are
/// waited for, then those of the level before, and so on; what is still waited for at the top has the largest precision
/// of all.
struct Unsorted {
    rel: f64,
    targets: Vec<Target>,
}

impl Measure for Unsorted {
    fn mean(&self, ranking: &Ranking, truth: &Judgments<'_>) -> f64 {
        let (relevant, hits) = (truth.relevant(self.rel), ranking.relevant(self.rel));
        let mut waiting = self.targets.iter().rev().map(|target| target(relevant)).peekable();
        let mut found: Vec<usize> = Vec::new();
        // The last levels beyond what is retrieved are worth 0.
        while waiting.next_if(|&target| target > hits).is_some() {
            found.push(usize::MAX);
        }
        let mut seen = hits;
        for target in waiting {
            seen = if target <= seen { target } else { 0 };
            found.push(seen);
        }
        let targets = found.into_iter().rev().map(|target| Box::new(move |_: usize| target) as Target).collect();
        interpolated_precision(self.rel, targets).mean(ranking, truth)
    }

    fn variance(&self, _: &Ranking, _: &Judgments<'_>) -> f64 {
        f64::NAN
    }
}

/// The residual, added up rank by rank as trec_eval does: a mean over few topics is often a half of the last digit
/// that is printed, which a last bit decides.
struct Residual {
    p: f64,
}

impl Measure for Residual {
    fn mean(&self, ranking: &Ranking, _: &Judgments<'_>) -> f64 {
        let (mut power, mut sum, mut unjudged) = (1.0, 0.0, 0);
        let mut groups = ranking.groups_to(ranking.retrieved).peekable();
        for rank in 0..ranking.retrieved {
            match groups.next_if(|group| group.start == rank) {
                Some(group) if group.levels[0].grade >= 0.0 => {}
                _ => {
                    sum += power;
                    unjudged += 1;
                }
            }
            power *= self.p;
        }
        if unjudged == 0 { f64::NAN } else { power + (1.0 - self.p) * sum }
    }

    fn variance(&self, _: &Ranking, _: &Judgments<'_>) -> f64 {
        f64::NAN
    }
}

/// SetF as trec_eval computes it: a quotient of quotients.
struct FromShares {
    beta: f64,
    rel: f64,
}

impl Measure for FromShares {
    fn mean(&self, ranking: &Ranking, truth: &Judgments<'_>) -> f64 {
        let (hits, relevant) = (ranking.relevant(self.rel) as f64, truth.relevant(self.rel) as f64);
        if hits == 0.0 {
            return if relevant == 0.0 { f64::NAN } else { 0.0 };
        }
        let (precision, recall) = (hits / ranking.retrieved as f64, hits / relevant);
        (self.beta + 1.0) * precision * recall / (self.beta * precision + recall)
    }

    fn variance(&self, ranking: &Ranking, truth: &Judgments<'_>) -> f64 {
        self.mean(ranking, truth) * 0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_of_relevant_documents_are_cut_off() {
        assert_eq!([(0.1, 1), (0.1, 10), (0.1, 11), (0.3, 1), (-1.0, 5)].map(|(x, r)| cut_off(x, r)), [1, 1, 2, 1, 0]);
    }
}
