//! A bound of the counts in a range.
//!
//! `S` is submodular in the set of documents that are on: each adds less where more of the others are. So if they are
//! turned on one after the other, from those that are on anyway to all that may be, what each adds to S(B) is its price
//! h, `S_B(z) >= S_B(low) + h z` for all z within the range (Edmonds 1970: a vertex of the base polytope), also for means
//! of such prices, and
//!
//! `S(A) - S(B) <= max over z of S_A(z) - h z - S_B(low)`.
//!
//! Within a group of A the cheapest are on first, so that the maximum is a dynamic program over groups and the number of
//! documents that are on before them, as far as `q^n` is not negligible. Prices of an order in which the solution's own
//! documents come first are exact for it; moving towards these (Frank & Wolfe 1956) makes the bound smaller.

use super::cell_cascade::{CellCascade, CountRange};
use super::side::GroupLosses;

/// Counts whose remaining probability is below this are treated alike.
const NEGLIGIBLE: f64 = 1e-14;

/// The prices of a range, and memory for its bound.
#[derive(Debug, Default)]
pub(super) struct DocumentPrices {
    /// The most documents on before a group that make a difference.
    most: usize,
    /// Steps that a bound takes.
    pub steps: usize,
    /// The price of each undecided document, by cell.
    of_cells: Vec<Vec<f64>>,
    /// The prices that `of_cells` moves towards.
    next: Vec<Vec<f64>>,
    /// Documents to decide by group of A: price and cell.
    offers: Vec<Vec<(f64, usize)>>,
    /// The best that is left, by documents on before a group.
    best: Vec<f64>,
    below: Vec<f64>,
    /// How many documents of each group are on in the best solution.
    choices: Vec<Vec<u32>>,
    /// The solution of the last bound.
    pub counts: Vec<u32>,
}

impl DocumentPrices {
    /// Room for the bounds of a problem.
    pub fn new(problem: &CellCascade) -> DocumentPrices {
        let documents: usize = problem.cells.iter().map(|cell| cell.size).sum();
        let groups = problem.a.len();
        let most = most_before(&problem.a);
        let before = most + 1;
        let steps = 3 * (documents + groups) * before + 2 * documents * (problem.b.len().min(before) + 20);
        DocumentPrices { most, steps, ..DocumentPrices::default() }
    }

    /// What the documents of a cell that are not decided cost together.
    pub fn worth(&self, cell: usize) -> f64 {
        self.of_cells[cell].iter().sum()
    }

    /// Start with the prices of an order in which some counts come first.
    pub fn start(&mut self, problem: &CellCascade, range: &CountRange, counts: &[u32]) {
        let mut of_cells = std::mem::take(&mut self.of_cells);
        prices(problem, range, counts, &mut of_cells);
        self.of_cells = of_cells;
    }

    /// Move a share of the way to the prices of an order in which the last solution comes first.
    pub fn move_on(&mut self, problem: &CellCascade, range: &CountRange, share: f64) {
        prices(problem, range, &self.counts, &mut self.next);
        for (price, next) in self.of_cells.iter_mut().flatten().zip(self.next.iter().flatten()) {
            *price += share * (next - *price);
        }
    }

    /// The bound of these prices; where it is reached is in `counts`.
    pub fn bound(&mut self, problem: &CellCascade, range: &CountRange) -> f64 {
        let side = &problem.a;
        let count = side.len();
        let (low, of_b) = problem.by_group(&range.low);
        self.offers.iter_mut().for_each(Vec::clear);
        self.offers.resize(count, Vec::new());
        for (number, (cell, prices)) in problem.cells.iter().zip(&self.of_cells).enumerate() {
            self.offers[cell.a].extend(prices.iter().map(|&price| (price, number)));
        }
        let most = self.most;
        // Below the last group.
        self.below.clear();
        self.below.extend((0..=most).map(|n| -side.power(n) * side.rest));
        self.choices.resize(count, Vec::new());
        for group in (0..count).rev() {
            let offers = &mut self.offers[group];
            offers.sort_unstable_by(|x, y| x.0.total_cmp(&y.0).then(x.1.cmp(&y.1)));
            self.best.clear();
            self.best.resize(most + 1, f64::NEG_INFINITY);
            let choices = &mut self.choices[group];
            choices.clear();
            choices.resize(most + 1, 0);
            let mut price = 0.0;
            for j in 0..=offers.len() {
                let on = low[group] + j;
                let loss = side.group(group)[on];
                for (n, (best, choice)) in self.best.iter_mut().zip(choices.iter_mut()).enumerate() {
                    let value = self.below[(n + on).min(most)] - side.power(n) * loss - price;
                    if value > *best {
                        (*best, *choice) = (value, j as u32);
                    }
                }
                price += offers.get(j).map_or(0.0, |offer| offer.0);
            }
            std::mem::swap(&mut self.best, &mut self.below);
        }
        self.counts.clone_from(&range.low);
        let mut before = 0;
        for (group, offers) in self.offers.iter().enumerate() {
            let chosen = self.choices[group][before] as usize;
            offers[..chosen].iter().for_each(|&(_, cell)| self.counts[cell] += 1);
            before = (before + low[group] + chosen).min(most);
        }
        // Counts beyond `most` were treated alike: this is the largest error from that.
        self.below[0] + problem.b.loss(&of_b) + side.power(most) * f64::from(u8::from(most < side.total()))
    }
}

/// The most documents on before a group that make a difference.
fn most_before(side: &GroupLosses) -> usize {
    (0..=side.total()).find(|&n| side.power(n) < NEGLIGIBLE).unwrap_or(side.total())
}

/// What each document of a range adds to S(B), those of some counts first.
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
