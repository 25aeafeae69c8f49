//! Opening an input: plain file, standard input, or an archive recognised by its first bytes.

use std::fmt;
use std::fs::File;
use std::io::{self, Cursor, Read, Seek};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::codecs::{Codec, UNPACKING, is_too_demanding, unpack};
use super::gzip::GzipMembers;
use crate::error::{Error, Result, show};
use crate::watch;

/// Something to read lines from.
pub enum Source {
    /// A regular file without compression: read at any position, by many threads. With its length in bytes.
    File(File, u64),
    /// Anything else: read in sequence.
    Stream(Box<dyn Read + Send>),
}

impl Source {
    /// Read it in sequence.
    pub fn in_sequence(self) -> io::Result<Box<dyn Read + Send>> {
        match self {
            Source::File(mut file, _) => {
                file.rewind()?;
                Ok(Box::new(Watched(file, Arc::default())))
            }
            Source::Stream(reader) => Ok(reader),
        }
    }
}

/// Where bytes come from: a file, or a reader that replaces one in a browser, which has no files.
pub struct Input<'a> {
    name: &'a str,
    /// The reader that replaces a file, and how many bytes it has if that is known.
    reader: Option<(Box<dyn Read + Send>, Option<u64>)>,
}

impl<'a> Input<'a> {
    /// The bytes of a reader, which messages call `name`.
    pub fn given(name: &'a str, reader: Box<dyn Read + Send>, length: Option<u64>) -> Input<'a> {
        Input { name, reader: Some((reader, length)) }
    }

    /// The name of the input in messages.
    pub fn name(&self) -> &'a str {
        self.name
    }
}

impl<'a> From<&'a str> for Input<'a> {
    fn from(path: &'a str) -> Input<'a> {
        Input { name: path, reader: None }
    }
}

impl<'a> From<&'a String> for Input<'a> {
    fn from(path: &'a String) -> Input<'a> {
        Input::from(path.as_str())
    }
}

/// How the bytes are packed, told by their signature.
enum Packing {
    Plain,
    Gzip,
    InC(Codec),
}

/// Length of the longest signature.
const SIGNATURE: usize = 6;

/// Any archive may expand to this many bytes;
const HARMLESS: u64 = 64 << 20;

/// beyond that, to this many times its size. Runs and judgments hold five to fifty times; gzip could hold a thousand times,
/// the others far more.
const PROPORTION: u64 = 250;

/// Formats that are recognised in order to say so, but not read.
const UNREADABLE: [(&[u8], &str); 6] = [
    (b"BZh", "a bzip2 archive"),
    (b"PK\x03\x04", "a zip archive"),
    (b"\x04\x22\x4d\x18", "an lz4 archive"),
    (b"PAR1", "a parquet file (read from files whose names end in .parquet)"),
    (b"\xff\xfe", "UTF-16 text"),
    (b"\xfe\xff", "UTF-16 text"),
];

/// Open an input; the path `-` is standard input.
pub fn open(input: Input<'_>) -> Result<Source> {
    let path = input.name;
    let fail = |source| Error::Io { file: path.into(), source };
    let begin = |total| watch::begin(|| format!("reading {}", show(path.as_bytes())), "bytes", total);
    if let Some((reader, length)) = input.reader {
        begin(length);
        return stream(path, reader);
    }
    if path == "-" {
        begin(None);
        return stream(path, Box::new(io::stdin()));
    }
    let mut file = File::open(path).map_err(fail)?;
    let meta = file.metadata().map_err(fail)?;
    if !meta.is_file() {
        begin(None);
        return stream(path, Box::new(file));
    }
    begin(Some(meta.len()));
    let mut head = [0; SIGNATURE];
    let read = fill(&mut file, &mut head).map_err(fail)?;
    match recognise(path, &head[..read])? {
        // Some files, as those of /proc, say that they are empty and are not.
        Packing::Plain if meta.len() > 0 || read == 0 => Ok(Source::File(file, meta.len())),
        _ => {
            file.rewind().map_err(fail)?;
            stream(path, Box::new(file))
        }
    }
}

