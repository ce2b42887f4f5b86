//! Lines and columns: separators, quotes and the header.

use super::{Choices, Question, Stop};

/// The separators, by the value of the choice and the word in questions.
const SEPARATORS: [(char, &str, &str); 4] = [
    (',', "comma", "commas"),
    (';', "semicolon", "semicolons"),
    ('\t', "tab", "tabs"),
    ('|', "bar", "bars"),
];
/// The value of the choice for columns that blanks separate.
const BLANK: char = ' ';

/// A line of a table.
pub(super) struct Row {
    /// The number of the line in the file, from 1.
    pub(super) line: usize,
    pub(super) cells: Vec<String>,
}

impl Row {
    /// The number in a column.
    pub(super) fn number(&self, column: usize, what: &str) -> Result<f64, String> {
        let cell = &self.cells[column];
        number(cell).ok_or_else(|| {
            format!("line {}: the {what} \"{cell}\" is not a finite number", self.line)
        })
    }
}

/// The finite number that a cell is.
pub(super) fn number(cell: &str) -> Option<f64> {
    cell.parse().ok().filter(|number: &f64| number.is_finite())
}

/// A table with rows of equal length.
pub(super) struct Cells {
    /// The names of the columns, in lower case.
    pub(super) header: Option<Vec<String>>,
    /// The rows without the header, at least one.
    pub(super) rows: Vec<Row>,
}

impl Cells {
    /// Splits a text. Empty lines and lines that start with `#` are left out.
    pub(super) fn split(text: &str, choices: &Choices) -> Result<Self, Stop> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let lines = (1..).zip(text.lines());
        let lines: Vec<(usize, &str)> =
            lines.filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#')).collect();
        let Some(&(_, first)) = lines.first() else {
            return Err("the file has no lines with data".to_owned().into());
        };
        let separator = separator(first, choices)?;
        let mut rows = Vec::with_capacity(lines.len());
        for (line, text) in lines {
            rows.push(Row { line, cells: cells(line, text, separator)? });
        }
        let (line, columns) = (rows[0].line, rows[0].cells.len());
        if columns < 2 {
            return Err(format!(
                "line {line} has one column; separate the columns by commas, semicolons, tabs or blanks"
            )
            .into());
        }
        if let Some(other) = rows.iter().find(|row| row.cells.len() != columns) {
            return Err(format!(
                "line {} has a different number of columns ({}) than line {line} ({columns})",
                other.line,
                other.cells.len()
            )
            .into());
        }
        let header = has_header(&rows, choices)?
            .then(|| rows.remove(0).cells.iter().map(|name| name.to_lowercase()).collect());
        if rows.is_empty() {
            return Err("the file has a header and no further lines".to_owned().into());
        }
        Ok(Self { header, rows })
    }

    /// Whether all cells of a column are numbers.
    pub(super) fn is_numeric(&self, column: usize) -> bool {
        self.rows.iter().all(|row| number(&row.cells[column]).is_some())
    }

    /// The number of columns.
    pub(super) fn columns(&self) -> usize {
        self.rows[0].cells.len()
    }
}

fn separator(first: &str, choices: &Choices) -> Result<char, Question> {
    let chosen = choices.get("separator");
    if let Some(&(separator, ..)) = SEPARATORS.iter().find(|(_, key, _)| chosen == Some(key)) {
        return Ok(separator);
    }
    let found: Vec<_> =
        SEPARATORS.iter().filter(|(character, ..)| first.contains(*character)).collect();
    match found[..] {
        [] => Ok(BLANK),
        [&(separator, ..)] => Ok(separator),
        _ => {
            let words: Vec<&str> = found.iter().map(|(_, _, word)| *word).collect();
            Err(Question {
                key: "separator",
                sentence: format!(
                    "The first line contains {}. Which of them separate the columns?",
                    words.join(" and ")
                ),
                answers: found
                    .iter()
                    .map(|(_, key, word)| ((*key).into(), (*word).into()))
                    .collect(),
            })
        }
    }
}

/// The cells of a line. A cell in double quotes may contain separators, and `""` for a quote.
fn cells(line: usize, text: &str, separator: char) -> Result<Vec<String>, String> {
    if separator == BLANK {
        return Ok(text.split_whitespace().map(str::to_owned).collect());
    }
    let (mut cells, mut cell, mut quoted) = (Vec::new(), String::new(), false);
    let mut characters = text.trim_end_matches('\r').chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '"' if quoted && characters.peek() == Some(&'"') => {
                cell.push('"');
                characters.next();
            }
            '"' if quoted || cell.trim().is_empty() => quoted = !quoted,
            _ if character == separator && !quoted => {
                cells.push(std::mem::take(&mut cell).trim().to_owned());
            }
            _ => cell.push(character),
        }
    }
    if quoted {
        return Err(format!("line {line}: a quote is not closed"));
    }
    cells.push(cell.trim().to_owned());
    Ok(cells)
}

/// Whether the first row names the columns. It does if it has no number, and a column is numeric
/// below it. It does not if it has a number, and no column is numeric except for its first cell.
fn has_header(rows: &[Row], choices: &Choices) -> Result<bool, Question> {
    match choices.get("header") {
        Some("yes") => return Ok(true),
        Some("no") => return Ok(false),
        _ => {}
    }
    let any_number = rows[0].cells.iter().any(|cell| number(cell).is_some());
    let named_column = (0..rows[0].cells.len()).any(|column| {
        rows.len() > 1
            && number(&rows[0].cells[column]).is_none()
            && rows[1..].iter().all(|row| number(&row.cells[column]).is_some())
    });
    if any_number != named_column {
        return Ok(named_column);
    }
    let sentence = format!("Does line {} name the columns, or is it data?", rows[0].line);
    Err(Question::new("header", sentence, [("yes", "it names the columns"), ("no", "it is data")]))
}
