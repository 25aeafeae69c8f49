//! Inputs that are read more than once, at any position.
//!
//! A plain file is that by itself. What can only be read in sequence (archives, pipes, standard input) is unpacked
//! first: into memory while it is small, then into a temporary file that goes with the process.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, Write};
use std::sync::atomic::{AtomicU32, Ordering};

use super::limits::{LONGEST_LINE, io_error, newlines, too_long};
use super::source::{Source, fill, open};
use crate::error::{Error, Result};
use crate::{memory, watch};

/// Bytes of an unpacked input that are kept in memory.
const SMALL: usize = 64 << 20;

/// Bytes that are unpacked at a time.
const STEP: usize = 1 << 20;

/// Bytes that can be read at any position, by several threads.
pub trait ReadAt: Sync {
    /// Fill `buffer` with what stands at `offset`.
    fn read_exact_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()>;
}

impl ReadAt for File {
    #[cfg(unix)]
    fn read_exact_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()> {
        std::os::unix::fs::FileExt::read_exact_at(self, buffer, offset)
    }

    /// Moves the file's own position, which nobody shares where there are no threads.
    #[cfg(not(any(unix, windows)))]
    fn read_exact_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()> {
        let mut file = self;
        file.seek(io::SeekFrom::Start(offset))?;
        file.read_exact(buffer)
    }

    #[cfg(windows)]
    fn read_exact_at(&self, mut buffer: &mut [u8], mut offset: u64) -> io::Result<()> {
        while !buffer.is_empty() {
            match std::os::windows::fs::FileExt::seek_read(self, buffer, offset)? {
                0 => return Err(io::ErrorKind::UnexpectedEof.into()),
                n => {
                    buffer = &mut buffer[n..];
                    offset += n as u64;
                }
            }
        }
        Ok(())
    }
}

/// An input that can be read at any position.
pub enum Spool {
    /// In a file, with its length.
    File(File, u64),
    /// In memory.
    Memory(Vec<u8>),
}

impl ReadAt for Spool {
    fn read_exact_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()> {
        match self {
            Spool::File(file, _) => file.read_exact_at(buffer, offset),
            Spool::Memory(bytes) => {
                let stored = usize::try_from(offset).ok().and_then(|start| bytes.get(start..)?.get(..buffer.len()));
                buffer.copy_from_slice(stored.ok_or(io::ErrorKind::UnexpectedEof)?);
                Ok(())
            }
        }
    }
}

impl Spool {
    /// Open `path`, unpacked if need be; `-` is standard input.
    pub fn open(path: &str) -> Result<Spool> {
        match open(path.into())? {
            Source::File(file, length) => Ok(Spool::File(file, length)),
            Source::Stream(reader) => unpack(path, reader, SMALL),
        }
    }

    /// Number of bytes.
    pub fn len(&self) -> u64 {
        match self {
            Spool::File(_, length) => *length,
            Spool::Memory(bytes) => bytes.len() as u64,
        }
    }
}

/// All of an input, in memory.
///
/// # Errors
/// The file cannot be read, or is larger than memory.
pub fn read_all(path: &str) -> Result<Vec<u8>> {
    read_within(path, usize::MAX)
}

/// Reads all bytes of a file of lines, and refuses lines that are longer than any text has.
///
/// # Errors
/// As [`read_all`]; or a line is longer.
pub fn read_lines(path: &str) -> Result<Vec<u8>> {
    read_within(path, LONGEST_LINE)
}

fn read_within(path: &str, longest: usize) -> Result<Vec<u8>> {
    let (mut reader, mut bytes): (Box<dyn Read>, Vec<u8>) = match open(path.into())? {
        Source::File(mut file, length) => {
            file.rewind().map_err(|source| Error::Io { file: path.into(), source })?;
            let length = usize::try_from(length).unwrap_or(usize::MAX);
            (Box::new(file), memory::room(length.saturating_add(STEP), path)?)
        }
        Source::Stream(reader) => (reader, Vec::new()),
    };
    let mut begin = 0;
    loop {
        let old = bytes.len();
        // At least twice as much as before, so that little is copied.
        let more = if bytes.capacity() - old < STEP { old.max(STEP) } else { STEP };
        bytes.try_reserve(more).map_err(|_| Error::Memory { what: path.into(), bytes: (old + more) as u128 })?;
        bytes.resize(old + STEP, 0);
        let read = match fill(&mut reader, &mut bytes[old..]) {
            Ok(read) => read,
            Err(error) => return Err(io_error(path, newlines(&bytes[..old]) + 1, error)),
        };
        bytes.truncate(old + read);
        watch::check()?;
        if let Some(newline) = bytes[old..].iter().rposition(|&byte| byte == b'\n') {
            begin = old + newline + 1;
        }
        if bytes.len() - begin > longest {
            return Err(too_long(path, newlines(&bytes) + 1));
        }
        if read < STEP {
            return Ok(bytes);
        }
    }
}

fn unpack(path: &str, mut reader: impl Read, small: usize) -> Result<Spool> {
    let mut bytes = Vec::new();
    let mut lines = 0;
    let (mut file, mut length): (Option<File>, u64) = (None, 0);
    let fail = |source| Error::Io { file: "a temporary file for what was unpacked".into(), source };
    loop {
        let old = bytes.len();
        bytes.resize(old + STEP, 0);
        let read = fill(&mut reader, &mut bytes[old..]).map_err(|error| io_error(path, lines + 1, error))?;
        bytes.truncate(old + read);
        lines += newlines(&bytes[old..]);
        if file.is_none() && bytes.len() > small {
            file = Some(temporary().map_err(fail)?);
        }
        if let Some(file) = &mut file {
            file.write_all(&bytes).map_err(fail)?;
            length += bytes.len() as u64;
            bytes.clear();
        }
        if read < STEP {
            return Ok(file.map_or(Spool::Memory(bytes), |file| Spool::File(file, length)));
        }
    }
}

/// An empty file that nobody else can open, and that is gone when the process ends.
fn temporary() -> io::Result<File> {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let mut options = OpenOptions::new();
    options.read(true).write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    #[cfg(windows)]
    std::os::windows::fs::OpenOptionsExt::custom_flags(&mut options, 0x0400_0000); // deleted when it is closed
    loop {
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!(".untied-{}-{count}", std::process::id()));
        match options.open(&path) {
            Ok(file) => {
                #[cfg(unix)]
                std::fs::remove_file(&path)?;
                return Ok(file);
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_large_goes_to_a_file_and_reads_the_same() {
        let bytes: Vec<u8> = (0..3 * STEP + 7).map(|i| (i % 251) as u8).collect();
        for small in [0, STEP, 10 * STEP] {
            let spool = unpack("x", bytes.as_slice(), small).expect("unpacked");
            assert_eq!(matches!(spool, Spool::File(..)), small < bytes.len());
            assert_eq!(spool.len(), bytes.len() as u64);
            let mut found = vec![0; 1000];
            spool.read_exact_at(&mut found, STEP as u64 - 500).expect("bytes");
            assert_eq!(found, bytes[STEP - 500..STEP + 500]);
            assert!(spool.read_exact_at(&mut found, bytes.len() as u64 - 999).is_err());
        }
    }
}
