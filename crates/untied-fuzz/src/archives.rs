//! Archives: packed input is read like plain input, and damaged input is rejected.

use std::io::{Read, Write};

use untied_core::read;
use untied_core::{Error, Result};

use crate::readers::{RUN, assert_same, both, once};
use crate::scratch::with_file;
use crate::second;

/// A kind of archive.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Packing {
    /// gzip
    Gzip,
    /// zstd
    Zstd,
    /// xz
    Xz,
}

impl Packing {
    const ALL: [(Packing, &[u8]); 3] =
        [(Packing::Gzip, b"\x1f\x8b\x08"), (Packing::Zstd, b"\x28\xb5\x2f\xfd"), (Packing::Xz, b"\xfd7zXZ\0\0")];

    /// An archive of a text.
    pub fn pack(self, text: &[u8]) -> Vec<u8> {
        let mut packed = Vec::new();
        let done = match self {
            Packing::Gzip => {
                let mut to = flate2::write::GzEncoder::new(&mut packed, flate2::Compression::fast());
                to.write_all(text).and_then(|()| to.finish().map(|_| ()))
            }
            Packing::Zstd => zstd::stream::copy_encode(text, &mut packed, 1),
            Packing::Xz => {
                let mut to = liblzma::write::XzEncoder::new(&mut packed, 0);
                to.write_all(text).and_then(|()| to.finish().map(|_| ()))
            }
        };
        done.expect("memory to write to");
        packed
    }

    /// The text of an archive, up to some length; none where it is damaged.
    fn unpack(self, packed: &[u8]) -> Option<Vec<u8>> {
        const MOST: u64 = 64 << 20;
        let mut text = Vec::new();
        let reader: Box<dyn Read> = match self {
            Packing::Gzip => return members(packed, MOST),
            Packing::Zstd => Box::new(zstd::Decoder::new(packed).ok()?),
            Packing::Xz => Box::new(liblzma::read::XzDecoder::new_multi_decoder(packed)),
        };
        reader.take(MOST).read_to_end(&mut text).ok()?;
        Some(text)
    }
}

/// All members of a gzip archive, one after the other; zeros may follow the last.
fn members(mut packed: &[u8], most: u64) -> Option<Vec<u8>> {
    let mut text = Vec::new();
    loop {
        flate2::bufread::GzDecoder::new(&mut packed).take(most).read_to_end(&mut text).ok()?;
        if packed.iter().all(|&byte| byte == 0) {
            return Some(text);
        }
    }
}

/// The first byte tells what the others are: an archive without its first bytes, or a text to pack.
pub fn archives(data: &[u8]) {
    let Some((&choice, data)) = data.split_first() else { return };
    let (packing, head) = Packing::ALL[usize::from(choice % 3)];
    match choice / 3 % 3 {
        0 => raw(packing, &[head, data].concat()),
        1 => packed(packing, data),
        _ => expanded(packing, data),
    }
}

/// Whatever the bytes: rows are those of the text, or there is an error.
fn raw(packing: Packing, archive: &[u8]) {
    let ours = with_file(archive, |path| read::read_run(path, true));
    let all = with_file(archive, read::read_all);
    let text = packing.unpack(archive);
    assert_eq!(all.ok(), text);
    match text {
        None => assert_damaged(ours),
        Some(text) => {
            // Text in an archive is text, whatever it begins with.
            let theirs = second::read(&text, &RUN).and_then(|rows| once(rows, |_, _| false));
            if let Some((run, rows)) = both(ours, theirs) {
                assert_same(&run, &rows, &[1, 0]);
            }
        }
    }
}

fn assert_damaged<T>(result: Result<T>) {
    match result {
        Ok(_) => panic!("a damaged archive is read"),
        Err(Error::Input(error)) => assert!(error.to_string().len() < 2000, "{error}"),
        Err(Error::Io { .. }) => {}
        Err(error) => panic!("not an error of input: {error}"),
    }
}

/// A text in two members; then cut, and with a byte changed.
fn packed(packing: Packing, data: &[u8]) {
    let [a, b, c, text @ ..] = data else { return };
    if second::is_packed(text) {
        return;
    }
    let middle = text.len() * usize::from(*a) / 255;
    let first = packing.pack(&text[..middle]);
    let archive = [first.as_slice(), &packing.pack(&text[middle..])].concat();
    raw(packing, &archive);
    let theirs = second::read(text, &RUN).and_then(|rows| once(rows, |_, _| false));
    let whole = with_file(&archive, |path| read::read_run(path, true));
    if let Some((run, rows)) = both(whole, theirs) {
        assert_same(&run, &rows, &[1, 0]);
        let at = (archive.len() - 1) * usize::from(*b) / 255;
        if at != first.len() {
            assert_damaged(with_file(&archive[..at], |path| read::read_run(path, true)));
        }
        // zstd has no check sum unless asked for.
        if packing != Packing::Zstd && *c > 0 {
            let mut changed = archive;
            changed[at] ^= c;
            let ours = with_file(&changed, |path| read::read_run(path, true));
            if let Ok(run) = ours {
                assert_same(&run, &rows, &[1, 0]);
            }
        }
    }
}

/// A few bytes many times over: as much as a small archive can hold.
fn expanded(packing: Packing, data: &[u8]) {
    let [times, unit @ ..] = data else { return };
    if unit.is_empty() || unit.len() > 64 {
        return;
    }
    let archive = packing.pack(&unit.repeat((usize::from(*times) << 14) / unit.len()));
    raw(packing, &archive);
}
