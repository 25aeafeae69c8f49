//! Bounds of how S(A) - S(B) changes if a document becomes relevant, whatever the other undecided documents are. The
//! head of [`super`] defines q, P and V.

use super::component::TimedComponent;
use super::{NONE, Timed, TimedRanking, worth};
use crate::measures::orders::walk::Kind;

/// The largest tie group in which each document has bounds of its own, which take the third power of its size. In
/// larger groups, all documents have the same bounds.
const EXACT: usize = 64;

/// A lowest and a highest value.
pub(super) type Interval = (f64, f64);

/// How an undecided document changes the difference.
#[derive(Debug, Clone, Copy)]
pub(super) struct Change {
    /// The index of the document.
    pub document: usize,
    /// By how much S(A) - S(B) changes if the document becomes relevant.
    pub by: Interval,
    /// The change divided by the factor of the documents before it in both rankings. It has the same sign and closer
    /// bounds.
    pub sign: Interval,
}

/// The interval of the sum of two numbers.
fn plus(x: Interval, y: Interval) -> Interval {
    (x.0 + y.0, x.1 + y.1)
}

/// The interval of the difference of two numbers.
fn minus(x: Interval, y: Interval) -> Interval {
    (x.0 - y.1, x.1 - y.0)
}

/// The product of two intervals, of which `factor` has no negative numbers.
fn times(factor: Interval, x: Interval) -> Interval {
    (x.0 * if x.0 < 0.0 { factor.1 } else { factor.0 }, x.1 * if x.1 < 0.0 { factor.0 } else { factor.1 })
}

/// The interval of a number in `x` times a known factor.
fn by(factor: f64, x: Interval) -> Interval {
    if factor < 0.0 { (factor * x.1, factor * x.0) } else { (factor * x.0, factor * x.1) }
}

/// For a document of a tie group: how many users reach it, and the value of what follows.
#[derive(Debug, Clone, Copy, Default)]
struct GroupView {
    /// P, the share of the users at the group's start who reach the document.
    reach: Interval,
    /// P V, this share times the value of all that follows the document.
    after: Interval,
}

/// The bounds of a component, in which some documents are decided.
pub(super) struct ChangeBounds<'t> {
    timed: &'t Timed,
    component: &'t TimedComponent,
    decided: &'t [Option<bool>],
}

impl<'t> ChangeBounds<'t> {
    pub fn new(timed: &'t Timed, component: &'t TimedComponent, decided: &'t [Option<bool>]) -> ChangeBounds<'t> {
        ChangeBounds { timed, component, decided }
    }

    /// About how many steps [`ChangeBounds::all`] takes.
    pub fn steps(&self) -> usize {
        let undecided = self.component.open.iter().filter(|&&i| self.decided[i].is_none()).count();
        let of_side = |(side, groups): (&TimedRanking, &std::ops::Range<usize>)| -> usize {
            let of_group = |group: usize| {
                let (tied, slots) = (side.group(group), side.slots(group));
                let open = tied.iter().filter(|&&i| self.decided[i].is_none()).count();
                match tied.len() {
                    1 => 8,
                    size @ 2..=EXACT => 16 * size * slots * (1 + 3 * open),
                    size => 12 * size * slots,
                }
            };
            groups.clone().map(of_group).sum()
        };
        4 * undecided * undecided + self.timed.sides.iter().zip(&self.component.groups).map(of_side).sum::<usize>()
    }

    /// The lowest and the highest q of a document, the share of users who go on after it.
    fn go_on(&self, document: usize) -> Interval {
        let [other, relevant] = self.timed.documents[document].go_on;
        match self.decided[document] {
            Some(true) => (relevant, relevant),
            Some(false) => (other, other),
            None => (other.min(relevant), other.max(relevant)),
        }
    }

    /// The documents with the smallest gains and q that they may have, and with the largest.
    fn kinds<'d>(&self, documents: impl Iterator<Item = &'d usize>) -> [Vec<Kind>; 2] {
        let (mut low, mut high) = (Vec::new(), Vec::new());
        for &i in documents {
            let q = self.go_on(i);
            let gain = |relevant: bool| if relevant { self.timed.gain } else { 0.0 };
            low.push(Kind { gain: gain(self.decided[i] == Some(true)), go_on: q.0, count: 1 });
            high.push(Kind { gain: gain(self.decided[i] != Some(false)), go_on: q.1, count: 1 });
        }
        [low, high]
    }

