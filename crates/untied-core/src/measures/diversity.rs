//! Measures of novelty and diversity: documents are judged by subtopic, and a relevant document counts less if its
//! subtopic was covered before. Sums, means and extremes are in [`super::novelty`].
//!
//! Names and normalisation are those of ndeval, TREC's program for its diversity tasks, which `ir_measures` calls too.
//! A subtopic without relevant documents does not count; the M others count equally.

use super::novel_ideal::BestSums;
use super::novelty::{Norm, Novelty, Worth};
use super::orders::sampling;
use super::{Definition, Measure, Scope};
use crate::elementary::{log2, powi};
use crate::error::{Error, Result};
use crate::names::{Cutoff, Info, JUDGED_ONLY, Needs, Parameter, REL, Sampled, Spec, unbounded};

const ALPHA: Parameter = Parameter {
    name: "alpha",
    default: "0.5",
    help: "how much a relevant document takes from the next one for the same subtopic, 0 <= alpha <= 1",
};
const BETA: Parameter = Parameter {
    name: "beta",
    default: "0.5",
    help: "probability of continuing to the next document, below 1 (patience)",
};

const IDEAL: Parameter = Parameter {
    name: "ideal",
    default: "'best'",
    help: "ranking of judged documents with the value 1: the 'best', or the greedy one of 'ndeval', which breaks ties by id",
};
const IDEAL_RANGE: &str = "0 to 1; rarely above, where the best ranking is not found";

/// The facts that most measures of this file share.
const OF_SUBTOPICS: Info = Info {
    cutoff: Cutoff::Optional,
    parameters: &[REL, JUDGED_ONLY],
    needs: Needs::Subtopics,
    sampled: &[Sampled { unless: sampling::MANY_ORDERS, then: Sampled::BOUNDS }],
    unbounded: Some(unbounded::SUBTOPICS),
    ..Info::DEFAULT
};

pub static ALPHA_DCG: Definition = Info {
    name: "alpha_DCG",
    aliases: &["α_DCG", "alpha-DCG"],
    title: "discounted cumulative gain of novel documents",
    parameters: &[REL, ALPHA, JUDGED_ONLY],
    equation: "alpha_DCG@k = S(k) / B(k), S(k) = sum over ranks i <= k of D(i) times the sum over the subtopics j of \
               document i of (1-alpha)^(documents before i that are relevant to j), D(i) = 1 / log2(1+i); B(k) = S(k) \
               if every document were relevant to all M subtopics; without @k, k = n",
    tex: r"\alpha\text{-}\mathrm{DCG}@k = \frac{S(k)}{B(k)}, \quad S(k) = \sum_{i=1}^{k} D(i) \sum_{j \ni d_i} (1 -
           \alpha)^{\,\mathrm{seen}_j(i)}",
    reference: "Clarke et al. 2008, normalised as by ndeval; ties: mean, exact, subtopic by subtopic",
    ..OF_SUBTOPICS
}
.built_by(|spec, scope| by_bound(spec, scope, alpha(spec)?, logarithmic));

pub static ALPHA_NDCG: Definition = Info {
    name: "alpha_nDCG",
    aliases: &["α_nDCG", "alpha-nDCG"],
    title: "normalised discounted cumulative gain of novel documents",
    parameters: &[REL, ALPHA, IDEAL, JUDGED_ONLY],
    range: IDEAL_RANGE,
    equation: "alpha_nDCG@k = S(k) / (S(k) of the ideal ranking), S(k) as for alpha_DCG",
    tex: r"\alpha\text{-}\mathrm{nDCG}@k = \frac{S(k)}{S(k) \text{ of the ideal}}, \quad S(k) =
           \sum_{i=1}^{k} D(i) \sum_{j \ni d_i} (1 - \alpha)^{\,\mathrm{seen}_j(i)}",
    reference: "Clarke et al. 2008; ties: as alpha_DCG",
    ..OF_SUBTOPICS
}
.built_by(|spec, scope| by_ideal(spec, scope, alpha(spec)?, logarithmic));

