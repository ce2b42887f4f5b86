//! Tables as programs print them on a terminal: psql, MySQL, SQLite, DuckDB, and Markdown.
//!
//! The lines between the rows are drawn with dashes, and bars stand between the columns. The table
//! is rewritten with tabs and read as an edge list. The text is held in memory.

use kostra_core::counted;

use crate::compression::Stream;
use crate::fault::Fault;
use crate::fields::{DividedLines, is_comment};
use crate::formats::matrix::Shape;
use crate::interface::{Format, FormatInfo, Parsed};
use crate::source::from_bytes;
use crate::whole::{self, WholeText};
use crate::{ColumnOptions, Delimiter, ReadOptions};

impl Format {
    /// Tables as psql, MySQL, SQLite and Markdown print them.
    pub const TABLE: Self = Self::new(&FormatInfo {
        id: "table",
        title: "printed table",
        summary: "tables as psql, MySQL, SQLite and Markdown print them",
        read,
        ..FormatInfo::READ_ONLY
    });
}

/// Characters of rules, and of the bars among them.
const RULES: &str = "-=+|:─━═┼╪╬┌┐└┘├┤┬┴╔╗╚╝╠╣╦╩╭╮╰╯╞╡╤╧┏┓┗┛┣┫┳┻╋│┃║┆";
const BARS: [char; 5] = ['|', '│', '┃', '║', '┆'];

/// Where a line is cut into fields.
#[derive(Debug, PartialEq)]
enum FieldCuts {
    Bars,
    /// At the characters where columns start.
    Starts(Vec<usize>),
}

/// Where a printed table is in some lines.
#[derive(Debug, PartialEq)]
pub(crate) struct PrintedTable {
    cuts: FieldCuts,
    /// The line with the names of the columns, and the first line that may be a row. DuckDB and
    /// Polars print the types of the columns between them.
    header: usize,
    rows: usize,
}

/// Whether a line is a rule: nothing but dashes, bars and crossings, at least two of them.
fn is_rule(line: &str) -> bool {
    let line = line.trim();
    line.chars().all(|letter| RULES.contains(letter) || letter == ' ')
        && line.chars().filter(|&letter| "-=─━═".contains(letter)).nth(1).is_some()
}

/// The printed table in some lines: a header, and a rule above or below it. Lines without bars may
/// be before a table with bars, such as a query or the text of a page.
pub(crate) fn find(lines: &[&[u8]]) -> Option<PrintedTable> {
    /// The lines before a table.
    const MOST_BEFORE: usize = 50;
    let lines: Vec<&str> = lines.iter().map_while(|line| str::from_utf8(line).ok()).collect();
    let is_before = |line: &&&str| !line.contains(BARS) && !is_rule(line);
    let before = lines.iter().take(MOST_BEFORE).take_while(is_before).count();
    let later = before.checked_sub(1).map(|_| before);
    std::iter::once(0).chain(later).find_map(|start| {
        let table = table_at(lines.get(start..)?)?;
        let is_found = start == 0 || table.cuts == FieldCuts::Bars;
        let PrintedTable { cuts, header, rows } = table;
        is_found.then_some(PrintedTable { cuts, header: start + header, rows: start + rows })
    })
}

/// The table that starts in the first line.
fn table_at(lines: &[&str]) -> Option<PrintedTable> {
    /// The most lines of types of columns below the header.
    const MOST_TYPES: usize = 3;
    let header = usize::from(is_rule(lines.first()?));
    let (head, below) = (lines.get(header)?, lines.get(header + 1..)?);
    let rule = if header == 0 { below.first()? } else { lines.first()? };
    if !is_rule(rule) || is_rule(head) {
        return None;
    }
    let is_double = |line: &&str| is_rule(line) && line.contains(['═', '━']);
    let types = below.iter().take(MOST_TYPES).position(is_double);
    let types = types.or_else(|| below.iter().take(MOST_TYPES).position(|line| is_rule(line)));
    let rows = header + 1 + types.map_or(0, |types| types + 1);
    if head.trim().trim_matches(BARS).contains(BARS) {
        return Some(PrintedTable { cuts: FieldCuts::Bars, header, rows });
    }
    let letters: Vec<char> = rule.trim_end().chars().collect();
    let is_start = |&at: &usize| letters[at] != ' ' && (at == 0 || letters[at - 1] == ' ');
    let starts: Vec<usize> = (0..letters.len()).filter(is_start).collect();
    let is_plain = letters.iter().all(|letter| " -=".contains(*letter));
    let cuts = FieldCuts::Starts(starts);
    let has_several = matches!(&cuts, FieldCuts::Starts(starts) if starts.len() > 1);
    (is_plain && has_several).then_some(PrintedTable { cuts, header, rows })
}

