//! U-measure: the gain of a relevant document decays with the text read before it.
//!
//!   U = (1/N) sum over relevant documents of max(0, 1 - pos / L),
//!
//! pos the length of all documents before one, and with `gain_at='end'` its own. In a tie group of n documents with
//! S characters after t others, a document of length l is at t + (S - l) / 2 on average. Where all is read within L,
//! that is the mean; for the variance of sum over pairs of c_de [d before e] (c_de = l_d if e is relevant), with
//! a_de = (c_de - c_ed) / 2 and A_d = sum over e of a_de,
//!
//!   Var = (1/3) (sum over pairs of a_de^2 + sum over d of A_d^2) / L^2,
//!
//! as of two pairs that share a document the signs of the orders have the covariance 1/3. Where the user stops within
//! the group, or the cutoff falls into it, sums over counts of each kind of document ([`super::orders::lattice`]) are exact
//! too; documents of very many lengths need a sample then. In the best order relevant documents stand first, short
//! ones before long ones; in the worst one the other way round.

use super::bounds::{self, Bounds, Open};
use super::orders::lattice;
use super::orders::sampling::{self, Classes};
use super::{Certainty, Definition, Measure, Orders, Scope};
use crate::error::Result;
use crate::names::{Cutoff, Info, JUDGED_ONLY, Needs, Parameter, REL, Sampled, Spec};
use crate::ranking::{Ranking, Text};
use crate::table::Judgments;

const PATIENCE: Parameter =
    Parameter { name: "L", default: "132000", help: "length of text after which nothing is worth anything" };
const GAIN_AT: Parameter =
    Parameter { name: "gain_at", default: "'end'", help: "where a document counts: at its 'end' or at its 'start'" };
const NORM: Parameter = Parameter { name: "norm", default: "1", help: "what the sum is divided by" };

pub static U: Definition = Info {
    name: "U",
    aliases: &["u_measure", "u-measure"],
    title: "U-measure",
    cutoff: Cutoff::Optional,
    parameters: &[PATIENCE, GAIN_AT, NORM, REL, JUDGED_ONLY],
    needs: Needs::Documents,
    range: "0 or more",
    equation: "(1/norm) sum over ranks i of relevant documents of max(0, 1 - pos_i / L), pos_i = l_1 + .. + l_i",
    tex: r"\mathrm{U} = \frac{1}{\mathit{norm}} \sum_{i:\ x_i = 1} \max \left( 0, 1 - \frac{l_1 + \cdots + l_i}{L}
           \right)",
    reference: "Sakai & Dou 2013; ties: mean position, or by counts of documents of each length",
    sampled: &[Sampled {
        unless: "the user stops within a tie group that has many documents of different lengths",
        then: Sampled::ESTIMATES,
    }],
    ..Info::DEFAULT
}
.built_by(|spec, scope| Ok(Box::new(UMeasure::new(spec, scope)?)));

/// The U-measure with its parameters.
pub(crate) struct UMeasure {
    rel: f64,
    cutoff: usize,
    /// The length of text L after which nothing is worth anything.
    patience: f64,
    at_end: bool,
    norm: f64,
}

/// Documents of a group that have the same length and are equally relevant.
#[derive(Debug, Clone, Copy, PartialEq)]
struct TextKind {
    relevant: bool,
    length: f64,
    count: usize,
}

/// A tie group, and the text before it.
struct TextGroup {
    kinds: Vec<TextKind>,
    size: usize,
    /// Length of all documents before it.
    before: f64,
    /// The number of its positions that may be worth something: those within the cutoff that the user reaches.
    slots: usize,
}

impl TextGroup {
    /// Whether all orders are worth the same. Relevant kinds come first.
    fn is_certain(&self) -> bool {
        self.kinds.len() == 1 || !self.kinds[0].relevant
    }

    fn length(&self) -> f64 {
        self.kinds.iter().map(|kind| kind.count as f64 * kind.length).sum()
    }

    fn counts(&self) -> Vec<usize> {
        self.kinds.iter().map(|kind| kind.count).collect()
    }

    fn classes(&self) -> Classes {
        let counts = self.kinds.iter().enumerate().map(|(class, kind)| (class as u32, kind.count as u32)).collect();
        Classes { start: 0, size: self.size, slots: self.slots, counts }
    }
}

/// Goes over the documents of the kinds one by one.
fn each<'k>(kinds: impl Iterator<Item = &'k TextKind>) -> impl Iterator<Item = &'k TextKind> {
    kinds.flat_map(|kind| std::iter::repeat_n(kind, kind.count))
}

impl UMeasure {
    pub(crate) fn new(spec: &Spec, scope: &Scope<'_>) -> Result<UMeasure> {
        let at_end = spec.choice(GAIN_AT.name, &[("end", true), ("start", false)])?;
        Ok(UMeasure {
            rel: spec.rel()?,
            cutoff: spec.cutoff_or(usize::MAX).min(scope.depth),
            patience: spec.number(PATIENCE.name, 132_000.0, "a number above 0", |patience| patience > 0.0)?,
            norm: spec.number(NORM.name, 1.0, "a number above 0", |norm| norm > 0.0)?,
            at_end,
        })
    }

