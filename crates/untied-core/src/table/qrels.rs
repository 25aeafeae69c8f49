//! Qrels: the judged documents of each query, with their grades.

use std::collections::HashSet;
use std::ops::Deref;

use super::ids::are_equal;
use super::profiles::{Detail, Profile, Profiled};
use super::{Chunk, Chunks, Judgments, Origins, Table, first_in_file, index, rounded};
use crate::error::Result;
use crate::grade::Level;
use crate::watch;

/// The judgments of each query, with an index to look up documents.
///
/// There are few grades, so the grade of a document is stored as its *level*: its index among the distinct grades of the
/// qrels, highest first. Measures read the number of documents of each level.
#[derive(Debug, Default, Clone)]
pub struct Qrels {
    table: Table,
    /// The distinct grades, highest first.
    grades: Vec<f64>,
    /// The level of each row, query by query.
    row_levels: Vec<u32>,
    slots: Vec<index::Slot>,
    levels: Vec<Level>,
    /// For each query, the index after its last entry of `row_levels`, `slots` and `levels`.
    ends: Vec<[usize; 3]>,
    /// The judgments of documents that an earlier row judges.
    repeats: Vec<Repeat>,
    /// The same judgments with profiles, if they say more than a grade.
    pub(super) profiled: Option<Box<Profiled>>,
    /// The profiles by number, if grades are numbers of profiles.
    pub(super) profiles: Vec<Profile>,
}

/// Two rows of a query that judge the same document.
#[derive(Debug, Clone, Copy)]
struct Repeat {
    query: usize,
    rows: (u32, u32),
}

impl Deref for Qrels {
    type Target = Table;

    fn deref(&self) -> &Table {
        &self.table
    }
}

impl Qrels {
    /// Joins the chunks of a reader; `source` names them in messages.
    ///
    /// # Errors
    /// A document is judged twice in a query, with different grades, or two different grades of a query are equal as
    /// 64-bit floats.
    pub fn new(chunks: Vec<Chunk>, source: &str) -> Result<Qrels> {
        Qrels::with_columns(chunks, source, &["grade"])
    }

    /// Joins chunks whose judgments have several numbers with these names, of which the first is the grade.
    pub(super) fn with_columns(mut chunks: Vec<Chunk>, source: &str, names: &[&str]) -> Result<Qrels> {
        rounded::check(&mut chunks, source, "grade")?;
        let (qrels, origins) = Qrels::index_all(chunks)?;
        origins.refuse_second_lists(&qrels.table, source)?;
        let contradictions = qrels.repeats.iter().filter_map(|&Repeat { query, rows }| {
            let judged = qrels.table.rows(query);
            names.iter().enumerate().find_map(|(column, name)| {
                let numbers = judged.column(column);
                let (first, second) = (numbers[rows.0 as usize], numbers[rows.1 as usize]);
                let expected = format!("one {name} for every document of a query");
                (first != second).then(|| {
                    qrels.table.contradiction(&origins, source, query, rows, &expected, |what, earlier| {
                        format!("{name} {second} for {what}, which has {name} {first} {earlier}")
                    })
                })
            })
        });
        first_in_file(contradictions)?;
        Ok(qrels)
    }

    /// Joins chunks in which a document may have two grades in a query; the first counts.
    ///
    /// # Errors
    /// A query has more ids than a column holds.
    pub fn with_duplicates(chunks: Vec<Chunk>) -> Result<Qrels> {
        Ok(Qrels::index_all(chunks)?.0)
    }

    /// Joins chunks and indexes all queries.
    fn index_all(chunks: Vec<Chunk>) -> Result<(Qrels, Origins)> {
        let (table, origins) = Table::new(chunks)?;
        let mut qrels = Qrels { grades: distinct_grades(&table), table, ..Qrels::default() };
        qrels.ends.reserve(qrels.table.len());
        let lengths = || (0..qrels.table.len()).map(|query| qrels.table.rows(query).len());
        let (rows, slots) = (lengths().sum(), lengths().map(index::slots_for).sum());
        qrels.row_levels.reserve(rows);
        qrels.slots.reserve(slots);
        let (mut counts, mut recent) = (vec![0; qrels.grades.len()], GradeCache::new());
        (0..qrels.table.len()).try_for_each(|query| {
            qrels.index(query, &mut counts, &mut recent);
            watch::check()
        })?;
        Ok((qrels, origins))
    }

