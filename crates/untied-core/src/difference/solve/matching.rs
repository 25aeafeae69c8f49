//! Tied rankings in any order: the largest gain in A minus gain in B of m unknown documents, for each m, with A in its
//! best and B in its worst order for them.
//!
//! For given relevant documents A is best with these first in each of its tie groups, and B worst with them last. So a
//! group counts only how many n of its unknown documents are relevant; what one more gains never rises with n in A, and
//! never falls in B. A document is an edge from its group in A to its group in B (where a ranking lacks it, to
//! one that is worth nothing), and the problem a flow through a `Network`. What each unit gains never rises, and groups
//! that no document joins do not depend on each other: the gains of all parts in descending order are those of the whole.

use std::collections::BTreeMap;

use crate::difference::solve::network::{Edge, Network, Worth};

/// An unknown document: its group in A and in B, if these have it.
#[derive(Debug, Clone, Copy)]
pub struct Joint {
    pub a: Option<usize>,
    pub b: Option<usize>,
}

/// What a group gains with its first, second, ... relevant unknown document.
pub type Steps = Vec<f64>;

impl Worth for Steps {
    fn step(&self, chosen: usize) -> f64 {
        self.get(chosen).copied().unwrap_or(0.0)
    }
}

/// Groups that documents join, directly or through others.
type Part = Network<Steps>;

/// Everything that a query's unknown documents join.
#[derive(Debug)]
pub struct Matching {
    parts: Vec<Part>,
    /// What each further document of a part gains.
    gains: Vec<Vec<f64>>,
}

impl Matching {
    /// Documents, and the steps of the groups of A and of B.
    pub fn new(documents: &[Joint], steps: (&[Steps], &[Steps])) -> Matching {
        let mut parts = split(documents, steps);
        let gains =
            parts.iter_mut().map(|part| std::iter::from_fn(|| part.augment(f64::NEG_INFINITY)).collect()).collect();
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
            self.parts[part].augment(f64::NEG_INFINITY);
        }
        self.parts.iter().flat_map(Part::chosen).collect()
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
    let mut parts: Vec<(Vec<Steps>, Vec<Steps>, Vec<Edge>)> = Vec::new();
    let (mut last, mut numbers) = (None, BTreeMap::new());
    for ((part, a, b), documents) in edges {
        if last != Some(part) {
            parts.push(Default::default());
            (last, numbers) = (Some(part), BTreeMap::new());
        }
        let Some((groups_a, groups_b, edges)) = parts.last_mut() else { continue };
        let own = || vec![0.0; documents.len()];
        let at_a = *numbers.entry(a).or_insert_with(|| {
            groups_a.push(if a < of_a { steps.0[a].clone() } else { own() });
            groups_a.len() - 1
        });
        let at_b = *numbers.entry(b).or_insert_with(|| {
            groups_b.push(if b < all { steps.1[b - of_a].clone() } else { own() });
            groups_b.len() - 1
        });
        edges.push(Edge::new(at_a, at_b, documents));
    }
    parts.into_iter().map(|(a, b, edges)| Network::new(a, b, edges)).collect()
}

fn root(roots: &mut [usize], mut of: usize) -> usize {
    while roots[of] != of {
        roots[of] = roots[roots[of]];
        of = roots[of];
    }
    of
}
