//! Hits among the first R documents, divided by R, which the assignment moves: R-precision.
//!
//! For a given R a document weighs 1 if only A has it among the first R, -1 if only B has, else 0. With p unknown
//! documents of weight 1, z of weight 0 and m = R - r of them relevant, hits are at most known + min(m, p) -
//! max(0, m - p - z). From R to R + 1 one document of each ranking moves (or a tie group): O(n) for all R.

use super::share;

/// A document as far as it counts here.
#[derive(Debug, Clone, Copy)]
pub(in crate::certify) struct Counted {
    /// Whether it is relevant; none if unknown.
    pub relevant: Option<bool>,
    /// Its weight so far.
    weight: i8,
}

impl Counted {
    pub fn new(relevant: Option<bool>) -> Counted {
        Counted { relevant, weight: 0 }
    }
}

/// Documents, and where they stand: numbers of documents with ranks, in ascending order.
pub(in crate::certify) struct Placing {
    pub documents: Vec<Counted>,
    pub a: Vec<(u32, u32)>,
    pub b: Vec<(u32, u32)>,
    /// Judged documents that are relevant, wherever they are.
    pub relevant: usize,
    /// All unknown documents.
    pub unknown: usize,
}

/// The largest difference with exactly 0, 1, 2, ... unknown documents relevant.
pub(in crate::certify) fn at_moving_cutoff(mut placing: Placing) -> Vec<f64> {
    let Placing { documents, a, b, relevant, unknown } = &mut placing;
    let (mut known, mut plus, mut minus) = (0i64, 0i64, 0i64);
    let mut a = a.iter().peekable();
    let mut b = b.iter().peekable();
    let mut found = Vec::with_capacity(*unknown + 1);
    for cutoff in 0..=*relevant + *unknown {
        for (by, side) in [(1i8, &mut a), (-1, &mut b)] {
            while let Some(&&(document, _)) = side.peek().filter(|(_, rank)| *rank as usize <= cutoff) {
                side.next();
                let document = &mut documents[document as usize];
                match document.relevant {
                    Some(true) => known += i64::from(by),
                    Some(false) => {}
                    None => {
                        plus -= i64::from(document.weight > 0);
                        minus -= i64::from(document.weight < 0);
                        document.weight += by;
                        plus += i64::from(document.weight > 0);
                        minus += i64::from(document.weight < 0);
                    }
                }
            }
        }
        if cutoff >= *relevant {
            let m = (cutoff - *relevant) as i64;
            let least = (m - (*unknown as i64 - minus)).max(0);
            found.push(share((known + m.min(plus) - least) as f64, cutoff as f64));
        }
    }
    found
}
