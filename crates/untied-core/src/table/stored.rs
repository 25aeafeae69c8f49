//! Stores runs, lengths and qrels as bytes, for other processes of the same version. Hashes, indexes and counts are left
//! out, because they can be computed again.

use super::profiles::{Detail, Profile, Profiled};
use super::{Chunk, Chunks, Lengths, Qrels, Run, Table, hash};

/// The first bytes of everything that is stored.
const MARK: &[u8] = concat!("untied ", env!("CARGO_PKG_VERSION"), "\n").as_bytes();

const DETAILS: [Detail; 5] =
    [Detail::Subtopics, Detail::Strata, Detail::Inclusion, Detail::Preferences, Detail::Probabilities];

impl Run {
    /// Everything as bytes.
    pub fn store(&self) -> Vec<u8> {
        let mut bytes = MARK.to_vec();
        self.store_rows(&mut bytes);
        bytes
    }

    /// The run that [`Run::store`] stored; none if the bytes are something else.
    pub fn restore(bytes: &[u8]) -> Option<Run> {
        let mut stored = Stored(bytes.strip_prefix(MARK)?);
        let chunks = stored.chunks()?;
        if stored.0.is_empty() { Run::new(chunks, "run").ok() } else { None }
    }
}

impl Lengths {
    /// Everything as bytes.
    pub fn store(&self) -> Vec<u8> {
        let mut bytes = MARK.to_vec();
        count(self.source.len(), &mut bytes);
        bytes.extend(self.source.as_bytes());
        self.table.store_rows(&mut bytes);
        bytes
    }

    /// The lengths that [`Lengths::store`] stored; none if the bytes are something else.
    pub fn restore(bytes: &[u8]) -> Option<Lengths> {
        let mut stored = Stored(bytes.strip_prefix(MARK)?);
        let length = stored.count()?;
        let source = std::str::from_utf8(stored.take(length)?).ok()?;
        let chunks = stored.chunks()?;
        if stored.0.is_empty() { Lengths::new(chunks, source).ok() } else { None }
    }
}

impl Qrels {
    /// Everything as bytes.
    pub fn store(&self) -> Vec<u8> {
        let mut bytes = MARK.to_vec();
        self.store_judgments(&mut bytes);
        let detail = self.detail().and_then(|detail| DETAILS.iter().position(|&known| known == detail));
        bytes.push(detail.map_or(0, |detail| detail as u8 + 1));
        if let Some(profiled) = &self.profiled {
            profiled.judged.store_judgments(&mut bytes);
            count(profiled.repeated, &mut bytes);
            count(profiled.judged.profiles.len(), &mut bytes);
            for profile in &profiled.judged.profiles {
                count(profile.len(), &mut bytes);
                for &(key, number) in profile {
                    bytes.extend(key.to_le_bytes());
                    bytes.extend(number.to_le_bytes());
                }
            }
        }
        bytes
    }

    /// The qrels that [`Qrels::store`] stored; none if the bytes are something else.
    pub fn restore(bytes: &[u8]) -> Option<Qrels> {
        let mut stored = Stored(bytes.strip_prefix(MARK)?);
        let mut qrels = stored.judgments()?;
        if let Some(detail) = stored.take(1)?[0].checked_sub(1) {
            let detail = *DETAILS.get(usize::from(detail))?;
            let mut judged = stored.judgments()?;
            let repeated = stored.count()?;
            let profiles = stored.count()?;
            judged.profiles = (0..profiles).map(|_| stored.profile()).collect::<Option<_>>()?;
            qrels.profiled = Some(Box::new(Profiled { detail, judged, repeated }));
        }
        stored.0.is_empty().then_some(qrels)
    }

    /// Stores the rows, and all grades that count as occurring.
    fn store_judgments(&self, bytes: &mut Vec<u8>) {
        self.store_rows(bytes);
        count(self.grades().len(), bytes);
        self.grades().iter().for_each(|grade| bytes.extend(grade.to_le_bytes()));
    }
}

