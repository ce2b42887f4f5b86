//! Workbooks of Excel: Office Open XML.

use std::collections::{HashMap, HashSet};

use kostra_core::memory;

use super::table::{Content, Table};
use super::{START, part, walk};
use crate::fault::Fault;
use crate::formats::Archive;
use crate::xml::{self, Event, local_name};

/// The numbers of built-in formats that show dates or times.
const DATES: [std::ops::RangeInclusive<u32>; 4] = [14..=22, 27..=36, 45..=47, 50..=58];

/// What the cells of all sheets refer to.
#[derive(Default)]
struct Shared {
    strings: Vec<Option<Content>>,
    /// Whether the cells of a style show dates.
    dates: Vec<bool>,
}

/// The sheets in their order.
pub(super) fn sheets(archive: &Archive<'_>) -> Result<Vec<Table>, Fault> {
    let is_workbook = |name: &&str| name.starts_with("xl/workbook") && name.ends_with(".xml");
    let workbook = archive.names().find(is_workbook).ok_or_else(|| {
        Fault::whole("the workbook has no list of sheets; save it as .xlsx, or the table as CSV")
    })?;
    let file = workbook.trim_start_matches("xl/");
    let targets = targets(archive, &format!("xl/_rels/{file}.rels"))?;
    let of_kind = |kind: &str| targets.values().find(|(of, _)| of == kind).map(|(_, path)| path);
    let mut shared = Shared::default();
    if let Some(path) = of_kind("sharedStrings") {
        shared.strings = strings(path, &part(archive, path)?)?;
    }
    if let Some(path) = of_kind("styles") {
        shared.dates = dates(path, &part(archive, path)?)?;
    }
    let (mut tables, mut read) = (Vec::new(), HashSet::new());
    walk(workbook, &part(archive, workbook)?, |event| {
        let (Event::Start(element) | Event::Empty(element)) = event else { return Ok(()) };
        if local_name(&element) != "sheet" {
            return Ok(());
        }
        let attributes = xml::attributes(&element, START)?;
        let find = |is: &dyn Fn(&str) -> bool| {
            attributes.iter().find(|(name, _)| is(name)).map(|(_, value)| value.clone())
        };
        let target = find(&|name| name.ends_with(":id")).and_then(|id| targets.get(&id));
        if let Some((kind, path)) = target
            && kind == "worksheet"
        {
            let name = find(&|name| name == "name").unwrap_or_default();
            if !read.insert(path) {
                let sentence = "two sheets of the workbook are one part of the file; save it again";
                return Err(Fault::whole(sentence));
            }
            let sheet = Sheet::new(Table::after(&tables, name), &shared);
            tables.push(sheet.read(path, &part(archive, path)?)?);
        }
        Ok(())
    })?;
    Ok(tables)
}

/// The parts that the workbook refers to: the kind and the name of each by its id.
fn targets(archive: &Archive<'_>, name: &str) -> Result<HashMap<String, (String, String)>, Fault> {
    let mut targets = HashMap::new();
    walk(name, &part(archive, name)?, |event| {
        let (Event::Start(element) | Event::Empty(element)) = event else { return Ok(()) };
        let mut found: HashMap<_, _> = xml::attributes(&element, START)?.into_iter().collect();
        let mut take = |name: &str| found.remove(name).unwrap_or_default();
        let (id, kind, path) = (take("Id"), take("Type"), take("Target"));
        let kind = kind.rsplit('/').next().unwrap_or_default().to_owned();
        let path = path.strip_prefix('/').map_or_else(|| format!("xl/{path}"), str::to_owned);
        targets.insert(id, (kind, path));
        Ok(())
    })?;
    Ok(targets)
}

/// The texts that cells refer to by number.
fn strings(name: &str, content: &[u8]) -> Result<Vec<Option<Content>>, Fault> {
    let mut strings = Vec::new();
    let mut text = Text::default();
    walk(name, content, |event| {
        text.take(&event)?;
        match event {
            Event::End(element) if element.local_name().as_ref() == "si" => {
                memory::push(&mut strings, Content::of_text(&text.text))?;
                text.text.clear();
            }
            Event::Empty(element) if local_name(&element) == "si" => {
                memory::push(&mut strings, None)?;
            }
            _ => {}
        }
        Ok(())
    })?;
    Ok(strings)
}

