//! Binary files of little-endian numbers, read in blocks; faults are reported with their place.

use std::io::Read;

use kostra_core::{Vertex, memory};

use crate::compression::{Stream, fill};
use crate::fault::Fault;
use crate::source::from_io;

/// The number of bytes that are read at a time.
const READ_BYTES: usize = 1 << 16;

/// A file of little-endian numbers, read in blocks.
pub(crate) struct Words<'a> {
    stream: Stream<'a>,
    /// The offset of the next number.
    pub(crate) offset: u64,
    /// What is being read, for the error if the file ends too early.
    pub(crate) what: &'static str,
    /// The next byte, if [`ended`](Self::ended) has read it.
    ahead: Option<u8>,
    buffer: Vec<u8>,
}

impl<'a> Words<'a> {
    /// The numbers of a stream; errors call the first ones `what`.
    pub(crate) fn new(stream: Stream<'a>, what: &'static str) -> Self {
        Self { stream, offset: 0, what, ahead: None, buffer: vec![0; READ_BYTES] }
    }

    /// The next `count` numbers of `SIZE` bytes, each converted or refused. Reserves memory as
    /// [`Stream::reasonable`] allows.
    pub(crate) fn array<const SIZE: usize, T>(
        &mut self,
        count: usize,
        mut convert: impl FnMut(usize, [u8; SIZE]) -> Result<T, String>,
    ) -> Result<Vec<T>, Fault> {
        let mut values = memory::with_capacity(self.stream.reasonable(count as u64, SIZE as u64))?;
        while values.len() < count {
            let wanted = READ_BYTES.min((count - values.len()).saturating_mul(SIZE));
            let block = self.buffer.get_mut(..wanted).unwrap_or_default();
            let ahead = self.ahead.take();
            let filled =
                fill(&mut ahead.as_slice().chain(&mut self.stream), block).map_err(from_io)?;
            let (words, _) = block.get(..filled).unwrap_or_default().as_chunks::<SIZE>();
            memory::reserve(&mut values, words.len())?;
            for &word in words {
                let value = convert(values.len(), word);
                values.push(value.map_err(|sentence| Fault::at_byte(self.offset, sentence))?);
                self.offset += SIZE as u64;
            }
            if filled < wanted {
                let (end, what, have) =
                    (self.offset + (filled % SIZE) as u64, self.what, values.len());
                return Err(Fault::at_byte(
                    end,
                    format!("the file ends among {what}: {have} of {count} are there"),
                ));
            }
        }
        Ok(values)
    }

    /// The start of each of `n` rows and the end of the last, among `entries` entries.
    pub(crate) fn starts<const SIZE: usize>(
        &mut self,
        n: usize,
        entries: usize,
        number: impl Fn([u8; SIZE]) -> i64,
    ) -> Result<Vec<usize>, Fault> {
        self.what = "the starts of its rows";
        let mut previous = 0;
        self.array(n + 1, |vertex, word| {
            let start = number(word);
            let place = usize::try_from(start)
                .ok()
                .filter(|place| (previous..=entries).contains(place));
            let place = place.filter(|&place| match vertex {
                0 => place == 0,
                _ if vertex == n => place == entries,
                _ => true,
            });
            previous = place.ok_or_else(|| {
                let expected = match vertex {
                    0 => "0".to_string(),
                    _ if vertex == n => format!("{entries}, the end of the last,"),
                    _ => format!("{previous} to {entries}"),
                };
                format!("the row of vertex {vertex} starts at entry {start}, where {expected} is expected")
            })?;
            Ok(previous)
        })
    }

    /// Whether the file ends here. Reads nothing that a later call would miss.
    pub(crate) fn ended(&mut self) -> Result<bool, Fault> {
        if self.ahead.is_none() {
            let mut next = [0];
            let count = fill(&mut self.stream, &mut next).map_err(from_io)?;
            self.ahead = next.first().copied().filter(|_| count > 0);
        }
        Ok(self.ahead.is_none())
    }
}

/// A number as one of `n` vertices.
pub(crate) fn vertex(number: i32, n: usize) -> Result<Vertex, String> {
    match usize::try_from(number) {
        Ok(inside) if inside < n => Ok(inside as Vertex),
        _ => Err(format!("there is no vertex {number}: the file has {n}, numbered from 0")),
    }
}
