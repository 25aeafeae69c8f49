//! Small random pairs of rankings, and every assignment of gains to their unknown documents.

use super::expected::Uncertain;
use super::scores::Scores;
use super::{Document, Instance};
use crate::random::Random;

/// Two short rankings.
#[derive(Debug)]
pub(crate) struct Case {
    pub instance: Instance,
}

impl Case {
    /// Equal, shifted, shuffled, or with documents of their own; either may be short; some documents are judged.
    pub fn draw(seed: u64, known: &[f64]) -> Case {
        let mut random = Random::new(seed);
        let depth = 2 + random.below(4) as usize;
        let pool = depth + random.below(3) as usize;
        let mut order: Vec<usize> = (0..pool).collect();
        let of_a: Vec<usize> = order.clone();
        match random.below(4) {
            0 => {}
            1 => order.rotate_left(random.below(pool as u64) as usize),
            _ => (1..pool).for_each(|i| order.swap(i, random.below(i as u64 + 1) as usize)),
        }
        let mut length = || depth - if random.below(4) == 0 { random.below(depth as u64) as usize } else { 0 };
        let lengths = (length(), length());
        let judged = random.below(3) as f64 * 0.35;
        let rank = |list: &[usize], length: usize, x: usize| {
            list[..length].iter().position(|&y| y == x).map_or(0, |at| at as u32 + 1)
        };
        let document = |x: usize| {
            let known = (random.unit() < judged).then(|| known[random.below(known.len() as u64) as usize]);
            Document { a: rank(&of_a, lengths.0, x), b: rank(&order, lengths.1, x), known }
        };
        let documents: Vec<Document> = (0..pool).map(document).filter(|x| x.a > 0 || x.b > 0).collect();
        let top = known.iter().copied().fold(0.0, f64::max);
        Case { instance: Instance { depth, lengths, documents, top } }
    }

    /// Ranks that A and that B lacks.
    pub fn lacking(&self) -> (usize, usize) {
        let Instance { depth, lengths, .. } = self.instance;
        (depth - lengths.0, depth - lengths.1)
    }

    /// Gains of A and of B by rank; those that are lacking have these.
    pub fn by_rank(&self, gains: &[f64], lacking: (f64, f64)) -> (Vec<f64>, Vec<f64>) {
        let mut lists = (vec![lacking.0; self.instance.depth], vec![lacking.1; self.instance.depth]);
        for (x, &gain) in self.instance.documents.iter().zip(gains) {
            if x.a > 0 {
                lists.0[x.a as usize - 1] = gain;
            }
            if x.b > 0 {
                lists.1[x.b as usize - 1] = gain;
            }
        }
        lists
    }

    /// The difference under the gains of a solution, which has the best of what is lacking.
    pub fn value(&self, gains: &[f64], difference: impl Fn(&[f64], &[f64]) -> f64) -> f64 {
        let unknown = self.instance.documents.iter().zip(gains).all(|(x, &gain)| x.known.is_none_or(|g| g == gain));
        assert!(unknown, "judged documents keep their gains");
        let (a, b) = self.by_rank(gains, (self.instance.top, 0.0));
        difference(&a, &b)
    }

    /// The largest difference over all assignments, also to documents that are lacking.
    pub fn largest(&self, values: &[f64], mut difference: impl FnMut(&[f64], &[f64]) -> f64) -> f64 {
        let Instance { depth, lengths, documents, .. } = &self.instance;
        let unknown = documents.iter().filter(|x| x.known.is_none()).count();
        let lacking = self.lacking();
        let mut largest = f64::NEG_INFINITY;
        assignments(unknown + lacking.0 + lacking.1, values, &mut |chosen| {
            let (shown, others) = chosen.split_at(unknown);
            let mut next = shown.iter();
            let gains: Vec<f64> =
                documents.iter().map(|x| x.known.unwrap_or_else(|| *next.next().expect("one for each"))).collect();
            let (mut a, mut b) = self.by_rank(&gains, (0.0, 0.0));
            a[lengths.0..*depth].copy_from_slice(&others[..lacking.0]);
            b[lengths.1..*depth].copy_from_slice(&others[lacking.0..]);
            largest = largest.max(difference(&a, &b));
        });
        largest
    }
}

