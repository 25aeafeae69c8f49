//! Rankings for display: the first documents of a query by tie group, and counts of ties.

use rayon::prelude::*;

use super::{Order, Precision, misfit};
use crate::error::Error;
use crate::table::Run;

/// The first documents of a query.
#[derive(Debug, PartialEq, Eq)]
pub struct Top {
    /// The rows of each tie group, best group first; within a group by document id.
    pub groups: Vec<Vec<u32>>,
    /// The number of documents of the last group beyond the depth.
    pub beyond: usize,
}

/// The first `depth` documents of a query, by scores of some precision.
///
/// # Errors
/// A score does not fit the precision.
pub fn top(run: &Run, query: usize, depth: usize, precision: Precision) -> Result<Top, Error> {
    let (rows, mut order) = (run.rows(query), Order::default());
    order.sort(run.scores(query), precision).map_err(|score| misfit(score, run.id(query)))?;
    let (mut groups, mut start, mut beyond) = (Vec::new(), 0, 0);
    for &end in &order.ends {
        if start >= depth {
            break;
        }
        let mut group = order.rows[start..end as usize].to_vec();
        group.sort_unstable_by_key(|&row| rows.doc(row as usize));
        beyond = (end as usize).saturating_sub(depth);
        group.truncate(depth - start);
        groups.push(group);
        start = end as usize;
    }
    Ok(Top { groups, beyond })
}

/// How many documents and queries of a run are tied.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct TieCounts {
    /// All documents.
    pub documents: usize,
    /// Documents that share their score with another of the query.
    pub tied: usize,
    /// Queries with such documents.
    pub queries: usize,
    /// Queries with several documents, all with one score.
    pub all_tied: usize,
    /// Documents in the largest tie group.
    pub largest: usize,
    /// Documents in the deepest ranking.
    pub deepest: usize,
}

/// Counts the ties of a run, by scores of some precision.
///
/// # Errors
/// A score does not fit the precision.
pub fn tie_counts(run: &Run, precision: Precision) -> Result<TieCounts, Error> {
    let counts_of_query = |order: &mut Order, query: usize| -> Result<TieCounts, Error> {
        let scores = run.scores(query);
        order.sort(scores, precision).map_err(|score| misfit(score, run.id(query)))?;
        let documents = scores.len();
        let (mut counts, mut start) = (TieCounts { documents, deepest: documents, ..TieCounts::default() }, 0);
        for &end in &order.ends {
            let size = (end - start) as usize;
            start = end;
            counts.tied += if size > 1 { size } else { 0 };
            counts.largest = counts.largest.max(size);
        }
        counts.queries = usize::from(counts.tied > 0);
        counts.all_tied = usize::from(scores.len() > 1 && order.ends.len() == 1);
        Ok(counts)
    };
    let add = |a: TieCounts, b: TieCounts| {
        Ok(TieCounts {
            documents: a.documents + b.documents,
            tied: a.tied + b.tied,
            queries: a.queries + b.queries,
            all_tied: a.all_tied + b.all_tied,
            largest: a.largest.max(b.largest),
            deepest: a.deepest.max(b.deepest),
        })
    };
    (0..run.len()).into_par_iter().map_init(Order::default, counts_of_query).try_reduce(TieCounts::default, add)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::Chunk;

    fn run(queries: &[&[(&str, f64)]]) -> Run {
        let mut chunk = Chunk::new(1);
        for (number, query) in queries.iter().enumerate() {
            chunk.start_query(format!("q{number}").as_bytes());
            for (id, score) in *query {
                chunk.block.docs.push(id.as_bytes());
                chunk.block.columns[0].push(*score);
            }
        }
        chunk.finish();
        Run::new(vec![chunk], "run").expect("every document once")
    }

    #[test]
    fn groups_are_cut_at_the_depth() {
        let run = run(&[&[("c", 1.0), ("a", 2.0), ("d", 1.0), ("b", 1.0), ("e", 0.5)]]);
        let of = |depth| top(&run, 0, depth, Precision::Float64).expect("it fits");
        assert_eq!(of(3), Top { groups: vec![vec![1], vec![3, 0]], beyond: 1 });
        assert_eq!(of(9), Top { groups: vec![vec![1], vec![3, 0, 2], vec![4]], beyond: 0 });
        assert_eq!(of(1), Top { groups: vec![vec![1]], beyond: 0 });
    }

    #[test]
    fn ties_are_counted() {
        let run = run(&[&[("a", 1.0), ("b", 1.0), ("c", 0.0)], &[("a", 1.0)], &[("a", 2.0), ("b", 2.0), ("c", 2.0)]]);
        let counts = tie_counts(&run, Precision::Float64).expect("it fits");
        assert_eq!(counts, TieCounts { documents: 7, tied: 5, queries: 2, all_tied: 1, largest: 3, deepest: 3 });
    }

    #[test]
    fn precision_ties() {
        let run = run(&[&[("a", 70_000.0), ("b", 1.0), ("c", 1.0 + 1e-9), ("d", 1.0 + 1e-4)]]);
        let tied = |precision| tie_counts(&run, precision).map(|counts| counts.tied).ok();
        assert_eq!(
            [Precision::Float64, Precision::Float32, Precision::Bfloat16].map(tied),
            [Some(0), Some(2), Some(3)]
        );
        assert_eq!(tied(Precision::Float16), None);
        let groups = |precision| top(&run, 0, 9, precision).map(|top| top.groups).ok();
        assert_eq!(groups(Precision::Float64), Some(vec![vec![0], vec![3], vec![2], vec![1]]));
        assert_eq!(groups(Precision::Bfloat16), Some(vec![vec![0], vec![1, 2, 3]]));
        assert_eq!(groups(Precision::Float16), None);
    }
}
