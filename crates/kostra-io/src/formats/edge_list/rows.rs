//! Parsing the lines of an edge list whose vertices are numbers.

use std::borrow::Cow;

use kostra_core::{MAX_VERTICES, Vertex, counted};

use super::layout::{Dictionary, Layout, WeightAt};
use crate::blocks::Parser;
use crate::column_choice::cheaper;
use crate::columns::{Columns, TextNumber};
use crate::fault::{BlockFault, LineFault};
use crate::fields::{
    Separator, cut, fields, has_leading_zero, is_comment, is_empty, open_quote, text, weight_in,
    with_point, without_end,
};
use crate::grouping::{self, without_separators};
use crate::message::{Message, Remedy, message};
use crate::number::{digits, natural, show, weight};
use crate::quantity::Quantity;
use crate::quotes::{is_open, unquote};
use crate::thousands::Thousands;
use crate::{Nan, ReadOptions};

/// The offset of a field in its line, and the field.
type Field<'l> = (usize, &'l [u8]);

/// The fields of a line: the ends of an edge, and its weight if it has one.
pub(super) struct Row<'l> {
    pub(super) u: Field<'l>,
    pub(super) v: Field<'l>,
    pub(super) weight: Option<Field<'l>>,
    /// The weight in the other direction.
    reverse: Option<Field<'l>>,
}

impl<'l> Row<'l> {
    /// Parses a line that is not a comment. A fault has its offset in the line.
    pub(super) fn parse(line: &'l [u8], layout: &Layout) -> Result<Self, LineFault> {
        let (row, dictionary) = match layout.dictionary {
            Dictionary::Absent => (line, None),
            Dictionary::Empty | Dictionary::Other => cut(line),
        };
        let (mut u, mut v, mut weight, mut columns) = (None, None, None, 0);
        let mut reverse = None;
        for (column, field) in fields(row, layout.separator).enumerate() {
            columns += 1;
            // Else the lines of a field with a line break would be taken for rows.
            if is_open(field.1) {
                return Err((field.0, open_quote(field.1)).into());
            }
            if column == layout.u {
                u = Some(field);
            } else if column == layout.v {
                v = Some(field);
            } else if layout.weight == WeightAt::Column(column) {
                weight = Some(field);
            } else if layout.reverse == Some(column) {
                reverse = Some(field);
            }
        }
        let (Some(u), Some(v), true) = (u, v, columns == layout.columns) else {
            let (columns, expected) = (counted(columns, "column", "columns"), layout.columns);
            let sentence = format!(
                "this line has {columns}, but the previous lines have {expected}; correct it"
            );
            return Err((0, sentence).into());
        };
        let start = line.len() - dictionary.map_or(0, <[u8]>::len);
        if layout.dictionary == Dictionary::Empty
            && dictionary.is_some_and(|inside| !is_empty(inside))
        {
            let sentence =
                "the first dictionary is empty, so that edges have no weights, but this one is not";
            return Err((start, sentence).into());
        }
        if layout.weight == WeightAt::Dictionary {
            let (at, field) = dictionary
                .and_then(weight_in)
                .ok_or((start, "the dictionary has no weight, but the first has one"))?;
            weight = Some((start + at, field));
        }
        Ok(Self { u, v, weight, reverse })
    }

    /// The weight, if the layout contains weights.
    pub(super) fn weight(
        &self,
        layout: &Layout,
        options: &ReadOptions,
    ) -> Result<Option<TextNumber>, LineFault> {
        let Some(field) = self.weight else { return Ok(None) };
        if let Some(unit) = &layout.unit {
            return number_with(unit, field, options).map(Some);
        }
        let weight = number_in(field, options)?;
        let Some(reverse) = self.reverse else { return Ok(Some(weight)) };
        let costs = [weight, number_in(reverse, options)?];
        cheaper(costs, options).map(Some).map_err(|sentence| (field.0, sentence).into())
    }
}

/// The number in a field whose text ends or starts with a unit.
fn number_with(
    unit: &str,
    (at, field): Field<'_>,
    options: &ReadOptions,
) -> Result<TextNumber, LineFault> {
    let whole = text(field);
    match Quantity::parse(&whole) {
        Some(measure) if measure.unit == unit => {
            weight(measure.number.as_bytes(), options.nan).map_err(|sentence| (at, sentence).into())
        }
        _ => {
            let sentence = format!(
                "the weight is '{whole}', but that of the first edge has the unit '{unit}'; use \
                 one unit"
            );
            Err((at, sentence).into())
        }
    }
}