    /// For each group of the component in A (`which` = 0) or B (1): bounds of V, the value of the group and the
    /// following groups for a user who gets to it. The last entry, after all groups, is 0.
    fn values(&self, which: usize) -> Vec<Interval> {
        let side = &self.timed.sides[which];
        let groups = self.component.groups[which].clone();
        let mut values = vec![(0.0, 0.0); groups.len() + 1];
        for (at, group) in groups.enumerate().rev() {
            let next = values[at + 1];
            values[at] = match *side.group(group) {
                [only] => {
                    let [other, relevant] = self.timed.documents[only].go_on;
                    let with = by(relevant, next);
                    let with = plus((self.timed.gain, self.timed.gain), with);
                    let without = by(other, next);
                    match self.decided[only] {
                        Some(true) => with,
                        Some(false) => without,
                        None => (with.0.min(without.0), with.1.max(without.1)),
                    }
                }
                ref tied => {
                    let [low, high] = self.kinds(tied.iter());
                    (beyond(low, side.slots(group), next.0), beyond(high, side.slots(group), next.1))
                }
            };
        }
        values
    }

    /// Documents that stand for all of these but any one. In the first list, each q is at most that of the others, and
    /// nothing gains. In the second, each q is at least that, and all gain.
    fn kinds_but_one(&self, documents: &[usize]) -> [Vec<Kind>; 2] {
        let mut q: Vec<Interval> = documents.iter().map(|&i| self.go_on(i)).collect();
        q.sort_unstable_by(|x, y| x.0.total_cmp(&y.0));
        let low = q[..q.len() - 1].iter().map(|q| Kind { gain: 0.0, go_on: q.0, count: 1 }).collect();
        q.sort_unstable_by(|x, y| x.1.total_cmp(&y.1));
        let high = q[1..].iter().map(|q| Kind { gain: self.timed.gain, go_on: q.1, count: 1 }).collect();
        [low, high]
    }

    /// For each group of a ranking with more than [`EXACT`] documents, the view that these share. Other groups have an
    /// empty view.
    fn within_large(&self, which: usize, values: &[Interval]) -> Vec<GroupView> {
        let side = &self.timed.sides[which];
        let view = |(at, group): (usize, usize)| match side.group(group).len() > EXACT {
            true => self.within(side, group, None, values[at + 1]),
            false => GroupView::default(),
        };
        self.component.groups[which].clone().enumerate().map(view).collect()
    }

    /// The view of one document of a group, or bounds for any document of the group. `next` is the value of what
    /// follows the group.
    fn within(&self, side: &TimedRanking, group: usize, document: Option<usize>, next: Interval) -> GroupView {
        let tied = side.group(group);
        if tied.len() == 1 {
            return GroupView { reach: (1.0, 1.0), after: next };
        }
        let slots = side.slots(group);
        let view = |others: &[Kind], next: f64| {
            let with = |gain: f64, go_on: f64| {
                let mut kinds = others.to_vec();
                kinds.push(Kind { gain, go_on, count: 1 });
                worth(&mut kinds, slots)
            };
            // P is the mean gain if the document alone gains 1. P V is what the other documents and those after the
            // group gain more if users go on after the document than if they do not.
            let mut own: Vec<Kind> = others.iter().map(|kind| Kind { gain: 0.0, ..*kind }).collect();
            let all: f64 = own.iter().map(|kind| kind.go_on).product();
            own.push(Kind { gain: 1.0, go_on: 1.0, count: 1 });
            (worth(&mut own, slots), with(0.0, 1.0) - with(0.0, 0.0) + all * next)
        };
        let [low, high] = match document {
            Some(document) => self.kinds(tied.iter().filter(|&&i| i != document)),
            None => self.kinds_but_one(tied),
        };
        let (low, high) = (view(&low, next.0), view(&high, next.1));
        GroupView { reach: (low.0, high.0), after: (low.1, high.1) }
    }

