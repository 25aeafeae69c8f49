//! Columns of numbers: scores, grades and what else there is.

use arrow_array::cast::AsArray;
use arrow_array::types::{Decimal128Type, Float16Type, Float32Type, Float64Type};
use arrow_array::{Array, ArrowPrimitiveType, PrimitiveArray, downcast_integer_array};
use arrow_schema::DataType;
use untied_core::table::columns::Number;

use super::{Wrong, all_there, wrong};

/// Whether a column of this type can hold numbers.
pub fn fits(kind: &DataType) -> bool {
    kind.is_integer()
        || kind.is_floating()
        || matches!(kind, DataType::Boolean | DataType::Decimal128(..) | DataType::Null)
}

/// All numbers of a column as they are in 64 bits.
pub fn read(array: &dyn Array, name: &str, number: &Number) -> Result<Vec<f64>, Wrong> {
    let (accepts, expected) = number.accepted;
    all_there(array, name, expected)?;
    let mut numbers = match array.data_type() {
        DataType::Float64 => array.as_primitive::<Float64Type>().values().to_vec(),
        DataType::Float32 => array.as_primitive::<Float32Type>().values().iter().map(|&x| f64::from(x)).collect(),
        DataType::Float16 => array.as_primitive::<Float16Type>().values().iter().map(|x| x.to_f64()).collect(),
        DataType::Boolean => array.as_boolean().values().iter().map(|x| f64::from(u8::from(x))).collect(),
        DataType::Decimal128(..) => decimals(array.as_primitive::<Decimal128Type>()),
        DataType::Null => Vec::new(), // without rows: all would be null
        _ => downcast_integer_array!(
            array => integers(array, name)?,
            other => unreachable!("{other} was refused before")
        ),
    };
    if let Some(row) = numbers.iter().position(|&number| !accepts(number)) {
        return Err(wrong(row, name, expected, &numbers[row].to_string()));
    }
    if number.negated {
        numbers.iter_mut().for_each(|number| *number = -*number);
    }
    Ok(numbers)
}

/// Decimals, each to the nearest number of 64 bits.
fn decimals(array: &PrimitiveArray<Decimal128Type>) -> Vec<f64> {
    (0..array.len()).map(|row| array.value_as_string(row).parse().unwrap_or(f64::NAN)).collect()
}

/// Whole numbers; one that 64 bits of floating point do not hold would tie with its neighbours.
fn integers<T: ArrowPrimitiveType>(array: &PrimitiveArray<T>, name: &str) -> Result<Vec<f64>, Wrong>
where
    T::Native: Into<i128>,
{
    let convert = |(row, &value): (usize, &T::Native)| {
        let whole: i128 = value.into();
        if let Ok(small) = i64::try_from(whole)
            && small.unsigned_abs() <= 1 << f64::MANTISSA_DIGITS
        {
            return Ok(small as f64);
        }
        let number = whole as f64;
        if number as i128 == whole {
            Ok(number)
        } else {
            Err(wrong(row, name, "a whole number that a 64-bit float holds exactly", &whole.to_string()))
        }
    };
    array.values().iter().enumerate().map(convert).collect()
}
