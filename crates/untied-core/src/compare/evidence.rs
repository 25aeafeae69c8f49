//! Facts about documents besides their ranks: judgments, probabilities of relevance, lengths.

use crate::difference::{PairFacts, Subtopic};
use crate::error::{Error, Result, show};
use crate::grade::Level;
use crate::names::{Needs, Spec};
use crate::ranking::Numbering;
use crate::table::{Judgments, Length, Lengths, Qrels, Rows, Run};

/// Judgments, priors and lengths that all pairs of runs share.
#[derive(Debug, Clone, Copy, Default)]
pub struct Evidence<'a> {
    /// Judged documents have their grades.
    pub qrels: Option<&'a Qrels>,
    /// Others may have a probability to be relevant, for `Delta`.
    pub probabilities: Option<&'a Run>,
    /// Lengths, for measures that need them.
    pub lengths: Option<&'a Lengths>,
}

impl<'a> Evidence<'a> {
    /// The same, with lengths only if measures of differences need them.
    ///
    /// # Errors
    /// They need lengths, and there are none.
    pub(super) fn needed_by(self, specs: &[Spec]) -> Result<Evidence<'a>> {
        let needs = |spec: &&Spec| spec.inner().is_some_and(|of| of.info.needs == Needs::Documents);
        let needing = specs.iter().find(needs);
        if let (Some(spec), None) = (needing, self.lengths) {
            return Err(spec.lacks_lengths());
        }
        Ok(Evidence { lengths: needing.and(self.lengths), ..self })
    }

    /// Check that what is given as probabilities are probabilities.
    pub(super) fn check_probabilities(&self) -> Result<()> {
        let Some(run) = self.probabilities else { return Ok(()) };
        for query in 0..run.len() {
            let wrong = run.scores(query).iter().position(|p| !(0.0..=1.0).contains(p));
            if let Some(row) = wrong {
                return Err(Error::Value(format!(
                    "the probability of document {} in query {} must be a number from 0 to 1, not {}",
                    show(run.rows(query).doc(row)),
                    show(run.id(query)),
                    run.scores(query)[row],
                )));
            }
        }
        Ok(())
    }

    /// Of one query; `by_subtopic` are the qrels with numbers of profiles as grades.
    pub(super) fn in_query(&self, id: &[u8], by_subtopic: Option<&'a Qrels>) -> QueryEvidence<'a> {
        let judgments = |qrels: Option<&'a Qrels>| qrels.and_then(|qrels| Some(qrels.judgments(qrels.find(id)?)));
        QueryEvidence {
            truth: judgments(self.qrels),
            by_subtopic: judgments(by_subtopic),
            chances: self.probabilities.and_then(|run| Some(run.rows(run.find(id)?))),
            lengths: self.lengths,
        }
    }
}

/// [`Evidence`] of one query.
pub(super) struct QueryEvidence<'a> {
    truth: Option<Judgments<'a>>,
    by_subtopic: Option<Judgments<'a>>,
    /// Probabilities to be relevant.
    chances: Option<Rows<'a>>,
    lengths: Option<&'a Lengths>,
}

/// [`Evidence`] of one query by number of document; see [`PairFacts`].
#[derive(Default)]
pub(super) struct DocumentEvidence {
    grades: Vec<f64>,
    levels: Vec<Level>,
    chances: Vec<f64>,
    lengths: Vec<Length>,
    subtopics: Vec<Subtopic>,
}

impl DocumentEvidence {
    /// As measures read it.
    pub fn facts(&self) -> PairFacts<'_> {
        let DocumentEvidence { grades, levels, chances, lengths, subtopics } = self;
        PairFacts { grades, levels, chances, lengths, subtopics, ..PairFacts::default() }
    }

    /// Look up the documents of a query.
    ///
    /// # Errors
    /// A document has no length.
    pub fn fill(&mut self, evidence: &QueryEvidence<'_>, numbering: &Numbering<&[u8]>, query: &[u8]) -> Result<()> {
        let (documents, unknown) = (numbering.documents(), f64::NAN);
        self.levels.clear();
        self.grades.clear();
        match &evidence.truth {
            None => self.grades.resize(documents.len(), unknown),
            Some(truth) => {
                self.levels.extend(truth.levels);
                let grade = |&(doc, hash): &(&[u8], u32)| truth.grade(doc, hash).filter(|&grade| grade >= 0.0);
                self.grades.extend(documents.iter().map(|one| grade(one).unwrap_or(unknown)));
            }
        }
        self.chances.clear();
        if let Some(rows) = &evidence.chances {
            self.chances.resize(documents.len(), unknown);
            for ((row, &hash), &chance) in rows.hashes().iter().enumerate().zip(rows.column(0)) {
                if let Some(number) = numbering.find(hash, |&document| document == rows.doc(row)) {
                    self.chances[number as usize] = chance;
                }
            }
        }
        self.lengths.clear();
        if let Some(lengths) = evidence.lengths {
            for &(doc, hash) in documents {
                self.lengths.push(lengths.get(doc, hash).ok_or_else(|| lengths.lack(doc, query))?);
            }
        }
        self.subtopics.clear();
        if let Some(truth) = &evidence.by_subtopic {
            self.subtopics.extend(subtopics(truth, documents));
        }
        Ok(())
    }
}

/// The subtopics of a query whose judgments are profiles, with the grades that documents have for them.
pub(crate) fn subtopics(truth: &Judgments<'_>, documents: &[(&[u8], u32)]) -> Vec<Subtopic> {
    let mut by_number: Vec<Subtopic> = Vec::new();
    for level in truth.levels.iter().filter(|level| level.grade >= 0.0) {
        for &(subtopic, grade) in truth.profile(level.grade) {
            let grades = || vec![f64::NAN; documents.len()];
            let none = || Subtopic { highest: 0.0, levels: Vec::new(), grades: grades() };
            by_number.resize_with(by_number.len().max(subtopic as usize + 1), none);
            let of_subtopic = &mut by_number[subtopic as usize];
            of_subtopic.highest = of_subtopic.highest.max(grade);
            of_subtopic.levels.push(Level { grade, count: level.count });
        }
    }
    for (number, &(doc, hash)) in documents.iter().enumerate() {
        let Some(profile) = truth.grade(doc, hash).filter(|&profile| profile >= 0.0) else { continue };
        by_number.iter_mut().for_each(|subtopic| subtopic.grades[number] = 0.0);
        for &(subtopic, grade) in truth.profile(profile) {
            by_number[subtopic as usize].grades[number] = grade;
        }
    }
    by_number
}