/// Every choice of one of the values for each of `n`.
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

pub(crate) fn dot(gains: &[f64], discounts: &[f64]) -> f64 {
    gains.iter().zip(discounts).map(|(gain, discount)| gain * discount).sum()
}

/// Rankings of a few documents, with ties.
#[derive(Debug)]
pub(crate) struct Tied {
    pub instance: Instance,
    /// Documents of A and of B in some order.
    pub lists: (Vec<usize>, Vec<usize>),
    /// Where their tie groups end.
    pub ends: (Vec<u32>, Vec<u32>),
    /// Falling, one for each rank.
    pub discounts: Vec<f64>,
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
        let mut shuffled = || {
            let mut order: Vec<usize> = (0..pool).collect();
            (1..pool).for_each(|i| order.swap(i, random.below(i as u64 + 1) as usize));
            order.truncate(pool - random.below(2) as usize);
            order
        };
        let lists = (shuffled(), shuffled());
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
        let mut discounts: Vec<f64> = (0..depth).map(|_| random.unit()).collect();
        discounts.sort_by(|one, other| other.total_cmp(one));
        let instance = Instance { depth, lengths: (lists.0.len(), lists.1.len()), documents, top: 0.75 };
        Tied { instance, lists, ends, discounts }
    }

    /// The largest difference over all gains 0 and r_G of unknown documents.
    pub fn largest(&self, difference: impl Fn(&[f64]) -> f64) -> f64 {
        let documents = &self.instance.documents;
        let unknown = documents.iter().filter(|x| x.known.is_none()).count();
        let mut largest = f64::NEG_INFINITY;
        assignments(unknown, &[0.0, self.instance.top], &mut |chosen| {
            let mut next = chosen.iter();
            let gain = |x: &Document| x.known.unwrap_or_else(|| *next.next().expect("one for each"));
            largest = largest.max(difference(&documents.iter().map(gain).collect::<Vec<_>>()));
        });
        largest
    }
}

/// Every order of the documents of a list's tie groups.
pub(crate) fn orders(list: &[usize], ends: &[u32]) -> Vec<Vec<usize>> {
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

/// A formula of gains by rank, for two rankings without ties.
#[derive(Debug, Clone)]
pub(crate) struct Untied<F> {
    /// Numbers of documents by rank.
    a: Vec<Option<usize>>,
    b: Vec<Option<usize>>,
    formula: F,
}

impl<F: Fn(&[f64]) -> f64> Untied<F> {
    /// What a ranking lacks up to the depth gains nothing: see [`Instance::filled`].
    pub fn new(instance: &Instance, formula: F) -> Untied<F> {
        let (mut a, mut b) = (vec![None; instance.depth], vec![None; instance.depth]);
        for (i, x) in instance.documents.iter().enumerate() {
            if x.a > 0 {
                a[x.a as usize - 1] = Some(i);
            }
            if x.b > 0 {
                b[x.b as usize - 1] = Some(i);
            }
        }
        Untied { a, b, formula }
    }

    fn score(&self, ranking: &[Option<usize>], gains: &[f64]) -> f64 {
        let by_rank: Vec<f64> = ranking.iter().map(|document| document.map_or(0.0, |i| gains[i])).collect();
        (self.formula)(&by_rank)
    }
}

impl<F: Fn(&[f64]) -> f64> Scores for Untied<F> {
    fn a(&self, gains: &[f64]) -> f64 {
        self.score(&self.a, gains)
    }

    fn b(&self, gains: &[f64]) -> f64 {
        self.score(&self.b, gains)
    }
}

/// The documents of an instance, of which those that are not judged are relevant with a probability.
pub(crate) fn uncertain(instance: &Instance, chance: impl Fn(&Document) -> f64) -> Vec<Uncertain> {
    instance.documents.iter().map(|x| Uncertain::of(x, instance.top, || chance(x))).collect()
}
