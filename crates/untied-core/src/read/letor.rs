//! Learning-to-rank data in SVMlight's form, as LETOR has it: `label qid:Q feature:value ... # comment`.
//!
//! Such data can be larger than memory, and its queries stand in any order. So it is looked at twice: [`Letor::open`]
//! checks every line and finds where each query stands, which features there are and which labels; then
//! [`Letor::read`] reads one query after the other, in whatever order they are asked for. What is kept is the index.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use super::blocks::{Parsed, parse_spool};
use super::letor_line::parse_line;
use super::limits::{LineError, io_error};
use super::line::Cursor;
use super::spool::{ReadAt, Spool};
use crate::error::{Error, Result};

/// Different features that a data set may have.
const MOST_FEATURES: usize = 1 << 16;

const SHAPE: &str = "label qid:Q feature:value ...";

/// A data set of learning to rank: where the lines of each query are, and all features and labels that occur.
pub struct Letor {
    files: Vec<(String, Spool)>,
    /// The queries, sorted by id.
    queries: Vec<Query>,
    pieces: Vec<Piece>,
    features: Vec<u32>,
    /// The column of a feature, by its number.
    columns: Vec<u32>,
    labels: Vec<f64>,
}

struct Query {
    id: Box<[u8]>,
    documents: usize,
    pieces: Range<usize>,
}

/// Consecutive lines of one query.
struct Piece {
    file: u32,
    start: u64,
    end: u64,
    /// The number of the first line.
    line: u64,
    documents: u32,
}

/// A query's documents with labels and features. Its memory is used again for the next query.
#[derive(Default)]
pub struct LetorDocuments {
    /// The labels, in the order of the input.
    pub labels: Vec<f64>,
    /// The column, document and value of each feature in the lines; `NULL` is NaN.
    pairs: Vec<(u32, u32, f64)>,
    /// The documents and values of `pairs`, sorted by column; `ends` has the end of each column.
    sorted: Vec<(u32, f64)>,
    ends: Vec<u32>,
    bytes: Vec<u8>,
}

impl LetorDocuments {
    /// The documents and values of a feature that the lines have; `NULL` is NaN. The value of all other documents is 0.
    pub fn column(&self, column: usize) -> &[(u32, f64)] {
        let start = if column == 0 { 0 } else { self.ends[column - 1] };
        &self.sorted[start as usize..self.ends[column] as usize]
    }

    /// Put the pairs in the order of columns; within one they stay in the order of documents.
    fn sort(&mut self, columns: usize) {
        self.ends.clear();
        self.ends.resize(columns + 1, 0);
        for &(column, ..) in &self.pairs {
            self.ends[column as usize + 1] += 1;
        }
        for column in 0..columns {
            self.ends[column + 1] += self.ends[column];
        }
        self.sorted.clear();
        self.sorted.resize(self.pairs.len(), (0, 0.0));
        // Every start moves on to its column's end.
        for &(column, document, value) in &self.pairs {
            let at = &mut self.ends[column as usize];
            self.sorted[*at as usize] = (document, value);
            *at += 1;
        }
        self.ends.truncate(columns);
    }
}

impl Letor {
    /// Look at all of some files, which are read as one data set.
    ///
    /// # Errors
    /// A file cannot be read, a line is malformed, a number is not finite, or there is no line or no feature at all.
    pub fn open(paths: &[String]) -> Result<Letor> {
        let all = Mutex::new(Seen::default());
        let mut files = Vec::with_capacity(paths.len());
        let mut pieces = IdentifiedPieces::new();
        for (number, path) in paths.iter().enumerate() {
            let spool = Spool::open(path)?;
            let blocks = parse_spool(path, &spool, |offset, block, seen: &mut Seen| {
                let parsed = look(offset, block, seen);
                seen.tell(&all);
                parsed
            })?;
            let before = pieces.len();
            let mut line = 1;
            for Parsed { value, lines } in blocks {
                pieces.extend(
                    value
                        .into_iter()
                        .map(|(id, piece)| (id, Piece { file: number as u32, line: line + piece.line, ..piece })),
                );
                line += lines;
            }
            if pieces.len() == before {
                let what = if line == 1 { "an empty file" } else { "only blank lines and comments" };
                return Err(Error::input(path, None, SHAPE, what));
            }
            files.push((path.clone(), spool));
        }
        let seen = all.into_inner().unwrap_or_else(PoisonError::into_inner);
        let features = seen.features();
        if features.is_empty() || features.len() > MOST_FEATURES {
            let expected = format!("1 to {MOST_FEATURES} different features");
            return Err(Error::input(&paths[0], None, expected, features.len().to_string()));
        }
        let mut columns = vec![0; features.last().map_or(0, |&last| last as usize + 1)];
        features.iter().zip(0..).for_each(|(&feature, column)| columns[feature as usize] = column);
        let mut labels: Vec<f64> = seen.labels.into_iter().map(f64::from_bits).collect();
        labels.sort_unstable_by(|a, b| b.total_cmp(a));
        let (queries, pieces) = by_query(pieces);
        Ok(Letor { files, queries, pieces, features, columns, labels })
    }

    /// Number of queries.
    pub fn len(&self) -> usize {
        self.queries.len()
    }

    /// The id of a query, by its number in the order of ids.
    pub fn id(&self, query: usize) -> &[u8] {
        &self.queries[query].id
    }

    /// Number of a query's documents.
    pub fn documents(&self, query: usize) -> usize {
        self.queries[query].documents
    }

    /// Bytes of a query's lines.
    pub fn bytes(&self, query: usize) -> u64 {
        self.pieces[self.queries[query].pieces.clone()].iter().map(|piece| piece.end - piece.start).sum()
    }

