//! Features from columns of numbers.

use std::ops::Range;

use super::{Batch, Data};
use crate::arrays::NumberColumn;
use crate::error::{Error, Result, show};

/// Features as columns of numbers, in which the documents of a query are consecutive.
pub struct FeatureColumns<'a> {
    ids: Vec<Box<[u8]>>,
    documents: Vec<Range<usize>>,
    labels: NumberColumn<'a>,
    features: Vec<(NumberColumn<'a>, &'a str)>,
    grades: Vec<f64>,
}

impl<'a> FeatureColumns<'a> {
    /// Takes queries with their ids and documents, the labels of all documents (NaN if not judged), and features with names.
    ///
    /// # Errors
    /// There is no query or no feature, a query has two ids, lengths do not match, or a label is infinite.
    pub fn new(
        queries: Vec<(Box<[u8]>, Range<usize>)>,
        labels: NumberColumn<'a>,
        features: Vec<(NumberColumn<'a>, &'a str)>,
    ) -> Result<FeatureColumns<'a>> {
        let mut queries = queries;
        queries.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        let wrong = |what: String| Err(Error::Value(what));
        if queries.is_empty() || features.is_empty() {
            return wrong("no feature to evaluate: the data is empty".into());
        }
        if let Some(pair) = queries.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            return wrong(format!("query {} comes again after other queries", show(&pair[0].0)));
        }
        if let Some((_, range)) = queries.iter().find(|(_, range)| range.start > range.end || range.end > labels.len())
        {
            return wrong(format!("a query has documents {range:?} of {}", labels.len()));
        }
        if let Some((column, name)) = features.iter().find(|(column, _)| column.len() != labels.len()) {
            return wrong(format!(
                "{name}: expected {} values, one for each label, found {}",
                labels.len(),
                column.len()
            ));
        }
        let mut grades = Vec::new();
        labels.visit(0..labels.len(), |grade| grades.push(grade + 0.0)); // -0 is 0
        if let Some(document) = grades.iter().position(|grade| grade.is_infinite()) {
            return wrong(format!(
                "labels: expected finite numbers or NaN, found {} in row {document}",
                grades[document]
            ));
        }
        grades.retain(|grade| !grade.is_nan());
        grades.sort_unstable_by(|a, b| b.total_cmp(a));
        grades.dedup();
        let (ids, documents) = queries.into_iter().unzip();
        Ok(FeatureColumns { ids, documents, labels, features, grades })
    }

    /// The id of a query, by its number in the order of ids.
    pub fn id(&self, query: usize) -> &[u8] {
        &self.ids[query]
    }
}

impl Data for FeatureColumns<'_> {
    type Batch<'b>
        = FeatureRows<'b>
    where
        Self: 'b;

    fn queries(&self) -> usize {
        self.ids.len()
    }

    fn id(&self, query: usize) -> String {
        show(&self.ids[query])
    }

    fn documents(&self, query: usize) -> usize {
        self.documents[query].len()
    }

    fn features(&self) -> usize {
        self.features.len()
    }

    fn grades(&self) -> &[f64] {
        &self.grades
    }

    fn bytes(&self, query: usize) -> u64 {
        (self.documents[query].len() * size_of::<f64>()) as u64
    }

    fn load(&self, queries: Range<usize>) -> Result<FeatureRows<'_>> {
        Ok(FeatureRows { columns: self, queries })
    }
}

/// The rows of some queries.
pub struct FeatureRows<'a> {
    columns: &'a FeatureColumns<'a>,
    queries: Range<usize>,
}

impl FeatureRows<'_> {
    fn gather(&self, column: &NumberColumn<'_>, values: &mut Vec<f64>) {
        values.clear();
        for rows in &self.columns.documents[self.queries.clone()] {
            column.visit(rows.clone(), |value| values.push(value));
        }
    }
}

impl Batch for FeatureRows<'_> {
    fn labels(&self) -> Vec<f64> {
        let mut labels = Vec::new();
        self.gather(&self.columns.labels, &mut labels);
        labels
    }

    fn values(&self, feature: usize, values: &mut Vec<f64>) -> Result<usize> {
        let (column, name) = &self.columns.features[feature];
        self.gather(column, values);
        // Numbers of double precision cannot represent all larger integers.
        const WHOLE: f64 = 9_007_199_254_740_992.0;
        let is_wide = matches!(column, NumberColumn::Int64(_) | NumberColumn::Uint64(_));
        let is_wrong = |value: &f64| !value.is_finite() || is_wide && value.abs() > WHOLE;
        let Some(wrong) = values.iter().position(is_wrong) else { return Ok(values.len()) };
        let mut row = wrong;
        let queries = &self.columns.documents[self.queries.clone()];
        let document = queries.iter().find_map(|rows| {
            let document = (row < rows.len()).then_some(rows.start + row);
            row = row.wrapping_sub(rows.len());
            document
        });
        let (document, value) = (document.unwrap_or_default(), values[wrong]);
        let expected = if value.is_finite() { "integers of at most 2^53" } else { "finite numbers" };
        Err(Error::Value(format!("{name}: expected {expected}, found {value} in row {document} (counted from 0)")))
    }
}
