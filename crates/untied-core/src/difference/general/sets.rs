//! Measures of sets, for which only numbers of relevant documents matter.
//!
//! Let c of the unjudged documents in both rankings be relevant, a of those that only A has, and b of those that only B
//! has. A measure of sets is a function of three numbers of documents: the relevant ones retrieved H, all retrieved n,
//! and all relevant R. SetP, SetR, SetF, SetAP and SetRelP never fall if one more retrieved document is relevant, and
//! never grow if one more of the other documents is. So for every c, `S(A) - S(B)` is largest if all documents that
//! only A has are relevant, and none that only B has, and it is enough to try all c.
//!
//! This need not be trusted of any measure. Whatever a and b are, the difference for a given c is at most the highest
//! S(A) less the lowest S(B), which the measure's own bounds tell. If the largest of these bounds is not reached, the
//! search goes on from there.

use super::graded::GradedPair;
use crate::difference::solve::branch::{Incumbent, Problem};
use crate::difference::solve::budget::Budget;

/// The best choices over all numbers c of relevant documents in both rankings, and an upper bound of the difference;
/// none if there is not enough work. Choice 0 is the highest grade, and `last` the lowest.
pub(super) fn scan(problem: &GradedPair<'_>, last: u8, work: &mut Budget) -> Option<Incumbent> {
    let cells = problem.units.iter().map(|&cell| problem.cells[cell].groups);
    let shared = cells.clone().take_while(|groups| !groups.contains(&None)).count();
    let alone: Vec<u8> = cells.skip(shared).map(|[_, of_b]| if of_b.is_none() { 0 } else { last }).collect();
    let (of_value, of_bound) = problem.steps();
    if !work.take((shared + 1).saturating_mul(of_value + of_bound)) {
        return None;
    }
    let mut best = Incumbent { chosen: Vec::new(), value: f64::NEG_INFINITY, bound: f64::NEG_INFINITY, nodes: 0 };
    for relevant in 0..=shared {
        let mut chosen = vec![0; relevant];
        chosen.resize(shared, last);
        best.bound = best.bound.max(problem.bound(&chosen));
        chosen.extend(&alone);
        best.offer(problem.value(&chosen), &chosen);
        best.nodes += 1;
    }
    Some(best.close())
}
