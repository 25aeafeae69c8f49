//! Significance tests and verdicts: for pages that ask again what a report found.

use serde_json::{Value, json};
use untied_core::certify::{self, Overturn, Verdict};
use untied_core::names::Spec;
use untied_core::registry;
use untied_core::settings::Purpose;
use untied_core::statistics::{PairedValues, RunValues, decide, interval, randomization, tukey};
use untied_core::table::Run;
use untied_core::{Error, Result};

use crate::Session;
use crate::request::{Request, file, index, seed, settings, small};
use crate::values::{number, numbers};

/// Runs' values of one measure, with their bounds if any.
fn columns(request: &Request) -> Result<Vec<RunValues>> {
    let spec = registry::parse(request.text("measure")?)?;
    let of = |member: &str| Ok(request.has(member).then(|| request.columns(member)).transpose()?.map(Vec::into_iter));
    let (mut low, mut high) = (of("low")?, of("high")?);
    let mut next = || Some([low.as_mut()?.next()?, high.as_mut()?.next()?]);
    let values = request.texts("runs")?.into_iter().zip(request.columns("mean")?);
    values.map(|(run, mean)| RunValues::new(run, &spec, mean, next())).collect()
}

/// Pairs of runs, by their places.
fn places(request: &Request, count: usize) -> Result<Vec<(usize, usize)>> {
    let (a, b) = (request.numbers("a")?, request.numbers("b")?);
    if a.len() != b.len() || a.iter().chain(&b).any(|&place| place >= count as u64) {
        return Err(Error::Value("a and b must name pairs by the places of their runs".to_owned()));
    }
    Ok(a.iter().zip(&b).map(|(&a, &b)| (a as usize, b as usize)).collect())
}

/// Runs side by side, by the places of the runs. If differences have bounds (`least` and `most`, of each pair), these hold
/// for both runs together.
fn pairs(request: &Request, columns: &[RunValues], places: &[(usize, usize)]) -> Result<Vec<PairedValues>> {
    let of = |member: &str| request.has(member).then(|| request.columns(member)).transpose();
    let (low, high) = (of("least")?.unwrap_or_default(), of("most")?.unwrap_or_default());
    let pair = |(place, &(a, b)): (usize, &(usize, usize))| {
        let ends = low.get(place).zip(high.get(place)).map(|(low, high)| ([low.as_slice(), high.as_slice()], false));
        PairedValues::new(&columns[a], &columns[b], ends)
    };
    places.iter().enumerate().map(pair).collect()
}

/// The lowest and the highest difference of each pair of runs, and how the first stands to the second.
pub fn standings(request: &Request) -> Result<Value> {
    let columns = columns(request)?;
    let pairs = pairs(request, &columns, &places(request, columns.len())?)?;
    let of_pair = |pair: &PairedValues| {
        let [low, high] = pair.ends.map(number);
        json!({ "low": low, "high": high, "standing": pair.standing().name() })
    };
    Ok(json!({ "pairs": pairs.iter().map(of_pair).collect::<Vec<_>>() }))
}

