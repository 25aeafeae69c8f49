//! Any measure that can tell its bounds over unjudged documents, by a general search.
//!
//! S is the measure itself, on rankings in which every document has a grade: judged ones their own, unjudged ones any of
//! 0, 1, .. `max_grade`, and those of the qrels up to it. Normalisers are those of the measure: R and ideal rankings count
//! the judged documents of the query and those that are given a grade; documents that neither ranking retrieves stay
//! unjudged. Where S is undefined it counts 0.
//!
//! With some documents decided, `S(A) - S(B)` is at most the highest S(A) less the lowest S(B) that the measure's bounds
//! tell. Documents of one tie group of A and one of B are alike.

use std::cell::{Cell, OnceCell};

use super::difference::{Chance, Difference, Extent, RankingPair, STEPS, Sampled, Scale, Workspace, fixed, in_both};
use super::given::Given;
use super::solve::branch::{self, Best};
use super::solve::expected::Uncertain;
use super::solve::scores::Scores;
use super::solve::work::Work;
use crate::error::{Error, Failure, Result};
use crate::grade::Level;
use crate::measures::bounds::{Bounds, Open, Resolution};
use crate::measures::dcg::Gain;
use crate::measures::formula::Formula;
use crate::measures::{Certainty, Measure};
use crate::names::{Info, Needs, Sampled as SampledOrders};
use crate::ranking::{List, Placed, Ranking};
use crate::table::Judgments;

/// Steps that a call of a user's formula counts as.
const CALL: usize = 5_000;
/// Most orders of a ranking over which a mean is taken.
const ORDERS: usize = 10_000;
/// Steps that bounds of means over the orders of ties are worth: a hundredth of all.
const WORTH: usize = STEPS as usize / 100;
/// Documents of the ranking for which a measure has to have bounds.
const PROBED: usize = 1000;

/// See above.
struct General {
    scale: Scale,
    info: &'static Info,
    measure: Box<dyn Measure>,
    /// Whether no grade of an unjudged document changes it, as of a measure of what is judged.
    fixed: bool,
    /// Grades that an unjudged document may have, highest first; the last is 0.
    grades: Vec<f64>,
}

/// The difference in a measure that can tell its bounds.
///
/// # Errors
/// It cannot, or a parameter has a value that it cannot take.
pub(super) fn general(given: &Given<'_>) -> Result<Box<dyn Difference>> {
    let of = given.of;
    let refuse = |why: &str| Err(Error::Measure(format!("the largest difference in {of} is not known: {why}")));
    if of.info.needs != Needs::Judgments {
        return refuse("it reads more than a grade of each document");
    }
    let scale = given.scale(Gain::Linear, given.highest());
    let (most, whole) = (scale.max_grade, (0..=scale.max_grade as usize).map(|grade| grade as f64));
    let known = given.scope.grades.iter().copied().filter(|&grade| 0.0 < grade && grade < most);
    let mut grades: Vec<f64> = whole.chain(known).chain([most]).collect();
    grades.sort_unstable_by(|one, other| other.total_cmp(one));
    grades.dedup();
    if grades.len() > 256 {
        return Err(Error::Value(format!(
            "{of}: the largest difference is searched for up to 256 grades; give max_grade"
        )));
    }
    let measure = given.measure(of, &grades, 2 * (given.scope.depth + scale.cutoff.unwrap_or(0)))?;
    let mut difference = General { scale, info: of.info, measure, fixed: false, grades };
    // As many documents that are not judged as rankings may have.
    let mut ranking = Ranking::default();
    ranking.retrieved = given.depth().min(PROBED);
    (0..ranking.retrieved).for_each(|start| ranking.push(start, 1, std::iter::empty()));
    let bounds = difference.measure.bounds(&difference.open(&ranking, &Judgments::none(), 0));
    match bounds {
        None => {
            let why = of.info.unbounded.unwrap_or("it may fall when a grade grows");
            refuse(&format!("it has no bounds over unjudged documents ({why})"))
        }
        Some(bounds) if bounds.undefined && of.info.lower_is_better => {
            refuse("it is undefined with some grades, where 0 would be its best value")
        }
        Some(bounds) => {
            difference.fixed = bounds.low.is_nan() || bounds.low == bounds.high && !bounds.undefined;
            Ok(Box::new(difference))
        }
    }
}

