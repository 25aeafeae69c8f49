//! Scores of all number types, as integers to sort by: compared as they are, cast to no other type.

use std::ops::{AddAssign, Not};

use crate::elementary::powi;

/// A type of scores. Its numbers may be stored as another type's bits.
pub trait Score {
    /// How it is stored.
    type Raw: Copy + Sync;
    /// What it is sorted by.
    type Key: Key;
    /// What it is compared by: 0 and -0 are equal.
    type Number: Copy + PartialOrd;
    /// Counts numbers in a vector as wide as theirs.
    type Count: Copy + Default + AddAssign + From<bool> + Into<u64>;

    /// As far as such a count goes.
    const MOST_COUNTED: usize;

    /// A key that sorts ascending as scores sort descending; equal scores have equal keys, 0 and -0 too.
    fn key(raw: Self::Raw) -> Self::Key;

    /// Whether a key is that of a finite number.
    fn is_finite(key: Self::Key) -> bool;

    /// The number, rounded to double precision.
    fn number(raw: Self::Raw) -> f64;

    /// The number, to be compared with others of the type.
    fn number_of(raw: Self::Raw) -> Self::Number;

    /// Whether numbers are finite.
    fn are_finite(raws: &[Self::Raw]) -> bool;
}

/// An integer to sort by.
pub trait Key: Copy + Ord + Not<Output = Self> + Into<u64> {
    /// How many bits it has.
    const BITS: u32;

    /// The key with these bits.
    fn from_bits(bits: u64) -> Self;
}

impl Key for u32 {
    const BITS: u32 = u32::BITS;

    fn from_bits(bits: u64) -> u32 {
        bits as u32
    }
}

impl Key for u64 {
    const BITS: u32 = u64::BITS;

    fn from_bits(bits: u64) -> u64 {
        bits
    }
}

/// Double precision.
#[derive(Debug)]
pub struct Float64;
/// Single precision.
#[derive(Debug)]
pub struct Float32;
/// Half precision, as bits.
#[derive(Debug)]
pub struct Float16;
/// bfloat16, as bits: the upper half of single precision.
#[derive(Debug)]
pub struct Bfloat16;

/// Floating-point numbers: `$fraction` bits behind the point, the sign in front.
macro_rules! float {
    ($kind:ident, $raw:ty, $key:ty, $fraction:literal, $bits:expr, $number:expr; $compared:ty, $count:ty, $most:expr, $as:expr) => {
        impl $kind {
            const SIGN: $key = 1 << (<$raw>::BITS_OF - 1);
            const INFINITE: $key = (Self::SIGN - 1) >> $fraction << $fraction;
        }

        impl Score for $kind {
            type Raw = $raw;
            type Key = $key;
            type Number = $compared;
            type Count = $count;

            const MOST_COUNTED: usize = $most;

            #[inline]
            fn key(raw: $raw) -> $key {
                let bits: $key = $bits(raw);
                // Larger numbers have larger bits; of negative ones, those after the sign. -0 becomes 0.
                if bits & Self::SIGN == 0 || bits == Self::SIGN {
                    Self::SIGN - 1 - (bits & (Self::SIGN - 1))
                } else {
                    bits
                }
            }

            #[inline]
            fn is_finite(key: $key) -> bool {
                key > Self::SIGN - 1 - Self::INFINITE && key < Self::SIGN | Self::INFINITE
            }

            fn number(raw: $raw) -> f64 {
                $number(raw)
            }

            #[inline(always)]
            fn number_of(raw: $raw) -> $compared {
                $as(raw)
            }

            #[inline(always)]
            fn are_finite(raws: &[$raw]) -> bool {
                // Only the largest exponent, which no finite number has, carries into the sign.
                let carried = |raw: $raw| ($bits(raw) & Self::INFINITE) + (1 << $fraction);
                raws.iter().fold(0, |all: $key, &raw| all | carried(raw)) & Self::SIGN == 0
            }
        }
    };
}

/// Width of what a number is stored as.
trait Width {
    const BITS_OF: u32;
}

impl Width for f64 {
    const BITS_OF: u32 = 64;
}

impl Width for f32 {
    const BITS_OF: u32 = 32;
}

impl Width for u16 {
    const BITS_OF: u32 = 16;
}

float!(Float64, f64, u64, 52, f64::to_bits, |raw| raw; f64, u64, usize::MAX, |raw| raw);
float!(Float32, f32, u32, 23, f32::to_bits, f64::from; f32, u32, u32::MAX as usize, |raw| raw);
float!(Float16, u16, u32, 10, u32::from, from_half; i16, u16, u16::MAX as usize, signed);
float!(Bfloat16, u16, u32, 7, u32::from, |raw| f64::from(f32::from_bits(u32::from(raw) << 16)); i16, u16, u16::MAX as usize, signed);

