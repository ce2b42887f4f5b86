//! PHYLIP distance matrices: the number of species, and a row of distances for each of them.
//!
//! Rows have all distances, or those to the species before. They may go on in the next lines. Names
//! are words, or in the strict form the first ten characters, blanks included. Every way to read a
//! text is tried: one must fit. Distances of 0 are those of equal sequences. The text is held in
//! memory.
//!
//! Source: J. Felsenstein, PHYLIP 3.6, "Distance matrix programs".

use std::collections::HashSet;

use kostra_core::memory;

use crate::columns::TextNumber;
use crate::compression::Stream;
use crate::fault::Fault;
use crate::fields::DividedLines;
use crate::formats::matrix::Shape;
use crate::head::{Evidence, Head};
use crate::interface::{Format, FormatInfo, Parsed};
use crate::matrix::graph_of_rows;
use crate::number::{is_blank, show, weight, words};
use crate::whole::{self, WholeText};
use crate::{Meaning, Nan, Place, ReadErrorKind, ReadOptions};

impl Format {
    /// PHYLIP distance matrices, square or lower triangular.
    pub const PHYLIP: Self = Self::new(&FormatInfo {
        id: "phylip",
        title: "PHYLIP distance matrix",
        extensions: &["phy"],
        summary: "PHYLIP: the number of species, and a row of distances for each, or a triangle",
        recognize,
        read,
        ..FormatInfo::READ_ONLY
    });
}

/// The characters of a name in the strict form.
const STRICT_NAME: usize = 10;

/// How names are written.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Names {
    Words,
    Strict,
}

/// Which distances a row has.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Rows {
    Full,
    /// Those to the species before, and perhaps the zero on the diagonal.
    Lower,
    LowerWithDiagonal,
}

const WAYS: [(Names, Rows); 6] = [
    (Names::Words, Rows::Full),
    (Names::Words, Rows::Lower),
    (Names::Words, Rows::LowerWithDiagonal),
    (Names::Strict, Rows::Full),
    (Names::Strict, Rows::Lower),
    (Names::Strict, Rows::LowerWithDiagonal),
];

/// A matrix as it is written.
#[derive(Debug, PartialEq)]
struct Table<'t> {
    names: Vec<&'t str>,
    rows: Vec<Vec<&'t str>>,
    /// The line of each row, counted from 1.
    lines: Vec<u64>,
}

/// The lines that are not blank, with their numbers: the number of species, and the other lines.
fn divided(text: &str) -> Option<(usize, Vec<(u64, &str)>)> {
    let lines = (1_u64..).zip(text.lines().map(|line| line.trim_end_matches('\r')));
    let mut lines = lines.filter(|(_, line)| !line.trim_ascii().is_empty());
    let (_, first) = lines.next()?;
    let size = first.trim_ascii().parse().ok().filter(|&size: &usize| size > 1)?;
    Some((size, lines.collect()))
}

/// Recognizes the number of species and rows of distances with names, unless the text is a plain
/// matrix below its size. Names without letters need [`of_numbers`].
fn recognize(head: &Head<'_>) -> Evidence {
    let is = tables(head).is_some_and(|tables| tables.iter().any(has_words));
    Evidence::Signature.when(is && plain_matrix(head).is_none())
}

