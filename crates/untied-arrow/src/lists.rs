//! Rows that are queries, with columns of lists: the ids of documents, and perhaps their numbers.

use std::ops::Range;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, GenericListArray, OffsetSizeTrait, RecordBatch};
use arrow_schema::DataType;
use untied_core::table::columns::{Columns, ONE_LIST, Unnumbered};
use untied_core::table::{Chunk, LineMap};

use super::{Wrong, all_there, ids, numbers, wrong};

/// The type of the elements of a column of lists.
pub fn element(kind: &DataType) -> Option<&DataType> {
    match kind {
        DataType::List(field) | DataType::LargeList(field) | DataType::FixedSizeList(field, _) => {
            Some(field.data_type())
        }
        _ => None,
    }
}

/// The elements of the lists of a slice, all behind one another.
struct Lists {
    elements: ArrayRef,
    /// For each list, the index after its last element.
    ends: Vec<usize>,
}

impl Lists {
    fn read(array: &dyn Array, name: &str) -> Result<Lists, Wrong> {
        all_there(array, name, "a list")?;
        let (elements, ends) = match array.data_type() {
            DataType::List(_) => flattened(array.as_list::<i32>()),
            DataType::LargeList(_) => flattened(array.as_list::<i64>()),
            _ => {
                let array = array.as_fixed_size_list();
                let length = array.value_length() as usize;
                let ends = (1..=array.len()).map(|lists| lists * length).collect();
                // Those of a slice begin with its first list.
                (array.values().clone(), ends)
            }
        };
        Ok(Lists { elements, ends })
    }

    /// The elements of a list.
    fn range(&self, row: usize) -> Range<usize> {
        row.checked_sub(1).map_or(0, |before| self.ends[before])..self.ends[row]
    }

    /// Says in which row an element is wrong.
    fn in_row(&self, Wrong { row, expected, found }: Wrong) -> Wrong {
        Wrong { row: self.ends.partition_point(|&end| end <= row), expected, found }
    }
}

/// The elements that belong to lists, and where each list ends among them.
fn flattened<O: OffsetSizeTrait>(array: &GenericListArray<O>) -> (ArrayRef, Vec<usize>) {
    let offsets = array.value_offsets();
    let (first, last) = (offsets[0].as_usize(), offsets[array.len()].as_usize());
    let ends = offsets[1..].iter().map(|end| end.as_usize() - first).collect();
    (array.values().slice(first, last - first), ends)
}

/// The rows of a slice, of which each is a query with lists. `unnumbered` says what documents have if there are no
/// numbers.
pub fn chunk(
    slice: &RecordBatch,
    columns: &Columns,
    unnumbered: Unnumbered,
    names: &[String],
    lines: LineMap,
) -> Result<Chunk, Wrong> {
    let column = |at: usize| (slice.column(at).as_ref(), names[at].as_str());
    let (documents, name) = column(columns.document);
    let documents = Lists::read(documents, name)?;
    let mut chunk = Chunk { lines, ..Chunk::new(columns.width()) };
    ids::documents(&documents.elements, name, &mut chunk.block.docs).map_err(|wrong| documents.in_row(wrong))?;
    let (query, name) = column(columns.query);
    let mut begun = Vec::with_capacity(slice.num_rows());
    ids::queries(query, name, |id, row| {
        chunk.start_query_at(id, documents.range(row).start);
        begun.push(row);
    })?;
    // Only a row with another query than the one before begins a query.
    if let Some(row) = (0..slice.num_rows()).find(|&row| begun.get(row) != Some(&row)) {
        return Err(wrong(row, name, ONE_LIST, "the query of the row before"));
    }
    match columns.numbers.first() {
        Some(number) => {
            let (array, name) = column(number.column);
            let lists = Lists::read(array, name)?;
            if let Some(row) = (0..slice.num_rows()).find(|&row| lists.range(row).len() != documents.range(row).len()) {
                let expected = format!("as many numbers as documents, {},", documents.range(row).len());
                return Err(wrong(row, name, &expected, &lists.range(row).len().to_string()));
            }
            let (numbers, marks) = numbers::read(&lists.elements, name, number).map_err(|wrong| lists.in_row(wrong))?;
            (chunk.block.columns[0], chunk.block.rounded) = (numbers, marks);
        }
        None => {
            let positions = (0..slice.num_rows()).flat_map(|row| 0..documents.range(row).len());
            chunk.block.columns[0] = positions.map(|position| unnumbered.number(position)).collect();
        }
    }
    documents.ends.iter().for_each(|&end| chunk.lines.end_list(end));
    chunk.finish();
    Ok(chunk)
}
