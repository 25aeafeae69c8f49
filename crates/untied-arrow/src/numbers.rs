//! Columns of numbers: scores, grades and what else there is.

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Decimal32Type, Decimal64Type, Decimal128Type, Decimal256Type, DecimalType, Float16Type, Float32Type, Float64Type,
};
use arrow_array::{Array, ArrowPrimitiveType, PrimitiveArray, downcast_integer_array};
use arrow_schema::DataType;
use untied_core::table::columns::NumericColumn;
use untied_core::table::rounded::{self, Rounded};

use super::{Wrong, all_there, wrong};

/// Whether a column of this type can hold numbers.
pub fn fits(kind: &DataType) -> bool {
    kind.is_integer() || kind.is_floating() || kind.is_decimal() || matches!(kind, DataType::Boolean | DataType::Null)
}

/// Converts all numbers of a column to 64 bits, and marks those that were rounded.
pub fn read(array: &dyn Array, name: &str, number: &NumericColumn) -> Result<(Vec<f64>, Vec<Rounded>), Wrong> {
    let (accepts, expected) = number.accepted;
    all_there(array, name, expected)?;
    let mut marks = Vec::new();
    let mut numbers = match array.data_type() {
        DataType::Float64 => array.as_primitive::<Float64Type>().values().to_vec(),
        DataType::Float32 => array.as_primitive::<Float32Type>().values().iter().map(|&x| f64::from(x)).collect(),
        DataType::Float16 => array.as_primitive::<Float16Type>().values().iter().map(|x| x.to_f64()).collect(),
        DataType::Boolean => array.as_boolean().values().iter().map(|x| f64::from(u8::from(x))).collect(),
        DataType::Decimal32(..) => decimals(array.as_primitive::<Decimal32Type>(), &mut marks),
        DataType::Decimal64(..) => decimals(array.as_primitive::<Decimal64Type>(), &mut marks),
        DataType::Decimal128(..) => decimals(array.as_primitive::<Decimal128Type>(), &mut marks),
        DataType::Decimal256(..) => decimals(array.as_primitive::<Decimal256Type>(), &mut marks),
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
    Ok((numbers, marks))
}

/// Decimals, each to the nearest number of 64 bits.
fn decimals<T: DecimalType>(array: &PrimitiveArray<T>, marks: &mut Vec<Rounded>) -> Vec<f64> {
    let nearest = |row: usize| {
        let text = array.value_as_string(row);
        let number = text.parse().unwrap_or(f64::NAN);
        marks.extend(rounded::mark(text.as_bytes(), number, rounded::ALWAYS_DISTINCT).map(|mark| (row as u32, mark)));
        number
    };
    (0..array.len()).map(nearest).collect()
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
