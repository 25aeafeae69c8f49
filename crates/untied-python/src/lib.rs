//! The border between untied's core and Python: conversion of types and of errors, nothing else.

#![warn(missing_docs)]
#![allow(clippy::too_many_arguments, reason = "functions that Python calls take options by name")]

mod arrays;
mod arrow;
mod batches;
mod calls;
mod certify;
mod check;
mod compare;
mod convert;
mod defined;
mod errors;
mod evaluate;
mod features;
mod formats;
mod from_rows;
mod laws;
mod mappings;
mod measure;
mod outlook;
mod overlap;
mod part;
mod passages;
mod policies;
mod pytrec_eval;
mod registered;
mod statistics;
mod tables;
mod threads;
mod top;
mod trec_eval;

/// The native part of `untied`.
#[pyo3::pymodule]
mod _core {
    #[pymodule_export]
    use super::arrays::{ArrayEvaluation, ArrayEvaluator};
    #[pymodule_export]
    use super::arrow::arrow_stream;
    #[pymodule_export]
    use super::batches::Totals;
    #[pymodule_export]
    use super::certify::{certify_runs, differences_of_queries, explain_verdict, overturning_documents};
    #[pymodule_export]
    use super::check::{check_run, judged_tops, malformed_lines};
    #[pymodule_export]
    use super::compare::{
        ArrayComparer, Comparison, compare_rows, compare_runs, comparing_info, comparing_measure, difference_outcomes,
        filled_rankings, item_distance, largest_assignment, moved_documents, top_changes,
    };
    #[pymodule_export]
    use super::convert::show_id;
    #[pymodule_export]
    use super::defined::{define_additive, define_formula, formula_inputs};
    #[pymodule_export]
    use super::evaluate::{Evaluation, Evaluator, fact_info, no_facts};
    #[pymodule_export]
    use super::features::{FeatureEvaluation, FeatureEvaluator};
    #[pymodule_export]
    use super::formats::{file_formats, find_columns, place_columns, read_bytes};
    #[pymodule_export]
    use super::laws::{Laws, compare_laws};
    #[pymodule_export]
    use super::measure::{Measure, drawn_at_least, measure_info, parse_measures};
    #[pymodule_export]
    use super::outlook::{judgment_outlook, possible_grades};
    #[pymodule_export]
    use super::overlap::{in_common, look_swapped};
    #[pymodule_export]
    use super::part::{only_documents, retrieved_documents};
    #[pymodule_export]
    use super::passages::passage_differences;
    #[pymodule_export]
    use super::policies::{Policies, policies, why_not};
    #[pymodule_export]
    use super::pytrec_eval::{TrecEvaluator, trec_eval_names};
    #[pymodule_export]
    use super::registered::register;
    #[pymodule_export]
    use super::statistics::{
        Terms, adjust, bootstrap_interval, bootstrap_means, decide, difference, differences, most_different, pair,
        randomization_p, ranked, standing, tukey_p,
    };
    #[pymodule_export]
    use super::tables::{Lengths, Qrels, Run};
    #[pymodule_export]
    use super::threads::observe;
    #[pymodule_export]
    use super::top::{tie_counts, top_groups};
    #[pymodule_export]
    use super::trec_eval::{TrecReport, explain_measures};

    #[pymodule_init]
    fn init(module: &pyo3::Bound<'_, pyo3::types::PyModule>) -> pyo3::PyResult<()> {
        use pyo3::types::PyModuleMethods;
        module.add("OPT_LEVEL", env!("OPT_LEVEL"))?;
        super::threads::forbid_global_pool();
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
