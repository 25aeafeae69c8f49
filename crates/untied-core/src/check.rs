//! Problems in runs that an evaluation does not show, and that often explain a surprising value.

use std::collections::HashMap;

use rayon::prelude::*;

use crate::error::Result;
use crate::overlap::look_swapped;
use crate::ranking::{Order, Precision, misfit};
use crate::table::{Levels, Qrels, Rows, Run};
use crate::watch;

/// Depth to which the share of judged documents is counted.
pub const TOP: usize = 10;

/// What there is to say about a run and qrels.
#[derive(Debug, Default)]
pub struct Findings {
    /// Queries of the run, and of the qrels.
    pub queries: (usize, usize),
    /// Documents in the run.
    pub documents: usize,
    /// Judged queries that the run lacks, by number in the qrels.
    pub absent: Vec<usize>,
    /// Queries of the run that are not judged, by number in the run.
    pub unknown: Vec<usize>,
    /// Unknown queries whose id nearly is that of an absent one: (number in the run, number in the qrels).
    pub near_queries: Vec<(usize, usize)>,
    /// Queries where some document has a better rank but a lower score than another.
    pub rank_contradicts: usize,
    /// Documents whose rank isn't a number.
    pub rank_not_a_number: usize,
    /// Queries with tied documents, and those where all are tied.
    pub tied_queries: (usize, usize),
    /// Documents that share their score with another of the query.
    pub tied_documents: usize,
    /// Queries, and documents in them, that tie only when scores are rounded to 32 bits.
    pub tied_in_32_bits: (usize, usize),
    /// Shallowest and deepest ranking, and how many are as deep as the deepest.
    pub depths: (usize, usize, usize),
    /// The judged documents among the first ten.
    pub top: JudgedTop,
    /// Judged documents retrieved.
    pub judged: usize,
    /// Where nothing retrieved is judged: a document of the run and one of the qrels that nearly are the same.
    pub near_document: Option<(Vec<u8>, Vec<u8>)>,
    /// Judged queries without a relevant document (grade 1 or higher), by number in the qrels.
    pub without_relevant: Vec<usize>,
    /// Judgments that say the same again.
    pub repeated: usize,
    /// Whether the qrels look like a run and the run like qrels.
    pub swapped: bool,
    /// Run tags found in the file, if there is more than one.
    pub tags: Vec<Vec<u8>>,
}

/// How many of the first documents of a run's queries are judged. Every judged share that is printed is one of these.
#[derive(Debug, Default, Clone, Copy, PartialEq)]
pub struct JudgedTop {
    /// The documents down to some depth in the run's queries that have judgments.
    pub retrieved: usize,
    /// Those of them with a grade of at least 0. If the depth cuts a tie group, this is the mean over all orders.
    pub judged: f64,
}

impl JudgedTop {
    /// The judged share; NaN if there are no documents.
    pub fn share(self) -> f64 {
        self.judged / self.retrieved as f64
    }

    fn add(&mut self, other: JudgedTop) {
        self.retrieved += other.retrieved;
        self.judged += other.judged;
    }
}

/// What one query adds.
#[derive(Default)]
struct QueryFindings {
    contradicts: bool,
    not_a_number: usize,
    tied: usize,
    all_tied: bool,
    tied_in_32_bits: usize,
}

