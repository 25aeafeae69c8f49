//! Archives whose readers are written in C: xz and zstd. Without the feature `codecs`, which WebAssembly is built without,
//! they are recognised and refused.

use std::io::{self, Read};

/// Bytes of memory that unpacking may take: its head makes an xz archive ask for up to 4 GiB, whatever it holds. The
/// highest level of xz takes 65 MiB. (zstd refuses what takes more than 128 MiB on its own.)
pub const UNPACKING: u64 = 512 << 20;

/// Ways of packing that are read here.
pub enum Codec {
    /// Zstandard.
    Zstd,
    /// LZMA2 in the format of xz.
    Xz,
}

/// A reader of unpacked bytes.
pub type Unpacked = Box<dyn Read + Send>;

/// Unpack what `packed` reads.
#[cfg(feature = "codecs")]
pub fn unpack(codec: &Codec, packed: impl Read + Send + 'static) -> io::Result<Unpacked> {
    use liblzma::stream::{CONCATENATED, Stream};
    Ok(match codec {
        Codec::Zstd => Box::new(zstd::Decoder::new(packed)?),
        Codec::Xz => {
            let decoder = Stream::new_stream_decoder(UNPACKING, CONCATENATED)?;
            Box::new(liblzma::read::XzDecoder::new_stream(packed, decoder))
        }
    })
}

/// Refuse what `packed` reads.
#[cfg(not(feature = "codecs"))]
pub fn unpack(codec: &Codec, _packed: impl Read + Send + 'static) -> io::Result<Unpacked> {
    let what = match codec {
        Codec::Zstd => "zstd",
        Codec::Xz => "xz",
    };
    let text = format!("{what} archives cannot be read here; unpack the file, or compress it with gzip");
    Err(io::Error::new(io::ErrorKind::Unsupported, text))
}

/// Whether an archive would take more memory to unpack than [`UNPACKING`].
#[cfg(feature = "codecs")]
pub fn is_too_demanding(error: &io::Error) -> bool {
    use liblzma::stream::Error::MemLimit;
    matches!(error.get_ref().and_then(|error| error.downcast_ref()), Some(MemLimit))
}

/// Whether an archive would take more memory to unpack than [`UNPACKING`].
#[cfg(not(feature = "codecs"))]
pub fn is_too_demanding(_error: &io::Error) -> bool {
    false
}
