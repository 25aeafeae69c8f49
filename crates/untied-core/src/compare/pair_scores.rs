//! A compact store of many scores.

use crate::measures::Certainty;
use crate::similarity::PairScore;

/// Scores in 26 bytes each if none has a variance; a list of `PairScore` would need 56.
#[derive(Debug, Default)]
pub struct PairScores {
    /// Value, lowest, highest.
    numbers: Vec<[f64; 3]>,
    /// Variances of the scores so far; empty until a score has one. Scores past its end have none.
    variances: Vec<Option<f64>>,
    /// The certainty of each value, and whether it has a range.
    about: Vec<(Certainty, bool)>,
}

impl PairScores {
    /// The number of scores.
    pub fn len(&self) -> usize {
        self.numbers.len()
    }

    /// The score at a place.
    pub fn get(&self, place: usize) -> PairScore {
        let ([value, low, high], (certainty, ranged)) = (self.numbers[place], self.about[place]);
        let variance = self.variances.get(place).copied().flatten();
        PairScore { value, range: ranged.then_some((low, high)), variance, certainty }
    }

    /// All scores.
    pub fn iter(&self) -> impl Iterator<Item = PairScore> + '_ {
        (0..self.len()).map(|place| self.get(place))
    }

    pub(super) fn push(&mut self, score: &PairScore) {
        if score.variance.is_some() || !self.variances.is_empty() {
            self.variances.resize(self.len(), None);
            self.variances.push(score.variance);
        }
        let (low, high) = score.range.unwrap_or_default();
        self.numbers.push([score.value, low, high]);
        self.about.push((score.certainty, score.range.is_some()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_put_in_comes_out() {
        let score = |value, range, variance| PairScore { value, range, variance, certainty: Certainty::Interval };
        let given = [
            score(0.5, None, None),
            score(0.25, Some((0.0, 1.0)), Some(0.125)),
            score(-1.0, Some((-1.0, -1.0)), None),
            PairScore::constant(0.75, false),
        ];
        let mut scores = PairScores::default();
        given.iter().for_each(|score| scores.push(score));
        assert_eq!(scores.iter().collect::<Vec<_>>(), given);
    }
}
