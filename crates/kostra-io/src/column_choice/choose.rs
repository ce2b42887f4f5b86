//! The choice of the columns with the vertices and the weight: by the options, or else by names and
//! contents. If these leave a column open, the input is refused with a question. A column that may
//! be the weight is never ignored.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use kostra_core::counted;

use super::end_names;
use super::known::{LENGTH_NAMES, WEIGHT_NAMES, is_no_weight, plain};
use crate::fields::{is_number_of, text, texts};
use crate::message::{Message, Remedy, message};
use crate::number::{did_you_mean, show};
use crate::quotes::unquote;
use crate::text_fold::fold;
use crate::{ColumnChoice, ColumnOptions, Header, ReadErrorKind, ReadOptions};

/// What is known about the columns.
pub(crate) struct Chooser<'a> {
    /// The names of the columns, if they have names.
    pub(crate) names: Option<&'a [&'a [u8]]>,
    /// The fields of the first edge; empty if there is no edge.
    pub(crate) row: &'a [&'a [u8]],
    /// The number of columns.
    pub(crate) columns: usize,
    /// Whether the weight is the third column if nothing else says which it is. Programs that
    /// separate columns by blanks or tabs write it there, and more columns after it.
    pub(crate) third_is_weight: bool,
    pub(crate) options: &'a ReadOptions,
}

/// The columns of the vertices and the weight, counted from 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Chosen {
    pub(crate) u: usize,
    pub(crate) v: usize,
    pub(crate) weight: Option<usize>,
}

