//! Finding a document among those of one query: open addressing over rows.
//!
//! One small table a query, not one of all ids: it stays in the first-level cache, and that is several times
//! faster than a global dictionary of documents.

/// A slot: the row + 1 in the bits that tell slots apart, and above them those of the hash; 0 is empty.
///
/// The bits of the hash that are missing are those by which its slot was chosen.
pub type Slot = u32;

/// Slots for `rows` documents: a power of two, at most half full.
pub fn slots_for(rows: usize) -> usize {
    (2 * rows).next_power_of_two().max(2)
}

/// Whether the first slot for this hash is taken: if not, nothing with this hash is in the table.
#[inline]
pub fn is_taken(slots: &[Slot], hash: u32) -> bool {
    slots[(hash & mask(slots)) as usize] != 0
}

/// The row with this hash for which `is_same` holds.
#[inline]
pub fn find(slots: &[Slot], hash: u32, is_same: impl Fn(u32) -> bool) -> Option<u32> {
    probe(slots, hash, is_same).err()
}

/// Insert a row, one of as many as there are [slots for](slots_for); the row that already holds the same document, if
/// there is one.
///
/// # Errors
/// The row that holds the same document; nothing is inserted.
#[inline]
pub fn insert(slots: &mut [Slot], hash: u32, row: u32, is_same: impl Fn(u32) -> bool) -> Result<(), u32> {
    let free = probe(slots, hash, is_same).map_or_else(Err, Ok)?;
    debug_assert!(row < mask(slots), "a row for which there is no room");
    slots[free] = hash & !mask(slots) | (row + 1);
    Ok(())
}

/// The free slot where a document belongs, or the row that holds it.
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

/// The bits that tell slots apart.
#[inline]
fn mask(slots: &[Slot]) -> u32 {
    (slots.len() - 1) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::hash;

    /// Slots that are looked at to find every document once, from its own one on.
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
