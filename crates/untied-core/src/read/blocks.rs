//! Cutting an input into blocks of whole lines and parsing them in parallel.
//!
//! Files are read by position, each worker its own piece, and not mapped into memory: a file that is
//! truncated while mapped kills the process, a short read is an error like any other.

use std::fs::File;
use std::io::{self, Read};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use rayon::prelude::*;

use super::limits::{LONGEST_LINE, LineError, MARK, count, io_error, newlines, too_long};
use super::source::{Input, Source, fill_up, open};
use super::spool::{ReadAt, Spool};
use crate::error::{Error, Result, show};
use crate::{memory, watch};

/// Bytes a worker reads at a time: large enough for few system calls, small enough to stay in cache.
const BLOCK: usize = 1 << 19;

/// A parsed block and the number of lines it was made from.
pub struct Parsed<T> {
    /// The parser's result.
    pub value: T,
    /// Lines in the block, blank ones and comments included.
    pub lines: u64,
}

/// An input that is parsed block by block.
pub struct Blocks {
    path: String,
    from: From,
    /// Lines of all blocks so far.
    lines: u64,
}

enum From {
    /// A file of this length, and the number of the next block.
    File {
        file: File,
        length: u64,
        next: u64,
    },
    Stream(Lines),
}

impl Blocks {
    /// Open an input; the path `-` is standard input.
    ///
    /// # Errors
    /// It cannot be opened, or is of a kind that is not read.
    pub fn open(input: Input<'_>) -> Result<Blocks> {
        let path = input.name().to_owned();
        let from = match open(input)? {
            Source::File(file, length) => From::File { file, length, next: 0 },
            Source::Stream(reader) => From::Stream(Lines::new(reader, false)),
        };
        Ok(Blocks { path, from, lines: 0 })
    }

    /// Open an input that begins with what the reader of all others needs, in sequence: `find` finds it in a block, and
    /// how many bytes of the block it takes; nothing in a block that is to be passed over. `quotes` tells whether a
    /// newline between quotes ends no block.
    ///
    /// # Errors
    /// As [`Blocks::open`]; the input cannot be read, or what `find` refuses.
    pub fn open_behind<T>(
        input: Input<'_>,
        quotes: bool,
        find: impl Fn(&[u8]) -> std::result::Result<Option<(T, usize)>, LineError>,
    ) -> Result<(Blocks, Option<T>)> {
        let path = input.name().to_owned();
        let reader = open(input)?.in_sequence().map_err(|source| Error::Io { file: path.clone(), source })?;
        let (mut lines, mut before) = (Lines::new(reader, quotes), 0);
        let head = loop {
            let Some((index, block)) = lines.next() else { break None };
            let searched = block.and_then(|block| {
                let text = without_mark(&block, index == 0);
                let head = find(text).map_err(BlockFailure::Line)?;
                let start = head.as_ref().map_or(text.len(), |(_, start)| *start);
                let passed = newlines(&text[..start]);
                lines.held = Some(text[start..].to_vec());
                Ok(Parsed { value: head, lines: passed })
            });
            let parsed = in_order(&path, before, vec![searched])?;
            before += parsed.iter().map(|block| block.lines).sum::<u64>();
            if let Some((head, _)) = parsed.into_iter().find_map(|block| block.value) {
                break Some(head);
            }
        };
        Ok((Blocks { path, from: From::Stream(lines), lines: before }, head))
    }

    /// Lines of all blocks so far.
    pub fn lines(&self) -> u64 {
        self.lines
    }

    /// Parse the next blocks, up to a number, in parallel; the results in the order of the file, none at its end.
    ///
    /// The parser sees whole lines (only the last block may lack its final newline) and room of its worker's own, which
    /// is kept between blocks. Of several errors the first in the file is reported, whatever the number of threads.
    pub fn parse<T, S, P>(&mut self, most: u64, parse: &P) -> Result<Option<Vec<Parsed<T>>>>
    where
        T: Send,
        S: Default,
        P: Fn(&[u8], &mut S) -> std::result::Result<Parsed<T>, LineError> + Sync,
    {
        let results = match &mut self.from {
            From::File { file, length, next } => {
                let end = next.saturating_add(most).min(length.div_ceil(BLOCK as u64));
                let blocks = std::mem::replace(next, end)..end;
                parse_file(file, *length, blocks, &|_, lines: &[u8], room: &mut S| parse(lines, room))
            }
            From::Stream(lines) => parse_stream(lines, most, parse),
        };
        let blocks = in_order(&self.path, self.lines, results)?;
        self.lines += blocks.iter().map(|block| block.lines).sum::<u64>();
        Ok((!blocks.is_empty()).then_some(blocks))
    }
}

