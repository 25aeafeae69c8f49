//! Rankings of one query as numbers of documents, so that many of them can be joined without their ids.

use super::Order;
use crate::error::Result;
use crate::table::{Rows, index};
use crate::watch;

/// A ranking: documents by number, best first, and where each tie group ends.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct List {
    /// Numbers of the documents.
    pub docs: Vec<u32>,
    /// For every tie group, the number of documents up to its end.
    pub ends: Vec<u32>,
}

impl List {
    /// The tie groups of a sorted query that begin within a depth.
    ///
    /// # Errors
    /// Work shall stop.
    pub fn fill<'a>(
        &mut self,
        rows: &Rows<'a>,
        order: &Order,
        depth: usize,
        numbers: &mut Numbering<&'a [u8]>,
    ) -> Result<()> {
        let begun = order.ends.partition_point(|&end| (end as usize) < depth) + 1;
        self.ends.clear();
        self.ends.extend(&order.ends[..begun.min(order.ends.len())]);
        let kept = &order.rows[..self.ends.last().map_or(0, |&end| end as usize)];
        self.docs.clear();
        let number = |&row: &u32| numbers.number(rows.doc(row as usize), rows.hashes()[row as usize]);
        self.docs.extend(watch::until_stopped(kept.iter()).map(number));
        watch::check()
    }

    /// A ranking without ties.
    pub fn fill_untied(&mut self, docs: impl Iterator<Item = u32>) {
        self.docs.clear();
        self.docs.extend(docs);
        let documents = self.docs.len() as u32;
        self.ends.truncate(documents as usize);
        self.ends.extend(self.ends.len() as u32 + 1..=documents);
    }

    /// Become another list as far as [`List::fill`] would fill it to this depth.
    pub fn cut(&mut self, other: &List, depth: usize) {
        let begun = other.ends.partition_point(|&end| (end as usize) < depth) + 1;
        self.ends.clear();
        self.ends.extend(other.ends.iter().take(begun));
        self.docs.clear();
        self.docs.extend(&other.docs[..self.ends.last().map_or(0, |&end| end as usize)]);
    }

    /// Number of documents.
    pub fn len(&self) -> usize {
        self.docs.len()
    }

    /// Whether documents are tied.
    pub fn is_tied(&self) -> bool {
        self.ends.len() < self.docs.len()
    }
}

/// Numbers for the documents of a query, known by ids of any kind, in the order in which they are met.
#[derive(Debug)]
pub struct Numbering<Id> {
    documents: Vec<(Id, u32)>,
    slots: Vec<index::Slot>,
}

impl<Id> Default for Numbering<Id> {
    fn default() -> Numbering<Id> {
        Numbering { documents: Vec::new(), slots: Vec::new() }
    }
}

impl<Id: PartialEq> Numbering<Id> {
    /// Forget all documents.
    pub fn clear(&mut self) {
        self.documents.clear();
        self.slots.clear();
        self.slots.resize(index::slots_for(32), 0);
    }

    /// The number of a document, by its id and a hash of that.
    pub fn number(&mut self, document: Id, hash: u32) -> u32 {
        if 2 * (self.documents.len() + 1) > self.slots.len() {
            let more = index::slots_for(2 * self.documents.len().max(16));
            self.slots.clear();
            self.slots.resize(more, 0);
            for (number, &(_, hash)) in (0..).zip(&self.documents) {
                // Its documents differ.
                let inserted = index::insert(&mut self.slots, hash, number, |_| false);
                debug_assert!(inserted.is_ok());
            }
        }
        let next = self.documents.len() as u32;
        let is_same = |number: u32| self.documents[number as usize].0 == document;
        match index::insert(&mut self.slots, hash, next, is_same) {
            Ok(()) => {
                self.documents.push((document, hash));
                next
            }
            Err(number) => number,
        }
    }

    /// The number of a document with this hash for which `is_same` holds, if it has one.
    pub fn find(&self, hash: u32, is_same: impl Fn(&Id) -> bool) -> Option<u32> {
        let documents = &self.documents;
        if self.slots.is_empty() {
            return None;
        }
        index::find(&self.slots, hash, |number| is_same(&documents[number as usize].0))
    }

    /// The documents with their hashes, by number.
    pub fn documents(&self) -> &[(Id, u32)] {
        &self.documents
    }
}
