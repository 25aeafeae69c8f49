//! Components of a problem: ranges of groups of A and of B with the same undecided documents.

use std::ops::Range;

use super::{NONE, Timed};

/// A range of groups of A and one of B with the same undecided documents.
#[derive(Debug, Clone)]
pub(super) struct TimedComponent {
    /// The indices of the groups, in A and in B.
    pub groups: [Range<usize>; 2],
    /// The share of users who get to the component, in A and in B, as a product over the decided documents before it.
    pub reach: [f64; 2],
    /// T, the value of all following components, for users whom no undecided document of this one has stopped.
    pub rest: f64,
    /// The indices of the documents that are undecided at the start. All are in A and in B, except in the last
    /// component.
    pub open: Vec<usize>,
}

impl TimedComponent {
    /// The component of all groups and all undecided documents.
    pub fn everything(timed: &Timed) -> TimedComponent {
        let groups = [0, 1].map(|side| 0..timed.sides[side].ends.len());
        let is_open = |&i: &usize| timed.counts(i) && timed.documents[i].known.is_none();
        TimedComponent {
            groups,
            reach: [1.0; 2],
            rest: 0.0,
            open: (0..timed.documents.len()).filter(is_open).collect(),
        }
    }
}

/// The components of a problem, in order. `decided` says whether each document is relevant, if this is known.
pub(super) fn components(timed: &Timed, decided: &[Option<bool>]) -> Vec<TimedComponent> {
    let [a, b] = &timed.sides;
    let is_open = |&&i: &&usize| decided[i].is_none();
    // The number of undecided documents down to the end of each group of B.
    let mut sum = 0;
    let down_to_b: Vec<usize> = (0..b.ends.len())
        .map(|group| {
            sum += b.group(group).iter().filter(is_open).count();
            sum
        })
        .collect();
    let (mut components, mut begun) = (Vec::new(), [0, 0]);
    // The number of undecided documents down to the current group of A, and of the groups of B that hold all of them.
    let (mut open, mut reach) = (0, 0);
    for group in 0..a.ends.len() {
        for &i in a.group(group).iter().filter(is_open) {
            open += 1;
            let of_b = timed.documents[i].groups[1];
            reach = reach.max(of_b.saturating_add(1)); // NONE stays so
        }
        // A component ends if the groups of B hold just the undecided documents that A has had.
        let is_new = a.group(group).iter().any(|i| decided[*i].is_none());
        if is_new && reach != NONE && reach > 0 && down_to_b[reach - 1] == open {
            components.push([begun[0]..group + 1, begun[1]..reach]);
            begun = [group + 1, reach];
        }
    }
    components.push([begun[0]..a.ends.len(), begun[1]..b.ends.len()]);
    let mut factors = [1.0; 2];
    let made = |groups: [Range<usize>; 2]| {
        let reach = factors;
        let mut open = Vec::new();
        for (side, (groups, factor)) in timed.sides.iter().zip(groups.iter().zip(&mut factors)) {
            let all = || groups.clone().flat_map(|group| side.group(group)).copied();
            open.extend(all().filter(|&i| decided[i].is_none()));
            *factor *= all().filter_map(|i| Some(timed.documents[i].go_on[usize::from(decided[i]?)])).product::<f64>();
        }
        open.sort_unstable();
        open.dedup();
        TimedComponent { groups, reach, rest: 0.0, open }
    };
    components.into_iter().map(made).collect()
}