fn count(number: usize, bytes: &mut Vec<u8>) {
    bytes.extend((number as u64).to_le_bytes());
}

impl Table {
    fn store_rows(&self, bytes: &mut Vec<u8>) {
        count(self.len(), bytes);
        for query in 0..self.len() {
            let (id, rows) = (self.id(query), self.rows(query));
            for number in [id.len(), rows.len(), rows.columns()] {
                count(number, bytes);
            }
            bytes.extend(id);
            for row in 0..rows.len() {
                bytes.extend((rows.doc(row).len() as u32).to_le_bytes());
                bytes.extend(rows.doc(row));
            }
            let numbers = (0..rows.columns()).flat_map(|column| rows.column(column));
            numbers.for_each(|number| bytes.extend(number.to_le_bytes()));
        }
    }
}

/// The rest of some stored bytes. Reading something that is cut off returns None.
struct Stored<'a>(&'a [u8]);

impl<'a> Stored<'a> {
    fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let (part, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(part)
    }

    fn eight(&mut self) -> Option<[u8; 8]> {
        self.take(8)?.try_into().ok()
    }

    fn count(&mut self) -> Option<usize> {
        usize::try_from(u64::from_le_bytes(self.eight()?)).ok()
    }

    fn four(&mut self) -> Option<u32> {
        Some(u32::from_le_bytes(self.take(4)?.try_into().ok()?))
    }

    fn number(&mut self) -> Option<f64> {
        self.eight().map(f64::from_le_bytes)
    }

    fn profile(&mut self) -> Option<Profile> {
        let length = self.count()?;
        (0..length).map(|_| Some((self.four()?, self.number()?))).collect()
    }

    fn judgments(&mut self) -> Option<Qrels> {
        let qrels = Qrels::with_duplicates(self.chunks()?).ok()?;
        let grades = self.count()?;
        let grades: Vec<f64> = (0..grades).map(|_| self.number()).collect::<Option<_>>()?;
        Some(qrels.among(&grades))
    }

    fn chunks(&mut self) -> Option<Vec<Chunk>> {
        let queries = self.count()?;
        let mut chunks = Chunks::new(0);
        for _ in 0..queries {
            let (id, rows, columns) = (self.count()?, self.count()?, self.count()?);
            chunks.start_query(self.take(id)?, columns);
            for _ in 0..rows {
                let length = self.four()? as usize;
                let document = self.take(length)?;
                chunks.push(document, hash(document)).ok()?;
            }
            for column in &mut chunks.last.block.columns {
                for _ in 0..rows {
                    column.push(self.number()?);
                }
            }
        }
        Some(chunks.finish())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_cut_off_or_changed_is_nothing() {
        let mut chunk = Chunk::new(2);
        for query in ["q", "r"] {
            chunk.start_query(query.as_bytes());
            for (document, grade) in [("a", 1.0), ("b", -1.0)] {
                chunk.block.docs.push(document.as_bytes());
                chunk.block.columns[0].push(grade);
                chunk.block.columns[1].push(0.5);
            }
        }
        chunk.finish();
        let qrels = Qrels::with_inclusion(vec![chunk], "").expect("qrels").among(&[3.0]);
        let bytes = qrels.store();
        let again = Qrels::restore(&bytes).expect("the same");
        assert_eq!(again.store(), bytes);
        assert_eq!((again.grades(), again.detail()), (&[3.0, 1.0, -1.0][..], Some(Detail::Inclusion)));
        assert!((0..bytes.len()).all(|end| Qrels::restore(&bytes[..end]).is_none()));
        assert!(Qrels::restore(&[&bytes[..], b"x"].concat()).is_none());
        assert!(Run::restore(&bytes).is_none(), "qrels are no run");
        assert!(Run::restore(b"").is_none());
    }
}
