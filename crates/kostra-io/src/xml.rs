//! XML as a sequence of events, each with its line and column.

use std::collections::HashSet;
use std::io::{self, BufRead, BufReader, Read};
use std::sync::Arc;

use quick_xml::escape::resolve_predefined_entity;
pub(crate) use quick_xml::events::Event;
use quick_xml::events::{BytesRef, BytesStart};
use quick_xml::{Reader, XmlVersion};

use crate::compression::Stream;
use crate::fault::Fault;
use crate::message::Message;
use crate::number::show;
use crate::source::from_io;
use crate::{Place, ReadErrorKind};

/// The number of bytes that are read at a time.
const BUFFER_BYTES: usize = 1 << 16;

/// A reader of the events of a text.
pub(crate) struct Events<'a> {
    reader: Reader<Counted<'a>>,
    buffer: Vec<u8>,
}

impl<'a> Events<'a> {
    pub(crate) fn new(stream: Stream<'a>) -> Self {
        let inner = BufReader::with_capacity(BUFFER_BYTES, stream);
        let reader = Reader::from_reader(Counted { inner, line: 1, column: 1 });
        Self { reader, buffer: Vec::new() }
    }

    /// The next event, and the place where it starts.
    pub(crate) fn next(&mut self) -> Result<(Event<'_>, Place), Fault> {
        let Counted { line, column, .. } = *self.reader.get_ref();
        let place = Place::Line { line, column };
        self.buffer.clear();
        match self.reader.read_event_into(&mut self.buffer) {
            Ok(event) => Ok((event, place)),
            Err(error) => Err(fault(error, place)),
        }
    }
}

/// The value of an attribute of an element.
pub(crate) fn attribute(
    element: &BytesStart<'_>,
    name: &str,
    place: Place,
) -> Result<Option<String>, Fault> {
    let mut found = None;
    for attribute in element.attributes().with_checks(false) {
        let attribute = attribute.map_err(|error| fault(error.into(), place))?;
        if attribute.key.as_ref() == name && found.replace(attribute).is_some() {
            return Err(two_attributes(element, name, place));
        }
    }
    let Some(found) = found else { return Ok(None) };
    let value = found.normalized_value(XmlVersion::Implicit1_0);
    Ok(Some(value.map_err(|error| fault(error, place))?.into_owned()))
}

/// The name of an element without its prefix.
pub(crate) fn local_name<'a>(element: &'a BytesStart<'_>) -> &'a str {
    let name = element.name().into_inner();
    name.rsplit_once(':').map_or(name, |(_, local)| local)
}

/// The characters that a reference stands for.
pub(crate) fn entity(reference: &BytesRef<'_>, place: Place) -> Result<String, Fault> {
    let character = reference.resolve_char_ref().map_err(|error| fault(error, place))?;
    let name = reference.xml10_content();
    match (character, resolve_predefined_entity(&name)) {
        (Some(character), _) => Ok(character.into()),
        (None, Some(text)) => Ok(text.into()),
        (None, None) => {
            let name = show(name.as_bytes());
            let sentence = format!("the entity '&{name};' is unknown; write its characters");
            Err(malformed(place, sentence))
        }
    }
}

/// The names and values of the attributes of an element.
pub(crate) fn attributes(
    element: &BytesStart<'_>,
    place: Place,
) -> Result<Vec<(String, String)>, Fault> {
    let (mut names, mut attributes) = (HashSet::new(), Vec::new());
    for attribute in element.attributes().with_checks(false) {
        let attribute = attribute.map_err(|error| fault(error.into(), place))?;
        let name = attribute.key.as_ref().to_owned();
        if !names.insert(name.clone()) {
            return Err(two_attributes(element, &name, place));
        }
        let value = attribute.normalized_value(XmlVersion::Implicit1_0);
        let value = value.map_err(|error| fault(error, place))?;
        attributes.push((name, value.into_owned()));
    }
    Ok(attributes)
}

