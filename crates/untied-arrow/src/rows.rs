//! Values of queries as rows of an Arrow table, for engines that hold tables in partitions.

use std::sync::Arc;

use arrow_array::{ArrayRef, BooleanArray, Float64Array, RecordBatch, StringArray};
use arrow_schema::{ArrowError, DataType, Field, Schema};
use untied_core::error::text;
use untied_core::evaluate::MeasureValue;

/// Values of queries: a row for each query and measure, and one with only its name for every other query.
pub struct Rows {
    measures: Vec<String>,
    queries: Vec<String>,
    of: Vec<Option<usize>>,
    values: Vec<Option<MeasureValue>>,
    /// Columns of yes or no, with their names.
    flags: Vec<(&'static str, Vec<bool>)>,
    optional: Vec<&'static str>,
}

impl Rows {
    /// No rows; `optional` names columns of [low, high, variance] that there are, `flags` those of yes or no.
    pub fn new(measures: Vec<String>, optional: Vec<&'static str>, flags: &[&'static str]) -> Rows {
        let flags = flags.iter().map(|&name| (name, Vec::new())).collect();
        Rows { measures, queries: Vec::new(), of: Vec::new(), values: Vec::new(), flags, optional }
    }

    /// A query's value of a measure; or neither.
    pub fn push(&mut self, query: &[u8], value: Option<(usize, MeasureValue)>, flags: &[bool]) {
        self.queries.push(text(query));
        self.of.push(value.map(|(measure, _)| measure));
        self.values.push(value.map(|(_, value)| value));
        self.flags.iter_mut().zip(flags).for_each(|((_, column), &flag)| column.push(flag));
    }

    /// The rows as a batch.
    ///
    /// # Errors
    /// Columns have different lengths, which `push` prevents.
    pub fn batch(&self) -> Result<RecordBatch, ArrowError> {
        let number = |get: fn(&MeasureValue) -> Option<f64>| -> ArrayRef {
            Arc::new(Float64Array::from_iter(self.values.iter().map(|value| value.as_ref().and_then(get))))
        };
        let name = |measure: Option<usize>| measure.map(|measure| self.measures[measure].as_str());
        let certainty = |value: &Option<MeasureValue>| value.map(|value| value.certainty.name());
        let mut fields = vec![
            Field::new("query", DataType::Utf8, false),
            Field::new("measure", DataType::Utf8, true),
            Field::new("value", DataType::Float64, true),
        ];
        let mut columns: Vec<ArrayRef> = vec![
            Arc::new(StringArray::from_iter_values(&self.queries)),
            Arc::new(StringArray::from_iter(self.of.iter().copied().map(name))),
            number(|value| Some(value.mean)),
        ];
        for &column in &self.optional {
            fields.push(Field::new(column, DataType::Float64, true));
            columns.push(number(match column {
                "low" => |value| value.range.map(|range| range.0),
                "high" => |value| value.range.map(|range| range.1),
                _ => |value| value.variance,
            }));
        }
        fields.push(Field::new("certainty", DataType::Utf8, true));
        columns.push(Arc::new(StringArray::from_iter(self.values.iter().map(certainty))));
        for (name, flags) in &self.flags {
            fields.push(Field::new(*name, DataType::Boolean, false));
            columns.push(Arc::new(BooleanArray::from(flags.clone())));
        }
        RecordBatch::try_new(Arc::new(Schema::new(fields)), columns)
    }
}
