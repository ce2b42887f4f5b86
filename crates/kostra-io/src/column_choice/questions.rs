//! The questions which columns of an edge list are the vertices and the weight.

use super::choose::Chooser;
use super::coordinates;
use super::known::{LENGTH_NAMES, WEIGHT_NAMES, plain};
use crate::fields::text;
use crate::grouping;
use crate::message::{Message, Remedy, message};
use crate::quantity::Quantity;
use crate::quotes::unquote;
use crate::{ColumnChoice, ReadErrorKind};

impl Chooser<'_> {
    pub(super) fn ask_for_ends(&self) -> ReadErrorKind {
        let Some(names) = self.names else {
            return self.refusal(message![
                format!(
                    "which columns are the vertices? columns: 1 to {}, and the first line is no \
                     header that names them; pass ",
                    self.columns
                ),
                Remedy::position("source", 1),
                ", ",
                Remedy::position("target", 2),
                " and ",
                Remedy::position("weight", 3),
                ", or the positions that are meant",
                self.warn_of_unit(),
            ]);
        };
        let columns = self.list();
        if let &[u, v] | &[u, v, _] = names
            && let Some(question) = coordinates::question(u, v)
        {
            return self.refusal(question);
        }
        if let Some(column) = names.iter().position(|name| plain(name) == "wkt") {
            return self.refusal(message![
                format!(
                    "column '{}' has shapes as text, and the columns ({columns}) have no ends of \
                     edges; save the layer as GeoJSON, whose lines are edges, as with `ogr2ogr \
                     lines.geojson lines.csv`, or pass ",
                    text(names[column])
                ),
                Remedy::text("source", "NAME"),
                " and ",
                Remedy::text("target", "NAME"),
            ]);
        }
        let is = |wanted: &[&str]| names.iter().any(|name| wanted.contains(&plain(name).as_str()));
        let table = if is(&["id"]) && is(&["label"]) {
            "; a table of nodes has no edges: pass the table of edges"
        } else {
            ""
        };
        self.refusal(message![
            format!("which columns are the vertices? columns: {columns}; pass "),
            Remedy::text("source", "NAME"),
            " and ",
            Remedy::text("target", "NAME"),
            ", or their positions",
            table,
            coordinates::remedy(names),
        ])
    }

    /// What to know of a column behind the weights that seems to have their units.
    fn warn_of_unit(&self) -> String {
        /// The most letters of a unit.
        const LONGEST: usize = 5;
        let unit = self.row.get(3).map(|field| text(field)).unwrap_or_default();
        let is_unit = unit.chars().all(char::is_alphabetic) && unit.chars().count() <= LONGEST;
        if self.columns != 4 || unit.is_empty() || !is_unit || !self.is_number(2) {
            return String::new();
        }
        format!(
            "; column 4 starts with '{unit}': if these are units, all must be equal, because only \
             the numbers count"
        )
    }

    pub(super) fn ask_for_weight(&self, free: &[usize]) -> ReadErrorKind {
        let unit = Remedy::text("weights", "unit");
        let columns = match self.names {
            Some(_) => format!("columns: {}", self.list()),
            None => format!("columns: 1 to {}", self.columns),
        };
        let field = |column: usize| self.row.get(column).copied().unwrap_or_default();
        let decimal_comma = self.options.columns.decimal_comma;
        let remedy = |column: &usize| {
            let field = unquote(field(*column))?;
            Some((*column, grouping::remedy(&field, decimal_comma)?))
        };
        let mut named = free.iter().filter(|&&column| !self.is_named_otherwise(column));
        let comma = named.find_map(remedy);
        let has_number = free.iter().any(|&column| self.is_number(column));
        if has_number && comma.is_none() {
            let option = match self.likely_weight(free) {
                Some(column) => self.weight_option(column),
                None => Remedy::text("weight", "NAME"),
            };
            let question = format!("which column is the weight? {columns}; pass ");
            return self.refusal(message![question, option, ", or ", unit]);
        }
        if let (None, Some(column)) = (&comma, free.iter().find(|&&at| self.measure(at).is_some()))
        {
            return self.ask_for_unit(*column);
        }
        let column = comma.as_ref().map(|(column, _)| *column);
        let column = column.or(free.first().copied()).unwrap_or_default();
        let name = match self.name(column) {
            Some(name) => format!("column '{}'", text(name)),
            None => format!("column {}", column + 1),
        };
        let shown = text(field(column));
        let fault = match (comma, shown.is_empty()) {
            (Some((_, remedy)), _) => message![format!("{name} starts with '{shown}': "), remedy],
            (None, true) => format!("{name} starts with an empty field: fill it in").into(),
            (None, false) => {
                // Cytoscape writes the kind of an edge between its ends.
                let (u, v) =
                    (Remedy::position("source", 1), Remedy::position("target", column + 1));
                let known = plain(field(column));
                let remedy = if self.names.is_some() {
                    Message::default()
                } else if WEIGHT_NAMES.iter().chain(&LENGTH_NAMES).any(|name| *name == known) {
                    let then = " if the first line contains the names of the columns";
                    message![", pass ", Remedy::on("header"), then]
                } else {
                    message![", pass ", u, " and ", v, " if it is a vertex"]
                };
                let fault = "which is not a number: correct it";
                message![format!("{name} starts with '{shown}', {fault}"), remedy]
            }
        };
        let question = format!("which column is the weight? {columns}; ");
        let mut sentence = message![question, fault, ", or pass "];
        if has_number {
            sentence.push(message![Remedy::text("weight", "NAME"), " or "]);
        }
        sentence.push(unit);
        self.refusal(sentence)
    }

    /// The unit of the weights in a column, if the options say that it is the weight.
    ///
    /// # Errors
    /// When the weights seem to have a unit, and the options do not say that they are weights.
    pub(crate) fn unit_of(&self, weight: Option<usize>) -> Result<Option<String>, ReadErrorKind> {
        let unit = weight.and_then(|column| Some((column, self.measure(column)?)));
        match unit {
            Some((column, _)) if self.options.columns.weight.is_none() => {
                Err(self.ask_for_unit(column))
            }
            unit => Ok(unit.map(|(_, unit)| unit)),
        }
    }

    /// The unit of the number in a column of the first row.
    fn measure(&self, column: usize) -> Option<String> {
        let text = text(self.row.get(column).filter(|_| !self.is_number(column))?);
        let unit = Quantity::parse(&text)?.unit.to_owned();
        (!unit.is_empty()).then_some(unit)
    }

    fn ask_for_unit(&self, column: usize) -> ReadErrorKind {
        let shown = self.row.get(column).map(|field| text(field)).unwrap_or_default();
        let question = format!("is '{shown}' a weight with its unit? pass ");
        let unit = Remedy::text("weights", "unit");
        self.refusal(message![question, self.weight_option(column), ", or ", unit])
    }

    /// The option that says that a column is the weight: by its name if only this column has it.
    fn weight_option(&self, column: usize) -> Remedy {
        let by_name = self.name(column).map(text).filter(|name| {
            let choice = ColumnChoice::NameOrPosition(name.clone());
            self.find("weight", &choice).is_ok_and(|found| found == column)
        });
        match by_name {
            Some(name) => Remedy::text("weight", name),
            None => Remedy::position("weight", column + 1),
        }
    }

    /// The column that the question about the weight suggests.
    fn likely_weight(&self, free: &[usize]) -> Option<usize> {
        let name = |column: usize| self.name(column).map(plain).unwrap_or_default();
        let mut candidates = free
            .iter()
            .copied()
            .filter(|&column| self.is_number(column) && !self.is_named_otherwise(column));
        let words = ["weight", "length", "dist", "cost", "len", "km", "time"];
        let by_word = |word: &&str| candidates.clone().find(|&column| name(column).contains(*word));
        words.iter().find_map(by_word).or_else(|| candidates.next())
    }

    /// The names of the columns, as many as fit into a sentence.
    pub(super) fn list(&self) -> String {
        const LONGEST: usize = 120;
        let mut list = String::new();
        for (index, name) in self.names.unwrap_or_default().iter().enumerate() {
            if list.len() > LONGEST {
                return format!("{list}, ... ({} in all)", self.columns);
            }
            list += if index == 0 { "" } else { ", " };
            list += &text(name);
        }
        list
    }
}