fn two_attributes(element: &BytesStart<'_>, name: &str, place: Place) -> Fault {
    let element = show(element.name().as_ref().as_bytes());
    let name = show(name.as_bytes());
    malformed(place, format!("this <{element}> has two attributes '{name}'; remove one"))
}

/// The name of the root element of a text that starts as XML, without its prefix.
pub(crate) fn root(text: &str) -> Option<&str> {
    let mut rest = text.trim_ascii_start();
    loop {
        let inside = rest.strip_prefix('<')?;
        let end = match inside.as_bytes() {
            [b'?', ..] => "?>",
            [b'!', b'-', ..] => "-->",
            [b'!', ..] if inside.split_once('>').is_some_and(|(start, _)| start.contains('[')) => {
                "]>"
            }
            [b'!', ..] => ">",
            _ => {
                let is_end = |c: char| c.is_ascii_whitespace() || matches!(c, '>' | '/');
                let name = inside.split(is_end).next()?;
                return Some(name.rsplit_once(':').map_or(name, |(_, local)| local));
            }
        };
        rest = inside.split_once(end)?.1.trim_ascii_start();
    }
}

/// The value of an attribute that the element must have.
pub(crate) fn required(
    element: &BytesStart<'_>,
    name: &str,
    place: Place,
) -> Result<String, Fault> {
    attribute(element, name, place)?.ok_or_else(|| {
        let element = show(element.name().as_ref().as_bytes());
        malformed(place, format!("this <{element}> has no attribute '{name}'; add it"))
    })
}

/// The content breaks the rules of its format at a place.
pub(crate) fn malformed(place: Place, sentence: impl Into<Message>) -> Fault {
    Fault { place: Some(place), kind: ReadErrorKind::malformed(sentence) }
}

/// A fault of the text, or of the system that reads it.
pub(crate) fn fault(error: quick_xml::Error, place: Place) -> Fault {
    match error {
        quick_xml::Error::Io(cause) => match Arc::try_unwrap(cause) {
            Ok(cause) => from_io(cause).into(),
            Err(shared) => {
                ReadErrorKind::Io(io::Error::new(shared.kind(), shared.to_string())).into()
            }
        },
        error => {
            let cause: String = error.to_string().chars().filter(|c| !c.is_control()).collect();
            malformed(place, format!("this is not XML: {cause}; correct it or save it again"))
        }
    }
}

/// Counts lines and columns.
struct Counted<'a> {
    inner: BufReader<Stream<'a>>,
    line: u64,
    column: u64,
}

impl Read for Counted<'_> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let count = self.fill_buf()?.read(to)?;
        self.consume(count);
        Ok(count)
    }
}

impl BufRead for Counted<'_> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.inner.fill_buf()
    }

    fn consume(&mut self, count: usize) {
        let consumed = self.inner.buffer().get(..count).unwrap_or_default();
        let lines = memchr::memchr_iter(b'\n', consumed).count() as u64;
        match memchr::memrchr(b'\n', consumed) {
            Some(at) => self.column = (count - at) as u64,
            None => self.column += count as u64,
        }
        self.line += lines;
        self.inner.consume(count);
    }
}

/// The encoding that a declaration names, if it names one.
type Encoding<'a, E> = Option<Result<std::borrow::Cow<'a, str>, E>>;

/// Checks that the encoding is that of UTF-8.
pub(crate) fn check_encoding<E>(encoding: Encoding<'_, E>, place: Place) -> Result<(), Fault> {
    let Some(Ok(name)) = encoding else { return Ok(()) };
    let is_utf_8 =
        ["utf-8", "utf8", "us-ascii", "ascii"].iter().any(|known| name.eq_ignore_ascii_case(known));
    if is_utf_8 {
        return Ok(());
    }
    let name = show(name.as_bytes());
    Err(malformed(place, format!("the encoding is {name}; save the file as UTF-8")))
}
