//! Tables as programs print them on a terminal: psql, MySQL, SQLite, DuckDB, and Markdown.
//!
//! The lines between the rows are drawn with dashes, and bars stand between the columns. The table
//! is rewritten with tabs and read as an edge list. The text is held in memory.

use crate::compression::Stream;
use crate::fault::Fault;
use crate::formats::edge_list::is_comment;
use crate::interface::{Format, FormatInfo, Parsed};
use crate::source::from_bytes;
use crate::whole::WholeText;
use crate::{Delimiter, ReadOptions};

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
const RULES: &str = "-=+|:─━═┼╪╬┌┐└┘├┤┬┴╔╗╚╝╠╣╦╩╭╮╰╯╞╡╤╧┏┓┗┛┣┫┳┻╋│┃║";
const BARS: [char; 4] = ['|', '│', '┃', '║'];

/// Where a line is cut into fields.
#[derive(Debug, PartialEq)]
pub(crate) enum FieldCuts {
    Bars,
    /// At the characters where columns start.
    Starts(Vec<usize>),
}

/// Whether a line is a rule: nothing but dashes, bars and crossings, at least two of them.
fn is_rule(line: &str) -> bool {
    let line = line.trim();
    line.chars().all(|letter| RULES.contains(letter) || letter == ' ')
        && line.chars().filter(|&letter| "-=─━═".contains(letter)).nth(1).is_some()
}

/// How the first lines divide into columns, if they are a printed table: a header, and a rule above
/// or below it.
pub(crate) fn columns(lines: &[&[u8]]) -> Option<FieldCuts> {
    let mut lines = lines.iter().map_while(|line| str::from_utf8(line).ok());
    let first = lines.next()?;
    let (head, rule) = if is_rule(first) { (lines.next()?, first) } else { (first, lines.next()?) };
    if !is_rule(rule) || is_rule(head) {
        return None;
    }
    if head.trim().trim_matches(BARS).contains(BARS) {
        return Some(FieldCuts::Bars);
    }
    let letters: Vec<char> = rule.trim_end().chars().collect();
    let is_start = |&at: &usize| letters[at] != ' ' && (at == 0 || letters[at - 1] == ' ');
    let starts: Vec<usize> = (0..letters.len()).filter(is_start).collect();
    let is_plain = letters.iter().all(|letter| " -=".contains(*letter));
    (is_plain && starts.len() > 1).then_some(FieldCuts::Starts(starts))
}

/// Whether a line tells the number of rows, as below a table: `(2 rows)`.
fn is_summary(line: &str) -> bool {
    let line = line.trim().trim_start_matches('(').trim_end_matches(')');
    let (number, rest) = line.split_once(' ').unwrap_or((line, ""));
    number.parse::<u64>().is_ok() && (rest.starts_with("row") || rest.starts_with("tuple"))
}

/// A line with tabs between its fields; empty if it has none.
fn rewritten(line: &str, columns: &FieldCuts) -> String {
    if is_rule(line) || is_summary(line) || is_comment(line.as_bytes()) {
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

/// Reads a graph.
fn read(mut stream: Stream<'_>, options: &ReadOptions) -> Result<Parsed, Fault> {
    let text = WholeText::read(&mut stream)?;
    let lines: Vec<&str> = text.text().lines().collect();
    let rows: Vec<&[u8]> =
        lines.iter().map(|line| line.as_bytes()).filter(|line| !is_comment(line)).collect();
    let columns = columns(&rows).ok_or_else(|| {
        Fault::whole(
            "this is no printed table: the second line must be a rule of dashes; save the table as \
             CSV, as with `psql --csv`",
        )
    })?;
    let rewritten: Vec<String> = lines.iter().map(|line| rewritten(line, &columns)).collect();
    let rewritten = rewritten.join("\n");
    let mut options = options.clone();
    options.columns.delimiter = Some(Delimiter::Byte(b'\t'));
    options.format = Some(Format::EDGE_LIST);
    (Format::EDGE_LIST.info().read)(Stream::new(from_bytes(rewritten.as_bytes()))?, &options)
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
        ] {
            let options = ReadOptions { vertices: Vertices::Occurring, ..ReadOptions::default() };
            let loaded = read_bytes("x", text.as_bytes(), &options).unwrap();
            assert_eq!(loaded.format, Format::TABLE, "{text}");
            assert_eq!(edges(&loaded.parsed.graph), "0-1:5 1-2:4", "{text}");
        }
        let text = "a | b\n--+--\n1 | 2\n";
        let error = read_bytes("x", text.as_bytes(), &ReadOptions::default()).unwrap_err();
        assert!(error.to_string().contains("which columns are the vertices?"), "{error}");
    }
}
