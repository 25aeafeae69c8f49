//! Branch and bound over the undecided documents of a component.

use super::Timed;
use super::component::TimedComponent;
use super::spans::{Change, ChangeBounds};
use crate::difference::solve::budget::Budget;
use crate::difference::solve::search::{Bound, BranchAndBound, depth_first};

/// Two values that differ by this or less count as equal.
pub(super) const TOLERANCE: f64 = 1e-12;
/// A document is decided if the other choice could be better by at most this, which is rounding.
const SLACK: f64 = 1e-14;

/// The result of a search in a component.
#[derive(Debug, Clone, Copy)]
pub(super) struct TimedResult {
    /// The largest S(A) - S(B) found.
    pub value: f64,
    /// An upper bound of S(A) - S(B).
    pub bound: f64,
    /// The number of nodes visited.
    pub nodes: u64,
    /// The work that was not needed.
    pub rest: Budget,
}

/// The state of the search, from one component to the next.
pub(super) struct TimedSearch<'t> {
    timed: &'t Timed,
    /// Whether each document is relevant, if this is known or decided for good.
    pub decided: Vec<Option<bool>>,
    /// The relevance of each document in the best assignment so far, 0 or 1.
    pub gains: Vec<f64>,
    best: f64,
    work: Budget,
    nodes: u64,
}

impl<'t> TimedSearch<'t> {
    pub fn new(timed: &'t Timed) -> TimedSearch<'t> {
        let known = |x: &super::TimedDocument| x.known.or((x.groups == [super::NONE; 2]).then_some(false));
        let decided: Vec<Option<bool>> = timed.documents.iter().map(known).collect();
        // At first, the unknown documents that A ranks higher than B are relevant.
        let start = |x: &super::TimedDocument| x.known.unwrap_or(x.groups[0] < x.groups[1]);
        let gains = timed.documents.iter().map(|x| f64::from(u8::from(start(x)))).collect();
        TimedSearch { timed, decided, gains, best: 0.0, work: Budget::new(0), nodes: 0 }
    }

    /// S(A) - S(B) of a component and of all that follows, with these gains.
    fn value(&self, component: &TimedComponent, gains: &[f64]) -> f64 {
        let of_side = |side: usize| {
            self.timed.value(&self.timed.sides[side], component.groups[side].clone(), component.reach[side], gains)
        };
        let rest: f64 = component.open.iter().map(|&i| self.timed.kind(i, gains[i]).go_on).product();
        of_side(0) - of_side(1) + component.rest * rest
    }

    /// Decides the documents that change the difference in one direction only, as long as there are any. Returns an
    /// upper bound of the difference, and how the other documents change it. None if not enough work is left.
    fn settle(&mut self, component: &TimedComponent, decided: &mut [Option<bool>]) -> Option<(f64, Vec<Change>)> {
        let mut settled = None;
        loop {
            let spans = ChangeBounds::new(self.timed, component, decided);
            if !self.work.take(spans.steps()) {
                return settled;
            }
            let (bound, mut changes) = spans.all();
            let before = changes.len();
            changes.retain(|change| {
                decided[change.document] =
                    if change.sign.1 <= SLACK { Some(false) } else { (change.sign.0 >= -SLACK).then_some(true) };
                decided[change.document].is_none()
            });
            let all_stay = changes.len() == before;
            settled = Some((bound, changes));
            if all_stay {
                return settled;
            }
        }
    }

    /// Decides for good the documents of a component that need no search. Returns the work that was not needed.
    pub fn decide_all(&mut self, component: &TimedComponent, work: Budget) -> Budget {
        self.work = work;
        let mut decided = std::mem::take(&mut self.decided);
        self.settle(component, &mut decided);
        self.decided = decided;
        self.gains = self.agreeing(component, &self.decided);
        self.work
    }

    /// The best gains so far, changed to agree with the decisions in a component.
    fn agreeing(&self, component: &TimedComponent, decided: &[Option<bool>]) -> Vec<f64> {
        let mut gains = self.gains.clone();
        for &i in &component.open {
            if let Some(relevant) = decided[i] {
                gains[i] = f64::from(u8::from(relevant));
            }
        }
        gains
    }

    /// Searches for the largest value of a component, first by a local search, and keeps the best gains.
    pub fn run(&mut self, component: &TimedComponent, work: Budget) -> TimedResult {
        self.work = work;
        let mut search = self.work.split(1, 2);
        std::mem::swap(&mut self.work, &mut search);
        self.climb(component);
        self.work.give_back(search);
        self.start(component)
    }

    /// Searches only for a bound of a component's value. The best gains stay as they are.
    pub fn bound(&mut self, component: &TimedComponent, work: Budget) -> TimedResult {
        self.work = work;
        let gains = self.gains.clone();
        let result = self.start(component);
        self.gains = gains;
        result
    }

    fn start(&mut self, component: &TimedComponent) -> TimedResult {
        self.best = self.value(component, &self.gains);
        self.nodes = 0;
        let root = TimedNode { decided: self.decided.clone(), widest: None };
        let above = self.timed.most(component);
        let open = depth_first(&mut ComponentSearch { search: self, component }, root, above);
        let bound = open.map_or(self.best, |open| open.max(self.best));
        TimedResult { value: self.best, bound, nodes: self.nodes, rest: self.work }
    }

    /// A local search: changes the relevance of one document after the other, as long as this improves the value.
    fn climb(&mut self, component: &TimedComponent) {
        let mut gains = std::mem::take(&mut self.gains);
        let mut best = self.value(component, &gains);
        loop {
            let before = best;
            for &i in &component.open {
                if !self.work.take(self.timed.steps(component)) {
                    break;
                }
                gains[i] = 1.0 - gains[i];
                let value = self.value(component, &gains);
                if value > best {
                    best = value;
                } else {
                    gains[i] = 1.0 - gains[i];
                }
            }
            if best <= before + TOLERANCE {
                break;
            }
        }
        self.gains = gains;
    }
}

/// A node of the search.
struct TimedNode {
    /// Whether each document is relevant, if this is known or decided in this node.
    decided: Vec<Option<bool>>,
    /// The undecided document whose effect on the difference has the widest bounds, once the node is bounded.
    widest: Option<usize>,
}

/// The search of one component.
struct ComponentSearch<'s, 't> {
    search: &'s mut TimedSearch<'t>,
    component: &'s TimedComponent,
}

impl BranchAndBound for ComponentSearch<'_, '_> {
    type Node = TimedNode;

