//! Columns of Arrow of all types that may hold ids or numbers, with their expected content.

use std::sync::Arc;

use arbitrary::{Result, Unstructured};
use arrow_array::types::{Int8Type, UInt16Type, UInt64Type};
use arrow_array::{
    Array, ArrayRef, BinaryArray, BinaryViewArray, BooleanArray, Decimal128Array, DictionaryArray, Float16Array,
    Float32Array, Float64Array, Int8Array, Int16Array, Int32Array, Int64Array, LargeBinaryArray, LargeStringArray,
    NullArray, PrimitiveArray, StringArray, StringViewArray, UInt8Array, UInt16Array, UInt32Array, UInt64Array,
};
use half::f16;

/// A column: its array, and for each row the text of an id or a number; nothing where it is null.
pub struct Column<T> {
    /// As Arrow has it.
    pub array: ArrayRef,
    /// What stands in it.
    pub values: Vec<Option<T>>,
}

/// Ids of text: the empty one, some that fit into a view and some that do not, one that others begin with.
const TEXTS: [&str; 16] = [
    "a",
    "b",
    "c",
    "d",
    "e",
    "f",
    "g",
    "10",
    "9",
    "",
    "é",
    "twelve bytes",
    "thirteen byte",
    "thirteen bytes",
    "7",
    "a b",
];
const BYTES: [&[u8]; 6] = [b"a", b"", b"\xff\x00", b"a b", b"-1", b"more than twelve bytes"];
const WHOLE: [i128; 8] = [0, 1, -1, 127, -128, 255, i64::MAX as i128, u64::MAX as i128];
const NUMBERS: [f64; 9] = [0.0, 1.0, 2.0, -1.0, 0.5, -0.0, f64::NAN, f64::INFINITY, 1e300];
/// Whole numbers around those that 64 bits of floating point hold.
const LARGE: [i128; 6] = [1, 2, (1 << 53) + 1, 1 << 60, u64::MAX as i128, -(1 << 53) - 1];

/// A number as its column holds it.
pub enum Number {
    /// In floating point.
    Float(f64),
    /// As a whole number.
    Whole(i128),
}

impl Number {
    /// The nearest number of 64 bits.
    pub fn float(&self) -> f64 {
        match self {
            Number::Float(number) => *number,
            Number::Whole(number) => *number as f64,
        }
    }
}

/// Whether 64 bits of floating point hold a number.
pub fn is_held(number: &Number) -> bool {
    match number {
        Number::Float(_) | Number::Whole(0) => true,
        Number::Whole(number) => number.unsigned_abs() >> number.trailing_zeros() < 1 << 53,
    }
}

impl<T> Column<T> {
    /// The first row with such a value.
    pub fn first(&self, is_it: impl Fn(Option<&T>) -> bool) -> Option<usize> {
        self.values.iter().position(|value| is_it(value.as_ref()))
    }

    /// The rows from one to another.
    pub fn slice(mut self, start: usize, end: usize) -> Column<T> {
        self.array = self.array.slice(start, end - start);
        self.values.truncate(end);
        self.values.drain(..start);
        self
    }
}

/// So many values of a few, some of them null.
fn drawn<T: Copy>(u: &mut Unstructured<'_>, from: &[T], length: usize, may_be_null: bool) -> Result<Vec<Option<T>>> {
    let one = |u: &mut Unstructured<'_>| {
        if may_be_null && u.ratio(1, 16)? { Ok(None) } else { Ok(Some(*u.choose(from)?)) }
    };
    (0..length).map(|_| one(u)).collect()
}

/// Whole numbers of a type of Arrow.
macro_rules! whole {
    ($u:ident, $array:ty, $native:ty, $from:expr, $length:ident, $may_be_null:ident) => {{
        let fitting: Vec<$native> = $from.iter().filter_map(|&number| <$native>::try_from(number).ok()).collect();
        let values = drawn($u, &fitting, $length, $may_be_null)?;
        let array: ArrayRef = Arc::new(<$array>::from(values.clone()));
        (array, values.into_iter().map(|value| value.map(i128::from)).collect::<Vec<_>>())
    }};
}

fn whole(
    u: &mut Unstructured<'_>,
    kind: u8,
    from: &[i128],
    length: usize,
    may_be_null: bool,
) -> Result<(ArrayRef, Vec<Option<i128>>)> {
    Ok(match kind % 8 {
        0 => whole!(u, Int8Array, i8, from, length, may_be_null),
        1 => whole!(u, Int16Array, i16, from, length, may_be_null),
        2 => whole!(u, Int32Array, i32, from, length, may_be_null),
        3 => whole!(u, Int64Array, i64, from, length, may_be_null),
        4 => whole!(u, UInt8Array, u8, from, length, may_be_null),
        5 => whole!(u, UInt16Array, u16, from, length, may_be_null),
        6 => whole!(u, UInt32Array, u32, from, length, may_be_null),
        _ => whole!(u, UInt64Array, u64, from, length, may_be_null),
    })
}

