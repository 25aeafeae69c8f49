//! An upper bound of `S(A) - S(B)` over a range of counts. The counts z say how many documents of each cell are
//! relevant (*on*); a range has the lowest and the highest count of each cell.
//!
//! The score S is submodular in the set of documents that are on: a document adds less to it if more others are on.
//! Start with the lowest counts and turn the other documents of the range on, one after the other. What a document adds
//! to S(B) then is its *price* h, and `S_B(z) >= S_B(low) + h z` for all counts z of the range (Edmonds 1970: a vertex
//! of the base polytope). A weighted mean of the prices of several orders has the same property, and so
//!
//! `S(A) - S(B) <= max over z of S_A(z) - h z - S_B(low)`.
//!
//! In the maximum, the cheapest documents of a tie group of A are on first. So it is found by a dynamic program over
//! A's groups and over the number n of documents on above a group, as long as `q^n`, the probability to go on after n
//! such documents, is not negligible. The bound is exact at counts z if the documents that z turns on come first in the
//! order of the prices. So prices move towards those of the last maximum, as in Frank & Wolfe (1956), and the bound
//! falls.

use super::cell_cascade::{CellCascade, CountRange};
use super::side::GroupLosses;

/// If fewer users than this share go on after n documents that are on, larger numbers are treated like n.
const NEGLIGIBLE: f64 = 1e-14;

/// The prices of undecided documents, and memory for the bound of a range.
#[derive(Debug, Default)]
pub(super) struct DocumentPrices {
    /// Up to this number of relevant documents above a group of A, each number has a state of its own. Larger numbers
    /// share one state.
    most_before: usize,
    /// The number of steps of one bound.
    pub steps: usize,
    /// The prices of the undecided documents of each cell.
    of_cells: Vec<Vec<f64>>,
    /// The prices towards which those of `of_cells` move.
    next: Vec<Vec<f64>>,
    /// The price and the cell of each undecided document, by group of A.
    priced: Vec<Vec<(f64, usize)>>,
    /// The largest value of the current group of A and all groups below it, by the number of relevant documents above
    /// it.
    best: Vec<f64>,
    /// The largest value of all groups of A below the current one, by the number of relevant documents above them.
    below: Vec<f64>,
    /// For each group of A, how many of its undecided documents are best made relevant, by the number of relevant ones
    /// above it.
    choices: Vec<Vec<u32>>,
    /// The counts at which the last bound is reached.
    pub counts: Vec<u32>,
}

impl DocumentPrices {
    /// Memory for the bounds of a problem, without prices yet.
    pub fn new(problem: &CellCascade) -> DocumentPrices {
        let documents: usize = problem.cells.iter().map(|cell| cell.size).sum();
        let groups = problem.a.len();
        let most_before = most_before(&problem.a);
        // The dynamic program over A has a state for each number of relevant documents above a group, from 0 to
        // `most_before`.
        let states = most_before + 1;
        let steps = 3 * (documents + groups) * states + 2 * documents * (problem.b.len().min(states) + 20);
        DocumentPrices { most_before, steps, ..DocumentPrices::default() }
    }

    /// The sum of the prices of a cell's undecided documents, which says how much the cell matters.
    pub fn worth(&self, cell: usize) -> f64 {
        self.of_cells[cell].iter().sum()
    }

    /// Sets the prices to those of an order in which the documents that `counts` makes relevant come first.
    pub fn start(&mut self, problem: &CellCascade, range: &CountRange, counts: &[u32]) {
        let mut of_cells = std::mem::take(&mut self.of_cells);
        prices(problem, range, counts, &mut of_cells);
        self.of_cells = of_cells;
    }

    /// Moves the prices by this share of the way to those of another order. In that order, the documents that
    /// [`Self::counts`] makes relevant come first.
    pub fn move_on(&mut self, problem: &CellCascade, range: &CountRange, share: f64) {
        prices(problem, range, &self.counts, &mut self.next);
        for (price, next) in self.of_cells.iter_mut().flatten().zip(self.next.iter().flatten()) {
            *price += share * (next - *price);
        }
    }

