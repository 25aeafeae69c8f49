//! Every target over its corpus, and over a fixed sample of mutations of it: the same on every machine, but for nightly
//! runs.

#![cfg(unix)]

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::PathBuf;

#[path = "../../untied-core/nightly.rs"]
mod nightly;

use nightly::{many, seeded};
use untied_fuzz::{TARGETS, run as run_target};

/// Splitmix64.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % n.max(1) as u64) as usize
    }
}

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fuzz")
}

/// The files of a corpus, in the order of their names.
fn corpus(target: &str) -> Vec<Vec<u8>> {
    let entries = std::fs::read_dir(folder().join("corpus").join(target)).expect("a corpus for every target");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("a file").path()).collect();
    paths.sort();
    assert!(!paths.is_empty(), "{target} has no corpus");
    paths.iter().map(|path| std::fs::read(path).expect("a file")).collect()
}

/// The words of the dictionary.
fn words() -> Vec<Vec<u8>> {
    let text = std::fs::read_to_string(folder().join("dictionary")).expect("a dictionary");
    let lines = text.lines().filter_map(|line| line.strip_prefix('"')?.strip_suffix('"'));
    lines.map(unescaped).collect()
}

fn unescaped(word: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = word;
    while let Some(at) = rest.find("\\x") {
        bytes.extend_from_slice(&rest.as_bytes()[..at]);
        bytes.push(u8::from_str_radix(&rest[at + 2..at + 4], 16).expect("two hexadecimal digits"));
        rest = &rest[at + 4..];
    }
    bytes.extend_from_slice(rest.as_bytes());
    bytes
}

/// One to six small changes.
fn mutate(data: &mut Vec<u8>, other: &[u8], words: &[Vec<u8>], random: &mut Random) {
    for _ in 0..=random.below(6) {
        let at = random.below(data.len() + 1);
        let end = at + random.below(data.len() + 1 - at).min(40);
        match random.below(8) {
            0 if at < data.len() => data[at] ^= 1 << random.below(8),
            1 if at < data.len() => data[at] = random.below(256) as u8,
            2 => data.insert(at, random.below(256) as u8),
            3 => drop(data.drain(at..end)),
            4 => {
                let copy = data[at..end].to_vec();
                let to = random.below(data.len() + 1);
                data.splice(to..to, copy);
            }
            5 => {
                let from = random.below(other.len() + 1);
                let piece = &other[from..from + random.below(other.len() + 1 - from)];
                data.splice(at..at, piece.iter().copied());
            }
            6 => data.truncate(at.max(data.len() / 2)),
            _ => drop(data.splice(at..at, words[random.below(words.len())].iter().copied())),
        }
        data.truncate(4096);
    }
}

fn try_one(target: &str, data: &[u8]) {
    if let Err(panic) = catch_unwind(AssertUnwindSafe(|| run_target(target, data))) {
        eprintln!("target {target} failed on b\"{}\"", data.escape_ascii());
        resume_unwind(panic);
    }
}

fn sample(name: &str) {
    let target = TARGETS.iter().find(|target| target.name == name).expect("the name of a target");
    let (corpus, words) = (corpus(name), words());
    corpus.iter().for_each(|data| try_one(name, data));
    let mut random = Random(seeded(name.bytes().fold(1, |seed, byte| seed * 31 + u64::from(byte))));
    for round in 0..many(target.sample) {
        let mut data = corpus[round % corpus.len()].clone();
        let other = &corpus[random.below(corpus.len())];
        mutate(&mut data, other, &words, &mut random);
        try_one(name, &data);
    }
}

macro_rules! targets {
    ($($name:ident),*) => {
        $(#[test] fn $name() { sample(stringify!($name)); })*

        #[test]
        fn every_target_is_tested() {
            let names: Vec<&str> = TARGETS.iter().map(|target| target.name).collect();
            assert_eq!(names, [$(stringify!($name)),*]);
            for name in names {
                assert!(folder().join("fuzz_targets").join(format!("{name}.rs")).exists(), "{name} has no binary");
            }
        }
    };
}

targets!(run, qrels, lenient, trec_eval, grammar, archives, blocks, evaluation, oracle, med, rbo, letor, arrow, tables);
