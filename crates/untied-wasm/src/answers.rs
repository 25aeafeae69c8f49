//! Answers requests; there is one function for each kind.

use serde_json::{Value, json};
use untied_core::check::{self, TOP};
use untied_core::compare::{self, Evidence};
use untied_core::error::show;
use untied_core::evaluate::Prepared;
use untied_core::names::{Aggregate, Spec};
use untied_core::ranking;
use untied_core::registry;
use untied_core::settings::{Purpose, SCORE_DTYPE, Settings};
use untied_core::table::Table;
use untied_core::{Error, Result};

use crate::Session;
use crate::measures::families;
use crate::request::{Request, file, index, settings, small};
use crate::significance;
use crate::values::{facts, number, numbers, value};

impl Session {
    pub(crate) fn answer_to(&mut self, request: &Request) -> Result<Value> {
        match request.text("do")? {
            "measures" => Ok(json!({ "version": env!("CARGO_PKG_VERSION"), "families": families() })),
            "name" => name(request),
            "open" => self.open(request),
            "forget" => {
                self.forget(file(request, "file")?);
                Ok(json!({}))
            }
            "evaluate" => self.evaluated(request),
            "check" => self.checked(request),
            "relevant" => self.relevant(request),
            "ties" => self.ties(request),
            "judged" => self.judged(request),
            "rankings" => self.rankings(request),
            "compare" => self.compared(request),
            "moved" => self.moved(request),
            "certify" => self.certified(request),
            "bounds" => self.bounds(request),
            "standings" => significance::standings(request),
            "tests" => significance::tests(request),
            "intervals" => significance::intervals(request),
            other => Err(Error::Value(format!("no request is called '{}'", show(other.as_bytes())))),
        }
    }

    /// A file is here, as text or stored by the core: how much it holds, unless it is so large that it is read later.
    fn open(&mut self, request: &Request) -> Result<Value> {
        let number = file(request, "file")?;
        self.add(number, request.text("name")?, request.number("bytes")?, request.has("stored"));
        let opened = if request.text("kind")? == "qrels" { self.open_qrels(number) } else { self.open_run(number) };
        if opened.is_err() {
            self.forget(number);
        }
        opened
    }

    fn open_qrels(&mut self, number: u32) -> Result<Value> {
        self.read_qrels(number)?;
        let qrels = self.qrels(number)?;
        Ok(json!({ "queries": qrels.len(), "rows": rows(qrels), "grades": numbers(qrels.grades().iter().copied()) }))
    }

    fn open_run(&mut self, number: u32) -> Result<Value> {
        if self.is_large(number)? {
            return Ok(json!({ "large": true }));
        }
        self.read_run(number)?;
        let run = self.run(number)?;
        let ties = ranking::tie_counts(run, ranking::Precision::Float64)?;
        Ok(json!({ "large": false, "queries": run.len(), "rows": ties.documents, "tied": ties.tied }))
    }

    /// Evaluate a run: aggregates, and values measure by measure.
    fn evaluated(&mut self, request: &Request) -> Result<Value> {
        let (qrels, run) = (file(request, "qrels")?, file(request, "run")?);
        let specs: Vec<Spec> = request.texts("measures")?.into_iter().map(registry::parse).collect::<Result<_>>()?;
        specs.iter().try_for_each(registry::check)?;
        let names: Vec<String> = specs.iter().map(ToString::to_string).collect();
        let policies = ["ties", "unjudged", "unretrieved", "score_dtype", "queries", "on_undefined"];
        let settings = Settings { variance: request.has("variance"), ..settings(request, Purpose::Runs, &policies)? };
        self.read_qrels(qrels)?;
        let prepared = Prepared::new(specs, settings, self.qrels(qrels)?, None)?;
        let evaluation = self.evaluate((qrels, run), &prepared)?;
        let truth = self.qrels(qrels)?;
        let of_measure = |measure: usize| {
            let all = || (0..evaluation.queries.len()).map(|row| evaluation.value(row, measure));
            let mut columns = json!({ "mean": numbers(all().map(|value| value.mean)) });
            if settings.has_range() {
                columns["low"] = numbers(all().filter_map(|value| value.range).map(|range| range.0));
                columns["high"] = numbers(all().filter_map(|value| value.range).map(|range| range.1));
            }
            if settings.variance {
                columns["variance"] = numbers(all().map(|value| value.variance.unwrap_or(f64::NAN)));
            }
            columns
        };
        Ok(json!({
            "measures": names,
            "columns": evaluation.columns(),
            "queries": evaluation.queries.iter().map(|&query| show(truth.id(query))).collect::<Vec<_>>(),
            "totals": evaluation.totals.iter().copied().map(value).collect::<Vec<_>>(),
            "values": (0..names.len()).map(of_measure).collect::<Vec<_>>(),
            "facts": facts(&evaluation.facts),
        }))
    }

