//! Two rankings in which some unknown documents have a grade and others do not yet, and the measure's bounds for them.
//! In the search, documents to decide are *units* and possible grades are *choices*.

use std::cell::OnceCell;

use super::GeneralDifference;
use super::cost::Cost;
use crate::difference::pair::RankingPair;
use crate::difference::solve::branch::{self, Incumbent};
use crate::difference::solve::scores::ScoresByGains;
use crate::grade::Level;
use crate::measures::Certainty;
use crate::measures::bounds::{Bounds, Open, Resolution};
use crate::ranking::{List, Ranking};
use crate::table::Judgments;

/// Unknown documents in the same tie groups. Only the number of documents with each grade matters.
#[derive(Debug, Clone)]
pub(super) struct AlikeDocuments {
    /// The index of their tie group in A and in B; none if a ranking lacks them.
    pub groups: [Option<usize>; 2],
    /// The indices of the documents among those of the pair.
    pub places: Vec<usize>,
    /// The number of documents that are not among those of the pair: one that fills a ranking up, or those of the pool
    /// that neither ranking retrieves.
    others: usize,
}

pub(super) struct GroupSpan {
    pub start: usize,
    size: usize,
}

/// Two rankings with documents to decide.
pub(super) struct GradedPair<'s> {
    difference: &'s GeneralDifference,
    /// The tie groups of A and of B. Each document that fills a ranking up is a group at the end.
    pub sides: [Vec<GroupSpan>; 2],
    /// All grades that documents have or may have, highest first.
    grades: Vec<f64>,
    /// For each choice, the index of its grade in `grades`.
    choices: Vec<usize>,
    /// For each grade, the number of judged documents of the query.
    judged: Vec<u32>,
    /// The number of judged documents of each grade, for each group of A and of B.
    known: [Vec<u32>; 2],
    /// The documents to decide, by cells of documents that are alike.
    pub cells: Vec<AlikeDocuments>,
    /// For each document to decide, the index of its cell, in the order of decisions.
    pub units: Vec<usize>,
    /// For each document of the pair, the index of its tie group in A and in B.
    places: Vec<[Option<usize>; 2]>,
    cost: Cost,
    /// How many of the documents to decide may have a grade above 0.
    most: usize,
    /// The bounds of S(A) and of S(B) before any decision.
    root: OnceCell<[Bounds; 2]>,
}

impl AlikeDocuments {
    pub fn len(&self) -> usize {
        self.places.len() + self.others
    }
}

