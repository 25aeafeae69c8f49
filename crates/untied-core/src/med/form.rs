//! From a measure of one ranking to what finds its largest and its expected difference.
//!
//! A form turns two rankings into the instance that its solver takes: ranks within the depth, gains of judged
//! documents, and r_G, the most that an unknown one may gain. Normalisers do not depend on judgments: AP is divided by
//! the depth, nDCG by the ideal ranking of r_G at all ranks, as Tan & Clarke do it. Shorter rankings are filled up to the
//! cutoff with unknown documents of their own.

mod assignment;
mod extent;
mod moments;
mod outcomes;

pub use assignment::Assignment;
pub use outcomes::Outcomes;

use super::bpref::Bpref;
use super::counts::Share;
use super::effect::{Both, Workspace};
use super::novelty::{self, Novelty};
use super::time_biased::Timed;
use super::{Document, Instance, dot};
use crate::error::{Error, Result};
use crate::measures::dcg::{Gain, discounts};
use crate::measures::time_biased_gain::TimeBiasedGain;
use crate::measures::u_measure::UMeasure;
use crate::measures::{Build, Certainty, Measure, Scope};
use crate::names::{Spec, Value};
use crate::ranking::List;

/// How much one ranking can be ahead of the other.
#[derive(Debug, Clone, Copy)]
pub(super) struct Extent {
    /// The largest S(A) - S(B) that was found, and what it cannot exceed.
    pub up: (f64, f64),
    /// The same of S(B) - S(A).
    pub down: (f64, f64),
    /// What documents below the last of A, and of B, may still add to it.
    pub unseen: (f64, f64),
    /// Whether scores of rankings with ties are exact.
    pub sure: Certainty,
}

/// A measure, as far as differences need it.
pub(super) struct Form {
    gain: Gain,
    /// The most that an unknown document gains, r_G.
    top: f64,
    cutoff: Option<usize>,
    /// Whether shorter rankings are filled up to it.
    is_filled: bool,
    kind: Kind,
    /// The measure itself where it is no dot product, for rankings with ties; and the grade of r_G.
    measure: Option<Box<dyn Measure>>,
    max_grade: f64,
    options: Options,
}

enum Kind {
    /// A sum of gains times discounts.
    Dot {
        /// D(1) and so on, as far as rankings go.
        discounts: Vec<f64>,
        /// Whether it is divided by that of r_G at all ranks.
        normalised: bool,
        /// p of RBP: documents below rank K weigh p^K together.
        persistence: Option<f64>,
    },
    /// The U-measure: a sum of gains times what text leaves of them.
    Read(UMeasure),
    /// Time-biased gain.
    Timed(Box<TimeBiasedGain>),
    AveragePrecision(Base),
    ReciprocalRank,
    /// ERR.
    ReciprocalCascade,
    /// Another cascade, by its discounts.
    Cascade(Vec<f64>),
    /// A sum over subtopics.
    Novelty(Box<Novelty>),
    /// R or F1: ones for the ranks that count.
    Share {
        ones: Vec<f64>,
        is_f1: bool,
    },
    Success,
    /// Ranks.
    Bpref(Vec<f64>),
}

/// What AP is divided by.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Base {
    /// The depth.
    Depth,
    /// The documents that are relevant: judged ones, and those that an assignment makes so.
    Relevant,
    /// The judged relevant ones and so many others, more of which are not relevant.
    Most(usize),
}

/// What goes with a measure.
pub(super) struct Options {
    /// The highest grade that unjudged documents may have; none: that of the measure or the qrels.
    pub max_grade: Option<f64>,
    /// Whether all that could follow the documents of both rankings is part of the value.
    pub tail: bool,
    /// See [`Base`].
    pub base: Base,
    /// At most so many documents have each grade.
    pub per_grade: Option<usize>,
    /// Whether tied documents stand in the order that makes the difference largest, not in any.
    pub optimistic: bool,
}

/// The largest cutoff: every rank has a discount of its own.
const DEEPEST: usize = 10_000_000;
/// Nodes that the search for one largest difference may take.
const NODES: u64 = 20_000;
/// Steps that it may take where documents are tied, or take time: with both directions less than a second.
const STEPS: u64 = 250_000_000;
/// Draws from which an expected difference is estimated where there is no formula.
const DRAWS: usize = 10_000;

