//! Looks up documents of one query by hash tables with open addressing.
//!
//! Each query has a small table of its own. It stays in the first-level cache, which makes it several times faster than one
//! dictionary of all documents.

/// A slot of a table. Its lower bits, as many as a slot number has, are the row plus 1; its upper bits are those of the
/// hash, whose lower bits chose the slot. 0 is an empty slot.
pub type Slot = u32;

/// The number of slots for `rows` documents: a power of two, so that at most half are full.
pub fn slots_for(rows: usize) -> usize {
    (2 * rows).next_power_of_two().max(2)
}

/// Whether the first slot for this hash is full; if not, the table has no row with this hash.
#[inline]
pub fn is_taken(slots: &[Slot], hash: u32) -> bool {
    slots[(hash & mask(slots)) as usize] != 0
}

/// The row with this hash for which `is_same` is true.
#[inline]
pub fn find(slots: &[Slot], hash: u32, is_same: impl Fn(u32) -> bool) -> Option<u32> {
    probe(slots, hash, is_same).err()
}

/// Inserts a row, unless the table has a row with the same document. The table must have [`slots_for`] all rows.
///
/// # Errors
/// The row with the same document.
#[inline]
pub fn insert(slots: &mut [Slot], hash: u32, row: u32, is_same: impl Fn(u32) -> bool) -> Result<(), u32> {
    let free = probe(slots, hash, is_same).map_or_else(Err, Ok)?;
    debug_assert!(row < mask(slots), "a row that the table has no slot for");
    slots[free] = hash & !mask(slots) | (row + 1);
    Ok(())
}

/// The empty slot for a document, or as an error the row that has it.
#[inline]
fn probe(slots: &[Slot], hash: u32, is_same: impl Fn(u32) -> bool) -> Result<usize, u32> {
    let mask = mask(slots);
    let mut at = hash & mask;
    loop {
        let slot = slots[at as usize];
        if slot == 0 {
            return Ok(at as usize);
        }
        if (slot ^ hash) & !mask == 0 {
            let row = (slot & mask) - 1;
            if is_same(row) {
                return Err(row);
            }
        }
        at = (at + 1) & mask;
    }
}

/// The bits of a slot number.
#[inline]
fn mask(slots: &[Slot]) -> u32 {
    (slots.len() - 1) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::hash;

    /// The number of slots that are read to find every document once.
    fn steps(hashes: impl Iterator<Item = u32>, rows: usize) -> usize {
        let (mut slots, hashes) = (vec![0; slots_for(rows)], hashes.collect::<Vec<u32>>());
        let all = hashes.iter().zip(0..);
        all.for_each(|(&hash, row)| insert(&mut slots, hash, row, |_| false).expect("another document"));
        let hash = |slot: Slot| hashes[(slot & mask(&slots)) as usize - 1];
        let away = |(at, &slot): (usize, &Slot)| at.wrapping_sub(hash(slot) as usize) & (slots.len() - 1);
        slots.iter().enumerate().filter(|(_, slot)| **slot != 0).map(away).sum::<usize>() + rows
    }

    #[test]
    fn whoever_writes_ids_cannot_choose_where_they_go() {
        // Ids that all go to one slot with the hash that everybody knows.
        const ROWS: usize = 1000;
        let known = |id: &str| rapidhash::v3::rapidhash_v3(id.as_bytes()) as u32;
        let chosen = (0u64..).map(|i| format!("d{i}")).filter(|id| known(id) % slots_for(ROWS) as u32 == 0);
        let ids: Vec<String> = chosen.take(ROWS).collect();
        assert_eq!(steps(ids.iter().map(|id| known(id)), ROWS), ROWS * (ROWS + 1) / 2);
        assert!(steps(ids.iter().map(|id| hash(id.as_bytes())), ROWS) < 5 * ROWS);
    }
}
