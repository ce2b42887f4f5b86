//! The constraints of `kostra solve`: edges that the forest contains or avoids, vertices that are
//! connected anyway, and the number of trees.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::io::{BufRead, BufReader};
use std::str::FromStr;

use anyhow::{Context, bail};
use clap::Args;
use kostra::variants::{ForestConstraints, TreeCount};
use kostra_core::{EdgeId, Vertex};
use kostra_io::{Input, KeptColumns};

use crate::input::{InputGraph, file};
use crate::vertex_names::{VertexChoice, VertexNames};

/// The options, as the user typed them.
#[derive(Args)]
pub(super) struct ConstraintArguments {
    /// Edges that the forest contains: ids, the value of a column, or a file with an id or the two
    /// ends of an edge on each line
    #[arg(long, value_name = "ID,...|COLUMN=VALUE|@FILE", conflicts_with_all = ["memory", "trace"])]
    include: Vec<EdgeChoice>,

    /// Edges that the forest does not contain
    #[arg(long, value_name = "ID,...|COLUMN=VALUE|@FILE", conflicts_with_all = ["memory", "trace"])]
    exclude: Vec<EdgeChoice>,

    /// Vertices that are connected without edges: their names or numbers, or a file with a group on
    /// each line
    #[arg(long, value_name = "VERTEX,...|@FILE", conflicts_with_all = ["memory", "trace"])]
    link: Vec<VertexChoice>,

    /// The number of trees of the forest: its worst edges are left out
    #[arg(long, value_name = "N", conflicts_with_all = ["memory", "trace"])]
    trees: Option<u32>,

    /// The most trees of the forest: an edge that is not needed is left out unless it improves the
    /// total
    #[arg(long, value_name = "N", conflicts_with_all = ["trees", "memory", "trace"])]
    most_trees: Option<u32>,
}

/// Edges as the user names them.
#[derive(Clone)]
enum EdgeChoice {
    Ids(Vec<EdgeId>),
    Value { column: String, value: String },
    File(Input),
}

impl FromStr for EdgeChoice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if let Some(path) = text.strip_prefix('@') {
            return Ok(Self::File(file(OsStr::new(path))));
        }
        if let Some((column, value)) = text.split_once('=') {
            return Ok(Self::Value { column: column.to_owned(), value: value.to_owned() });
        }
        let ids = text.split(',').map(|id| id.trim().parse().map_err(|_| id));
        ids.collect::<Result<_, _>>().map(Self::Ids).map_err(|id| {
            format!("{id:?} is not the id of an edge; pass ids, COLUMN=VALUE, or @FILE")
        })
    }
}

/// What the options mean.
pub(super) struct ConstraintPlan {
    arguments: ConstraintArguments,
    /// The columns that only the constraints need.
    columns: Vec<String>,
}

impl ConstraintPlan {
    /// The constraints, if the user typed any. Adds to `keep` the columns that they need.
    pub(super) fn resolve(arguments: ConstraintArguments, keep: &mut Vec<String>) -> Option<Self> {
        let ConstraintArguments { include, exclude, link, trees, most_trees } = &arguments;
        if include.is_empty() && exclude.is_empty() && link.is_empty() && trees.is_none() {
            most_trees.as_ref()?;
        }
        let mut columns: Vec<String> = Vec::new();
        for choice in include.iter().chain(exclude) {
            if let EdgeChoice::Value { column, .. } = choice
                && !keep.iter().any(|kept| kept == column || kept == "all")
                && !columns.contains(column)
            {
                columns.push(column.clone());
            }
        }
        keep.extend_from_slice(&columns);
        Some(Self { arguments, columns })
    }

