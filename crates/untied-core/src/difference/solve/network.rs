//! Unknown documents as edges between their tie groups in two rankings, chosen one after the other.
//!
//! One more document adds no more to a group of A than the one before, and costs no less in a group of B. So the best
//! choice is a min-cost flow with convex costs (Ahuja, Magnanti & Orlin 1993, chapter 14): each unit flows along the
//! best path from a group of A to one of B, and may take chosen edges back. Edges cost nothing, so the best path from a
//! group ends at the cheapest group that it can reach. Each unit gains no more than the one before.

/// The gains of a tie group of A, or the costs of one of B, by the number of its chosen documents.
pub(crate) trait GainsByCount {
    /// What one more document adds if `chosen` documents are chosen.
    fn step(&self, chosen: usize) -> f64;
}

/// The unknown documents that one group of A and one of B have in common.
#[derive(Debug)]
pub(crate) struct Edge {
    /// The index of the group in A.
    pub a: usize,
    /// The index of the group in B.
    pub b: usize,
    /// The indices of the documents. They are chosen from the first on.
    pub documents: Vec<usize>,
    /// How many of the documents are chosen.
    on: usize,
}

impl Edge {
    /// An edge without chosen documents.
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
    /// How many documents of the group's edges are chosen.
    on: usize,
    /// The indices of the group's edges.
    edges: Vec<usize>,
}

/// The flow problem: the tie groups of A and of B, and the edges between them.
#[derive(Debug)]
pub(crate) struct Network<G> {
    a: Vec<NetworkGroup<G>>,
    b: Vec<NetworkGroup<G>>,
    edges: Vec<Edge>,
}

/// The next step on a path from a group.
#[derive(Clone, Copy, PartialEq)]
enum PathStep {
    Unseen,
    End,
    Along(usize),
}

impl<G: GainsByCount> Network<G> {
    /// A network of these groups. Each edge names its two groups by their indices.
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

    /// Takes back all choices.
    pub fn clear(&mut self) {
        self.a.iter_mut().chain(&mut self.b).for_each(|node| node.on = 0);
        self.edges.iter_mut().for_each(|edge| edge.on = 0);
    }

    /// The indices of the chosen documents.
    pub fn chosen(&self) -> impl Iterator<Item = usize> {
        self.edges.iter().flat_map(|edge| &edge.documents[..edge.on]).copied()
    }

    /// Chooses one more document along the best path, and returns the gain. Returns none, and changes nothing, if all
    /// documents are chosen or the gain is not above `least`.
    pub fn augment(&mut self, least: f64) -> Option<f64> {
        // Go through the groups of B, cheapest first. A path from a group of A ends at the first group that it reaches.
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
            // Walk backwards from the group of B: along edges with room to A, and along chosen edges to B.
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
        // Follow the best path. An edge forwards chooses a document, and an edge backwards gives one back.
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
