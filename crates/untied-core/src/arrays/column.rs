//! A column of numbers of any type.

use std::ops::Range;

use crate::ranking::Order;
use crate::ranking::score::{Bfloat16, Float16, Float32, Float64, Score};

/// Numbers of one type, borrowed; those of 16 bits as their bits.
#[derive(Debug, Clone, Copy)]
pub enum Column<'a> {
    /// Double precision.
    Float64(&'a [f64]),
    /// Single precision.
    Float32(&'a [f32]),
    /// Half precision.
    Float16(&'a [u16]),
    /// bfloat16.
    Bfloat16(&'a [u16]),
    /// Integers of 64 bits.
    Int64(&'a [i64]),
    /// Integers of 32 bits.
    Int32(&'a [i32]),
    /// Integers of 16 bits.
    Int16(&'a [i16]),
    /// Integers of 8 bits.
    Int8(&'a [i8]),
    /// Integers of 64 bits without sign.
    Uint64(&'a [u64]),
    /// Integers of 32 bits without sign.
    Uint32(&'a [u32]),
    /// Integers of 16 bits without sign.
    Uint16(&'a [u16]),
    /// Integers of 8 bits without sign.
    Uint8(&'a [u8]),
}

/// `$body` for the column's type: `$kind` is the type of score, `$numbers` the slice.
macro_rules! by_type {
    ($column:expr, $kind:ident, $numbers:ident => $body:expr) => {{
        use $crate::arrays::column::Column;
        macro_rules! arm {
            ($type:ty, $of:expr) => {{
                type $kind = $type;
                let $numbers = $of;
                $body
            }};
        }
        match $column {
            Column::Float64(numbers) => arm!(Float64, numbers),
            Column::Float32(numbers) => arm!(Float32, numbers),
            Column::Float16(numbers) => arm!(Float16, numbers),
            Column::Bfloat16(numbers) => arm!(Bfloat16, numbers),
            Column::Int64(numbers) => arm!(i64, numbers),
            Column::Int32(numbers) => arm!(i32, numbers),
            Column::Int16(numbers) => arm!(i16, numbers),
            Column::Int8(numbers) => arm!(i8, numbers),
            Column::Uint64(numbers) => arm!(u64, numbers),
            Column::Uint32(numbers) => arm!(u32, numbers),
            Column::Uint16(numbers) => arm!(u16, numbers),
            Column::Uint8(numbers) => arm!(u8, numbers),
        }
    }};
}

impl Column<'_> {
    /// How many numbers there are.
    #[must_use]
    pub fn len(&self) -> usize {
        by_type!(self, S, numbers => {
            let numbers: &[<S as Score>::Raw] = numbers;
            numbers.len()
        })
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Some of the numbers, rounded to double precision if they have more digits.
    pub(crate) fn visit(&self, range: Range<usize>, mut visit: impl FnMut(f64)) {
        by_type!(self, S, numbers => numbers[range].iter().for_each(|&raw| visit(<S as Score>::number(raw))));
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
            let scores = numbers[range].iter().copied().zip(0..);
            match is_there {
                None => order.sort_by::<S>(scores, ascending),
                Some(is_there) => order.sort_by::<S>(scores.filter(|&(_, row)| is_there(row)), ascending),
            }
        })
    }
}
