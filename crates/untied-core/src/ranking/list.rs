//! Rankings of a query whose documents are numbers, so that many rankings can be joined without comparing ids again.

use super::Order;
use crate::error::Result;
use crate::table::{Rows, index};
use crate::watch;

/// A ranking of numbered documents, best first, in tie groups.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct List {
    /// The numbers of the documents.
    pub docs: Vec<u32>,
    /// For each tie group, the number of documents up to its end.
    pub ends: Vec<u32>,
}

impl List {
    /// Takes the tie groups of a sorted query that begin within a depth.
    ///
    /// # Errors
    /// The user interrupts.
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

    /// Takes documents in order, without ties.
    pub fn fill_untied(&mut self, docs: impl Iterator<Item = u32>) {
        self.docs.clear();
        self.docs.extend(docs);
        let documents = self.docs.len() as u32;
        self.ends.truncate(documents as usize);
        self.ends.extend(self.ends.len() as u32 + 1..=documents);
    }

    /// Takes the tie groups of another list that begin within a depth.
    pub fn cut(&mut self, other: &List, depth: usize) {
        let begun = other.ends.partition_point(|&end| (end as usize) < depth) + 1;
        self.ends.clear();
        self.ends.extend(other.ends.iter().take(begun));
        self.docs.clear();
        self.docs.extend(&other.docs[..self.ends.last().map_or(0, |&end| end as usize)]);
    }

    /// The number of documents.
    pub fn len(&self) -> usize {
        self.docs.len()
    }

    /// Whether documents are tied.
    pub fn is_tied(&self) -> bool {
        self.ends.len() < self.docs.len()
    }
}

/// Numbers the documents of a query, whose ids are of any type, in order of appearance.
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
    /// Removes all documents.
    pub fn clear(&mut self) {
        self.documents.clear();
        self.slots.clear();
        self.slots.resize(index::slots_for(32), 0);
    }

    /// The number of a document, by its id and the hash of the id; a new number if the document is new.
    pub fn number(&mut self, document: Id, hash: u32) -> u32 {
        if 2 * (self.documents.len() + 1) > self.slots.len() {
            let more = index::slots_for(2 * self.documents.len().max(16));
            self.slots.clear();
            self.slots.resize(more, 0);
            for (number, &(_, hash)) in (0..).zip(&self.documents) {
                // All documents are different, so there is nothing to compare.
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

    /// The number of the document with this hash for which `is_same` is true, if there is one.
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