/// Whether this is a file that can be read a second time, as standard input and pipes cannot.
///
/// # Errors
/// There is no such file.
pub fn is_file(path: &str) -> Result<bool> {
    let fail = |source| Error::Io { file: path.into(), source };
    Ok(path != "-" && std::fs::metadata(path).map_err(fail)?.is_file())
}

/// A reader that tells how much was read, of an archive as it is packed; adds it to a sum.
struct Watched<R>(R, Arc<AtomicU64>);

impl<R: Read> Read for Watched<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.0.read(buffer)?;
        self.1.fetch_add(read as u64, Ordering::Relaxed);
        watch::step(read as u64).map_err(io::Error::other)?;
        Ok(read)
    }
}

/// An unpacked archive, for as long as that is not out of all proportion to what was read of it.
struct Bounded<R> {
    unpacked: R,
    bytes: u64,
    packed: Arc<AtomicU64>,
}

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.unpacked.read(buffer)?;
        self.bytes += read as u64;
        watch::check().map_err(io::Error::other)?; // a few bytes may unpack for long
        if self.bytes > HARMLESS && self.bytes / PROPORTION > self.packed.load(Ordering::Relaxed) {
            return Err(io::Error::other(Bomb));
        }
        Ok(read)
    }
}

/// An archive that holds far too much.
#[derive(Debug)]
struct Bomb;

impl fmt::Display for Bomb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "an archive that unpacks to more than {PROPORTION} times its size")
    }
}

impl std::error::Error for Bomb {}

fn stream(path: &str, mut input: Box<dyn Read + Send>) -> Result<Source> {
    let fail = |source| Error::Io { file: path.into(), source };
    let mut head = [0; SIGNATURE];
    let read = fill(&mut input, &mut head).map_err(fail)?;
    watch::count(read as u64);
    let packing = recognise(path, &head[..read])?;
    let packed = Arc::new(AtomicU64::new(read as u64));
    let whole = Cursor::new(head).take(read as u64).chain(Watched(input, Arc::clone(&packed)));
    let unpacked: Box<dyn Read + Send> = match packing {
        Packing::Plain => return Ok(Source::Stream(Box::new(whole))),
        Packing::Gzip => Box::new(GzipMembers::new(whole)),
        Packing::InC(codec) => unpack(&codec, whole).map_err(fail)?,
    };
    Ok(Source::Stream(Box::new(Bounded { unpacked, bytes: 0, packed })))
}

fn recognise(path: &str, head: &[u8]) -> Result<Packing> {
    if let Some((_, what)) = UNREADABLE.iter().find(|(signature, _)| head.starts_with(signature)) {
        return Err(Error::input(path, None, "text, plain or compressed by gzip, zstd or xz", *what));
    }
    Ok(match head {
        [0x1f, 0x8b, ..] => Packing::Gzip,
        // A frame, or one to be skipped that stands before it.
        [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => Packing::InC(Codec::Zstd),
        [0xfd, b'7', b'z', b'X', b'Z', 0] => Packing::InC(Codec::Xz),
        _ => Packing::Plain,
    })
}

/// Describes the error of an input that could be opened, but not read to its end.
pub fn damage(error: &io::Error) -> String {
    if is_too_demanding(error) {
        return format!("an archive that takes more than {} MiB of memory to unpack", UNPACKING >> 20);
    }
    if error.get_ref().and_then(|error| error.downcast_ref::<Bomb>()).is_some() {
        return format!("{error} (if this is intended, unpack it first)");
    }
    format!("a truncated or damaged file ({error})")
}

/// Reads until `buffer` is full or the input ends, and returns how many bytes it read.
pub fn fill(input: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
    let mut read = 0;
    fill_up(input, buffer, &mut read).map(|()| read)
}

/// Fills a buffer like [`fill`], but counts in `read`, so that the count is also known after an error.
pub fn fill_up(input: &mut impl Read, buffer: &mut [u8], read: &mut usize) -> io::Result<()> {
    while *read < buffer.len() {
        match input.read(&mut buffer[*read..]) {
            Ok(0) => break,
            Ok(n) => *read += n,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}
