//! xz streams whose blocks are decompressed by several threads.
//!
//! The threads are those of liblzma. They take blocks whose headers state their sizes, as `xz -T`
//! writes them. Other blocks are decompressed in order.

use std::io::{self, BufRead, Read};

use liblzma::bufread::XzDecoder;
use liblzma::stream::{CONCATENATED, Error, MtStreamBuilder, Stream};

/// The most memory that the xz decoder may allocate; a file of `xz -9` needs 65 MiB.
const MEMORY: u64 = 1 << 30;
/// The memory of the decoder besides the window.
const BESIDES_WINDOW: u64 = 2 << 20;
/// The memory up to which the decoder uses several threads.
const MEMORY_OF_THREADS: u64 = 1 << 29;
/// The bytes between two streams are zeros, a multiple of this number.
const PADDING: u64 = 4;

/// Consecutive streams, decompressed on this thread. Refuses larger windows than `window`.
pub(super) fn in_order<R: BufRead>(raw: R, window: Option<u64>) -> io::Result<XzDecoder<R>> {
    let memory = window.map_or(MEMORY, |window| MEMORY.min(window + BESIDES_WINDOW));
    Ok(XzDecoder::new_stream(raw, Stream::new_stream_decoder(memory, CONCATENATED)?))
}

/// Whether a stream needs a larger window than its decoder may use.
pub(super) fn is_large_window(cause: &io::Error) -> bool {
    decoder_error(cause) == Some(&Error::MemLimit)
}

fn decoder_error(error: &io::Error) -> Option<&Error> {
    error.get_ref().and_then(|inner| inner.downcast_ref())
}

/// Consecutive streams as one. liblzma reads consecutive streams by itself, but not on several
/// threads through the interface of its crate.
pub(super) struct XzStreams<R> {
    /// `None` after the end.
    decoder: Option<XzDecoder<R>>,
    threads: u32,
    /// Whether the stream is the first one. The bytes after it can be no other format.
    is_first: bool,
}

impl<R: BufRead> XzStreams<R> {
    pub(super) fn new(raw: R, threads: usize) -> io::Result<Self> {
        let threads = u32::try_from(threads).unwrap_or(u32::MAX);
        let decoder = Some(Self::decoder(raw, threads)?);
        Ok(Self { decoder, threads, is_first: true })
    }

    fn decoder(raw: R, threads: u32) -> io::Result<XzDecoder<R>> {
        let mut builder = MtStreamBuilder::new();
        builder.threads(threads).memlimit_stop(MEMORY).memlimit_threading(MEMORY_OF_THREADS);
        Ok(XzDecoder::new_stream(raw, builder.decoder()?))
    }

    /// Moves to the next stream, if there is one.
    fn next_stream(&mut self) -> io::Result<()> {
        let Some(decoder) = self.decoder.take() else { return Ok(()) };
        let mut raw = decoder.into_inner();
        let mut padding = 0;
        let is_end = loop {
            let bytes = raw.fill_buf()?;
            let zeros = bytes.iter().take_while(|&&byte| byte == 0).count();
            let is_end = bytes.is_empty();
            let goes_on = !is_end && zeros == bytes.len();
            raw.consume(zeros);
            padding += zeros as u64;
            if !goes_on {
                break is_end;
            }
        };
        if padding % PADDING != 0 {
            return Err(Error::Data.into());
        }
        if !is_end {
            self.decoder = Some(Self::decoder(raw, self.threads)?);
            self.is_first = false;
        }
        Ok(())
    }
}

impl<R: BufRead> Read for XzStreams<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while let Some(decoder) = self.decoder.as_mut().filter(|_| !buffer.is_empty()) {
            let count = decoder.read(buffer).map_err(|error| {
                if !self.is_first && decoder_error(&error) == Some(&Error::Format) {
                    Error::Data.into()
                } else {
                    error
                }
            })?;
            if count > 0 {
                return Ok(count);
            }
            self.next_stream()?;
        }
        Ok(0)
    }
}
