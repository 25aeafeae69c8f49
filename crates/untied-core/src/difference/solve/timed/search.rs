//! Branch and bound over the undecided documents of a part.

use super::Timed;
use super::component::TimedComponent;
use super::spans::{Change, ChangeBounds};
use crate::difference::solve::budget::Budget;

/// Differences that floats do not tell apart.
pub(super) const TOLERANCE: f64 = 1e-12;
/// How much a document may lose by being decided.
const SLACK: f64 = 1e-14;

/// What a search came to.
#[derive(Debug, Clone, Copy)]
pub(super) struct TimedResult {
    pub value: f64,
    /// Nothing is above this.
    pub bound: f64,
    pub nodes: u64,
    /// The budget that was not needed.
    pub rest: Budget,
}

/// The search and what it knows.
pub(super) struct TimedSearch<'t> {
    timed: &'t Timed,
    /// Whether documents are relevant, where that is known or decided.
    pub decided: Vec<Option<bool>>,
    /// The best gains so far.
    pub gains: Vec<f64>,
    best: f64,
    work: Budget,
    nodes: u64,
    /// The highest bound of a node that was not visited.
    left: f64,
}

impl<'t> TimedSearch<'t> {
    pub fn new(timed: &'t Timed) -> TimedSearch<'t> {
        let known = |x: &super::TimedDocument| x.known.or((x.groups == [super::NONE; 2]).then_some(false));
        let decided: Vec<Option<bool>> = timed.documents.iter().map(known).collect();
        // What A ranks higher, to begin with.
        let start = |x: &super::TimedDocument| x.known.unwrap_or(x.groups[0] < x.groups[1]);
        let gains = timed.documents.iter().map(|x| f64::from(u8::from(start(x)))).collect();
        TimedSearch { timed, decided, gains, best: 0.0, work: Budget::new(0), nodes: 0, left: f64::NEG_INFINITY }
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
    /// the difference; none where there is not enough work left. `trail` gets what was decided.
    fn settle(&mut self, component: &TimedComponent, trail: &mut Vec<usize>) -> Option<(f64, Vec<Change>)> {
        let mut settled = None;
        loop {
            let spans = ChangeBounds::new(self.timed, component, &self.decided);
            if !self.work.take(spans.steps()) {
                return settled;
            }
            let (bound, mut changes) = spans.all();
            let before = trail.len();
            for change in &changes {
                let relevant = if change.sign.1 <= SLACK {
                    false
                } else if change.sign.0 >= -SLACK {
                    true
                } else {
                    continue;
                };
                self.decided[change.document] = Some(relevant);
                trail.push(change.document);
            }
            let all_stay = trail.len() == before;
            changes.retain(|change| self.decided[change.document].is_none());
            settled = Some((bound, changes));
            if all_stay {
                return settled;
            }
        }
    }

    /// Decide what can be decided at once, for good; work that was not needed.
    pub fn decide_all(&mut self, component: &TimedComponent, work: Budget) -> Budget {
        self.work = work;
        self.settle(component, &mut Vec::new());
        for &i in &component.open {
            if let Some(relevant) = self.decided[i] {
                self.gains[i] = f64::from(u8::from(relevant));
            }
        }
        self.work
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
        (self.nodes, self.left) = (0, f64::NEG_INFINITY);
        self.visit(component, self.timed.most(component));
        TimedResult { value: self.best, bound: self.best.max(self.left), nodes: self.nodes, rest: self.work }
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

    /// Search what is undecided; nothing there is above `above`.
    fn visit(&mut self, component: &TimedComponent, above: f64) {
        let mut trail = Vec::new();
        let settled = self.settle(component, &mut trail).filter(|_| self.work.take(self.timed.steps(component)));
        let Some((bound, changes)) = settled else {
            self.left = self.left.max(above);
            return self.forget(trail);
        };
        // What is left changes the best gains that agree with what is decided by so much at most.
        let mut gains = self.gains.clone();
        for &i in &component.open {
            if let Some(relevant) = self.decided[i] {
                gains[i] = f64::from(u8::from(relevant));
            }
        }
        let value = self.value(component, &gains);
        let more = |change: &Change| if gains[change.document] > 0.0 { -change.by.0 } else { change.by.1 };
        let above = above.min(bound).min(value + changes.iter().map(|change| more(change).max(0.0)).sum::<f64>());
        if value > self.best {
            self.best = value;
            self.gains = gains;
        }
        let widest = changes.iter().max_by(|x, y| (x.by.1 - x.by.0).total_cmp(&(y.by.1 - y.by.0)));
        if let Some(change) = widest.filter(|_| above > self.best + TOLERANCE) {
            let i = change.document;
            let first = self.gains[i] > 0.0;
            for relevant in [first, !first] {
                if self.work.left() == 0 {
                    self.left = self.left.max(above);
                    break;
                }
                self.nodes += 1;
                self.decided[i] = Some(relevant);
                self.visit(component, above);
            }
            self.decided[i] = None;
        }
        self.forget(trail);
    }

    fn forget(&mut self, trail: Vec<usize>) {
        for i in trail {
            self.decided[i] = None;
        }
    }
}