/// Parse all of what can be read at any position, see [`Blocks::parse`]; the parser is told where its block begins.
pub fn parse_spool<T, S, P>(path: &str, spool: &Spool, parse: P) -> Result<Vec<Parsed<T>>>
where
    T: Send,
    S: Default,
    P: Fn(u64, &[u8], &mut S) -> std::result::Result<Parsed<T>, LineError> + Sync,
{
    watch::begin(|| format!("looking through {}", show(path.as_bytes())), "bytes", Some(spool.len()));
    in_order(path, 0, parse_file(spool, spool.len(), 0..spool.len().div_ceil(BLOCK as u64), &parse))
}

/// The blocks, or the first error in the file; `before` counts the lines before them.
fn in_order<T>(path: &str, mut before: u64, results: Vec<BlockResult<T>>) -> Result<Vec<Parsed<T>>> {
    let mut blocks = Vec::with_capacity(results.len());
    for result in results {
        match result {
            Ok(block) => {
                before += block.lines;
                blocks.push(block);
            }
            Err(BlockFailure::Line(error)) => return Err(error.of(path, before)),
            Err(BlockFailure::TooLong(line)) => return Err(too_long(path, before + line + 1)),
            Err(BlockFailure::Memory) => return Err(Error::Memory { what: path.into(), bytes: RESERVE as u128 }),
            Err(BlockFailure::Stopped) => return Err(Error::Stopped),
            Err(BlockFailure::Io(line, source)) => return Err(io_error(path, before + line + 1, source)),
        }
    }
    Ok(blocks)
}

/// Why a block could not be parsed; lines counted from its start.
enum BlockFailure {
    Line(LineError),
    TooLong(u64),
    Io(u64, io::Error),
    Memory,
    Stopped,
}

/// How many bytes of memory must be free before a block is parsed. If an allocation failed later, for parsed rows or
/// results, the process would end.
const RESERVE: usize = 64 << 20;

/// Returns an error if memory runs out. It does not check in a browser, which never gets memory back.
fn reserve() -> std::result::Result<(), BlockFailure> {
    if cfg!(target_family = "wasm") {
        return Ok(());
    }
    memory::room::<u8>(RESERVE, "").map(drop).map_err(|_| BlockFailure::Memory)
}

type BlockResult<T> = std::result::Result<Parsed<T>, BlockFailure>;

fn parse_file<T, S, P>(file: &impl ReadAt, length: u64, blocks: Range<u64>, parse: &P) -> Vec<BlockResult<T>>
where
    T: Send,
    S: Default,
    P: Fn(u64, &[u8], &mut S) -> std::result::Result<Parsed<T>, LineError> + Sync,
{
    blocks
        .into_par_iter()
        .map_init(<(Vec<u8>, S)>::default, |(buffer, room), index| {
            let (begin, block) = read_block(file, length, index * BLOCK as u64, buffer)?;
            let lines = without_mark(block, index == 0);
            reserve()?;
            watch::step((BLOCK as u64).min(length - index * BLOCK as u64)).map_err(|_| BlockFailure::Stopped)?;
            parse(begin + (block.len() - lines.len()) as u64, lines, room).map_err(BlockFailure::Line)
        })
        .collect()
}

/// Give a buffer this length. The first room comes as zeros from the system, which need not be written.
fn make_room(buffer: &mut Vec<u8>, length: usize) {
    if buffer.is_empty() && buffer.capacity() < length {
        *buffer = vec![0; length];
    } else {
        buffer.resize(length, 0);
    }
}

/// The lines that begin in the block at `start`, and where the first of them begins.
fn read_block<'b>(
    file: &impl ReadAt,
    length: u64,
    start: u64,
    buffer: &'b mut Vec<u8>,
) -> std::result::Result<(u64, &'b [u8]), BlockFailure> {
    // One byte more in front tells whether a line begins exactly at `start`.
    let front = start.saturating_sub(1);
    let end = length.min(start + BLOCK as u64);
    make_room(buffer, (end - front) as usize);
    file.read_exact_at(buffer, front).map_err(|error| BlockFailure::Io(0, error))?;
    let begin = match start {
        0 => 0,
        _ => match buffer.iter().position(|&byte| byte == b'\n') {
            Some(newline) => newline + 1,
            None => buffer.len(),
        },
    };
    if begin == buffer.len() && start > 0 {
        // Either the block is the middle of one long line, which belongs to an earlier block, or it ends with the
        // newline that ends that line.
        return Ok((end, &[]));
    }
    // The last line goes on in the next blocks.
    const MORE: usize = 1 << 12;
    let last_line = buffer.iter().rposition(|&byte| byte == b'\n').map_or(0, |newline| newline + 1);
    let mut at = end;
    while buffer.last() != Some(&b'\n') && at < length {
        let step = MORE.min((length - at) as usize);
        let old = buffer.len();
        if old - last_line > LONGEST_LINE {
            return Err(BlockFailure::TooLong(newlines(&buffer[begin..])));
        }
        buffer.resize(old + step, 0);
        file.read_exact_at(&mut buffer[old..], at).map_err(|error| BlockFailure::Io(0, error))?;
        match buffer[old..].iter().position(|&byte| byte == b'\n') {
            Some(newline) => buffer.truncate(old + newline + 1),
            None => at += step as u64,
        }
    }
    Ok((front + begin as u64, &buffer[begin..]))
}