impl General {
    fn open<'o>(&'o self, ranking: &'o Ranking, truth: &'o Judgments<'o>, unretrieved: usize) -> Open<'o> {
        Open { ranking, truth, resolution: Resolution::Mean, grades: &self.grades, unretrieved }
    }

    /// The larger difference, and the grades with which it is reached: A ahead.
    fn solve(&self, problem: &Graded<'_>) -> Best {
        let last = (self.grades.len() - 1) as u8;
        let start = |choice: &dyn Fn(&Alike) -> bool| {
            let of = |&cell: &usize| if choice(&problem.cells[cell]) { 0 } else { last };
            problem.units.iter().map(of).collect::<Vec<u8>>()
        };
        let at = |group: Option<usize>, side: usize| group.map_or(usize::MAX, |group| problem.sides[side][group].start);
        let starts = vec![
            start(&|cell| at(cell.groups[0], 0) < at(cell.groups[1], 1)),
            start(&|cell| cell.groups[1].is_none()),
            start(&|_| true),
            start(&|_| false),
        ];
        branch::solve(problem, starts, Work::new(STEPS))
    }
}

/// Documents that are alike.
#[derive(Debug, Clone)]
struct Alike {
    /// Their tie groups in A and in B.
    groups: [Option<usize>; 2],
    /// Their places among all documents; none for one that fills a ranking up.
    places: Vec<usize>,
}

/// A tie group.
struct Group {
    start: usize,
    size: usize,
}

/// About how many steps a value and a bound take, and what bounds are of.
#[derive(Clone, Copy)]
struct Cost {
    mean: usize,
    bound: usize,
    /// Tied documents stand in all orders, or in the worst and in the best one, between which the mean is.
    resolutions: [Resolution; 2],
}

impl Cost {
    /// That of these tie groups, with so many documents to decide.
    fn new(of: &General, sizes: &[usize], units: usize) -> Cost {
        let General { measure, info, .. } = of;
        let documents = sizes.iter().sum::<usize>() + units;
        let one = if measure.formula().is_some() { CALL } else { 1000 } + 20 * documents;
        let by_orders = measure.formula().is_some() || info.sampled.iter().any(SampledOrders::is_of_mean);
        let mean = if by_orders {
            // It may go through every order, or through a sample of them.
            one * sizes.iter().flat_map(|&size| 2..=size).fold(1, |orders, n| (orders * n).min(ORDERS))
        } else {
            one + 4 * sizes.iter().map(|size| size * size).sum::<usize>()
        };
        // Bounds may take the square of a ranking, and as many means where documents are tied.
        let (in_one, tied) = (2 * one + 2 * documents * documents, sizes.iter().any(|&size| size > 1));
        let of_means = if measure.formula().is_some() { 4 * mean } else { in_one + documents * mean / 4 };
        let (bound, resolutions) = match tied {
            false => (in_one, [Resolution::Mean; 2]),
            true if of_means <= WORTH || of.fixed => (of_means, [Resolution::Mean; 2]),
            true => (2 * in_one, [Resolution::Worst, Resolution::Best]),
        };
        Cost { mean: 2 * mean, bound, resolutions }
    }
}

