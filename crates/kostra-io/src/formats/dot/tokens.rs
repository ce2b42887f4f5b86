//! The words and marks of a DOT text.

use std::borrow::Cow;

/// A word or a mark, and the byte where it starts.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Token<'a> {
    pub(super) kind: Kind<'a>,
    pub(super) at: usize,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Kind<'a> {
    /// An identifier or a number, which may be a keyword.
    Word(&'a str),
    /// A text in quotes or angle brackets.
    Text(Cow<'a, str>),
    /// One of `{ } [ ] ; , = :`.
    Mark(char),
    /// `--` or `->`; true for `->`.
    Edge(bool),
}

impl Token<'_> {
    /// Whether this is a keyword, in upper or lower case.
    pub(super) fn is_word(&self, keyword: &str) -> bool {
        matches!(self.kind, Kind::Word(word) if word.eq_ignore_ascii_case(keyword))
    }

    pub(super) fn is_mark(&self, mark: char) -> bool {
        self.kind == Kind::Mark(mark)
    }
}

/// Divides a text into tokens.
#[derive(Clone, Debug)]
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

    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// The next token; none at the end of the text.
    ///
    /// # Errors
    /// The byte of a fault, and a sentence.
    pub(super) fn next(&mut self) -> Result<Option<Token<'a>>, (usize, String)> {
        self.skip_blanks_and_comments()?;
        let (at, rest) = (self.at, self.rest());
        let Some(first) = rest.chars().next() else { return Ok(None) };
        let kind = match first {
            '{' | '}' | '[' | ']' | ';' | ',' | '=' | ':' => {
                self.at += 1;
                Kind::Mark(first)
            }
            '"' => {
                let mut text = self.quoted()?;
                while self.takes_plus()? {
                    text = Cow::Owned(text.into_owned() + &self.quoted()?);
                }
                Kind::Text(text)
            }
            '<' => Kind::Text(Cow::Borrowed(self.bracketed()?)),
            '-' if rest.starts_with("--") || rest.starts_with("->") => {
                self.at += 2;
                Kind::Edge(rest.starts_with("->"))
            }
            _ => Kind::Word(self.word()?),
        };
        Ok(Some(Token { kind, at }))
    }

    fn skip_blanks_and_comments(&mut self) -> Result<(), (usize, String)> {
        loop {
            let rest = self.rest();
            let blank = rest.len() - rest.trim_ascii_start().len();
            let starts_line = |at: usize| {
                at == 0 || self.text.as_bytes().get(at - 1).is_some_and(|&byte| byte == b'\n')
            };
            let text = rest.get(blank..).unwrap_or_default();
            let length = if text.starts_with("//")
                || (text.starts_with('#') && starts_line(self.at + blank))
            {
                text.find('\n').unwrap_or(text.len())
            } else if text.starts_with("/*") {
                let end = text.get(2..).unwrap_or_default().find("*/");
                end.map(|end| end + 4).ok_or_else(|| {
                    (self.at + blank, "this comment has no end; add `*/`".to_owned())
                })?
            } else {
                self.at += blank;
                return Ok(());
            };
            self.at += blank + length;
        }
    }

    /// An identifier or a number.
    fn word(&mut self) -> Result<&'a str, (usize, String)> {
        let rest = self.rest();
        let is_part = |at: usize, character: char| {
            let is_sign = character == '-' && at == 0;
            character.is_ascii_alphanumeric()
                || matches!(character, '_' | '.')
                || !character.is_ascii()
                || is_sign
        };
        let end = rest.char_indices().find(|&(at, character)| !is_part(at, character));
        let length = end.map_or(rest.len(), |(at, _)| at);
        if length == 0 || rest.starts_with('-') && length == 1 {
            let found: String = rest.chars().take(1).flat_map(char::escape_debug).collect();
            return Err((self.at, format!("'{found}' is no part of DOT; put the name in quotes")));
        }
        self.at += length;
        Ok(rest.get(..length).unwrap_or_default())
    }

    /// A text in quotes. As in Graphviz, `\"` is a quote, a backslash at the end of a line joins
    /// it to the next, and other backslashes stay.
    fn quoted(&mut self) -> Result<Cow<'a, str>, (usize, String)> {
        let start = self.at;
        let inside = self.rest().get(1..).unwrap_or_default();
        let mut text = String::new();
        let mut from = 0;
        let mut characters = inside.char_indices();
        while let Some((at, character)) = characters.next() {
            match character {
                '"' => {
                    self.at += at + 2;
                    let last = inside.get(from..at).unwrap_or_default();
                    return Ok(if from == 0 {
                        Cow::Borrowed(last)
                    } else {
                        Cow::Owned(text + last)
                    });
                }
                '\\' => {
                    let escaped = characters.next().map(|(_, escaped)| escaped);
                    if matches!(escaped, Some('"' | '\n')) {
                        text.push_str(inside.get(from..at).unwrap_or_default());
                        // The quote is the start of the next piece.
                        from = at + if escaped == Some('"') { 1 } else { 2 };
                    }
                }
                _ => {}
            }
        }
        Err((start, "this text has no closing quote; add it".into()))
    }

    /// Takes a `+` after a text in quotes, which joins it to the next.
    fn takes_plus(&mut self) -> Result<bool, (usize, String)> {
        let before = self.at;
        self.skip_blanks_and_comments()?;
        let plus = self.at;
        if !self.rest().starts_with('+') {
            self.at = before;
            return Ok(false);
        }
        self.at += 1;
        self.skip_blanks_and_comments()?;
        if self.rest().starts_with('"') {
            return Ok(true);
        }
        Err((plus, "`+` joins texts in quotes; put the text after it in quotes".into()))
    }

    /// A text in angle brackets, which may contain pairs of them.
    fn bracketed(&mut self) -> Result<&'a str, (usize, String)> {
        let (start, rest) = (self.at, self.rest());
        let mut depth = 0_usize;
        for (at, byte) in rest.bytes().enumerate() {
            match byte {
                b'<' => depth += 1,
                b'>' => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                self.at += at + 1;
                return Ok(rest.get(..=at).unwrap_or_default());
            }
        }
        Err((start, "this text has no closing bracket; add `>`".into()))
    }
}