/// The bits of a number of 16 bits, sign and size, as an integer that grows with it.
#[inline(always)]
fn signed(bits: u16) -> i16 {
    let (size, sign) = ((bits & 0x7fff) as i16, bits as i16 >> 15);
    (size ^ sign) - sign
}

/// The number that the bits of half precision stand for.
fn from_half(bits: u16) -> f64 {
    let (exponent, fraction) = (i32::from(bits >> 10 & 31), f64::from(bits & 1023));
    let size = match exponent {
        31 if fraction > 0.0 => f64::NAN,
        31 => f64::INFINITY,
        0 => fraction * 2f64.powi(-24),
        _ => (1024.0 + fraction) * powi(2.0, exponent - 25),
    };
    if bits >> 15 == 0 { size } else { -size }
}

/// Integers: keys are what is missing to the largest one.
macro_rules! integer {
    ($($raw:ty, $key:ty, $count:ty;)*) => {
        $(impl Score for $raw {
            type Raw = $raw;
            type Key = $key;
            type Number = $raw;
            type Count = $count;

            const MOST_COUNTED: usize = <$count>::MAX as usize;

            #[inline]
            fn key(raw: $raw) -> $key {
                <$raw>::MAX.abs_diff(raw).into()
            }

            #[inline]
            fn is_finite(_: $key) -> bool {
                true
            }

            fn number(raw: $raw) -> f64 {
                raw as f64
            }

            #[inline(always)]
            fn number_of(raw: $raw) -> $raw {
                raw
            }

            #[inline(always)]
            fn are_finite(_: &[$raw]) -> bool {
                true
            }
        })*
    };
}

integer! {
    i64, u64, u64;
    u64, u64, u64;
    i32, u32, u32;
    u32, u32, u32;
    i16, u32, u16;
    u16, u32, u16;
    i8, u32, u8;
    u8, u32, u8;
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Keys descend with these scores, and only the inner ones are finite.
    fn descend<S: Score>(scores: &[S::Raw]) {
        let keys: Vec<S::Key> = scores.iter().map(|&score| S::key(score)).collect();
        assert!(keys.is_sorted() && keys.windows(2).all(|pair| pair[0] != pair[1]));
        let last = keys.len() - 1;
        assert!(keys[1..last].iter().all(|&key| S::is_finite(key)));
        assert!(!S::is_finite(keys[0]) && !S::is_finite(keys[last]));
    }

    #[test]
    fn floats_descend_and_zeros_are_equal() {
        descend::<Float64>(&[f64::INFINITY, f64::MAX, 1.0, 5e-324, 0.0, -5e-324, -1.0, f64::MIN, f64::NEG_INFINITY]);
        descend::<Float32>(&[f32::INFINITY, f32::MAX, 1.0, 1e-45, 0.0, -1e-45, -1.0, f32::MIN, f32::NEG_INFINITY]);
        descend::<Float16>(&[0x7c00, 0x7bff, 0x3c00, 1, 0, 0x8001, 0xbc00, 0xfbff, 0xfc00]);
        descend::<Bfloat16>(&[0x7f80, 0x7f7f, 0x3f80, 1, 0, 0x8001, 0xbf80, 0xff7f, 0xff80]);
        assert_eq!(Float64::key(-0.0), Float64::key(0.0));
        assert_eq!(Float32::key(-0.0), Float32::key(0.0));
        assert_eq!((Float16::key(0x8000), Bfloat16::key(0x8000)), (Float16::key(0), Bfloat16::key(0)));
        for not_a_number in [f64::NAN, -f64::NAN] {
            assert!(!Float64::is_finite(Float64::key(not_a_number)));
        }
        assert!(!Float16::is_finite(Float16::key(0x7e00)) && !Bfloat16::is_finite(Bfloat16::key(0xffc0)));
    }

    #[test]
    fn integers_descend_beyond_what_floats_hold() {
        let largest = [i64::MAX, i64::MAX - 1, 0, -1, i64::MIN];
        assert!(largest.map(<i64 as Score>::key).is_sorted_by(|a, b| a < b));
        assert!([255u8, 1, 0].map(<u8 as Score>::key).is_sorted_by(|a, b| a < b));
        assert!([127i8, 0, -1, -128].map(<i8 as Score>::key).is_sorted_by(|a, b| a < b));
    }

    #[test]
    fn halves_are_the_numbers_they_stand_for() {
        let halves = [0x3c00, 0xc000, 0x7bff, 1, 0x0400, 0x8000].map(from_half);
        assert_eq!(halves, [1.0, -2.0, 65_504.0, 2f64.powi(-24), 2f64.powi(-14), 0.0]);
        assert!(from_half(0x7e01).is_nan() && from_half(0xfc00) == f64::NEG_INFINITY);
        assert_eq!(Bfloat16::number(0x3f80), 1.0);
    }
}
