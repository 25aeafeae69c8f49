//! Rankings of a pair in the form that a measure reads, in which unknown documents have a grade or stay unjudged.
//!
//! For rankings with ties, the measure's own means and bounds are closer than some searches: those for Delta in AP and
//! ERR, and for verdicts in AP, ERR and Bpref.

use std::cell::RefCell;

use super::pair::{RankingPair, TieOrders};
use super::solution::Chance;
use super::solve::Document;
use super::solve::expected::Uncertain;
use super::solve::scores::ScoresByGains;
use crate::grade::Level;
use crate::measures::Measure;
use crate::measures::bounds::{Bounds, Open, Resolution, judged};
use crate::ranking::{List, Placed, Ranking};
use crate::table::Judgments;

/// The largest number of documents of two rankings for which [`separate_bounds`] is used. Its time grows with the
/// square of this number, and ties change little in long rankings.
pub(crate) const LONGEST: usize = 500;

/// The difference S(A) - S(B) if no unknown document is relevant. It comes from the measure's own mean over tie orders,
/// because the bounds of AP, ERR and Bpref only enclose it.
pub(crate) fn difference_if_nonrelevant(measure: &dyn Measure, pair: &RankingPair<'_>) -> f64 {
    let levels: Vec<Level> = judged(pair.facts.levels, 0.0, 0, pair.unknown() + pair.facts.outside).collect();
    let grades: Vec<f64> = levels.iter().map(|level| level.grade).collect();
    let truth = Judgments::of_levels(&grades, &levels);
    let value = |list: &List| {
        let mean = measure.mean(&ranking(pair, list, Some(0.0)), &truth);
        if mean.is_nan() { 0.0 } else { mean } // nothing is relevant
    };
    value(pair.a) - value(pair.b)
}

/// Adds a tie group of `size` documents after `start` others. `grades` has the grades of its judged documents.
fn push_graded(ranking: &mut Ranking, start: usize, size: usize, grades: &mut [f64]) {
    grades.sort_unstable_by(|x, y| y.total_cmp(x));
    let levels = grades.chunk_by(|x, y| x == y);
    ranking.push(start, size, levels.map(|same| Level { grade: same[0], count: same.len() as u32 }));
}

/// One ranking in the form that a measure reads. Unknown documents have the grade `unknown`, or stay unjudged without
/// one.
fn ranking(pair: &RankingPair<'_>, list: &List, unknown: Option<f64>) -> Ranking {
    let mut ranking = Ranking::default();
    ranking.retrieved = list.len();
    let grade = |&number: &u32| Some(pair.facts.grades[number as usize]).filter(|grade| !grade.is_nan()).or(unknown);
    let mut start = 0;
    let ends: Vec<usize> = match list.is_tied() {
        true => list.ends.iter().map(|&end| end as usize).collect(),
        false => (1..=list.len()).collect(),
    };
    for end in ends {
        let mut grades: Vec<f64> = list.docs[start..end].iter().filter_map(grade).collect();
        push_graded(&mut ranking, start, end - start, &mut grades);
        start = end;
    }
    ranking
}

/// Upper bounds of S(A) - S(B) and of S(B) - S(A): the highest value of one ranking minus the lowest value of the
/// other. Each ranking has the grades of unknown documents that suit it. Without bounds of the measure, they are
/// infinite.
///
/// These bounds are exact for means over tie orders, while the searches of AP, ERR and Bpref only enclose the means.
/// Unknown documents that only the other ranking has count as documents that are not retrieved.
pub(crate) fn separate_bounds(
    measure: &dyn Measure,
    pair: &RankingPair<'_>,
    grades: &[f64],
    ties: TieOrders,
) -> (f64, f64) {
    let levels: Vec<Level> = judged(pair.facts.levels, 0.0, 0, pair.facts.outside).collect();
    let known: Vec<f64> = levels.iter().map(|level| level.grade).collect();
    let truth = Judgments::of_levels(&known, &levels);
    let unknown = pair.unknown();
    let ends = |list: &List| {
        let ranking = ranking(pair, list, None);
        let retrieved = list.docs.iter().filter(|&&document| pair.facts.grades[document as usize].is_nan()).count();
        let bounds = |resolution| {
            let unretrieved = unknown - retrieved;
            measure.bounds(&Open { ranking: &ranking, truth: &truth, resolution, grades, unretrieved })
        };
        let (lowest, highest) = match ties {
            TieOrders::BestWorst => (bounds(Resolution::Worst), bounds(Resolution::Best)),
            TieOrders::Mean => (bounds(Resolution::Mean), bounds(Resolution::Mean)),
        };
        (
            lowest.map_or(f64::NEG_INFINITY, |bounds| counted(bounds).low),
            highest.map_or(f64::INFINITY, |bounds| counted(bounds).high),
        )
    };
    let ((low_a, high_a), (low_b, high_b)) = (ends(pair.a), ends(pair.b));
    (high_a - low_b, high_b - low_a)
}

/// Bounds of a verdict, in which an undefined value counts as 0.
fn counted(bounds: Bounds) -> Bounds {
    if bounds.low.is_nan() { Bounds::new(0.0, 0.0) } else { bounds.with_zero() }
}

/// The scores of two tied rankings, as means over tie orders, from the documents' grades.
pub(super) struct Means<'a> {
    /// The documents of both rankings, and after them those that fill the rankings up to the depth.
    documents: Vec<Document>,
    measure: &'a dyn Measure,
    a: GroupedDocuments,
    b: GroupedDocuments,
    room: RefCell<(Ranking, Vec<f64>)>,
}

/// The documents of one ranking by tie group.
#[derive(Default)]
struct GroupedDocuments {
    /// The indices of the documents in [`Means::documents`], group by group.
    documents: Vec<usize>,
    /// The number of documents down to the end of each group.
    ends: Vec<usize>,
}

impl<'a> Means<'a> {
    /// Two rankings, each filled up to the rank `filled`.
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

    /// The documents of both rankings with their probabilities of being relevant. Documents that fill up a ranking have
    /// 0, because they do not exist.
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
            push_graded(ranking, start, end - start, room);
            start = end;
        }
        // Without a relevant document, the value of these measures would be undefined. They do not depend on how many
        // there are.
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