/// Test pairs of runs in one measure. Something is open if values have bounds.
pub fn tests(request: &Request) -> Result<Value> {
    let columns = columns(request)?;
    let places = places(request, columns.len())?;
    let pairs = pairs(request, &columns, &places)?;
    let (samples, seed) = (index(request, "samples")?, seed(request)?);
    let two_sided =
        |differences: &[f64]| randomization(differences, samples, seed).map(|counts| counts.p(counts.beyond));
    let (is_open, test) = (request.has("low"), request.text("test")?);
    let p = match test {
        "randomization" => pairs.iter().map(|pair| two_sided(&pair.differences)).collect::<Result<_>>()?,
        "tukey" => tukey(&columns.iter().collect::<Vec<_>>(), &places, samples, seed)?,
        _ => return Err(Error::Value(format!("test must be randomization or tukey, not {test}"))),
    };
    let bounded = pairs.iter().filter(|_| is_open);
    let ends: Vec<[f64; 2]> = bounded.clone().map(|pair| pair.ends).collect();
    let p_most =
        bounded.filter(|_| test == "randomization").map(|pair| two_sided(&pair.nearest)).collect::<Result<Vec<_>>>()?;
    let (p, _, significant, survives) =
        decide(&p, &p_most, &ends, request.text("correction")?, request.float("level")?)?;
    let found = pairs.iter().zip(&places).enumerate().map(|(place, (pair, &(a, b)))| {
        let [least, most] = ends.get(place).copied().unwrap_or([pair.difference; 2]);
        json!({
            "a": a, "b": b, "p": number(p[place]), "significant": significant[place],
            "survives": survives[place], "difference": number(pair.difference), "least": number(least),
            "most": number(most), "counts": pair.counts, "quantiles": numbers(pair.quantiles().into_iter()),
        })
    });
    Ok(
        json!({ "tests": found.collect::<Vec<_>>(), "unsettled": pairs.iter().map(|pair| pair.dropped[1]).sum::<usize>() }),
    )
}

/// The bootstrap interval of each run's aggregate.
pub fn intervals(request: &Request) -> Result<Value> {
    let (level, samples, seed) = (request.float("level")?, index(request, "samples")?, seed(request)?);
    let of_run = |column: &RunValues| {
        let (low, high) = interval(&column.defined(), level, samples, seed)?;
        Ok([low, high].map(|mean| number(column.of_mean(mean))))
    };
    Ok(json!({ "intervals": columns(request)?.iter().map(of_run).collect::<Result<Vec<_>>>()? }))
}

impl Session {
    /// For every two runs, those of the first one first, the verdict of a measure.
    pub(crate) fn certified(&mut self, request: &Request) -> Result<Value> {
        let found = self.with_unjudged_open(request, certify::certify)?;
        Ok(json!({ "verdicts": found.iter().flatten().map(concluded).collect::<Vec<_>>() }))
    }

    /// For pairs of runs, by their places in `runs`, the least and the most that their difference can be in each query.
    pub(crate) fn bounds(&mut self, request: &Request) -> Result<Value> {
        let pairs = places(request, request.numbers("runs")?.len())?;
        let found = self.with_unjudged_open(request, |runs, evidence, specs, settings| {
            certify::spans(runs, &pairs, evidence, specs, settings)
        })?;
        let column = |pair: usize, end: fn((f64, f64)) -> f64| numbers(found.iter().map(|query| end(query[pair])));
        let of_pair = |pair| json!({ "low": column(pair, |ends| ends.0), "high": column(pair, |ends| ends.1) });
        Ok(json!({ "pairs": (0..pairs.len()).map(of_pair).collect::<Vec<_>>() }))
    }

    /// What one measure tells about runs, whatever the grades of unjudged documents are.
    fn with_unjudged_open<T>(
        &mut self,
        request: &Request,
        find: impl FnOnce(&[&Run], certify::Evidence<'_>, &[Spec], certify::VerdictSettings) -> Result<T>,
    ) -> Result<T> {
        let spec: Spec = registry::parse(request.text("measure")?)?;
        registry::check(&spec)?;
        let numbers: Vec<u32> = request.numbers("runs")?.into_iter().map(small).collect::<Result<_>>()?;
        let qrels = file(request, "qrels")?;
        self.read_qrels(qrels)?;
        numbers.iter().try_for_each(|&run| self.read_run(run))?;
        let runs = numbers.iter().map(|&run| self.run(run)).collect::<Result<Vec<_>>>()?;
        let policies = settings(request, Purpose::Verdicts, &["ties", "score_dtype", "unretrieved"])?;
        find(&runs, self.qrels(qrels)?.into(), &[spec], certify::VerdictSettings::new(policies))
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