    /// Problems of a run and qrels.
    fn checked(&mut self, request: &Request) -> Result<Value> {
        let (qrels, run) = (file(request, "qrels")?, self.ranked_run(file(request, "run")?)?);
        self.read_qrels(qrels)?;
        let qrels = self.qrels(qrels)?;
        let found = check::check(qrels, &run)?;
        let judged = |queries: &[usize]| queries.iter().map(|&query| show(qrels.id(query))).collect::<Vec<_>>();
        let near = found.near_queries.iter().map(|&(ours, theirs)| [show(run.id(ours)), show(qrels.id(theirs))]);
        Ok(json!({
            "queries": found.queries,
            "documents": found.documents,
            "absent": judged(&found.absent),
            "unknown": found.unknown.iter().map(|&query| show(run.id(query))).collect::<Vec<_>>(),
            "near_queries": near.collect::<Vec<_>>(),
            "rank_contradicts": found.rank_contradicts,
            "rank_not_a_number": found.rank_not_a_number,
            "tied_queries": found.tied_queries,
            "tied_documents": found.tied_documents,
            "tied_in_32_bits": found.tied_in_32_bits,
            "depths": found.depths,
            "top": [TOP, found.top.retrieved, found.top.judged],
            "judged": found.judged,
            "near_document": found.near_document.map(|(ours, theirs)| [show(&ours), show(&theirs)]),
            "without_relevant": judged(&found.without_relevant),
            "repeated": found.repeated,
            "swapped": found.swapped,
            "tags": found.tags.iter().map(|tag| show(tag)).collect::<Vec<_>>(),
            // Shares, so that the page computes nothing.
            "tied_share": number(found.tied_documents as f64 / found.documents as f64),
            "judged_share": number(found.top.share()),
        }))
    }

    /// The number of relevant documents of every judged query.
    fn relevant(&mut self, request: &Request) -> Result<Value> {
        let qrels = file(request, "qrels")?;
        self.read_qrels(qrels)?;
        let qrels = self.qrels(qrels)?;
        let relevant = |query| qrels.judgments(query).judgments().filter(|&grade| grade > 0.0).count();
        Ok(json!({
            "queries": (0..qrels.len()).map(|query| show(qrels.id(query))).collect::<Vec<_>>(),
            "relevant": (0..qrels.len()).map(relevant).collect::<Vec<_>>(),
        }))
    }

    /// How many documents of a run are tied.
    fn ties(&mut self, request: &Request) -> Result<Value> {
        let run = file(request, "run")?;
        self.read_run(run)?;
        let ties = ranking::tie_counts(self.run(run)?, SCORE_DTYPE.read(Purpose::Runs, request.text("score_dtype")?)?)?;
        Ok(json!({
            "documents": ties.documents, "tied": ties.tied, "queries": ties.queries, "all_tied": ties.all_tied,
            "largest": ties.largest, "deepest": ties.deepest,
        }))
    }

    /// How many documents of a run there are to each depth, and how many of them are judged.
    fn judged(&mut self, request: &Request) -> Result<Value> {
        let (qrels, run) = (file(request, "qrels")?, file(request, "run")?);
        let depths: Vec<usize> = request.numbers("depths")?.into_iter().map(|depth| depth as usize).collect();
        let read_as = SCORE_DTYPE.read(Purpose::Runs, request.text("score_dtype")?)?;
        self.read_qrels(qrels)?;
        self.read_run(run)?;
        let tops = check::judged_tops(self.qrels(qrels)?, self.run(run)?, &depths, read_as)?;
        Ok(json!({
            "retrieved": tops.iter().map(|top| top.retrieved).collect::<Vec<_>>(),
            "judged": numbers(tops.iter().map(|top| top.judged)),
        }))
    }

    /// The first documents of a query in some runs, by tie group, with their grades.
    fn rankings(&mut self, request: &Request) -> Result<Value> {
        let (query, depth) = (request.text("query")?, index(request, "depth")?);
        let read_as = SCORE_DTYPE.read(Purpose::Runs, request.text("score_dtype")?)?;
        let mut of_runs = Vec::new();
        for run in request.numbers("runs")? {
            let run = small(run)?;
            self.read_run(run)?;
            let run = self.run(run)?;
            let Some(found) = place(run, query) else {
                of_runs.push(json!({ "groups": [], "beyond": 0, "total": 0 }));
                continue;
            };
            let truth = if request.has("qrels") { Some(self.qrels(file(request, "qrels")?)?) } else { None };
            let truth = truth.and_then(|qrels| Some(qrels.judgments(place(qrels, query)?)));
            let (top, rows) = (ranking::top(run, found, depth, read_as)?, run.rows(found));
            let scores = run.scores(found);
            let document = |&row: &u32| {
                let row = row as usize;
                let grade = truth.as_ref().and_then(|truth| truth.grade(rows.doc(row), rows.hashes()[row]));
                json!({ "id": show(rows.doc(row)), "grade": grade.map(number), "score": number(scores[row]) })
            };
            let groups = top.groups.iter().map(|group| group.iter().map(document).collect::<Vec<_>>());
            let groups = groups.collect::<Vec<_>>();
            of_runs.push(json!({ "groups": groups, "beyond": top.beyond, "total": rows.len() }));
        }
        Ok(json!({ "runs": of_runs }))
    }

