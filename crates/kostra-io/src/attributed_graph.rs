//! Graphs whose vertices have ids of any text, and whose edges have named attributes.
//!
//! GraphML and node-link JSON describe such graphs. Vertices are numbered in order of first
//! appearance, and edges in order of appearance. The weight is the attribute that the user names,
//! or else the attribute `weight`. If there is none, but other attributes are numbers, the graph is
//! refused with a question. Ids that are the numbers of their vertices are no names, unless the
//! format stores them as text.
//!
//! Besides the graph, reading takes the table of ids and one byte per vertex.

use std::cell::OnceCell;
use std::collections::HashMap;

use kostra_core::{Vertex, memory};

use crate::columns::Number;
use crate::fault::Fault;
use crate::formats::is_similarity;
use crate::interface::Parsed;
use crate::kept::KeptAttributes;
use crate::message::{Message, Remedy, message};
use crate::number::show;
use crate::numbered_graph::AddedEdges;
use crate::numbering::Numbering;
use crate::{ColumnChoice, Place, ReadErrorKind, ReadOptions};

/// The attribute that is the weight, unless the user names another one.
pub(crate) const WEIGHT: &str = "weight";

/// Which attribute of the edges is the weight.
#[derive(Debug)]
pub(crate) struct WeightAttribute<'a> {
    options: &'a ReadOptions,
    chosen: Option<&'a str>,
    /// Other attributes that are numbers, in order of appearance.
    others: Vec<String>,
    /// The attribute that contains an attribute [`WEIGHT`].
    nested: Option<String>,
    /// The spellings of [`WEIGHT`] that occur: the first, and another one.
    spellings: [OnceCell<String>; 2],
}

impl<'a> WeightAttribute<'a> {
    /// The attribute that the options name.
    ///
    /// # Errors
    /// When they give a position.
    pub(crate) fn new(options: &'a ReadOptions) -> Result<Self, ReadErrorKind> {
        let chosen = match &options.columns.weight {
            None => None,
            Some(ColumnChoice::Name(name) | ColumnChoice::NameOrPosition(name)) => Some(&**name),
            Some(ColumnChoice::Position(_)) => {
                let sentence = "the edges have named attributes and no columns; pass the name of \
                                the attribute that is the weight";
                return Err(ReadErrorKind::Columns {
                    sentence: sentence.into(),
                    columns: Vec::new(),
                });
            }
        };
        Ok(Self {
            options,
            chosen,
            others: Vec::new(),
            nested: None,
            spellings: Default::default(),
        })
    }

    /// See [`Loaded::similarity`](crate::Loaded).
    pub(crate) fn similarity(&self) -> Option<String> {
        self.chosen.filter(|name| is_similarity(name)).map(str::to_owned)
    }

    /// Whether the attribute with this name is the weight.
    pub(crate) fn is(&self, name: &str) -> bool {
        let Some(chosen) = self.chosen else {
            let is_weight = name.eq_ignore_ascii_case(WEIGHT);
            if is_weight {
                let [first, other] = &self.spellings;
                if first.get_or_init(|| name.into()) != name {
                    other.get_or_init(|| name.into());
                }
            }
            return is_weight;
        };
        name == chosen
    }

    /// Refuses edges with the attributes `weight` and `Weight`, which may both be the weight.
    ///
    /// # Errors
    /// When there are such edges.
    pub(crate) fn check_spelling(&self) -> Result<(), ReadErrorKind> {
        let [Some(first), Some(other)] = self.spellings.each_ref().map(OnceCell::get) else {
            return Ok(());
        };
        let sentence = message![
            format!("is the weight the attribute '{first}' or '{other}'? pass "),
            Remedy::option("weight"),
            " with one of them",
        ];
        let columns = vec![first.clone(), other.clone()];
        Err(ReadErrorKind::Columns { sentence, columns })
    }

    /// Records an attribute that is a number and not the weight. The ids of edges are no weights.
    pub(crate) fn see_other(&mut self, name: &str) {
        /// A question lists no more names than a reader of it compares.
        const MOST: usize = 8;
        let is_id = match &self.options.columns.id {
            Some(ColumnChoice::Name(id) | ColumnChoice::NameOrPosition(id)) => id == name,
            Some(ColumnChoice::Position(_)) | None => false,
        };
        if !is_id && self.others.len() < MOST && !self.others.iter().any(|other| other == name) {
            self.others.push(name.into());
        }
    }

    /// Records an attribute that contains an attribute [`WEIGHT`].
    pub(crate) fn see_nested(&mut self, name: &str) {
        self.nested.get_or_insert_with(|| name.into());
    }

