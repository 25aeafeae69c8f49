//! Pairs of rankings for tests: small ones, typical ones and hard ones.

use super::{Document, Instance};
use crate::random::Random;

impl Instance {
    /// The instance with A and B exchanged.
    pub fn swapped(&self) -> Instance {
        let mut swapped = self.clone();
        swapped.swap();
        swapped
    }
}

/// An instance of two rankings of documents by number. `known` gives a document's judgment, if it has one.
pub(crate) fn instance(
    a: &[usize],
    b: &[usize],
    depth: usize,
    top: f64,
    known: impl Fn(usize) -> Option<f64>,
) -> Instance {
    let (a, b) = (&a[..a.len().min(depth)], &b[..b.len().min(depth)]);
    let rank = |list: &[usize], id: usize| list.iter().position(|&x| x == id).map_or(0, |at| at as u32 + 1);
    let ids = a.iter().chain(b.iter().filter(|id| !a.contains(id)));
    let documents = ids.map(|&id| Document { a: rank(a, id), b: rank(b, id), known: known(id) }).collect();
    Instance { depth, lengths: (a.len(), b.len()), documents, top }
}

/// The numbers below `count` in random order.
pub(crate) fn shuffled(count: usize, random: &mut Random) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    (1..count).for_each(|i| order.swap(i, random.below(i as u64 + 1) as usize));
    order
}

/// A pair of rankings with at most 8 documents. Few or many of them are judged.
pub(crate) fn small(random: &mut Random, top: f64, gains: &[f64]) -> Instance {
    let depth = 1 + random.below(8) as usize;
    let pool = depth + random.below(4) as usize;
    let mut order = || {
        let mut order = shuffled(pool, random);
        order.truncate(if random.unit() < 0.3 { random.below(depth as u64 + 1) as usize } else { depth });
        order
    };
    let (a, b) = (order(), order());
    let share = [0.0, 0.25, 0.75][random.below(3) as usize];
    let mut known = || (random.unit() < share).then(|| gains[random.below(gains.len() as u64) as usize]);
    let known: Vec<Option<f64>> = (0..pool).map(|_| known()).collect();
    instance(&a, &b, depth, top, |id| known[id])
}

/// Judgments of a share of the documents. `grades` are the gains that they may have, lowest first.
pub(crate) fn judged(random: &mut Random, depth: usize, share: f64, grades: &[f64]) -> Vec<Option<f64>> {
    let mut known = |rank: usize| {
        let relevant = 0.7 / (1.0 + rank as f64 / (depth as f64 / 10.0)) + 0.03;
        let which = random.below(grades.len() as u64 - 1) as usize;
        let (judged, on) = (random.unit() < share, random.unit() < relevant);
        judged.then(|| if on { grades[1 + which] } else { grades[0] })
    };
    (0..400.max(40 * depth)).map(&mut known).collect()
}

/// Kinds of pairs. Most are two noisy views of one order of documents; others are orders of the same documents.
pub(crate) const KINDS: [&str; 8] = ["similar", "near", "mid", "far", "permsim", "permmid", "permrand", "reversed"];

/// A random pair of a kind.
pub(crate) fn kind(name: &str, depth: usize, random: &mut Random) -> (Vec<usize>, Vec<usize>) {
    let noise = match name {
        "similar" | "permsim" => 0.08,
        "near" => 0.3,
        "mid" | "permmid" => 0.8,
        "far" => 2.2,
        "permrand" => return (shuffled(depth, random), shuffled(depth, random)),
        _ => {
            let a = shuffled(depth, random);
            return (a.clone(), a.into_iter().rev().collect());
        }
    };
    let count = if name.starts_with("perm") { depth } else { (40 * depth).max(400) };
    let mut view = || {
        let mut normal = || (-2.0 * (1.0 - random.unit()).ln()).sqrt() * (std::f64::consts::TAU * random.unit()).cos();
        let keys = (0..count).map(|rank| ((rank + 1) as f64).ln() - noise * normal());
        by_key(keys).into_iter().take(depth).collect()
    };
    (view(), view())
}

/// The numbers, sorted by their keys.
fn by_key(keys: impl Iterator<Item = f64>) -> Vec<usize> {
    let mut keyed: Vec<(f64, usize)> = keys.zip(0..).collect();
    keyed.sort_by(|x, y| x.0.total_cmp(&y.0));
    keyed.into_iter().map(|(_, x)| x).collect()
}

/// Hard orders of B, for documents that A has in the order of their numbers. Only B has documents with numbers from the
/// depth on.
pub(crate) fn adversarial(depth: usize, random: &mut Random) -> Vec<(String, Vec<usize>)> {
    let a: Vec<usize> = (0..depth).collect();
    let mut all = Vec::new();
    let mut blocks = |size: usize, shift: usize| {
        let b = a.chunks(size).flat_map(|block| {
            let (first, last) = block.split_at(shift.min(block.len()));
            [last, first].concat()
        });
        all.push((format!("rotation by {shift} in blocks of {size}"), b.collect()));
    };
    [1, 2, 3, depth / 10, depth / 4, depth / 3, depth / 2, depth - 1]
        .into_iter()
        .for_each(|shift| blocks(depth, shift));
    [3, 5, depth / 5, depth / 2].into_iter().for_each(|size| [1, size / 2].into_iter().for_each(|by| blocks(size, by)));
    for size in [3, 5, depth / 5, depth / 2] {
        let b = a.chunks(size).flat_map(|block| block.iter().rev()).copied().collect();
        all.push((format!("reversal of blocks of {size}"), b));
    }
    for width in [2.0, 5.0, depth as f64 / 5.0, depth as f64 / 2.0] {
        let keys = (0..depth).map(|x| x as f64 + width * random.unit());
        all.push((format!("noise of {width}"), by_key(keys)));
    }
    for (count, noise) in [(1, 0), (3, 0), (depth / 10, 0), (depth / 5, 0), (depth / 10, 3), (depth / 5, 5)] {
        let mut b: Vec<usize> = a.clone();
        (0..count).for_each(|new| b.insert(random.below(depth as u64 / 2) as usize, depth + new));
        for _ in 0..noise * depth / 10 {
            let place = random.below(depth as u64 - 1) as usize;
            b.swap(place, place + 1);
        }
        b.truncate(depth);
        all.push((format!("{count} insertions, noise {noise}"), b));
    }
    all
}