impl Chooser<'_> {
    /// Chooses the columns.
    ///
    /// # Errors
    /// When an option names no column, or two options name the same column, or a column is left
    /// open.
    pub(crate) fn choose(&self) -> Result<Chosen, ReadErrorKind> {
        let [source, target, weight, id] = self.asked_for()?;
        let (u, v) = self.ends([source, target], [weight, id])?;
        let free: Vec<usize> = (0..self.columns)
            .filter(|column| ![Some(u), Some(v), id].contains(&Some(*column)))
            .collect();
        let in_place = if source.or(target).is_some() { None } else { Some(2) };
        let weight = match weight {
            Some(weight) => Some(weight),
            None => self.weight_among(&free, in_place),
        };
        if weight.is_none()
            && !free.is_empty()
            && !self.row.is_empty()
            && self.options.missing_weights.is_none()
        {
            return Err(self.ask_for_weight(&free));
        }
        self.checked(Chosen { u, v, weight })
    }

    fn checked(&self, chosen: Chosen) -> Result<Chosen, ReadErrorKind> {
        crate::weights::refuse_others(chosen.weight.is_some(), self.options)?;
        Ok(chosen)
    }

    /// The columns that the options name, each another.
    fn asked_for(&self) -> Result<[Option<usize>; 4], ReadErrorKind> {
        let mut found = [None; 4];
        for (option, choice) in self.options.columns.chosen() {
            let column = self.find(option, choice)?;
            if let Some(earlier) = found.iter().position(|&other| other == Some(column)) {
                let earlier = Remedy::option(ColumnOptions::OPTIONS[earlier]);
                let both = message![earlier, " and ", Remedy::option(option)];
                return Err(self.refusal(message![both, " name the same column"]));
            }
            let index = ColumnOptions::OPTIONS.iter().position(|&name| name == option);
            if let Some(place) = index.and_then(|index| found.get_mut(index)) {
                *place = Some(column);
            }
        }
        Ok(found)
    }

    pub(super) fn find(
        &self,
        option: &'static str,
        choice: &ColumnChoice,
    ) -> Result<usize, ReadErrorKind> {
        let (name, _) = name_and_position(choice);
        let is_called = |field: &[u8]| {
            unquote(field).is_some_and(|field| Some(&*field) == name.map(str::as_bytes))
        };
        let names = self.names.unwrap_or_default().iter().enumerate();
        let mut named = names.filter(|(_, field)| is_called(field)).map(|(column, _)| column);
        let named = [named.next(), named.next()];
        self.find_among(named, option, choice)
    }

    /// As [`find`](Self::find). `named` are the first two columns with the name.
    fn find_among(
        &self,
        named: [Option<usize>; 2],
        option: &'static str,
        choice: &ColumnChoice,
    ) -> Result<usize, ReadErrorKind> {
        let (name, position) = name_and_position(choice);
        let placed = position
            .and_then(|position| position.checked_sub(1))
            .filter(|&column| column < self.columns);
        let shown = show(name.unwrap_or_default().as_bytes());
        match (named, placed) {
            ([Some(column), None], None) => Ok(column),
            ([Some(column), None], Some(placed)) if column == placed => Ok(column),
            ([None, _], Some(column)) => Ok(column),
            ([Some(column), _], Some(placed)) => {
                let first = format!("the one called {shown}, at position {}", column + 1);
                let or = format!(", or the one at position {}? rename the first", placed + 1);
                let question = message!["is the column of ", Remedy::option(option), " "];
                Err(self.refusal(message![question, first, or]))
            }
            ([_, Some(second)], None) => Err(self.refusal(message![
                format!("two columns are called '{shown}'; name one by its position, as "),
                Remedy::position(option, second + 1),
            ])),
            ([None, None], None) => Err(self.refusal(self.not_there(name, position))),
        }
    }

    fn not_there(&self, name: Option<&str>, position: Option<usize>) -> String {
        let columns = self.columns;
        let is_number = position.is_some() && name.is_none_or(|name| name.parse::<usize>().is_ok());
        let wanted = match (position, name) {
            (Some(position), _) if is_number => position.to_string(),
            (_, name) => format!("'{}'", show(name.unwrap_or_default().as_bytes())),
        };
        match self.names {
            None if is_number => {
                let columns = counted(columns as u64, "column", "columns");
                format!("there is no column {wanted}: the lines have {columns}, counted from 1")
            }
            None => format!(
                "there is no column {wanted}: the first line is no header that names it; pass a position, counted \
                 from 1"
            ),
            Some(names) => {
                let folded = |name: &str| plain(fold(name).as_bytes());
                let plain_name = folded(name.unwrap_or_default());
                let is_near =
                    |field: &&&[u8]| !plain_name.is_empty() && folded(&text(field)) == plain_name;
                let near = names.iter().find(is_near);
                let near = match near {
                    Some(field) => format!("; did you mean '{}'?", text(field)),
                    None => {
                        let names: Vec<_> = names.iter().map(|field| text(field)).collect();
                        did_you_mean(name.unwrap_or_default(), names.iter().map(|name| &**name))
                    }
                };
                format!("there is no column {wanted}; columns: {}{near}", self.list())
            }
        }
    }

    /// The columns of the vertices. The columns `taken` of the weight and the id are neither.
    fn ends(
        &self,
        [source, target]: [Option<usize>; 2],
        taken: [Option<usize>; 2],
    ) -> Result<(usize, usize), ReadErrorKind> {
        let weight = taken.first().copied().flatten();
        let free = |column: &usize| {
            ![source, target].contains(&Some(*column)) && !taken.contains(&Some(*column))
        };
        if let (Some(u), Some(v)) = (source, target) {
            return Ok((u, v));
        }
        let others: Vec<usize> = (0..self.columns).filter(free).collect();
        let known = self
            .known_ends()
            .filter(|(u, v)| !taken.contains(&Some(*u)) && !taken.contains(&Some(*v)));
        // Columns without names are ends only next to a weight, or without other columns.
        let most = if self.third_is_weight { usize::MAX } else { 3 };
        let is_short = others.len() + usize::from(weight.is_some()) <= most || weight == Some(2);
        // A caller who says that two names are a header says that they are those of ends.
        let is_said = self.options.columns.header == Header::Present;
        match (source.or(target), known, &others[..]) {
            (None, Some(known), _) => Ok(known),
            (Some(given), Some((u, v)), _) if given == u || given == v => Ok((u, v)),
            (Some(given), _, &[other]) => Ok((given, other)),
            (None, None, &[u, v, ..])
                if self.names.is_none() && is_short && weight.is_none_or(|weight| weight > v) =>
            {
                Ok((u, v))
            }
            (None, None, &[u, v])
                if self.names.is_none() && is_short || self.columns == 2 && is_said =>
            {
                Ok((u, v))
            }
            _ => Err(self.ask_for_ends()),
        }
    }

    /// The columns with known names of ends, if no other columns have such names.
    fn known_ends(&self) -> Option<(usize, usize)> {
        if let [pair] = end_names::pairs(self.names?)[..] { Some(pair) } else { None }
    }

    /// The columns in `columns` that have one of the names in `wanted`.
    fn called(&self, columns: &[usize], wanted: &[&str]) -> Vec<usize> {
        let names = self.names.unwrap_or_default();
        let name = |column: usize| names.get(column).map(|name| plain(name)).unwrap_or_default();
        columns.iter().copied().filter(|&column| wanted.contains(&name(column).as_str())).collect()
    }

    /// The column in `columns` that has one of the names in `wanted`, if there is exactly one.
    fn only(&self, columns: &[usize], wanted: &[&str]) -> Option<usize> {
        if let [column] = self.called(columns, wanted)[..] { Some(column) } else { None }
    }

    /// The column in `columns` with a known name of weights, if there is exactly one.
    fn weight_by_name(&self, columns: &[usize]) -> Option<usize> {
        match self.called(columns, &WEIGHT_NAMES)[..] {
            [column] => Some(column),
            [] => self.only(columns, &LENGTH_NAMES),
            _ => None,
        }
    }

    /// The column in `free` that is the weight: by its name, as the only column if it contains
    /// numbers and its name does not speak against it, or by its position `in_place` after the
    /// vertices.
    fn weight_among(&self, free: &[usize], in_place: Option<usize>) -> Option<usize> {
        let only = if let &[only] = free { Some(only) } else { None };
        let only = only.filter(|&column| {
            (self.row.is_empty() || self.is_number(column)) && !self.is_named_otherwise(column)
        });
        let numbers: Vec<_> = free.iter().filter(|&&column| self.is_number(column)).collect();
        let placed = in_place.filter(|column| {
            let is_sure = self.third_is_weight || numbers.len() == 1;
            self.names.is_none() && is_sure && numbers.contains(&column)
        });
        self.weight_by_name(free).or(only).or(placed)
    }

    /// Whether a column starts with a number.
    pub(super) fn is_number(&self, column: usize) -> bool {
        let columns = &self.options.columns;
        self.row.get(column).is_some_and(|field| is_number_of(columns, field))
    }

    pub(super) fn name(&self, column: usize) -> Option<&[u8]> {
        self.names.and_then(|names| names.get(column)).copied()
    }

    /// Whether the name of a column says that it is no weight.
    pub(super) fn is_named_otherwise(&self, column: usize) -> bool {
        self.name(column).is_some_and(is_no_weight)
    }

    /// The columns that are kept with the edges: the ids, and then those of `keep`. `is_other`
    /// tells the columns of the ends and the weight.
    pub(crate) fn kept(
        &self,
        is_other: impl Fn(usize) -> bool,
    ) -> Result<Vec<(usize, String)>, ReadErrorKind> {
        let columns = &self.options.columns;
        let id = columns.id.iter().map(|choice| ("id", choice));
        let keep = columns.keep.iter().map(|choice| ("keep", choice));
        let mut chosen = id.chain(keep.filter(|(_, choice)| !choice.is_all())).peekable();
        // Without a choice, the names need no table.
        let names = chosen.peek().and(self.names).unwrap_or_default();
        let mut places = HashMap::<Cow<'_, [u8]>, [Option<usize>; 2]>::new();
        for (column, name) in names.iter().enumerate() {
            if let Some(name) = unquote(name) {
                let [first, second] = places.entry(name).or_default();
                let place = if first.is_none() { first } else { second };
                place.get_or_insert(column);
            }
        }
        let named = chosen.map(|(option, choice)| {
            let name = name_and_position(choice).0.map(str::as_bytes);
            let named = name.and_then(|name| places.get(name).copied());
            self.find_among(named.unwrap_or_default(), option, choice)
        });
        let named: Result<Vec<_>, _> = named.collect();
        let all = if columns.keeps_all() { 0..self.columns } else { 0..0 };
        let all = all.filter(|&column| !is_other(column));
        let (mut kept, mut seen) = (Vec::new(), HashSet::new());
        for column in named?.into_iter().chain(all) {
            if seen.insert(column) {
                let name = match self.name(column) {
                    Some(name) => text(name),
                    None => format!("column {}", column + 1),
                };
                kept.push((column, name));
            }
        }
        Ok(kept)
    }

    pub(super) fn refusal(&self, sentence: impl Into<Message>) -> ReadErrorKind {
        let columns = texts(self.names.unwrap_or_default());
        ReadErrorKind::Columns { sentence: sentence.into(), columns }
    }
}

/// The name and the position that a choice may mean.
fn name_and_position(choice: &ColumnChoice) -> (Option<&str>, Option<usize>) {
    match choice {
        ColumnChoice::Name(name) => (Some(name), None),
        ColumnChoice::Position(position) => (None, Some(*position)),
        ColumnChoice::NameOrPosition(text) => (Some(text), text.parse().ok()),
    }
}
