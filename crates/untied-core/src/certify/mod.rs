//! Conclusions about two runs with incomplete judgments: bounds of their mean difference, whether one run is certainly
//! better, and how many further relevant documents would end its lead.
//!
//! A measure tells by [`question::Ceiling`] what S(A) - S(B) cannot exceed with at most 0, 1, 2, ... unknown documents
//! relevant, its normaliser moving with them; one file each or one for a close family, listed in [`catalogue`]. The other
//! direction is the same with A and B exchanged. What finds these is in [`solve`], which knows no measure. Assignments
//! of queries are independent, so the bounds of the mean are the means of the bounds; what couples queries is a number
//! of documents that they share: [`overturn`].

mod any_order;
mod apart;
mod average_precision;
mod cascade;
mod catalogue;
mod certifier;
mod first;
mod given;
mod known;
mod laid_out;
mod overturn;
mod preference;
mod question;
mod r_precision;
mod solve;
mod spans;
mod sums;

pub use overturn::Overturn;
pub use question::Witness;
pub use spans::spans;

use rayon::prelude::*;

use self::certifier::{Sides, certifiers};
use self::laid_out::Pairing;
use crate::error::Result;
use crate::names::Spec;
use crate::ranking::{Layout, Precision};
use crate::settings;
use crate::table::{Qrels, Run};
use crate::watch;

/// What is unknown, and how documents are ordered.
#[derive(Debug, Clone, Copy, Default)]
pub struct Settings {
    /// See [`Layout`]; tied ones give means over all orders.
    pub layout: Layout,
    /// See [`Precision`].
    pub precision: Precision,
    /// Whether documents outside the pool are non-relevant.
    pub pool_only: bool,
    /// Whether documents of the pool (with a negative grade) that neither run retrieves may be relevant.
    pub unretrieved: bool,
    /// The most unknown documents of a query that may be relevant.
    pub most: Option<usize>,
    /// Whether tied documents may stand in any order, each run's apart; else they give means.
    pub any_order: bool,
}

impl Settings {
    /// Settings by the names of their values; ties `trec` is `docid` over 32-bit scores, `range` any order.
    ///
    /// # Errors
    /// Nothing has such a name, or `trec` meets another precision.
    pub fn new(ties: &str, precision: &str) -> Result<Settings> {
        let any_order = ties == "range";
        let (layout, precision) = settings::layout(if any_order { "expected" } else { ties }, precision)?;
        Ok(Settings { layout, precision, any_order, ..Settings::default() })
    }

    /// The most unknown documents of a query that may be relevant, or more than there are.
    fn most(&self) -> usize {
        self.most.unwrap_or(usize::MAX)
    }
}

/// Which run is certainly better.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ahead {
    /// The first.
    A,
    /// The second.
    B,
    /// It is open.
    Open,
}

impl Ahead {
    /// What certificates say.
    pub fn name(self) -> &'static str {
        ["A", "B", "open"][self as usize]
    }
}

/// What can be concluded about two runs in a measure.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Verdict {
    /// The least that the mean of A less that of B can be.
    pub low: f64,
    /// The most.
    pub high: f64,
    /// Whether these are reached, and do not only enclose what can be.
    pub is_exact: bool,
    /// Which run is certainly better.
    pub ahead: Ahead,
    /// The least number of further relevant documents, over all queries together, with which the run that is ahead
    /// without them is no more; 0 where none is.
    pub overturn: Overturn,
    /// The most further relevant documents a query with which the verdict is certain: `usize::MAX` for any number, none
    /// if it is not even without any.
    pub largest: Option<usize>,
}

/// What can be concluded about a query.
#[derive(Debug, Clone, PartialEq)]
pub struct Explained<'a> {
    /// Its number in the qrels.
    pub query: usize,
    /// The least and the most that the difference can be.
    pub bounds: (f64, f64),
    /// Grades with which it is the least and the most, as far as they are known.
    pub ends: (Witness, Witness),
    /// The documents of this query that together with those of the others overturn the verdict first, where that is.
    pub overturning: Witness,
    /// Ids of documents by number.
    pub documents: Vec<&'a [u8]>,
}

/// The verdicts of all measures about every two runs, pair by pair.
///
/// # Errors
/// A measure has no verdict or is refused, as is a score.
pub fn certify(runs: &[&Run], qrels: &Qrels, specs: &[Spec], settings: Settings) -> Result<Vec<Vec<Verdict>>> {
    let certifiers = certifiers(runs, qrels, specs, settings)?;
    let queries = laid_out::all(runs, qrels, settings)?;
    let pairs: Vec<(usize, usize)> = (0..runs.len()).flat_map(|a| (a + 1..runs.len()).map(move |b| (a, b))).collect();
    watch::begin(|| "certifying".into(), "pairs of runs", Some(pairs.len() as u64));
    let of_pair = |pairing: &mut Pairing, &pair: &(usize, usize)| -> Result<Vec<Verdict>> {
        let mut found = vec![Sides::new(queries.len()); specs.len()];
        for query in &queries {
            pairing.with(query, pair, |of, swapped| {
                for (certifier, found) in certifiers.iter().zip(&mut found) {
                    found.push(certifier.both(of, swapped));
                }
            });
            watch::check()?;
        }
        for (certifier, found) in certifiers.iter().zip(&mut found) {
            certifier.settle(found, pairing, &queries, pair)?;
        }
        watch::step(1)?;
        Ok(certifiers.iter().zip(&found).map(|(certifier, found)| certifier.verdict(found).0).collect())
    };
    pairs.par_iter().map_init(Pairing::default, of_pair).collect()
}

/// Why the verdict of a measure about two runs is as it is, query by query.
///
/// # Errors
/// See [`certify`].
pub fn explain<'a>(
    runs: (&'a Run, &'a Run),
    qrels: &'a Qrels,
    spec: &Spec,
    settings: Settings,
) -> Result<(Verdict, Vec<Explained<'a>>)> {
    let runs = [runs.0, runs.1];
    let certifier = &certifiers(&runs, qrels, std::slice::from_ref(spec), settings)?[0];
    let queries = laid_out::all(&runs, qrels, settings)?;
    let mut pairing = Pairing::default();
    let mut found = Sides::new(queries.len());
    for query in &queries {
        found.push(pairing.with(query, (0, 1), |of, swapped| certifier.both(of, swapped)));
        watch::check()?;
    }
    certifier.settle(&mut found, &mut pairing, &queries, (0, 1))?;
    let (verdict, chosen) = certifier.verdict(&found);
    let a_is_behind = certifier.behind(&found).is_some_and(|behind| behind.is_a);
    let most = settings.most();
    let explained = queries.iter().enumerate().map(|(number, query)| {
        let (ends, overturning) = pairing.with(query, (0, 1), |of, swapped| {
            let against = |most: usize| certifier.witness(swapped, most).turned();
            let overturning = if a_is_behind { certifier.witness(of, chosen[number]) } else { against(chosen[number]) };
            ((against(most), certifier.witness(of, most)), overturning)
        });
        watch::check()?;
        let bounds = (0.0 - found.down[number].at(most), found.up[number].at(most));
        Ok(Explained { query: query.number, bounds, ends, overturning, documents: query.documents.clone() })
    });
    Ok((verdict, explained.collect::<Result<Vec<_>>>()?))
}
