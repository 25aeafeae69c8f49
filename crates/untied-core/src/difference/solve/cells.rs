//! Cells of two rankings with ties. A cell has the unknown documents that one tie group of A and one of B have in
//! common. They can be exchanged, so only the number z of relevant ones among its n documents matters.
//!
//! *Dominance.* Cell x is *above* cell y if x does not come after y in A, nor before y in B. If a score never falls
//! when relevance moves up, some best assignment has no relevant document in y (`z_y = 0`) or only relevant ones in x
//! (`z_x = n_x`), for all such pairs. The reason is that moving relevance from y to x never lowers S(A) nor raises
//! S(B). This ends, because each such move that changes a rank makes the sum of `rank in B - rank in A` over relevant
//! documents larger. If neither of two cells is above the other, both rankings have them in the same order, in
//! different groups.

use super::Instance;

/// A cell: the unknown documents that a tie group of A and one of B have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TieCell {
    /// The index of its tie group in A.
    pub a: usize,
    /// The index of its tie group in B.
    pub b: usize,
    /// The index of its first document in [`TieCells::documents`].
    start: usize,
    /// The number of its documents.
    pub size: usize,
}

impl TieCell {
    /// A cell whose documents are listed elsewhere.
    pub fn new((a, b): (usize, usize), size: usize) -> TieCell {
        TieCell { a, b, start: 0, size }
    }

    /// Exchanges A and B.
    pub fn swap(&mut self) {
        std::mem::swap(&mut self.a, &mut self.b);
    }

    /// The same cell with other indices for its groups.
    pub fn with_groups(&self, a: usize, b: usize) -> TieCell {
        TieCell { a, b, ..*self }
    }

    /// Whether this cell does not come after the other in A, nor before it in B. A cell is above itself, too.
    pub fn is_above(&self, other: &TieCell) -> bool {
        self.a <= other.a && self.b >= other.b
    }
}

/// The cells of two rankings, sorted by their group in A and then by their group in B.
#[derive(Debug, Default)]
pub(super) struct TieCells {
    pub all: Vec<TieCell>,
    /// The indices of the documents in the instance, cell by cell.
    documents: Vec<usize>,
    /// For each document of a cell: its groups in A and in B, and its index in the instance.
    keyed: Vec<(usize, usize, usize)>,
    sorter: GroupSorter<(usize, usize, usize)>,
}

/// Sorts items by the index of their group. This counting sort takes linear time and keeps the order within groups.
#[derive(Debug, Default)]
pub(super) struct GroupSorter<T> {
    /// For each group, the index of its next item in the sorted order.
    next: Vec<usize>,
    sorted: Vec<T>,
}

impl<T: Copy> GroupSorter<T> {
    /// Sorts items by the index that `group` gives.
    pub fn sort(&mut self, items: &mut Vec<T>, group: impl Fn(&T) -> usize) {
        let Some(&some) = items.first() else { return };
        let GroupSorter { next, sorted } = self;
        next.clear();
        next.resize(items.iter().map(&group).max().unwrap_or(0) + 1, 0);
        items.iter().for_each(|item| next[group(item)] += 1);
        let mut sum = 0;
        for place in &mut *next {
            sum += std::mem::replace(place, sum);
        }
        sorted.clear();
        sorted.resize(items.len(), some);
        for item in &*items {
            let place = &mut next[group(item)];
            sorted[*place] = *item;
            *place += 1;
        }
        std::mem::swap(items, sorted);
    }
}

impl TieCells {
    /// Makes the cells of an instance, from unknown documents with a group in both rankings.
    pub fn read(&mut self, instance: &Instance, groups: &DocumentGroups) {
        self.keyed.clear();
        for (id, (document, &groups_of)) in instance.documents.iter().zip(&groups.by_document).enumerate() {
            if let ((Some(a), Some(b)), None) = (groups_of, document.known) {
                self.keyed.push((a, b, id));
            }
        }
        self.sorter.sort(&mut self.keyed, |&(_, b, _)| b);
        self.sorter.sort(&mut self.keyed, |&(a, ..)| a);
        self.all.clear();
        self.documents.clear();
        for (start, &(a, b, id)) in self.keyed.iter().enumerate() {
            match self.all.last_mut() {
                Some(last) if (last.a, last.b) == (a, b) => last.size += 1,
                _ => self.all.push(TieCell { a, b, start, size: 1 }),
            }
            self.documents.push(id);
        }
    }

    /// Visits the documents of all cells. `visit` gets three indices: of the cell, of the document in it, and of the
    /// document in the instance.
    pub fn each(&self, mut visit: impl FnMut(usize, usize, usize)) {
        for (number, cell) in self.all.iter().enumerate() {
            let documents = &self.documents[cell.start..cell.start + cell.size];
            documents.iter().enumerate().for_each(|(place, &id)| visit(number, place, id));
        }
    }

    /// The indices in the instance of the relevant documents. `counts` says how many there are in each cell, and the
    /// first documents of a cell are taken.
    pub fn chosen<'c>(&'c self, counts: &'c [usize]) -> impl Iterator<Item = usize> + 'c {
        let chosen = |(cell, &count): (&TieCell, &usize)| &self.documents[cell.start..cell.start + count];
        self.all.iter().zip(counts).flat_map(chosen).copied()
    }
}

/// The tie groups of documents that begin within the depth.
#[derive(Debug, Default)]
pub(super) struct DocumentGroups {
    /// The index of the group in A and in B, for each document of the instance.
    pub by_document: Vec<(Option<usize>, Option<usize>)>,
    /// The index of the group at each rank of A, and of B.
    by_rank: [Vec<usize>; 2],
}

impl DocumentGroups {
    /// Finds the groups of an instance's documents. `ends` has the rank at which each group ends, in A and in B.
    pub fn read(&mut self, instance: &Instance, ends: (&[u32], &[u32])) {
        let DocumentGroups { by_document, by_rank: [a, b] } = self;
        for (groups, ends) in [(&mut *a, ends.0), (&mut *b, ends.1)] {
            groups.clear();
            for (group, &end) in ends.iter().enumerate() {
                if groups.len() >= instance.depth {
                    break;
                }
                if end as usize == groups.len() + 1 {
                    groups.push(group);
                } else {
                    groups.resize(end as usize, group);
                }
            }
        }
        // Rank 0 means that the ranking lacks the document.
        let group = |groups: &[usize], rank: u32| groups.get((rank as usize).wrapping_sub(1)).copied();
        by_document.clear();
        by_document.extend(instance.documents.iter().map(|x| (group(a, x.a), group(b, x.b))));
    }

    /// Gives groups other indices: entry g of `a`, or of `b`, for group g.
    pub fn number(&mut self, (a, b): (&[usize], &[usize])) {
        for (in_a, in_b) in &mut self.by_document {
            in_a.iter_mut().for_each(|group| *group = a[*group]);
            in_b.iter_mut().for_each(|group| *group = b[*group]);
        }
    }

    /// Exchanges A and B.
    pub fn swap(&mut self) {
        self.by_document.iter_mut().for_each(|(a, b)| std::mem::swap(a, b));
    }
}
