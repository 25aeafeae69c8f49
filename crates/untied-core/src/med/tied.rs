//! Rankings with ties: a measure's mean over all orders, as a score of the documents' grades.

use std::cell::RefCell;

use super::Document;
use super::effect::Both;
use super::scores::Scores;
use crate::grade::Level;
use crate::measures::Measure;
use crate::ranking::{List, Ranking};
use crate::table::Judgments;

/// Two rankings, and what evaluates either.
pub(super) struct Tied<'a> {
    /// All documents, those that fill rankings up to the depth at the end; what is known are grades.
    pub documents: Vec<Document>,
    measure: &'a dyn Measure,
    a: Groups,
    b: Groups,
    room: RefCell<(Ranking, Vec<f64>)>,
}

/// Numbers of documents, tie group by tie group.
#[derive(Default)]
struct Groups {
    documents: Vec<usize>,
    ends: Vec<usize>,
}

impl<'a> Tied<'a> {
    /// Two rankings, filled up to this rank with documents of their own.
    pub fn new(both: &Both<'_>, filled: usize, measure: &'a dyn Measure) -> Tied<'a> {
        let mut documents: Vec<Document> = both
            .places
            .iter()
            .map(|place| {
                let grade = both.grades[place.document as usize];
                Document { a: place.a, b: place.b, known: Some(grade).filter(|grade| !grade.is_nan()) }
            })
            .collect();
        let fill = |documents: &mut Vec<Document>, list: &List, is_a: bool| {
            for rank in list.len() as u32 + 1..=filled as u32 {
                let (a, b) = if is_a { (rank, 0) } else { (0, rank) };
                documents.push(Document { a, b, known: None });
            }
        };
        fill(&mut documents, both.a, true);
        fill(&mut documents, both.b, false);
        let a = Groups::new(both.a, &documents, |x| x.a);
        let b = Groups::new(both.b, &documents, |x| x.b);
        Tied { documents, measure, a, b, room: RefCell::default() }
    }

    fn score(&self, groups: &Groups, grades: &[f64]) -> f64 {
        let (ranking, room) = &mut *self.room.borrow_mut();
        ranking.clear();
        ranking.retrieved = groups.documents.len();
        let mut start = 0;
        for &end in &groups.ends {
            room.clear();
            room.extend(groups.documents[start..end].iter().map(|&i| grades[i]));
            room.sort_unstable_by(|one, other| other.total_cmp(one));
            let levels = room.chunk_by(|one, other| one == other);
            ranking.push(start, end - start, levels.map(|same| Level { grade: same[0], count: same.len() as u32 }));
            start = end;
        }
        // No form asks how many documents are relevant; but without any, values would be undefined.
        let some = [Level { grade: f64::INFINITY, count: 1 }];
        self.measure.mean(ranking, &Judgments::none().with_levels(&some))
    }
}

impl Groups {
    fn new(list: &List, documents: &[Document], rank: impl Fn(&Document) -> u32) -> Groups {
        let mut ranked: Vec<(u32, usize)> =
            documents.iter().map(&rank).zip(0..).filter(|(rank, _)| *rank > 0).collect();
        ranked.sort_unstable();
        let of_list = list.ends.iter().map(|&end| end as usize);
        let ends = of_list.chain(list.len() + 1..=ranked.len()).collect();
        Groups { documents: ranked.into_iter().map(|(_, i)| i).collect(), ends }
    }
}

impl Scores for Tied<'_> {
    fn a(&self, gains: &[f64]) -> f64 {
        self.score(&self.a, gains)
    }

    fn b(&self, gains: &[f64]) -> f64 {
        self.score(&self.b, gains)
    }
}
