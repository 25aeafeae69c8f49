//! A column of numbers of any type.

use std::ops::Range;

use crate::ranking::score::{Bfloat16, Float16, Float32, Float64, Score};
use crate::ranking::{Layout, Order, Places, Ranking, Sparse, is_worth_it};

/// Numbers that are looked at together.
pub(super) const PART: usize = 1 << 16;

/// All kinds of numbers, for a macro: `$use! { ($given) kind, how it is stored, how it is sorted, numpy's name; ... }`.
#[macro_export]
macro_rules! kinds_of_numbers {
    ($use:ident $given:tt) => {
        $use! {
            $given
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
        /// Numbers of one type, borrowed; those of 16 bits as their bits.
        #[derive(Debug, Clone, Copy)]
        pub enum Column<'a> {
            $(#[doc = concat!("What numpy calls `", $name, "`.")] $kind(&'a [$raw]),)*
        }
    };
}
kinds_of_numbers!(column());

/// `$body` for the column's type: `$of` is the type of score, `$numbers` the slice.
macro_rules! by_type {
    ($column:expr, $of:ident, $numbers:ident => $body:expr) => {
        kinds_of_numbers!(arms($column, $of, $numbers, $body))
    };
}

macro_rules! arms {
    (($column:expr, $of:ident, $numbers:ident, $body:expr) $($kind:ident, $raw:ty, $score:ty, $name:literal;)*) => {
        match $column {
            $(Column::$kind($numbers) => {
                type $of = $score;
                $body
            })*
        }
    };
}

impl Column<'_> {
    /// How many numbers there are.
    pub fn len(&self) -> usize {
        by_type!(self, S, numbers => {
            let numbers: &[<S as Score>::Raw] = numbers;
            numbers.len()
        })
    }

    /// Some of the numbers, rounded to double precision if they have more digits.
    pub(crate) fn visit(&self, range: Range<usize>, mut visit: impl FnMut(f64)) {
        by_type!(self, S, numbers => numbers[range].iter().for_each(|&raw| visit(<S as Score>::number(raw))));
    }

    /// Whether the numbers are of one byte each.
    pub(super) fn are_bytes(&self) -> bool {
        matches!(self, Column::Int8(_) | Column::Uint8(_))
    }

    /// Visit each of these once, as often as it may be among some of the numbers.
    pub(super) fn visit_bytes(&self, range: Range<usize>, mut visit: impl FnMut(f64)) {
        match self {
            Column::Int8(numbers) => seen(&numbers[range], i8::MIN..=i8::MAX, |raw| visit(raw.into())),
            Column::Uint8(numbers) => seen(&numbers[range], 0..=u8::MAX, |raw| visit(raw.into())),
            _ => {}
        }
    }

    /// Write what becomes of the bytes of some numbers of one byte each, which is quickly computed.
    pub(super) fn convert_bytes(&self, range: Range<usize>, into: &mut [u8], convert: impl Fn(u8) -> u8) {
        match self {
            Column::Int8(numbers) => {
                into.iter_mut().zip(&numbers[range]).for_each(|(to, &raw)| *to = convert(raw as u8));
            }
            Column::Uint8(numbers) => into.iter_mut().zip(&numbers[range]).for_each(|(to, &raw)| *to = convert(raw)),
            _ => {}
        }
    }

    /// Write what becomes of some of the numbers, rounded to double precision if they have more digits.
    pub(super) fn convert<T: Copy>(&self, range: Range<usize>, into: &mut [T], convert: impl Fn(f64) -> T) {
        match self {
            // Of the narrowest type there are few.
            Column::Int8(numbers) => {
                let table: [T; 256] = std::array::from_fn(|bits| convert(f64::from(bits as u8 as i8)));
                into.iter_mut().zip(&numbers[range]).for_each(|(to, &raw)| *to = table[usize::from(raw as u8)]);
            }
            Column::Uint8(numbers) => {
                let table: [T; 256] = std::array::from_fn(|bits| convert(f64::from(bits as u8)));
                into.iter_mut().zip(&numbers[range]).for_each(|(to, &raw)| *to = table[usize::from(raw)]);
            }
            _ => by_type!(self, S, numbers => {
                into.iter_mut().zip(&numbers[range]).for_each(|(to, &raw)| *to = convert(<S as Score>::number(raw)));
            }),
        }
    }

    /// Sort some of the numbers as scores, compared as they are; those that are there, or all of them. Whether all are
    /// finite.
    #[inline]
    pub(super) fn sort(
        &self,
        range: Range<usize>,
        is_there: Option<impl Fn(u32) -> bool>,
        ascending: bool,
        order: &mut Order,
    ) -> bool {
        by_type!(self, S, numbers => {
            let rows = range.len();
            let scores = numbers[range].iter().copied().zip(0..);
            match is_there {
                None => order.sort_by::<S>(rows, scores, ascending),
                Some(is_there) => order.sort_by::<S>(rows, scores.filter(|&(_, row)| is_there(row)), ascending),
            }
        })
    }

    /// Sort those of some of the numbers that rank first, compared as they are; see [`Order::sort_first`].
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

    /// Write the ranking of a query with these numbers by counting, compared as they are, if they are finite and that is
    /// cheaper than sorting them; whether tied documents differ in grade.
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

/// Visit each of these values that is among some numbers: where they are few, each is searched, and mostly found soon.
fn seen<T: Copy + Ord + Into<i32>>(numbers: &[T], all: impl Iterator<Item = T>, mut visit: impl FnMut(T)) {
    let Some(&first) = numbers.first() else { return };
    let (least, most) = numbers.iter().fold((first, first), |(least, most), &raw| (least.min(raw), most.max(raw)));
    let mut among = [false; 256];
    let place = |raw: T| (raw.into() - least.into()) as usize;
    if place(most) < FEW {
        all.filter(|raw| (least..=most).contains(raw) && numbers.contains(raw)).for_each(visit);
        return;
    }
    numbers.iter().for_each(|&raw| among[place(raw)] = true);
    all.filter(|raw| (least..=most).contains(raw) && among[place(*raw)]).for_each(&mut visit);
}

/// How many values are few.
const FEW: usize = 16;
