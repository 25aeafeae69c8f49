//! Queries and documents that a run and qrels, or two runs, have in common; without any, values are meaningless.

use rayon::prelude::*;

use crate::error::Result;
use crate::table::{Qrels, Rows, Run, Table};
use crate::watch;

/// The highest whole score that may be taken for a grade.
const HIGHEST_GRADE: f64 = 10.0;

/// Fractional grades with at most this many values, each shared by two documents on average, are not taken for scores.
const SOFT_GRADES: usize = 20;

/// Number of queries that are in both, and whether one of them has a document that is in both.
///
/// # Errors
/// Work shall stop.
pub fn in_common(one: &Table, other: &Table) -> Result<(usize, bool)> {
    let pairs: Vec<(usize, usize)> = one.common(other).collect();
    let share = |&(a, b): &(usize, usize)| {
        watch::check()?;
        Ok(share_document(&one.rows(a), &other.rows(b)))
    };
    // Nearly always the first query tells; the others are looked at where it does not.
    let Some((first, rest)) = pairs.split_first() else { return Ok((0, false)) };
    let found =
        share(first)? || rest.par_iter().map(share).find_any(|one| !matches!(one, Ok(false))).unwrap_or(Ok(false))?;
    Ok((pairs.len(), found))
}

/// Whether two lists hold a document in common.
pub fn share_document(one: &Rows<'_>, other: &Rows<'_>) -> bool {
    let (few, many) = if one.len() < other.len() { (one, other) } else { (other, one) };
    let mut sorted: Vec<(u32, usize)> = few.hashes().iter().copied().zip(0..).collect();
    sorted.sort_unstable();
    many.hashes().iter().enumerate().any(|(row, &hash)| {
        let from = sorted.partition_point(|&(other, _)| other < hash);
        let mut same_hash = sorted[from..].iter().take_while(|&&(other, _)| other == hash);
        same_hash.any(|&(_, other)| few.doc(other) == many.doc(row))
    })
}

/// Whether the qrels look like a run and the run like qrels: some grades are fractions, documents rarely share one, and
/// all scores are small whole numbers that are no ranks. Ranks are whole numbers that no two documents of a query share.
pub fn look_swapped(qrels: &Qrels, run: &Run) -> bool {
    let grades = qrels.possible_grades();
    if grades.iter().all(|grade| grade.fract() == 0.0) {
        return false; // as nearly always
    }
    let judgments: usize = (0..qrels.len()).map(|query| qrels.rows(query).len()).sum();
    if grades.len() <= SOFT_GRADES && 2 * grades.len() <= judgments {
        return false;
    }
    let scores = || (0..run.len()).flat_map(|query| run.scores(query).iter().copied());
    let highest = scores().fold(0.0, f64::max);
    (1.0..=HIGHEST_GRADE).contains(&highest)
        && scores().all(|score| score.fract() == 0.0 && score >= -HIGHEST_GRADE)
        && !are_ranks(run)
}

/// Whether no two documents of a query share a score, and a query has more than two of them.
fn are_ranks(run: &Run) -> bool {
    let differ = |query: usize| {
        let mut scores = run.scores(query).to_vec();
        scores.sort_unstable_by(f64::total_cmp);
        scores.windows(2).all(|pair| pair[0] < pair[1])
    };
    (0..run.len()).any(|query| run.scores(query).len() > 2) && (0..run.len()).all(differ)
}