/// The first rows of a matrix whose names are numbers, each once. A square one is symmetric, with
/// zeros on its diagonal; rows of a triangle grow.
pub(crate) fn of_numbers(head: &Head<'_>) -> Option<Vec<String>> {
    /// Two rows of a triangle can be other lines.
    const FEWEST: usize = 3;
    let is_square = |table: &Table<'_>| {
        let value = |row: usize, column: usize| table.rows.get(row)?.get(column)?.parse().ok();
        let size = table.rows.len();
        (0..size).all(|row| {
            let is_same = |column| value(row, column) == value(column, row);
            value(row, row) == Some(0.0_f64) && (0..row).all(is_same)
        })
    };
    let is_triangle = |table: &Table<'_>| {
        table.rows.first().is_some_and(|row| row.len() < 2)
            && table.rows.last().is_some_and(|row| row.len() > 1)
    };
    let is_structured = |shape: Shape<'_>| shape.traits().is_structured(shape.size);
    let table = tables(head)?.into_iter().find(|table| {
        let names: HashSet<&str> = table.names.iter().copied().collect();
        let are_numbers = names.iter().all(|name| name.bytes().all(|byte| byte.is_ascii_digit()));
        table.names.len() >= FEWEST
            && names.len() == table.names.len()
            && are_numbers
            && (is_triangle(table) || is_square(table))
    })?;
    if plain_matrix(head).is_some_and(is_structured) {
        return None;
    }
    let edges =
        table.names.iter().zip(&table.rows).enumerate().flat_map(|(row, (name, values))| {
            let others = table.names.iter().take(row).zip(values);
            others.map(move |(other, value)| format!("{other}-{name} {value}"))
        });
    Some(edges.collect())
}

/// The matrices that the lines of a text can be.
fn tables<'t>(head: &Head<'t>) -> Option<Vec<Table<'t>>> {
    head.lines()?;
    // The last line may be incomplete.
    let text = head.text();
    let end = if head.is_whole() { text.len() } else { text.rfind('\n').unwrap_or(0) };
    let (size, rows) = divided(text.get(..end)?).filter(|(_, rows)| !rows.is_empty())?;
    Some(WAYS.iter().filter_map(|&way| table(size, &rows, way, head.is_whole())).collect())
}

/// The plain matrix below its size that a text is.
fn plain_matrix<'t>(head: &Head<'t>) -> Option<Shape<'t>> {
    let lines = head.lines()?.iter().copied().filter(|line| !line.trim_ascii().is_empty());
    let lines = DividedLines::new(lines.collect());
    let shape = Shape::find(&lines, head.is_whole(), &crate::ColumnOptions::default());
    shape.filter(|shape| shape.has_size_on_top)
}

/// Whether each name has a letter, unlike the first number in a row of numbers.
fn has_words(table: &Table<'_>) -> bool {
    !table.names.is_empty() && table.names.iter().all(|name| has_letter(name))
}

fn has_letter(name: &str) -> bool {
    name.contains(char::is_alphabetic)
}

/// The matrix in some lines, if they can be read in a way. The lines are all lines if `whole`.
fn table<'t>(
    size: usize,
    lines: &[(u64, &'t str)],
    (names, rows): (Names, Rows),
    whole: bool,
) -> Option<Table<'t>> {
    let mut table = Table { names: Vec::new(), rows: Vec::new(), lines: Vec::new() };
    let mut lines = lines.iter();
    for row in 0..size {
        let Some(&(number, line)) = lines.next() else { break };
        let (name, mut rest) = divide(line, names)?;
        let expected = match rows {
            Rows::Full => size,
            Rows::Lower => row,
            Rows::LowerWithDiagonal => row + 1,
        };
        let mut values = Vec::new();
        loop {
            for (_, word) in words(rest.as_bytes()) {
                let word = str::from_utf8(word).ok()?;
                word.parse::<f64>().ok()?;
                values.push(word);
            }
            match values.len() {
                count if count >= expected => break,
                _ => {}
            }
            match lines.next() {
                Some((_, line)) => rest = line,
                None if whole => return None,
                None => return Some(table),
            }
        }
        let has_zero = || values.last().and_then(|last| last.parse().ok()) == Some(0.0);
        if values.len() != expected || rows == Rows::LowerWithDiagonal && !has_zero() {
            return None;
        }
        table.names.push(name);
        table.rows.push(values);
        table.lines.push(number);
    }
    let is_complete = !whole || table.names.len() == size;
    (is_complete && lines.next().is_none()).then_some(table)
}

