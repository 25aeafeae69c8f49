//! Grades of unknown documents that put one ranking as far ahead of the other as possible.

/// Grades of unknown documents that put A far ahead of B.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Assignment {
    /// The difference of the scores, S(A) - S(B), with these grades.
    pub difference: f64,
    /// The number and the grade of each document that is assigned a grade. All other unknown documents have grade 0.
    /// For verdicts, the most important documents come first.
    pub grades: Vec<(u32, f64)>,
    /// The grades of documents that neither ranking has. For MED, these fill A up to the cutoff; for verdicts, they are
    /// in the pool.
    pub elsewhere: Vec<f64>,
}

impl Assignment {
    /// Assigns the same grade to all of these documents, most important first. None stands for a document that neither
    /// ranking has.
    pub(super) fn of_grade(difference: f64, grade: f64, documents: impl Iterator<Item = Option<u32>>) -> Assignment {
        Assignment::of_grades(difference, documents.map(|document| (document, grade)))
    }

    /// Assigns a grade to each document, most important first. None stands for a document that neither ranking has.
    pub(super) fn of_grades(difference: f64, documents: impl Iterator<Item = (Option<u32>, f64)>) -> Assignment {
        let mut assignment = Assignment { difference, ..Assignment::default() };
        for (document, grade) in documents {
            match document {
                Some(document) => assignment.grades.push((document, grade)),
                None => assignment.elsewhere.push(grade),
            }
        }
        assignment
    }

    /// The number of documents that are assigned a grade.
    pub fn documents(&self) -> usize {
        self.grades.len() + self.elsewhere.len()
    }

    /// The assignment with A and B exchanged.
    #[must_use]
    pub fn turned(self) -> Assignment {
        Assignment { difference: 0.0 - self.difference, ..self }
    }
}
