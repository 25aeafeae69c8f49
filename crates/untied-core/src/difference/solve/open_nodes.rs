//! The open nodes of a search, highest bound first. Among equal bounds, the node that was added first comes first.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// The open nodes of a search.
#[derive(Debug)]
pub(super) struct OpenNodes<T> {
    nodes: BinaryHeap<OpenNode<T>>,
    /// How many nodes were ever added.
    pushed: u64,
}
#[derive(Debug)]
struct OpenNode<T> {
    /// An upper bound of the values in the node.
    bound: f64,
    /// How many nodes were added before this one.
    number: u64,
    content: T,
}

impl<T> OpenNodes<T> {
    /// The whole problem as the only open node, with an upper bound of its value.
    pub fn new(bound: f64, all: T) -> OpenNodes<T> {
        let mut open = OpenNodes { nodes: BinaryHeap::new(), pushed: 0 };
        open.push(bound, all);
        open
    }

    pub fn push(&mut self, bound: f64, content: T) {
        self.nodes.push(OpenNode { bound, number: self.pushed, content });
        self.pushed += 1;
    }

    pub fn pop(&mut self) -> Option<(f64, T)> {
        self.nodes.pop().map(|node| (node.bound, node.content))
    }

    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }
}

impl<T> Ord for OpenNode<T> {
    fn cmp(&self, other: &OpenNode<T>) -> Ordering {
        self.bound.total_cmp(&other.bound).then(other.number.cmp(&self.number))
    }
}

impl<T> PartialOrd for OpenNode<T> {
    fn partial_cmp(&self, other: &OpenNode<T>) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<T> PartialEq for OpenNode<T> {
    fn eq(&self, other: &OpenNode<T>) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl<T> Eq for OpenNode<T> {}
