//! Unknown documents as edges between their tie groups in two rankings, chosen one after the other.
//!
//! What one more document adds to a group of A never rises with the number chosen there, and what it costs in a group of
//! B never falls. So the best choice is a min-cost flow with convex costs (Ahuja, Magnanti & Orlin 1993, chapter 14): one
//! more unit flows along the best path from a group of A to one of B that may take chosen edges back. Edges cost nothing,
//! so the best path from a group ends at the cheapest group that it can reach. What each unit gains never rises.

/// A tie group, by what documents are worth there.
pub(crate) trait GainsByCount {
    /// What one more document adds if `chosen` documents are chosen already.
    fn step(&self, chosen: usize) -> f64;
}

/// Unknown documents of one group of A and one of B.
#[derive(Debug)]
pub(crate) struct Edge {
    pub a: usize,
    pub b: usize,
    pub documents: Vec<usize>,
    /// The number of these documents that are chosen.
    on: usize,
}

impl Edge {
    /// None of these documents is chosen.
    pub fn new(a: usize, b: usize, documents: Vec<usize>) -> Edge {
        Edge { a, b, documents, on: 0 }
    }

    fn has_room(&self) -> bool {
        self.on < self.documents.len()
    }
}

/// A group in the network.
#[derive(Debug)]
struct NetworkGroup<G> {
    group: G,
    /// How many documents of its edges are chosen.
    on: usize,
    edges: Vec<usize>,
}

/// Groups of A, groups of B, and the edges between them.
#[derive(Debug)]
pub(crate) struct Network<G> {
    a: Vec<NetworkGroup<G>>,
    b: Vec<NetworkGroup<G>>,
    edges: Vec<Edge>,
}

/// How to go on from a group towards the end of its path.
#[derive(Clone, Copy, PartialEq)]
enum PathStep {
    Unseen,
    End,
    Along(usize),
}

impl<G: GainsByCount> Network<G> {
    /// Edges name groups by their places.
    pub fn new(a: Vec<G>, b: Vec<G>, edges: Vec<Edge>) -> Network<G> {
        let nodes = |groups: Vec<G>| -> Vec<NetworkGroup<G>> {
            groups.into_iter().map(|group| NetworkGroup { group, on: 0, edges: Vec::new() }).collect()
        };
        let (mut a, mut b) = (nodes(a), nodes(b));
        for (number, edge) in edges.iter().enumerate() {
            a[edge.a].edges.push(number);
            b[edge.b].edges.push(number);
        }
        Network { a, b, edges }
    }

    /// Choose no document.
    pub fn clear(&mut self) {
        self.a.iter_mut().chain(&mut self.b).for_each(|node| node.on = 0);
        self.edges.iter_mut().for_each(|edge| edge.on = 0);
    }

    /// The documents that are chosen.
    pub fn chosen(&self) -> impl Iterator<Item = usize> {
        self.edges.iter().flat_map(|edge| &edge.documents[..edge.on]).copied()
    }

    /// Choose one more document along the best path; what it gains, unless all are chosen or it gains no more than `least`.
    pub fn augment(&mut self, least: f64) -> Option<f64> {
        // Groups of B by what one more costs there: every group of A gets the first that it can reach.
        let open = self.b.iter().enumerate().filter(|(_, node)| node.edges.iter().any(|&e| self.edges[e].has_room()));
        let mut ends: Vec<(f64, usize)> = open.map(|(j, node)| (node.group.step(node.on), j)).collect();
        ends.sort_by(|x, y| x.0.total_cmp(&y.0));
        let mut from_a = vec![PathStep::Unseen; self.a.len()];
        let mut from_b = vec![PathStep::Unseen; self.b.len()];
        let mut best: (f64, Option<usize>) = (least, None);
        let mut reached = Vec::new();
        for (cost, end) in ends {
            if from_b[end] != PathStep::Unseen {
                continue; // a cheaper one can be reached from it
            }
            from_b[end] = PathStep::End;
            reached.push(end);
            while let Some(j) = reached.pop() {
                for &edge in self.b[j].edges.iter().filter(|&&e| self.edges[e].has_room()) {
                    let i = self.edges[edge].a;
                    if from_a[i] != PathStep::Unseen {
                        continue;
                    }
                    from_a[i] = PathStep::Along(edge);
                    let node = &self.a[i];
                    let gained = node.group.step(node.on) - cost;
                    if gained > best.0 {
                        best = (gained, Some(i));
                    }
                    for &back in node.edges.iter().filter(|&&e| self.edges[e].on > 0) {
                        let other = self.edges[back].b;
                        if from_b[other] == PathStep::Unseen {
                            from_b[other] = PathStep::Along(back);
                            reached.push(other);
                        }
                    }
                }
            }
        }
        let (gained, Some(mut i)) = best else { return None };
        self.a[i].on += 1;
        while let PathStep::Along(edge) = from_a[i] {
            self.edges[edge].on += 1;
            let j = self.edges[edge].b;
            let PathStep::Along(back) = from_b[j] else {
                self.b[j].on += 1;
                break;
            };
            self.edges[back].on -= 1;
            i = self.edges[back].a;
        }
        Some(gained)
    }
}