pub static ERR_IA: Definition = Info {
    name: "ERR_IA",
    aliases: &["ERR-IA"],
    title: "intent-aware expected reciprocal rank",
    equation: "ERR_IA@k = S(k) / B(k), as alpha_DCG with alpha = 0.5 and D(i) = 1/i",
    tex: r"\mathrm{ERR\text{-}IA}@k = \frac{S(k)}{B(k)}, \quad S(k) = \sum_{i=1}^{k} \frac{1}{i} \sum_{j \ni d_i}
           \left( \frac{1}{2} \right)^{\mathrm{seen}_j(i)}",
    reference: "Chapelle, Metzler, Zhang & Grinspan 2009, normalised as by ndeval; ties: as alpha_DCG",
    ..OF_SUBTOPICS
}
.built_by(|spec, scope| by_bound(spec, scope, 0.5, reciprocal));

pub static NERR_IA: Definition = Info {
    name: "nERR_IA",
    aliases: &["nERR-IA"],
    title: "normalised intent-aware expected reciprocal rank",
    parameters: &[REL, IDEAL, JUDGED_ONLY],
    range: IDEAL_RANGE,
    equation: "nERR_IA@k = S(k) / (S(k) of the ideal ranking), S(k) as for ERR_IA",
    tex: r"\mathrm{nERR\text{-}IA}@k = \frac{S(k)}{S(k) \text{ of the ideal}}, \quad S(k) = \sum_{i=1}^{k}
           \frac{1}{i} \sum_{j \ni d_i} \left( \frac{1}{2} \right)^{\mathrm{seen}_j(i)}",
    reference: "Chapelle, Metzler, Zhang & Grinspan 2009; ties: as alpha_DCG",
    ..OF_SUBTOPICS
}
.built_by(|spec, scope| by_ideal(spec, scope, 0.5, reciprocal));

pub static NRBP: Definition = Info {
    name: "NRBP",
    title: "novelty- and rank-biased precision",
    cutoff: Cutoff::None,
    parameters: &[REL, ALPHA, BETA, JUDGED_ONLY],
    equation: "NRBP = (1 - (1-alpha) beta) / M times the sum over ranks i of beta^(i-1) times the sum over the \
               subtopics j of document i of (1-alpha)^(documents before i that are relevant to j)",
    tex: r"\mathrm{NRBP} = \frac{1 - (1 - \alpha) \beta}{M} \sum_i \beta^{\,i-1} \sum_{j \ni d_i} (1 -
           \alpha)^{\,\mathrm{seen}_j(i)}",
    reference: "Clarke, Kolla & Vechtomova 2009; ties: as alpha_DCG",
    ..OF_SUBTOPICS
}
.built_by(|spec, scope| {
    let (alpha, beta) = (alpha(spec)?, beta(spec)?);
    novelty(spec, scope, alpha, patience(beta), Norm::Subtopics(1.0 / (1.0 - (1.0 - alpha) * beta)))
});

pub static NNRBP: Definition = Info {
    name: "nNRBP",
    title: "normalised novelty- and rank-biased precision",
    cutoff: Cutoff::None,
    parameters: &[REL, ALPHA, BETA, IDEAL, JUDGED_ONLY],
    range: IDEAL_RANGE,
    equation: "nNRBP = NRBP / (NRBP of the ideal ranking)",
    tex: r"\mathrm{nNRBP} = \frac{\mathrm{NRBP}}{\mathrm{NRBP} \text{ of the ideal}}",
    reference: "Clarke, Kolla & Vechtomova 2009; ties: as alpha_DCG",
    ..OF_SUBTOPICS
}
.built_by(|spec, scope| by_ideal(spec, scope, alpha(spec)?, patience(beta(spec)?)));

pub static AP_IA: Definition = Info {
    name: "AP_IA",
    aliases: &["MAP_IA", "MAP-IA", "AP-IA"],
    title: "intent-aware average precision",
    equation: "AP_IA@k = (1/M) sum over the subtopics of AP@k, with their own relevant documents; without @k, all ranks",
    tex: r"\mathrm{AP\text{-}IA}@k = \frac{1}{M} \sum_{j=1}^{M} \mathrm{AP}_j@k",
    reference: "Agrawal, Gollapudi, Halverson & Ieong 2009; ties: mean, exact, subtopic by subtopic",
    ..OF_SUBTOPICS
}
.built_by(|spec, scope| {
    let weights = (1..=spec.cutoff_or(usize::MAX).min(scope.depth)).map(reciprocal).collect();
    Ok(Box::new(Novelty { rel: spec.rel()?, weights, worth: Worth::Rises, norm: Norm::Subtopics(1.0) }))
});

