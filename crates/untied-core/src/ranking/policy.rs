//! Derives other rankings from a ranking: without unjudged documents, with only relevant documents, in the best or the worst
//! order, or in one tie group.

use super::Ranking;
use crate::grade::{self, Level};

/// Writes the condensed ranking of `unjudged = remove`: judged documents move up to fill the ranks of unjudged ones, which
/// include documents with a negative grade (in the pool but not judged).
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

/// Writes the ranking with only the documents of a grade above 0, at their ranks. Many measures read no others.
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

/// Writes the ranking of a random order, in which all documents are in one tie group.
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

/// Writes the best order of each tie group: relevant documents by descending grade, then unjudged ones, then judged
/// non-relevant ones.
pub fn best(ranking: &Ranking, into: &mut Ranking) {
    ordered(ranking, into, |(positive, others)| (positive, others));
}

/// Writes the worst order of each tie group, which is the reverse of the best.
pub fn worst(ranking: &Ranking, into: &mut Ranking) {
    ordered(ranking, into, |(positive, others)| (others, positive));
}

/// The levels of the documents that come first, and of those that come last.
type FirstAndLast<'l> = (&'l [Level], &'l [Level]);

/// Writes the order in which each tie group has first the documents that `ends` puts first, by descending grade, and at its
/// end those that it puts last, by ascending grade. `ends` gets the levels above 0 and all others.
fn ordered(ranking: &Ranking, into: &mut Ranking, ends: impl Fn(FirstAndLast<'_>) -> FirstAndLast<'_>) {
    into.clear();
    into.retrieved = ranking.retrieved;
    for group in ranking.groups() {
        let (first, last) = ends(split(group.levels));
        let mut start = group.start;
        for level in first {
            start = push(into, start, *level);
        }
        start = group.start + group.size - last.iter().map(|level| level.count as usize).sum::<usize>();
        for level in last.iter().rev() {
            start = push(into, start, *level);
        }
    }
}

/// Divides levels into those above 0 and all others.
#[inline]
fn split(levels: &[Level]) -> (&[Level], &[Level]) {
    levels.split_at(levels.partition_point(|level| level.grade > 0.0))
}

/// Appends the documents of a level as one group, because their order makes no difference; returns the start of the next.
#[inline]
fn push(into: &mut Ranking, start: usize, level: Level) -> usize {
    into.push(start, level.count as usize, [level]);
    start + level.count as usize
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