/// Two rankings of which some documents have no grade yet.
struct Graded<'s> {
    of: &'s General,
    /// Tie groups of A and of B, also those of one document each that fill them up.
    sides: [Vec<Group>; 2],
    /// All grades that documents have or may have, highest first, and where among them is what a choice stands for.
    grades: Vec<f64>,
    choices: Vec<usize>,
    /// How many judged documents have each grade: of all, and of each group of A and of B one after the other.
    judged: Vec<u32>,
    known: [Vec<u32>; 2],
    cells: Vec<Alike>,
    /// The cell of every document to decide, in the order in which they are.
    units: Vec<usize>,
    /// Tie groups of all documents in A and in B.
    places: Vec<[Option<usize>; 2]>,
    cost: Cost,
    /// Bounds of S(A) and of S(B) where nothing is decided.
    root: OnceCell<[Bounds; 2]>,
}

impl<'s> Graded<'s> {
    fn new(of: &'s General, pair: &RankingPair<'_>) -> Graded<'s> {
        let filled = of.scale.cutoff.filter(|_| of.scale.fills).unwrap_or(0);
        let groups = |list: &List| -> Vec<Group> {
            let ends = list.ends.iter().map(|&end| end as usize).chain(list.len() + 1..=filled);
            let group = |start: &mut usize, end: usize| {
                let start = std::mem::replace(start, end);
                Some(Group { start, size: end - start })
            };
            ends.scan(0, group).collect()
        };
        let sides = [groups(pair.a), groups(pair.b)];
        let judged = pair.levels.iter().map(|level| level.grade).filter(|&grade| grade >= 0.0);
        let mut grades: Vec<f64> = of.grades.iter().copied().chain(judged).collect();
        grades.sort_unstable_by(|one, other| other.total_cmp(one));
        grades.dedup();
        let index = |grade: f64| grades.partition_point(|&other| other > grade);
        let choices: Vec<usize> = of.grades.iter().map(|&grade| index(grade)).collect();
        let mut all = vec![0; grades.len()];
        for level in pair.levels.iter().filter(|level| level.grade >= 0.0) {
            all[index(level.grade)] += level.count;
        }
        let mut known = [0, 1].map(|side: usize| vec![0; sides[side].len() * grades.len()]);
        let group = |list: &List, rank: u32| (rank > 0).then(|| list.ends.partition_point(|&end| end < rank));
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
        let mut cells: Vec<Alike> = Vec::new();
        for (groups, place) in keyed {
            match cells.last_mut() {
                Some(last) if last.groups == groups => last.places.push(place),
                _ => cells.push(Alike { groups, places: vec![place] }),
            }
        }
        // What fills a ranking up is a cell of its own.
        let fillers = |side: usize, list: &List| (list.ends.len()..sides[side].len()).map(move |group| (side, group));
        for (side, group) in fillers(0, pair.a).chain(fillers(1, pair.b)) {
            let mut groups = [None; 2];
            groups[side] = Some(group);
            cells.push(Alike { groups, places: Vec::new() });
        }
        // What is in both decides most, then what stands high.
        let start = |cell: &Alike, side: usize| cell.groups[side].map_or(usize::MAX, |group| sides[side][group].start);
        cells.sort_by_key(|cell| (cell.groups.contains(&None), start(cell, 0).min(start(cell, 1))));
        let units = cells.iter().enumerate().flat_map(|(i, cell)| std::iter::repeat_n(i, cell.places.len().max(1)));
        let units: Vec<usize> = units.collect();
        let sizes: Vec<usize> = sides.iter().flatten().map(|group| group.size).collect();
        let cost = Cost::new(of, &sizes, units.len());
        Graded { of, sides, grades, choices, judged: all, known, cells, units, places, cost, root: OnceCell::new() }
    }

    /// Exchange A and B.
    fn swap(&mut self) {
        self.sides.swap(0, 1);
        self.known.swap(0, 1);
        self.cells.iter_mut().for_each(|cell| cell.groups.swap(0, 1));
        self.places.iter_mut().for_each(|groups| groups.swap(0, 1));
        self.root.get_mut().into_iter().for_each(|root| root.swap(0, 1));
    }

    /// A ranking where documents have these grades besides the known ones, each by its groups and the number of its grade.
    fn ranking(&self, side: usize, decided: impl Iterator<Item = ([Option<usize>; 2], usize)>) -> Ranking {
        let width = self.grades.len();
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

    fn levels(&self, counts: &[u32]) -> Vec<Level> {
        let levels = self.grades.iter().zip(counts).filter(|(_, count)| **count > 0);
        levels.map(|(&grade, &count)| Level { grade, count }).collect()
    }

    /// Levels of the query's judged documents and of those that have got a grade.
    fn truth(&self, decided: impl Iterator<Item = usize>) -> Vec<Level> {
        let mut counts = self.judged.clone();
        decided.for_each(|grade| counts[grade] += 1);
        self.levels(&counts)
    }

    /// Groups and numbers of grades of the first documents to decide.
    fn decided<'c>(&'c self, chosen: &'c [u8]) -> impl Iterator<Item = ([Option<usize>; 2], usize)> + Clone + 'c {
        let units = self.units.iter().zip(chosen);
        units.map(|(&cell, &choice)| (self.cells[cell].groups, self.choices[choice as usize]))
    }

    /// S of a ranking in which documents have these grades.
    fn mean(&self, side: usize, decided: impl Iterator<Item = ([Option<usize>; 2], usize)> + Clone) -> f64 {
        let levels = self.truth(decided.clone().map(|(_, grade)| grade));
        let value = self.of.measure.mean(&self.ranking(side, decided), &Judgments::none().with_levels(&levels));
        if value.is_nan() { 0.0 } else { value }
    }

    /// How sure the means are where all is decided.
    fn certainty(&self, chosen: &[u8]) -> Certainty {
        let decided = self.decided(chosen);
        let levels = self.truth(decided.clone().map(|(_, grade)| grade));
        let truth = Judgments::none().with_levels(&levels);
        let of = |side: usize| self.of.measure.certainty(&self.ranking(side, decided.clone()), &truth);
        of(0).max(of(1))
    }

    /// S(A) and S(B) if no grade changes them, as of a measure of what is judged, which does not ask for others.
    fn settled(&self) -> Option<[f64; 2]> {
        let root = self.root();
        root.iter().all(|bounds| bounds.low == bounds.high).then(|| root.map(|bounds| bounds.low))
    }

    fn root(&self) -> &[Bounds; 2] {
        self.root.get_or_init(|| [0, 1].map(|side| self.bounds(side, &[])))
    }

    /// Smallest and largest S where some documents have these grades and others any.
    fn bounds(&self, side: usize, chosen: &[u8]) -> Bounds {
        let decided = self.decided(chosen);
        let levels = self.truth(decided.clone().map(|(_, grade)| grade));
        let (ranking, truth) = (self.ranking(side, decided), Judgments::none().with_levels(&levels));
        let others = self.units[chosen.len()..].iter().filter(|&&cell| self.cells[cell].groups[side].is_none());
        let others = others.count();
        let of = |resolution: Resolution| {
            let open = Open { resolution, ..self.of.open(&ranking, &truth, others) };
            match self.of.measure.bounds(&open) {
                None => Bounds::new(f64::NEG_INFINITY, f64::INFINITY),
                Some(bounds) if bounds.low.is_nan() => Bounds::new(0.0, 0.0),
                Some(bounds) => bounds.with_zero(),
            }
        };
        let [low, high] = self.cost.resolutions;
        let found = of(low);
        if low == high { found } else { Bounds::new(found.low, of(high).high) }
    }
}