impl<'s> GradedPair<'s> {
    pub fn new(difference: &'s GeneralDifference, pair: &RankingPair<'_>) -> GradedPair<'s> {
        let filled = difference.scale.cutoff.filter(|_| difference.scale.fills).unwrap_or(0);
        let groups = |list: &List| -> Vec<GroupSpan> {
            let ends = difference.ends(list).iter().map(|&end| end as usize).chain(list.len() + 1..=filled);
            let group = |start: &mut usize, end: usize| {
                let start = std::mem::replace(start, end);
                Some(GroupSpan { start, size: end - start })
            };
            ends.scan(0, group).collect()
        };
        let sides = [groups(pair.a), groups(pair.b)];
        let judged = pair.facts.levels.iter().map(|level| level.grade).filter(|&grade| grade >= 0.0);
        // All grades of judged documents and of choices, highest first. `index` finds a grade in them.
        let mut grades: Vec<f64> = difference.grades.iter().copied().chain(judged).collect();
        grades.sort_unstable_by(|x, y| y.total_cmp(x));
        grades.dedup();
        let index = |grade: f64| grades.partition_point(|&other| other > grade);
        let choices: Vec<usize> = difference.grades.iter().map(|&grade| index(grade)).collect();
        let mut all = vec![0; grades.len()];
        for level in pair.facts.levels.iter().filter(|level| level.grade >= 0.0) {
            all[index(level.grade)] += level.count;
        }
        all[index(0.0)] += pair.facts.outside as u32;
        // Count the judged documents of each group by grade, and collect the unknown ones.
        let mut known = [0, 1].map(|side: usize| vec![0; sides[side].len() * grades.len()]);
        let group =
            |list: &List, rank: u32| (rank > 0).then(|| difference.ends(list).partition_point(|&end| end < rank));
        let places: Vec<[Option<usize>; 2]> =
            pair.places.iter().map(|place| [group(pair.a, place.a), group(pair.b, place.b)]).collect();
        let mut keyed: Vec<([Option<usize>; 2], usize)> = Vec::new();
        for (i, (place, &groups)) in pair.places.iter().zip(&places).enumerate() {
            match pair.grade(place) {
                Some(grade) => {
                    for (known, group) in known.iter_mut().zip(groups) {
                        if let Some(group) = group {
                            known[group * grades.len() + index(grade)] += 1;
                        }
                    }
                }
                None => keyed.push((groups, i)),
            }
        }
        keyed.sort_unstable();
        let mut cells: Vec<AlikeDocuments> = Vec::new();
        for (groups, place) in keyed {
            match cells.last_mut() {
                Some(last) if last.groups == groups => last.places.push(place),
                _ => cells.push(AlikeDocuments { groups, places: vec![place], others: 0 }),
            }
        }
        // Each document that fills a ranking up is a cell of its own.
        let fillers =
            |side: usize, list: &List| (difference.ends(list).len()..sides[side].len()).map(move |group| (side, group));
        for (side, group) in fillers(0, pair.a).chain(fillers(1, pair.b)) {
            let mut groups = [None; 2];
            groups[side] = Some(group);
            cells.push(AlikeDocuments { groups, places: Vec::new(), others: 1 });
        }
        if difference.is_moving && pair.facts.unretrieved > 0 {
            cells.push(AlikeDocuments { groups: [None; 2], places: Vec::new(), others: pair.facts.unretrieved });
        }
        // Documents of both rankings are decided first, because they matter most; then those at high ranks.
        let start =
            |cell: &AlikeDocuments, side: usize| cell.groups[side].map_or(usize::MAX, |group| sides[side][group].start);
        cells.sort_by_key(|cell| (cell.groups.contains(&None), start(cell, 0).min(start(cell, 1))));
        let units = cells.iter().enumerate().flat_map(|(i, cell)| std::iter::repeat_n(i, cell.len()));
        let units: Vec<usize> = units.collect();
        let mut sizes: Vec<usize> = sides.iter().flatten().map(|group| group.size).collect();
        if difference.is_of_set() {
            // A measure of sets takes no longer for a tie group than for untied documents.
            sizes = vec![1; sizes.into_iter().sum()];
        }
        let cost = Cost::new(difference, &sizes, units.len());
        GradedPair {
            difference,
            sides,
            grades,
            choices,
            judged: all,
            known,
            cells,
            units,
            places,
            cost,
            most: usize::MAX,
            root: OnceCell::new(),
        }
    }

    /// Allows at most `most` documents to get a grade above 0.
    pub fn at_most(self, most: usize) -> GradedPair<'s> {
        GradedPair { most, ..self }
    }

    /// The choices without a grade above 0, and their value.
    pub fn nonrelevant(&self) -> Incumbent {
        let chosen = vec![self.choices.len() as u8 - 1; self.units.len()];
        let value = branch::Problem::value(self, &chosen);
        Incumbent { chosen, value, bound: value, nodes: 0 }
    }

    /// How many decided documents have a grade above 0.
    fn relevant(&self, chosen: &[u8]) -> usize {
        let none = self.choices.len() - 1;
        chosen.iter().filter(|&&choice| (choice as usize) < none).count()
    }

    pub fn swap(&mut self) {
        self.sides.swap(0, 1);
        self.known.swap(0, 1);
        self.cells.iter_mut().for_each(|cell| cell.groups.swap(0, 1));
        self.places.iter_mut().for_each(|groups| groups.swap(0, 1));
        self.root.get_mut().into_iter().for_each(|root| root.swap(0, 1));
    }

    /// Ranking A (`side` 0) or B (1) with its judged and its decided documents. A decided document is given by its
    /// groups and the index of its grade.
    fn ranking(&self, side: usize, decided: impl Iterator<Item = ([Option<usize>; 2], usize)>) -> Ranking {
        let width = self.grades.len();
        // The number of documents of each grade in each group.
        let mut counts = self.known[side].clone();
        for (groups, grade) in decided {
            if let Some(group) = groups[side] {
                counts[group * width + grade] += 1;
            }
        }
        let groups = &self.sides[side];
        let retrieved = groups.last().map_or(0, |group| group.start + group.size);
        let mut ranking = Ranking::default();
        ranking.retrieved = retrieved;
        for (group, counts) in groups.iter().zip(counts.chunks(width)) {
            ranking.push(group.start, group.size, self.levels(counts));
        }
        ranking
    }

    /// The number of documents of each grade, as levels.
    fn levels(&self, counts: &[u32]) -> Vec<Level> {
        let levels = self.grades.iter().zip(counts).filter(|(_, count)| **count > 0);
        levels.map(|(&grade, &count)| Level { grade, count }).collect()
    }

    /// The grades of judged and of decided documents, as levels.
    fn truth(&self, decided: impl Iterator<Item = usize>) -> Vec<Level> {
        let mut counts = self.judged.clone();
        decided.for_each(|grade| counts[grade] += 1);
        self.levels(&counts)
    }

    /// The tie groups of each decided document, and the index of its grade.
    fn decided<'c>(&'c self, chosen: &'c [u8]) -> impl Iterator<Item = ([Option<usize>; 2], usize)> + Clone + 'c {
        let units = self.units.iter().zip(chosen);
        units.map(|(&cell, &choice)| (self.cells[cell].groups, self.choices[choice as usize]))
    }

    /// The score of A (`side` 0) or B (1) with these grades, as a mean over tie orders.
    fn mean(&self, side: usize, decided: impl Iterator<Item = ([Option<usize>; 2], usize)> + Clone) -> f64 {
        let levels = self.truth(decided.clone().map(|(_, grade)| grade));
        let ranking = self.ranking(side, decided);
        let value = self.difference.measure.mean(&ranking, &Judgments::none().with_levels(&levels));
        let value = if value.is_nan() { 0.0 } else { value };
        // A user's formula promises not to fall if a grade grows. Its value lies between the bounds, so this can be
        // checked.
        if let Some(formula) = self.difference.measure.formula() {
            let Bounds { low, high, .. } = self.root()[side];
            if low < high {
                formula.expect_growth(&ranking, low, value);
                formula.expect_growth(&ranking, value, high);
            }
        }
        value
    }

    /// Whether the means over tie orders are exact with these choices.
    pub fn certainty(&self, chosen: &[u8]) -> Certainty {
        let decided = self.decided(chosen);
        let levels = self.truth(decided.clone().map(|(_, grade)| grade));
        let truth = Judgments::none().with_levels(&levels);
        let certainty = |side: usize| self.difference.measure.certainty(&self.ranking(side, decided.clone()), &truth);
        certainty(0).max(certainty(1))
    }

    /// S(A) and S(B), if no decision changes them, as in a measure that leaves out unjudged documents.
    pub fn settled(&self) -> Option<[f64; 2]> {
        let root = self.root();
        root.iter().all(|bounds| bounds.low == bounds.high).then(|| root.map(|bounds| bounds.low))
    }

    /// The bounds of S(A) and of S(B) before any decision.
    pub fn root(&self) -> &[Bounds; 2] {
        self.root.get_or_init(|| [0, 1].map(|side| self.bounds(side, &[])))
    }

    /// The lowest and the highest score of A (`side` 0) or B (1). The first units have these choices, and the others
    /// any.
    fn bounds(&self, side: usize, chosen: &[u8]) -> Bounds {
        let decided = self.decided(chosen);
        let levels = self.truth(decided.clone().map(|(_, grade)| grade));
        let (ranking, truth) = (self.ranking(side, decided), Judgments::none().with_levels(&levels));
        // Undecided documents that this ranking lacks count as not retrieved.
        let others = self.units[chosen.len()..].iter().filter(|&&cell| self.cells[cell].groups[side].is_none());
        let others = others.count();
        let bounds = |resolution: Resolution| {
            let open = Open { resolution, ..self.difference.open(&ranking, &truth, others) };
            match self.difference.measure.bounds(&open) {
                None => Bounds::new(f64::NEG_INFINITY, f64::INFINITY),
                Some(bounds) if bounds.low.is_nan() => Bounds::new(0.0, 0.0),
                Some(bounds) => bounds.with_zero(),
            }
        };
        let [low, high] = self.cost.resolutions;
        let lowest = bounds(low);
        if low == high { lowest } else { Bounds::new(lowest.low, bounds(high).high) }
    }
}

