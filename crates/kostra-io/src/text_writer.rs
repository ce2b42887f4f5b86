//! Fast output of lines of numbers that are read back as the same values.

use std::io::{self, Write};

use kostra_core::Weight;

/// The number of bytes that are collected before they are written.
const BUFFER_BYTES: usize = 1 << 16;

/// A writer of lines. Call [`TextWriter::finish`] at the end.
pub(crate) struct TextWriter<'a> {
    buffer: Vec<u8>,
    to: &'a mut dyn Write,
}

impl<'a> TextWriter<'a> {
    pub(crate) fn new(to: &'a mut dyn Write) -> Self {
        Self { buffer: Vec::with_capacity(BUFFER_BYTES + 256), to }
    }

    #[inline]
    pub(crate) fn word(&mut self, word: &str) -> &mut Self {
        self.buffer.extend_from_slice(word.as_bytes());
        self
    }

    /// Writes a text in which some characters are replaced. `escape` returns the replacement.
    pub(crate) fn escaped(
        &mut self,
        text: &str,
        escape: impl Fn(char) -> Option<&'static str>,
    ) -> &mut Self {
        let mut rest = text;
        while let Some((at, character, replacement)) = rest
            .char_indices()
            .find_map(|(at, character)| Some((at, character, escape(character)?)))
        {
            let (plain, after) = rest.split_at(at);
            self.word(plain).word(replacement);
            rest = after.get(character.len_utf8()..).unwrap_or_default();
        }
        self.word(rest)
    }

    #[inline]
    pub(crate) fn number(&mut self, number: u64) -> &mut Self {
        let mut digits = [0; lexical_core::BUFFER_SIZE];
        self.buffer.extend_from_slice(lexical_core::write(number, &mut digits));
        self
    }

    /// Writes integers without a point, and floats with a point or an exponent, in the fewest
    /// digits that denote the same value.
    #[inline]
    pub(crate) fn weight(&mut self, weight: impl TextWeight) -> &mut Self {
        weight.append_to(&mut self.buffer);
        self
    }

    #[inline]
    pub(crate) fn end_line(&mut self) -> io::Result<()> {
        self.buffer.push(b'\n');
        if self.buffer.len() < BUFFER_BYTES { Ok(()) } else { self.flush() }
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

/// A weight that can be written to a text.
pub(crate) trait TextWeight: Weight {
    /// Appends the weight as one word.
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
