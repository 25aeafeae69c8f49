//! Bpref, whose denominators R and d = min(N, R + extra) both move with the assignment, every unknown document being
//! judged one way or the other.
//!
//! A relevant document counts once for each of the first d non-relevant ones that is not above it. With p_t the rank of
//! the t-th of these (after the end of the ranking all are non-relevant), p_t - t relevant documents stand above it, so
//!
//!   R d Bpref = sum_{t <= d} p_t - d (d + 1) / 2;    where d = 0, every retrieved document is relevant: R Bpref = n.
//!
//! For m unknown documents relevant R and d are constants, and the difference of the sums is a transport problem:
//! [`Transport`]. Where that is too large, or documents are tied, the sum is bounded in A and in B apart: it is largest
//! with the m documents relevant that stand highest, smallest with those that the ranking lacks and then the lowest.

use super::given::{Given, witness};
use super::question::{Ceiling, Ceilings, Kind, Question, Witness};
use super::solve::transport::Transport;
use super::solve::{rising, share};
use crate::error::Result;

/// The most moves that a solution may take.
const WORK: usize = 500_000;

struct Preference {
    rel: f64,
    grade: f64,
    /// Whether d is R + extra, whatever N is.
    paper: bool,
    extra: usize,
}

/// Bpref.
pub(super) fn bpref(given: &Given<'_>) -> Result<Box<dyn Ceiling>> {
    let rel = given.of.rel()?;
    let paper = given.of.choice("variant", &[("trec_eval", false), ("paper", true)])?;
    let whole = |extra: f64| extra >= 0.0 && extra.fract() == 0.0 && extra < 1e9;
    let extra = given.of.number("extra", 0.0, "a whole number from 0, below 1e9", whole)? as usize;
    Ok(Box::new(Preference { rel, grade: given.highest().max(rel), paper, extra }))
}

impl Preference {
    /// d with 0, 1, 2, ... unknown documents relevant.
    fn counted(&self, of: &Question<'_>) -> Vec<usize> {
        let relevant = of.relevant(self.rel);
        let others = of.relevant(0.0) + of.outside - relevant + of.unknown;
        let counted = |m: usize| {
            let most = relevant + m + self.extra;
            if self.paper { most } else { most.min(others - m) }
        };
        (0..=of.unknown).map(counted).collect()
    }

    /// The value for m relevant documents, from the difference of the sums.
    fn value(&self, of: &Question<'_>, m: usize, counted: usize, sum: i64) -> f64 {
        let relevant = of.relevant(self.rel) + m;
        match counted {
            0 => share(of.a.len() as f64 - of.b.len() as f64, relevant as f64),
            _ => share(sum as f64, relevant as f64 * counted as f64),
        }
    }

    /// The problem; none where it would take too long, or documents are tied.
    fn transport(&self, of: &Question<'_>) -> Option<Transport> {
        if of.is_tied() {
            return None;
        }
        let mut open: Vec<(u32, u32)> = of.open().map(|place| (place.a, place.b)).collect();
        open.resize(of.unknown, (0, 0));
        let others = || of.documents().filter(|&(_, grade)| grade < self.rel).map(|(place, _)| place);
        let mut judged: (Vec<u32>, Vec<u32>) =
            (others().map(|place| place.a).collect(), others().map(|place| place.b).collect());
        for ranks in [&mut judged.0, &mut judged.1] {
            ranks.retain(|&rank| rank > 0);
            ranks.sort_unstable();
        }
        let transport = Transport { open, judged, lengths: (of.a.len(), of.b.len()), counted: self.counted(of) };
        (transport.work() <= WORK).then_some(transport)
    }

    /// What each number of documents comes to, A and B apart.
    fn outer(&self, of: &Question<'_>) -> Vec<f64> {
        let counted = self.counted(of);
        let (a, b) = of.by_rank();
        let a = of.kinds(of.a, &a, self.rel, [Kind::Relevant, Kind::Unknown, Kind::Other]);
        let b = of.kinds(of.b, &b, self.rel, [Kind::Other, Kind::Unknown, Kind::Relevant]);
        let missing = of.unknown - b.iter().filter(|&&kind| kind == Kind::Unknown).count();
        let value = |(m, &counted): (usize, &usize)| {
            let from_top = first_others(&a, counted, |unknown, _| unknown < m);
            let chosen = m.saturating_sub(missing);
            let from_bottom = first_others(&b, counted, |unknown, all| unknown + chosen >= all);
            self.value(of, m, counted, from_top - from_bottom)
        };
        rising(counted.iter().enumerate().map(value))
    }
}

/// The sum of the ranks of the first non-relevant documents, so many; `is_relevant` says of an unknown one whether it is
/// relevant, by how many stand above it and how many there are.
fn first_others(kinds: &[Kind], mut count: usize, is_relevant: impl Fn(usize, usize) -> bool) -> i64 {
    let all = kinds.iter().filter(|&&kind| kind == Kind::Unknown).count();
    let (mut above, mut sum) = (0, 0);
    for (rank, kind) in (1..).zip(kinds) {
        if count == 0 {
            break;
        }
        let is_other = match kind {
            Kind::Relevant => false,
            Kind::Other => true,
            Kind::Unknown => {
                above += 1;
                !is_relevant(above - 1, all)
            }
        };
        if is_other {
            sum += rank;
            count -= 1;
        }
    }
    let (end, count) = (kinds.len() as i64, count as i64);
    sum + count * end + count * (count + 1) / 2
}

impl Ceiling for Preference {
    fn ceilings(&self, of: &Question<'_>) -> Ceilings {
        let Some(transport) = self.transport(of) else { return Ceilings::outer(self.outer(of)) };
        let sums = transport.largest();
        let value = |(m, (&(sum, _), &counted))| self.value(of, m, counted, sum);
        Ceilings::exact(rising(sums.iter().zip(&transport.counted).enumerate().map(value)))
    }

    fn witness(&self, of: &Question<'_>, most: usize) -> Witness {
        let Some(transport) = self.transport(of) else {
            return witness(self.outer(of)[0], std::iter::empty());
        };
        let sums = transport.largest();
        let values = sums.iter().zip(&transport.counted).take(most.saturating_add(1)).enumerate();
        let values = values.map(|(m, (&(sum, level), &counted))| (self.value(of, m, counted, sum), m, level));
        let (value, m, level) = values.reduce(|best, next| if next.0 > best.0 { next } else { best }).unwrap_or_default();
        let open: Vec<u32> = of.open().map(|place| place.document).collect();
        let relevant = transport.relevant(m, level).into_iter().map(|x| (open.get(x).copied(), self.grade));
        witness(value, relevant)
    }
}