pub static P_IA: Definition = Info {
    name: "P_IA",
    aliases: &["P-IA"],
    title: "intent-aware precision",
    equation: "P_IA@k = (1/M) sum over the subtopics of P@k; without @k, k = n",
    tex: r"\mathrm{P\text{-}IA}@k = \frac{1}{M} \sum_{j=1}^{M} \mathrm{P}_j@k",
    reference: "Agrawal, Gollapudi, Halverson & Ieong 2009; ties: as P@k",
    sampled: &[],
    ..OF_SUBTOPICS
}
.built_by(|spec, scope| {
    let norm = match spec.cutoff {
        Some(cutoff) => Norm::Subtopics(cutoff as f64),
        None => Norm::Retrieved((0..=scope.depth).map(|n| n.max(1) as f64).collect()),
    };
    novelty(spec, scope, 0.0, |_| 1.0, norm)
});

pub static SUBTOPIC_RECALL: Definition = Info {
    name: "StRecall",
    aliases: &["strec", "I_rec", "I-rec"],
    title: "subtopic recall, the share of subtopics that are found",
    equation: "StRecall@k = (subtopics with a relevant document among the first k) / M",
    tex: r"\mathrm{StRecall}@k = \frac{|\{ j : \text{subtopic } j \text{ is found among the first } k \}|}{M}",
    reference: "Zhai, Cohen & Lafferty 2003; ties: mean, exact, as Success@k of each subtopic",
    ..OF_SUBTOPICS
}
.built_by(|spec, scope| novelty(spec, scope, 1.0, |_| 1.0, Norm::Subtopics(1.0)));

/// The parameter `alpha`.
pub(crate) fn alpha(spec: &Spec) -> Result<f64> {
    spec.number(ALPHA.name, 0.5, "a number from 0 to 1", |alpha| (0.0..=1.0).contains(&alpha))
}

/// The parameter `beta`.
pub(crate) fn beta(spec: &Spec) -> Result<f64> {
    spec.number(BETA.name, 0.5, "a number of at least 0 and below 1", |beta| (0.0..1.0).contains(&beta))
}

fn logarithmic(rank: usize) -> f64 {
    1.0 / log2((rank + 1) as f64)
}

fn reciprocal(rank: usize) -> f64 {
    1.0 / rank as f64
}

fn patience(beta: f64) -> impl Fn(usize) -> f64 {
    move |rank| powi(beta, (rank - 1) as i32)
}

fn novelty(
    spec: &Spec,
    scope: &Scope<'_>,
    alpha: f64,
    weight: impl Fn(usize) -> f64,
    norm: Norm,
) -> Result<Box<dyn Measure>> {
    let weights = (1..=spec.cutoff_or(usize::MAX).min(scope.depth)).map(weight).collect();
    Ok(Box::new(Novelty { rel: spec.rel()?, weights, worth: Worth::Falls(1.0 - alpha), norm }))
}

fn by_ideal(spec: &Spec, scope: &Scope<'_>, alpha: f64, weight: impl Fn(usize) -> f64) -> Result<Box<dyn Measure>> {
    let q = 1.0 - alpha;
    let greedy = spec.choice(IDEAL.name, &[("best", false), ("ndeval", true)])?;
    let norm = if greedy { Norm::Greedy(q) } else { Norm::Best(BestSums::new(q)) };
    novelty(spec, scope, alpha, weight, norm)
}

/// How many terms of the bound are added up at most.
const TERMS: usize = 100_000_000;

fn by_bound(
    spec: &Spec,
    scope: &Scope<'_>,
    alpha: f64,
    weight: impl Fn(usize) -> f64 + Copy,
) -> Result<Box<dyn Measure>> {
    let q = 1.0 - alpha;
    let terms = (1..).scan(1.0, |reach, rank| {
        let term = weight(rank) * *reach;
        *reach *= q;
        Some(term)
    });
    let norm = match spec.cutoff {
        Some(cutoff) if cutoff > TERMS => {
            return Err(Error::Measure(format!("{spec}: the cutoff must be at most {TERMS}")));
        }
        Some(cutoff) => {
            // All terms after one are together less than it / (1 - q).
            let is_negligible = |term: f64| term < 1e-20 * alpha;
            Norm::Subtopics(terms.take(cutoff).take_while(|&term| !is_negligible(term)).sum())
        }
        None => {
            let sums = terms.take(scope.depth).scan(0.0, |sum, term| {
                *sum += term;
                Some(*sum)
            });
            Norm::Retrieved(std::iter::once(1.0).chain(sums).collect())
        }
    };
    novelty(spec, scope, alpha, weight, norm)
}
