//! Labels as codes: each document's level, as a number with no more bits than the number of grades needs.

use rayon::prelude::*;
use std::collections::HashSet;

use super::column::PART;
use super::given::Label;
use super::{Given, Groups};
use crate::error::{Error, Result};

/// The level of a document plus 1 (an index into the grades), 0 where it is not judged, and where there is none,
/// [`Code::ABSENT`].
pub(super) trait Code: Copy + Eq + Into<u32> + Send + Sync {
    const ABSENT: Self;

    /// The code of a level.
    fn of(level: usize) -> Self;

    /// Whether it is of one of the levels before this code's.
    fn is_before(self, other: Self) -> bool;

    /// Its level; whatever is not judged has a larger number than all levels.
    fn level(self) -> u32;
}

macro_rules! code {
    ($($number:ty)*) => {
        $(impl Code for $number {
            const ABSENT: $number = <$number>::MAX;

            fn of(level: usize) -> $number {
                level as $number + 1
            }

            #[inline(always)]
            fn is_before(self, other: $number) -> bool {
                self.wrapping_sub(1) < other - 1 // what is not judged becomes the largest
            }

            #[inline(always)]
            fn level(self) -> u32 {
                u32::from(self).wrapping_sub(1)
            }
        })*
    };
}
code!(u8 u32);

/// The codes of all documents.
#[derive(Debug)]
pub(super) enum Codes {
    /// Where all labels are small whole numbers, as most are.
    Narrow(Vec<u8>),
    Wide(Vec<u32>),
}

impl Codes {
    /// The code of a document.
    pub fn at(&self, document: usize) -> u32 {
        match self {
            Codes::Narrow(codes) => codes[document].into(),
            Codes::Wide(codes) => codes[document],
        }
    }
}

/// `$body` for the codes' width.
macro_rules! by_width {
    ($codes:expr, $narrow_or_wide:ident => $body:expr) => {
        match $codes {
            $crate::arrays::codes::Codes::Narrow($narrow_or_wide) => $body,
            $crate::arrays::codes::Codes::Wide($narrow_or_wide) => $body,
        }
    };
}
pub(super) use by_width;

/// The least of the small whole numbers, and how many there are.
const LEAST: i32 = -64;
const SMALL: i32 = 253;
/// What stands for them before their levels are known, and beside them.
const ABSENT: u8 = 253;
const UNJUDGED: u8 = 254;
const OTHER: u8 = 255;

/// A label as a small number. Without branches, so that many are converted at a time.
#[inline(always)]
fn small(grade: f64) -> u8 {
    let whole = grade as i32;
    let place = whole.wrapping_sub(LEAST);
    let is_small = f64::from(whole) == grade && (0..SMALL).contains(&place);
    if is_small {
        place as u8
    } else if grade.is_nan() {
        UNJUDGED
    } else {
        OTHER
    }
}

/// All grades of labels and of `totals`, highest first, and the codes of the documents.
pub(super) fn encode(given: &Given<'_>, groups: &Groups, totals: &[f64]) -> Result<(Vec<f64>, Codes)> {
    if let Some((grades, codes)) = narrow(given, totals) {
        return Ok((grades, Codes::Narrow(codes)));
    }
    let grades = all_grades(given, groups, totals)?;
    let mut codes = vec![0; given.labels.len()];
    codes.par_chunks_mut(PART).enumerate().for_each(|(part, codes)| {
        let first = part * PART;
        given.each(first..first + codes.len(), |i, label| {
            codes[i] = match label {
                Label::Absent => u32::ABSENT,
                Label::Unjudged => 0,
                Label::Grade(grade) => grades.partition_point(|&other| other > grade) as u32 + 1,
            };
        });
    });
    Ok((grades, Codes::Wide(codes)))
}