/// The number in a field.
fn number_in((at, field): Field<'_>, options: &ReadOptions) -> Result<TextNumber, LineFault> {
    let whole = unquote(field).ok_or_else(|| (at, open_quote(field)))?;
    let columns = &options.columns;
    let number = |text: &[u8]| -> Result<TextNumber, Message> {
        let text = match columns.thousands {
            true => without_separators(text, columns.decimal_comma)?,
            false => Cow::Borrowed(text),
        };
        if columns.decimal_comma {
            weight(&with_point(&text)?, options.nan)
        } else {
            weight(&text, options.nan)
        }
    };
    number(&whole).map_err(|mut sentence| {
        let remedy = grouping::remedy(&whole, columns.decimal_comma);
        if let Some(remedy) = remedy.filter(|_| !columns.thousands) {
            sentence.push(message![", or ", remedy]);
        }
        (at, sentence).into()
    })
}

/// The offset of the line of an edge in a block; edges count from 0.
pub(super) fn row_in(block: &[u8], edge: usize) -> usize {
    let mut start = 0;
    let mut starts = block.split_inclusive(|&byte| byte == b'\n').filter_map(|line| {
        let place = start;
        start += line.len();
        (!is_comment(line.trim_ascii_end())).then_some(place)
    });
    starts.nth(edge).unwrap_or_default()
}

/// Parses lines into edges.
pub(super) struct Rows<'a> {
    pub(super) layout: &'a Layout,
    pub(super) options: &'a ReadOptions,
    /// How vertices can have names, for messages: `with names`.
    pub(super) with_names: Message,
}

impl Parser for Rows<'_> {
    type Chunk = Columns;

    fn parse(&self, block: &[u8], chunk: &mut Columns) -> Result<(), BlockFault> {
        let layout = self.layout;
        let separator = layout.separator;
        let any = |line: &[u8], chunk: &mut Columns| self.any_line(line, chunk);
        see_thousands(block, layout, self.options, chunk);
        if layout.is_weighted_triple(self.options) {
            let nan = self.options.nan;
            let plain = |at, chunk: &mut Columns| plain_edge(block, at, separator, nan, chunk);
            parse_lines(block, chunk, plain, any)
        } else if layout.is_pair() {
            let plain = |at, chunk: &mut Columns| plain_ends(block, at, separator, chunk);
            parse_lines(block, chunk, plain, any)
        } else {
            parse_lines(block, chunk, |_, _| None, any)
        }
    }
}

/// Records what the weights say about points. Between commas, a point is a decimal point unless
/// zeros at the end are written after it.
pub(super) fn see_thousands(
    block: &[u8],
    layout: &Layout,
    options: &ReadOptions,
    columns: &mut Columns,
) {
    /// The rows that show what all are like, if all have a point or none has.
    const FEW: usize = 64;
    let are_commas = layout.separator == Separator::Byte(b',');
    if options.columns.thousands
        || layout.weight == WeightAt::Nowhere
        || options.columns.decimal_comma
    {
        return;
    }
    let count = |byte| memchr::memchr_iter(byte, block).count();
    let has_points = memchr::memchr(b'.', block).is_some();
    let rows = if has_points && count(b'.') != count(b'\n') { usize::MAX } else { FEW };
    let lines = block.split(|&byte| byte == b'\n').map(without_end);
    let lines = lines.filter(|line| !is_comment(line));
    let weights = lines.filter_map(|line| Some(Row::parse(line, layout).ok()?.weight?.1));
    let weights = weights.take(rows);
    let has_zero = |weight: &[u8]| weight.contains(&b'.') && weight.ends_with(b"0");
    if !are_commas || weights.clone().any(has_zero) {
        columns.kinds.thousands = Thousands::of(weights);
    }
}

/// Parses all lines of a block. `plain` parses a line in the usual form and returns the start of
/// the next line; `any` parses all others, without their ends.
#[inline(always)]
pub(super) fn parse_lines<C>(
    block: &[u8],
    chunk: &mut C,
    plain: impl Fn(usize, &mut C) -> Option<usize>,
    any: impl Fn(&[u8], &mut C) -> Result<(), LineFault>,
) -> Result<(), BlockFault> {
    let mut at = 0;
    while at < block.len() {
        if let Some(next) = plain(at, chunk) {
            at = next;
            continue;
        }
        let rest = block.get(at..).unwrap_or_default();
        let length = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
        let line = rest.get(..length).unwrap_or_default();
        any(without_end(line), chunk).map_err(|fault| fault.in_block(at))?;
        at += length + 1;
    }
    Ok(())
}

