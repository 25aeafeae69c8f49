//! Judgments that say more than a grade: a subtopic, a stratum of a sampled pool, a probability of inclusion, which
//! documents are preferred to which, or how probable each grade is.
//!
//! The *profile* of a document is everything that its judgments say. Profiles are numbered over all queries, and a second
//! set of judgments has these numbers as grades, for the measures that read profiles. Documents with the same profile are
//! then counted together. A document that is in the pool but not judged has a negative grade, so its number i becomes
//! -1 - i. All other measures read plain grades.

use std::cmp::Ordering;
use std::collections::HashMap;

use super::{Chunk, Chunks, Qrels, hash};
use crate::error::Result;

/// Everything that the judgments of a document say: with subtopics, (subtopic, grade) for each grade above 0; with strata,
/// (stratum, grade); with probabilities of inclusion, (0, grade) and (1, probability); with preferences, (place, 1) for the
/// document itself and then for each one that is preferred to it, where places go up from the worst document of the query;
/// with probabilities of grades, (grade, probability) for each grade above 0 that is possible.
pub type Profile = Vec<(u32, f64)>;

/// A query with its documents, best first, and for each of them the indices of those that are preferred to it.
pub type PreferenceOrder = (Vec<u8>, Vec<(Vec<u8>, Vec<usize>)>);

/// A query with its documents, each with its possible grades above 0, ascending, and their probabilities.
pub type UncertainGrades = (Vec<u8>, Vec<(Vec<u8>, Profile)>);

/// What judgments say in addition to a grade.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Detail {
    /// A grade for each subtopic of a query.
    Subtopics,
    /// The stratum of the pool that the document belongs to.
    Strata,
    /// The probability that the document was chosen to be judged.
    Inclusion,
    /// The documents that are preferred to the document. No table has them.
    Preferences,
    /// How probable each grade of the document is. Python reads tables of them.
    Probabilities,
}

impl Detail {
    /// The name of the format of such qrels.
    pub fn format(self) -> &'static str {
        match self {
            Detail::Subtopics => "subtopics",
            Detail::Strata => "stratified",
            Detail::Inclusion => "prels",
            Detail::Preferences => "preferences",
            Detail::Probabilities => "probabilities",
        }
    }

    /// Name of its column in a table.
    pub fn column(self) -> &'static str {
        match self {
            Detail::Subtopics => "subtopic",
            Detail::Strata => "stratum",
            Detail::Inclusion => "probability",
            Detail::Preferences => "preferred",
            Detail::Probabilities => "probability",
        }
    }
}

/// The judgments again, with the numbers of profiles as grades.
#[derive(Debug, Clone)]
pub(super) struct Profiled {
    pub detail: Detail,
    pub judged: Qrels,
    /// The number of repeated judgments that the qrels do not have.
    pub repeated: usize,
}

