//! Differences of rankings of passages, for Python.

use pyo3::prelude::*;
use untied_core::difference::decay::Decay;
use untied_core::difference::passages::{Passage, Passages, solve};

/// Document, start, length.
type Text = (u32, u64, u64);

fn passage((document, start, length): Text) -> Passage {
    Passage { document, start, length }
}

/// The largest S(A) - S(B) and S(B) - S(A). The decay is linear, with what it falls to 0 over, or else exponential, with
/// its half-life.
#[pyfunction]
#[pyo3(signature = (a, b, judged, *, top, linear, length, overhead, filled))]
pub fn passage_differences(
    a: Vec<Text>,
    b: Vec<Text>,
    judged: Vec<(u32, u64, u64, f64)>,
    top: f64,
    linear: bool,
    length: f64,
    overhead: f64,
    filled: bool,
) -> (f64, f64) {
    let ranking = |list: Vec<Text>| list.into_iter().map(passage).collect();
    let known = judged.into_iter().map(|(document, start, length, gain)| (passage((document, start, length)), gain));
    let decay = if linear { Decay::Linear { length } } else { Decay::Exponential { half_life: length } };
    let mut both = Passages { a: ranking(a), b: ranking(b), known: known.collect(), top, decay, overhead, filled };
    let up = solve(&both).value;
    std::mem::swap(&mut both.a, &mut both.b);
    (up, solve(&both).value)
}
