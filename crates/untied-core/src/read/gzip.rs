//! Archives of gzip: members one after the other, and zeros behind the last, as tapes and some downloads have them.

use std::io::{self, BufRead, BufReader, Read};

use flate2::bufread::GzDecoder;

/// The unpacked bytes of all members of a gzip file, one member after the other.
pub struct GzipMembers<R: Read> {
    /// None at the end.
    member: Option<GzDecoder<BufReader<R>>>,
}

impl<R: Read> GzipMembers<R> {
    /// Unpack what this reads.
    pub fn new(packed: R) -> Self {
        GzipMembers { member: Some(GzDecoder::new(BufReader::new(packed))) }
    }
}

impl<R: Read> Read for GzipMembers<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        while let Some(member) = &mut self.member {
            let read = member.read(into)?;
            if read > 0 || into.is_empty() {
                return Ok(read);
            }
            let Some(mut packed) = self.member.take().map(GzDecoder::into_inner) else { break };
            let padded = skip_zeros(&mut packed)?;
            if packed.fill_buf()?.is_empty() {
                break;
            }
            if padded {
                return Err(io::Error::new(io::ErrorKind::InvalidData, "other bytes after zeros"));
            }
            self.member = Some(GzDecoder::new(packed));
        }
        Ok(0)
    }
}

/// Skip bytes of zero; whether there were any.
fn skip_zeros(packed: &mut impl BufRead) -> io::Result<bool> {
    let mut any = false;
    loop {
        let buffer = packed.fill_buf()?;
        let zeros = buffer.iter().take_while(|&&byte| byte == 0).count();
        let more = zeros > 0 && zeros == buffer.len();
        any |= zeros > 0;
        packed.consume(zeros);
        if !more {
            return Ok(any);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn unpack(packed: &[u8]) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        GzipMembers::new(packed).read_to_end(&mut bytes).map(|_| bytes)
    }

    #[test]
    fn members_and_padding() {
        let pack = |text: &[u8]| {
            let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
            packed.write_all(text).expect("in memory");
            packed.finish().expect("in memory")
        };
        let both = [pack(b"one "), pack(b""), pack(b"two")].concat();
        assert_eq!(unpack(&both).expect("members"), b"one two");
        for zeros in [1, 2, 511, 100_000] {
            assert_eq!(unpack(&[both.clone(), vec![0; zeros]].concat()).expect("padding"), b"one two");
        }
        for rest in [&b"x"[..], b"\0x", &[0x1f, 0x8b], &[0, 0x1f, 0x8b]] {
            assert!(unpack(&[&both, rest].concat()).is_err(), "{rest:?}");
        }
        assert!(unpack(&both[..both.len() - 1]).is_err());
    }
}
