//! bzip2 streams one after the other.
//!
//! A decoder takes memory for a whole block, and more time to start than for many small streams. So
//! empty streams, which all have the same 14 bytes except for the level, are skipped without one.

use std::io::{self, BufRead, Read};

use bzip2::bufread::BzDecoder;

/// `BZh`, the level, the square root of pi, and the checksum of nothing.
const EMPTY: [u8; 14] = [b'B', b'Z', b'h', b'1', 0x17, 0x72, 0x45, 0x38, 0x50, 0x90, 0, 0, 0, 0];

/// Consecutive streams as one.
pub(super) struct Bzip2Streams<R> {
    /// `None` after the end.
    decoder: Option<BzDecoder<Ahead<R>>>,
}

impl<R: BufRead> Bzip2Streams<R> {
    pub(super) fn new(raw: R) -> Self {
        let raw = Ahead { bytes: [0; EMPTY.len()], next: 0, end: 0, raw };
        Self { decoder: Some(BzDecoder::new(raw)) }
    }

    /// Moves to the next stream that is not empty, if there is one.
    fn next_stream(&mut self) -> io::Result<()> {
        let Some(decoder) = self.decoder.take() else { return Ok(()) };
        let mut raw = decoder.into_inner();
        while raw.look()? && raw.is_empty_stream() {
            raw.next = raw.end;
        }
        self.decoder = (raw.next < raw.end).then(|| BzDecoder::new(raw));
        Ok(())
    }
}

impl<R: BufRead> Read for Bzip2Streams<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while let Some(decoder) = self.decoder.as_mut().filter(|_| !buffer.is_empty()) {
            let count = decoder.read(buffer)?;
            if count > 0 {
                return Ok(count);
            }
            self.next_stream()?;
        }
        Ok(0)
    }
}

/// An input whose first bytes are already in `bytes`, from `next` to `end`.
struct Ahead<R> {
    bytes: [u8; EMPTY.len()],
    next: usize,
    end: usize,
    raw: R,
}

impl<R: BufRead> Ahead<R> {
    /// Looks at the next bytes, as many as an empty stream has. Returns false at the end.
    fn look(&mut self) -> io::Result<bool> {
        self.bytes.copy_within(self.next..self.end, 0);
        (self.next, self.end) = (0, self.end - self.next);
        self.end += super::fill(&mut self.raw, &mut self.bytes[self.end..])?;
        Ok(self.end > 0)
    }

    fn is_empty_stream(&self) -> bool {
        let mut found = self.bytes;
        if matches!(found[3], b'1'..=b'9') {
            found[3] = EMPTY[3];
        }
        self.end == found.len() && found == EMPTY
    }
}

impl<R: BufRead> Read for Ahead<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.fill_buf()?.read(buffer)?;
        self.consume(count);
        Ok(count)
    }
}

impl<R: BufRead> BufRead for Ahead<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.next < self.end {
            Ok(&self.bytes[self.next..self.end])
        } else {
            self.raw.fill_buf()
        }
    }

    fn consume(&mut self, count: usize) {
        if self.next < self.end { self.next += count } else { self.raw.consume(count) }
    }
}
