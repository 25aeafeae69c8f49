//! Finding a document among those of one query: open addressing over rows.
//!
//! One small table a query, not one of all ids: it stays in the first-level cache, and that is several times
//! faster than a global dictionary of documents.

/// A slot: the hash in the upper half, the row + 1 in the lower; 0 is empty.
pub type Slot = u64;

/// Slots for `rows` documents: a power of two, at most half full.
pub fn slots_for(rows: usize) -> usize {
    (2 * rows).next_power_of_two().max(2)
}

/// Whether the first slot for this hash is taken: if not, nothing with this hash is in the table.
#[inline]
pub fn is_taken(slots: &[Slot], hash: u32) -> bool {
    slots[hash as usize & (slots.len() - 1)] != 0
}

/// The row with this hash for which `is_same` holds.
#[inline]
pub fn find(slots: &[Slot], hash: u32, is_same: impl Fn(u32) -> bool) -> Option<u32> {
    probe(slots, hash, is_same).err()
}

/// Insert a row; the row that already holds the same document, if there is one.
///
/// # Errors
/// The row that holds the same document; nothing is inserted.
#[inline]
pub fn insert(slots: &mut [Slot], hash: u32, row: u32, is_same: impl Fn(u32) -> bool) -> Result<(), u32> {
    let free = probe(slots, hash, is_same).map_or_else(Err, Ok)?;
    slots[free] = u64::from(hash) << 32 | u64::from(row + 1);
    Ok(())
}

/// The free slot where a document belongs, or the row that holds it.
#[inline]
fn probe(slots: &[Slot], hash: u32, is_same: impl Fn(u32) -> bool) -> Result<usize, u32> {
    let mask = slots.len() - 1;
    let mut at = hash as usize & mask;
    loop {
        let slot = slots[at];
        if slot == 0 {
            return Ok(at);
        }
        let row = slot as u32 - 1;
        if (slot >> 32) as u32 == hash && is_same(row) {
            return Err(row);
        }
        at = (at + 1) & mask;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::hash;

    /// Slots that are looked at to find every document once, from its own one on.
    fn steps(hashes: impl Iterator<Item = u32>, rows: usize) -> usize {
        let mut slots = vec![0; slots_for(rows)];
        hashes.zip(0..).for_each(|(hash, row)| insert(&mut slots, hash, row, |_| false).expect("another document"));
        let away = |(at, &slot): (usize, &Slot)| at.wrapping_sub((slot >> 32) as usize) & (slots.len() - 1);
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