    /// The upper bound of `S(A) - S(B)` that the current prices give for a range. Writes the counts at which it is
    /// reached into [`Self::counts`].
    pub fn bound(&mut self, problem: &CellCascade, range: &CountRange) -> f64 {
        let side = &problem.a;
        let count = side.len();
        let (low, of_b) = problem.by_group(&range.low);
        self.priced.iter_mut().for_each(Vec::clear);
        self.priced.resize(count, Vec::new());
        for (number, (cell, prices)) in problem.cells.iter().zip(&self.of_cells).enumerate() {
            self.priced[cell.a].extend(prices.iter().map(|&price| (price, number)));
        }
        let most = self.most_before;
        // The loss of the ranks below A's last group, by the number of relevant documents above them.
        self.below.clear();
        self.below.extend((0..=most).map(|n| -side.power(n) * side.rest));
        self.choices.resize(count, Vec::new());
        for group in (0..count).rev() {
            let priced = &mut self.priced[group];
            priced.sort_unstable_by(|x, y| x.0.total_cmp(&y.0).then(x.1.cmp(&y.1)));
            self.best.clear();
            self.best.resize(most + 1, f64::NEG_INFINITY);
            let choices = &mut self.choices[group];
            choices.clear();
            choices.resize(most + 1, 0);
            // Make the j cheapest documents of the group relevant. Their prices add up to `price`. For each number n of
            // relevant documents above the group, add A's loss in the group and the value of all groups below it.
            let mut price = 0.0;
            for j in 0..=priced.len() {
                let on = low[group] + j;
                let loss = side.group(group)[on];
                for (n, (best, choice)) in self.best.iter_mut().zip(choices.iter_mut()).enumerate() {
                    let value = self.below[(n + on).min(most)] - side.power(n) * loss - price;
                    if value > *best {
                        (*best, *choice) = (value, j as u32);
                    }
                }
                price += priced.get(j).map_or(0.0, |document| document.0);
            }
            std::mem::swap(&mut self.best, &mut self.below);
        }
        // Read the best counts off the choices, from the first group of A to the last.
        self.counts.clone_from(&range.low);
        let mut before = 0;
        for (group, priced) in self.priced.iter().enumerate() {
            let chosen = self.choices[group][before] as usize;
            priced[..chosen].iter().for_each(|&(_, cell)| self.counts[cell] += 1);
            before = (before + low[group] + chosen).min(most);
        }
        // Numbers of documents beyond `most` were treated alike. The last term is the largest error from that.
        self.below[0] + problem.b.loss(&of_b) + side.power(most) * f64::from(u8::from(most < side.total()))
    }
}

/// The smallest number of relevant documents after which hardly any user goes on. If there is none, it is the number of
/// all open documents.
fn most_before(side: &GroupLosses) -> usize {
    (0..=side.total()).find(|&n| side.power(n) < NEGLIGIBLE).unwrap_or(side.total())
}

/// Writes into `of_cells` what each undecided document adds to S(B) if documents become relevant one after the other:
/// first those that `counts` makes relevant, then all others.
fn prices(problem: &CellCascade, range: &CountRange, counts: &[u32], of_cells: &mut Vec<Vec<f64>>) {
    of_cells.resize(problem.cells.len(), Vec::new());
    of_cells.iter_mut().for_each(Vec::clear);
    let (_, mut on) = problem.by_group(&range.low);
    let mut loss = problem.b.loss(&on);
    for first in [true, false] {
        for (i, cell) in problem.cells.iter().enumerate() {
            let (from, to) = if first { (range.low[i], counts[i]) } else { (counts[i], range.high[i]) };
            for _ in from..to {
                on[cell.b] += 1;
                let less = problem.b.loss(&on);
                of_cells[i].push(loss - less);
                loss = less;
            }
        }
    }
}