/// The largest value over all assignments of the gains 0 and `top` to unknown documents.
pub(crate) fn largest(instance: &Instance, mut value: impl FnMut(&[f64]) -> f64) -> f64 {
    let mut gains: Vec<f64> = instance.documents.iter().map(|x| x.known.unwrap_or(0.0)).collect();
    let open: Vec<usize> = (0..gains.len()).filter(|&i| instance.documents[i].known.is_none()).collect();
    let mut largest = f64::NEG_INFINITY;
    assignments(open.len(), &[0.0, instance.top], &mut |chosen| {
        open.iter().zip(chosen).for_each(|(&i, &gain)| gains[i] = gain);
        largest = largest.max(value(&gains));
    });
    largest
}

/// Visits every way to choose one of the values `n` times.
pub(crate) fn assignments(n: usize, values: &[f64], visit: &mut dyn FnMut(&[f64])) {
    let mut chosen = vec![values[0]; n];
    let mut number = vec![0; n];
    loop {
        visit(&chosen);
        let Some(i) = number.iter().position(|&v| v + 1 < values.len()) else { return };
        number[..i].fill(0);
        chosen[..i].fill(values[0]);
        number[i] += 1;
        chosen[i] = values[number[i]];
    }
}

/// Two rankings of a few documents, with ties.
#[derive(Debug)]
pub(crate) struct Tied {
    pub instance: Instance,
    /// The documents of A and of B.
    pub lists: (Vec<usize>, Vec<usize>),
    /// The ranks at which tie groups end.
    pub ends: (Vec<u32>, Vec<u32>),
}

impl Tied {
    pub fn draw(seed: u64) -> Tied {
        let mut random = Random::new(seed);
        let pool = 3 + random.below(4) as usize;
        Tied::of(pool, &mut random)
    }

    /// Nine documents, most of them unknown.
    pub fn draw_more(seed: u64) -> Tied {
        let mut tied = Tied::of(9, &mut Random::new(seed));
        tied.instance.documents.iter_mut().skip(3).for_each(|x| x.known = None);
        tied
    }

    fn of(pool: usize, random: &mut Random) -> Tied {
        let mut list = || {
            let mut order = shuffled(pool, random);
            order.truncate(pool - random.below(2) as usize);
            order
        };
        let lists = (list(), list());
        let mut ends = |list: &[usize]| {
            let mut ends: Vec<u32> = (1..list.len() as u32).filter(|_| random.below(2) == 0).collect();
            ends.push(list.len() as u32);
            ends
        };
        let ends = (ends(&lists.0), ends(&lists.1));
        let rank = |list: &[usize], x: usize| list.iter().position(|&y| y == x).map_or(0, |at| at as u32 + 1);
        let document = |x: usize| {
            let known = (random.below(4) == 0).then(|| [0.0, 0.25, 0.75, 1.0][random.below(4) as usize]);
            Document { a: rank(&lists.0, x), b: rank(&lists.1, x), known }
        };
        let documents: Vec<Document> = (0..pool).map(document).collect();
        let depth = pool + 1 - random.below(3) as usize;
        let instance = Instance { depth, lengths: (lists.0.len(), lists.1.len()), documents, top: 0.75 };
        Tied { instance, lists, ends }
    }

    /// The difference of a formula of gains by rank, as a mean over tie orders. Documents that A lacks down to the
    /// depth, and on for `beyond` ranks, gain `top`; those that B lacks gain nothing.
    pub fn difference(&self, gains: &[f64], beyond: usize, formula: impl Fn(&[f64]) -> f64) -> f64 {
        let Instance { depth, top, .. } = self.instance;
        let mean = |list: &[usize], ends: &[u32], lacking: f64| {
            let orders = orders(list, ends);
            let score = |order: &Vec<usize>| {
                let mut by_rank: Vec<f64> = order.iter().take(depth).map(|&x| gains[x]).collect();
                by_rank.resize(depth + beyond, lacking);
                formula(&by_rank)
            };
            orders.iter().map(score).sum::<f64>() / orders.len() as f64
        };
        mean(&self.lists.0, &self.ends.0, top) - mean(&self.lists.1, &self.ends.1, 0.0)
    }
}

/// Every order of the documents of a list's tie groups.
fn orders(list: &[usize], ends: &[u32]) -> Vec<Vec<usize>> {
    let mut found = vec![Vec::new()];
    for (at, &x) in list.iter().enumerate() {
        let group = ends.partition_point(|&end| end as usize <= at);
        let start = if group == 0 { 0 } else { ends[group - 1] as usize };
        let insert = |order: Vec<usize>| {
            (start..=order.len()).map(move |i| {
                let mut order = order.clone();
                order.insert(i, x);
                order
            })
        };
        found = found.into_iter().flat_map(insert).collect();
    }
    found
}