    /// For each group of the component in one ranking: the product of q over all decided documents before it.
    fn decided_before(&self, which: usize) -> Vec<f64> {
        let side = &self.timed.sides[which];
        let mut product = self.component.reach[which];
        let groups = self.component.groups[which].clone();
        groups
            .map(|group| {
                let before = product;
                let decided = side.group(group).iter().filter(|&&i| self.decided[i].is_some());
                product *= decided.map(|&i| self.go_on(i).0).product::<f64>();
                before
            })
            .collect()
    }

    /// An upper bound of the component's S(A) - S(B), and how each undecided document changes it.
    pub fn all(&self) -> (f64, Vec<Change>) {
        let values = [self.values(0), self.values(1)];
        let large = [self.within_large(0, &values[0]), self.within_large(1, &values[1])];
        let before = [self.decided_before(0), self.decided_before(1)];
        let (open, closed): (Vec<usize>, Vec<usize>) =
            self.component.open.iter().partition(|&&i| self.decided[i].is_none());
        let factors: Vec<Interval> = open.iter().map(|&i| self.go_on(i)).collect();
        let all = factors.iter().fold((1.0, 1.0), |all, &factor| times(factor, all));
        let rest = self.component.rest * closed.iter().map(|&i| self.go_on(i).0).product::<f64>();
        let [a, b] = [0, 1].map(|side| by(self.component.reach[side], values[side][0]));
        let bound = minus(a, b).1 + times(all, (rest, rest)).1;
        let changes = open.iter().map(|&i| {
            let groups = self.timed.documents[i].groups;
            // Products of q over undecided documents: before this one in both rankings (`both`), only in A or only in B
            // (`only`), and not before it in both (`other`).
            let (mut both, mut only, mut other) = ((1.0, 1.0), [(1.0, 1.0); 2], (1.0, 1.0));
            for (&e, &factor) in open.iter().zip(&factors).filter(|(e, _)| **e != i) {
                let at = self.timed.documents[e].groups;
                // Every document is before NONE, so a ranking that lacks this document does not matter.
                let before = [0, 1].map(|side| groups[side] == NONE || at[side] < groups[side]);
                if before == [true, true] {
                    both = times(factor, both);
                    continue;
                }
                other = times(factor, other);
                for side in [0, 1] {
                    if before[side] && groups[side] != NONE {
                        only[side] = times(factor, only[side]);
                    }
                }
            }
            let [other_go_on, relevant] = self.timed.documents[i].go_on;
            let longer = other_go_on - relevant;
            let of_side = |side: usize| {
                if groups[side] == NONE {
                    return (0.0, 0.0);
                }
                let at = groups[side] - self.component.groups[side].start;
                let of_side = &self.timed.sides[side];
                // The document gains g P, and its longer reading costs Delta P V, times q of what is before it in this
                // ranking only.
                let within = match of_side.group(groups[side]).len() > EXACT {
                    true => large[side][at],
                    false => self.within(of_side, groups[side], Some(i), values[side][at + 1]),
                };
                let change = minus(by(self.timed.gain, within.reach), by(longer, within.after));
                times(only[side], by(before[side][at], change))
            };
            let of_rest = by(-longer * rest, other);
            let sign = plus(minus(of_side(0), of_side(1)), of_rest);
            Change { document: i, by: times(both, sign), sign }
        });
        (bound, changes.collect())
    }
}

/// What a tie group and all that follows it gain for users who get to the group. `next` is the value of what follows.
fn beyond(mut kinds: Vec<Kind>, slots: usize, next: f64) -> f64 {
    let all: f64 = kinds.iter().map(|kind| kind.go_on).product();
    worth(&mut kinds, slots) + all * next
}
