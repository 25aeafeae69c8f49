//! Microseconds a pair of rankings, for every similarity named: `cargo run --release --example similarity_speed`, with
//! `DEPTH PAIRS MEASURE...` to choose them. Joining is not counted: pairs are made before the clock starts.

use std::time::Instant;

use untied_core::compare::parse;
use untied_core::measures::Scope;
use untied_core::ranking::{Pair, SharedDocuments, Side};
use untied_core::registry::{Comparator, comparator};
use untied_core::similarity::Overlaps;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |at: usize, default: usize| arguments.get(at).map_or(default, |text| text.parse().expect("a number"));
    let (depth, pairs) = (number(0, 100), number(1, 20_000));
    let default = ["RBO", "Overlap@10", "AO@10", "Jaccard@10", "Tau", "TauAP"].map(String::from);
    let names = arguments.get(2..).filter(|names| !names.is_empty()).unwrap_or(&default);
    let mut chance = Chance(1);
    let drawn: Vec<Pair> = (0..pairs).map(|_| pair(depth, &mut chance)).collect();
    for name in names {
        let spec = parse(name).expect("a measure");
        let scope = Scope { depth: 0, grades: &[] };
        let Comparator::Similarity(similarity) = comparator(&spec, &scope).expect("right parameters") else {
            panic!("{name} is no similarity");
        };
        let ready: Vec<Overlaps> = drawn.iter().cloned().map(Overlaps::new).collect();
        let start = Instant::now();
        let sum: f64 = ready.iter().map(|overlaps| similarity.score(overlaps, false).value).sum();
        let each = start.elapsed().as_secs_f64() * 1e6 / pairs as f64;
        println!("{name}\tdepth {depth}\t{each:.3} us a pair\tmean {:.4}", sum / pairs as f64);
    }
}

/// Two rankings without ties that share most documents, some of them far away.
fn pair(depth: usize, chance: &mut Chance) -> Pair {
    let mut places: Vec<u32> = (0..depth as u32 * 3 / 2).collect();
    for _ in 0..depth {
        let one = chance.below(places.len());
        let other = (one + chance.below(10)).min(places.len() - 1);
        places.swap(one, other);
    }
    let blocks = (0..).zip(&places[..depth]).filter(|(_, b)| **b < depth as u32);
    let blocks = blocks.map(|(a, &b)| SharedDocuments { a, b, count: 1 }).collect();
    let side = || Side::new((1..=depth as u32).collect());
    Pair { a: side(), b: side(), blocks }
}

/// A small generator of numbers, the same everywhere (xorshift).
struct Chance(u64);

impl Chance {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit as u64) as usize
    }
}
