//! Columns of ids: text, bytes, whole numbers, and dictionaries of them.

use arrow_array::cast::AsArray;
use arrow_array::types::{
    BinaryViewType, ByteArrayType, ByteViewType, GenericBinaryType, GenericStringType, StringViewType,
};
use arrow_array::{
    Array, ArrowPrimitiveType, GenericByteArray, GenericByteViewArray, OffsetSizeTrait, PrimitiveArray,
    downcast_integer_array,
};
use arrow_schema::DataType;
use untied_core::error::quote;
use untied_core::table::{Documents, subtopics};

use super::{Wrong, all_there, wrong};

/// Whether a column of this type can hold ids.
pub fn fits(kind: &DataType) -> bool {
    match kind {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => true,
        DataType::Binary | DataType::LargeBinary | DataType::BinaryView | DataType::Null => true,
        DataType::Dictionary(_, values) => !matches!(**values, DataType::Dictionary(..)) && fits(values),
        _ => kind.is_integer(),
    }
}

/// Ids, row by row. All are there.
trait Ids {
    /// Whether two rows are known to have the same id.
    fn same(&self, one: usize, other: usize) -> bool;
    /// Call `visit` with the id in a row.
    fn with<R>(&self, row: usize, visit: impl FnOnce(&[u8]) -> R) -> R;
}

impl<T: ByteArrayType> Ids for &GenericByteArray<T>
where
    T::Native: AsRef<[u8]>,
{
    fn same(&self, one: usize, other: usize) -> bool {
        AsRef::<[u8]>::as_ref(self.value(one)) == AsRef::<[u8]>::as_ref(self.value(other))
    }

    fn with<R>(&self, row: usize, visit: impl FnOnce(&[u8]) -> R) -> R {
        visit(self.value(row).as_ref())
    }
}

impl<T: ByteViewType> Ids for &GenericByteViewArray<T>
where
    T::Native: AsRef<[u8]>,
{
    fn same(&self, one: usize, other: usize) -> bool {
        // A view of at most 12 bytes is the text itself; of a longer one, equal views are equal texts.
        self.views()[one] == self.views()[other] || {
            AsRef::<[u8]>::as_ref(self.value(one)) == AsRef::<[u8]>::as_ref(self.value(other))
        }
    }

    fn with<R>(&self, row: usize, visit: impl FnOnce(&[u8]) -> R) -> R {
        visit(self.value(row).as_ref())
    }
}

impl<T: ArrowPrimitiveType> Ids for &PrimitiveArray<T>
where
    T::Native: Into<i128>,
{
    fn same(&self, one: usize, other: usize) -> bool {
        self.values()[one] == self.values()[other]
    }

    fn with<R>(&self, row: usize, visit: impl FnOnce(&[u8]) -> R) -> R {
        let number: i128 = self.values()[row].into();
        let mut digits = [0; 20];
        let mut start = digits.len();
        let mut rest = number.unsigned_abs() as u64; // no type here has more than 64 bits
        loop {
            start -= 1;
            digits[start] = b'0' + (rest % 10) as u8;
            rest /= 10;
            if rest == 0 {
                break;
            }
        }
        if number < 0 {
            start -= 1;
            digits[start] = b'-';
        }
        visit(&digits[start..])
    }
}

/// Numbers of rows in other ids.
struct Keys<I> {
    keys: Vec<usize>,
    values: I,
}

impl<I: Ids> Ids for Keys<I> {
    fn same(&self, one: usize, other: usize) -> bool {
        let (one, other) = (self.keys[one], self.keys[other]);
        one == other || self.values.same(one, other)
    }

    fn with<R>(&self, row: usize, visit: impl FnOnce(&[u8]) -> R) -> R {
        self.values.with(self.keys[row], visit)
    }
}

/// Something to be done with ids of any type.
trait Task {
    type Made;
    fn run(self, ids: impl Ids, rows: usize) -> Self::Made;
}

/// Do it with an array; `keys` are the rows to take, else all.
fn visit<T: Task>(array: &dyn Array, keys: Option<Vec<usize>>, task: T) -> T::Made {
    let rows = keys.as_ref().map_or(array.len(), Vec::len);
    fn with<T: Task>(values: impl Ids, keys: Option<Vec<usize>>, rows: usize, task: T) -> T::Made {
        match keys {
            Some(keys) => task.run(Keys { keys, values }, rows),
            None => task.run(values, rows),
        }
    }
    match array.data_type() {
        DataType::Utf8 => with(array.as_bytes::<GenericStringType<i32>>(), keys, rows, task),
        DataType::LargeUtf8 => with(array.as_bytes::<GenericStringType<i64>>(), keys, rows, task),
        DataType::Binary => with(array.as_bytes::<GenericBinaryType<i32>>(), keys, rows, task),
        DataType::LargeBinary => with(array.as_bytes::<GenericBinaryType<i64>>(), keys, rows, task),
        DataType::Utf8View => with(array.as_byte_view::<StringViewType>(), keys, rows, task),
        DataType::BinaryView => with(array.as_byte_view::<BinaryViewType>(), keys, rows, task),
        DataType::Dictionary(..) => {
            let dictionary = array.as_any_dictionary();
            visit(dictionary.values().as_ref(), Some(dictionary.normalized_keys()), task)
        }
        _ => downcast_integer_array!(
            array => with(array, keys, rows, task),
            other => unreachable!("{other} was refused before")
        ),
    }
}

