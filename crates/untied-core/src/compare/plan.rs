//! The measures of a comparison, and the memory that they need.

use super::evidence::{DocumentEvidence, QueryEvidence};
use super::{ComparisonSettings, pairs, sort};
use crate::difference::{self, DifferenceWorkspace, PairFacts, RankingPair};
use crate::error::{Error, Result, show};
use crate::measures::Scope;
use crate::names::Spec;
use crate::ranking::{Joiner, List, Numbering, Order, Pair, Placed};
use crate::registry::{Comparator, comparator};
use crate::similarity::{Overlaps, PairScore, Symmetry};
use crate::table::Run;
use crate::watch;

/// All that is computed, and how deep rankings must be read for it.
pub(super) struct ComparisonPlan {
    comparators: Vec<Comparator>,
    /// What they are called.
    names: Vec<String>,
    differences: bool,
    /// Documents below this rank do not matter.
    pub depth: usize,
}

/// Buffers that are kept between queries.
#[derive(Default)]
pub(super) struct QueryBuffers<'a> {
    order: Order,
    numbering: Numbering<&'a [u8]>,
    lists: Vec<List>,
    evidence: DocumentEvidence,
    pairing: PairBuffers,
}

impl<'a> QueryBuffers<'a> {
    /// The documents of all rankings, by number.
    pub fn documents(&self) -> &[(&'a [u8], u32)] {
        self.numbering.documents()
    }

    /// The first two rankings, joined, and room to work.
    pub fn pair(&mut self) -> (RankingPair<'_>, &mut DifferenceWorkspace) {
        let PairBuffers { joiner, places, workspace, .. } = &mut self.pairing;
        let (a, b) = (&self.lists[0], &self.lists[1]);
        joiner.places(a, b, places);
        (RankingPair { a, b, places, facts: self.evidence.facts() }, workspace)
    }
}

/// Buffers that are kept between pairs of rankings.
#[derive(Default)]
pub(super) struct PairBuffers {
    joiner: Joiner,
    pair: Pair,
    places: Vec<Placed>,
    within: CutLists,
    workspace: DifferenceWorkspace,
}

/// Two rankings as deep as one measure needs them, where others need more.
#[derive(Default)]
struct CutLists {
    a: List,
    b: List,
    places: Vec<Placed>,
}

impl ComparisonPlan {
    /// Measures made ready for rankings of `scope.depth` documents, of which those to `depth` count, or all.
    ///
    /// # Errors
    /// A measure is refused.
    pub fn new(specs: &[Spec], depth: Option<usize>, scope: &Scope<'_>) -> Result<ComparisonPlan> {
        let depth = depth.unwrap_or(usize::MAX);
        let comparators = specs.iter().map(|spec| comparator(spec, scope)).collect::<Result<Vec<_>>>()?;
        let needed = |(comparator, spec): (&Comparator, &Spec)| match comparator {
            Comparator::Similarity(similarity) if similarity.reads_below_cutoff() => depth,
            Comparator::Similarity(_) => spec.cutoff_or(depth).min(depth),
            Comparator::Difference(difference) => difference.depth().min(depth),
        };
        Ok(ComparisonPlan {
            differences: comparators.iter().any(|one| matches!(one, Comparator::Difference(_))),
            names: specs.iter().map(ToString::to_string).collect(),
            depth: comparators.iter().zip(specs).map(needed).max().unwrap_or(0),
            comparators,
        })
    }

    /// What becomes of the first measure when the rankings change places.
    pub fn symmetry(&self) -> Symmetry {
        match &self.comparators[0] {
            Comparator::Similarity(similarity) => similarity.symmetry(),
            Comparator::Difference(difference) => difference.symmetry(),
        }
    }

    /// The first measure, if it is one of differences.
    pub fn difference(&self) -> Option<&dyn difference::Comparer> {
        match &self.comparators[0] {
            Comparator::Similarity(_) => None,
            Comparator::Difference(difference) => Some(difference.as_ref()),
        }
    }

