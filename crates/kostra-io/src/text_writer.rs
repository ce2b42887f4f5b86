//! Lines of numbers, written fast and so that they read back as they were.

use std::io::{self, Write};

use kostra_core::Weight;

/// How many bytes are collected before they are written.
const BUFFER: usize = 1 << 16;

/// A writer of lines; nothing counts as written before [`TextWriter::finish`].
pub(crate) struct TextWriter<'a> {
    buffer: Vec<u8>,
    to: &'a mut dyn Write,
}

impl<'a> TextWriter<'a> {
    pub(crate) fn new(to: &'a mut dyn Write) -> Self {
        Self { buffer: Vec::with_capacity(BUFFER + 256), to }
    }

    #[inline]
    pub(crate) fn word(&mut self, word: &str) -> &mut Self {
        self.buffer.extend_from_slice(word.as_bytes());
        self
    }

    #[inline]
    pub(crate) fn number(&mut self, number: u64) -> &mut Self {
        let mut digits = [0; lexical_core::BUFFER_SIZE];
        self.buffer.extend_from_slice(lexical_core::write(number, &mut digits));
        self
    }

    /// Integers are written as such; floats with a point or an exponent, in the fewest digits that
    /// give them back.
    #[inline]
    pub(crate) fn weight(&mut self, weight: impl TextWeight) -> &mut Self {
        weight.append_to(&mut self.buffer);
        self
    }

    #[inline]
    pub(crate) fn end_line(&mut self) -> io::Result<()> {
        self.buffer.push(b'\n');
        if self.buffer.len() < BUFFER { Ok(()) } else { self.flush() }
    }

    pub(crate) fn finish(mut self) -> io::Result<()> {
        self.flush()
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.write_all(&self.buffer)?;
        self.buffer.clear();
        Ok(())
    }
}

/// A weight as a word of a text.
pub(crate) trait TextWeight: Weight {
    /// Adds the word.
    fn append_to(self, buffer: &mut Vec<u8>);
}

macro_rules! impl_text_weight {
    ($($weight:ty)*) => {
        $(impl TextWeight for $weight {
            #[inline]
            fn append_to(self, buffer: &mut Vec<u8>) {
                let mut word = [0; lexical_core::BUFFER_SIZE];
                buffer.extend_from_slice(lexical_core::write(self, &mut word));
            }
        })*
    };
}
impl_text_weight!(i32 u32 i64 u64 f32 f64);