/// Call `begin` with the query's id where one begins, and its row.
pub fn queries(array: &dyn Array, name: &str, mut begin: impl FnMut(&[u8], usize)) -> Result<(), Wrong> {
    struct Starts<F>(F);
    impl<F: FnMut(&[u8], usize)> Task for Starts<F> {
        type Made = ();
        fn run(mut self, ids: impl Ids, rows: usize) {
            for row in 0..rows {
                if row == 0 || !ids.same(row - 1, row) {
                    ids.with(row, |id| (self.0)(id, row));
                }
            }
        }
    }
    all_there(array, name, "a query's id")?;
    if array.is_empty() {
        return Ok(());
    }
    match array.as_any_dictionary_opt() {
        Some(dictionary) => {
            let (rows, keys): (Vec<usize>, Vec<usize>) = key_changes(dictionary.keys()).into_iter().unzip();
            visit(dictionary.values().as_ref(), Some(keys), Starts(|id: &[u8], at: usize| begin(id, rows[at])));
        }
        None => visit(array, None, Starts(begin)),
    }
    Ok(())
}

/// The rows where another key than before stands, each with its key.
fn key_changes(keys: &dyn Array) -> Vec<(usize, usize)> {
    fn of<T: ArrowPrimitiveType>(keys: &PrimitiveArray<T>) -> Vec<(usize, usize)>
    where
        T::Native: Into<i128>,
    {
        let keys = keys.values();
        let begins = |&row: &usize| row == 0 || keys[row - 1] != keys[row];
        (0..keys.len()).filter(begins).map(|row| (row, keys[row].into() as usize)).collect()
    }
    downcast_integer_array!(
        keys => of(keys),
        other => unreachable!("{other} is not a type of keys")
    )
}

/// The same with the key of a query's subtopic.
pub fn topics(
    (queries, query_name): (&dyn Array, &str),
    (subtopics, subtopic_name): (&dyn Array, &str),
    mut begin: impl FnMut(&[u8], usize),
) -> Result<(), Wrong> {
    struct All;
    impl Task for All {
        type Made = Vec<Vec<u8>>;
        fn run(self, ids: impl Ids, rows: usize) -> Self::Made {
            (0..rows).map(|row| ids.with(row, <[u8]>::to_vec)).collect()
        }
    }
    all_there(queries, query_name, "a query's id")?;
    all_there(subtopics, subtopic_name, "a subtopic's id")?;
    if queries.is_empty() {
        return Ok(());
    }
    let pairs = visit(queries, None, All).into_iter().zip(visit(subtopics, None, All));
    let (mut key, mut last) = (Vec::new(), None);
    for (row, pair) in pairs.enumerate() {
        if pair.1.contains(&subtopics::SEPARATOR) {
            return Err(wrong(row, subtopic_name, "a subtopic's id without blanks", &quote(&pair.1)));
        }
        if last.as_ref() != Some(&pair) {
            subtopics::key(&pair.0, &pair.1, &mut key);
            begin(&key, row);
            last = Some(pair);
        }
    }
    Ok(())
}

/// Append all ids to `docs`.
pub fn documents(array: &dyn Array, name: &str, docs: &mut Documents) -> Result<(), Wrong> {
    struct Push<'d>(&'d mut Documents);
    impl Task for Push<'_> {
        type Made = Result<(), usize>;
        fn run(self, ids: impl Ids, rows: usize) -> Self::Made {
            self.0.reserve(rows, 0);
            (0..rows).try_for_each(|row| {
                ids.with(row, |id| {
                    if self.0.has_room(id) {
                        self.0.push(id);
                        Ok(())
                    } else {
                        Err(row)
                    }
                })
            })
        }
    }
    all_there(array, name, "a document's id")?;
    let pushed = match array.data_type() {
        _ if array.is_empty() => Ok(()),
        DataType::Utf8 => extend(array.as_bytes::<GenericStringType<i32>>(), docs),
        DataType::LargeUtf8 => extend(array.as_bytes::<GenericStringType<i64>>(), docs),
        _ => visit(array, None, Push(docs)),
    };
    pushed.map_err(|row| wrong(row, name, "ids of ordinary length", "more than 4 GiB of them in a few rows"))
}

/// The same where all ids stand in one piece.
fn extend<O: OffsetSizeTrait, T: ByteArrayType<Offset = O>>(
    array: &GenericByteArray<T>,
    docs: &mut Documents,
) -> Result<(), usize> {
    let offsets = array.value_offsets();
    let (start, end) = (offsets[0].as_usize(), offsets[array.len()].as_usize());
    let ends = offsets[1..].iter().map(|offset| offset.as_usize() - start);
    if end - start > Documents::MOST_BYTES {
        return Err(0);
    }
    docs.extend(&array.value_data()[start..end], ends);
    Ok(())
}