    /// The values of all pairs of runs that have the query.
    pub fn one_query<'a>(
        &self,
        buffers: &mut QueryBuffers<'a>,
        runs: &[&'a Run],
        queries: &[Option<usize>],
        evidence: &QueryEvidence<'_>,
        settings: ComparisonSettings,
    ) -> Result<Vec<PairScore>> {
        self.lay_out(buffers, runs, queries, evidence, settings)?;
        let mut values = Vec::new();
        for (a, b) in pairs(runs.len(), settings.itself).filter(|&(a, b)| queries[a].is_some() && queries[b].is_some())
        {
            self.one_pair(
                &mut buffers.pairing,
                (&buffers.lists[a], &buffers.lists[b]),
                buffers.evidence.facts(),
                settings.variance,
                &mut values,
            );
            self.check_failures(runs[a].id(queries[a].unwrap_or_default()))?;
            watch::step(1)?;
        }
        Ok(values)
    }

    /// Check that no code of the user's has failed.
    ///
    /// # Errors
    /// It has.
    pub fn check_failures(&self, query: &[u8]) -> Result<()> {
        for (comparator, measure) in self.comparators.iter().zip(&self.names) {
            let Comparator::Difference(difference) = comparator else { continue };
            if let Some(source) = difference.failure() {
                return Err(Error::Failure { measure: measure.clone(), query: Some(show(query).to_string()), source });
            }
        }
        Ok(())
    }

    /// Write the rankings of a query, and what is known of their documents, to the room.
    pub fn lay_out<'a>(
        &self,
        buffers: &mut QueryBuffers<'a>,
        runs: &[&'a Run],
        queries: &[Option<usize>],
        evidence: &QueryEvidence<'_>,
        settings: ComparisonSettings,
    ) -> Result<()> {
        buffers.numbering.clear();
        buffers.lists.resize_with(runs.len(), List::default);
        let mut id: &[u8] = &[];
        for ((run, query), list) in runs.iter().zip(queries).zip(&mut buffers.lists) {
            let Some(query) = *query else { continue };
            let rows = run.rows(query);
            sort(&mut buffers.order, run, query, &rows, settings)?;
            if self.differences {
                // Searches and sums go through documents one by one; similarities only count them.
                buffers.order.arrange(&rows, self.depth);
            }
            id = run.id(query);
            list.fill(&rows, &buffers.order, self.depth, &mut buffers.numbering)?;
        }
        buffers.evidence.fill(evidence, &buffers.numbering, id)
    }

    /// The values of two rankings, after those that are there already.
    pub fn one_pair(
        &self,
        buffers: &mut PairBuffers,
        (a, b): (&List, &List),
        facts: PairFacts<'_>,
        variance: bool,
        values: &mut Vec<PairScore>,
    ) {
        let PairBuffers { joiner, pair, places, within, workspace } = buffers;
        if self.differences {
            joiner.places(a, b, places);
        }
        let of = RankingPair { a, b, places, facts };
        let (mut overlaps, mut within_depth) = (None, self.depth);
        for comparator in self.comparators.iter().take_while(|_| !watch::is_stopped()) {
            values.push(match comparator {
                Comparator::Similarity(similarity) => {
                    let join = || Overlaps::new(joiner.pair(a, b, std::mem::take(pair)));
                    similarity.score(overlaps.get_or_insert_with(join), variance)
                }
                Comparator::Difference(difference) => {
                    let depth = difference.depth().min(self.depth);
                    if depth < self.depth && depth != within_depth {
                        within.a.cut(a, depth);
                        within.b.cut(b, depth);
                        joiner.places(&within.a, &within.b, &mut within.places);
                    }
                    within_depth = depth;
                    let CutLists { a, b, places } = &*within;
                    let of = if depth < self.depth { RankingPair { a, b, places, ..of } } else { of };
                    difference.score(&of, workspace).with_plain_zeros()
                }
            });
        }
        *pair = overlaps.map(|overlaps| overlaps.pair).unwrap_or_default();
    }
}
