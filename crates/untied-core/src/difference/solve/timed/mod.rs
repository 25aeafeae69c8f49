//! Gains that a decreasing share of users sees, where a document's reading time depends on its relevance.
//!
//!   S(C) = sum over documents d of C of g x_d P(d),    P(d) = product of q_e(x_e) over the documents e before d,
//!
//! with x_d = 1 for relevant documents, and q_e(x) = 2^(-time of e / h), one number where e is relevant and one where it
//! is not: Delta_e = q_e(0) - q_e(1). What makes a document relevant gains g and costs time, so S may fall by it.
//!
//! S(A) - S(B) is affine in each x_d. With V(d) the value of what follows d, to those who get there,
//!
//!   dS(C)/dx_d = P(d) (g - Delta_d V(d)),
//!
//! and if V lies between bounds for all that is undecided, and P too, so does this ([`spans`]). A document whose
//! dS(A)/dx - dS(B)/dx has one sign is decided; others are searched ([`search`]). What is before d in both rankings
//! changes no sign, so it is left out of P there. Of tied documents P and P V are means over the orders, which are sums
//! of products of q and g, and so lie between those of the smallest and of the largest numbers.
//!
//! Where the undecided documents down to some group of A are those down to some group of B, all that follows counts
//! with the same factor Q >= 0 of undecided documents in either ranking. So it may be solved first; what is before then
//! has T Q in addition, T being its best: the problem falls into parts, solved from the last to the first.

mod component;
mod search;
mod spans;

use self::component::{TimedComponent, components};
use self::search::TimedSearch;
use super::Solution;
use super::budget::Budget;
use super::scores::ScoresByGains;
use crate::elementary::powi;
use crate::measures::orders::walk::{self, Kind};
use crate::ranking::List;

/// The group of a document that a ranking lacks; it comes after all groups.
const NONE: usize = usize::MAX;

/// A document, with the share of users who go on after it.
#[derive(Debug, Clone, Copy)]
struct TimedDocument {
    /// Its tie groups in A and in B.
    groups: [usize; 2],
    /// q(0) and q(1).
    go_on: [f64; 2],
    /// Whether it is relevant, where that is known.
    known: Option<bool>,
}

/// Tie groups that begin within the cutoff.
#[derive(Debug, Clone, Default)]
struct TimedRanking {
    /// Numbers of documents, one group after the other.
    documents: Vec<usize>,
    /// For every group, the number of documents up to its end.
    ends: Vec<usize>,
    cutoff: usize,
}

impl TimedRanking {
    fn group(&self, group: usize) -> &[usize] {
        &self.documents[self.start(group)..self.ends[group]]
    }

    /// Documents before a group.
    fn start(&self, group: usize) -> usize {
        if group == 0 { 0 } else { self.ends[group - 1] }
    }

    /// Positions of a group within the cutoff.
    fn slots(&self, group: usize) -> usize {
        self.ends[group].min(self.cutoff) - self.start(group)
    }
}

/// Two rankings as a reader sees them.
#[derive(Debug, Clone)]
pub struct Timed {
    documents: Vec<TimedDocument>,
    sides: [TimedRanking; 2],
    /// g.
    gain: f64,
}

impl Timed {
    /// Two rankings of which the first `cutoff` documents count. Of every document there are its number, the shares of
    /// users who go on after it if it is not relevant and if it is, and whether it is, where that is known.
    pub fn new(
        lists: [&List; 2],
        documents: impl Iterator<Item = (u32, [f64; 2], Option<bool>)>,
        cutoff: usize,
        gain: f64,
    ) -> Timed {
        let (mut index_of, mut timed) = (Vec::new(), Vec::new());
        for (number, go_on, known) in documents {
            index_of.resize(index_of.len().max(number as usize + 1), 0);
            index_of[number as usize] = timed.len();
            timed.push(TimedDocument { groups: [NONE; 2], go_on, known });
        }
        let side = |list: &List, which: usize, documents: &mut Vec<TimedDocument>| {
            let mut side = TimedRanking { cutoff, ..TimedRanking::default() };
            for &end in &list.ends {
                let start = side.documents.len();
                if start >= cutoff {
                    break;
                }
                for &number in &list.docs[start..end as usize] {
                    let document = index_of[number as usize];
                    documents[document].groups[which] = side.ends.len();
                    side.documents.push(document);
                }
                side.ends.push(end as usize);
            }
            side
        };
        let sides = [side(lists[0], 0, &mut timed), side(lists[1], 1, &mut timed)];
        Timed { documents: timed, sides, gain }
    }

    /// Exchange A and B.
    pub fn swap(&mut self) {
        self.sides.swap(0, 1);
        self.documents.iter_mut().for_each(|x| x.groups.swap(0, 1));
    }

