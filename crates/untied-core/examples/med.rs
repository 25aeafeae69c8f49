//! Time that MED takes: microseconds of a pair, both directions, by class, depth and share of judged documents.
//!
//! `cargo run --release --example med [ap|err] [pairs]`

#[path = "../tests/med/families.rs"]
#[allow(dead_code)]
mod families;

use std::time::Instant;

use families::{CLASSES, Random, class, instance, judged};
use untied_core::med::solve::{Instance, Solution, cascade, quadratic};

fn main() {
    let mut arguments = std::env::args().skip(1);
    let measure = arguments.next().unwrap_or_else(|| "ap".into());
    let pairs: usize = arguments.next().and_then(|pairs| pairs.parse().ok()).unwrap_or(200);
    let mut reciprocal = cascade::Workspace::default();
    let mut average = quadratic::Workspace::default();
    let mut solve = |instance: &Instance| match measure.as_str() {
        "ap" => quadratic::solve(instance, 20_000, &mut average),
        "err" => cascade::solve(instance, true, 20_000, &mut reciprocal),
        _ => panic!("ap or err"),
    };
    println!("measure\tclass\tdepth\tjudged\tmean\tp50\tp99\tmax\tnodes\topen");
    for depth in [20, 100, 1000] {
        for share in [0.0, 0.25, 0.75] {
            for name in CLASSES {
                let count = if depth < 1000 { pairs } else { pairs / 10 };
                report(&measure, name, depth, share, count, &mut solve);
            }
        }
    }
}

fn report(
    measure: &str,
    name: &str,
    depth: usize,
    share: f64,
    pairs: usize,
    solve: &mut impl FnMut(&Instance) -> Solution,
) {
    let mut random = Random(depth as u64);
    let (mut times, mut nodes, mut open) = (Vec::new(), 0, 0);
    for _ in 0..pairs {
        let (a, b) = class(name, depth, &mut random);
        let known = judged(&mut random, 400.max(40 * depth), depth, share, &[0.0, 0.75]);
        let there = instance(&a, &b, depth, 0.75, |id| known[id]);
        let back = there.swapped();
        let start = Instant::now();
        let solutions = [solve(&there), solve(&back)];
        times.push(start.elapsed().as_secs_f64() * 1e6);
        nodes = solutions.iter().map(|x| x.nodes).max().unwrap_or(0).max(nodes);
        open += solutions.iter().filter(|x| x.bound > x.value).count();
    }
    times.sort_by(f64::total_cmp);
    let mean = times.iter().sum::<f64>() / pairs as f64;
    let (middle, high, most) = (times[pairs / 2], times[pairs * 99 / 100], times[pairs - 1]);
    println!("{measure}\t{name}\t{depth}\t{share}\t{mean:.1}\t{middle:.1}\t{high:.1}\t{most:.1}\t{nodes}\t{open}");
}
