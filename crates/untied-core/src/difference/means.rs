//! Rankings with ties: a measure's mean over all orders, as a function of the documents' grades.

use std::cell::RefCell;

use super::pair::RankingPair;
use super::solution::Chance;
use super::solve::Document;
use super::solve::expected::Uncertain;
use super::solve::scores::ScoresByGains;
use crate::grade::Level;
use crate::measures::Measure;
use crate::ranking::{List, Placed, Ranking};
use crate::table::Judgments;

/// Two rankings, and what evaluates either.
pub(super) struct Means<'a> {
    /// All documents, those that fill rankings up to the depth at the end; what is known are grades.
    documents: Vec<Document>,
    measure: &'a dyn Measure,
    a: GroupedDocuments,
    b: GroupedDocuments,
    room: RefCell<(Ranking, Vec<f64>)>,
}

/// Numbers of documents, tie group by tie group.
#[derive(Default)]
struct GroupedDocuments {
    documents: Vec<usize>,
    ends: Vec<usize>,
}

impl<'a> Means<'a> {
    /// Two rankings, filled up to this rank with documents of their own.
    pub fn new(pair: &RankingPair<'_>, filled: usize, measure: &'a dyn Measure) -> Means<'a> {
        let graded = |place: &Placed| Document { a: place.a, b: place.b, known: pair.grade(place) };
        let mut documents: Vec<Document> = pair.places.iter().map(graded).collect();
        let fill = |documents: &mut Vec<Document>, list: &List, is_a: bool| {
            for rank in list.len() as u32 + 1..=filled as u32 {
                let (a, b) = if is_a { (rank, 0) } else { (0, rank) };
                documents.push(Document { a, b, known: None });
            }
        };
        fill(&mut documents, pair.a, true);
        fill(&mut documents, pair.b, false);
        let a = GroupedDocuments::new(pair.a, &documents, |x| x.a);
        let b = GroupedDocuments::new(pair.b, &documents, |x| x.b);
        Means { documents, measure, a, b, room: RefCell::default() }
    }

    /// The documents; what fills rankings up is no document of theirs.
    pub fn uncertain(&self, pair: &RankingPair<'_>, max_grade: f64, chance: Chance<'_>) -> Vec<Uncertain> {
        let (own, fillers) = self.documents.split_at(pair.places.len());
        let uncertain = |(x, place): (&Document, &Placed)| Uncertain::of(x, max_grade, || chance(place));
        let never = fillers.iter().map(|x| Uncertain { a: x.a, b: x.b, gain: 0.0, chance: 0.0 });
        own.iter().zip(pair.places).map(uncertain).chain(never).collect()
    }

    fn score(&self, groups: &GroupedDocuments, grades: &[f64]) -> f64 {
        let (ranking, room) = &mut *self.room.borrow_mut();
        ranking.clear();
        ranking.retrieved = groups.documents.len();
        let mut start = 0;
        for &end in &groups.ends {
            room.clear();
            room.extend(groups.documents[start..end].iter().map(|&i| grades[i]));
            room.sort_unstable_by(|x, y| y.total_cmp(x));
            let levels = room.chunk_by(|x, y| x == y);
            ranking.push(start, end - start, levels.map(|same| Level { grade: same[0], count: same.len() as u32 }));
            start = end;
        }
        // No measure here asks how many documents are relevant; but without any, values would be undefined.
        let some = [Level { grade: f64::INFINITY, count: 1 }];
        self.measure.mean(ranking, &Judgments::none().with_levels(&some))
    }
}

impl GroupedDocuments {
    fn new(list: &List, documents: &[Document], rank: impl Fn(&Document) -> u32) -> GroupedDocuments {
        let mut ranked: Vec<(u32, usize)> =
            documents.iter().map(&rank).zip(0..).filter(|(rank, _)| *rank > 0).collect();
        ranked.sort_unstable();
        let of_list = list.ends.iter().map(|&end| end as usize);
        let ends = of_list.chain(list.len() + 1..=ranked.len()).collect();
        GroupedDocuments { documents: ranked.into_iter().map(|(_, i)| i).collect(), ends }
    }
}

impl ScoresByGains for Means<'_> {
    fn a(&self, gains: &[f64]) -> f64 {
        self.score(&self.a, gains)
    }

    fn b(&self, gains: &[f64]) -> f64 {
        self.score(&self.b, gains)
    }
}
