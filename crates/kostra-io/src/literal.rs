//! Values as Python and JSON write them: dictionaries, lists, texts and words.

/// The deepest nesting of brackets.
const DEEPEST: usize = 32;

/// A value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Literal {
    Dictionary(Vec<(String, Literal)>),
    List(Vec<Literal>),
    /// A text in quotes.
    Text(String),
    /// A number, or a word such as `None`.
    Word(String),
}

impl Literal {
    /// A text or a word.
    pub(crate) fn scalar(&self) -> Option<&str> {
        match self {
            Self::Text(text) | Self::Word(text) => Some(text),
            Self::Dictionary(_) | Self::List(_) => None,
        }
    }

    /// The values of a dictionary by their keys.
    pub(crate) fn entries(&self) -> Option<&[(String, Self)]> {
        if let Self::Dictionary(entries) = self { Some(entries) } else { None }
    }
}

/// The byte of a fault, and a sentence.
pub(crate) type Parse<T> = Result<T, (usize, String)>;

/// Parses a text that is one value.
pub(crate) fn parse(text: &str) -> Parse<Literal> {
    let mut parser = Parser { text, at: 0 };
    let value = parser.value(0)?;
    match parser.peek() {
        None => Ok(value),
        Some(_) => Err(parser.fault("the value ends before this sign")),
    }
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Parser<'a> {
    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// The next character that is not blank.
    fn peek(&mut self) -> Option<char> {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start().len();
        self.rest().chars().next()
    }

    fn fault(&self, sentence: &str) -> (usize, String) {
        (self.at, format!("{sentence}; correct it"))
    }

    /// Takes a character if it comes next.
    fn take(&mut self, wanted: char) -> bool {
        let is_next = self.peek() == Some(wanted);
        self.at += if is_next { wanted.len_utf8() } else { 0 };
        is_next
    }

    fn value(&mut self, depth: usize) -> Parse<Literal> {
        if depth > DEEPEST {
            return Err(self.fault("the brackets are nested too deep"));
        }
        match self.peek() {
            Some('{') => self.dictionary(depth),
            Some('[') => self.list(']', depth),
            Some('(') => self.list(')', depth),
            Some(quote @ ('"' | '\'')) => self.quoted(quote).map(Literal::Text),
            _ => self.word(depth),
        }
    }

    /// A dictionary, or a set, which is a list.
    fn dictionary(&mut self, depth: usize) -> Parse<Literal> {
        self.take('{');
        let (mut entries, mut items) = (Vec::new(), Vec::new());
        while !self.take('}') {
            let key = self.value(depth + 1)?;
            if self.take(':') {
                let Some(key) = key.scalar() else {
                    return Err(self.fault("a key must be a number or a text"));
                };
                entries.push((key.to_owned(), self.value(depth + 1)?));
            } else {
                items.push(key);
            }
            if !self.take(',') && self.peek() != Some('}') {
                return Err(self.fault("a comma or the closing bracket is missing"));
            }
        }
        match (entries.is_empty(), items.is_empty()) {
            (_, true) => Ok(Literal::Dictionary(entries)),
            (true, false) => Ok(Literal::List(items)),
            (false, false) => Err(self.fault("some entries have no value")),
        }
    }

    fn list(&mut self, close: char, depth: usize) -> Parse<Literal> {
        self.at += 1;
        let mut items = Vec::new();
        while !self.take(close) {
            items.push(self.value(depth + 1)?);
            if !self.take(',') && self.peek() != Some(close) {
                return Err(self.fault("a comma or the closing bracket is missing"));
            }
        }
        Ok(Literal::List(items))
    }

    fn quoted(&mut self, quote: char) -> Parse<String> {
        let start = self.at + 1;
        let mut text = String::new();
        let mut characters = self.text.get(start..).unwrap_or_default().char_indices();
        while let Some((at, character)) = characters.next() {
            match character {
                '\\' => match characters.next().map(|(_, escaped)| escaped) {
                    Some('n') => text.push('\n'),
                    Some('t') => text.push('\t'),
                    Some(mark @ ('u' | 'x')) => {
                        let digits = if mark == 'u' { 4 } else { 2 };
                        let digits: String =
                            characters.by_ref().take(digits).map(|c| c.1).collect();
                        let code = u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32);
                        text.push(code.ok_or_else(|| self.fault("this text has a wrong escape"))?);
                    }
                    Some(escaped) => text.push(escaped),
                    None => break,
                },
                end if end == quote => {
                    self.at = start + at + 1;
                    return Ok(text);
                }
                other => text.push(other),
            }
        }
        Err(self.fault("the closing quote is missing"))
    }

    /// A word. `np.float64(3.0)`, as NumPy 2 writes numbers, is what is in its brackets.
    fn word(&mut self, depth: usize) -> Parse<Literal> {
        let rest = self.rest();
        let is_end = |c: char| c.is_whitespace() || ",:{}[]()'\"".contains(c);
        let word = rest.get(..rest.find(is_end).unwrap_or(rest.len())).unwrap_or_default();
        if word.is_empty() {
            return Err(self.fault("a value is missing"));
        }
        self.at += word.len();
        if word.starts_with("np.") && self.take('(') {
            let value = self.value(depth + 1)?;
            if !self.take(')') {
                return Err(self.fault("the closing bracket is missing"));
            }
            return Ok(value);
        }
        Ok(Literal::Word(word.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn word(text: &str) -> Literal {
        Literal::Word(text.into())
    }

    #[test]
    fn values_of_python_and_json_are_parsed() {
        let value = parse("{'weight': np.float64(2.5), \"a b\": [1, 'it\\'s',], 3: (None, {})}");
        let list = vec![word("1"), Literal::Text("it's".into())];
        let expected = [
            ("weight", word("2.5")),
            ("a b", Literal::List(list)),
            ("3", Literal::List(vec![word("None"), Literal::Dictionary(Vec::new())])),
        ];
        let expected = expected.map(|(key, value)| (key.to_owned(), value));
        assert_eq!(value.unwrap(), Literal::Dictionary(expected.into()));
        assert_eq!(parse("{1, 2}").unwrap(), Literal::List(vec![word("1"), word("2")]));
        assert_eq!(parse("\"\\u00e9\\x41\"").unwrap(), Literal::Text("éA".into()));
    }

    #[test]
    fn damage_is_named_with_its_byte() {
        let deep = "[".repeat(100);
        for (text, at) in [
            ("{'a': 1", 7),
            ("{'a' 1}", 5),
            ("{'a: 1}", 1),
            ("{1: 2, 3}", 9),
            ("{'a': }", 6),
            ("{} x", 3),
            ("{[1]: 2}", 5),
            ("'\\u12'", 0),
            (&*deep, 33),
        ] {
            assert_eq!(parse(text).unwrap_err().0, at, "{text}");
        }
    }
}
