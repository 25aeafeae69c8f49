//! From a measure of one ranking to the form in which its largest difference is found.
//!
//! Dot products, `S = sum over ranks i of g_i D(i)`, have closed forms: an unknown document gains r_G where that
//! helps, so `max S(A) - S(B) = sum over judged of g (D_A - D_B) + r_G sum over unknown of max(0, D_A - D_B)` (Tan &
//! Clarke, section III-A). The mean over orders of tied documents is a dot product too: D is the mean over the group.

use super::effect::{Both, Workspace};
use super::{Document, Solution, average_precision};
use crate::error::{Error, Result};
use crate::measures::dcg::{Gain, discounts};
use crate::measures::{Scope, Spec};
use crate::ranking::List;

/// How much one ranking can be ahead of the other.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Extent {
    /// The largest S(A) - S(B) that was found, and what it cannot exceed.
    pub up: (f64, f64),
    /// The same of S(B) - S(A).
    pub down: (f64, f64),
    /// S(A) - S(B) where unknown documents gain nothing.
    pub now: f64,
    /// What documents below those of both rankings may add to either.
    pub unseen: f64,
}

/// A measure, as far as differences need it.
pub(super) struct Form {
    gain: Gain,
    /// The most that an unknown document gains, r_G.
    top: f64,
    cutoff: Option<usize>,
    kind: Kind,
}

enum Kind {
    Dot(Dot),
    AveragePrecision,
}

/// Nodes that the search for one largest difference may take.
const NODES: u64 = 20_000;

/// A sum of gains times discounts.
struct Dot {
    /// D(1) and so on, as far as rankings go.
    discounts: Vec<f64>,
    /// Whether it is divided by that of r_G at all ranks.
    normalised: bool,
    /// p of RBP, where documents below the rankings matter: together they weigh p^K.
    persistence: Option<f64>,
    /// Whether these are part of the value.
    tail: bool,
}

impl Form {
    /// The form of a measure.
    ///
    /// # Errors
    /// The measure has none, or a parameter has a value it cannot take.
    pub fn new(of: &Spec, max_grade: Option<f64>, tail: bool, scope: &Scope<'_>) -> Result<Form> {
        let highest = scope.grades.first().copied().unwrap_or(0.0).max(1.0);
        let cutoff = of.cutoff;
        // Rankings are filled up to the cutoff.
        let depth = cutoff.unwrap_or(scope.depth);
        let rel = || of.rel();
        let (gain, own, kind) = match of.info.name {
            "P" => {
                let discounts = vec![1.0 / depth as f64; depth];
                (Gain::From(rel()?), Some(rel()?), Kind::Dot(Dot::new(discounts)))
            }
            "DCG" | "nDCG" => {
                let dot = Dot { normalised: of.info.name == "nDCG", ..Dot::new(discounts(of, depth)?) };
                (Gain::new(of, scope.grades)?, None, Kind::Dot(dot))
            }
            "AP" => (Gain::From(rel()?), Some(rel()?), Kind::AveragePrecision),
            "RBP" => {
                let p = of.number("p", 0.8, "a number between 0 and 1", |p| 0.0 < p && p < 1.0)?;
                let discounts = (0..depth).map(|i| (1.0 - p) * p.powf(i as f64)).collect();
                let persistence = Some(p).filter(|_| cutoff.is_none());
                let dot = Kind::Dot(Dot { persistence, tail, ..Dot::new(discounts) });
                match of.number("max_grade", f64::NAN, "a number above 0", |most| most > 0.0)? {
                    most if most.is_nan() => (Gain::From(rel()?), Some(rel()?), dot),
                    most => (Gain::ShareOf(most), Some(most), dot),
                }
            }
            _ => return Err(Error::Measure(format!("the largest difference in {of} is not known"))),
        };
        let has_tail = matches!(&kind, Kind::Dot(Dot { persistence: Some(_), .. }));
        if tail && !has_tail {
            return Err(Error::Measure(format!("tail='upper' goes with RBP without a cutoff, not with {of}")));
        }
        let top = gain.of(max_grade.or(own).unwrap_or(highest));
        Ok(Form { gain, top, cutoff, kind })
    }

