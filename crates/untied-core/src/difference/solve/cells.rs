//! Rankings with ties by cells: the unknown documents that one tie group of A and one of B have in common.
//!
//! Documents of a cell are exchangeable, so that only matters how many of them are relevant, `0 <= z <= n`.
//!
//! *Dominance.* Cell x is above cell y if x is not after y in A, nor before it in B. Of a measure that never falls when
//! relevance moves up, some assignment with the largest `S(A) - S(B)` has `z_y = 0` or `z_x = n_x` for all such pairs:
//! what moves from y to x never lowers S(A) nor raises S(B), and as every strict move makes the sum of
//! `rank in B - rank in A` over relevant documents larger, moving ends. Two cells of which neither is above the other
//! stand in the same order in both rankings, in different groups of both.

use super::Instance;

/// The unknown documents that a tie group of A and one of B have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TieCell {
    /// Its group in A, by number.
    pub a: usize,
    /// Its group in B.
    pub b: usize,
    /// Where its documents begin in [`TieCells::documents`].
    start: usize,
    /// Its number of documents.
    pub size: usize,
}

impl TieCell {
    /// A cell without documents.
    #[cfg(test)]
    pub fn new((a, b): (usize, usize), size: usize) -> TieCell {
        TieCell { a, b, start: 0, size }
    }

    /// Exchange A and B.
    pub fn swap(&mut self) {
        std::mem::swap(&mut self.a, &mut self.b);
    }

    /// The cell with other numbers for its groups.
    pub fn with_groups(&self, a: usize, b: usize) -> TieCell {
        TieCell { a, b, ..*self }
    }

    /// Whether it is above another one; also if it is the same.
    pub fn is_above(&self, other: &TieCell) -> bool {
        self.a <= other.a && self.b >= other.b
    }
}

/// The cells of two rankings, by group of A, then by group of B.
#[derive(Debug, Default)]
pub(super) struct TieCells {
    /// All of them.
    pub all: Vec<TieCell>,
    /// Numbers of documents in the instance, cell by cell.
    documents: Vec<usize>,
    /// Groups in A and in B, and the number in the instance, of each document.
    keyed: Vec<(usize, usize, usize)>,
    sorter: GroupSorter<(usize, usize, usize)>,
}

/// Sorts by numbers of groups: in linear time, as these are small, and stable.
#[derive(Debug, Default)]
pub(super) struct GroupSorter<T> {
    /// The place of the next item of each group.
    next: Vec<usize>,
    sorted: Vec<T>,
}

impl<T: Copy> GroupSorter<T> {
    /// Sort items by their groups.
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
    /// Take in the unknown documents of an instance that count in both rankings.
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

    /// Visit all documents: the number of the cell, that of the document in it, and that in the instance.
    pub fn each(&self, mut visit: impl FnMut(usize, usize, usize)) {
        for (number, cell) in self.all.iter().enumerate() {
            let documents = &self.documents[cell.start..cell.start + cell.size];
            documents.iter().enumerate().for_each(|(place, &id)| visit(number, place, id));
        }
    }

    /// Which documents are relevant, given the number of relevant ones of each cell.
    pub fn chosen<'c>(&'c self, counts: &'c [usize]) -> impl Iterator<Item = usize> + 'c {
        let chosen = |(cell, &count): (&TieCell, &usize)| &self.documents[cell.start..cell.start + count];
        self.all.iter().zip(counts).flat_map(chosen).copied()
    }
}

/// Groups of every document in A and in B: numbers of those that begin within the depth.
#[derive(Debug, Default)]
pub(super) struct DocumentGroups {
    /// The groups of each document of the instance.
    pub by_document: Vec<(Option<usize>, Option<usize>)>,
    /// The group at each rank of A and of B.
    by_rank: [Vec<usize>; 2],
}

impl DocumentGroups {
    /// Take in the documents of an instance, and where groups end, in A and in B.
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
        // Rank 0 is none.
        let group = |groups: &[usize], rank: u32| groups.get((rank as usize).wrapping_sub(1)).copied();
        by_document.clear();
        by_document.extend(instance.documents.iter().map(|x| (group(a, x.a), group(b, x.b))));
    }

    /// Gives groups other numbers.
    pub fn number(&mut self, (a, b): (&[usize], &[usize])) {
        for (in_a, in_b) in &mut self.by_document {
            in_a.iter_mut().for_each(|group| *group = a[*group]);
            in_b.iter_mut().for_each(|group| *group = b[*group]);
        }
    }

    /// Exchange A and B.
    pub fn swap(&mut self) {
        self.by_document.iter_mut().for_each(|(a, b)| std::mem::swap(a, b));
    }
}