    /// Indexes a query. `counts` has a 0 for each grade, before and after.
    fn index(&mut self, query: usize, counts: &mut [u32], recent: &mut GradeCache<u32>) {
        let rows = self.table.rows(query);
        let grades = rows.column(0);
        let start = self.slots.len();
        self.slots.resize(start + index::slots_for(rows.len()), 0);
        let first_row = self.row_levels.len();
        let level = |&grade: &f64| recent.get(grade, || level_of(&self.grades, grade));
        self.row_levels.extend(grades.iter().map(level));
        let row_levels = &self.row_levels[first_row..];
        let mut occurring = Vec::new();
        for (row, &hash) in watch::until_stopped(rows.hashes().iter().enumerate()) {
            let is_same = |other: u32| are_equal(rows.doc(other as usize), rows.doc(row));
            match index::insert(&mut self.slots[start..], hash, row as u32, is_same) {
                Ok(()) => {
                    let level = row_levels[row];
                    if counts[level as usize] == 0 {
                        occurring.push(level);
                    }
                    counts[level as usize] += 1;
                }
                Err(first) => self.repeats.push(Repeat { query, rows: (first, row as u32) }),
            }
        }
        occurring.sort_unstable();
        self.levels.extend(occurring.into_iter().map(|level| Level {
            grade: self.grades[level as usize],
            count: std::mem::take(&mut counts[level as usize]),
        }));
        self.ends.push([self.row_levels.len(), self.slots.len(), self.levels.len()]);
    }

    /// The judgments as a part of larger qrels in which these grades occur too, so that measures and bounds treat grades
    /// as they do there.
    #[must_use]
    pub fn among(mut self, grades: &[f64]) -> Qrels {
        let own = std::mem::take(&mut self.grades);
        self.grades = distinct(own.iter().chain(grades).copied());
        let levels: Vec<u32> = own.iter().map(|&grade| level_of(&self.grades, grade)).collect();
        self.row_levels.iter_mut().for_each(|level| *level = levels[*level as usize]);
        self
    }

    /// The judgments without some queries, which are given by number. Their grades still count as occurring, as in
    /// [`Qrels::among`], so that unjudged documents may have the same grades as before.
    ///
    /// # Errors
    /// The user interrupts.
    pub fn without(&self, queries: &HashSet<usize>) -> Result<Qrels> {
        let mut chunks = Chunks::new(0);
        for query in (0..self.len()).filter(|query| !queries.contains(query)) {
            watch::check()?;
            let rows = self.rows(query);
            chunks.start_query(self.id(query), rows.columns());
            for (row, &hash) in rows.hashes().iter().enumerate() {
                chunks.push(rows.doc(row), hash)?;
            }
            for (number, column) in chunks.last.block.columns.iter_mut().enumerate() {
                column.extend_from_slice(rows.column(number));
            }
        }
        let mut kept = Qrels::with_duplicates(chunks.finish())?.among(&self.grades);
        kept.profiles.clone_from(&self.profiles);
        if let Some(profiled) = &self.profiled {
            let judged = profiled.judged.without(queries)?;
            kept.profiled = Some(Box::new(Profiled { judged, ..**profiled }));
        }
        Ok(kept)
    }

    /// All grades that occur, highest first.
    pub fn grades(&self) -> &[f64] {
        &self.grades
    }

    /// The number of judgments that do not count, because an earlier row judges the same document.
    pub fn repeated(&self) -> usize {
        self.repeats.len() + self.profiled.as_ref().map_or(0, |profiled| profiled.repeated)
    }

    /// What judgments say in addition to a grade.
    pub fn detail(&self) -> Option<Detail> {
        self.profiled.as_ref().map(|profiled| profiled.detail)
    }

    /// The same judgments with the numbers of profiles as grades, if they have this detail.
    pub fn by_profile(&self, detail: Detail) -> Option<&Qrels> {
        self.profiled.as_ref().filter(|profiled| profiled.detail == detail).map(|profiled| &profiled.judged)
    }

    /// A row of the query whose document is also judged by an earlier row.
    pub fn duplicate(&self, query: usize) -> Option<u32> {
        let first = self.repeats.partition_point(|repeat| repeat.query < query);
        self.repeats.get(first).filter(|repeat| repeat.query == query).map(|repeat| repeat.rows.1)
    }

    /// The judgments of a query.
    pub fn judgments(&self, query: usize) -> Judgments<'_> {
        let starts = if query == 0 { [0; 3] } else { self.ends[query - 1] };
        let [rows, slots, levels] = std::array::from_fn(|part| starts[part]..self.ends[query][part]);
        Judgments {
            grades: &self.grades,
            profiles: &self.profiles,
            judged: self.table.rows(query),
            row_levels: &self.row_levels[rows],
            slots: &self.slots[slots],
            levels: &self.levels[levels],
        }
    }
}

/// The level of a grade: its index among the distinct grades, highest first.
#[inline]
pub(super) fn level_of(grades: &[f64], grade: f64) -> u32 {
    grades.partition_point(|&other| other > grade) as u32
}

/// A cache of what was computed for recent grades, each in the slot that its bits choose. There are few different grades, so
/// most are in it.
struct GradeCache<T>([(f64, T); 64]);

impl<T: Copy + Default> GradeCache<T> {
    fn new() -> GradeCache<T> {
        GradeCache([(f64::NAN, T::default()); 64])
    }

