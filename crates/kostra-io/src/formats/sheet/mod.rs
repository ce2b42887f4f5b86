//! Spreadsheets: one sheet of a workbook of Excel (`.xlsx`) or LibreOffice (`.ods`).
//!
//! The sheet is rewritten as CSV, as the programs save it, and then recognized and read like any
//! text. So a sheet can be a table of edges, a matrix or a table of points. The file, its parts and
//! the text are held in memory; the sizes of the parts are checked before they are unpacked.
//!
//! Kostra reads both formats itself, because it reads the ZIP archives of NumPy and XML anyway. The
//! crate `calamine` would add 16 crates. It does not tell merged cells of `.ods`, and repeats a
//! filled cell without a limit.
//!
//! Source: ECMA-376 (Office Open XML), part 1, chapter 18; OASIS OpenDocument 1.3, part 3.

mod excel;
mod open_document;
mod table;
#[cfg(test)]
mod tests;

use crate::compression::Stream;
use crate::fault::Fault;
use crate::foreign::ENCRYPTED;
use crate::formats::{Archive, ZIP_MAGIC};
use crate::head::{Evidence, Head};
use crate::interface::{Format, FormatInfo};
use crate::message::{Message, Remedy, message};
use crate::number::did_you_mean;
use crate::source::from_bytes;
use crate::xml::{self, Event, Events, malformed};
use crate::{Place, ReadErrorKind, whole};

pub(crate) use table::SheetText;
use table::Table;

impl Format {
    /// Spreadsheets. [`read`](crate::read()) unpacks a sheet and reads it as text.
    pub const SHEET: Self = Self::new(&FormatInfo {
        id: "sheet",
        title: "spreadsheet",
        extensions: &["xlsx", "ods"],
        summary: "Excel (.xlsx) and LibreOffice (.ods): a sheet of edges, a matrix, or points",
        recognize: |head| Evidence::Signature.when(is_workbook(head.bytes())),
        // Only for an input that is no workbook, but said to be one.
        read: |_, _| {
            let sentence = "this is no spreadsheet; save it as .xlsx or .ods, or omit the format";
            Err(Fault::whole(sentence))
        },
        ..FormatInfo::READ_ONLY
    });
}

/// What a file of OpenDocument starts with, after the header of its first part.
const OPEN_DOCUMENT: &[u8] = b"mimetypeapplication/vnd.oasis.opendocument.spreadsheet";

/// The place of faults inside a part, which no user sees.
const START: Place = Place::Line { line: 1, column: 1 };

/// Whether an archive is a workbook, by its first parts.
fn is_workbook(bytes: &[u8]) -> bool {
    /// More than the header of a part.
    const HEADER: usize = 128;
    let has = |part: &[u8]| memchr::memmem::find(bytes, part).is_some();
    let start = bytes.get(..HEADER.min(bytes.len())).unwrap_or_default();
    bytes.starts_with(ZIP_MAGIC)
        && (memchr::memmem::find(start, OPEN_DOCUMENT).is_some()
            || has(b"xl/workbook") && !has(b"xl/workbook.bin")
            || has(b"xl/worksheets/"))
}

/// Whether an input is a workbook.
pub(crate) fn is_sheet(head: &Head<'_>) -> bool {
    is_workbook(head.bytes())
}

/// Reads a sheet: the one with the name, or the only one that is not empty.
///
/// # Errors
/// When the workbook is damaged, several sheets are not empty and none is named, or a cell holds
/// anything but a number or a text.
pub(crate) fn read_sheet(stream: &mut Stream<'_>, name: Option<&str>) -> Result<SheetText, Fault> {
    let bytes = whole::bytes(stream)?;
    let archive = Archive::parse(&bytes).map_err(at_byte)?;
    let is_excel = archive.names().any(|name| name.starts_with("xl/"));
    refuse_encrypted(&archive)?;
    let sheets = if is_excel { excel::sheets(&archive)? } else { open_document::sheets(&archive)? };
    choose(sheets, name)?.text()
}

