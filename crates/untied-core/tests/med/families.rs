//! Pairs of rankings: at random, of the kinds that runs of a test collection make, and those made to be hard.

use untied_core::med::solve::{Document, Instance};

/// Random numbers by splitting (SplitMix64).
pub struct Random(pub u64);

impl Random {
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    }

    /// From 0 up to 1.
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    pub fn below(&mut self, most: usize) -> usize {
        (self.bits() % most as u64) as usize
    }

    /// Of the normal distribution.
    pub fn normal(&mut self) -> f64 {
        (-2.0 * (1.0 - self.unit()).ln()).sqrt() * (std::f64::consts::TAU * self.unit()).cos()
    }

    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }
}

/// Two rankings of documents by number; `known` tells what is known of a document.
pub fn instance(a: &[usize], b: &[usize], depth: usize, top: f64, known: impl Fn(usize) -> Option<f64>) -> Instance {
    let (a, b) = (&a[..a.len().min(depth)], &b[..b.len().min(depth)]);
    let mut documents: Vec<Document> = Vec::new();
    let mut ids: Vec<usize> = Vec::new();
    for (rank, &id) in (1..).zip(a) {
        ids.push(id);
        documents.push(Document { a: rank, b: 0, known: known(id) });
    }
    for (rank, &id) in (1..).zip(b) {
        match ids.iter().position(|x| *x == id) {
            Some(place) => documents[place].b = rank,
            None => {
                ids.push(id);
                documents.push(Document { a: 0, b: rank, known: known(id) });
            }
        }
    }
    Instance { depth, lengths: (a.len(), b.len()), documents, top }
}

/// A pair of at most 8 documents a ranking: short lists, few or many judged of some gains.
pub fn small(random: &mut Random, top: f64, gains: &[f64]) -> Instance {
    let depth = 1 + random.below(8);
    let pool = depth + random.below(4);
    let mut orders = [(0..pool).collect::<Vec<usize>>(), (0..pool).collect()];
    for order in &mut orders {
        random.shuffle(order);
        let length = if random.unit() < 0.3 { random.below(depth + 1) } else { depth };
        order.truncate(length);
    }
    let share = [0.0, 0.25, 0.75][random.below(3)];
    let mut known = || (random.unit() < share).then(|| gains[random.below(gains.len())]);
    let known: Vec<Option<f64>> = (0..pool).map(|_| known()).collect();
    instance(&orders[0], &orders[1], depth, top, |id| known[id])
}

/// What is known if a share of the documents is judged; `grades` are the gains that are judged, from the least.
pub fn judged(random: &mut Random, count: usize, depth: usize, share: f64, grades: &[f64]) -> Vec<Option<f64>> {
    let mut known = |rank: usize| {
        let relevant = 0.7 / (1.0 + rank as f64 / (depth as f64 / 10.0)) + 0.03;
        let (judged, on, which) = (random.unit() < share, random.unit() < relevant, random.below(grades.len() - 1));
        judged.then(|| if on { grades[1 + which] } else { grades[0] })
    };
    (0..count).map(&mut known).collect()
}

/// Kinds of pairs, by name.
pub const CLASSES: [&str; 8] = ["similar", "near", "mid", "far", "permsim", "permmid", "permrand", "reversed"];

/// A random pair of a class: two noisy views of one latent order, or two orders of the same documents.
pub fn class(name: &str, depth: usize, random: &mut Random) -> (Vec<usize>, Vec<usize>) {
    let noise = match name {
        "similar" | "permsim" => 0.08,
        "near" => 0.3,
        "mid" | "permmid" => 0.8,
        "far" => 2.2,
        "permrand" | "reversed" => {
            let mut a: Vec<usize> = (0..depth).collect();
            random.shuffle(&mut a);
            let mut b = a.clone();
            match name {
                "permrand" => random.shuffle(&mut b),
                _ => b.reverse(),
            }
            return (a, b);
        }
        _ => unreachable!("no class {name}"),
    };
    let count = if name.starts_with("perm") { depth } else { (40 * depth).max(400) };
    let mut view = || {
        let mut keyed: Vec<(f64, usize)> =
            (0..count).map(|rank| (((rank + 1) as f64).ln() - noise * random.normal(), rank)).collect();
        keyed.sort_by(|x, y| x.0.total_cmp(&y.0));
        keyed.into_iter().take(depth).map(|(_, rank)| rank).collect()
    };
    (view(), view())
}

/// Orders B of documents that A has in the order of their numbers, made to be hard. Numbers from the depth on are
/// documents that only B has.
pub fn adversarial(depth: usize, random: &mut Random) -> Vec<(String, Vec<usize>)> {
    let a: Vec<usize> = (0..depth).collect();
    let mut all = Vec::new();
    for shift in [1, 2, 3, depth / 10, depth / 4, depth / 3, depth / 2, depth - 1] {
        let mut b = a.clone();
        b.rotate_left(shift);
        all.push((format!("rotation by {shift}"), b));
    }
    for size in [3, 5, depth / 5, depth / 2] {
        for shift in [1, size / 2] {
            let b =
                a.chunks(size).flat_map(|block| [&block[shift.min(block.len())..], &block[..shift.min(block.len())]]);
            all.push((format!("rotation by {shift} in blocks of {size}"), b.flatten().copied().collect()));
        }
        let b = a.chunks(size).flat_map(|block| block.iter().rev()).copied().collect();
        all.push((format!("reversal of blocks of {size}"), b));
    }
    for width in [2.0, 5.0, depth as f64 / 5.0, depth as f64 / 2.0] {
        let mut keyed: Vec<(f64, usize)> = a.iter().map(|&x| (x as f64 + width * random.unit(), x)).collect();
        keyed.sort_by(|x, y| x.0.total_cmp(&y.0));
        all.push((format!("noise of {width}"), keyed.into_iter().map(|(_, x)| x).collect()));
    }
    for (count, noise) in [(1, 0), (3, 0), (depth / 10, 0), (depth / 5, 0), (depth / 10, 3), (depth / 5, 5)] {
        let mut b: Vec<usize> = a.clone();
        for new in 0..count {
            b.insert(random.below(depth / 2), depth + new);
        }
        for _ in 0..noise * depth / 10 {
            let place = random.below(depth - 1);
            b.swap(place, place + 1);
        }
        b.truncate(depth);
        all.push((format!("{count} insertions, noise {noise}"), b));
    }
    all
}
