//! A column of numbers of any type.

use std::ops::Range;

use crate::ranking::score::{Bfloat16, Float16, Float32, Float64, Score};
use crate::ranking::{Layout, Order, Places, Ranking, Sparse, is_worth_it};

/// How many numbers one parallel task reads.
pub(super) const PART: usize = 1 << 16;

/// Calls a macro with all types of numbers: `$macro! { ($arguments) variant, stored type, score type, numpy's name; ... }`.
#[macro_export]
macro_rules! kinds_of_numbers {
    ($macro:ident $arguments:tt) => {
        $macro! {
            $arguments
            Float64, f64, Float64, "float64";
            Float32, f32, Float32, "float32";
            Float16, u16, Float16, "float16";
            Bfloat16, u16, Bfloat16, "bfloat16";
            Int64, i64, i64, "int64";
            Int32, i32, i32, "int32";
            Int16, i16, i16, "int16";
            Int8, i8, i8, "int8";
            Uint64, u64, u64, "uint64";
            Uint32, u32, u32, "uint32";
            Uint16, u16, u16, "uint16";
            Uint8, u8, u8, "uint8";
        }
    };
}

macro_rules! column {
    (() $($kind:ident, $raw:ty, $score:ty, $name:literal;)*) => {
        /// Borrowed numbers of one type. Numbers of 16 bits are stored as their bits.
        #[derive(Debug, Clone, Copy)]
        pub enum NumberColumn<'a> {
            $(#[doc = concat!("Numbers of numpy's type `", $name, "`.")] $kind(&'a [$raw]),)*
        }
    };
}
kinds_of_numbers!(column());

/// Evaluates `$body` for the column's type, with `$score` as the type of score and `$numbers` as the slice.
macro_rules! by_type {
    ($column:expr, $score:ident, $numbers:ident => $body:expr) => {
        kinds_of_numbers!(arms($column, $score, $numbers, $body))
    };
}

macro_rules! arms {
    (($column:expr, $alias:ident, $numbers:ident, $body:expr) $($kind:ident, $raw:ty, $score:ty, $name:literal;)*) => {
        match $column {
            $(NumberColumn::$kind($numbers) => {
                type $alias = $score;
                $body
            })*
        }
    };
}

