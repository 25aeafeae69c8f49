//! The numbers of tied documents and of different values of a feature.

use std::collections::HashSet;

use rapidhash::fast::RandomState;

use crate::ranking::Order;

/// Distinct values are counted up to this many.
const MOST: usize = 10_000;

/// The counts of a feature's ties and values.
#[derive(Debug, Default)]
pub struct FeatureTies {
    /// Documents that have a value.
    pub ranked: usize,
    /// Documents whose value is `NULL`.
    pub missing: usize,
    /// Documents whose line does not name the feature, so that its value is 0.
    pub absent: usize,
    /// Documents whose value another document of the query has too.
    pub tied: usize,
    /// Queries in which it has more than one value, so that it ranks.
    pub varied: usize,
    /// Distinct values so far, as bits.
    values: HashSet<u64, RandomState>,
    is_full: bool,
}

impl FeatureTies {
    /// The number of distinct values; none if there are more than 10,000.
    pub fn distinct(&self) -> Option<usize> {
        (!self.is_full).then_some(self.values.len())
    }

    /// Counts the ranking of a query.
    pub(super) fn count(&mut self, order: &Order, values: &[f64]) {
        self.ranked += order.rows.len();
        self.missing += values.len() - order.rows.len();
        self.varied += usize::from(order.ends.len() > 1);
        let mut start = 0;
        for &end in &order.ends {
            if end - start > 1 {
                self.tied += (end - start) as usize;
            }
            self.insert((values[order.rows[start as usize] as usize] + 0.0).to_bits()); // -0 is 0
            start = end;
        }
    }

    /// Adds the counts of other queries.
    pub(super) fn add(&mut self, other: &FeatureTies) {
        self.ranked += other.ranked;
        self.missing += other.missing;
        self.absent += other.absent;
        self.tied += other.tied;
        self.varied += other.varied;
        other.values.iter().for_each(|&value| self.insert(value));
    }

    fn insert(&mut self, value: u64) {
        if !self.is_full {
            self.values.insert(value);
            if self.values.len() > MOST {
                self.is_full = true;
                self.values = HashSet::default();
            }
        }
    }
}