/// Refuses a document of LibreOffice whose parts a password encrypts: each one, as the list of
/// parts says, or all of them as one part (OpenDocument 1.3, part 2, 3.4).
fn refuse_encrypted(archive: &Archive<'_>) -> Result<(), Fault> {
    let list = archive.file("META-INF/manifest.xml").ok().flatten();
    let is_listed = list
        .is_some_and(|(content, _)| memchr::memmem::find(&content, b"encryption-data").is_some());
    if is_listed || archive.names().any(|name| name == "encrypted-package") {
        return Err(Fault::whole(ENCRYPTED));
    }
    Ok(())
}

fn at_byte((byte, sentence): (usize, String)) -> Fault {
    Fault::at_byte(byte as u64, sentence)
}

/// A part of the workbook that must be there.
fn part(archive: &Archive<'_>, name: &str) -> Result<Vec<u8>, Fault> {
    let (content, _) = archive
        .file(name)
        .map_err(at_byte)?
        .ok_or_else(|| Fault::whole(format!("the workbook has no part '{name}'; save it again")))?;
    Ok(content)
}

/// Takes the elements and the texts of a part of the workbook in order.
fn walk(
    name: &str,
    content: &[u8],
    mut take: impl FnMut(Event<'_>) -> Result<(), Fault>,
) -> Result<(), Fault> {
    let stream = Stream::plain(from_bytes(content));
    let mut events = Events::new(stream);
    let mut depth = 0_usize;
    let walked = (|| loop {
        let (event, place) = events.next()?;
        match &event {
            Event::Start(_) => depth += 1,
            Event::End(_) => depth = depth.saturating_sub(1),
            Event::Decl(declaration) => xml::check_encoding(declaration.encoding(), place)?,
            Event::Eof if depth > 0 => {
                return Err(malformed(place, "the text ends inside an element"));
            }
            Event::Eof => return Ok(()),
            _ => {}
        }
        take(event)?;
    })();
    // A line of a part inside the archive helps nobody.
    walked.map_err(|fault: Fault| match fault.place {
        Some(Place::Line { .. }) => {
            Fault::whole(message![format!("{name}: "), fault.kind.message()])
        }
        _ => fault,
    })
}

/// The sheet with the name, or the only one that is not empty.
fn choose(sheets: Vec<Table>, name: Option<&str>) -> Result<Table, Fault> {
    let names: Vec<String> = sheets.iter().map(|sheet| sheet.name.clone()).collect();
    if let Some(name) = name {
        let found = sheets.into_iter().find(|sheet| sheet.name == name);
        return found.ok_or_else(|| {
            let hint = did_you_mean(name, names.iter().map(String::as_str));
            let names = names.join(", ");
            let sentence = format!(": there is no such sheet; the sheets are {names}{hint}");
            ReadErrorKind::question(message![Remedy::text("sheet", name), sentence]).into()
        });
    }
    let mut filled = sheets.into_iter().filter(|sheet| !sheet.is_empty());
    let Some(first) = filled.next() else {
        return Err(Fault::whole("all sheets of the workbook are empty"));
    };
    let others: Vec<Table> = filled.collect();
    if others.is_empty() {
        return Ok(first);
    }
    let filled = std::iter::once(&first).chain(&others).map(|sheet| &sheet.name);
    Err(ReadErrorKind::question(which_sheet(filled)).into())
}

fn which_sheet<'a>(names: impl Iterator<Item = &'a String> + Clone) -> Message {
    let all: Vec<&str> = names.clone().map(String::as_str).collect();
    let mut sentence = message![format!("which sheet contains the table, {}? ", all.join(" or "))];
    for (index, name) in names.enumerate() {
        let before = if index == 0 { "pass " } else { " or " };
        sentence.push(message![before, Remedy::text("sheet", name)]);
    }
    sentence
}
