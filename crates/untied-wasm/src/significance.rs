//! What tests count, and verdicts: for pages that ask again what a report found.

use serde_json::{Value, json};
use untied_core::certify::{self, Overturn, Verdict};
use untied_core::names::Spec;
use untied_core::registry;
use untied_core::statistics::{self, largest_ranges, randomization};
use untied_core::table::{Qrels, Run};
use untied_core::{Error, Result};

use crate::Session;
use crate::request::{Request, file, index, small};
use crate::values::{number, numbers};

/// For each list of differences: choices of signs whose sum has at least the magnitude, all that were made, and whether
/// these are all there are.
pub fn signs(request: &Request) -> Result<Value> {
    let (samples, seed) = (index(request, "samples")?, request.number("seed")?);
    let counted = request.columns("differences")?.into_iter().map(|differences| {
        let found = randomization(&differences, samples, seed)?;
        Ok(json!({ "beyond": found.beyond, "choices": found.choices, "exact": found.exact }))
    });
    Ok(json!({ "counts": counted.collect::<Result<Vec<_>>>()? }))
}

/// For every two runs, those of the first one first: deals of the queries' values in which the largest difference of two
/// sums is at least theirs.
pub fn deals(request: &Request) -> Result<Value> {
    let columns = request.columns("columns")?;
    if columns.iter().any(|column| column.len() != columns[0].len()) {
        return Err(Error::Value("every query must have a value of every run".to_owned()));
    }
    let ranges = largest_ranges(&columns, index(request, "samples")?, request.number("seed")?)?;
    let pairs = (0..columns.len()).flat_map(|a| (a + 1..columns.len()).map(move |b| (a, b)));
    Ok(json!({ "counts": pairs.map(|(a, b)| ranges.at_least(a, b)).collect::<Vec<_>>() }))
}

/// The bootstrap interval of the mean of some values.
pub fn interval(request: &Request) -> Result<Value> {
    let (samples, seed) = (index(request, "samples")?, request.number("seed")?);
    let (low, high) = statistics::interval(&request.column("values")?, request.float("level")?, samples, seed)?;
    Ok(json!({ "low": number(low), "high": number(high) }))
}

impl Session {
    /// For every two runs, those of the first one first, the verdict of a measure.
    pub(crate) fn certified(&mut self, request: &Request) -> Result<Value> {
        let found = self.with_unjudged_open(request, certify::certify)?;
        Ok(json!({ "verdicts": found.iter().flatten().map(concluded).collect::<Vec<_>>() }))
    }

    /// For pairs of runs, by their places in `runs`, the least and the most that their difference can be in each query.
    pub(crate) fn bounds(&mut self, request: &Request) -> Result<Value> {
        let (a, b, count) = (request.numbers("a")?, request.numbers("b")?, request.numbers("runs")?.len() as u64);
        if a.len() != b.len() || a.iter().chain(&b).any(|&place| place >= count) {
            return Err(Error::Value("a and b must name pairs by the places of their runs".to_owned()));
        }
        let pairs: Vec<_> = a.iter().zip(&b).map(|(&a, &b)| (a as usize, b as usize)).collect();
        let found = self.with_unjudged_open(request, |runs, qrels, specs, settings| {
            certify::spans(runs, &pairs, qrels, specs, settings)
        })?;
        let column = |pair: usize, end: fn((f64, f64)) -> f64| numbers(found.iter().map(|query| end(query[pair])));
        let of_pair = |pair| json!({ "low": column(pair, |ends| ends.0), "high": column(pair, |ends| ends.1) });
        Ok(json!({ "pairs": (0..pairs.len()).map(of_pair).collect::<Vec<_>>() }))
    }

    /// What one measure tells about runs, whatever the grades of unjudged documents are.
    fn with_unjudged_open<T>(
        &mut self,
        request: &Request,
        find: impl FnOnce(&[&Run], &Qrels, &[Spec], certify::Settings) -> Result<T>,
    ) -> Result<T> {
        let spec: Spec = registry::parse(request.text("measure")?)?;
        registry::check(&spec)?;
        let numbers: Vec<u32> = request.numbers("runs")?.into_iter().map(small).collect::<Result<_>>()?;
        let qrels = file(request, "qrels")?;
        self.read_qrels(qrels)?;
        numbers.iter().try_for_each(|&run| self.read_run(run))?;
        let runs = numbers.iter().map(|&run| self.run(run)).collect::<Result<Vec<_>>>()?;
        let mut settings = certify::Settings::new(request.text("ties")?, request.text("score_dtype")?)?;
        settings.unretrieved = request.text("unretrieved")? == "pooled";
        find(&runs, self.qrels(qrels)?, &[spec], settings)
    }
}

fn concluded(verdict: &Verdict) -> Value {
    let (overturn, exact) = match verdict.overturn {
        Overturn::Never => (json!("never"), true),
        Overturn::Needs(documents) => (documents.into(), true),
        Overturn::AtLeast(documents) => (documents.into(), false),
    };
    json!({
        "low": number(verdict.low), "high": number(verdict.high), "verdict": verdict.ahead.name(), "overturn": overturn,
        "overturn_is_exact": exact,
    })
}