/// As [`encode`], if all grades are small whole numbers.
fn narrow(given: &Given<'_>, totals: &[f64]) -> Option<(Vec<f64>, Vec<u8>)> {
    let mut codes = vec![0; given.labels.len()];
    // Of single bytes it is enough to know which there are: they become codes in one step.
    let bytes = given.labels.are_bytes() && given.present.is_none() && given.judged.is_none();
    let look = |(part, codes): (usize, &mut [u8])| {
        let range = part * PART..part * PART + codes.len();
        let mut seen = [false; 256];
        if bytes {
            given.labels.visit_bytes(range, |label| seen[usize::from(small(label))] = true);
            return (!seen[usize::from(OTHER)]).then_some(seen);
        }
        given.labels.convert(range.clone(), codes, small);
        let unless = |flags: Option<&[u8]>, code: u8, codes: &mut [u8]| {
            let flags = flags.map_or(&[][..], |flags| &flags[range.clone()]);
            codes.iter_mut().zip(flags).for_each(|(to, &flag)| *to = if flag == 0 { code } else { *to });
        };
        unless(given.judged, UNJUDGED, codes);
        unless(given.present, ABSENT, codes);
        codes.iter().for_each(|&code| seen[usize::from(code)] = true);
        (!seen[usize::from(OTHER)]).then_some(seen)
    };
    let merge = |mut one: [bool; 256], other: [bool; 256]| {
        one.iter_mut().zip(other).for_each(|(one, other)| *one |= other);
        Some(one)
    };
    let parts = codes.par_chunks_mut(PART).enumerate().map(look);
    let mut seen = parts.try_reduce(|| [false; 256], merge)?;
    for &grade in totals {
        seen[usize::from(Some(small(grade)).filter(|&code| code < ABSENT)?)] = true;
    }
    let (mut grades, mut levels) = (Vec::new(), [0; 256]);
    levels[usize::from(ABSENT)] = u8::ABSENT;
    for place in (0..SMALL).rev().filter(|&place| seen[place as usize]) {
        grades.push(f64::from(place + LEAST));
        levels[place as usize] = grades.len() as u8;
    }
    // Of consecutive grades it is the distance from the highest one, plus 1.
    let is_consecutive = grades.windows(2).all(|pair| pair[0] - pair[1] == 1.0);
    let behind = grades.first().map_or(0, |&highest| highest as i32 + 1) as u8;
    codes.par_chunks_mut(PART).enumerate().for_each(|(part, codes)| {
        let range = part * PART..part * PART + codes.len();
        if bytes && is_consecutive {
            given.labels.convert_bytes(range, codes, |raw| behind.wrapping_sub(raw));
        } else if bytes {
            given.labels.convert(range, codes, |label| levels[usize::from(small(label))]);
        } else {
            codes.iter_mut().for_each(|code| *code = levels[usize::from(*code)]);
        }
    });
    Some((grades, codes))
}

/// Distinct grades, highest first; labels of padding and of what is not judged do not count.
fn all_grades(given: &Given<'_>, groups: &Groups, totals: &[f64]) -> Result<Vec<f64>> {
    let documents = given.labels.len();
    let look = |part: usize| {
        let (first, mut seen, mut infinite) = (part * PART, HashSet::new(), None);
        given.each(first..(first + PART).min(documents), |i, label| {
            if let Label::Grade(grade) = label {
                if grade.is_infinite() && infinite.is_none() {
                    infinite = Some((first + i, grade));
                }
                seen.insert((grade + 0.0).to_bits()); // -0 is 0
            }
        });
        infinite.map_or(Ok(seen), |(document, grade)| {
            let place = groups.place(document);
            Err(Error::Value(format!("labels: expected finite numbers or NaN, found {grade} for {place}")))
        })
    };
    let parts: Vec<Result<HashSet<u64>>> = (0..documents.div_ceil(PART)).into_par_iter().map(look).collect();
    let mut seen: HashSet<u64> = totals.iter().map(|&grade| (grade + 0.0).to_bits()).collect();
    for part in parts {
        seen.extend(part?);
    }
    let mut grades: Vec<f64> = seen.into_iter().map(f64::from_bits).collect();
    grades.sort_unstable_by(|a, b| b.total_cmp(a));
    Ok(grades)
}