/// Whether each style shows dates.
fn dates(name: &str, content: &[u8]) -> Result<Vec<bool>, Fault> {
    let (mut dates, mut formats, mut is_inside) = (Vec::new(), HashMap::new(), false);
    walk(name, content, |event| {
        match &event {
            Event::Start(element) | Event::Empty(element) => {
                let is_start = matches!(event, Event::Start(_));
                let found: HashMap<_, _> = xml::attributes(element, START)?.into_iter().collect();
                let id = found.get("numFmtId").and_then(|id| id.parse::<u32>().ok());
                match local_name(element) {
                    "cellXfs" => is_inside = is_start,
                    "numFmt" => {
                        let code = found.get("formatCode").map(String::as_str).unwrap_or_default();
                        formats.extend(id.map(|id| (id, shows_date(code))));
                    }
                    "xf" if is_inside => {
                        let id = id.unwrap_or_default();
                        let built_in = DATES.iter().any(|dates| dates.contains(&id));
                        memory::push(&mut dates, *formats.get(&id).unwrap_or(&built_in))?;
                    }
                    _ => {}
                }
            }
            Event::End(element) if element.local_name().as_ref() == "cellXfs" => is_inside = false,
            _ => {}
        }
        Ok(())
    })?;
    Ok(dates)
}

/// Whether a format shows a date or a time: it has one of their letters outside of quotes, escapes
/// and brackets, or brackets such as `[h]`.
fn shows_date(code: &str) -> bool {
    let is_of_time = |letter: char| "dmyhs".contains(letter.to_ascii_lowercase());
    let mut letters = code.split(';').next().unwrap_or_default().chars();
    while let Some(letter) = letters.next() {
        match letter {
            '"' => drop(letters.by_ref().take_while(|&next| next != '"').count()),
            '\\' | '_' | '*' => drop(letters.next()),
            '[' => {
                let inside: String = letters.by_ref().take_while(|&next| next != ']').collect();
                if !inside.is_empty() && inside.chars().all(is_of_time) {
                    return true;
                }
            }
            letter if is_of_time(letter) => return true,
            _ => {}
        }
    }
    false
}

/// The text inside elements `t`, except for how to pronounce it.
#[derive(Default)]
struct Text {
    text: String,
    is_inside: bool,
    is_spoken: bool,
}

impl Text {
    fn take(&mut self, event: &Event<'_>) -> Result<(), Fault> {
        match event {
            Event::Start(element) if local_name(element) == "rPh" => self.is_spoken = true,
            Event::End(element) if element.local_name().as_ref() == "rPh" => self.is_spoken = false,
            Event::Start(element) => self.is_inside = local_name(element) == "t",
            Event::End(_) => self.is_inside = false,
            Event::Text(text) if self.is_wanted() => self.text.push_str(&text.xml10_content()),
            Event::CData(text) if self.is_wanted() => self.text.push_str(&text.xml10_content()),
            Event::GeneralRef(name) if self.is_wanted() => {
                self.text.push_str(&xml::entity(name, START)?);
            }
            _ => {}
        }
        Ok(())
    }

    fn is_wanted(&self) -> bool {
        self.is_inside && !self.is_spoken
    }
}

/// A sheet that is being read.
struct Sheet<'a> {
    shared: &'a Shared,
    table: Table,
    /// The row and the column of the cell that is open, or else that come next.
    at: [u32; 2],
    /// The type and the style of the open cell.
    kind: String,
    style: Option<usize>,
    value: String,
    has_value: bool,
    has_formula: bool,
    is_in_value: bool,
    text: Text,
}

impl<'a> Sheet<'a> {
    fn new(table: Table, shared: &'a Shared) -> Self {
        Self {
            shared,
            table,
            at: [0; 2],
            kind: String::new(),
            style: None,
            value: String::new(),
            has_value: false,
            has_formula: false,
            is_in_value: false,
            text: Text::default(),
        }
    }

    fn read(mut self, name: &str, content: &[u8]) -> Result<Table, Fault> {
        walk(name, content, |event| {
            self.text.take(&event)?;
            match event {
                Event::Start(element) => self.start(&element),
                Event::Empty(element) => {
                    self.start(&element)?;
                    self.end(local_name(&element))
                }
                Event::End(element) => self.end(element.local_name().as_ref()),
                Event::Text(text) if self.is_in_value => {
                    self.value.push_str(&text.xml10_content());
                    Ok(())
                }
                Event::GeneralRef(name) if self.is_in_value => {
                    self.value.push_str(&xml::entity(&name, START)?);
                    Ok(())
                }
                _ => Ok(()),
            }
        })?;
        Ok(self.table)
    }

