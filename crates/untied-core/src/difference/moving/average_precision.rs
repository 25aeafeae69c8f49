//! AP, whose sum of precisions is a quadratic program and whose norm is R.
//!
//! [`precisions`] has an outer bound for every number of documents in one pass. Rankings in one order of which not too
//! much is unknown are solved too, by [`quadratic::solve_ratio`]. A document that neither ranking has among those that
//! count only adds to R: where A can be ahead none of them is relevant, else all are.

use super::given::{Given, witness};
use super::question::{Ceiling, Ceilings, Kind, Question, Witness};
use crate::difference::solve::precisions::{self, Precisions};
use crate::difference::solve::quadratic::{self, Workspace};
use crate::difference::solve::rising;
use crate::difference::solve::{Document, Instance, Solution};
use crate::error::Result;
use crate::ranking::{List, Placed};

/// Unknown documents of two rankings of 100.
const SEARCHED: usize = 200;
/// Nodes that a search through `SEARCHED` unknown documents may take.
const NODES: u64 = 2_000;
/// The most unknown documents of a question that is searched, and of those the most for which it is not clear at once
/// what is best.
const MOST: (usize, usize) = (600, 300);

struct AveragePrecision {
    rel: f64,
    grade: f64,
    cutoff: usize,
}

/// AP.
pub(super) fn average_precision(given: &Given<'_>) -> Result<Box<dyn Ceiling>> {
    let rel = given.of.rel()?;
    Ok(Box::new(AveragePrecision { rel, grade: given.highest(), cutoff: given.of.cutoff_or(usize::MAX) }))
}

/// What a search is asked.
struct Searched<'p> {
    instance: Instance,
    places: Vec<&'p Placed>,
    /// Relevant documents below the depth or in neither ranking, and unknown ones.
    relevant: usize,
    free: usize,
}

/// What it found.
struct Found {
    solution: Solution,
    /// How many unknown documents are relevant that only add to R.
    free: usize,
}

impl AveragePrecision {
    /// A ranking to the cutoff, its ties in this order of kinds.
    fn side(&self, of: &Question<'_>, list: &List, by_rank: &[u32], order: [Kind; 3]) -> Precisions {
        let mut kinds = of.kinds(list, by_rank, self.rel, order);
        kinds.truncate(self.cutoff);
        Precisions::new(&kinds)
    }

    fn sides(&self, of: &Question<'_>) -> (Precisions, Precisions) {
        let (a, b) = of.by_rank();
        (
            self.side(of, of.a, &a, [Kind::Relevant, Kind::Unknown, Kind::Other]),
            self.side(of, of.b, &b, [Kind::Other, Kind::Unknown, Kind::Relevant]),
        )
    }

    fn outer(&self, of: &Question<'_>) -> Ceilings {
        let (a, b) = self.sides(of);
        let relevant = of.relevant(self.rel);
        let found = rising(precisions::apart(&a, &b, relevant, of.unknown).into_iter());
        if of.is_tied() {
            return of.in_any_order(found);
        }
        // Of one document, each is tried.
        let none = found[0];
        let gain = |place: &Placed| a.gain(place.a) - b.gain(place.b);
        let gains = of.open().map(gain).chain((of.free > 0).then_some(0.0));
        let one = gains.reduce(f64::max).map(|gain| (a.known() - b.known() + gain) / (relevant + 1) as f64);
        let mut found = Ceilings::partly(found, None, vec![0]);
        if let Some(one) = one {
            found.lower(1, one.max(none), true);
        }
        found
    }

    /// The question as a search takes it; none where it would take too long, or documents are tied.
    fn searched<'p>(&self, of: &Question<'p>) -> Option<Searched<'p>> {
        if of.is_tied() {
            return None;
        }
        let (places, instance) = of.instance(self.cutoff, 1.0, |grade| match Kind::of(grade, self.rel) {
            Kind::Unknown => None,
            kind => Some(f64::from(u8::from(kind == Kind::Relevant))),
        });
        let unknown = instance.documents.iter().filter(|x| x.known.is_none()).count();
        let here = instance.documents.iter().filter(|x| x.known == Some(1.0)).count();
        let (relevant, free) = (of.relevant(self.rel) - here, of.unknown - unknown);
        (unknown <= MOST.0).then_some(Searched { instance, places, relevant, free })
    }
}

