//! Distances of two rankings of the same items that have weights and may be alike (Kumar & Vassilvitskii 2010).
//!
//! With weights w and dissimilarities D of items, let v_x = w_x pbar_x, pbar being what [`super::weighted`] has. Then
//!
//!   K = sum of v_x v_y D_xy over pairs in opposite orders, x being above y in A,
//!   F = sum over x of v_x | sum of v_y D_xy over y above x in A - the same in B |.

use super::PairScore;
use super::joined::Joined;
use super::orders::JointOrders;
use super::weighted::Costs;
use crate::ranking::SharedDocuments;

/// Which distance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Distance {
    /// Kendall's: K.
    Kendall,
    /// Spearman's footrule: F.
    Footrule,
}

/// What is given of two rankings of the same items, which are known by number.
#[derive(Debug)]
pub struct Items {
    /// The tie group of every item in A and in B.
    pub groups: [Vec<u32>; 2],
    /// Weights.
    pub weights: Vec<f64>,
    /// Costs of moving to a rank from the one above, from rank 2 to the last.
    pub delta: Vec<f64>,
    /// In place of the mean cost, of items that have the same rank in both.
    pub unmoved: f64,
    /// D, a row for each item; 1 without.
    pub dissimilarities: Option<Vec<Vec<f64>>>,
}

impl Items {
    /// A distance: its statistics over all orders of tied items in both rankings, where these are few; else an estimate
    /// of its mean.
    #[must_use]
    pub fn distance(self, distance: Distance) -> PairScore {
        let [a, b] = &self.groups;
        let mut items: Vec<usize> = (0..a.len()).collect();
        items.sort_unstable_by_key(|&item| (a[item], b[item]));
        // An item is not like any other, so each is a block of its own.
        let blocks = items.iter().map(|&item| SharedDocuments { a: a[item], b: b[item], count: 1 }).collect();
        let groups = |of: &[u32]| of.iter().max().map_or(0, |&last| last as usize + 1);
        let orders = JointOrders::new(&Joined::of(blocks, groups(a), groups(b)));
        let costs = Costs::new(self.delta.iter().copied(), self.unmoved);
        let unlike = |x: usize, y: usize| self.dissimilarities.as_ref().map_or(1.0, |all| all[items[x]][items[y]]);
        let each = || 0..items.len();
        orders.score(true, |a, b| {
            let v: Vec<f64> = each().map(|x| self.weights[items[x]] * costs.of_move(a[x], b[x])).collect();
            let of_item = |x: usize| match distance {
                Distance::Kendall => {
                    let below = each().filter(|&y| a[x] < a[y] && b[x] > b[y]);
                    below.map(|y| v[y] * unlike(x, y)).sum::<f64>()
                }
                Distance::Footrule => {
                    let above = each().filter(|&y| (a[y] < a[x]) != (b[y] < b[x]));
                    above.map(|y| v[y] * unlike(x, y) * if a[y] < a[x] { 1.0 } else { -1.0 }).sum::<f64>().abs()
                }
            };
            each().map(|x| v[x] * of_item(x)).sum()
        })
    }
}
