//! A component of a problem: documents that take the same set of positions in A as in B.

/// A document to decide.
#[derive(Debug, Clone, Copy)]
pub(super) struct OpenDocument {
    /// Position in A, from 1.
    pub(super) a: usize,
    /// Position in B.
    pub(super) b: usize,
    /// Its number in the whole.
    pub(super) id: usize,
}

impl OpenDocument {
    /// Its better position.
    pub(super) fn first(&self) -> usize {
        self.a.min(self.b)
    }

    /// Its worse position: from here on it counts in both.
    pub(super) fn last(&self) -> usize {
        self.a.max(self.b)
    }
}

/// A position in one ranking.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct PositionEntry {
    /// `A_i` or `B_i`.
    pub(super) weight: f64,
    /// Number of its document.
    pub(super) open: usize,
    /// The document's position in the other ranking.
    pub(super) other: usize,
}

/// The component. Its difference is `sum_i B_i Q_B(i) - A_i Q_A(i)` from position 1 to the last, where Q is the product of
/// factors down to there.
#[derive(Debug, Default)]
pub(super) struct CascadeComponent {
    /// A and B by position; at 0 there is nothing.
    pub(super) entries: Vec<(PositionEntry, PositionEntry)>,
    /// The documents to decide, by their better position.
    pub(super) documents: Vec<OpenDocument>,
    /// Powers of the factor of a document that is on.
    pub(super) powers: Vec<f64>,
    /// The best assignment found.
    pub(super) on: Vec<bool>,
}

impl CascadeComponent {
    /// Takes some documents, with positions counted from `above`. `weights` are those of all positions;
    /// that of the last, where both rankings have the same factor, is `last`.
    pub(super) fn read(
        &mut self,
        documents: impl Iterator<Item = OpenDocument>,
        above: usize,
        weights: &[(f64, f64)],
        last: f64,
    ) {
        self.documents.clear();
        self.documents.extend(documents.map(|x| OpenDocument { a: x.a - above, b: x.b - above, id: x.id }));
        self.documents.sort_unstable_by_key(|x| (x.first(), x.last(), x.a));
        let count = self.documents.len();
        self.entries.clear();
        self.entries.resize(count + 1, Default::default());
        for (number, document) in self.documents.iter().enumerate() {
            let (a, b) = (document.a, document.b);
            self.entries[a].0 = PositionEntry { weight: weights[above + a].0, open: number, other: b };
            self.entries[b].1 = PositionEntry { weight: weights[above + b].1, open: number, other: a };
        }
        self.end_with(last);
        self.on.clear();
        self.on.resize(count, false);
    }

    /// Set the weight of the last position.
    pub(super) fn end_with(&mut self, last: f64) {
        let (a, b) = &mut self.entries[self.documents.len()];
        (a.weight, b.weight) = (f64::max(-last, 0.0), f64::max(last, 0.0));
    }

    /// Factor of a document that is on, or off.
    pub(super) fn factor(&self, on: bool) -> f64 {
        self.powers[usize::from(on)]
    }
}