    /// Compare two runs, with judgments for the largest differences where qrels are given.
    fn compared(&mut self, request: &Request) -> Result<Value> {
        let specs: Vec<Spec> = request.texts("measures")?.into_iter().map(compare::parse).collect::<Result<_>>()?;
        let settings = compare::ComparisonSettings::new(settings(request, Purpose::Pairs, &["ties", "score_dtype"])?);
        let (a, b) = self.two(request)?;
        let known = if request.has("qrels") { Some(file(request, "qrels")?) } else { None };
        let known = known.map(|qrels| self.qrels(qrels)).transpose()?;
        let (a, b) = (self.run(a)?, self.run(b)?);
        let evidence = Evidence { qrels: known, ..Evidence::default() };
        let found = compare::compare(&[a, b], &["a", "b"], evidence, &specs, settings)?;
        let found = &found[0];
        let of_query = |query: usize| -> Vec<Value> {
            (0..specs.len()).map(|measure| value(found.values.get(query * specs.len() + measure))).collect()
        };
        Ok(json!({
            "measures": specs.iter().map(ToString::to_string).collect::<Vec<_>>(),
            "lower": specs.iter().map(|spec| spec.info.lower_is_better).collect::<Vec<_>>(),
            "queries": found.queries.iter().map(|&query| show(a.id(query))).collect::<Vec<_>>(),
            "totals": found.totals.iter().copied().map(value).collect::<Vec<_>>(),
            "values": (0..found.queries.len()).map(of_query).collect::<Vec<_>>(),
            "alone": found.alone,
        }))
    }

    /// The documents at the top of one of two rankings of a query, with their ranks in both.
    fn moved(&mut self, request: &Request) -> Result<Value> {
        let settings = compare::ComparisonSettings::new(settings(request, Purpose::Pairs, &["ties", "score_dtype"])?);
        let settings = compare::ComparisonSettings { depth: Some(index(request, "depth")?), ..settings };
        let (a, b) = self.two(request)?;
        let runs = (self.run(a)?, self.run(b)?);
        let shown = request.text("query")?;
        let id = [runs.0, runs.1].into_iter().find_map(|run| Some(run.id(place(run, shown)?)));
        let moved = compare::moved(runs, None, id.unwrap_or(shown.as_bytes()), settings)?;
        let ranks = |rank: compare::Rank| [rank.first, rank.last];
        let document = |one: &compare::Moved<'_>| json!({ "id": show(one.document), "a": one.a.map(ranks), "b": one.b.map(ranks) });
        Ok(json!({ "documents": moved.iter().map(document).collect::<Vec<_>>() }))
    }

    /// The runs `a` and `b`, both of which are read.
    fn two(&mut self, request: &Request) -> Result<(u32, u32)> {
        let (a, b) = (file(request, "a")?, file(request, "b")?);
        if self.is_large(a)? && self.is_large(b)? {
            return Err(Error::Value("two runs this large do not fit a browser's memory; use untied compare".into()));
        }
        self.read_run(a)?;
        self.read_run(b)?;
        Ok((a, b))
    }
}

/// The canonical name of a measure, and what its parameters decide.
fn name(request: &Request) -> Result<Value> {
    let spec = registry::parse(request.text("measure")?)?;
    if !registry::compares(spec.info) {
        registry::check(&spec)?;
    }
    let scale = match spec.aggregate()? {
        Aggregate::Mean => "mean",
        Aggregate::Geometric => "log",
        Aggregate::Sum => "sum",
    };
    Ok(json!({
        "name": spec.to_string(),
        "measure": spec.info.name,
        "compares": registry::compares(spec.info),
        "lower": spec.info.lower_is_better,
        "scale": scale,
        "least": spec.least_grade().map(number),
    }))
}

/// The place of a query by its id or, if escapes stand for some of its bytes, by what answers show of it.
fn place(table: &Table, shown: &str) -> Option<usize> {
    let by_text = || (0..table.len()).find(|&query| show(table.id(query)) == shown);
    table.find(shown.as_bytes()).or_else(|| if shown.contains('\\') { by_text() } else { None })
}

fn rows(table: &Table) -> usize {
    (0..table.len()).map(|query| table.rows(query).len()).sum()
}
