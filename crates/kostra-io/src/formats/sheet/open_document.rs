//! Workbooks of LibreOffice: OpenDocument.

use std::collections::HashMap;

use quick_xml::events::BytesStart;

use super::table::{Content, Table};
use super::{START, part, walk};
use crate::fault::Fault;
use crate::formats::Archive;
use crate::xml::{self, Event, local_name};

const CONTENT: &str = "content.xml";

/// The last row and the last column of LibreOffice.
const LAST: [u32; 2] = [1 << 20, 1 << 14];

/// The sheets in their order.
pub(super) fn sheets(archive: &Archive<'_>) -> Result<Vec<Table>, Fault> {
    let mut document = Document::default();
    walk(CONTENT, &part(archive, CONTENT)?, |event| match event {
        Event::Start(element) => document.start(&element),
        Event::Empty(element) => {
            document.start(&element)?;
            document.end(local_name(&element))
        }
        Event::End(element) => document.end(element.local_name().as_ref()),
        Event::Text(text) => {
            document.add(&text.xml10_content());
            Ok(())
        }
        Event::GeneralRef(name) => {
            document.add(&xml::entity(&name, START)?);
            Ok(())
        }
        _ => Ok(()),
    })?;
    Ok(document.sheets)
}

/// The content that has been read.
#[derive(Default)]
struct Document {
    sheets: Vec<Table>,
    /// The row and the column of the open cell, or of the next one.
    at: [u32; 2],
    /// The filled cells of the open row: the first and the last column, and the content.
    row: Vec<([u32; 2], Content)>,
    /// How often the open row and the open cell are repeated.
    repeated: [u32; 2],
    /// Attributes of the open cell.
    cell: Option<HashMap<String, String>>,
    text: String,
    /// How many paragraphs the cell has, and whether one is open.
    paragraphs: usize,
    is_in_paragraph: bool,
    /// How many notes and drawings are open, whose text is not of the cell.
    notes: usize,
}

impl Document {
    fn start(&mut self, element: &BytesStart<'_>) -> Result<(), Fault> {
        let attributes = || xml::attributes(element, START).map(|all| all.into_iter().collect());
        match local_name(element) {
            "annotation" | "frame" | "custom-shape" => self.notes += 1,
            "table" if self.cell.is_none() => {
                let mut found: HashMap<String, String> = attributes()?;
                let name = found.remove("table:name").unwrap_or_default();
                let sheet = Table::after(&self.sheets, name);
                self.sheets.push(sheet);
                self.at = [0; 2];
            }
            "table-row" => {
                self.repeated[0] = repeated(&attributes()?, "table:number-rows-repeated")?;
                self.at[1] = 0;
                self.row.clear();
            }
            "table-cell" | "covered-table-cell" => {
                let found = attributes()?;
                self.repeated[1] = repeated(&found, "table:number-columns-repeated")?;
                self.cell = Some(found);
                self.text.clear();
                self.paragraphs = 0;
            }
            "p" if self.notes == 0 => {
                if self.paragraphs > 0 {
                    self.text.push('\n');
                }
                (self.paragraphs, self.is_in_paragraph) = (self.paragraphs + 1, true);
            }
            "s" if self.is_in_paragraph => {
                /// Longer runs of blanks are no names.
                const MOST: u32 = 1000;
                let count = repeated(&attributes()?, "text:c")?.min(MOST);
                self.text.extend(std::iter::repeat_n(' ', count as usize));
            }
            "tab" if self.is_in_paragraph => self.text.push('\t'),
            "line-break" if self.is_in_paragraph => self.text.push('\n'),
            _ => {}
        }
        Ok(())
    }

    fn add(&mut self, text: &str) {
        if self.is_in_paragraph && self.notes == 0 {
            self.text.push_str(text);
        }
    }

    fn end(&mut self, name: &str) -> Result<(), Fault> {
        match name {
            "annotation" | "frame" | "custom-shape" => self.notes = self.notes.saturating_sub(1),
            "p" if self.notes == 0 => self.is_in_paragraph = false,
            "table-cell" | "covered-table-cell" => self.end_cell()?,
            "table-row" => self.end_row()?,
            _ => {}
        }
        Ok(())
    }

    fn end_cell(&mut self) -> Result<(), Fault> {
        let Some(cell) = self.cell.take() else { return Ok(()) };
        let [row, column] = self.at;
        let last = column.saturating_add(self.repeated[1]).min(LAST[1]);
        let spans = ["rows", "columns"]
            .map(|what| repeated(&cell, &format!("table:number-{what}-spanned")));
        let [rows, columns] = spans;
        let (rows, columns) = (rows?, columns?);
        let is_merged = rows > 1 || columns > 1;
        if let (true, Some(sheet)) = (is_merged, self.sheets.last_mut()) {
            sheet.merge(
                [row, column],
                [row.saturating_add(rows - 1), column.saturating_add(columns - 1)],
            )?;
        }
        if let (Some(content), true) = (self.content(&cell)?, column < last) {
            self.row.push(([column, last - 1], content));
        }
        self.at[1] = last;
        Ok(())
    }

    /// Adds the filled cells of a row, as often as it is repeated.
    fn end_row(&mut self) -> Result<(), Fault> {
        let first = self.at[0];
        let last = first.saturating_add(self.repeated[0]).min(LAST[0]);
        let Some(sheet) = self.sheets.last_mut() else { return Ok(()) };
        let rows = if self.row.is_empty() { 0..0 } else { first..last };
        let width: u64 = self.row.iter().map(|([from, to], _)| u64::from(to - from) + 1).sum();
        sheet.expect(width * u64::from(last - first))?;
        for row in rows {
            for ([from, to], content) in &self.row {
                for column in *from..=*to {
                    sheet.push([row, column], content.clone())?;
                }
            }
        }
        self.at[0] = last;
        Ok(())
    }

    /// What the open cell holds, if it holds anything.
    fn content(&mut self, cell: &HashMap<String, String>) -> Result<Option<Content>, Fault> {
        let get = |name: &str| cell.get(name).map(String::as_str);
        if get("calcext:value-type") == Some("error") {
            return Ok(Some(Content::Error(std::mem::take(&mut self.text))));
        }
        Ok(match get("office:value-type") {
            Some("float" | "percentage" | "currency") => {
                let value = get("office:value").unwrap_or_default();
                let number: f64 = value.parse().map_err(|_| {
                    let value = crate::number::show(value.as_bytes());
                    Fault::whole(format!("a cell has the value '{value}'; save the file again"))
                })?;
                Some(Content::Number(number))
            }
            Some("string") => Content::of_text(get("office:string-value").unwrap_or(&self.text)),
            Some("boolean") => Some(Content::Boolean),
            Some("date" | "time") => Some(Content::Date),
            _ if get("table:formula").is_some() => Some(Content::Formula),
            // Programs other than LibreOffice may leave out the type of a text.
            _ => Content::of_text(&self.text).filter(|_| self.paragraphs > 0),
        })
    }
}

/// A count that is 1 if it is missing.
fn repeated(attributes: &HashMap<String, String>, name: &str) -> Result<u32, Fault> {
    let Some(text) = attributes.get(name) else { return Ok(1) };
    text.parse().ok().filter(|&count| count > 0).ok_or_else(|| {
        let text = crate::number::show(text.as_bytes());
        Fault::whole(format!("{name} is '{text}', not a number; save the file again"))
    })
}
