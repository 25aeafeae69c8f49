//! Branch and bound over the undecided documents of a part.

use super::Timed;
use super::part::Part;
use super::spans::{Change, Spans};
use crate::watch;

/// Differences that floats do not tell apart.
pub(super) const TOLERANCE: f64 = 1e-12;
/// How much a document may lose by being decided.
const SLACK: f64 = 1e-14;

/// Steps of the search for a first value: see [`Timed::steps`].
const STEPS: usize = 20_000_000;

/// What a search came to.
#[derive(Debug, Clone, Copy)]
pub(super) struct Found {
    pub value: f64,
    /// Nothing is above this.
    pub bound: f64,
    pub nodes: u64,
}

/// The search and what it knows.
pub(super) struct Search<'t> {
    timed: &'t Timed,
    /// Whether documents are relevant, where that is known or decided.
    pub decided: Vec<Option<bool>>,
    /// The best gains so far.
    pub gains: Vec<f64>,
    best: f64,
    limit: u64,
    nodes: u64,
    /// The highest bound of a node that was not visited.
    left: f64,
}

impl<'t> Search<'t> {
    pub fn new(timed: &'t Timed) -> Search<'t> {
        let known = |x: &super::Reading| x.known.or((x.groups == [super::NONE; 2]).then_some(false));
        let decided: Vec<Option<bool>> = timed.documents.iter().map(known).collect();
        // What A ranks higher, to begin with.
        let start = |x: &super::Reading| x.known.unwrap_or(x.groups[0] < x.groups[1]);
        let gains = timed.documents.iter().map(|x| f64::from(u8::from(start(x)))).collect();
        Search { timed, decided, gains, best: 0.0, limit: 0, nodes: 0, left: f64::NEG_INFINITY }
    }

    /// S(A) - S(B) of a part.
    fn value(&self, part: &Part, gains: &[f64]) -> f64 {
        let of_side =
            |side: usize| self.timed.value(&self.timed.sides[side], part.groups[side].clone(), part.reach[side], gains);
        let rest: f64 = part.open.iter().map(|&i| self.timed.kind(i, gains[i]).go_on).product();
        of_side(0) - of_side(1) + part.rest * rest
    }

    /// Decide the documents whose change has one sign, for as long as there are any; a bound, and how the others change
    /// the difference. `trail` gets what was decided.
    fn settle(&mut self, part: &Part, trail: &mut Vec<usize>) -> (f64, Vec<Change>) {
        loop {
            let (bound, changes) = Spans::new(self.timed, part, &self.decided).all();
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
            if trail.len() == before {
                return (bound, changes);
            }
        }
    }

    /// Decide what can be decided at once, for good.
    pub fn decide_all(&mut self, part: &Part) {
        self.settle(part, &mut Vec::new());
        for &i in &part.open {
            if let Some(relevant) = self.decided[i] {
                self.gains[i] = f64::from(u8::from(relevant));
            }
        }
    }

    /// The best of a part, and a bound; the best gains are kept.
    pub fn run(&mut self, part: &Part, limit: u64) -> Found {
        self.climb(part);
        self.start(part, limit)
    }

    /// A bound of a part; gains are left alone.
    pub fn bound(&mut self, part: &Part, limit: u64) -> Found {
        let gains = self.gains.clone();
        let found = self.start(part, limit);
        self.gains = gains;
        found
    }

    fn start(&mut self, part: &Part, limit: u64) -> Found {
        self.best = self.value(part, &self.gains);
        (self.limit, self.nodes, self.left) = (limit, 0, f64::NEG_INFINITY);
        self.visit(part, f64::INFINITY);
        Found { value: self.best, bound: self.best.max(self.left), nodes: self.nodes }
    }

    /// Change single documents for as long as that helps.
    fn climb(&mut self, part: &Part) {
        let mut left = STEPS / self.timed.steps(part).max(1);
        let mut gains = std::mem::take(&mut self.gains);
        let mut best = self.value(part, &gains);
        loop {
            let before = best;
            for &i in part.open.iter().take(left) {
                gains[i] = 1.0 - gains[i];
                let value = self.value(part, &gains);
                if value > best {
                    best = value;
                } else {
                    gains[i] = 1.0 - gains[i];
                }
            }
            left = left.saturating_sub(part.open.len());
            if best <= before + TOLERANCE || left == 0 {
                break;
            }
        }
        self.gains = gains;
    }

    /// Search what is undecided; nothing there is above `above`.
    fn visit(&mut self, part: &Part, above: f64) {
        let mut trail = Vec::new();
        let (bound, changes) = self.settle(part, &mut trail);
        // What is left changes the best gains that agree with what is decided by so much at most.
        let mut gains = self.gains.clone();
        for &i in &part.open {
            if let Some(relevant) = self.decided[i] {
                gains[i] = f64::from(u8::from(relevant));
            }
        }
        let value = self.value(part, &gains);
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
                if self.nodes >= self.limit || watch::is_stopped() {
                    self.left = self.left.max(above);
                    break;
                }
                self.nodes += 1;
                self.decided[i] = Some(relevant);
                self.visit(part, above);
            }
            self.decided[i] = None;
        }
        for i in trail {
            self.decided[i] = None;
        }
    }
}