    /// Refuses a graph without weights if the user names an attribute, or if other attributes may
    /// be the weight.
    pub(crate) fn check_absence(self) -> Result<(), ReadErrorKind> {
        let Self { options, chosen, others, nested, .. } = self;
        let shown: Vec<_> =
            others.iter().map(|name| format!("'{}'", show(name.as_bytes()))).collect();
        let list = shown.join(", ");
        let sentence = match (chosen, nested) {
            (Some(chosen), _) => {
                let remedy = match others.is_empty() {
                    true => "omit the option".to_owned(),
                    false => format!("numbers are in {list}"),
                };
                message![
                    Remedy::text("weight", show(chosen.as_bytes())),
                    format!(": no edge has this attribute; {remedy}"),
                ]
            }
            (None, _) if options.missing_weights.is_some() => return Ok(()),
            (None, Some(name)) => {
                let name = show(name.as_bytes());
                message![
                    format!("the weight is nested in the attribute '{name}'"),
                    "; make it an attribute of the edge, or pass ",
                    Remedy::text("weights", "unit"),
                ]
            }
            (None, None) if others.is_empty() => return Ok(()),
            (None, None) => message![
                format!("which attribute is the weight? numbers are in {list}; pass "),
                Remedy::option("weight"),
                " with one of these, or ",
                Remedy::text("weights", "unit"),
            ],
        };
        Err(ReadErrorKind::Columns { sentence, columns: others })
    }
}

/// A graph that grows by vertices and edges in any order.
#[derive(Debug)]
pub(crate) struct AttributedGraph {
    ids: Numbering,
    /// Whether an id is text in a format that also has integers.
    pub(crate) text_ids: bool,
    /// Whether each vertex has been declared, and not only used by an edge.
    declared: Vec<bool>,
    /// Where edges use vertices that were not declared before.
    used_early: HashMap<Vertex, Place>,
    edges: AddedEdges,
    /// The attributes of edges that are kept. [`add_edge`](Self::add_edge) adds those that have
    /// been set.
    pub(crate) kept: KeptAttributes,
}

impl AttributedGraph {
    /// A graph without vertices.
    ///
    /// # Errors
    /// When the options keep columns by position.
    pub(crate) fn new(options: &ReadOptions) -> Result<Self, ReadErrorKind> {
        Ok(Self {
            ids: Numbering::default(),
            text_ids: false,
            declared: Vec::new(),
            used_early: HashMap::new(),
            edges: AddedEdges::default(),
            kept: KeptAttributes::new(options)?,
        })
    }

    /// Declares a vertex.
    ///
    /// # Errors
    /// When it has been declared before, or there are too many.
    pub(crate) fn declare(&mut self, id: &str) -> Result<(), ReadErrorKind> {
        let vertex = self.number(id)?;
        let Some(declared) = self.declared.get_mut(vertex as usize) else { return Ok(()) };
        if std::mem::replace(declared, true) {
            let sentence =
                format!("two nodes have the id '{}'; give each node its own", show(id.as_bytes()));
            return Err(ReadErrorKind::malformed(sentence));
        }
        self.used_early.remove(&vertex);
        Ok(())
    }

    /// Declares a vertex unless it has been declared before.
    ///
    /// # Errors
    /// When there are too many.
    pub(crate) fn mention(&mut self, id: &str) -> Result<(), ReadErrorKind> {
        let vertex = self.number(id)?;
        if let Some(declared) = self.declared.get_mut(vertex as usize) {
            *declared = true;
        }
        Ok(())
    }

    fn number(&mut self, id: &str) -> Result<Vertex, ReadErrorKind> {
        let vertex = self.ids.number(id)?;
        if vertex as usize == self.declared.len() {
            memory::push(&mut self.declared, false)?;
        }
        Ok(vertex)
    }

    /// Adds the edge at a place.
    ///
    /// # Errors
    /// When some edges have weights and others have none, when no type holds all weights, or when
    /// there are too many edges.
    pub(crate) fn add_edge(
        &mut self,
        [u, v]: [&str; 2],
        weight: Option<Number>,
        place: Place,
    ) -> Result<(), ReadErrorKind> {
        self.edges.check_weight(weight.is_some())?;
        let [u, v] = [self.number(u)?, self.number(v)?];
        for vertex in [u, v] {
            if self.declared.get(vertex as usize) == Some(&false) {
                self.used_early.entry(vertex).or_insert(place);
            }
        }
        self.edges.add([u, v], weight)?;
        self.kept.push_edge()
    }

    /// The graph, when all of it has been read.
    ///
    /// # Errors
    /// When an edge uses a vertex that is not declared, or the weight is in question.
    pub(crate) fn finish(
        self,
        weight: WeightAttribute<'_>,
        mut notes: Vec<Message>,
    ) -> Result<Parsed, Fault> {
        let Self { ids, text_ids, used_early, edges, kept, .. } = self;
        if let Some((&vertex, &place)) = used_early.iter().min_by_key(|&(&vertex, _)| vertex) {
            let id = ids.name(vertex).unwrap_or_default();
            let sentence = format!(
                "this edge ends at '{}', but no node has this id; add the node",
                show(id.as_bytes())
            );
            return Err(Fault { place: Some(place), kind: ReadErrorKind::malformed(sentence) });
        }
        weight.check_spelling()?;
        let (options, similarity) = (weight.options, weight.similarity());
        if edges.lack_weights() {
            weight.check_absence()?;
        }
        let kept = kept.finish()?;
        let graph = edges.build(ids.len(), options, &mut notes)?;
        let are_names = text_ids || !ids.are_numbers();
        let names = if are_names { Some(ids.into_names()?) } else { None };
        Ok(Parsed { names, text_names: text_ids, kept, similarity, ..Parsed::new(graph, notes) })
    }
}