    /// Documents below this rank do not matter.
    pub fn depth(&self) -> usize {
        self.cutoff.unwrap_or(usize::MAX)
    }

    /// The extent of differences, in the directions asked for.
    pub fn extent(&self, both: &Both<'_>, work: &mut Workspace, directions: (bool, bool)) -> Extent {
        let mut extent = match &self.kind {
            Kind::Dot(dot) => dot.extent(self, both, work),
            Kind::AveragePrecision => self.solved(both, work, directions),
        };
        let never = (f64::NEG_INFINITY, f64::NEG_INFINITY);
        if !directions.0 {
            extent.up = never;
        }
        if !directions.1 {
            extent.down = never;
        }
        extent
    }

    /// The extent by a solver.
    fn solved(&self, both: &Both<'_>, work: &mut Workspace, directions: (bool, bool)) -> Extent {
        self.lay_out(both, work);
        let solve = |work: &mut Workspace| {
            let Solution { value, bound, .. } =
                average_precision::solve(&work.instance, NODES, &mut work.average_precision);
            (value, bound)
        };
        let never = (f64::NEG_INFINITY, f64::NEG_INFINITY);
        let up = if directions.0 { solve(work) } else { never };
        work.instance.swap();
        let down = if directions.1 { solve(work) } else { never };
        Extent { up, down, now: 0.0, unseen: 0.0 }
    }

    /// Write the documents within the depth to the workspace.
    fn lay_out(&self, both: &Both<'_>, work: &mut Workspace) {
        let depth = self.cutoff.unwrap_or(both.a.len().max(both.b.len()));
        let instance = &mut work.instance;
        instance.depth = depth;
        instance.top = self.top;
        instance.lengths = (both.a.len().min(depth), both.b.len().min(depth));
        let within = |rank: u32| if rank as usize <= depth { rank } else { 0 };
        instance.documents.clear();
        instance.documents.extend(both.places.iter().filter_map(|place| {
            let (a, b) = (within(place.a), within(place.b));
            let known = self.known(both.grades[place.document as usize]);
            (a > 0 || b > 0).then_some(Document { a, b, known })
        }));
    }

    /// Gain of a document; none if it is unknown.
    #[inline]
    fn known(&self, grade: f64) -> Option<f64> {
        if grade.is_nan() { None } else { Some(self.gain.of(grade)) }
    }
}

impl Dot {
    fn new(discounts: Vec<f64>) -> Dot {
        Dot { discounts, normalised: false, persistence: None, tail: false }
    }

    fn extent(&self, form: &Form, both: &Both<'_>, work: &mut Workspace) -> Extent {
        let depth = form.cutoff.unwrap_or(both.a.len().max(both.b.len())).min(self.discounts.len());
        let all = &self.discounts[..depth];
        let (of_a, of_b) = (&mut work.discounts.0, &mut work.discounts.1);
        let (of_a, of_b) = (by_rank(all, both.a, of_a), by_rank(all, both.b, of_b));
        let at = |discounts: &[f64], rank: u32| match rank {
            0 => 0.0,
            rank => discounts.get(rank as usize - 1).copied().unwrap_or(0.0),
        };
        let (mut fixed, mut ahead, mut behind) = (0.0, 0.0, 0.0);
        for place in both.places {
            let difference = at(of_a, place.a) - at(of_b, place.b);
            match form.known(both.grades[place.document as usize]) {
                Some(gain) => fixed += gain * difference,
                None if difference > 0.0 => ahead += difference,
                None => behind -= difference,
            }
        }
        // What a ranking lacks up to the cutoff: unknown documents of its own.
        let lacking = |list: &List| all[list.len().min(depth)..].iter().sum::<f64>();
        let norm = if self.normalised { form.top * all.iter().sum::<f64>() } else { 1.0 };
        let beyond = self.persistence.map_or(0.0, |p| form.top * p.powf(depth as f64));
        let tail = if self.tail { beyond } else { 0.0 };
        let up = (fixed + form.top * (ahead + lacking(both.a)) + tail) / norm;
        let down = (form.top * (behind + lacking(both.b)) - fixed + tail) / norm;
        Extent { up: (up, up), down: (down, down), now: fixed / norm, unseen: beyond - tail }
    }
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