    /// Numbers of the features, ascending.
    pub fn features(&self) -> &[u32] {
        &self.features
    }

    /// All labels that occur, highest first.
    pub fn labels(&self) -> &[f64] {
        &self.labels
    }

    /// Read a query's documents.
    ///
    /// # Errors
    /// A file cannot be read, or has changed.
    pub fn read(&self, query: usize, documents: &mut LetorDocuments) -> Result<()> {
        documents.labels.clear();
        documents.pairs.clear();
        for piece in &self.pieces[self.queries[query].pieces.clone()] {
            self.read_piece(piece, documents)?;
        }
        documents.sort(self.features.len());
        Ok(())
    }

    fn read_piece(&self, piece: &Piece, documents: &mut LetorDocuments) -> Result<()> {
        let (path, spool) = &self.files[piece.file as usize];
        let changed = || Error::input(path, Some(piece.line), "the same lines as before", "others");
        let mut bytes = std::mem::take(&mut documents.bytes);
        bytes.resize((piece.end - piece.start) as usize, 0);
        spool.read_exact_at(&mut bytes, piece.start).map_err(|error| io_error(path, piece.line, error))?;
        let mut cursor = Cursor::new(&bytes);
        let rows = documents.labels.len() + piece.documents as usize;
        let mut known = true;
        while !cursor.is_done() {
            let row = documents.labels.len() as u32;
            let parsed = parse_line(&mut cursor, 0, |feature, value| {
                let column = self.columns.get(feature as usize).copied().unwrap_or(0);
                known &= self.features[column as usize] == feature;
                documents.pairs.push((column, row, value));
            });
            if let Some((label, _)) = parsed.map_err(|_| changed())? {
                documents.labels.push(label);
            }
        }
        let same = known && documents.labels.len() == rows;
        documents.bytes = bytes;
        if same { Ok(()) } else { Err(changed()) }
    }
}

/// The features and labels that occurred so far.
#[derive(Default)]
struct Seen {
    /// One bit for each possible number of a feature.
    features: Vec<u64>,
    /// The bits of each label; -0 is stored as 0.
    labels: HashSet<u64>,
    last: Option<f64>,
    /// Whether the other threads do not know all of these yet.
    is_new: bool,
}

impl Seen {
    #[inline]
    fn feature(&mut self, feature: u32) {
        let (word, bit) = (feature as usize / 64, 1 << (feature % 64));
        if word >= self.features.len() {
            self.features.resize(word + 1, 0);
        }
        self.is_new |= self.features[word] & bit == 0;
        self.features[word] |= bit;
    }

    fn label(&mut self, label: f64) {
        if self.last != Some(label) {
            self.last = Some(label);
            self.is_new |= self.labels.insert((label + 0.0).to_bits());
        }
    }

    /// Tell another what is new.
    fn tell(&mut self, all: &Mutex<Seen>) {
        if std::mem::take(&mut self.is_new) {
            let mut all = all.lock().unwrap_or_else(PoisonError::into_inner);
            let words = self.features.len().max(all.features.len());
            all.features.resize(words, 0);
            all.features.iter_mut().zip(&self.features).for_each(|(to, from)| *to |= from);
            all.labels.extend(&self.labels);
        }
    }

    fn features(&self) -> Vec<u32> {
        let bits = |(word, bits): (usize, &u64)| {
            let bits = *bits;
            (0..64).filter(move |bit| bits >> bit & 1 == 1).map(move |bit| 64 * word as u32 + bit)
        };
        self.features.iter().enumerate().flat_map(bits).collect()
    }
}

/// The id of each piece's query, with the piece.
type IdentifiedPieces = Vec<(Box<[u8]>, Piece)>;

/// Finds the pieces of a block, in the order of the input. Their lines are counted from the first of the block.
fn look(offset: u64, block: &[u8], seen: &mut Seen) -> std::result::Result<Parsed<IdentifiedPieces>, LineError> {
    let mut pieces = IdentifiedPieces::new();
    let mut cursor = Cursor::new(block);
    let mut lines = 0;
    while !cursor.is_done() {
        let start = offset + cursor.position() as u64;
        if let Some((label, id)) = parse_line(&mut cursor, lines, |feature, _| seen.feature(feature))? {
            seen.label(label);
            let end = offset + cursor.position() as u64;
            match pieces.last_mut() {
                Some((last, piece)) if last.as_ref() == id => {
                    piece.end = end;
                    piece.documents += 1;
                }
                _ => pieces.push((id.into(), Piece { file: 0, start, end, line: lines, documents: 1 })),
            }
        }
        lines += 1;
    }
    Ok(Parsed { value: pieces, lines })
}

/// Sorts pieces by the id of their query, and joins pieces of a query that are adjacent in the file.
fn by_query(mut identified: IdentifiedPieces) -> (Vec<Query>, Vec<Piece>) {
    identified.sort_by(|a, b| a.0.cmp(&b.0)); // the sort is stable, so pieces of a query keep the order of the input
    let mut queries: Vec<Query> = Vec::new();
    let mut pieces: Vec<Piece> = Vec::with_capacity(identified.len());
    for (id, piece) in identified {
        if queries.last().is_none_or(|query| query.id != id) {
            queries.push(Query { id, documents: 0, pieces: pieces.len()..pieces.len() });
        }
        let Some(query) = queries.last_mut() else { continue };
        query.documents += piece.documents as usize;
        match pieces[query.pieces.start..].last_mut() {
            Some(last) if (last.file, last.end) == (piece.file, piece.start) => {
                last.end = piece.end;
                last.documents += piece.documents;
            }
            _ => pieces.push(piece),
        }
        query.pieces.end = pieces.len();
    }
    (queries, pieces)
}