impl branch::Problem for GradedPair<'_> {
    fn units(&self) -> &[usize] {
        &self.units
    }

    fn choices(&self) -> usize {
        self.choices.len()
    }

    fn value(&self, chosen: &[u8]) -> f64 {
        if self.relevant(chosen) > self.most {
            return f64::NEG_INFINITY;
        }
        self.mean(0, self.decided(chosen)) - self.mean(1, self.decided(chosen))
    }

    fn bound(&self, chosen: &[u8]) -> f64 {
        if self.relevant(chosen) > self.most {
            return f64::NEG_INFINITY;
        }
        let [a, b] = if chosen.is_empty() { *self.root() } else { [0, 1].map(|side| self.bounds(side, chosen)) };
        a.high - b.low
    }

    fn steps(&self) -> (usize, usize) {
        (self.cost.mean, self.cost.bound)
    }
}

/// The scores of both rankings, where the gains are grades.
impl ScoresByGains for GradedPair<'_> {
    fn a(&self, gains: &[f64]) -> f64 {
        self.score(0, gains)
    }

    fn b(&self, gains: &[f64]) -> f64 {
        self.score(1, gains)
    }
}

impl GradedPair<'_> {
    /// The score of A (`side` 0) or B (1) if the documents of the pair have these grades. Documents that fill it up are
    /// not judged.
    fn score(&self, side: usize, gains: &[f64]) -> f64 {
        if let Some(values) = self.settled() {
            return values[side];
        }
        let grade = |gain: f64| self.grades.partition_point(|&other| other > gain);
        let unknown = self.cells.iter().flat_map(|cell| &cell.places);
        self.mean(side, unknown.map(|&place| (self.places[place], grade(gains[place]))))
    }
}