    /// The most that a relevant document can be worth.
    pub(crate) fn most_of_document(&self) -> f64 {
        1.0 / self.norm
    }

    /// Appends what each document is worth if it is relevant, on average over the orders of its tie group, and returns
    /// whether all of this is exact. U is the sum over relevant documents, whose worth does not depend on which others
    /// are relevant.
    pub(crate) fn worths<'g>(&self, groups: impl Iterator<Item = &'g [f64]>, worths: &mut Vec<f64>) -> bool {
        worths.clear();
        let (mut before, mut at, mut exact) = (0.0, 0, true);
        for lengths in groups {
            if at >= self.cutoff || before >= self.patience {
                worths.extend(lengths.iter().map(|_| 0.0));
                continue;
            }
            let slots = self.slots(lengths.iter().copied(), at, before);
            let all: f64 = lengths.iter().sum();
            if lengths.len() == 1 || slots == lengths.len() && before + all <= self.patience {
                // On average, half of the other text is before a document.
                worths.extend(lengths.iter().map(|length| self.worth(before + (all - length) / 2.0, *length)));
            } else {
                exact &= self.worths_of_some(lengths, before, slots, worths);
            }
            at += lengths.len();
            before += all;
        }
        worths.iter_mut().for_each(|worth| *worth /= self.norm);
        exact
    }

    /// The same as [`UMeasure::worths`] for one group that is not read to its end.
    fn worths_of_some(&self, lengths: &[f64], before: f64, slots: usize, worths: &mut Vec<f64>) -> bool {
        let text = |&length: &f64| Text { grade: f64::NEG_INFINITY, length, seconds: f64::NAN };
        let kinds = self.kinds(&lengths.iter().map(text).collect::<Vec<_>>());
        let part = TextGroup { kinds: kinds.clone(), size: lengths.len(), before, slots };
        let by_counts = lattice::by_kind(&part.counts(), |placed, kind| {
            if placed.iter().sum::<usize>() >= slots {
                return 0.0;
            }
            let read: f64 = placed.iter().zip(&kinds).map(|(&n, kind)| n as f64 * kind.length).sum();
            self.worth(before + read, kinds[kind].length)
        });
        let exact = by_counts.is_some();
        let of_kinds = by_counts.unwrap_or_else(|| {
            let (mut sums, mut drawn) = (vec![0.0; kinds.len()], 0.0);
            sampling::over_orders(&[part.classes()], |placed| {
                let (mut read, mut all) = (before, 0.0);
                for &(_, class) in &placed[..slots] {
                    let length = kinds[class as usize].length;
                    let worth = self.worth(read, length);
                    sums[class as usize] += worth;
                    all += worth;
                    read += length;
                }
                drawn += 1.0;
                all
            });
            sums.iter().zip(&kinds).map(|(sum, kind)| sum / drawn / kind.count as f64).collect()
        });
        let of = |length: &f64| kinds.iter().position(|kind| kind.length == *length).map_or(0.0, |kind| of_kinds[kind]);
        worths.extend(lengths.iter().map(of));
        exact
    }

    /// What a relevant document of this length is worth after so much text.
    fn worth(&self, before: f64, length: f64) -> f64 {
        let at = if self.at_end { before + length } else { before };
        (1.0 - at / self.patience).max(0.0)
    }

    /// The kinds of documents, in the best order.
    fn kinds(&self, group: &[Text]) -> Vec<TextKind> {
        let kind = |text: &Text| TextKind { relevant: text.grade >= self.rel, length: text.length, count: 1 };
        let mut kinds: Vec<TextKind> = group.iter().map(kind).collect();
        kinds.sort_by(|a, b| b.relevant.cmp(&a.relevant).then(a.length.total_cmp(&b.length)));
        kinds.dedup_by(|next, kind| {
            let same = next.relevant == kind.relevant && next.length == kind.length;
            kind.count += usize::from(same);
            same
        });
        kinds
    }

    /// How many documents of a group the user looks at, at most: the shortest ones first.
    fn slots(&self, lengths: impl Iterator<Item = f64>, at: usize, before: f64) -> usize {
        let mut lengths: Vec<f64> = lengths.collect();
        lengths.sort_unstable_by(f64::total_cmp);
        let read = lengths.iter().scan(before, |read, length| {
            let here = *read;
            *read += length;
            Some(here)
        });
        read.take(self.cutoff - at).take_while(|&read| read < self.patience).count()
    }

    /// The groups that may be worth something.
    fn parts<'r>(&'r self, ranking: &'r Ranking) -> impl Iterator<Item = TextGroup> + 'r {
        let (mut before, mut at) = (0.0, 0);
        ranking.texts.groups().map_while(move |group| {
            if at >= self.cutoff || before >= self.patience {
                return None;
            }
            let kinds = self.kinds(group);
            let slots = self.slots(group.iter().map(|text| text.length), at, before);
            let part = TextGroup { size: group.len(), before, slots, kinds };
            at += group.len();
            before += part.length();
            Some(part)
        })
    }

    /// What a group adds if its documents are in this order.
    fn in_order<'k>(&self, documents: impl Iterator<Item = &'k TextKind>, part: &TextGroup) -> f64 {
        let (mut total, mut before) = (0.0, part.before);
        for document in documents.take(part.slots) {
            if document.relevant {
                total += self.worth(before, document.length);
            }
            before += document.length;
        }
        total
    }

    /// The mean and the variance of what a group adds.
    fn moments(&self, part: &TextGroup) -> (f64, f64) {
        if part.is_certain() {
            return (self.in_order(each(part.kinds.iter()), part), 0.0);
        }
        if self.is_within(part) {
            return (self.mean_within(part), self.variance_within(part));
        }
        let by_counts = lattice::over_orders(&part.counts(), |placed, kind| {
            let kind = &part.kinds[kind];
            if !kind.relevant || placed.iter().sum::<usize>() >= part.slots {
                return 0.0;
            }
            let read: f64 = placed.iter().zip(&part.kinds).map(|(&n, kind)| n as f64 * kind.length).sum();
            self.worth(part.before + read, kind.length)
        });
        if let Some(moments) = by_counts {
            return (moments.mean, moments.variance);
        }
        let moments = sampling::over_orders(&[part.classes()], |placed| {
            self.in_order(placed.iter().map(|&(_, class)| &part.kinds[class as usize]), part)
        });
        (moments.outcome.mean, moments.outcome.variance)
    }

    fn is_exact(&self, part: &TextGroup) -> bool {
        part.is_certain()
            || self.is_within(part)
            || lattice::is_small(&part.counts())
            || sampling::is_listed(&[part.classes()])
    }

    /// Whether all text of the group is read.
    fn is_within(&self, part: &TextGroup) -> bool {
        part.slots == part.size && part.before + part.length() <= self.patience
    }

    fn mean_within(&self, part: &TextGroup) -> f64 {
        let length = part.length();
        let relevant = part.kinds.iter().filter(|kind| kind.relevant);
        relevant
            .map(|kind| kind.count as f64 * self.worth(part.before + (length - kind.length) / 2.0, kind.length))
            .sum()
    }

    fn variance_within(&self, part: &TextGroup) -> f64 {
        let n = |kind: &TextKind| kind.count as f64;
        let (relevant, others): (Vec<&TextKind>, Vec<&TextKind>) = part.kinds.iter().partition(|kind| kind.relevant);
        let r: f64 = relevant.iter().map(|kind| n(kind)).sum();
        if r == 0.0 {
            return 0.0;
        }
        let mean = relevant.iter().map(|kind| n(kind) * kind.length).sum::<f64>() / r;
        let apart: f64 = relevant.iter().map(|kind| n(kind) * (kind.length - mean).powi(2)).sum();
        let unread: f64 = others.iter().map(|kind| n(kind) * kind.length).sum();
        let squares: f64 = others.iter().map(|kind| n(kind) * kind.length.powi(2)).sum();
        // a is (l_d - l_e) / 2 for pairs of relevant documents, and l / 2 for pairs of a relevant and another one.
        let pairs = (r * apart + r * squares) / 4.0;
        let sums: f64 = relevant
            .iter()
            .map(|kind| n(kind) * ((r * (kind.length - mean) - unread) / 2.0).powi(2))
            .chain(others.iter().map(|kind| n(kind) * (r * kind.length / 2.0).powi(2)))
            .sum();
        (pairs + sums) / 3.0 / self.patience.powi(2)
    }
}