    fn start(&mut self, element: &quick_xml::events::BytesStart<'_>) -> Result<(), Fault> {
        let attribute = |wanted: &str| -> Result<Option<String>, Fault> {
            let mut found = xml::attributes(element, START)?.into_iter();
            Ok(found.find(|(name, _)| name == wanted).map(|(_, value)| value))
        };
        match local_name(element) {
            "row" => {
                let row = attribute("r")?.and_then(|row| row.parse::<u32>().ok());
                self.at = [row.map_or(self.at[0], |row| row.saturating_sub(1)), 0];
            }
            "c" => {
                if let Some(address) = attribute("r")? {
                    self.at = place(&address)?;
                }
                self.kind = attribute("t")?.unwrap_or_default();
                self.style = attribute("s")?.and_then(|style| style.parse().ok());
                self.value.clear();
                self.text.text.clear();
                (self.has_value, self.has_formula) = (false, false);
            }
            "f" => self.has_formula = true,
            "v" => (self.is_in_value, self.has_value) = (true, true),
            "mergeCell" => {
                let range = attribute("ref")?.unwrap_or_default();
                let (first, last) = range.split_once(':').unwrap_or((&range, &range));
                self.table.merge(place(first)?, place(last)?)?;
            }
            _ => {}
        }
        Ok(())
    }

    fn end(&mut self, name: &str) -> Result<(), Fault> {
        match name {
            "v" => self.is_in_value = false,
            "c" => {
                if let Some(content) = self.content()? {
                    self.table.push(self.at, content)?;
                }
                self.at[1] = self.at[1].saturating_add(1);
            }
            "row" => self.at = [self.at[0].saturating_add(1), 0],
            _ => {}
        }
        Ok(())
    }

    /// What the open cell holds, if it holds anything.
    fn content(&mut self) -> Result<Option<Content>, Fault> {
        let value = self.value.trim();
        let shows_date =
            || self.style.and_then(|style| self.shared.dates.get(style)) == Some(&true);
        let damaged =
            || Fault::whole(format!("a cell has the value '{value}'; save the file again"));
        Ok(match &*self.kind {
            "inlineStr" => Content::of_text(&self.text.text),
            "str" if self.has_value => Content::of_text(&self.value),
            _ if value.is_empty() => self.has_formula.then_some(Content::Formula),
            "s" => {
                let place = value.parse::<usize>().map_err(|_| damaged())?;
                self.shared.strings.get(place).ok_or_else(damaged)?.clone()
            }
            "b" => Some(Content::Boolean),
            "e" => Some(Content::Error(value.to_owned())),
            "d" => Some(Content::Date),
            _ if shows_date() => Some(Content::Date),
            _ => {
                let number: f64 = value.parse().map_err(|_| damaged())?;
                Some(Content::Number(number))
            }
        })
    }
}

/// The row and the column of an address such as `B7`, counted from 0.
fn place(address: &str) -> Result<[u32; 2], Fault> {
    /// The last row and the last column of Excel.
    const LAST: [u32; 2] = [1 << 20, 1 << 14];
    let address = address.replace('$', "");
    let (letters, digits) =
        address.split_at(address.find(|c: char| c.is_ascii_digit()).unwrap_or(address.len()));
    let column = letters.chars().try_fold(0_u32, |column, letter| {
        let digit = letter.to_ascii_uppercase().to_digit(36)?.checked_sub(9)?;
        column.checked_mul(26)?.checked_add(digit)
    });
    let row = digits.parse::<u32>().ok();
    match (row, column) {
        (Some(row @ 1..), Some(column @ 1..)) if row <= LAST[0] && column <= LAST[1] => {
            Ok([row - 1, column - 1])
        }
        _ => Err(Fault::whole(format!(
            "a cell has the address '{}'; save the file again",
            crate::number::show(address.as_bytes())
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_of_dates_are_known_by_their_letters() {
        for code in ["yyyy-mm-dd", "[h]:mm", "d/m/yy", "[$-409]h:mm AM/PM", "mm:ss.0"] {
            assert!(shows_date(code), "{code}");
        }
        for code in ["General", "0.00", "#,##0.00 \"days\"", "0.00E+00", "[Red]0", "0\\d", "0;d"] {
            assert!(!shows_date(code), "{code}");
        }
    }

    #[test]
    fn addresses_are_rows_and_columns() {
        assert_eq!(place("A1").unwrap(), [0, 0]);
        assert_eq!(place("$AB$12").unwrap(), [11, 27]);
        for wrong in ["", "A", "7", "A0", "ZZZZ1", "A9999999", "é1"] {
            assert!(place(wrong).is_err(), "{wrong}");
        }
    }
}