/// The rank to which a difference in a measure fills up shorter rankings; nobody knows how long texts would be that fill
/// them.
#[must_use]
pub fn filled_to(of: &Spec) -> Option<usize> {
    of.cutoff.filter(|_| !matches!(of.info.name, "U" | "TBG"))
}

impl Form {
    /// The form of a measure.
    ///
    /// # Errors
    /// The measure has none, or a parameter has a value it cannot take.
    pub fn new(of: &Spec, options: Options, scope: &Scope<'_>, of_one: Build) -> Result<Form> {
        // What a difference cannot heed is refused: R and means are those of the difference.
        if let Some(name) = ["judged_only", "recall_base", "mean"].into_iter().find(|name| of.parameter(name).is_some())
        {
            return Err(Error::Measure(format!("{of}: {name} does not go with a difference of two rankings")));
        }
        let highest = scope.grades.first().copied().unwrap_or(0.0).max(1.0);
        let cutoff = of.cutoff;
        if let Some(cutoff) = cutoff.filter(|&cutoff| cutoff > DEEPEST) {
            let message = format!("the largest difference in {of} is found for cutoffs up to {DEEPEST}, not {cutoff}");
            return Err(Error::Value(message));
        }
        let depth = cutoff.unwrap_or(scope.depth);
        let most = |default: f64| of.number("max_grade", default, "a number above 0", |most| most > 0.0);
        let of_ranks = || -> Result<Vec<f64>> {
            let mut discounts = discounts(of, depth)?;
            discounts.resize(depth, 0.0); // a list may be shorter
            Ok(discounts)
        };
        let weighted = |discounts| Kind::Dot { discounts, normalised: false, persistence: None };
        let binary = |kind| of.rel().map(|rel| (Gain::From(rel), rel, kind));
        let (gain, own, kind) = match of.info.name {
            "P" => binary(weighted(vec![1.0 / depth as f64; depth]))?,
            "AP" if cutoff.is_none() => {
                return Err(Error::Measure(
                    "AP needs a cutoff, for instance AP@100: it is divided by the depth".into(),
                ));
            }
            "AP" => binary(Kind::AveragePrecision(options.base))?,
            name @ ("R" | "F1") => binary(Kind::Share { ones: vec![1.0; depth], is_f1: name == "F1" })?,
            "Success" => binary(Kind::Success)?,
            "Bpref" => binary(Kind::Bpref((1..=depth).map(|rank| rank as f64).collect()))?,
            "RR" => binary(Kind::ReciprocalRank)?,
            "U" => binary(Kind::Read(UMeasure::new(of, scope)?))?,
            "TBG" => binary(Kind::Timed(Box::new(TimeBiasedGain::new(of, scope)?)))?,
            "DCG" => (Gain::new(of, scope.grades)?, highest, weighted(of_ranks()?)),
            "nDCG" => {
                let kind = Kind::Dot { discounts: of_ranks()?, normalised: true, persistence: None };
                (Gain::new(of, scope.grades)?, highest, kind)
            }
            "RBP" => {
                let p = of.number("p", 0.8, "a number between 0 and 1", |p| 0.0 < p && p < 1.0)?;
                let discounts = (0..depth).map(|i| (1.0 - p) * p.powf(i as f64)).collect();
                let kind =
                    Kind::Dot { discounts, normalised: false, persistence: Some(p).filter(|_| cutoff.is_none()) };
                match most(f64::NAN)? {
                    most if most.is_nan() => binary(kind)?,
                    most => (Gain::ShareOf(most), most, kind),
                }
            }
            "ERR" => (Gain::Stop(most(4.0)?), most(4.0)?, Kind::ReciprocalCascade),
            "Cascade" => (Gain::new(of, scope.grades)?, highest, Kind::Cascade(novelty::falling(of, depth)?)),
            "alpha_DCG" | "alpha_nDCG" | "ERR_IA" | "nERR_IA" | "StRecall" | "P_IA" => {
                binary(Kind::Novelty(Box::new(Novelty::new(of, options.max_grade, of_one)?)))?
            }
            _ => return Err(Error::Measure(format!("the largest difference in {of} is not known"))),
        };
        let refuse = |option: &str, goes_with: &str| {
            Err(Error::Measure(format!("{option} goes with {goes_with}, not with {of}")))
        };
        let is_dot = matches!(kind, Kind::Dot { .. });
        if options.tail && !matches!(kind, Kind::Dot { persistence: Some(_), .. } | Kind::ReciprocalCascade) {
            return refuse("tail='upper'", "RBP without a cutoff and with ERR");
        }
        if options.base != Base::Depth && !matches!(kind, Kind::AveragePrecision(_)) {
            return refuse("R", "AP");
        }
        if options.per_grade.is_some() && !matches!(of.info.name, "DCG" | "nDCG") {
            return refuse("per_grade", "DCG and nDCG");
        }
        if options.optimistic && (!is_dot || options.per_grade.is_some()) {
            return refuse("ties='optimistic'", "sums of gains times discounts (P, DCG, nDCG, RBP)");
        }
        let max_grade = options.max_grade.unwrap_or(own);
        if let (Gain::Stop(most), Some(grade)) = (&gain, scope.grades.iter().chain([&max_grade]).find(|&&g| g > own)) {
            return Err(Error::Value(format!("{of}: grade {grade} is above max_grade = {most}")));
        }
        let measure = match kind {
            Kind::AveragePrecision(Base::Depth) => {
                // R is the depth.
                let of = of.clone().with("recall_base", Value::Number(depth as f64))?;
                Some(with_grades(&of, max_grade, scope, of_one)?)
            }
            Kind::ReciprocalRank | Kind::ReciprocalCascade | Kind::Cascade(_) | Kind::Success => {
                Some(with_grades(of, max_grade, scope, of_one)?)
            }
            _ => None,
        };
        Ok(Form {
            top: gain.of(max_grade),
            gain,
            cutoff,
            is_filled: filled_to(of).is_some(),
            kind,
            measure,
            max_grade,
            options,
        })
    }

