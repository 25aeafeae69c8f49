//! Normalised recall: how far the ranks of the relevant documents lie from the worst, as a share of how far they can.
//!
//!   Rnorm = 1 - (sum of the ranks of the R relevant documents - (1 + .. + R)) / (R (N - R)),
//!
//! where N is the number of documents in the collection. All of them are ranked: those that are not retrieved come
//! last, in random order, as SMART had it (Keen 1968, p. II-6), so each has their mean rank. N is at least the number
//! of documents in the ranking and the judgments. The value is also the share of pairs of a relevant and a non-relevant
//! document that are in the right order, which is the area under the ROC curve; a pair that is not retrieved counts one
//! half.
//!
//! In a group of n documents after t the mean rank is t + (n+1)/2; the sum of r ranks has variance r (n-r) (n+1) / 12.

use super::bounds::{self, Bounds, Open, Resolution};
use super::{Definition, Measure};
use crate::names::{Info, JUDGED_ONLY, Parameter, REL};
use crate::ranking::Ranking;
use crate::table::Judgments;

const COLLECTION: Parameter = Parameter {
    name: "collection",
    default: "0",
    help: "number N of documents in the collection; by default, and at least, the number of documents that are \
        retrieved or relevant",
};

/// Normalised recall.
pub static NORMALISED_RECALL: Definition = Info {
    name: "Rnorm",
    aliases: &["R_norm", "normalised_recall", "normalized_recall", "recall_norm"],
    title: "normalised recall",
    parameters: &[REL, COLLECTION, JUDGED_ONLY],
    equation: "Rnorm = 1 - (sum of the ranks of relevant documents - R (R+1) / 2) / (R (N-R)); documents that are not \
               retrieved have the mean of the ranks from n+1 to N",
    tex: r"R_{\mathrm{norm}} = 1 - \frac{\sum_{i=1}^{R} r_i - \sum_{i=1}^{R} i}{R\,(N - R)}",
    reference: "Rocchio 1966; Keen 1968; ties: mean ranks",
    ..Info::DEFAULT
}
.built_by(|spec, _| {
    let whole = |size: f64| size >= 0.0 && size.fract() == 0.0 && size < 1e15;
    let collection = spec.number(COLLECTION.name, 0.0, "a whole number", whole)?;
    Ok(Box::new(NormalisedRecall { rel: spec.rel()?, collection }))
});

struct NormalisedRecall {
    rel: f64,
    collection: f64,
}

impl NormalisedRecall {
    /// The value, given the sum of the ranks of the relevant documents in the ranking, their number, the number of all
    /// relevant documents, and the length of the ranking. NaN if all documents or none are relevant.
    fn value(&self, ranks: f64, retrieved_relevant: f64, relevant: f64, retrieved: f64) -> f64 {
        let (size, missed) = (self.size(retrieved_relevant, relevant, retrieved), relevant - retrieved_relevant);
        let spread = relevant * (size - relevant);
        if spread == 0.0 {
            return f64::NAN;
        }
        let ranks = ranks + missed * (retrieved + 1.0 + size) / 2.0;
        1.0 - (ranks - relevant * (relevant + 1.0) / 2.0) / spread
    }

    /// The number of documents in the collection, N.
    fn size(&self, retrieved_relevant: f64, relevant: f64, retrieved: f64) -> f64 {
        self.collection.max(retrieved + relevant - retrieved_relevant)
    }
}

impl Measure for NormalisedRecall {
    fn mean(&self, ranking: &Ranking, truth: &Judgments<'_>) -> f64 {
        let (mut ranks, mut retrieved_relevant) = (0.0, 0);
        for group in ranking.groups() {
            let relevant = group.relevant(self.rel);
            ranks += relevant as f64 * (group.start as f64 + (group.size + 1) as f64 / 2.0);
            retrieved_relevant += relevant;
        }
        self.value(ranks, retrieved_relevant as f64, truth.relevant(self.rel) as f64, ranking.retrieved as f64)
    }

    fn variance(&self, ranking: &Ranking, truth: &Judgments<'_>) -> f64 {
        let mut ranks = 0.0;
        for group in ranking.groups() {
            let relevant = group.relevant(self.rel);
            ranks += (relevant * (group.size - relevant)) as f64 * (group.size + 1) as f64 / 12.0;
        }
        let (retrieved_relevant, relevant) = (ranking.relevant(self.rel) as f64, truth.relevant(self.rel) as f64);
        let spread = relevant * (self.size(retrieved_relevant, relevant, ranking.retrieved as f64) - relevant);
        if spread == 0.0 { f64::NAN } else { ranks / (spread * spread) }
    }

    /// For each number of relevant documents, the sum of ranks is smallest with these at the top. One more relevant
    /// document at the end never makes the value larger.
    fn bounds(&self, open: &Open<'_>) -> Option<Bounds> {
        let ranks = |start: usize, size: usize, relevant: usize| {
            let (start, size, r) = (start as f64, size as f64, relevant as f64);
            let first = match open.resolution {
                Resolution::Mean => return r * (start + (size + 1.0) / 2.0),
                Resolution::Best => 0.0,
                Resolution::Worst => size - r,
            };
            r * (start + first) + r * (r + 1.0) / 2.0
        };
        let parts = open.parts(self.rel, |group, relevant| -ranks(group.start, group.size, relevant));
        let (retrieved_relevant, relevant) =
            (open.ranking.relevant(self.rel) as f64, open.truth.relevant(self.rel) as f64);
        let retrieved = open.ranking.retrieved as f64;
        Some(bounds::of_sum(&parts, open.not_retrieved(self.rel), |sum, more, others| {
            let retrieved_relevant = retrieved_relevant + more as f64;
            self.value(-sum, retrieved_relevant, relevant + (more + others) as f64, retrieved)
        }))
    }
}