    #[inline]
    /// The cached value of a grade, or the new value that `find` returns.
    fn get(&mut self, grade: f64, find: impl FnOnce() -> T) -> T {
        let slot = &mut self.0[((grade + 0.0).to_bits().wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 58) as usize];
        if slot.0 != grade {
            *slot = (grade, find());
        }
        slot.1
    }
}

fn distinct_grades(table: &Table) -> Vec<f64> {
    distinct((0..table.len()).flat_map(|query| table.rows(query).column(0).iter().copied()))
}

/// The distinct grades, highest first.
fn distinct(grades: impl Iterator<Item = f64>) -> Vec<f64> {
    let (mut seen, mut recent) = (HashSet::new(), GradeCache::new());
    grades.for_each(|grade| {
        recent.get(grade, || {
            seen.insert((grade + 0.0).to_bits()); // -0 is 0
        });
    });
    let mut grades: Vec<f64> = seen.into_iter().map(f64::from_bits).collect();
    grades.sort_unstable_by(|a, b| b.total_cmp(a));
    grades
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::{Levels, Run};

    fn chunk(rows: &[(&str, f64)]) -> Chunk {
        let mut chunk = Chunk::new(1);
        chunk.start_query(b"q");
        for (id, value) in rows {
            // All hashes are equal, or nearly: the same slots, some with the same hash.
            chunk.block.docs.push_hashed(id.as_bytes(), if id.len() > 1 { 64 } else { 0 });
            chunk.block.columns[0].push(*value);
        }
        chunk.finish();
        chunk
    }

    #[test]
    fn grades_that_occur_elsewhere_change_no_judgment() {
        let rows = [("a", 1.0), ("b", -2.0), ("c", 0.0), ("d", 1.0)];
        let alone = Qrels::new(vec![chunk(&rows)], "").expect("qrels");
        let among = Qrels::new(vec![chunk(&rows)], "").expect("qrels").among(&[3.0, -0.0, 0.5, -3.0, 3.0]);
        assert_eq!(among.grades(), [3.0, 1.0, 0.5, 0.0, -2.0, -3.0]);
        assert!(among.judgments(0).judgments().eq(alone.judgments(0).judgments()));
        assert_eq!(among.judgments(0).levels, alone.judgments(0).levels);
    }

    #[test]
    fn judgments_without_some_queries_keep_all_grades_and_profiles() {
        let mut chunk = Chunk::new(2);
        for (query, documents) in [("q", [("a", 2.0), ("b", 0.0)]), ("r", [("c", 1.0), ("d", -1.0)])] {
            chunk.start_query(query.as_bytes());
            for (document, grade) in documents {
                chunk.block.docs.push(document.as_bytes());
                chunk.block.columns[0].push(grade);
                chunk.block.columns[1].push(0.5);
            }
        }
        chunk.finish();
        let whole = Qrels::with_inclusion(vec![chunk], "").expect("qrels");
        let part = whole.without(&HashSet::from([0])).expect("nobody stops it");
        assert_eq!((part.len(), part.id(0), part.grades()), (1, &b"r"[..], whole.grades()));
        assert!(part.judgments(0).judgments().eq(whole.judgments(1).judgments()));
        assert_eq!(part.judgments(0).levels, whole.judgments(1).levels);
        let profiled = |qrels: &Qrels| qrels.by_profile(Detail::Inclusion).expect("as they were made").clone();
        assert_eq!(profiled(&part).judgments(0).levels, profiled(&whole).judgments(1).levels);
        assert_eq!(profiled(&part).profiles, profiled(&whole).profiles);
        assert_eq!(whole.without(&HashSet::new()).expect("nobody stops it").store(), whole.store());
        assert!(whole.without(&HashSet::from([0, 1])).expect("nobody stops it").is_empty());
    }

    #[test]
    fn documents_are_found_among_others_of_equal_hash() {
        let qrels = Qrels::new(vec![chunk(&[("a", 1.0), ("bb", 2.0), ("c", 0.0), ("dd", 1.0)])], "").expect("qrels");
        let ids = ["dd", "x", "c", "bb", "a", "yy"];
        let run = Run::new(vec![chunk(&ids.map(|id| (id, 0.0)))], "").expect("run");
        let mut levels = Levels::default();
        let mut find = |relevant_only| {
            assert!(levels.look_up(&run.rows(0), &qrels.judgments(0), relevant_only));
            let grade = |row: usize| levels.rows().level(row as u32).map(|level| qrels.grades()[level as usize]);
            (0..ids.len()).map(grade).collect::<Vec<_>>()
        };
        assert_eq!(find(false), [Some(1.0), None, Some(0.0), Some(2.0), Some(1.0), None]);
        assert_eq!(find(true), [Some(1.0), None, None, Some(2.0), Some(1.0), None]);
    }
}
