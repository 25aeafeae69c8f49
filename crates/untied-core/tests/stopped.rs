//! Work that is told to stop ends where it is, with that error.

use std::sync::Arc;

use rayon::ThreadPoolBuilder;
use untied_core::arrays::{DocumentCounts, Groups, LabelInput, Labels, NumberColumn};
use untied_core::compare::{self, Evidence};
use untied_core::statistics::{self, largest_ranges, randomization, randomizations};
use untied_core::table::{Chunk, Qrels, Run};
use untied_core::watch::Watch;
use untied_core::{Error, Result, check, registry};

/// What work gives that is told to stop before it begins.
fn stopped<T: Send>(work: impl FnOnce() -> Result<T> + Send) -> Result<T> {
    let watch = Arc::new(Watch::default());
    watch.stop();
    let under = Arc::clone(&watch);
    let pool = ThreadPoolBuilder::new().num_threads(2).start_handler(move |_| Arc::clone(&under).attend()).build();
    pool.expect("two threads").install(work)
}

fn chunk(documents: impl Iterator<Item = u32>) -> Chunk {
    let mut chunk = Chunk::new(1);
    chunk.start_query(b"q");
    for (row, document) in documents.enumerate() {
        chunk.block.docs.push(format!("d{document}").as_bytes());
        chunk.block.columns[0].push(-(row as f64));
    }
    chunk.finish();
    chunk
}

fn is_stopped<T>(outcome: &Result<T>) -> bool {
    matches!(outcome, Err(Error::Stopped))
}

#[test]
fn all_that_takes_long_stops() {
    let runs = [
        Run::new(vec![chunk(0..3000)], "a").expect("a run"),
        Run::new(vec![chunk((0..3000).map(|i| i * 7 % 3001))], "b").expect("a run"),
    ];
    let qrels = Qrels::new(vec![chunk(0..10)], "q").expect("qrels");
    assert!(is_stopped(&stopped(|| check::check(&qrels, &runs[0]))));
    assert!(is_stopped(&stopped(|| randomization(&[0.25; 60], usize::MAX, 0))));
    let ap = registry::parse("AP").expect("AP");
    let column = |value| statistics::RunValues::new("a", &ap, vec![value; 60], None).expect("a column");
    let (differences, a, b) = ([vec![0.25; 60]], column(0.5), column(0.25));
    assert!(is_stopped(&stopped(|| randomizations(&differences, &[(&a, &b)], usize::MAX, 0))));
    assert!(is_stopped(&stopped(|| largest_ranges(&[vec![0.5; 30], vec![0.5; 30]], 1000, 0))));
    assert!(is_stopped(&stopped(|| Qrels::new(vec![chunk(0..10)], "q"))));
    let labels = NumberColumn::Int64(&[1, 0, 0, 1]);
    let input = LabelInput { labels, present: None, judged: None, totals: DocumentCounts::InArray };
    assert!(is_stopped(&stopped(|| Labels::new(Groups::Rows(2, 2), &input))));
    for name in ["MED(AP@3000)", "MED(ERR@3000)", "MED(R@3000)", "RBO"] {
        let specs = registry::parse_all(name).expect(name);
        let both: Vec<&Run> = runs.iter().collect();
        let settings = compare::ComparisonSettings::default();
        let found = stopped(|| compare::compare(&both, &["a", "b"], Evidence::default(), &specs, settings));
        assert!(is_stopped(&found), "{name}");
    }
}
