//! Features from files in SVMlight's form.

use std::ops::Range;

use rayon::prelude::*;

use super::{Batch, Data};
use crate::error::{Result, show};
use crate::read::letor::{Letor, LetorDocuments};

impl Data for Letor {
    type Batch<'a> = Vec<LetorDocuments>;

    fn queries(&self) -> usize {
        self.len()
    }

    fn id(&self, query: usize) -> String {
        show(Letor::id(self, query))
    }

    fn documents(&self, query: usize) -> usize {
        Letor::documents(self, query)
    }

    fn features(&self) -> usize {
        Letor::features(self).len()
    }

    fn grades(&self) -> &[f64] {
        self.labels()
    }

    fn bytes(&self, query: usize) -> u64 {
        Letor::bytes(self, query)
    }

    fn load(&self, queries: Range<usize>) -> Result<Vec<LetorDocuments>> {
        let load = |query| {
            let mut documents = LetorDocuments::default();
            self.read(query, &mut documents)?;
            Ok(documents)
        };
        let loaded: Vec<Result<LetorDocuments>> = queries.into_par_iter().map(load).collect();
        loaded.into_iter().collect()
    }
}

impl Batch for Vec<LetorDocuments> {
    fn labels(&self) -> Vec<f64> {
        self.iter().flat_map(|documents| documents.labels.iter().copied()).collect()
    }

    fn values(&self, feature: usize, values: &mut Vec<f64>) -> Result<usize> {
        values.clear();
        let mut given = 0;
        for documents in self {
            let start = values.len();
            values.resize(start + documents.labels.len(), 0.0);
            let pairs = documents.column(feature);
            given += pairs.len();
            pairs.iter().for_each(|&(row, value)| values[start + row as usize] = value);
        }
        Ok(given)
    }
}