    fn bound(&mut self, node: &mut TimedNode, above: f64) -> Bound {
        let ComponentSearch { search, component } = self;
        search.nodes += 1;
        let settled = search.settle(component, &mut node.decided);
        let Some((bound, changes)) = settled.filter(|_| search.work.take(search.timed.steps(component))) else {
            return Bound::OutOfBudget(above);
        };
        // Take the best gains that agree with the node. Each undecided document can improve their value only by its
        // change.
        let gains = search.agreeing(component, &node.decided);
        let value = search.value(component, &gains);
        let more = |change: &Change| if gains[change.document] > 0.0 { -change.by.0 } else { change.by.1 };
        let above = above.min(bound).min(value + changes.iter().map(|change| more(change).max(0.0)).sum::<f64>());
        if value > search.best {
            search.best = value;
            search.gains = gains;
        }
        let widest = changes.iter().max_by(|x, y| (x.by.1 - x.by.0).total_cmp(&(y.by.1 - y.by.0)));
        node.widest = widest.map(|change| change.document);
        if node.widest.is_none() || above <= search.best + TOLERANCE { Bound::Closed } else { Bound::AtMost(above) }
    }

    /// Two nodes: the document whose effect has the widest bounds is as in the best assignment, or the opposite.
    fn split(&mut self, node: TimedNode) -> [TimedNode; 2] {
        let first = node.widest.is_some_and(|document| self.search.gains[document] > 0.0);
        [first, !first].map(|relevant| {
            let mut decided = node.decided.clone();
            node.widest.into_iter().for_each(|document| decided[document] = Some(relevant));
            TimedNode { decided, widest: None }
        })
    }
}
