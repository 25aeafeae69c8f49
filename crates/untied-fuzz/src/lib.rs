//! Bodies of the fuzz targets: each takes bytes and panics where the core is wrong.
//!
//! They need no fuzzer: `fuzz/` runs them under libFuzzer, `tests/corpus.rs` on the corpora and a fixed sample of
//! mutations. What they compare the core with is written here from the formats' and measures' definitions.

#![cfg(unix)]

mod archives;
mod arrow;
mod arrow_columns;
mod blocks;
mod case;
mod grammar;
mod held;
mod invariants;
mod lenient;
mod letor;
mod oracle;
mod pairs;
mod readers;
mod scratch;
mod second;
mod second_table;
mod tables;
mod threads;

/// A target: a name, and what to do with bytes.
pub struct Target {
    /// Its name: also that of its corpus and of its binary.
    pub name: &'static str,
    /// Panics where the core is wrong.
    pub run: fn(&[u8]),
    /// Executions in the test of a fixed sample; ten times as many in a nightly run.
    pub sample: usize,
}

/// All targets.
pub static TARGETS: &[Target] = &[
    Target { name: "run", run: readers::run, sample: 2000 },
    Target { name: "qrels", run: readers::qrels, sample: 2000 },
    Target { name: "lenient", run: lenient::tables, sample: 2000 },
    Target { name: "trec_eval", run: lenient::command, sample: 1000 },
    Target { name: "grammar", run: grammar::names, sample: 500 },
    Target { name: "archives", run: archives::archives, sample: 30 },
    Target { name: "blocks", run: blocks::blocks, sample: 4 },
    Target { name: "evaluation", run: invariants::evaluation, sample: 500 },
    Target { name: "oracle", run: oracle::oracle, sample: 1000 },
    Target { name: "med", run: pairs::med, sample: 1000 },
    Target { name: "rbo", run: pairs::rbo, sample: 100 },
    Target { name: "letor", run: letor::letor, sample: 2000 },
    Target { name: "arrow", run: arrow::batches, sample: 2000 },
    Target { name: "tables", run: tables::tables, sample: 200 },
];

/// Run a target by its name.
///
/// # Panics
/// Where the core is wrong, and where no target has this name.
pub fn run(name: &str, data: &[u8]) {
    let target = TARGETS.iter().find(|target| target.name == name).expect("the name of a target");
    threads::alone();
    (target.run)(data);
}
