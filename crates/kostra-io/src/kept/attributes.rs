//! Attributes of edges that are kept, in formats where each edge has its own.

use kostra_core::memory;

use super::{KeptColumns, KeptKind};
use crate::message::{Remedy, message};
use crate::number::show;
use crate::options::WEIGHT;
use crate::{ColumnChoice, ReadErrorKind, ReadOptions};

/// The attributes that are kept with the edges: that of the option `id`, and those of `keep`.
#[derive(Debug)]
pub(crate) struct KeptAttributes {
    columns: KeptColumns,
    /// What is known of each column.
    seen: Vec<Seen>,
    /// The values of the edge that is being read.
    edge: Vec<Value>,
    /// The values of edges that have none.
    defaults: Vec<(Value, KeptKind)>,
    /// The names of attributes that edges have, in order of appearance.
    names: Vec<String>,
    /// The number of columns that the options name.
    named: usize,
    /// With all attributes kept: the name of the weight, which is not kept, in lower case.
    all_but: Option<String>,
    /// With all attributes kept: the number of columns when each edge was added.
    widths: Vec<u32>,
}

/// The most attributes that are kept without being named. A file in which each edge has another
/// attribute would take memory quadratic in its edges.
const MOST_ATTRIBUTES: usize = 1000;

/// A value of an edge.
#[derive(Clone, Debug, Default)]
enum Value {
    #[default]
    Missing,
    Text(String),
    /// The place of a text in the columns, once an edge has been added with it.
    Stored(usize),
}

impl Value {
    fn is_missing(&self) -> bool {
        matches!(self, Self::Missing)
    }

    fn bytes(&self) -> usize {
        if let Self::Text(text) = self { text.len() } else { 0 }
    }
}

/// What is known of a column.
#[derive(Debug)]
struct Seen {
    /// The option that names it.
    option: &'static str,
    /// Whether an edge has the attribute, perhaps without a value.
    is_there: bool,
    /// The kind of the values so far.
    kind: Option<KeptKind>,
}

impl KeptAttributes {
    /// The attributes that the options name.
    ///
    /// # Errors
    /// When they give a position.
    pub(crate) fn new(options: &ReadOptions) -> Result<Self, ReadErrorKind> {
        let id = options.columns.id.iter().map(|choice| ("id", choice));
        let keep = options.columns.keep.iter().map(|choice| ("keep", choice));
        let (mut names, mut seen) = (Vec::new(), Vec::new());
        for (option, choice) in id.chain(keep.filter(|(_, choice)| !choice.is_all())) {
            let (ColumnChoice::Name(name) | ColumnChoice::NameOrPosition(name)) = choice else {
                let sentence = "the edges have named attributes and no columns; pass the names of \
                                attributes";
                let columns = Vec::new();
                return Err(ReadErrorKind::Columns { sentence: sentence.into(), columns });
            };
            if !names.contains(name) {
                names.push(name.clone());
                seen.push(Seen { option, is_there: false, kind: None });
            }
        }
        let edge = vec![Value::Missing; names.len()];
        let defaults = vec![(Value::Missing, KeptKind::Unknown); names.len()];
        let all_but = options.columns.keeps_all().then(|| match &options.columns.weight {
            Some(ColumnChoice::Name(name) | ColumnChoice::NameOrPosition(name)) => {
                name.to_lowercase()
            }
            None if options.missing_weights.is_none() => WEIGHT.to_owned(),
            Some(ColumnChoice::Position(_)) | None => String::new(),
        });
        let named = names.len();
        let columns = KeptColumns::new(names);
        let (names, widths) = (Vec::new(), Vec::new());
        Ok(Self { columns, seen, edge, defaults, names, named, all_but, widths })
    }

    fn column(&self, name: &str) -> Option<usize> {
        self.columns.names().iter().position(|other| other == name)
    }

    /// The column of an attribute, which is a new one if all attributes are kept.
    fn column_or_new(&mut self, name: &str) -> Option<usize> {
        let found = self.column(name);
        if found.is_none() && self.wants(name) && self.edge.len() <= MOST_ATTRIBUTES {
            self.columns.names.push(name.into());
            self.columns.kinds.push(KeptKind::Unknown);
            self.seen.push(Seen { option: "keep", is_there: true, kind: None });
            self.edge.push(Value::Missing);
            self.defaults.push((Value::Missing, KeptKind::Unknown));
            return Some(self.edge.len() - 1);
        }
        found
    }

    /// Whether the options name this attribute to be kept.
    pub(crate) fn names(&self, name: &str) -> bool {
        self.column(name).is_some_and(|column| column < self.named)
    }

    /// Whether the attribute with this name is kept.
    pub(crate) fn wants(&self, name: &str) -> bool {
        let is_other = |but: &String| !but.eq_ignore_ascii_case(name);
        self.column(name).is_some() || self.all_but.as_ref().is_some_and(is_other)
    }

