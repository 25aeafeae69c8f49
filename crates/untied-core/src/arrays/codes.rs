//! Labels as codes: a code is a document's level, in one byte if there are few grades.

use rayon::prelude::*;
use std::collections::HashSet;

use super::label_input::Label;
use super::number_column::PART;
use super::{Groups, LabelInput};
use crate::error::{Error, Result};

/// The level of a document plus 1, or 0 if it is unjudged, or [`Code::ABSENT`] for padding. A level is an index into
/// the grades.
pub(super) trait Code: Copy + Eq + Into<u32> + Send + Sync {
    const ABSENT: Self;

    /// The code of a level.
    fn of(level: usize) -> Self;

    /// Whether the document is judged with a level before that of the other code, which is a higher grade.
    fn is_before(self, other: Self) -> bool;

    /// The level. For an unjudged document or padding, it is above all levels.
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
                self.wrapping_sub(1) < other - 1 // 0, an unjudged document, becomes the largest number
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
    /// The codes if all labels are small whole numbers, as usual.
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

/// Evaluates `$body` for codes of either width.
macro_rules! by_width {
    ($codes:expr, $codes_of_width:ident => $body:expr) => {
        match $codes {
            $crate::arrays::codes::Codes::Narrow($codes_of_width) => $body,
            $crate::arrays::codes::Codes::Wide($codes_of_width) => $body,
        }
    };
}
pub(super) use by_width;

/// The smallest of the small whole numbers, and how many there are.
const LEAST: i32 = -64;
const SMALL: i32 = 253;
/// Provisional codes, until all grades are known. A small whole number has its distance from [`LEAST`].
const ABSENT: u8 = 253;
const UNJUDGED: u8 = 254;
const OTHER: u8 = 255;

/// The provisional code of a label. It has no branches, so that the compiler can use vector instructions.
#[inline(always)]
fn provisional(grade: f64) -> u8 {
    let whole = grade as i32;
    let distance = whole.wrapping_sub(LEAST);
    let is_small = f64::from(whole) == grade && (0..SMALL).contains(&distance);
    if is_small {
        distance as u8
    } else if grade.is_nan() {
        UNJUDGED
    } else {
        OTHER
    }
}

/// The grades of the labels and of `counted`, highest first, and the codes of the documents.
pub(super) fn encode(input: &LabelInput<'_>, groups: &Groups, counted: &[f64]) -> Result<(Vec<f64>, Codes)> {
    if let Some((grades, codes)) = encode_narrow(input, counted) {
        return Ok((grades, Codes::Narrow(codes)));
    }
    let grades = all_grades(input, groups, counted)?;
    let mut codes = vec![0; input.labels.len()];
    codes.par_chunks_mut(PART).enumerate().for_each(|(part, codes)| {
        let first = part * PART;
        input.visit(first..first + codes.len(), |i, label| {
            codes[i] = match label {
                Label::Absent => u32::ABSENT,
                Label::Unjudged => 0,
                Label::Grade(grade) => grades.partition_point(|&other| other > grade) as u32 + 1,
            };
        });
    });
    Ok((grades, Codes::Wide(codes)))
}

/// The codes in one byte each, if all grades are small whole numbers.
fn encode_narrow(input: &LabelInput<'_>, counted: &[f64]) -> Option<(Vec<f64>, Vec<u8>)> {
    let mut codes = vec![0; input.labels.len()];
    // Labels of one byte need no provisional codes: once all values are known, they become codes in one step.
    let bytes = input.labels.are_bytes() && input.present.is_none() && input.judged.is_none();
    let find_values = |(part, codes): (usize, &mut [u8])| {
        let range = part * PART..part * PART + codes.len();
        let mut seen = [false; 256];
        if bytes {
            input.labels.visit_bytes(range, |label| seen[usize::from(provisional(label))] = true);
            return (!seen[usize::from(OTHER)]).then_some(seen);
        }
        input.labels.convert(range.clone(), codes, provisional);
        let set_where_0 = |flags: Option<&[u8]>, code: u8, codes: &mut [u8]| {
            let flags = flags.map_or(&[][..], |flags| &flags[range.clone()]);
            codes.iter_mut().zip(flags).for_each(|(to, &flag)| *to = if flag == 0 { code } else { *to });
        };
        set_where_0(input.judged, UNJUDGED, codes);
        set_where_0(input.present, ABSENT, codes);
        codes.iter().for_each(|&code| seen[usize::from(code)] = true);
        (!seen[usize::from(OTHER)]).then_some(seen)
    };
    let merge = |mut seen: [bool; 256], other: [bool; 256]| {
        seen.iter_mut().zip(other).for_each(|(seen, other)| *seen |= other);
        Some(seen)
    };
    let parts = codes.par_chunks_mut(PART).enumerate().map(find_values);
    let mut seen = parts.try_reduce(|| [false; 256], merge)?;
    for &grade in counted {
        seen[usize::from(Some(provisional(grade)).filter(|&code| code < ABSENT)?)] = true;
    }
    let (mut grades, mut levels) = (Vec::new(), [0; 256]);
    levels[usize::from(ABSENT)] = u8::ABSENT;
    for distance in (0..SMALL).rev().filter(|&distance| seen[distance as usize]) {
        grades.push(f64::from(distance + LEAST));
        levels[distance as usize] = grades.len() as u8;
    }
    // If grades are consecutive, a code is the distance from the highest grade, plus 1.
    let is_consecutive = grades.windows(2).all(|pair| pair[0] - pair[1] == 1.0);
    let above_highest = grades.first().map_or(0, |&highest| highest as i32 + 1) as u8;
    codes.par_chunks_mut(PART).enumerate().for_each(|(part, codes)| {
        let range = part * PART..part * PART + codes.len();
        if bytes && is_consecutive {
            input.labels.convert_bytes(range, codes, |raw| above_highest.wrapping_sub(raw));
        } else if bytes {
            input.labels.convert(range, codes, |label| levels[usize::from(provisional(label))]);
        } else {
            codes.iter_mut().for_each(|code| *code = levels[usize::from(*code)]);
        }
    });
    Some((grades, codes))
}

/// The distinct grades of judged documents and of `counted`, highest first.
fn all_grades(input: &LabelInput<'_>, groups: &Groups, counted: &[f64]) -> Result<Vec<f64>> {
    let documents = input.labels.len();
    let grades_of_part = |part: usize| {
        let (first, mut seen, mut infinite) = (part * PART, HashSet::new(), None);
        input.visit(first..(first + PART).min(documents), |i, label| {
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
    let parts: Vec<Result<HashSet<u64>>> = (0..documents.div_ceil(PART)).into_par_iter().map(grades_of_part).collect();
    let mut seen: HashSet<u64> = counted.iter().map(|&grade| (grade + 0.0).to_bits()).collect();
    for part in parts {
        seen.extend(part?);
    }
    let mut grades: Vec<f64> = seen.into_iter().map(f64::from_bits).collect();
    grades.sort_unstable_by(|a, b| b.total_cmp(a));
    Ok(grades)
}