impl NumberColumn<'_> {
    /// How many numbers there are.
    pub fn len(&self) -> usize {
        by_type!(self, S, numbers => {
            let numbers: &[<S as Score>::Raw] = numbers;
            numbers.len()
        })
    }

    /// Calls `visit` with each number of a range, rounded to double precision if it has more digits.
    pub(crate) fn visit(&self, range: Range<usize>, mut visit: impl FnMut(f64)) {
        by_type!(self, S, numbers => numbers[range].iter().for_each(|&raw| visit(<S as Score>::number(raw))));
    }

    /// Whether each number is one byte.
    pub(super) fn are_bytes(&self) -> bool {
        matches!(self, NumberColumn::Int8(_) | NumberColumn::Uint8(_))
    }

    /// Calls `visit` once for each different value in a range of single bytes.
    pub(super) fn visit_bytes(&self, range: Range<usize>, mut visit: impl FnMut(f64)) {
        match self {
            NumberColumn::Int8(numbers) => visit_distinct(&numbers[range], i8::MIN..=i8::MAX, |raw| visit(raw.into())),
            NumberColumn::Uint8(numbers) => visit_distinct(&numbers[range], 0..=u8::MAX, |raw| visit(raw.into())),
            _ => {}
        }
    }

    /// Converts the bytes of a range of single bytes. `convert` must be fast, because it runs for every number.
    pub(super) fn convert_bytes(&self, range: Range<usize>, into: &mut [u8], convert: impl Fn(u8) -> u8) {
        match self {
            NumberColumn::Int8(numbers) => {
                into.iter_mut().zip(&numbers[range]).for_each(|(to, &raw)| *to = convert(raw as u8));
            }
            NumberColumn::Uint8(numbers) => {
                into.iter_mut().zip(&numbers[range]).for_each(|(to, &raw)| *to = convert(raw));
            }
            _ => {}
        }
    }

    /// Converts the numbers of a range, rounded to double precision if they have more digits.
    pub(super) fn convert<T: Copy>(&self, range: Range<usize>, into: &mut [T], convert: impl Fn(f64) -> T) {
        match self {
            // A byte has only 256 values, so each is converted once.
            NumberColumn::Int8(numbers) => {
                let table: [T; 256] = std::array::from_fn(|bits| convert(f64::from(bits as u8 as i8)));
                into.iter_mut().zip(&numbers[range]).for_each(|(to, &raw)| *to = table[usize::from(raw as u8)]);
            }
            NumberColumn::Uint8(numbers) => {
                let table: [T; 256] = std::array::from_fn(|bits| convert(f64::from(bits as u8)));
                into.iter_mut().zip(&numbers[range]).for_each(|(to, &raw)| *to = table[usize::from(raw)]);
            }
            _ => by_type!(self, S, numbers => {
                into.iter_mut().zip(&numbers[range]).for_each(|(to, &raw)| *to = convert(<S as Score>::number(raw)));
            }),
        }
    }

    /// Sorts the rows of a range by their numbers as scores: all rows, or those for which `is_present` is true. Returns
    /// whether all of their scores are finite.
    #[inline]
    pub(super) fn sort(
        &self,
        range: Range<usize>,
        is_present: Option<impl Fn(u32) -> bool>,
        ascending: bool,
        order: &mut Order,
    ) -> bool {
        by_type!(self, S, numbers => {
            let rows = range.len();
            let scores = numbers[range].iter().copied().zip(0..);
            match is_present {
                None => order.sort_by::<S>(rows, scores, ascending),
                Some(is_present) => order.sort_by::<S>(rows, scores.filter(|&(_, row)| is_present(row)), ascending),
            }
        })
    }

    /// Sorts the rows of a range that rank first; see [`Order::sort_first`].
    #[inline]
    pub(super) fn sort_first<C: Copy + Eq>(
        &self,
        range: Range<usize>,
        depth: usize,
        ascending: bool,
        codes: &[C],
        is_relevant: impl Fn(C) -> bool,
        order: &mut Order,
    ) -> Option<bool> {
        by_type!(self, S, numbers => {
            order.sort_first::<S, C>(&numbers[range], depth, ascending, codes, is_relevant)
        })
    }

    /// Writes the ranking of a query by counting the scores above and equal to those of relevant documents. Returns
    /// whether tied documents have different grades, or None if a score is not finite or sorting is faster.
    #[inline]
    pub(super) fn rank(
        &self,
        range: Range<usize>,
        sparse: &Sparse<'_>,
        (ascending, layout): (bool, Layout),
        grades: &[f64],
        places: &mut Places,
        ranking: &mut Ranking,
    ) -> Option<bool> {
        by_type!(self, S, numbers => {
            let scores = &numbers[range][..sparse.retrieved];
            let is_worth_it = is_worth_it::<S>(sparse.relevant.len(), scores.len());
            (is_worth_it && <S as Score>::are_finite(scores))
                .then(|| places.rank::<S>(scores, sparse.relevant, ascending, layout, grades, ranking))
        })
    }
}

/// Calls `visit` for each of `values` that occurs among the numbers. If the numbers span few values, each is searched,
/// which mostly ends early.
fn visit_distinct<T: Copy + Ord + Into<i32>>(numbers: &[T], values: impl Iterator<Item = T>, mut visit: impl FnMut(T)) {
    let Some(&first) = numbers.first() else { return };
    let (least, most) = numbers.iter().fold((first, first), |(least, most), &raw| (least.min(raw), most.max(raw)));
    let mut occurs = [false; 256];
    let index = |raw: T| (raw.into() - least.into()) as usize;
    if index(most) < FEW {
        values.filter(|raw| (least..=most).contains(raw) && numbers.contains(raw)).for_each(visit);
        return;
    }
    numbers.iter().for_each(|&raw| occurs[index(raw)] = true);
    values.filter(|raw| (least..=most).contains(raw) && occurs[index(*raw)]).for_each(&mut visit);
}

/// Up to this span, each value is searched.
const FEW: usize = 16;
