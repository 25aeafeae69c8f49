//! The open nodes of a search: highest bound first, and first in, first out among equal bounds.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// Parts of a problem with their bounds.
#[derive(Debug)]
pub(super) struct Queue<T> {
    parts: BinaryHeap<Part<T>>,
    pushed: u64,
}

#[derive(Debug)]
struct Part<T> {
    bound: f64,
    number: u64,
    content: T,
}

impl<T> Queue<T> {
    /// All of the problem, and what nothing in it is above.
    pub fn new(bound: f64, all: T) -> Queue<T> {
        let mut queue = Queue { parts: BinaryHeap::new(), pushed: 0 };
        queue.push(bound, all);
        queue
    }

    pub fn push(&mut self, bound: f64, content: T) {
        self.parts.push(Part { bound, number: self.pushed, content });
        self.pushed += 1;
    }

    pub fn pop(&mut self) -> Option<(f64, T)> {
        self.parts.pop().map(|part| (part.bound, part.content))
    }

    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }
}

impl<T> Ord for Part<T> {
    fn cmp(&self, other: &Part<T>) -> Ordering {
        self.bound.total_cmp(&other.bound).then(other.number.cmp(&self.number))
    }
}

impl<T> PartialOrd for Part<T> {
    fn partial_cmp(&self, other: &Part<T>) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<T> PartialEq for Part<T> {
    fn eq(&self, other: &Part<T>) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl<T> Eq for Part<T> {}
