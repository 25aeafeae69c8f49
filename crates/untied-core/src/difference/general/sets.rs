//! Measures of sets: nothing but numbers of relevant documents matters.
//!
//! Let a of the unjudged documents of A alone be relevant, b of those of B alone, and c of those in both. Every such
//! measure is a function of the relevant documents retrieved H, of all retrieved n and of all relevant R. SetP, SetR,
//! SetF, SetAP and SetRelP never fall when one more of the retrieved documents is relevant, and never grow when one more
//! of the others is: then R grows by 1, or stays as it is, and where it grows H is at most R. So for every c,
//! `S(A) - S(B)` is largest with all that A alone has and nothing that B alone has, and to try all c is enough.
//!
//! No measure has to be trusted with this: what each c may be worth at most, whatever a and b are, is the highest S(A)
//! less the lowest S(B) that the measure's own bounds tell. Where this is not reached, the search goes on from there.

use super::graded::GradedPair;
use crate::difference::solve::branch::{Incumbent, Problem};
use crate::difference::solve::budget::Budget;

/// The best of all numbers of relevant documents in both rankings, and a bound of all others; None if there is not
/// enough work. The last choice is the lowest grade, the first one the highest.
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