impl Rows<'_> {
    fn any_line(&self, line: &[u8], chunk: &mut Columns) -> Result<(), LineFault> {
        if is_comment(line) {
            return Ok(());
        }
        let row = Row::parse(line, self.layout)?;
        let vertex = |field| vertex(field, &self.with_names);
        let (u, v) = (vertex(row.u)?, vertex(row.v)?);
        let weight = row.weight(self.layout, self.options)?;
        chunk.push_ends(u, v);
        if let Some(weight) = weight {
            chunk.push_weight(weight);
        }
        Ok(())
    }
}

/// Parses a vertex. `with_names` says how a vertex can be a name.
fn vertex((at, field): Field<'_>, with_names: &Message) -> Result<Vertex, LineFault> {
    let with_names = || with_names.clone();
    let text = unquote(field).ok_or_else(|| (at, open_quote(field)))?;
    if has_leading_zero(&text) {
        let text = show(&text);
        let (start, other) = ("starts with 0, so it may be another one than", without_zeros(&text));
        let sentence =
            message![format!("the vertex {text} {start} {other}; "), with_names(), " it is a name"];
        return Err((at, sentence).into());
    }
    let vertex = natural(&text, "vertex").map_err(|sentence| {
        let is = |reason: &&str| sentence.ends_with(reason);
        let is_decimal = is(&"not a whole number");
        let is_name = is_decimal || ["not a number", "negative", "too large"].iter().any(is);
        let mut sentence = Message::from(sentence);
        if is_name {
            sentence.push(message!["; ", with_names(), " vertices can have names"]);
        }
        if is_decimal {
            sentence.push(message![", and ", Remedy::PointTree, " finds the tree of points"]);
        }
        (at, sentence)
    })?;
    match Vertex::try_from(vertex) {
        Ok(vertex) if (vertex as usize) < MAX_VERTICES => Ok(vertex),
        _ => {
            let beyond = format!("the vertex {vertex} is beyond 32-bit ids; ");
            Err((at, message![beyond, with_names(), " it is numbered anew"]).into())
        }
    }
}

/// A number without the zeros at its start.
fn without_zeros(number: &str) -> &str {
    match number.trim_start_matches('0') {
        "" => "0",
        number => number,
    }
}

/// The most digits of a number in a plain line; they cannot overflow 64 bits.
const MOST_DIGITS: usize = 18;

/// Parses two numbers with one separator between them, without zeros at their start. Returns them
/// and their end.
#[inline(always)]
fn plain_pair(block: &[u8], start: usize, separator: Separator) -> Option<(Vertex, Vertex, usize)> {
    let (u, end_of_u) = digits(block, start);
    let (v, end) = digits(block, end_of_u + 1);
    let both = end_of_u > start && end > end_of_u + 1 && separator.is(block.get(end_of_u));
    let zeros = |at: usize, end: usize| block.get(at) == Some(&b'0') && end > at + 1;
    let both = both && !zeros(start, end_of_u) && !zeros(end_of_u + 1, end);
    let most = MAX_VERTICES as u64;
    (both && end - start <= MOST_DIGITS && u < most && v < most).then_some((
        u as Vertex,
        v as Vertex,
        end,
    ))
}

#[inline(always)]
fn plain_ends(
    block: &[u8],
    start: usize,
    separator: Separator,
    chunk: &mut Columns,
) -> Option<usize> {
    let (u, v, end) = plain_pair(block, start, separator)?;
    if block.get(end) != Some(&b'\n') {
        return None;
    }
    chunk.push_ends(u, v);
    Some(end + 1)
}

#[inline(always)]
fn plain_edge(
    block: &[u8],
    start: usize,
    separator: Separator,
    nan: Nan,
    chunk: &mut Columns,
) -> Option<usize> {
    let (u, v, end_of_v) = plain_pair(block, start, separator)?;
    if !separator.is(block.get(end_of_v)) {
        return None;
    }
    let next = plain_weight(block, end_of_v + 1, nan, chunk)?;
    chunk.push_ends(u, v);
    Some(next)
}

/// Parses the weight at the end of a line, and adds it. Returns the start of the next line.
#[inline(always)]
pub(super) fn plain_weight(
    block: &[u8],
    at: usize,
    nan: Nan,
    chunk: &mut Columns,
) -> Option<usize> {
    let (value, end) = digits(block, at);
    if block.get(end) == Some(&b'\n') && (1..=MOST_DIGITS).contains(&(end - at)) {
        chunk.push_integer(value as i64);
        return Some(end + 1);
    }
    const LONGEST: usize = 32;
    let rest = block.get(at..)?;
    let length = rest.iter().take(LONGEST).position(|&byte| byte == b'\n')?;
    chunk.push_weight(weight(rest.get(..length)?, nan).ok()?);
    Some(at + length + 1)
}