/// The number of rows that a line tells, as below a table: `(2 rows)`.
fn told_rows(line: &str) -> Option<u64> {
    let line = line.trim().trim_start_matches('(').trim_end_matches(')');
    let (number, rest) = line.split_once(' ').unwrap_or((line, ""));
    let number = number.parse().ok()?;
    (rest.starts_with("row") || rest.starts_with("tuple")).then_some(number)
}

/// A line with tabs between its fields; empty if it has none.
fn rewritten(line: &str, columns: &FieldCuts) -> String {
    if is_rule(line) || told_rows(line).is_some() || is_comment(line.as_bytes()) {
        return String::new();
    }
    let fields: Vec<&str> = match columns {
        FieldCuts::Bars => {
            let line = line.trim();
            let line = line.strip_prefix(BARS).unwrap_or(line);
            line.strip_suffix(BARS).unwrap_or(line).split(BARS).collect()
        }
        FieldCuts::Starts(starts) => {
            let place = |at: &usize| line.char_indices().nth(*at).map_or(line.len(), |(at, _)| at);
            let mut places: Vec<usize> = starts.iter().map(place).collect();
            places.push(line.len());
            places.windows(2).filter_map(|pair| line.get(pair[0]..pair[1])).collect()
        }
    };
    let fields: Vec<&str> = fields.into_iter().map(str::trim).collect();
    fields.join("\t")
}

/// The memory for a blank or a bar while the lines are rewritten.
const BYTES_PER_FIELD: usize = 16;

/// Reads a graph.
fn read(mut stream: Stream<'_>, options: &ReadOptions) -> Result<Parsed, Fault> {
    let text = WholeText::read(&mut stream)?;
    whole::ask_for_values(text.text().as_bytes(), BYTES_PER_FIELD)?;
    let lines: Vec<&str> = text.text().lines().collect();
    let is_line = |at: &usize| !is_comment(lines[*at].as_bytes());
    let places: Vec<usize> = (0..lines.len()).filter(is_line).collect();
    let rows: Vec<&[u8]> = places.iter().map(|&at| lines[at].as_bytes()).collect();
    let table = find(&rows).ok_or_else(|| {
        Fault::whole(
            "this is no printed table: the second line must be a rule of dashes; save the table as \
             CSV, as with `psql --csv`",
        )
    })?;
    let mut rewritten_lines = vec![String::new(); lines.len()];
    for (at, &place) in places.iter().enumerate() {
        if at == table.header || at >= table.rows {
            rewritten_lines[place] = rewritten(lines[place], &table.cuts);
        }
    }
    refuse_other_count(&lines, &rewritten_lines)?;
    let is_matrix = is_matrix(&rewritten_lines);
    let rewritten = rewritten_lines.join("\n");
    let mut options = options.clone();
    options.columns.delimiter = Some(Delimiter::Byte(b'\t'));
    let format = if is_matrix { Format::MATRIX } else { Format::EDGE_LIST };
    options.format = Some(format);
    (format.info().read)(Stream::new(from_bytes(rewritten.as_bytes()))?, &options)
}

/// Whether a header and as many rows as it has names besides the first are a matrix.
fn is_matrix(lines: &[String]) -> bool {
    let rows: Vec<&[u8]> =
        lines.iter().filter(|line| !line.is_empty()).map(String::as_bytes).collect();
    let names = rows.first().map_or(0, |header| memchr::memchr_iter(b'\t', header).count());
    rows.len() == names + 1
        && Shape::find(&DividedLines::new(rows), true, &ColumnOptions::default())
            .is_some_and(|shape| shape.names_agree())
}

