//! The start of an input, by which formats recognize themselves.

use crate::number::words;

/// The byte-order mark that some systems write at the start of UTF-8 text.
pub(crate) const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// How strongly the start of an input shows that it is in a format. The strongest evidence wins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Evidence {
    /// It cannot be in this format.
    Absent,
    /// It can be in this format if no other format claims it.
    Fallback,
    /// The numbers at the start have the structure of this format.
    Structure,
    /// The first bytes or words occur in this format only.
    Signature,
}

impl Evidence {
    /// This evidence if `condition` holds, else none.
    pub(crate) fn when(self, condition: bool) -> Self {
        if condition { self } else { Self::Absent }
    }
}

/// The first bytes of an input, decompressed.
pub(crate) struct Head<'a> {
    bytes: &'a [u8],
    whole: bool,
    lines: Option<Vec<&'a [u8]>>,
    complete_lines: usize,
}

impl<'a> Head<'a> {
    /// The head of an input that starts with `bytes`; `whole` says whether that is all of it.
    pub(crate) fn new(bytes: &'a [u8], whole: bool) -> Self {
        let text = bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes);
        if is_utf_16(bytes) || text.iter().any(|&byte| is_of_no_text(byte.into())) {
            return Self { bytes, whole, lines: None, complete_lines: 0 };
        }
        let mut lines: Vec<_> = text.split(|&byte| byte == b'\n').collect();
        let complete_lines = lines.len() - 1;
        // The last line may be incomplete, or be the empty rest after the last newline.
        if (!whole && lines.len() > 1) || lines.last().is_some_and(|line| line.is_empty()) {
            lines.pop();
        }
        Self { bytes, whole, lines: Some(lines), complete_lines }
    }

    /// The bytes, with the byte-order mark if there is one.
    pub(crate) fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// The bytes up to the first that is not UTF-8, without the byte-order mark.
    pub(crate) fn text(&self) -> &'a str {
        let bytes = self.bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(self.bytes);
        // `from_utf8` checks ASCII in words, `utf8_chunks` in single bytes.
        str::from_utf8(bytes).unwrap_or_else(|error| {
            let valid = bytes.get(..error.valid_up_to()).unwrap_or_default();
            str::from_utf8(valid).unwrap_or_default()
        })
    }

    /// Whether the head is the whole input.
    pub(crate) fn is_whole(&self) -> bool {
        self.whole
    }

    /// The lines of a text, without the last one if it is incomplete; `None` if the input is
    /// binary.
    pub(crate) fn lines(&self) -> Option<&[&'a [u8]]> {
        self.lines.as_deref()
    }

    /// Whether the input is a text with fewer than `count` complete lines that are neither blank
    /// nor comments.
    pub(crate) fn has_fewer_rows_than(&self, count: usize) -> bool {
        let Some(lines) = self.lines() else { return false };
        let is_row = |line: &&&[u8]| !starts_comment(line) && words(line).next().is_some();
        lines.iter().take(self.complete_lines).filter(is_row).count() < count
    }

    /// Whether at least one line is complete.
    pub(crate) fn has_complete_line(&self) -> bool {
        self.complete_lines > 0
    }
}

/// Whether a line starts with the sign of a comment.
pub(crate) fn starts_comment(line: &[u8]) -> bool {
    matches!(line, [b'#' | b'%', ..] | [b'/', b'/', ..])
}

/// Whether the input starts with the byte-order mark of UTF-16.
pub(crate) fn is_utf_16(bytes: &[u8]) -> bool {
    matches!(bytes, [0xff, 0xfe, ..] | [0xfe, 0xff, ..])
}

/// Whether readers take an input with this character for binary data. All of them are ASCII.
pub fn is_of_no_text(character: char) -> bool {
    character < ' ' && !matches!(character, '\t' | '\n' | '\r' | '\x0b' | '\x0c')
}