    /// Documents below this rank do not matter.
    pub fn depth(&self) -> usize {
        self.cutoff.unwrap_or(usize::MAX)
    }

    /// The rank to which these rankings count: the cutoff, or the end of the longer one.
    fn depth_of(&self, both: &Both<'_>) -> usize {
        self.cutoff.unwrap_or(both.a.len().max(both.b.len()))
    }

    /// Whether documents are worth something each, whatever others are.
    fn is_sum(&self) -> bool {
        matches!(self.kind, Kind::Dot { .. } | Kind::Read(_))
    }

    /// Write what documents weigh in either ranking to the workspace; whether that is exact.
    fn weigh(&self, both: &Both<'_>, work: &mut Workspace) -> Certainty {
        let discounts = self.discounts(self.depth_of(both));
        let Workspace { weights, discounts: (of_a, of_b), .. } = work;
        let mut exact = true;
        let (of_a, of_b) = match &self.kind {
            Kind::Read(measure) => {
                for (list, worths) in [(both.a, &mut *of_a), (both.b, &mut *of_b)] {
                    let lengths: Vec<f64> = list.docs.iter().map(|&i| both.lengths[i as usize].length).collect();
                    let starts = std::iter::once(0).chain(list.ends.iter().map(|&end| end as usize));
                    let groups = starts.zip(&list.ends).map(|(start, &end)| &lengths[start..end as usize]);
                    exact &= measure.worths(groups, worths);
                }
                (&of_a[..], &of_b[..])
            }
            _ => (by_rank(discounts, both.a, of_a), by_rank(discounts, both.b, of_b)),
        };
        let at = |discounts: &[f64], rank: u32| discounts.get((rank as usize).wrapping_sub(1)).copied().unwrap_or(0.0);
        weights.top = self.top;
        weights.documents.clear();
        weights.documents.extend(both.places.iter().map(|place| {
            let known = self.known(both.grades[place.document as usize]);
            dot::Weighed { a: at(of_a, place.a), b: at(of_b, place.b), known }
        }));
        for (lacking, list) in [(&mut weights.lacking.0, both.a), (&mut weights.lacking.1, both.b)] {
            lacking.clear();
            if self.is_filled {
                lacking.extend(&discounts[list.len().min(discounts.len())..]);
            }
        }
        if exact { Certainty::Exact } else { Certainty::Estimate }
    }