impl branch::Problem for Graded<'_> {
    fn units(&self) -> &[usize] {
        &self.units
    }

    fn choices(&self) -> usize {
        self.choices.len()
    }

    fn value(&self, chosen: &[u8]) -> f64 {
        self.mean(0, self.decided(chosen)) - self.mean(1, self.decided(chosen))
    }

    fn bound(&self, chosen: &[u8]) -> f64 {
        let [a, b] = if chosen.is_empty() { *self.root() } else { [0, 1].map(|side| self.bounds(side, chosen)) };
        a.high - b.low
    }

    fn steps(&self) -> (usize, usize) {
        (self.cost.mean, self.cost.bound)
    }
}

/// Gains are grades.
impl Scores for Graded<'_> {
    fn a(&self, gains: &[f64]) -> f64 {
        self.score(0, gains)
    }

    fn b(&self, gains: &[f64]) -> f64 {
        self.score(1, gains)
    }
}

impl Graded<'_> {
    /// S of a ranking where its documents have these grades; what fills it up has none.
    fn score(&self, side: usize, gains: &[f64]) -> f64 {
        if let Some(values) = self.settled() {
            return values[side];
        }
        let grade = |gain: f64| self.grades.partition_point(|&other| other > gain);
        let unknown = self.cells.iter().flat_map(|cell| &cell.places);
        self.mean(side, unknown.map(|&place| (self.places[place], grade(gains[place]))))
    }
}