    /// The files that the options name, with their roles.
    pub(super) fn files(&self) -> impl Iterator<Item = (&'static str, Option<&Input>)> {
        let ConstraintArguments { include, exclude, link, .. } = &self.arguments;
        let edges = include.iter().chain(exclude).filter_map(|choice| match choice {
            EdgeChoice::File(input) => Some(("list of edges", Some(input))),
            _ => None,
        });
        let groups = link
            .iter()
            .filter_map(VertexChoice::file)
            .map(|input| ("list of vertices", Some(input)));
        edges.chain(groups)
    }

    /// The constraints on the graph of the input. Removes the columns that only they need.
    ///
    /// # Errors
    /// When a file cannot be read, or names an edge or a vertex that is not in the graph.
    pub(super) fn of_graph(&self, input: &mut InputGraph) -> anyhow::Result<ForestConstraints> {
        let ConstraintArguments { include, exclude, link, trees, most_trees } = &self.arguments;
        // A map of all names takes memory, and ids and columns do not need it.
        let names = self.name_vertices().then(|| input.parsed.names.clone());
        let names = VertexNames::new(names.flatten());
        let all = |choices: &[EdgeChoice], option| -> anyhow::Result<Vec<EdgeId>> {
            let mut ids = Vec::new();
            for choice in choices {
                ids.extend(edges_of(choice, option, input, &names)?);
            }
            Ok(ids)
        };
        let (include, exclude) = (all(include, Role::Include)?, all(exclude, Role::Exclude)?);
        let mut links = Vec::new();
        for choice in link {
            links.extend(groups_of(choice, input, &names)?);
        }
        let trees = match (trees, most_trees) {
            (Some(trees), _) => TreeCount::Exactly(*trees),
            (None, Some(trees)) => TreeCount::AtMost(*trees),
            (None, None) => TreeCount::Fewest,
        };
        self.remove_columns(input);
        Ok(ForestConstraints { include, exclude, links, trees })
    }

    /// Whether the options name vertices.
    fn name_vertices(&self) -> bool {
        let ConstraintArguments { include, exclude, link, .. } = &self.arguments;
        let mut edges = include.iter().chain(exclude);
        !link.is_empty() || edges.any(|choice| matches!(choice, EdgeChoice::File(_)))
    }

    fn remove_columns(&self, input: &mut InputGraph) {
        let Some(kept) = input.parsed.kept.as_ref().filter(|_| !self.columns.is_empty()) else {
            return;
        };
        let stays: Vec<_> = kept.names().iter().map(|name| !self.columns.contains(name)).collect();
        let picked = |names: &[String]| -> Vec<String> {
            names
                .iter()
                .zip(&stays)
                .filter(|(_, stays)| **stays)
                .map(|(one, _)| one.clone())
                .collect()
        };
        let kinds = kept.kinds().iter().zip(&stays).filter(|(_, stays)| **stays);
        let kinds = kinds.map(|(&kind, _)| kind).collect();
        let mut rest = KeptColumns::with_kinds(picked(kept.names()), kinds);
        for row in 0..kept.rows() {
            for (value, _) in kept.values(row).zip(&stays).filter(|(_, stays)| **stays) {
                rest.push_value(value);
            }
        }
        input.parsed.kept = (!rest.names().is_empty()).then_some(rest);
    }
}

/// The option that names edges.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Include,
    Exclude,
}

fn edges_of(
    choice: &EdgeChoice,
    role: Role,
    input: &InputGraph,
    names: &VertexNames,
) -> anyhow::Result<Vec<EdgeId>> {
    match choice {
        EdgeChoice::Ids(ids) => Ok(ids.clone()),
        EdgeChoice::Value { column, value } => edges_with(input, column, value),
        EdgeChoice::File(file) => edges_in(file, role, input, names),
    }
}