/// A column of ids.
pub fn ids(u: &mut Unstructured<'_>, kind: u8, length: usize, may_be_null: bool) -> Result<Column<Vec<u8>>> {
    if kind >= 24 {
        return in_dictionary(u, kind, length, may_be_null);
    }
    let of_bytes = |values: &[Option<&[u8]>]| values.iter().map(|value| value.map(<[u8]>::to_vec)).collect();
    let of_text = |values: &[Option<&str>]| values.iter().map(|value| value.map(Into::into)).collect();
    let (array, values): (ArrayRef, Vec<Option<Vec<u8>>>) = match kind {
        0 if may_be_null => (Arc::new(NullArray::new(length)), vec![None; length]),
        0..=8 => {
            let values = drawn(u, &TEXTS, length, may_be_null)?;
            let array: ArrayRef = match kind % 3 {
                0 => Arc::new(StringArray::from(values.clone())),
                1 => Arc::new(LargeStringArray::from(values.clone())),
                _ => Arc::new(StringViewArray::from(values.clone())),
            };
            (array, of_text(&values))
        }
        9..=14 => {
            let values = drawn(u, &BYTES, length, may_be_null)?;
            let array: ArrayRef = match kind % 3 {
                0 => Arc::new(BinaryArray::from(values.clone())),
                1 => Arc::new(LargeBinaryArray::from(values.clone())),
                _ => Arc::new(BinaryViewArray::from(values.clone())),
            };
            (array, of_bytes(&values))
        }
        _ => {
            let (array, values) = whole(u, kind, &WHOLE, length, may_be_null)?;
            (array, values.into_iter().map(|value| value.map(|number| number.to_string().into_bytes())).collect())
        }
    };
    Ok(Column { array, values })
}

/// A dictionary with keys of a type of Arrow.
macro_rules! keyed {
    ($u:ident, $key:ty, $native:ty, $places:ident, $values:ident, $length:ident, $may_be_null:ident) => {{
        let keys = drawn($u, &$places.map(|place| place as $native), $length, $may_be_null)?;
        let array = DictionaryArray::<$key>::new(PrimitiveArray::from(keys.clone()), $values.array);
        (Arc::new(array), keys.iter().map(|key| key.map(|key| key as usize)).collect())
    }};
}

/// A column of ids whose values stand elsewhere; of these some may be null, be the same, or be left out.
fn in_dictionary(u: &mut Unstructured<'_>, kind: u8, length: usize, may_be_null: bool) -> Result<Column<Vec<u8>>> {
    let values = ids(u, kind.wrapping_mul(5) % 24, 5, may_be_null)?.slice(1, 5);
    let places = [0, 1, 2, 3];
    let (array, keys): (ArrayRef, Vec<Option<usize>>) = match kind % 3 {
        0 => keyed!(u, Int8Type, i8, places, values, length, may_be_null),
        1 => keyed!(u, UInt16Type, u16, places, values, length, may_be_null),
        _ => keyed!(u, UInt64Type, u64, places, values, length, may_be_null),
    };
    Ok(Column { array, values: keys.into_iter().map(|key| values.values[key?].clone()).collect() })
}

/// A column of numbers.
pub fn numbers(u: &mut Unstructured<'_>, kind: u8, length: usize, may_be_null: bool) -> Result<Column<Number>> {
    let floats = |values: Vec<Option<f64>>| -> Vec<Option<Number>> {
        values.into_iter().map(|v| v.map(Number::Float)).collect()
    };
    let (array, values): (ArrayRef, Vec<Option<Number>>) = match kind {
        0 if may_be_null => (Arc::new(NullArray::new(length)), (0..length).map(|_| None).collect()),
        0..=5 => {
            let values = drawn(u, &NUMBERS, length, may_be_null)?;
            (Arc::new(Float64Array::from(values.clone())), floats(values))
        }
        6..=9 => {
            let values = drawn(u, &NUMBERS.map(|number| number as f32), length, may_be_null)?;
            let same = values.iter().map(|value| value.map(f64::from)).collect();
            (Arc::new(Float32Array::from(values)), floats(same))
        }
        10..=12 => {
            let values = drawn(u, &NUMBERS.map(f16::from_f64), length, may_be_null)?;
            let same = values.iter().map(|value| value.map(f64::from)).collect();
            (Arc::new(Float16Array::from(values)), floats(same))
        }
        13 | 14 => {
            let values = drawn(u, &[false, true], length, may_be_null)?;
            let same = values.iter().map(|value| value.map(|truth| f64::from(u8::from(truth)))).collect();
            (Arc::new(BooleanArray::from(values)), floats(same))
        }
        15 | 16 => {
            let values = drawn(u, &[0, 1, 5, -25, 12_345_678_901_234_567_890_123], length, may_be_null)?;
            let array = Decimal128Array::from(values.clone()).with_precision_and_scale(30, 2).expect("a type");
            let same = |hundredths: i128| format!("{hundredths}e-2").parse().expect("a number");
            (Arc::new(array), floats(values.into_iter().map(|value| value.map(same)).collect()))
        }
        _ => {
            let from = if u.ratio(1, 4)? { &LARGE[..] } else { &[0, 1, 2, 3, -1] };
            let (array, values) = whole(u, kind, from, length, may_be_null)?;
            (array, values.into_iter().map(|value| value.map(Number::Whole)).collect())
        }
    };
    Ok(Column { array, values })
}
