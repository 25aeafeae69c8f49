//! Measures of sets, for which only numbers of relevant documents matter.
//!
//! A measure of sets is a function of three numbers of documents: relevant and retrieved, retrieved, and relevant in
//! all. Let c unjudged documents of both rankings be relevant, a documents that only A has, and b documents that only B
//! has. SetP, SetR, SetF, SetAP and SetRelP never fall if one more retrieved document is relevant, and never grow if
//! another document is. So for each c, the difference is largest if all documents that only A has are relevant and none
//! that only B has. It is enough to try all c.
//!
//! No measure has to be trusted in this. For a given c, the difference is at most the highest S(A) minus the lowest
//! S(B), which are the measure's bounds. If it does not reach the largest of these bounds, the general search goes on.

use super::graded::GradedPair;
use crate::difference::solve::branch::{Incumbent, Problem};
use crate::difference::solve::budget::Budget;

/// The best choices over all numbers c of relevant documents in both rankings, and an upper bound of the difference.
/// None if there is not enough work left. Choice 0 is the highest grade, and `last` the lowest.
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
