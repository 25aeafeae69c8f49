//! Branch and bound over the undecided documents of a component.

use super::Timed;
use super::component::TimedComponent;
use super::spans::{Change, ChangeBounds};
use crate::difference::solve::budget::Budget;
use crate::difference::solve::search::{Bound, BranchAndBound, depth_first};

/// Differences that floats do not tell apart.
pub(super) const TOLERANCE: f64 = 1e-12;
/// How much a document may lose by being decided.
const SLACK: f64 = 1e-14;

/// The result of a search.
#[derive(Debug, Clone, Copy)]
pub(super) struct TimedResult {
    pub value: f64,
    /// Nothing is above this.
    pub bound: f64,
    pub nodes: u64,
    /// The budget that was not needed.
    pub rest: Budget,
}

/// The search, with all that is decided so far.
pub(super) struct TimedSearch<'t> {
    timed: &'t Timed,
    /// Whether documents are relevant, where that is known or decided.
    pub decided: Vec<Option<bool>>,
    /// The best gains so far.
    pub gains: Vec<f64>,
    best: f64,
    work: Budget,
    nodes: u64,
}

impl<'t> TimedSearch<'t> {
    pub fn new(timed: &'t Timed) -> TimedSearch<'t> {
        let known = |x: &super::TimedDocument| x.known.or((x.groups == [super::NONE; 2]).then_some(false));
        let decided: Vec<Option<bool>> = timed.documents.iter().map(known).collect();
        // What A ranks higher, to begin with.
        let start = |x: &super::TimedDocument| x.known.unwrap_or(x.groups[0] < x.groups[1]);
        let gains = timed.documents.iter().map(|x| f64::from(u8::from(start(x)))).collect();
        TimedSearch { timed, decided, gains, best: 0.0, work: Budget::new(0), nodes: 0 }
    }

    /// S(A) - S(B) of a part.
    fn value(&self, component: &TimedComponent, gains: &[f64]) -> f64 {
        let of_side = |side: usize| {
            self.timed.value(&self.timed.sides[side], component.groups[side].clone(), component.reach[side], gains)
        };
        let rest: f64 = component.open.iter().map(|&i| self.timed.kind(i, gains[i]).go_on).product();
        of_side(0) - of_side(1) + component.rest * rest
    }

    /// Decide the documents whose change has one sign, for as long as there are any; a bound, and how the others change
    /// the difference; none where there is not enough work left.
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

    /// Decide what can be decided at once, for good; work that was not needed.
    pub fn decide_all(&mut self, component: &TimedComponent, work: Budget) -> Budget {
        self.work = work;
        let mut decided = std::mem::take(&mut self.decided);
        self.settle(component, &mut decided);
        self.decided = decided;
        self.gains = self.agreeing(component, &self.decided);
        self.work
    }

    /// The best gains, but for the documents of a component that are decided.
    fn agreeing(&self, component: &TimedComponent, decided: &[Option<bool>]) -> Vec<f64> {
        let mut gains = self.gains.clone();
        for &i in &component.open {
            if let Some(relevant) = decided[i] {
                gains[i] = f64::from(u8::from(relevant));
            }
        }
        gains
    }

    /// The best of a part, and a bound; the best gains are kept.
    pub fn run(&mut self, component: &TimedComponent, work: Budget) -> TimedResult {
        self.work = work;
        let mut search = self.work.split(1, 2);
        std::mem::swap(&mut self.work, &mut search);
        self.climb(component);
        self.work.give_back(search);
        self.start(component)
    }

    /// A bound of a part; gains are left alone.
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

    /// Change single documents for as long as that helps.
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

/// What is decided, and the undecided document whose change is the least certain, once it is known.
struct TimedNode {
    decided: Vec<Option<bool>>,
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
        // What is left changes the best gains that agree with what is decided by so much at most.
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

    /// The document whose change is the least certain is as in the best assignment, or not.
    fn split(&mut self, node: TimedNode) -> [TimedNode; 2] {
        let first = node.widest.is_some_and(|document| self.search.gains[document] > 0.0);
        [first, !first].map(|relevant| {
            let mut decided = node.decided.clone();
            node.widest.into_iter().for_each(|document| decided[document] = Some(relevant));
            TimedNode { decided, widest: None }
        })
    }
}
