//! Upper bounds of a difference S(A) - S(B), by the number of relevant unknown documents. Verdicts are made from them.

use super::pair::RankingPair;

/// Upper bounds of S(A) - S(B). A bound is *attained* if some assignment has this difference.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct UpperBounds {
    /// The bounds with at most 0, 1, 2, ... relevant unknown documents. The last one also holds for larger numbers.
    pub by_count: Vec<f64>,
    /// From this number of relevant documents on, all bounds are attained.
    from: Option<usize>,
    /// Further numbers of relevant documents whose bounds are attained.
    attained: Vec<usize>,
}

impl UpperBounds {
    /// Bounds that are all attained.
    pub fn exact(by_count: Vec<f64>) -> UpperBounds {
        UpperBounds::partly(by_count, Some(0), Vec::new())
    }

    /// Bounds that may not be attained.
    pub fn outer(by_count: Vec<f64>) -> UpperBounds {
        UpperBounds::partly(by_count, None, Vec::new())
    }

    /// Bounds that are attained from the number `from` on, if it is given, and at the numbers `attained`.
    pub fn partly(by_count: Vec<f64>, from: Option<usize>, attained: Vec<usize>) -> UpperBounds {
        let mut bounds = UpperBounds { by_count, from, attained };
        bounds.trim();
        bounds
    }

    /// Bounds from the largest differences with exactly 0, 1, 2, ... relevant unknown documents. All are attained.
    pub fn of_exact_counts(values: impl Iterator<Item = f64>) -> UpperBounds {
        UpperBounds::exact(rising(values))
    }

    /// Bounds of tied rankings with A in its best order and B in its worst. If scores are for these orders
    /// (`are_meant`), the bound without relevant unknown documents is attained.
    pub fn of_best_and_worst(by_count: Vec<f64>, pair: &RankingPair<'_>, are_meant: bool) -> UpperBounds {
        match are_meant {
            true => UpperBounds::partly(by_count, (pair.unknown() == 0).then_some(0), vec![0]),
            false => UpperBounds::outer(by_count),
        }
    }

    /// Lowers all bounds above `most`, an upper bound of any difference.
    #[must_use]
    pub fn cap(mut self, most: f64) -> UpperBounds {
        self.by_count.iter_mut().for_each(|bound| *bound = bound.min(most));
        self.trim();
        self
    }

    /// The same bounds, attained from the number `from` of relevant documents on, if it is given.
    #[must_use]
    pub fn attained_from(self, from: Option<usize>) -> UpperBounds {
        UpperBounds { from, ..self }
    }

    /// Sets the bound without relevant unknown documents to `none`, which is attained. `unknown` is the number of
    /// unknown documents.
    #[must_use]
    pub fn with_none_relevant(mut self, none: f64, unknown: usize) -> UpperBounds {
        if unknown == 0 {
            return UpperBounds::exact(vec![none]);
        }
        self.cap_at(0, none, true);
        self
    }

    /// Lowers the bounds for at most `documents` relevant documents to `most`. `is_attained` says whether an assignment
    /// reaches it.
    pub fn cap_at(&mut self, documents: usize, most: f64, is_attained: bool) {
        let last = self.at_most(usize::MAX);
        if self.by_count.len() <= documents + 1 {
            self.by_count.resize(documents + 1, last);
            self.by_count.push(last);
        }
        self.by_count[..=documents].iter_mut().for_each(|bound| *bound = bound.min(most));
        if is_attained {
            self.attained.push(documents);
        }
        self.trim();
    }

    /// Removes bounds at the end that repeat the last one.
    fn trim(&mut self) {
        let last = self.by_count.last().copied();
        let first = self.by_count.iter().position(|&bound| Some(bound) == last);
        self.by_count.truncate(first.map_or(0, |first| first + 1));
    }

    /// The bound with at most this number of relevant unknown documents.
    pub fn at_most(&self, most: usize) -> f64 {
        self.by_count[most.min(self.by_count.len() - 1)]
    }

    pub fn are_attained(&self) -> bool {
        self.from == Some(0)
    }

    /// Whether the bound with at most this number of relevant unknown documents is attained.
    pub fn is_attained(&self, most: usize) -> bool {
        let attains = |&fewer: &usize| fewer <= most && self.at_most(fewer) >= self.at_most(most);
        self.from.is_some_and(|from| most >= from) || self.attained.iter().any(attains)
    }
}

/// The running maximum. It turns values for exactly n documents into values for at most n.
pub(super) fn rising(values: impl Iterator<Item = f64>) -> Vec<f64> {
    values
        .scan(f64::NEG_INFINITY, |most, value| {
            *most = most.max(value);
            Some(*most)
        })
        .collect()
}