    /// Discounts of the ranks to a depth, if it goes by ranks.
    fn discounts(&self, depth: usize) -> &[f64] {
        match &self.kind {
            Kind::Dot { discounts: of_ranks, .. } | Kind::Share { ones: of_ranks, .. } | Kind::Bpref(of_ranks) => {
                &of_ranks[..depth]
            }
            _ => &[],
        }
    }

    /// Write the documents within the depth to an instance.
    fn lay_out(&self, both: &Both<'_>, instance: &mut Instance) {
        let depth = self.depth_of(both);
        let within = |rank: u32| if rank as usize <= depth { rank } else { 0 };
        instance.depth = depth;
        instance.top = self.top;
        // Without a cutoff there is nothing to fill rankings up to, unless all that could follow them counts.
        let filled =
            |list: &List| if self.cutoff.is_some() || self.options.tail { list.len().min(depth) } else { depth };
        instance.lengths = (filled(both.a), filled(both.b));
        instance.documents.clear();
        instance.documents.extend(both.places.iter().filter_map(|place| {
            let (a, b) = (within(place.a), within(place.b));
            let known = self.known(both.grades[place.document as usize]);
            (a > 0 || b > 0).then_some(Document { a, b, known })
        }));
    }

    /// Two rankings as R or F1 takes them, with weights that are in the workspace.
    fn share<'w>(&self, both: &Both<'_>, weights: &'w dot::Weights, is_f1: bool) -> Share<'w> {
        let relevant = both.levels.iter().filter(|level| self.gain.of(level.grade) > 0.0);
        let relevant = relevant.map(|level| f64::from(level.count)).sum();
        Share { weights, relevant, f1: is_f1.then_some(self.depth_of(both) as f64) }
    }

    /// The same for bpref; none of rankings without documents.
    fn bpref<'w>(&self, both: &Both<'_>, ranks: &'w dot::Weights) -> Option<Bpref<'w>> {
        let depth = self.depth_of(both) as f64;
        (depth > 0.0).then_some(Bpref { ranks, depth })
    }

    /// Two rankings as [`Kind::Timed`] takes them; what cannot be relevant is known not to be.
    fn timed(&self, measure: &TimeBiasedGain, both: &Both<'_>) -> Timed {
        let known = |number: u32| {
            let gain = self.known(both.grades[number as usize]).or((self.top == 0.0).then_some(0.0));
            gain.map(|gain| gain > 0.0)
        };
        Timed::new(measure, both, known)
    }

    /// Gain of a document; none if it is unknown.
    #[inline]
    fn known(&self, grade: f64) -> Option<f64> {
        if grade.is_nan() { None } else { Some(self.gain.of(grade)) }
    }
}

/// The measure, ready for the grades that documents may have.
fn with_grades(of: &Spec, max_grade: f64, scope: &Scope<'_>, of_one: Build) -> Result<Box<dyn Measure>> {
    let mut grades: Vec<f64> = scope.grades.iter().copied().chain([max_grade, 0.0]).collect();
    grades.sort_unstable_by(|one, other| other.total_cmp(one));
    grades.dedup();
    // Rankings are filled up to the cutoff.
    of_one(of, &Scope { depth: scope.depth.max(of.cutoff_or(0)), grades: &grades })
}

/// Discounts of a ranking's documents, rank by rank: in a tie group the mean over its positions.
fn by_rank<'a>(discounts: &'a [f64], list: &List, room: &'a mut Vec<f64>) -> &'a [f64] {
    if !list.is_tied() {
        return discounts;
    }
    room.clear();
    for &end in &list.ends {
        let start = room.len();
        let size = end as usize - start;
        let within = &discounts[start.min(discounts.len())..(end as usize).min(discounts.len())];
        room.resize(end as usize, within.iter().sum::<f64>() / size as f64);
    }
    room
}
