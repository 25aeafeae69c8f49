//! Time-biased gain: the gains that a falling share of users sees, if it depends on a document's relevance how long one
//! reads it.
//!
//!   S(C) = sum over documents d of C of g x_d P(d),    P(d) = product of q_e(x_e) over the documents e before d,
//!
//! where x_d is 1 if document d is relevant and 0 if not, and g is the gain of a relevant document. q_e(x) is the share
//! of users who go on after document e, 2^(-time of e / h) with the half-life h: q_e(1) if e is relevant, q_e(0) if it
//! is not, and their difference is Delta_e = q_e(0) - q_e(1). A document that becomes relevant gains g, but may cost
//! users time, so S may fall.
//!
//! S(A) - S(B) is affine in each x_d. Let V(d) be the value of all that follows d, for users who get there. Then
//!
//!   dS(C)/dx_d = P(d) (g - Delta_d V(d)).
//!
//! If bounds are known of V and of P, whatever the undecided documents are, so are bounds of this change ([`spans`]). A
//! document is decided if dS(A)/dx_d - dS(B)/dx_d has one sign; the others are searched ([`search`]). The documents
//! before d in both rankings do not change the sign, so they are left out of P there. For tied documents, P and P V are
//! means over the orders of ties, which are sums of products of q and g; so they lie between those with the smallest
//! and those with the largest q and g.
//!
//! Suppose that the undecided documents down to some group of A are the same as those down to some group of B. Then all
//! that follows is multiplied in both rankings by the same factor Q >= 0 of undecided documents. So it can be solved
//! first, and its largest value T adds T Q to the value of what comes before. This way the problem falls into parts,
//! which are solved from the last to the first.

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

/// The index of the group of a document that a ranking lacks. It is larger than those of all groups.
const NONE: usize = usize::MAX;

#[derive(Debug, Clone, Copy)]
struct TimedDocument {
    /// The index of the tie group in A and in B, or [`NONE`].
    groups: [usize; 2],
    /// The share of users who go on after the document: q(0) if it is not relevant, and q(1) if it is.
    go_on: [f64; 2],
    /// Whether the document is relevant; none if unknown.
    known: Option<bool>,
}

/// The tie groups of one ranking that begin within the cutoff.
#[derive(Debug, Clone, Default)]
struct TimedRanking {
    /// The indices of the documents in [`Timed::documents`], group by group.
    documents: Vec<usize>,
    /// For each group, the number of documents down to its end.
    ends: Vec<usize>,
    /// The number of ranks that count.
    cutoff: usize,
}

impl TimedRanking {
    /// The indices of the documents of a group.
    fn group(&self, group: usize) -> &[usize] {
        &self.documents[self.start(group)..self.ends[group]]
    }

    /// The number of documents before a group.
    fn start(&self, group: usize) -> usize {
        if group == 0 { 0 } else { self.ends[group - 1] }
    }

    /// The number of a group's ranks within the cutoff.
    fn slots(&self, group: usize) -> usize {
        self.ends[group].min(self.cutoff) - self.start(group)
    }
}

/// Two rankings of documents that take time to read.
#[derive(Debug, Clone)]
pub struct Timed {
    /// The documents of A or B.
    documents: Vec<TimedDocument>,
    sides: [TimedRanking; 2],
    /// The gain of a relevant document, g.
    gain: f64,
}

impl Timed {
    /// Two rankings, of which the first `cutoff` documents count. `documents` has for each document its number, the
    /// shares of users who go on after it (not relevant, and relevant), and whether it is relevant, if known.
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

    /// Exchanges A and B.
    pub fn swap(&mut self) {
        self.sides.swap(0, 1);
        self.documents.iter_mut().for_each(|x| x.groups.swap(0, 1));
    }

    /// Whether a document is within the cutoff of A or B.
    pub fn counts(&self, document: usize) -> bool {
        self.documents[document].groups != [NONE; 2]
    }

    /// What some groups of a ranking add to its score, as a mean over tie orders. The share `reach` of users gets to
    /// the first of them, and `gains` has each document's relevance, from 0 to 1.
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

    /// About how many steps [`Timed::value`] takes for a component.
    fn steps(&self, component: &TimedComponent) -> usize {
        let of_side = |(side, groups): (&TimedRanking, &std::ops::Range<usize>)| -> usize {
            groups.clone().map(|group| 2 + 2 * (side.group(group).len() - 1) * side.slots(group)).sum()
        };
        self.sides.iter().zip(&component.groups).map(of_side).sum()
    }

    /// A document with this relevance, from 0 to 1: its gain, and the share of users who go on after it.
    fn kind(&self, document: usize, relevant: f64) -> Kind {
        let [other, go_on] = self.documents[document].go_on;
        Kind { gain: self.gain * relevant, go_on: other + relevant * (go_on - other), count: 1 }
    }

    /// A simple upper bound of a component's value. Users who get to a document of A gain at most g there, and at most
    /// all users get to what follows.
    fn most(&self, component: &TimedComponent) -> f64 {
        let side = &self.sides[0];
        let documents = component.groups[0].clone().flat_map(|group| side.group(group)).take(side.cutoff);
        let mut q: Vec<f64> = documents.map(|&i| self.documents[i].go_on).map(|[one, other]| one.max(other)).collect();
        q.sort_unstable_by(|x, y| y.total_cmp(x));
        // Users get to each document with the product of the largest q before it.
        let reached = q.iter().scan(component.reach[0], |reach, q| Some(std::mem::replace(reach, *reach * q)));
        self.gain * reached.sum::<f64>() + component.rest.max(0.0)
    }

    /// Searches for the largest S(A) - S(B). The solution's gains are 1 for relevant documents, and 0 for others.
    pub fn solve(&self, mut work: Budget) -> Solution {
        let mut search = TimedSearch::new(self);
        // First decide the documents that need no search, then search the components from the last to the first.
        let half = work.split(1, 2);
        work.give_back(search.decide_all(&TimedComponent::everything(self), half));
        // The value, and a bound, of all components after the current one.
        let mut rest = (0.0, 0.0);
        let components = components(self, &search.decided);
        let weight = |component: &TimedComponent| component.open.len() as u64 + 1;
        let mut left: u64 = components.iter().map(weight).sum();
        let mut nodes = 0;
        for mut component in components.into_iter().rev() {
            // A component may take a share of the remaining work, by its number of undecided documents.
            let mut share = work.split(weight(&component), left);
            left -= weight(&component);
            component.rest = rest.0;
            // If the value of what follows is only known to lie in an interval, search with both of its ends.
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

/// The gain of a tie group for users who get to it, as a mean over its orders. `slots` of its ranks are within the
/// cutoff. Documents that are alike are put together.
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
