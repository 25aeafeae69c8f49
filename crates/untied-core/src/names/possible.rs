//! Grades that a document without a judgment may have: one rule for bounds, verdicts and outlooks.
//!
//! They are 0 and every grade of the qrels above 0. If none of these is relevant to the measure, the qrels do not say
//! what a relevant document's grade would be; then the lowest relevant whole number is possible too, or `rel` if that
//! isn't a whole number. So a missing judgment can make a document relevant to any measure.

use super::{Spec, Value};

/// Parameters with a table of grades. A grade that such a table lacks is refused.
const TABLES: [&str; 3] = ["gain", "go_on", "stops"];

impl Spec {
    /// The grades that an unjudged document may have if the qrels have `grades`, highest first; the last one is 0.
    pub fn possible_grades(&self, of_qrels: &[f64]) -> Vec<f64> {
        let mut grades: Vec<f64> = of_qrels.iter().copied().filter(|&grade| grade > 0.0).collect();
        if !grades.iter().any(|&grade| self.is_relevant(grade)) {
            grades.extend(self.least_relevant());
        }
        grades.push(0.0);
        grades.sort_unstable_by(|one, other| other.total_cmp(one));
        grades.dedup();
        grades
    }

    fn is_relevant(&self, grade: f64) -> bool {
        let gains = |(name, table): (&str, &[(f64, f64)])| match table.iter().find(|entry| entry.0 == grade) {
            Some(&(_, number)) => name != "gain" || number > 0.0,
            None => false,
        };
        grade >= self.least_grade().unwrap_or(0.0) && self.tables().all(gains)
    }

    /// The lowest relevant grade; None if the tables of the parameters have none.
    fn least_relevant(&self) -> Option<f64> {
        if let Some((_, table)) = self.tables().next() {
            let relevant = table.iter().map(|entry| entry.0).filter(|&grade| grade > 0.0 && self.is_relevant(grade));
            return relevant.min_by(f64::total_cmp);
        }
        let least = match self.parameter("min_rel") {
            _ if self.info.by_user => return Some(1.0),
            Some(Value::Number(none)) => none.floor() + 1.0,
            _ => self.least_grade().unwrap_or(1.0).max(1.0),
        };
        Some(match self.parameter("max_grade") {
            Some(&Value::Number(most)) => least.min(most),
            _ => least,
        })
    }

    fn tables(&self) -> impl Iterator<Item = (&'static str, &[(f64, f64)])> {
        let names = if self.info.by_user { &[][..] } else { &TABLES };
        names.iter().filter_map(|&name| match self.parameter(name) {
            Some(Value::Table(table)) => Some((name, table.as_slice())),
            _ => None,
        })
    }
}