/// Look at a run that was read with its rank column, where it has one, and at the qrels it is to be evaluated on.
///
/// # Errors
/// Work shall stop.
pub fn check(qrels: &Qrels, run: &Run) -> Result<Findings> {
    watch::begin(|| "checking".into(), "queries", Some(run.len() as u64));
    let mut findings =
        Findings { queries: (run.len(), qrels.len()), repeated: qrels.repeated(), ..Findings::default() };
    findings.absent = (0..qrels.len()).filter(|&query| run.find(qrels.id(query)).is_none()).collect();
    findings.unknown = (0..run.len()).filter(|&query| qrels.find(run.id(query)).is_none()).collect();
    findings.swapped = look_swapped(qrels, run);
    if run.tags.len() > 1 {
        findings.tags = run.tags.iter().map(<[u8]>::to_vec).collect();
    }
    findings.near_queries = near_queries(qrels, run, &findings);
    findings.without_relevant = (0..qrels.len()).filter(|&query| qrels.judgments(query).relevant(1.0) == 0).collect();

    let lengths = || (0..run.len()).map(|query| run.rows(query).len());
    findings.documents = lengths().sum();
    let deepest = lengths().max().unwrap_or(0);
    findings.depths = (lengths().min().unwrap_or(0), deepest, lengths().filter(|&length| length == deepest).count());

    let queries = (0..run.len())
        .into_par_iter()
        .map_init(Order::default, |order, query| {
            watch::step(1)?;
            Ok(look_at(&run.rows(query), order))
        })
        .collect::<Result<Vec<QueryFindings>>>()?;
    for found in &queries {
        findings.rank_contradicts += usize::from(found.contradicts);
        findings.rank_not_a_number += found.not_a_number;
        findings.tied_documents += found.tied;
        findings.tied_queries.0 += usize::from(found.tied > 0);
        findings.tied_queries.1 += usize::from(found.all_tied);
        findings.tied_in_32_bits.0 += usize::from(found.tied_in_32_bits > 0);
        findings.tied_in_32_bits.1 += found.tied_in_32_bits;
    }
    let tops = judged_tops(qrels, run, &[TOP, usize::MAX], Precision::Float64)?;
    (findings.top, findings.judged) = (tops[0], tops[1].judged as usize);
    if findings.judged == 0 {
        findings.near_document = near_document(qrels, run);
        watch::check()?;
    }
    Ok(findings)
}

fn look_at(rows: &Rows<'_>, order: &mut Order) -> QueryFindings {
    let (scores, ranks) = (rows.column(0), if rows.columns() > 1 { rows.column(1) } else { &[] });
    let mut found =
        QueryFindings { not_a_number: ranks.iter().filter(|rank| rank.is_nan()).count(), ..QueryFindings::default() };
    found.tied = tied(scores, order);
    found.all_tied = scores.len() > 1 && order.ends.len() == 1;
    // Scores beyond 32 bits would all be infinite: they tie there too.
    let single: Vec<f64> = scores.iter().map(|&score| f64::from(score as f32).clamp(f64::MIN, f64::MAX)).collect();
    found.tied_in_32_bits = tied(&single, order) - found.tied;

    let mut by_rank: Vec<(f64, f64)> =
        ranks.iter().copied().zip(scores.iter().copied()).filter(|(rank, _)| !rank.is_nan()).collect();
    by_rank.sort_by(|a, b| a.0.total_cmp(&b.0));
    found.contradicts = by_rank.windows(2).any(|pair| pair[0].0 < pair[1].0 && pair[0].1 < pair[1].1);
    found
}

/// Documents that share their score with another.
fn tied(scores: &[f64], order: &mut Order) -> usize {
    order.sort_exactly(scores);
    let mut start = 0;
    let sizes = order.ends.iter().map(|&end| (end - std::mem::replace(&mut start, end)) as usize);
    sizes.filter(|&size| size > 1).sum()
}

/// Queries whose judged documents are counted at once.
const AT_ONCE: usize = 256;

/// Counts the judged documents among the first ones of a run, to each depth.
///
/// # Errors
/// A score does not fit the precision, or work shall stop.
pub fn judged_tops(qrels: &Qrels, run: &Run, depths: &[usize], precision: Precision) -> Result<Vec<JudgedTop>> {
    let count_from = |first: usize| -> Result<Vec<JudgedTop>> {
        let (mut order, mut levels) = (Order::default(), Levels::default());
        let mut tops = vec![JudgedTop::default(); depths.len()];
        for query in first..run.len().min(first + AT_ONCE) {
            watch::check()?;
            let Some(judged) = qrels.find(run.id(query)) else { continue };
            let (rows, truth) = (run.rows(query), qrels.judgments(judged));
            order.sort(rows.column(0), precision).map_err(|score| misfit(score, run.id(query)))?;
            levels.look_up(&rows, &truth, false);
            let is_judged = |row: &u32| levels.rows().level(*row).is_some_and(|it| truth.grades()[it as usize] >= 0.0);
            tops.iter_mut().zip(depths).for_each(|(top, &depth)| top.add(judged_top(&order, depth, is_judged)));
        }
        Ok(tops)
    };
    let parts: Vec<Result<Vec<JudgedTop>>> =
        (0..run.len().div_ceil(AT_ONCE)).into_par_iter().map(|part| count_from(part * AT_ONCE)).collect();
    let mut totals = vec![JudgedTop::default(); depths.len()];
    for part in parts {
        totals.iter_mut().zip(part?).for_each(|(total, top)| total.add(top));
    }
    Ok(totals)
}