/// The limit of nodes for a search, by the number of unknown documents: with more documents, each node takes longer.
fn nodes(unknown: usize) -> u64 {
    let times = (unknown as f64 / SEARCHED as f64).max(1.0);
    ((NODES as f64 / times.powi(3)) as u64).max(1)
}

impl Searched<'_> {
    fn nodes(&self) -> u64 {
        nodes(self.instance.documents.iter().filter(|x| x.known.is_none()).count())
    }

    fn is_relevant_known(&self) -> bool {
        self.relevant > 0 || self.instance.documents.iter().any(|x| x.known == Some(1.0))
    }

    fn solve(&self, workspace: &mut Workspace) -> Found {
        let alone = quadratic::solve_ratio(&self.instance, self.relevant, self.nodes(), workspace);
        if alone.bound > 0.0 || !self.is_relevant_known() || self.free == 0 {
            return Found { solution: alone, free: 0 };
        }
        // No assignment puts A ahead: the larger R, the closer to 0.
        let solution = quadratic::solve_ratio(&self.instance, self.relevant + self.free, self.nodes(), workspace);
        Found { solution, free: self.free }
    }

    /// As `solve`, with at most `most` unknown documents relevant.
    fn limited(&self, most: usize, workspace: &mut Workspace) -> Found {
        let of = &self.instance;
        let alone = quadratic::solve_ratio_limited(of, most, self.relevant, self.nodes(), workspace);
        let free = self.free.min(most);
        if alone.bound > 0.0 || !self.is_relevant_known() || free == 0 {
            return Found { solution: alone, free: 0 };
        }
        // Documents that only add to R take part as any others.
        let mut with_free = of.clone();
        with_free.documents.extend(std::iter::repeat_n(Document { a: 0, b: 0, known: None }, free));
        let unknown = with_free.documents.iter().filter(|x| x.known.is_none()).count();
        let mut solution = quadratic::solve_ratio_limited(&with_free, most, self.relevant, nodes(unknown), workspace);
        let others = solution.gains.split_off(of.documents.len());
        let free = others.iter().filter(|&&gain| gain > 0.0).count();
        Found { solution, free }
    }

    /// How many unknown documents are relevant.
    fn count(&self, found: &Found) -> usize {
        let all = self.instance.documents.iter().zip(&found.solution.gains);
        all.filter(|(document, gain)| document.known.is_none() && **gain > 0.0).count() + found.free
    }
}

impl Ceiling for AveragePrecision {
    fn ceilings(&self, of: &Question<'_>) -> Ceilings {
        let outer = self.outer(of);
        let Some(searched) = self.searched(of) else { return outer };
        let found = searched.solve(&mut Workspace::limited(MOST.1));
        let Solution { value, bound, .. } = found.solution;
        let none = outer.at(0); // no document is chosen, so the bound is the difference itself
        outer.below(bound.max(none), (value == bound).then(|| searched.count(&found)))
    }

    fn limited(&self, of: &Question<'_>, most: usize) -> Option<(f64, bool)> {
        if most >= of.unknown {
            return None;
        }
        let found = self.searched(of)?.limited(most, &mut Workspace::limited(MOST.1));
        let Solution { value, bound, .. } = found.solution;
        Some((bound, value == bound))
    }

    fn witness(&self, of: &Question<'_>, most: usize) -> Witness {
        let none = || witness(self.outer(of).at(0), std::iter::empty());
        let Some(searched) = self.searched(of).filter(|_| most > 0) else { return none() };
        let mut workspace = Workspace::limited(MOST.1);
        let mut found = searched.solve(&mut workspace);
        if searched.count(&found) > most {
            found = searched.limited(most, &mut workspace);
        }
        let Found { solution, free } = found;
        let all = searched.places.iter().zip(&searched.instance.documents).zip(&solution.gains);
        let chosen = all.filter(|((_, document), gain)| document.known.is_none() && **gain > 0.0);
        let chosen: Vec<u32> = chosen.map(|((place, _), _)| place.document).collect();
        // Those that only add to R: of the rankings below what counts, and of neither.
        let is_below = |rank: u32| rank == 0 || rank as usize > searched.instance.depth;
        let below = of.open().filter(|x| is_below(x.a) && is_below(x.b));
        let others = below.map(|place| Some(place.document)).chain(std::iter::repeat_n(None, of.free)).take(free);
        let all = chosen.into_iter().map(Some).chain(others);
        witness(solution.value, all.map(|document| (document, self.grade)))
    }
}
