//! Bounds of the change of S(A) - S(B) when a document becomes relevant, for any state of the undecided ones.

use super::component::TimedComponent;
use super::{NONE, Timed, TimedRanking, worth};
use crate::measures::orders::walk::Kind;

/// Documents of a tie group for which bounds are exact: they take the third power of that. Those of a larger one have
/// the same bounds.
const EXACT: usize = 64;

/// A lowest and a highest value.
pub(super) type Interval = (f64, f64);

/// How an undecided document changes the difference.
#[derive(Debug, Clone, Copy)]
pub(super) struct Change {
    pub document: usize,
    /// By how much S(A) - S(B) changes if the document becomes relevant.
    pub by: Interval,
    /// The change divided by the factor of the documents before it in both rankings, which has the same sign and closer bounds.
    pub sign: Interval,
}

fn plus(x: Interval, y: Interval) -> Interval {
    (x.0 + y.0, x.1 + y.1)
}

fn minus(x: Interval, y: Interval) -> Interval {
    (x.0 - y.1, x.1 - y.0)
}

/// A factor that is not negative.
fn times(factor: Interval, x: Interval) -> Interval {
    (x.0 * if x.0 < 0.0 { factor.1 } else { factor.0 }, x.1 * if x.1 < 0.0 { factor.0 } else { factor.1 })
}

fn by(factor: f64, x: Interval) -> Interval {
    if factor < 0.0 { (factor * x.1, factor * x.0) } else { (factor * x.0, factor * x.1) }
}

/// How a ranking goes on for those who reach a document, as that document of one of its groups sees it.
#[derive(Debug, Clone, Copy, Default)]
struct GroupView {
    /// P, from the group's start on.
    reach: Interval,
    /// P V.
    after: Interval,
}

/// A part of which some documents are decided.
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

    /// q of a document.
    fn go_on(&self, document: usize) -> Interval {
        let [other, relevant] = self.timed.documents[document].go_on;
        match self.decided[document] {
            Some(true) => (relevant, relevant),
            Some(false) => (other, other),
            None => (other.min(relevant), other.max(relevant)),
        }
    }

    /// The kinds of some documents with the smallest, and with the largest gains and q.
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

    /// V of each group and what follows it in the part; nothing after the last.
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

    /// Kinds that are no larger, and no smaller, than those of all documents but one, whichever that is: those with the
    /// smallest q where nothing gains, and with the largest where all do.
    fn kinds_but_one(&self, documents: &[usize]) -> [Vec<Kind>; 2] {
        let mut q: Vec<Interval> = documents.iter().map(|&i| self.go_on(i)).collect();
        q.sort_unstable_by(|x, y| x.0.total_cmp(&y.0));
        let low = q[..q.len() - 1].iter().map(|q| Kind { gain: 0.0, go_on: q.0, count: 1 }).collect();
        q.sort_unstable_by(|x, y| x.1.total_cmp(&y.1));
        let high = q[1..].iter().map(|q| Kind { gain: self.timed.gain, go_on: q.1, count: 1 }).collect();
        [low, high]
    }

    /// What the documents of the large groups of a side see there.
    fn within_large(&self, which: usize, values: &[Interval]) -> Vec<GroupView> {
        let side = &self.timed.sides[which];
        let view = |(at, group): (usize, usize)| match side.group(group).len() > EXACT {
            true => self.within(side, group, None, values[at + 1]),
            false => GroupView::default(),
        };
        self.component.groups[which].clone().enumerate().map(view).collect()
    }

    /// What a document of a group sees there, or any of a large one; `next` is the value of what follows the group.
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

    /// Products of q over the decided documents before each group of the part.
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

    /// A bound of S(A) - S(B), and how undecided documents change it.
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
            // Products over the undecided documents before it: in both rankings, and only in A, and only in B; and
            // over those that are not before it in both.
            let (mut both, mut only, mut other) = ((1.0, 1.0), [(1.0, 1.0); 2], (1.0, 1.0));
            for (&e, &factor) in open.iter().zip(&factors).filter(|(e, _)| **e != i) {
                let at = self.timed.documents[e].groups;
                // NONE is after all else. A ranking that has not got the document has no say.
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

/// What a tie group is worth with what follows it.
fn beyond(mut kinds: Vec<Kind>, slots: usize, next: f64) -> f64 {
    let all: f64 = kinds.iter().map(|kind| kind.go_on).product();
    worth(&mut kinds, slots) + all * next
}