impl Difference for General {
    fn scale(&self) -> &Scale {
        &self.scale
    }

    fn extent(&self, pair: &RankingPair<'_>, _: &mut Workspace, directions: (bool, bool)) -> Extent {
        if pair.is_same() && self.scale.lacking(pair) == 0 {
            return fixed(directions, 0.0);
        }
        let sure = Cell::new(Certainty::Exact);
        let solve = |problem: &mut Graded<'_>| {
            let best = self.solve(problem);
            if pair.is_tied() {
                sure.set(sure.get().max(problem.certainty(&best.chosen)));
            }
            (best.value, best.bound)
        };
        let mut problem = Graded::new(self, pair);
        let [a, b] = *problem.root();
        if [a.low, a.high, b.low, b.high].iter().any(|bound| !bound.is_finite()) {
            return fixed(directions, f64::NAN); // it has bounds, but not here
        }
        if let Some([a, b]) = problem.settled() {
            return fixed(directions, a - b);
        }
        let found = in_both(directions, &mut problem, solve, Graded::swap);
        Extent { sure: sure.get(), ..Extent::exact(found) }
    }

    fn assignment(&self, pair: &RankingPair<'_>, _: &mut Workspace) -> Option<(Vec<u32>, Vec<f64>)> {
        let problem = Graded::new(self, pair);
        let best = self.solve(&problem);
        let numbers: Vec<u32> = pair.places.iter().map(|place| place.document).collect();
        let mut grades = vec![0.0; numbers.len()];
        let mut filling = vec![0.0; self.scale.lacking(pair)];
        let mut chosen = best.chosen.iter().map(|&choice| self.grades[choice as usize]);
        for cell in &problem.cells {
            for (&place, grade) in cell.places.iter().zip(&mut chosen) {
                grades[place] = grade;
            }
            if cell.places.is_empty() {
                let grade = chosen.next()?;
                let of_a = cell.groups[0].map(|group| problem.sides[0][group].start - pair.a.len());
                of_a.into_iter().for_each(|i| filling[i] = grade);
            }
        }
        grades.append(&mut filling);
        Some((numbers, grades))
    }

    fn sampled<'s>(
        &'s self,
        pair: &'s RankingPair<'_>,
        _: &'s mut Workspace,
        chance: Chance<'_>,
    ) -> Option<Sampled<'s>> {
        let uncertain = |place: &Placed| {
            let (gain, chance) =
                pair.grade(place).map_or_else(|| (self.scale.max_grade, chance(place)), |grade| (grade, 1.0));
            Uncertain { a: place.a, b: place.b, gain, chance }
        };
        let documents = pair.places.iter().map(uncertain).collect();
        Some(Sampled { documents, scores: Box::new(Graded::new(self, pair)) })
    }

    fn failure(&self) -> Option<Failure> {
        self.measure.formula().and_then(Formula::failure)
    }
}