/// The name at the start of a line, and the rest.
fn divide(line: &str, names: Names) -> Option<(&str, &str)> {
    let is_blank = |letter: char| u8::try_from(letter).is_ok_and(is_blank);
    let end = match names {
        Names::Words if line.starts_with(is_blank) => return None,
        Names::Words => line.find(is_blank).unwrap_or(line.len()),
        Names::Strict => line.char_indices().nth(STRICT_NAME).map_or(line.len(), |(at, _)| at),
    };
    let (name, rest) = line.split_at_checked(end)?;
    let name = name.trim_matches(is_blank);
    // Ten characters of a row of numbers are no name.
    let is_name = names == Names::Words || has_letter(name) && !name.contains('\t');
    (!name.is_empty() && is_name).then_some((name, rest))
}

/// The memory for a distance: its places in the text, and its value.
const BYTES_PER_DISTANCE: usize = 64;

fn read(mut stream: Stream<'_>, options: &ReadOptions) -> Result<Parsed, Fault> {
    let text = WholeText::read(&mut stream)?;
    whole::ask_for_values(text.text().as_bytes(), BYTES_PER_DISTANCE)?;
    let (size, lines) = divided(text.text()).ok_or_else(|| {
        Fault::at_line(1, 1, "the first line must be the number of species, at least 2; add it")
    })?;
    let mut tables: Vec<Table<'_>> =
        WAYS.iter().filter_map(|&way| table(size, &lines, way, true)).collect();
    tables.dedup();
    let table = match &tables[..] {
        [] => return Err(no_table(size, &lines)),
        [table] => table,
        [first, second, ..] => return Err(two_ways(first, second)),
    };
    let mut values: Vec<Option<TextNumber>> = memory::filled(size.saturating_mul(size), None)?;
    for (row, (line, words)) in table.lines.iter().zip(&table.rows).enumerate() {
        for (column, word) in words.iter().enumerate() {
            let number = weight(word.as_bytes(), Nan::Skip);
            let number = number.map_err(|sentence| Fault::at_line(*line, 1, sentence))?;
            if let Some(value) = values.get_mut(row * size + column) {
                *value = Some(number);
            }
        }
    }
    let place =
        |row: usize, _| Place::Line { line: table.lines.get(row).copied().unwrap_or(1), column: 1 };
    let zeros = options.zeros.or(Some(Meaning::Edge));
    let options = ReadOptions { zeros, ..options.clone() };
    let parsed = graph_of_rows(size, &values, &place, &options)?;
    let names: Vec<String> = table.names.iter().map(|&name| name.to_owned()).collect();
    Ok(Parsed { names: Some(names), ..parsed })
}

/// Why lines are no matrix: the first line that has too few or too many distances.
fn no_table(size: usize, lines: &[(u64, &str)]) -> Fault {
    let count = kostra_core::counted(lines.len() as u64, "line", "lines");
    let is_row = |line: &str| {
        divide(line, Names::Words).is_some_and(|(_, rest)| {
            words(rest.as_bytes())
                .all(|(_, word)| str::from_utf8(word).is_ok_and(|word| word.parse::<f64>().is_ok()))
        })
    };
    let wrong = lines.iter().find(|(_, line)| !is_row(line));
    let sentence = format!(
        "{count} after the first do not fit {size} species: each has a name and {size} distances, or \
         those to the species before it; add what is missing, or correct the number"
    );
    match wrong {
        Some((line, _)) => Fault::at_line(*line, 1, sentence),
        None => Fault::whole(sentence),
    }
}