/// The edges with a value in a column.
fn edges_with(input: &InputGraph, column: &str, value: &str) -> anyhow::Result<Vec<EdgeId>> {
    let kept = input.parsed.kept.as_ref();
    let place = kept.and_then(|kept| kept.names().iter().position(|name| name == column));
    let Some((kept, place)) = kept.zip(place) else {
        bail!("the input has no column with the name {column:?}");
    };
    let has = |row: &usize| kept.values(*row).nth(place).flatten() == Some(value);
    let edges: Vec<_> = (0..kept.rows()).filter(has).map(|row| row as EdgeId).collect();
    if edges.is_empty() {
        bail!("no edge has the value {value:?} in the column {column:?}");
    }
    Ok(edges)
}

/// The edges that a file lists.
fn edges_in(
    file: &Input,
    role: Role,
    input: &InputGraph,
    names: &VertexNames,
) -> anyhow::Result<Vec<EdgeId>> {
    let graph = &input.parsed.graph;
    let (mut edges, mut pairs) = (Vec::new(), Vec::new());
    each_line(file, |number, fields| {
        match fields {
            [id] => edges.push(id.parse().with_context(|| format!("{id:?} is not an edge's id"))?),
            [u, v] => {
                let ends = [u, v].map(|name| names.vertex(name, graph.vertices()));
                let [u, v] = ends;
                pairs.push((number, sorted(u?, v?)));
            }
            _ => bail!("a line has the id of an edge, or its two ends"),
        }
        Ok(())
    })?;
    if pairs.is_empty() {
        return Ok(edges);
    }
    let mut joining: HashMap<_, Vec<EdgeId>> =
        pairs.iter().map(|&(_, pair)| (pair, Vec::new())).collect();
    for (edge, (&u, &v)) in (0..).zip(graph.u().iter().zip(graph.v())) {
        if let Some(found) = joining.get_mut(&sorted(u, v)) {
            found.push(edge);
        }
    }
    for (number, pair) in pairs {
        let fault = match joining[&pair].as_slice() {
            [] => "no edge joins these two vertices".to_owned(),
            [first, second, ..] if role == Role::Include => format!(
                "edges {first} and {second} both join these two vertices; name one by its id"
            ),
            found => {
                edges.extend_from_slice(found);
                continue;
            }
        };
        bail!("{file}: line {number}: {fault}");
    }
    Ok(edges)
}

fn sorted(u: Vertex, v: Vertex) -> (Vertex, Vertex) {
    (u.min(v), u.max(v))
}

fn groups_of(
    choice: &VertexChoice,
    input: &InputGraph,
    names: &VertexNames,
) -> anyhow::Result<Vec<Vec<Vertex>>> {
    let vertices = input.parsed.graph.vertices();
    let group = |fields: &[&str]| -> anyhow::Result<Vec<Vertex>> {
        if fields.len() < 2 {
            bail!("a group has two vertices or more");
        }
        fields.iter().map(|name| names.vertex(name, vertices)).collect()
    };
    match choice {
        VertexChoice::Listed(fields) => {
            let fields: Vec<_> = fields.iter().map(String::as_str).collect();
            Ok(vec![group(&fields).context("`--link`")?])
        }
        VertexChoice::File(file) => {
            let mut groups = Vec::new();
            each_line(file, |_, fields| {
                groups.push(group(fields)?);
                Ok(())
            })?;
            Ok(groups)
        }
    }
}

/// Calls `take` with the number and the fields of each line of a file that is neither empty nor a
/// remark. Fields are separated by tabs; in a line without tabs by commas, or else by blanks.
fn each_line(
    file: &Input,
    mut take: impl FnMut(u64, &[&str]) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let reader = BufReader::new(kostra_io::open_text(file)?);
    for (number, line) in (1..).zip(reader.lines()) {
        let line = line.with_context(|| format!("{file}: line {number}"))?;
        if line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        let separator = ['\t', ','].into_iter().find(|&separator| line.contains(separator));
        let fields: Vec<_> = match separator {
            Some(separator) => line.split(separator).map(str::trim).collect(),
            None => line.split_whitespace().collect(),
        };
        take(number, &fields).with_context(|| format!("{file}: line {number}"))?;
    }
    Ok(())
}
