//! Tied rankings in any order: for each number m of unknown documents, the most that m of them can gain in A less what
//! they gain in B, if A's order is the best and B's the worst for them.
//!
//! For given relevant documents A is best with these first in each of its tie groups, and B worst with them last. So a
//! group counts only how many n of its unknown documents are relevant; what one more gains never rises with n in A, and
//! never falls in B. A document is an edge from its group in A to its group in B (where a ranking lacks it, to
//! one that is worth nothing), and the problem a min-cost flow with convex costs (Ahuja, Magnanti & Orlin 1993,
//! chapter 14): one more unit flows along the best path from a group of A to one of B that may take chosen edges back.
//! Edges cost nothing, so the best path from a group ends at the cheapest group that it can reach. What each unit gains
//! never rises, and groups that no document joins do not depend on each other: the gains of all parts in descending order
//! are those of the whole.

use std::collections::BTreeMap;

/// An unknown document: its group in A and in B, if these have it.
#[derive(Debug, Clone, Copy)]
pub(in crate::certify) struct Joint {
    pub a: Option<usize>,
    pub b: Option<usize>,
}

/// What a group gains with its first, second, ... relevant unknown document.
pub(in crate::certify) type Steps = Vec<f64>;

/// Unknown documents of one group of A and one of B.
#[derive(Debug)]
struct Edge {
    a: usize,
    b: usize,
    documents: Vec<usize>,
    /// How many of them are relevant.
    on: usize,
}

/// A group as far as documents are chosen.
#[derive(Debug)]
struct Group {
    steps: Steps,
    on: usize,
    edges: Vec<usize>,
}

impl Group {
    fn new(steps: Steps) -> Group {
        Group { steps, on: 0, edges: Vec::new() }
    }

    /// What one more chosen document gains.
    fn next(&self) -> f64 {
        self.steps.get(self.on).copied().unwrap_or(0.0)
    }
}

/// Groups that documents join, directly or through others.
#[derive(Debug, Default)]
struct Part {
    a: Vec<Group>,
    b: Vec<Group>,
    edges: Vec<Edge>,
}

/// How to go on from a group towards the end of its path.
#[derive(Clone, Copy, PartialEq)]
enum Step {
    Unseen,
    End,
    Along(usize),
}

/// Everything that a query's unknown documents join.
#[derive(Debug)]
pub(in crate::certify) struct Matching {
    parts: Vec<Part>,
    /// What each further document of a part gains.
    gains: Vec<Vec<f64>>,
}

impl Matching {
    /// Documents, and the steps of the groups of A and of B.
    pub fn new(documents: &[Joint], steps: (&[Steps], &[Steps])) -> Matching {
        let mut parts = split(documents, steps);
        let gains = parts.iter_mut().map(|part| std::iter::from_fn(|| part.augment()).collect()).collect();
        parts = split(documents, steps);
        Matching { parts, gains }
    }

    /// What each further document gains, part by part.
    pub fn gains(&self) -> impl Iterator<Item = f64> {
        self.gains.iter().flatten().copied()
    }

    /// Numbers of m documents that gain the most together.
    pub fn chosen(mut self, m: usize) -> Vec<usize> {
        let all = self.gains.iter().enumerate();
        let mut order: Vec<(f64, usize)> =
            all.flat_map(|(part, gains)| gains.iter().map(move |&gain| (gain, part))).collect();
        order.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(&other.1)));
        for &(_, part) in order.iter().take(m) {
            self.parts[part].augment();
        }
        let edges = self.parts.iter().flat_map(|part| &part.edges);
        edges.flat_map(|edge| &edge.documents[..edge.on]).copied().collect()
    }
}

