//! The words of a GML text.

/// A word or a bracket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Token<'a> {
    /// A key or a number.
    Word(&'a str),
    /// A text in quotes, without them.
    Text(&'a str),
    Open,
    Close,
}

/// Divides a text into tokens.
#[derive(Debug)]
pub(super) struct Tokens<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Tokens<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    /// The byte after the last token.
    pub(super) fn at(&self) -> usize {
        self.at
    }

    /// The next token, and the byte where it starts; none at the end of the text.
    ///
    /// # Errors
    /// The byte of a fault, and a sentence.
    pub(super) fn next(&mut self) -> Result<Option<(usize, Token<'a>)>, (usize, String)> {
        self.skip_blanks_and_comments();
        let (at, rest) = (self.at, self.text.get(self.at..).unwrap_or_default());
        let (length, token) = match rest.chars().next() {
            None => return Ok(None),
            Some('[') => (1, Token::Open),
            Some(']') => (1, Token::Close),
            Some('"') => {
                let inside = rest.get(1..).unwrap_or_default();
                let end = inside
                    .find('"')
                    .ok_or_else(|| (at, "this text has no closing quote; add it".to_owned()))?;
                (end + 2, Token::Text(inside.get(..end).unwrap_or_default()))
            }
            Some(_) => {
                let ends = |c: char| c.is_ascii_whitespace() || matches!(c, '[' | ']' | '"');
                let length = rest.find(ends).unwrap_or(rest.len());
                (length, Token::Word(rest.get(..length).unwrap_or_default()))
            }
        };
        self.at += length;
        Ok(Some((at, token)))
    }

    fn skip_blanks_and_comments(&mut self) {
        loop {
            let rest = self.text.get(self.at..).unwrap_or_default();
            let text = rest.trim_ascii_start();
            self.at += rest.len() - text.len();
            if !text.starts_with('#') {
                return;
            }
            self.at += text.find('\n').unwrap_or(text.len());
        }
    }
}
