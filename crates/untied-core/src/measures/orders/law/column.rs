//! How the sum is distributed where a walk reaches a point: exactly, by its extremes, or on a grid.

use crate::law::{Atom, collapse};

/// Sums at the ends of a column are left out if their joint probability is smaller than this.
const NEGLIGIBLE: f64 = 1e-19;

/// The distribution of the sum where a walk reaches a point.
pub(super) trait Column: Default {
    /// Values that all steps share.
    type Context: Copy;

    /// The column of the point where nothing is placed, whose sum is 0.
    fn start() -> Self;

    /// Adds the sums of another point, each plus `term`, with a share of their probability.
    fn add(&mut self, from: &Self, term: f64, share: f64, context: Self::Context);

    /// Merges equal sums.
    fn collapse(&mut self) {}

    /// Leaves out the most improbable sums, and returns their probability.
    fn trim(&mut self) -> f64 {
        0.0
    }

    /// The number of sums that it stores.
    fn states(&self) -> usize {
        0
    }
}

/// All sums with their probabilities.
#[derive(Default)]
pub(super) struct Exact {
    pub atoms: Vec<Atom>,
}

impl Column for Exact {
    type Context = ();

    fn start() -> Exact {
        Exact { atoms: vec![(0.0, 1.0)] }
    }

    fn add(&mut self, from: &Exact, term: f64, share: f64, (): ()) {
        self.atoms.extend(from.atoms.iter().map(|&(value, probability)| (value + term, probability * share)));
    }

    fn collapse(&mut self) {
        collapse(&mut self.atoms);
    }

    fn states(&self) -> usize {
        self.atoms.len()
    }
}

/// The smallest and the largest sum.
pub(super) struct Extent {
    pub low: f64,
    pub high: f64,
}

impl Default for Extent {
    fn default() -> Extent {
        Extent { low: f64::INFINITY, high: f64::NEG_INFINITY }
    }
}

impl Column for Extent {
    type Context = ();

    fn start() -> Extent {
        Extent { low: 0.0, high: 0.0 }
    }

    fn add(&mut self, from: &Extent, term: f64, _: f64, (): ()) {
        self.low = self.low.min(from.low + term);
        self.high = self.high.max(from.high + term);
    }
}

/// Probabilities on a grid, cell by cell from the `first` on.
#[derive(Default)]
pub(super) struct Cells {
    first: i64,
    chances: Vec<f64>,
}

/// How terms are rounded to whole numbers of cells: the width of a cell, and whether to round up.
#[derive(Clone, Copy)]
pub(super) struct Grid {
    pub step: f64,
    pub up: bool,
}

impl Grid {
    /// The number of cells of a term. A term that is whole but for rounding errors is not rounded further.
    fn cells(self, term: f64) -> i64 {
        let cells = term / self.step;
        let whole = if self.up { (cells - 1e-9).ceil() } else { (cells + 1e-9).floor() };
        whole as i64
    }
}

impl Column for Cells {
    type Context = Grid;

    fn start() -> Cells {
        Cells { first: 0, chances: vec![1.0] }
    }

    fn trim(&mut self) -> f64 {
        let outside = |chances: &mut dyn Iterator<Item = &f64>| {
            let mut lost = 0.0;
            let cells = chances.take_while(|&chance| {
                lost += chance;
                lost < NEGLIGIBLE
            });
            cells.count()
        };
        let (first, last) = (outside(&mut self.chances.iter()), outside(&mut self.chances.iter().rev()));
        if first + last >= self.chances.len() {
            return 0.0; // improbable as a whole: the point is left out instead
        }
        let kept = first..self.chances.len() - last;
        let lost = self.chances[..kept.start].iter().chain(&self.chances[kept.end..]).sum();
        self.chances.truncate(kept.end);
        self.chances.drain(..kept.start);
        self.first += first as i64;
        lost
    }

    fn add(&mut self, from: &Cells, term: f64, share: f64, grid: Grid) {
        let first = from.first + grid.cells(term);
        if self.chances.is_empty() {
            self.first = first;
        }
        if first < self.first {
            let more = (self.first - first) as usize;
            self.chances.splice(..0, std::iter::repeat_n(0.0, more));
            self.first = first;
        }
        let at = (first - self.first) as usize;
        if self.chances.len() < at + from.chances.len() {
            self.chances.resize(at + from.chances.len(), 0.0);
        }
        for (chance, more) in self.chances[at..].iter_mut().zip(&from.chances) {
            *chance += more * share;
        }
    }
}

impl Cells {
    /// The number of cells from the first to the last.
    pub(super) fn len(&self) -> usize {
        self.chances.len()
    }

    /// The values of the cells with their probabilities.
    pub(super) fn atoms(&self, step: f64) -> Vec<Atom> {
        let chances = self.chances.iter().enumerate().filter(|&(_, &chance)| chance > 0.0);
        chances.map(|(cell, &chance)| ((self.first + cell as i64) as f64 * step, chance)).collect()
    }
}