    /// Whether a document counts in either ranking, by its place among all.
    pub fn counts(&self, document: usize) -> bool {
        self.documents[document].groups != [NONE; 2]
    }

    /// S of some groups of a ranking, of which those who get there are a share, with documents relevant to some degree:
    /// mean over the orders of ties.
    fn value(&self, side: &TimedRanking, groups: std::ops::Range<usize>, mut reach: f64, gains: &[f64]) -> f64 {
        let mut total = 0.0;
        let mut kinds = Vec::new();
        for group in groups {
            kinds.clear();
            kinds.extend(side.group(group).iter().map(|&i| self.kind(i, gains[i])));
            total += reach * worth(&mut kinds, side.slots(group));
            reach *= kinds.iter().map(|kind| powi(kind.go_on, kind.count as i32)).product::<f64>();
        }
        total
    }

    /// About how many steps [`Timed::value`] takes for a part.
    fn steps(&self, component: &TimedComponent) -> usize {
        let of_side = |(side, groups): (&TimedRanking, &std::ops::Range<usize>)| -> usize {
            groups.clone().map(|group| 2 + 2 * (side.group(group).len() - 1) * side.slots(group)).sum()
        };
        self.sides.iter().zip(&component.groups).map(of_side).sum()
    }

    fn kind(&self, document: usize, relevant: f64) -> Kind {
        let [other, go_on] = self.documents[document].go_on;
        Kind { gain: self.gain * relevant, go_on: other + relevant * (go_on - other), count: 1 }
    }

    /// More than a part is worth in any case: nobody who gets to a document gains more than g there, and what follows the
    /// part is reached with at most probability 1.
    fn most(&self, component: &TimedComponent) -> f64 {
        let side = &self.sides[0];
        let documents = component.groups[0].clone().flat_map(|group| side.group(group)).take(side.cutoff);
        let mut q: Vec<f64> = documents.map(|&i| self.documents[i].go_on).map(|[one, other]| one.max(other)).collect();
        q.sort_unstable_by(|x, y| y.total_cmp(x));
        let reached = q.iter().scan(component.reach[0], |reach, q| Some(std::mem::replace(reach, *reach * q)));
        self.gain * reached.sum::<f64>() + component.rest.max(0.0)
    }

    /// The largest S(A) - S(B). Gains are 1 for relevant documents, else 0.
    pub fn solve(&self, mut work: Budget) -> Solution {
        let mut search = TimedSearch::new(self);
        let half = work.split(1, 2);
        work.give_back(search.decide_all(&TimedComponent::everything(self), half));
        let mut rest = (0.0, 0.0);
        let components = components(self, &search.decided);
        let weight = |component: &TimedComponent| component.open.len() as u64 + 1;
        let mut left: u64 = components.iter().map(weight).sum();
        let mut nodes = 0;
        for mut component in components.into_iter().rev() {
            // Of the work that is left parts take shares by undecided documents.
            let mut share = work.split(weight(&component), left);
            left -= weight(&component);
            component.rest = rest.0;
            let is_known = rest.0 == rest.1;
            let first = if is_known { share } else { share.split(1, 2) };
            let lower = search.run(&component, first);
            nodes += lower.nodes;
            let above = if is_known {
                work.give_back(lower.rest);
                lower.bound
            } else {
                component.rest = rest.1;
                share.give_back(lower.rest);
                let above = search.bound(&component, share);
                work.give_back(above.rest);
                nodes += above.nodes;
                above.bound
            };
            rest = (lower.value, above);
        }
        let value = self.difference(&search.gains);
        let bound = if rest.1 - rest.0 > search::TOLERANCE { value.max(rest.1) } else { value };
        Solution { value, bound, gains: search.gains, nodes }
    }
}

/// What a tie group is worth on average; documents that are alike are put together.
fn worth(kinds: &mut Vec<Kind>, slots: usize) -> f64 {
    if let [only] = kinds.as_slice() {
        return only.gain;
    }
    kinds.sort_unstable_by(|x, y| y.gain.total_cmp(&x.gain).then(y.go_on.total_cmp(&x.go_on)));
    kinds.dedup_by(|next, kind| {
        let same = next.gain == kind.gain && next.go_on == kind.go_on;
        kind.count += if same { next.count } else { 0 };
        same
    });
    walk::mean(kinds, &vec![1.0; slots])
}

impl ScoresByGains for Timed {
    fn a(&self, gains: &[f64]) -> f64 {
        self.value(&self.sides[0], 0..self.sides[0].ends.len(), 1.0, gains)
    }

    fn b(&self, gains: &[f64]) -> f64 {
        self.value(&self.sides[1], 0..self.sides[1].ends.len(), 1.0, gains)
    }
}

#[cfg(test)]
mod tests;
