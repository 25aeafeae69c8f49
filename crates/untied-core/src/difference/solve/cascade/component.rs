//! A component of a problem: documents to decide that take the same set of positions in A and in B. A document's
//! position is its index among the documents to decide, in the order of A or of B.

/// A document to decide, with its positions.
#[derive(Debug, Clone, Copy)]
pub(super) struct OpenDocument {
    /// The position in A, from 1.
    pub(super) a: usize,
    /// The position in B, from 1.
    pub(super) b: usize,
    /// In a component, the index among all documents to decide. Among these, the index in the instance.
    pub(super) id: usize,
}

impl OpenDocument {
    /// The better position of the two.
    pub(super) fn first(&self) -> usize {
        self.a.min(self.b)
    }

    /// The worse position of the two. From there on, the document is a factor in both rankings.
    pub(super) fn last(&self) -> usize {
        self.a.max(self.b)
    }
}

/// A position of one ranking, and the document there.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct PositionEntry {
    /// The weight of the position, `A_i` or `B_i`.
    pub(super) weight: f64,
    /// The index of the document in the component.
    pub(super) open: usize,
    /// The document's position in the other ranking.
    pub(super) other: usize,
}

/// A component. Its value is `sum_i B_i Q_B(i) - A_i Q_A(i)` over its positions i. Q(i) is the product of the factors
/// of the documents down to i: q for a document that is on, and 1 for one that is off.
#[derive(Debug, Default)]
pub(super) struct CascadeComponent {
    /// The entries of A and of B by position, from 1. Entry 0 is empty.
    pub(super) entries: Vec<(PositionEntry, PositionEntry)>,
    /// The documents to decide, sorted by their better position.
    pub(super) documents: Vec<OpenDocument>,
    /// `q^n` for n = 0, 1, 2, ...
    pub(super) powers: Vec<f64>,
    /// Whether each document is on in the best assignment so far.
    pub(super) on: Vec<bool>,
}

impl CascadeComponent {
    /// Makes a component of these documents. Positions are counted from `above`, and `weights` has those of all
    /// positions in A and in B. The last position has the same factor in both rankings, whose weight in the difference
    /// is `last`.
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

    /// Sets the weight of the last position's factor, which A and B share.
    pub(super) fn end_with(&mut self, last: f64) {
        let (a, b) = &mut self.entries[self.documents.len()];
        (a.weight, b.weight) = (f64::max(-last, 0.0), f64::max(last, 0.0));
    }

    /// The factor of a document that is on, or off.
    pub(super) fn factor(&self, on: bool) -> f64 {
        self.powers[usize::from(on)]
    }
}