/// Counts the judged documents of one query to a depth.
fn judged_top(order: &Order, depth: usize, is_judged: impl Fn(&u32) -> bool) -> JudgedTop {
    let (mut top, mut start) = (JudgedTop::default(), 0);
    for &end in &order.ends {
        if start >= depth {
            break;
        }
        let group = &order.rows[start..end as usize];
        let places = group.len().min(depth - start);
        // Of a whole group, this is exact.
        let judged = (group.iter().filter(|&row| is_judged(row)).count() * places) as f64 / group.len() as f64;
        top.add(JudgedTop { retrieved: places, judged });
        start = end as usize;
    }
    top
}

/// Ids as they are often changed on their way: in case, by leading zeros, by a directory or a file suffix.
fn essence(id: &[u8]) -> Vec<u8> {
    let name = id.rsplit(|&byte| byte == b'/').next().unwrap_or(id);
    let stem = match name.iter().rposition(|&byte| byte == b'.') {
        Some(dot) if dot > 0 && name.len() - dot <= 5 => &name[..dot],
        _ => name,
    };
    let mut essence = Vec::new();
    for &byte in stem.iter().filter(|byte| byte.is_ascii_alphanumeric() || !byte.is_ascii()) {
        let starts_number = essence.last().is_none_or(|last: &u8| !last.is_ascii_digit());
        if byte == b'0' && starts_number {
            continue;
        }
        essence.push(byte.to_ascii_lowercase());
    }
    essence
}

fn near_queries(qrels: &Qrels, run: &Run, findings: &Findings) -> Vec<(usize, usize)> {
    let absent: HashMap<Vec<u8>, usize> =
        findings.absent.iter().map(|&query| (essence(qrels.id(query)), query)).collect();
    // Numbers behind different letters: none if two queries of the qrels have the same number.
    let mut numbers: HashMap<Vec<u8>, Option<usize>> = HashMap::new();
    for (id, &query) in absent.iter().filter_map(|(id, query)| Some((number(id)?, query))) {
        numbers.entry(id.to_vec()).and_modify(|other| *other = None).or_insert(Some(query));
    }
    let near = |&query: &usize| {
        let id = essence(run.id(query));
        let by_number = || numbers.get(number(&id)?).copied().flatten();
        Some((query, absent.get(&id).copied().or_else(by_number)?))
    };
    findings.unknown.iter().filter_map(near).collect()
}

/// The number in an id, without letters before it.
fn number(essence: &[u8]) -> Option<&[u8]> {
    let start = essence.iter().position(|byte| !byte.is_ascii_alphabetic())?;
    let is_number = essence[start..].iter().all(u8::is_ascii_digit);
    let zeros = essence[start..].iter().take_while(|&&byte| byte == b'0').count();
    is_number.then(|| &essence[start + zeros..])
}

fn near_document(qrels: &Qrels, run: &Run) -> Option<(Vec<u8>, Vec<u8>)> {
    (0..run.len()).take_while(|_| !watch::is_stopped()).find_map(|query| {
        let (rows, judged) = (run.rows(query), qrels.rows(qrels.find(run.id(query))?));
        let mut known: HashMap<Vec<u8>, &[u8]> = HashMap::new();
        for document in (0..judged.len()).map(|row| judged.doc(row)) {
            let first = known.entry(essence(document)).or_insert(document);
            *first = document.min(first);
        }
        // Of several the first by id, wherever they stand.
        let pairs = (0..rows.len()).filter_map(|row| Some((rows.doc(row), *known.get(&essence(rows.doc(row)))?)));
        pairs.min().map(|(document, other)| (document.to_vec(), other.to_vec()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_that_nearly_match() {
        for (one, other) in [("007", "7"), ("Q1", "q1"), ("docs/FT934-5418.txt", "ft934-5418"), ("q-01", "Q1")] {
            assert_eq!(essence(one.as_bytes()), essence(other.as_bytes()), "{one} {other}");
        }
        for (id, expected) in
            [("Q401", Some("401")), ("401", Some("401")), ("mt-07", Some("7")), ("q4a", None), ("q", None)]
        {
            assert_eq!(number(&essence(id.as_bytes())), expected.map(str::as_bytes), "{id}");
        }
        assert_ne!(essence(b"10"), essence(b"1"));
        assert_ne!(essence(b"101"), essence(b"11"));
    }
}