/// Refuses a table whose last line tells another number of rows: it is copied in part.
fn refuse_other_count(lines: &[&str], rewritten: &[String]) -> Result<(), Fault> {
    let filled = rewritten.iter().filter(|row| !row.is_empty()).count() as u64;
    let rows = filled.saturating_sub(1);
    for (line, told) in lines.iter().zip(1..).filter_map(|(line, at)| Some((at, told_rows(line)?)))
    {
        if told != rows {
            let sentence = format!(
                "the table has {}, but this line tells of {told}; copy the table again",
                counted(rows, "row", "rows")
            );
            return Err(Fault::at_line(line, 1, sentence));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::testing::edges;
    use crate::{Format, ReadOptions, Vertices, read_bytes};

    #[test]
    fn tables_are_read_as_they_are_printed() {
        for text in [
            " source | target | cost \n--------+--------+------\n      1 |      2 |    5\n      2 |      3 |    4\n(2 rows)\n",
            "+--------+--------+------+\n| source | target | cost |\n+--------+--------+------+\n|      1 |      2 |    5 |\n|      2 |      3 |    4 |\n+--------+--------+------+\n2 rows in set (0.00 sec)\n",
            "| source | target | cost |\n|-------:|:------:|------|\n| 1 | 2 | 5 |\n| 2 | 3 | 4 |\n",
            "source | target | cost\n--- | --- | ---\n1 | 2 | 5\n2 | 3 | 4\n",
            "┌────────┬────────┬──────┐\n│ source │ target │ cost │\n├────────┼────────┼──────┤\n│      1 │      2 │    5 │\n│      2 │      3 │    4 │\n└────────┴────────┴──────┘\n",
            "source  target  cost\n------  ------  ----\n1       2       5   \n2       3       4   \n",
            "┌────────┬────────┬───────┐\n│ source │ target │ cost  │\n│ int64  │ int64  │ int64 │\n├────────┼────────┼───────┤\n│      1 │      2 │     5 │\n│      2 │      3 │     4 │\n└────────┴────────┴───────┘\n",
            "shape: (2, 3)\n┌────────┬────────┬──────┐\n│ source ┆ target ┆ cost │\n│ ---    ┆ ---    ┆ ---  │\n│ i64    ┆ i64    ┆ i64  │\n╞════════╪════════╪══════╡\n│ 1      ┆ 2      ┆ 5    │\n│ 2      ┆ 3      ┆ 4    │\n└────────┴────────┴──────┘\n",
            "# Roads\n\nAll roads of the town:\n\n| source | target | cost |\n|-|-|-|\n| 1 | 2 | 5 |\n| 2 | 3 | 4 |\n",
            "mysql> select * from roads;\n+--------+--------+------+\n| source | target | cost |\n+--------+--------+------+\n|      1 |      2 |    5 |\n|      2 |      3 |    4 |\n+--------+--------+------+\n2 rows in set (0.00 sec)\n",
        ] {
            let options = ReadOptions { vertices: Vertices::Occurring, ..ReadOptions::default() };
            let loaded = read_bytes("x", text.as_bytes(), &options).unwrap();
            assert_eq!(loaded.format, Format::TABLE, "{text}");
            assert_eq!(edges(&loaded.parsed.graph), "0-1:5 1-2:4", "{text}");
        }
        let matrix =
            "| | a | b | c |\n|-|-|-|-|\n| a | 0 | 1 | 2 |\n| b | 1 | 0 | 3 |\n| c | 2 | 3 | 0 |\n";
        let loaded = read_bytes("x", matrix.as_bytes(), &ReadOptions::default()).unwrap();
        assert_eq!(edges(&loaded.parsed.graph), "0-1:1 0-2:2 1-2:3");
        let cut = " u | v \n---+---\n 1 | 2\n(3 rows)\n";
        let error = read_bytes("x", cut.as_bytes(), &ReadOptions::default()).unwrap_err();
        let said =
            "line 4, column 1: the table has 1 row, but this line tells of 3; copy the table";
        assert!(error.to_string().contains(said), "{error}");
        let text = "a | b\n--+--\n1 | 2\n";
        let error = read_bytes("x", text.as_bytes(), &ReadOptions::default()).unwrap_err();
        assert!(error.to_string().contains("which columns are the vertices?"), "{error}");
    }
}