/// The numbers that are accepted, and their description in messages.
pub type Accepted = (fn(f64) -> bool, &'static str);
/// Any grade.
pub const GRADE: Accepted = (f64::is_finite, "a finite number as the grade");
/// The number of a stratum.
pub const STRATUM: Accepted =
    (|stratum| (0.0..4e9).contains(&stratum) && stratum.fract() == 0.0, "a whole number of at least 0 as the stratum");
/// The probability that a document was chosen to be judged.
pub const PROBABILITY: Accepted = (
    |probability| probability > 0.0 && probability <= 1.0,
    "a number above 0 and at most 1 as the inclusion probability",
);

impl Qrels {
    /// Joins judgments with this detail, or with grades only.
    ///
    /// # Errors
    /// Those of the function for this detail.
    pub fn with_detail(chunks: Vec<Chunk>, detail: Option<Detail>, source: &str) -> Result<Qrels> {
        match detail {
            None | Some(Detail::Preferences | Detail::Probabilities) => Qrels::new(chunks, source),
            Some(Detail::Subtopics) => Qrels::with_subtopics(chunks, source),
            Some(Detail::Strata) => Qrels::with_strata(chunks, source),
            Some(Detail::Inclusion) => Qrels::with_inclusion(chunks, source),
        }
    }

    /// Joins judgments of a stratified pool, whose columns are grades and strata.
    ///
    /// # Errors
    /// A document has two grades or two strata in a query.
    pub fn with_strata(chunks: Vec<Chunk>, source: &str) -> Result<Qrels> {
        let qrels = Qrels::with_columns(chunks, source, &["grade", "stratum"])?;
        qrels.profiled(Detail::Strata, |grade, stratum| vec![(stratum as u32, grade)])
    }

    /// Joins judgments with probabilities of inclusion, whose columns are grades and probabilities.
    ///
    /// # Errors
    /// A document has two grades or two probabilities in a query.
    pub fn with_inclusion(chunks: Vec<Chunk>, source: &str) -> Result<Qrels> {
        let qrels = Qrels::with_columns(chunks, source, &["grade", "inclusion probability"])?;
        qrels.profiled(Detail::Inclusion, |grade, probability| vec![(0, grade), (1, probability)])
    }

    /// Makes judgments from preferences: for each query its documents, best first, each with the indices of all documents
    /// that are preferred to it. These must come before it.
    ///
    /// The grade of a document is the number of documents that are not preferred to it, itself included.
    ///
    /// # Errors
    /// A document appears twice in a query, or a query has more ids than a column holds.
    pub fn with_preferences(queries: &[PreferenceOrder]) -> Result<Qrels> {
        let mut profiles = Profiles::default();
        let mut chunks = Chunks::new(2);
        for (query, documents) in queries {
            chunks.start_query(query, 2);
            for (index, (document, preferred)) in documents.iter().enumerate() {
                let place = |index: usize| ((documents.len() - 1 - index) as u32, 1.0);
                let mut profile: Profile = preferred.iter().copied().chain([index]).map(place).collect();
                profile.sort_unstable_by_key(|entry| entry.0);
                chunks.push(document, hash(document))?;
                let columns = &mut chunks.last.block.columns;
                columns[0].push((documents.len() - preferred.len()) as f64);
                columns[1].push(profiles.number(profile));
            }
        }
        Qrels::of_two_columns(chunks.finish(), profiles, "qrels", Detail::Preferences, 0)
    }

    /// Makes judgments from probabilities of grades. The grade of a document is its expected grade.
    ///
    /// # Errors
    /// A document appears twice in a query, or a query has more ids than a column holds.
    pub fn with_probabilities(queries: Vec<UncertainGrades>) -> Result<Qrels> {
        let mut profiles = Profiles::default();
        let mut chunks = Chunks::new(2);
        for (query, documents) in queries {
            chunks.start_query(&query, 2);
            for (document, profile) in documents {
                chunks.push(&document, hash(&document))?;
                let columns = &mut chunks.last.block.columns;
                columns[0].push(profile.iter().map(|&(grade, probability)| f64::from(grade) * probability).sum());
                columns[1].push(profiles.number(profile));
            }
        }
        Qrels::of_two_columns(chunks.finish(), profiles, "qrels", Detail::Probabilities, 0)
    }

    /// The grades that documents have, or may have if only their probabilities are known; highest first.
    pub fn possible_grades(&self) -> Vec<f64> {
        let Some(by_profile) = self.by_profile(Detail::Probabilities) else { return self.grades().to_vec() };
        let possible = by_profile.profiles.iter().flatten().map(|&(grade, _)| f64::from(grade));
        let mut grades: Vec<f64> = possible.chain([0.0]).collect();
        grades.sort_unstable_by(|one, other| other.total_cmp(one));
        grades.dedup();
        grades
    }

    /// Makes judgments from chunks whose columns are grades and numbers of profiles.
    pub(super) fn of_two_columns(
        mut chunks: Vec<Chunk>,
        profiles: Profiles,
        source: &str,
        detail: Detail,
        repeated: usize,
    ) -> Result<Qrels> {
        let mut by_profile = chunks.clone();
        for chunk in &mut by_profile {
            chunk.block.columns.swap_remove(0);
        }
        let profiles = profiles.in_order(&mut by_profile);
        let mut judged = Qrels::new(by_profile, source)?;
        judged.profiles = profiles;
        for chunk in &mut chunks {
            chunk.block.columns.truncate(1);
        }
        let mut qrels = Qrels::new(chunks, source)?;
        qrels.profiled = Some(Box::new(Profiled { detail, judged, repeated }));
        Ok(qrels)
    }

    fn profiled(mut self, detail: Detail, profile: impl Fn(f64, f64) -> Profile) -> Result<Qrels> {
        let mut profiles = Profiles::default();
        let mut chunks = Chunks::new(1);
        for query in 0..self.len() {
            chunks.start_query(self.id(query), 1);
            let rows = self.rows(query);
            for (row, (&grade, &other)) in rows.column(0).iter().zip(rows.column(1)).enumerate() {
                chunks.push(rows.doc(row), rows.hashes()[row])?;
                let number = profiles.number(profile(grade + 0.0, other + 0.0)); // -0 is 0
                chunks.last.block.columns[0].push(if grade < 0.0 { -1.0 - number } else { number });
            }
        }
        let mut chunks = chunks.finish();
        let profiles = profiles.in_order(&mut chunks);
        let mut judged = Qrels::with_duplicates(chunks)?;
        judged.profiles = profiles;
        self.profiled = Some(Box::new(Profiled { detail, judged, repeated: 0 }));
        Ok(self)
    }
}

/// The different profiles in order of appearance; the first is the empty one.
pub(super) struct Profiles {
    pub list: Vec<Profile>,
    numbers: HashMap<Vec<(u32, u64)>, u32>,
}

impl Default for Profiles {
    fn default() -> Self {
        Profiles { list: vec![Vec::new()], numbers: HashMap::from([(Vec::new(), 0)]) }
    }
}

impl Profiles {
    /// The number of a profile, a new one if the profile is new.
    pub fn number(&mut self, profile: Profile) -> f64 {
        let key = profile.iter().map(|&(key, number)| (key, number.to_bits())).collect();
        let next = self.list.len() as u32;
        let number = *self.numbers.entry(key).or_insert(next);
        if number == next {
            self.list.push(profile);
        }
        f64::from(number)
    }

    /// Numbers the profiles in the first column of these chunks anew by their contents, and returns them in this order.
    ///
    /// Sums over tied documents are in the order of these numbers. If they were in the order of reading, ids of documents and
    /// queries would change the last digits of values.
    pub fn in_order(mut self, chunks: &mut [Chunk]) -> Vec<Profile> {
        let mut order: Vec<usize> = (0..self.list.len()).collect();
        order.sort_unstable_by(|&a, &b| {
            let (a, b) = (&self.list[a], &self.list[b]);
            let pairs = a.iter().zip(b).map(|(a, b)| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
            pairs.fold(Ordering::Equal, Ordering::then).then(a.len().cmp(&b.len()))
        });
        let mut numbers = vec![0.0; order.len()];
        for (number, &profile) in order.iter().enumerate() {
            numbers[profile] = number as f64;
        }
        for number in chunks.iter_mut().flat_map(|chunk| &mut chunk.block.columns[0]) {
            let pooled_only = *number < 0.0;
            let renumbered = numbers[if pooled_only { -1.0 - *number } else { *number } as usize];
            *number = if pooled_only { -1.0 - renumbered } else { renumbered };
        }
        order.into_iter().map(|profile| std::mem::take(&mut self.list[profile])).collect()
    }
}