/// The parts of a problem, in the order of their first groups.
fn split(documents: &[Joint], steps: (&[Steps], &[Steps])) -> Vec<Part> {
    // Numbers of groups: those of A, those of B, and for each of them one of the other ranking that is worth nothing.
    let (of_a, of_b) = (steps.0.len(), steps.1.len());
    let all = of_a + of_b;
    let groups = |x: &Joint| match (x.a, x.b) {
        (Some(a), Some(b)) => (a, of_a + b),
        (Some(a), None) => (a, all + a),
        (None, Some(b)) => (all + of_a + b, of_a + b),
        (None, None) => (2 * all, 2 * all + 1),
    };
    let mut roots: Vec<usize> = (0..2 * all + 2).collect();
    for pair in documents.iter().map(groups) {
        let (one, other) = (root(&mut roots, pair.0), root(&mut roots, pair.1));
        roots[one.max(other)] = one.min(other);
    }
    let mut edges: BTreeMap<(usize, usize, usize), Vec<usize>> = BTreeMap::new();
    for (i, pair) in documents.iter().map(groups).enumerate() {
        edges.entry((root(&mut roots, pair.0), pair.0, pair.1)).or_default().push(i);
    }
    let mut parts: Vec<Part> = Vec::new();
    let (mut last, mut numbers) = (None, BTreeMap::new());
    for ((part, a, b), documents) in edges {
        if last != Some(part) {
            parts.push(Part::default());
            (last, numbers) = (Some(part), BTreeMap::new());
        }
        let Some(part) = parts.last_mut() else { continue };
        let own = || vec![0.0; documents.len()];
        let next = part.a.len();
        let at_a = *numbers.entry((true, a)).or_insert_with(|| {
            part.a.push(Group::new(if a < of_a { steps.0[a].clone() } else { own() }));
            next
        });
        let next = part.b.len();
        let at_b = *numbers.entry((false, b)).or_insert_with(|| {
            part.b.push(Group::new(if b < all { steps.1[b - of_a].clone() } else { own() }));
            next
        });
        part.a[at_a].edges.push(part.edges.len());
        part.b[at_b].edges.push(part.edges.len());
        part.edges.push(Edge { a: at_a, b: at_b, documents, on: 0 });
    }
    parts
}

fn root(roots: &mut [usize], mut of: usize) -> usize {
    while roots[of] != of {
        roots[of] = roots[roots[of]];
        of = roots[of];
    }
    of
}

impl Part {
    /// Choose one more document along the best path; what it gains, unless all are chosen.
    fn augment(&mut self) -> Option<f64> {
        let has_room = |edge: &Edge| edge.on < edge.documents.len();
        // Groups of B by what one more costs there: every group of A gets the first that it can reach.
        let open = self.b.iter().enumerate().filter(|(_, group)| group.edges.iter().any(|&e| has_room(&self.edges[e])));
        let mut ends: Vec<(f64, usize)> = open.map(|(j, group)| (group.next(), j)).collect();
        ends.sort_by(|one, other| one.0.total_cmp(&other.0));
        let mut from_a = vec![Step::Unseen; self.a.len()];
        let mut from_b = vec![Step::Unseen; self.b.len()];
        let mut best: Option<(f64, usize)> = None;
        let mut reached = Vec::new();
        for (cost, end) in ends {
            if from_b[end] != Step::Unseen {
                continue; // a cheaper one can be reached from it
            }
            from_b[end] = Step::End;
            reached.push(end);
            while let Some(j) = reached.pop() {
                for &edge in self.b[j].edges.iter().filter(|&&e| has_room(&self.edges[e])) {
                    let i = self.edges[edge].a;
                    if from_a[i] != Step::Unseen {
                        continue;
                    }
                    from_a[i] = Step::Along(edge);
                    let gained = self.a[i].next() - cost;
                    if best.is_none_or(|best| gained > best.0) {
                        best = Some((gained, i));
                    }
                    for &back in self.a[i].edges.iter().filter(|&&e| self.edges[e].on > 0) {
                        let other = self.edges[back].b;
                        if from_b[other] == Step::Unseen {
                            from_b[other] = Step::Along(back);
                            reached.push(other);
                        }
                    }
                }
            }
        }
        let (gained, mut i) = best?;
        self.a[i].on += 1;
        while let Step::Along(edge) = from_a[i] {
            self.edges[edge].on += 1;
            let j = self.edges[edge].b;
            let Step::Along(back) = from_b[j] else {
                self.b[j].on += 1;
                break;
            };
            self.edges[back].on -= 1;
            i = self.edges[back].a;
        }
        Some(gained)
    }
}
