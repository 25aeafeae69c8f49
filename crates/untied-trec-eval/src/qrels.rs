//! Values of measures against qrels, one grade a document (`-R qrels`) or one of each judgment group (`-R qrels_jg`).

use untied_core::evaluate::{Evaluation, Plan, evaluate_and_look};
use untied_core::names::Spec;
use untied_core::ranking::Layout;
use untied_core::ranking::Ranking;
use untied_core::settings::{Settings, Take, Ties, Unjudged};
use untied_core::table::{Qrels, Run};

use crate::quirks;
use crate::report::Values;
use crate::topics::{collect, twice};
use crate::{Failure, Kind, Options, Printed, code, failure};

/// Lines of a report that are measures of the core.
struct Columns {
    /// Where they stand in the report.
    places: Vec<usize>,
    specs: Vec<Spec>,
}

impl Columns {
    fn new<'a>(lines: &'a [Printed], spec: impl Fn(&'a Kind) -> Option<&'a Spec>) -> Columns {
        let (mut places, mut specs) = (Vec::new(), Vec::new());
        for (place, line) in lines.iter().enumerate() {
            if let Some(spec) = spec(&line.kind) {
                places.push(place);
                specs.push(spec.clone());
            }
        }
        Columns { places, specs }
    }

    /// Evaluate all topics of the qrels; `shown` is how many documents `relstring` shows.
    fn evaluate(
        &self,
        qrels: &Qrels,
        run: &Run,
        options: &Options,
        shown: Option<usize>,
    ) -> Result<(Evaluation, Vec<Vec<u8>>), Failure> {
        let settings = Settings {
            ties: Ties { layout: Layout::ByDocument, ..Ties::default() },
            unjudged: Unjudged { kept: !options.judged_only, take: Take::Mean },
            depth: options.depth,
            placeholder: true,
            ..Settings::default()
        };
        let plan = Plan::built_by(quirks::build, &self.specs, qrels, run.longest(), None, settings.unjudged)
            .map_err(failure(code::INPUT))?;
        let look = |ranking: &Ranking| shown.map_or_else(Vec::new, |length| relevances(ranking, length));
        evaluate_and_look(qrels, run, &plan, settings, look).map_err(failure(code::MEASURE))
    }
}

/// Values against plain qrels.
pub fn values(qrels: &Qrels, run: &Run, lines: &[Printed], options: &Options) -> Result<Values, Failure> {
    let columns = Columns::new(lines, |kind| match kind {
        Kind::Count(spec) | Kind::Mean(spec) | Kind::Geometric(spec) => Some(spec),
        _ => None,
    });
    let shown = lines.iter().find_map(|line| match line.kind {
        Kind::Relevances(length) => Some(length),
        _ => None,
    });
    let is_emptied_string = lines.iter().any(|line| line.name == "relstring");
    let (evaluation, mut seen) = columns.evaluate(qrels, run, options, shown)?;
    let ids = (0..qrels.len()).map(|topic| qrels.id(topic));
    let needs_rankings = !columns.specs.is_empty() || shown.is_some();
    let mut values = collect(ids, run, lines.len(), options, needs_rankings, |topic, cells| {
        if let Some(row) = qrels.duplicate(topic.number).filter(|_| needs_rankings) {
            return Err(twice(topic, qrels.rows(topic.number).doc(row as usize), "judgments"));
        }
        for (measure, &place) in columns.places.iter().enumerate() {
            if topic.found.is_some() || !is_emptied(&lines[place].name) {
                cells[place] = evaluation.value(topic.number, measure).mean;
            }
        }
        Ok(if topic.found.is_some() || !is_emptied_string {
            std::mem::take(&mut seen[topic.number])
        } else {
            Vec::new()
        })
    });
    // Whatever -l says.
    values.relevant =
        options.complete.then(|| (0..qrels.len()).map(|topic| qrels.judgments(topic).relevant(1.0)).sum());
    Ok(values)
}

/// Names, as printed, that have no value for a topic without results (nor has `relstring` without a parameter); all
/// others have that of the ranking of one unknown document that trec_eval 10 evaluates instead.
fn is_emptied(name: &str) -> bool {
    matches!(name, "num_ret" | "utility" | "rbp_resid") || name.starts_with("unj")
}

/// A character for each of the first documents.
fn relevances(ranking: &Ranking, length: usize) -> Vec<u8> {
    let mut text = vec![b'-'; length.min(ranking.retrieved)];
    for group in ranking.groups_to(text.len()) {
        text[group.start] = match group.levels[0].grade {
            grade if grade > 9.0 => b'>',
            grade if grade >= 0.0 => b'0' + grade as u8,
            _ => b'.',
        };
    }
    text
}

/// Means over judgment groups, each with qrels of its own: of every topic the first group in the first qrels, and so on.
pub fn values_of_groups(groups: &[Qrels], run: &Run, lines: &[Printed], options: &Options) -> Result<Values, Failure> {
    let columns = Columns::new(lines, |kind| match kind {
        Kind::Groups(spec) => Some(spec),
        _ => None,
    });
    let evaluations =
        groups.iter().map(|qrels| Ok(columns.evaluate(qrels, run, options, None)?.0)).collect::<Result<Vec<_>, _>>()?;
    let topics = groups.first().map_or(0, |qrels| qrels.len());
    let ids = (0..topics).map(|topic| groups[0].id(topic));
    Ok(collect(ids, run, lines.len(), options, !columns.specs.is_empty(), |topic, cells| {
        let rows: Vec<(usize, &Evaluation)> =
            groups.iter().zip(&evaluations).map_while(|(qrels, of)| Some((qrels.find(topic.id)?, of))).collect();
        for (measure, &place) in columns.places.iter().enumerate() {
            let sum = rows.iter().fold(0.0, |sum, &(row, of)| sum + of.value(row, measure).mean);
            cells[place] = sum / rows.len() as f64;
        }
        Ok(Vec::new())
    }))
}