/// The question which of two readings is right.
fn two_ways(first: &Table<'_>, second: &Table<'_>) -> Fault {
    let shown = |table: &Table<'_>| {
        let of_row = |row: usize| {
            let name = table.names.get(row).map_or(String::new(), |name| show(name.as_bytes()));
            format!("'{name}' {}", table.rows.get(row).map_or(String::new(), |row| row.join(" ")))
        };
        format!("{}, {}", of_row(0), of_row(1))
    };
    ReadErrorKind::question(format!(
        "which part of a row is the name? names can be words ({}) or ten characters ({}); write \
         names without blanks, such as Mouse_1",
        shown(first),
        shown(second)
    ))
    .into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Case, check_cases, graph_of};
    use crate::{Loaded, read_bytes};

    fn read(text: &str) -> Result<Loaded, String> {
        let loaded = read_bytes("x", text.as_bytes(), &ReadOptions::default());
        loaded.map_err(|error| error.to_string())
    }

    #[test]
    fn rows_are_square_or_triangular_with_words_or_ten_characters() {
        let edges = "0-1:3 0-2:1 1-2:2";
        let strict = "    3\nHomo sapie 0 3 1\nPan       3 0 2\nP. paniscu1 2 0\n";
        let wrapped = "3\nalpha 0\n 3 1\nbeta 3 0\n2\ngamma 1 2 0\n";
        let lower = "   3\nalpha\nbeta      3\ngamma     1 2\n";
        let diagonal = "3\nalpha 0\nbeta 3 0\ngamma 1 2 0\n";
        let words = "alpha beta gamma";
        check_cases(Format::PHYLIP, &[Case::read(wrapped, 3, edges, &[]).names(words)]);
        let loaded = read(strict).unwrap();
        assert_eq!(loaded.format, Format::PHYLIP);
        assert_eq!(loaded.parsed.names.unwrap(), ["Homo sapie", "Pan", "P. paniscu"]);
        assert_eq!(crate::testing::edges(&loaded.parsed.graph), edges);
        for text in [wrapped, lower, diagonal] {
            let graph = graph_of(text.as_bytes(), "x", Format::PHYLIP).unwrap();
            assert_eq!(crate::testing::edges(&graph), edges, "{text}");
            assert_eq!(crate::testing::edges(&read(text).unwrap().parsed.graph), edges, "{text}");
        }
    }

    #[test]
    fn equal_sequences_have_distance_zero() {
        let text = "3\nMus musculus 0 0 1\nMus m. dom 0 0 1\nRattus     1 1 0\n";
        let text = text.replace("Mus musculus", "Mus muscul");
        let loaded = read(&text).unwrap();
        assert_eq!(crate::testing::edges(&loaded.parsed.graph), "0-1:0 0-2:1 1-2:1");
        let note = loaded.parsed.notes[0].to_string();
        assert_eq!(note, "the entries of 0 off the diagonal, 1 pair, are edges");
    }

    #[test]
    fn two_readings_are_a_question() {
        let text = "2\nMouse     \nMouse 2   5\n";
        let loaded = read(text).unwrap();
        assert_eq!(loaded.parsed.names.unwrap(), ["Mouse", "Mouse 2"]);
        let text = "3\nMouse 0    0 0 0\nMouse 1    0 0\n0 Mouse 2 0 0\n0\n";
        assert!(read(text).is_err());
        let text = "2\nMouse 0   \nMouse 1   0\n";
        let error = read(text).unwrap_err();
        assert!(error.contains("which part of a row is the name? names can be words ("), "{error}");
    }

    #[test]
    fn damage_and_other_texts_are_refused() {
        for (text, sentence) in [
            ("3\na b 0 3 1\nb 3 0 2\nc 1 2 0\n", "x: line 2, column 1: 3 lines after the first do"),
            ("4\na 0 3 1\nb 3 0 2\nc 1 2 0\n", "do not fit 4 species"),
            ("a 0 3 1\n", "x: line 1, column 1: the first line must be the number of species"),
            ("2\na 0 3\nb 4 0\n", "make the matrix symmetric"),
        ] {
            let error = graph_of(text.as_bytes(), "x", Format::PHYLIP).unwrap_err();
            assert!(error.contains(sentence), "{error}\n{sentence}");
        }
        for text in
            ["3\n0 1 5\n1 2 6\n0 2 7\n", "3 2\n2\n1 3\n2\n", "3\na b 5\nb c 6\nc a 7\n", "3\n"]
        {
            assert_eq!(recognize(&Head::new(text.as_bytes(), true)), Evidence::Absent, "{text}");
        }
    }
}
