//! Rankings made from a ranking: without its unjudged documents, with its relevant documents alone, in its best and in
//! its worst order.

use super::Ranking;
use crate::grade::{self, Level};

/// Only the judged documents, each group at its new place (the condensed list of `unjudged = remove`).
///
/// Documents that the qrels do not hold go, and so do those with a negative grade (pooled but not judged).
pub fn condensed(ranking: &Ranking, into: &mut Ranking) {
    into.clear();
    for group in ranking.groups() {
        let judged = group.levels.iter().filter(|level| level.grade >= 0.0);
        let size: usize = judged.clone().map(|level| level.count as usize).sum();
        if size > 0 {
            into.push(into.retrieved, size, judged.copied());
            into.retrieved += size;
        }
    }
    for group in ranking.texts.groups() {
        into.texts.push(group.iter().filter(|text| text.grade >= 0.0).copied());
    }
}

/// Only the documents with a grade above 0, at their places: all that many measures read.
pub fn relevant(ranking: &Ranking, into: &mut Ranking) {
    into.clear();
    into.retrieved = ranking.retrieved;
    for group in ranking.groups() {
        let relevant = group.levels.iter().take_while(|level| level.grade > 0.0);
        match group.levels.first() {
            Some(&Level { grade, .. }) if grade > 0.0 && group.size == 1 => into.push_one(group.start, grade),
            Some(highest) if highest.grade > 0.0 => into.push(group.start, group.size, relevant.copied()),
            _ => {}
        }
    }
}

/// All documents in one tie group: what is left of a ranking whose scores say nothing.
pub fn shuffled(ranking: &Ranking, into: &mut Ranking) {
    into.clear();
    into.retrieved = ranking.retrieved;
    let mut levels = ranking.levels().to_vec();
    grade::merge(&mut levels);
    if !levels.is_empty() {
        into.push(0, ranking.retrieved, levels);
    }
    into.texts.push(ranking.texts.groups().flatten().copied());
}

/// The best order of every tie group: higher grades first, judged non-relevant documents last, and what is not
/// judged between them.
pub fn best(ranking: &Ranking, into: &mut Ranking) {
    ordered(ranking, into, |(positive, others)| (positive, others));
}

/// The worst order of every tie group: the best one backwards.
pub fn worst(ranking: &Ranking, into: &mut Ranking) {
    ordered(ranking, into, |(positive, others)| (others, positive));
}

/// Levels of documents, and of others.
type Ends<'l> = (&'l [Level], &'l [Level]);

/// Of positive and other levels those that `ends` puts first stand first, from the best on, and those that it puts last
/// stand last, the best one at the very end.
fn ordered(ranking: &Ranking, into: &mut Ranking, ends: impl Fn(Ends<'_>) -> Ends<'_>) {
    into.clear();
    into.retrieved = ranking.retrieved;
    for group in ranking.groups() {
        let (first, last) = ends(split(group.levels));
        let mut at = group.start;
        for level in first {
            at = push(into, at, *level);
        }
        at = group.start + group.size - last.iter().map(|level| level.count as usize).sum::<usize>();
        for level in last.iter().rev() {
            at = push(into, at, *level);
        }
    }
}

#[inline]
fn split(levels: &[Level]) -> (&[Level], &[Level]) {
    levels.split_at(levels.partition_point(|level| level.grade > 0.0))
}

/// Documents of one grade after each other: still a group, as their order makes no difference.
#[inline]
fn push(into: &mut Ranking, at: usize, level: Level) -> usize {
    into.push(at, level.count as usize, [level]);
    at + level.count as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    fn level(grade: f64, count: u32) -> Level {
        Level { grade, count }
    }

    fn spans(ranking: &Ranking) -> Vec<(usize, usize, f64)> {
        ranking.groups().map(|group| (group.start, group.size, group.levels[0].grade)).collect()
    }

    #[test]
    fn cut_keeps_the_first_documents() {
        let mut ranking = Ranking { retrieved: 10, ..Ranking::default() };
        for rank in [2, 5, 6] {
            ranking.push(rank, 1, [level(rank as f64, 1)]);
        }
        for (depth, retrieved, left) in [(20, 10, 3), (7, 7, 3), (6, 6, 2), (2, 2, 0), (0, 0, 0)] {
            let mut cut = ranking.clone();
            cut.cut(depth);
            assert_eq!((cut.retrieved, spans(&cut)), (retrieved, spans(&ranking)[..left].to_vec()), "{depth}");
            assert_eq!(cut.levels().len(), left);
        }
    }
}
