//! Bpref, where every unknown document is judged as relevant or not, and both denominators, R and d = min(N, R +
//! extra), depend on these judgments.
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
use crate::difference::solve::transport::Transport;
use crate::difference::solve::{rising, share};
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
    let extra = given.of.number("extra", 0.0, "a whole number of at least 0, below 1e9", whole)? as usize;
    Ok(Box::new(Preference { rel, grade: given.highest(), paper, extra }))
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
        let (mut open_a, mut open_b) = (open_ranks(&a), open_ranks(&b));
        open_a.reverse();
        let missing = of.unknown - open_b.len();
        let (mut a, mut b) = (Others::new(&a), Others::new(&b));
        let value = |(m, &counted): (usize, &usize)| {
            if let Some(rank) = (m > 0).then(|| open_a.pop()).flatten() {
                a.remove(rank);
            }
            if let Some(rank) = (m > missing).then(|| open_b.pop()).flatten() {
                b.remove(rank);
            }
            self.value(of, m, counted, a.first(counted) - b.first(counted))
        };
        rising(counted.iter().enumerate().map(value))
    }
}

/// Ranks of unknown documents, ascending.
fn open_ranks(kinds: &[Kind]) -> Vec<usize> {
    (1..).zip(kinds).filter(|(_, kind)| **kind == Kind::Unknown).map(|(rank, _)| rank).collect()
}

/// Documents that are not relevant; some of them become relevant one after the other.
struct Others {
    /// By rank.
    others: Vec<bool>,
    /// The documents down to this rank are counted, and their ranks added up.
    end: usize,
    count: usize,
    sum: i64,
}

impl Others {
    fn new(kinds: &[Kind]) -> Others {
        Others { others: kinds.iter().map(|&kind| kind != Kind::Relevant).collect(), end: 0, count: 0, sum: 0 }
    }

    /// One is relevant after all.
    fn remove(&mut self, rank: usize) {
        self.others[rank - 1] = false;
        if rank <= self.end {
            self.count -= 1;
            self.sum -= rank as i64;
        }
    }

    /// The sum of the ranks of the first `count` documents; all ranks after the end hold such documents.
    fn first(&mut self, count: usize) -> i64 {
        while self.count < count && self.end < self.others.len() {
            self.end += 1;
            if self.others[self.end - 1] {
                self.count += 1;
                self.sum += self.end as i64;
            }
        }
        while self.count > count {
            if self.others[self.end - 1] {
                self.count -= 1;
                self.sum -= self.end as i64;
            }
            self.end -= 1;
        }
        let (beyond, length) = ((count - self.count) as i64, self.others.len() as i64);
        self.sum + beyond * length + beyond * (beyond + 1) / 2
    }
}

impl Ceiling for Preference {
    fn ceilings(&self, of: &Question<'_>) -> Ceilings {
        let Some(transport) = self.transport(of) else { return of.in_any_order(self.outer(of)) };
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
        let (value, m, level) =
            values.reduce(|best, next| if next.0 > best.0 { next } else { best }).unwrap_or_default();
        let open: Vec<u32> = of.open().map(|place| place.document).collect();
        let relevant = transport.relevant(m, level).into_iter().map(|x| (open.get(x).copied(), self.grade));
        witness(value, relevant)
    }
}