fn parse_stream<T, S, P>(lines: &mut Lines, most: u64, parse: &P) -> Vec<BlockResult<T>>
where
    T: Send,
    S: Default,
    P: Fn(&[u8], &mut S) -> std::result::Result<Parsed<T>, LineError> + Sync,
{
    // Workers draw blocks one by one, so no more of them exist than there are workers; after a failure no more are
    // drawn.
    let failed = AtomicBool::new(false);
    let spare = Arc::clone(&lines.spare);
    let most = usize::try_from(most).unwrap_or(usize::MAX);
    let mut results: Vec<(u64, BlockResult<T>)> = lines
        .take(most)
        .take_while(|_| !failed.load(Ordering::Relaxed))
        .par_bridge()
        .map_init(S::default, |room, (index, block)| {
            let outcome = block.and_then(|lines| {
                reserve()?;
                let parsed = parse(without_mark(&lines, index == 0), room).map_err(BlockFailure::Line);
                spare.lock().unwrap_or_else(PoisonError::into_inner).push(lines);
                parsed
            });
            if outcome.is_err() {
                failed.store(true, Ordering::Relaxed);
            }
            (index, outcome)
        })
        .collect();
    results.sort_unstable_by_key(|(index, _)| *index);
    results.into_iter().map(|(_, outcome)| outcome).collect()
}

/// Blocks of whole lines from a sequential reader, with their numbers.
struct Lines {
    reader: Box<dyn Read + Send>,
    rest: Vec<u8>,
    blocks: u64,
    ended: bool,
    /// Whether a newline between quotes ends no block.
    quotes: bool,
    /// The rest of a block of which the beginning was taken.
    held: Option<Vec<u8>>,
    /// Blocks that were parsed: their room is used again.
    spare: Arc<Mutex<Vec<Vec<u8>>>>,
}

impl Iterator for Lines {
    type Item = (u64, std::result::Result<Vec<u8>, BlockFailure>);

    fn next(&mut self) -> Option<Self::Item> {
        let block = match self.held.take() {
            Some(held) if !held.is_empty() => Ok(held),
            _ => self.block()?,
        };
        self.blocks += 1;
        Some((self.blocks - 1, block))
    }
}

impl Lines {
    fn new(reader: Box<dyn Read + Send>, quotes: bool) -> Lines {
        Lines { reader, rest: Vec::new(), blocks: 0, ended: false, quotes, held: None, spare: Arc::default() }
    }

    /// The index of the last byte that can end a block. `inside` says whether the bytes begin between quotes, and is
    /// updated to whether they end between quotes.
    fn last_end(&self, bytes: &[u8], inside: &mut bool) -> Option<usize> {
        if !self.quotes {
            return bytes.iter().rposition(|&byte| byte == b'\n');
        }
        *inside ^= count(bytes, b'"') % 2 == 1;
        let mut is_quoted = *inside;
        bytes.iter().rposition(|&byte| {
            is_quoted ^= byte == b'"';
            byte == b'\n' && !is_quoted
        })
    }

    fn block(&mut self) -> Option<std::result::Result<Vec<u8>, BlockFailure>> {
        if self.ended {
            return None;
        }
        let used = self.spare.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut block = used.unwrap_or_default();
        let mut old = self.rest.len();
        if block.len() < old {
            block.resize(old, 0);
        }
        block[..old].copy_from_slice(&self.rest);
        self.rest.clear();
        let (mut seen, mut inside) = (0, false);
        while !self.ended {
            if old > LONGEST_LINE {
                let last_line = block[..old].iter().rposition(|&byte| byte == b'\n').map_or(0, |newline| newline + 1);
                if old - last_line > LONGEST_LINE {
                    self.ended = true;
                    return Some(Err(BlockFailure::TooLong(newlines(&block[..last_line]))));
                }
            }
            make_room(&mut block, old + BLOCK);
            let mut read = 0;
            match fill_up(&mut self.reader, &mut block[old..], &mut read) {
                Ok(()) => {
                    self.ended = read < BLOCK;
                    block.truncate(old + read);
                }
                Err(error) => {
                    // What was unpacked so far is not parsed: the error stands, whatever it holds.
                    self.ended = true;
                    return Some(Err(BlockFailure::Io(newlines(&block[..old + read]), error)));
                }
            }
            if self.ended {
                break;
            }
            if let Some(newline) = self.last_end(&block[seen..], &mut inside) {
                let end = seen + newline + 1;
                self.rest.extend_from_slice(&block[end..]);
                block.truncate(end);
                break;
            }
            old = block.len();
            seen = old;
        }
        (!block.is_empty()).then_some(Ok(block))
    }
}

/// Drop a byte-order mark at the beginning of the input.
fn without_mark(block: &[u8], first: bool) -> &[u8] {
    match block.strip_prefix(MARK) {
        Some(rest) if first => rest,
        _ => block,
    }
}
