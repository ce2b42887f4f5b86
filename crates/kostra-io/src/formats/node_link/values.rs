//! A JSON text as a sequence of values, of which one is in memory at a time.
//!
//! The end of a value is found by counting brackets outside strings. Whoever takes a value parses
//! it, and so finds what else is wrong with it.

use std::io::Read;

use kostra_core::memory;
use serde::Deserialize;
use serde_json::Deserializer;
use serde_json::de::SliceRead;

use crate::fault::Fault;
use crate::source::from_io;

/// The number of bytes that are read at a time.
const STEP: usize = 1 << 16;

/// A text that is read from `inner`.
pub(super) struct Values<R> {
    inner: R,
    /// The next bytes of the text.
    buffer: Vec<u8>,
    /// The bytes before it have been taken.
    at: usize,
    /// The line of the next byte, and the number of bytes before it in the line.
    line: u64,
    column: u64,
}

/// A fault of the text.
pub(super) fn fault_at(line: u64, column: u64, cause: &str) -> Fault {
    Fault::at_line(line, column, format!("this is not node-link JSON: {cause}; correct the file"))
}

/// The bytes of a value from a line and a column on, which count from 1.
fn rest(value: &[u8], line: usize, column: usize) -> &[u8] {
    let start = match line.checked_sub(2) {
        Some(end) => memchr::memchr_iter(b'\n', value).nth(end).map_or(value.len(), |at| at + 1),
        None => 0,
    };
    value.get(start + column.saturating_sub(1)..).unwrap_or_default()
}

impl<R: Read> Values<R> {
    pub(super) fn new(inner: R) -> Self {
        Self { inner, buffer: Vec::new(), at: 0, line: 1, column: 0 }
    }

    /// Reads further bytes, unless the text ends here.
    fn read_more(&mut self) -> Result<bool, Fault> {
        self.buffer.drain(..self.at);
        self.at = 0;
        let length = self.buffer.len();
        // A value may be long, so the number of bytes grows with it.
        let step = STEP.max(length);
        memory::reserve(&mut self.buffer, step)?;
        let count = self.inner.by_ref().take(step as u64).read_to_end(&mut self.buffer);
        Ok(count.map_err(from_io)? > 0)
    }

    /// The next byte that is no space.
    pub(super) fn peek(&mut self) -> Result<Option<u8>, Fault> {
        loop {
            let rest = &self.buffer[self.at..];
            let is_space = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\r' | b'\n');
            let spaces = rest.iter().position(|byte| !is_space(byte)).unwrap_or(rest.len());
            self.take(spaces);
            if let Some(&byte) = self.buffer.get(self.at) {
                return Ok(Some(byte));
            }
            if !self.read_more()? {
                return Ok(None);
            }
        }
    }

    /// Takes the next byte that is no space, which must be one of `expected`.
    pub(super) fn punctuation(&mut self, expected: &[u8]) -> Result<u8, Fault> {
        let next = self.peek()?;
        self.take(usize::from(next.is_some()));
        match next {
            Some(byte) if expected.contains(&byte) => Ok(byte),
            next => {
                let listed: Vec<_> =
                    expected.iter().map(|&byte| format!("`{}`", char::from(byte))).collect();
                let cause = format!("expected {}", listed.join(" or "));
                let cause = if next.is_some() { cause } else { format!("it ends; {cause}") };
                Err(fault_at(self.line, self.column, &cause))
            }
        }
    }

    /// The line and the column of the next byte, counted from 1.
    pub(super) fn place(&self) -> (u64, u64) {
        (self.line, self.column + 1)
    }

    /// Passes the next value to `with`, and takes it.
    pub(super) fn next<T>(
        &mut self,
        with: impl for<'t> FnOnce(&mut Deserializer<SliceRead<'t>>) -> serde_json::Result<T>,
    ) -> Result<T, Fault> {
        self.peek()?;
        let length = self.length()?;
        let value = &self.buffer[self.at..self.at + length];
        let mut json = Deserializer::from_slice(value);
        let result = with(&mut json).and_then(|result| json.end().map(|()| result));
        let (line, column) = (self.line, self.column);
        let at = result.as_ref().err().map(|error| rest(value, error.line(), error.column()));
        let is_no_number = at.is_some_and(|rest| {
            ["NaN", "Infinity", "-Infinity"].iter().any(|word| rest.starts_with(word.as_bytes()))
        });
        self.take(length);
        result.map_err(|error| {
            let sentence: String = error.to_string().chars().filter(|c| !c.is_control()).collect();
            let cause = sentence.rsplit_once(" at line ").map_or(&*sentence, |(cause, _)| cause);
            let first = if error.line() <= 1 { column } else { 0 };
            let lines = (error.line() as u64).saturating_sub(1);
            if is_no_number {
                let sentence = "JSON has no NaN and no infinity; write a number, or null if the \
                                value is missing";
                return Fault::at_line(line + lines, first + error.column() as u64, sentence);
            }
            fault_at(line + lines, first + error.column() as u64, cause)
        })
    }

    /// The next value, which borrows nothing.
    pub(super) fn parse<T: for<'t> Deserialize<'t>>(&mut self) -> Result<T, Fault> {
        self.next(|json| T::deserialize(json))
    }

    /// The length of the value that starts here. If it has no end, the length of the text.
    fn length(&mut self) -> Result<usize, Fault> {
        let (mut length, mut depth) = (0, 0_usize);
        let (mut in_string, mut escaped) = (false, false);
        loop {
            for &byte in &self.buffer[self.at + length..] {
                match byte {
                    _ if escaped => escaped = false,
                    b'\\' if in_string => escaped = true,
                    b'"' => {
                        in_string = !in_string;
                        if !in_string && depth == 0 {
                            return Ok(length + 1);
                        }
                    }
                    _ if in_string => {}
                    b'{' | b'[' => depth += 1,
                    // What follows a number or a word ends it.
                    b'}' | b']' | b',' | b':' | b' ' | b'\t' | b'\r' | b'\n' if depth == 0 => {
                        // What is no value is passed on, too, to be refused.
                        return Ok(length.max(1));
                    }
                    b'}' | b']' => {
                        depth -= 1;
                        if depth == 0 {
                            return Ok(length + 1);
                        }
                    }
                    _ => {}
                }
                length += 1;
            }
            if !self.read_more()? {
                return Ok(length);
            }
        }
    }

    /// Takes bytes, and counts their lines and columns.
    fn take(&mut self, count: usize) {
        let taken = &self.buffer[self.at..self.at + count];
        self.at += count;
        match memchr::memrchr(b'\n', taken) {
            None => self.column += count as u64,
            Some(last) => {
                self.line += memchr::memchr_iter(b'\n', taken).count() as u64;
                self.column = (count - last - 1) as u64;
            }
        }
    }
}