    /// Starts an edge, which has no attributes yet.
    pub(crate) fn begin(&mut self) {
        self.edge.fill(Value::Missing);
    }

    /// Sets an attribute of the edge: its value and kind, or none for a value that is null. Of
    /// several attributes with one name, the last counts.
    pub(crate) fn set(&mut self, name: &str, value: Option<(&str, KeptKind)>) {
        /// A refusal lists no more names than a reader of it compares.
        const MOST: usize = 8;
        if self.edge.is_empty() && self.all_but.is_none() {
            return;
        }
        if self.names.len() <= MOST && !self.names.iter().any(|other| other == name) {
            self.names.push(name.into());
        }
        let column = self.column_or_new(name);
        if let Some((column, seen)) = column.and_then(|at| Some((at, self.seen.get_mut(at)?))) {
            seen.is_there = true;
            if let Some((_, kind)) = value {
                seen.kind = Some(seen.kind.map_or(kind, |before| before.and(kind)));
            }
            if let Some(field) = self.edge.get_mut(column) {
                *field = value.map_or(Value::Missing, |(text, _)| Value::Text(text.to_owned()));
            }
        }
    }

    /// Sets an attribute of the edge as [`set`](Self::set) does.
    ///
    /// # Errors
    /// When it has been set before.
    pub(crate) fn set_once(
        &mut self,
        name: &str,
        value: Option<(&str, KeptKind)>,
    ) -> Result<(), ReadErrorKind> {
        let column = self.column(name);
        if column.and_then(|column| self.edge.get(column)).is_some_and(|value| !value.is_missing())
        {
            let name = show(name.as_bytes());
            let sentence = format!("this edge has the attribute '{name}' twice; remove one");
            return Err(ReadErrorKind::malformed(sentence));
        }
        self.set(name, value);
        Ok(())
    }

    /// Sets the value of edges without this attribute, unless it has been set.
    pub(crate) fn set_default(&mut self, name: &str, (text, kind): (&str, KeptKind)) {
        let column = self.column_or_new(name);
        if let Some(default) = column.and_then(|column| self.defaults.get_mut(column))
            && default.0.is_missing()
        {
            *default = (Value::Text(text.to_owned()), kind);
        }
    }

    /// Adds the attributes of the edge as those of the next edge of the graph.
    pub(crate) fn push_edge(&mut self) -> Result<(), ReadErrorKind> {
        if self.edge.len() > MOST_ATTRIBUTES && self.all_but.is_some() {
            let sentence = message![
                format!(
                    "edges have more than {MOST_ATTRIBUTES} attributes; name those to keep in "
                ),
                Remedy::option("keep"),
            ];
            return Err(ReadErrorKind::question(sentence));
        }
        if self.all_but.is_some() {
            memory::push(&mut self.widths, self.edge.len() as u32)?;
        }
        if self.edge.is_empty() {
            return Ok(());
        }
        self.columns.reserve(self.edge.len(), self.edge.iter().map(Value::bytes).sum())?;
        let defaults = self.defaults.iter_mut().zip(&mut self.seen);
        for (value, ((default, kind), seen)) in self.edge.iter_mut().zip(defaults) {
            let value = match value {
                Value::Missing if !default.is_missing() => {
                    seen.is_there = true;
                    seen.kind = Some(seen.kind.map_or(*kind, |before| before.and(*kind)));
                    default
                }
                value => value,
            };
            match value {
                Value::Missing => self.columns.push_place(None),
                Value::Text(text) => {
                    let place = self.columns.store(text);
                    self.columns.push_place(Some(place));
                    *value = Value::Stored(place);
                }
                Value::Stored(place) => self.columns.push_place(Some(*place)),
            }
        }
        Ok(())
    }

    /// The columns; none if nothing is kept.
    ///
    /// # Errors
    /// When no edge has one of the attributes.
    pub(crate) fn finish(self) -> Result<Option<KeptColumns>, ReadErrorKind> {
        let Self { mut columns, seen, names, widths, .. } = self;
        columns.widen(&widths)?;
        if columns.names().is_empty() {
            return Ok(None);
        }
        let absent = seen.iter().zip(columns.names()).find(|(seen, _)| !seen.is_there);
        if let (Some((seen, name)), true) = (absent, columns.rows() > 0) {
            let sentence = message![
                Remedy::text(seen.option, show(name.as_bytes())),
                format!(": no edge has this attribute; {}", listed(&names)),
            ];
            return Err(ReadErrorKind::Columns { sentence, columns: names });
        }
        columns.kinds = seen.iter().map(|seen| seen.kind.unwrap_or_default()).collect();
        Ok(Some(columns))
    }
}

/// The attributes that edges have, and what to do.
fn listed(names: &[String]) -> String {
    let shown: Vec<_> = names.iter().map(|name| format!("'{}'", show(name.as_bytes()))).collect();
    match &shown[..] {
        [] => "edges have no attributes, so omit the option".to_owned(),
        shown => format!("name one of {}", shown.join(", ")),
    }
}
