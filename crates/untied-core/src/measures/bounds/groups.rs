//! The groups of a partly ordered truth, best first, if open documents may belong to them.
//!
//! ADR and compatibility count the documents of groups 1..c among the first ranks. If the number of open documents of
//! each group is fixed, every such count is largest if the better groups go to the open documents that stand higher,
//! and smallest if they go to those that stand lower: two documents that contradict this can exchange their groups
//! without changing a count for the worse, in every order of ties. So the open documents of groups 1..c are the first
//! ones, or the last ones.

use super::{Open, Resolution};
use crate::ranking::Group;

/// A group of the truth.
pub(crate) struct TruthGroup {
    pub grade: f64,
    /// J_c: the judged documents in this group and in better ones.
    pub judged: usize,
    /// Whether open documents can be in it.
    pub is_possible: bool,
}

impl TruthGroup {
    /// The groups with grades of at least `rel`, best first. Some may have only open documents.
    pub fn all(open: &Open<'_>, rel: f64) -> Vec<TruthGroup> {
        let judged = open.truth.levels.iter().map(|level| level.grade);
        let mut grades: Vec<f64> = open.grades.iter().copied().chain(judged).filter(|&grade| grade >= rel).collect();
        grades.sort_unstable_by(|one, other| other.total_cmp(one));
        grades.dedup();
        let group = |&grade: &f64| TruthGroup {
            grade,
            judged: open.truth.relevant(grade),
            is_possible: open.grades.contains(&grade),
        };
        grades.iter().map(group).collect()
    }
}

/// A ranking whose open documents get groups of the truth from the top down, or from the bottom up.
pub(crate) struct AssignedGroups<'a> {
    pub open: &'a Open<'a>,
    /// The number of open documents that can be relevant.
    pub unjudged: usize,
    pub highest: bool,
}

impl<'a> AssignedGroups<'a> {
    /// Each tie group, and how many of its documents have at least this grade if u open documents have it.
    pub fn by_tie_group(&self, grade: f64, u: usize) -> impl Iterator<Item = (Group<'a>, usize)> + use<'a> {
        let (all, highest, mut before) = (self.unjudged, self.highest, 0);
        self.open.ranking.groups().map(move |group| {
            let unjudged = group.size - group.relevant(0.0);
            let assigned = if highest { u } else { (before + unjudged + u).saturating_sub(all) + before };
            let relevant = group.relevant(grade) + assigned.saturating_sub(before).min(unjudged);
            before += unjudged;
            (group, relevant)
        })
    }

    /// How many of the first `rank` documents of a tie group are relevant, if `relevant` of all are.
    pub fn within(&self, size: usize, relevant: usize, rank: usize) -> f64 {
        match self.open.resolution {
            Resolution::Mean => rank as f64 * (relevant as f64 / size as f64),
            Resolution::Best => rank.min(relevant) as f64,
            Resolution::Worst => rank.saturating_sub(size - relevant) as f64,
        }
    }

    /// For 0, 1, .. `depth`: how many of the first documents have at least this grade, if u open documents have it.
    pub fn counts(&self, grade: f64, u: usize, depth: usize, counts: &mut Vec<f64>) {
        counts.clear();
        counts.push(0.0);
        let mut counted = 0.0;
        for (group, relevant) in self.by_tie_group(grade, u) {
            let slots = group.size.min((depth + 1).saturating_sub(counts.len()));
            counts.extend((1..=slots).map(|rank| counted + self.within(group.size, relevant, rank)));
            if slots < group.size {
                return;
            }
            counted += relevant as f64;
        }
        counts.resize(depth + 1, counted);
    }
}