impl Measure for UMeasure {
    fn mean(&self, ranking: &Ranking, _: &Judgments<'_>) -> f64 {
        self.parts(ranking).map(|part| self.moments(&part).0).sum::<f64>() / self.norm
    }

    fn variance(&self, ranking: &Ranking, _: &Judgments<'_>) -> f64 {
        self.parts(ranking).map(|part| self.moments(&part).1).sum::<f64>() / self.norm.powi(2)
    }

    fn extremes(&self, orders: &Orders, _: &Judgments<'_>) -> (f64, f64) {
        let (mut low, mut high) = (0.0, 0.0);
        for part in self.parts(&orders.tied) {
            low += self.in_order(each(part.kinds.iter().rev()), &part);
            high += self.in_order(each(part.kinds.iter()), &part);
        }
        (low / self.norm, high / self.norm)
    }

    /// A document that becomes relevant changes the worth of no other one, so bounds are sums.
    fn bounds(&self, open: &Open<'_>) -> Option<Bounds> {
        Some(bounds::monotone(self, open))
    }

    fn certainty(&self, ranking: &Ranking, _: &Judgments<'_>) -> Certainty {
        if self.parts(ranking).all(|part| self.is_exact(&part)) { Certainty::Exact } else { Certainty::Estimate }
    }
}
