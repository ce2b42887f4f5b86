//! Forests as Parquet tables, which hold the ids, the ends and the weights of the edges.

use kostra_core::EdgeId;
use kostra_io::{
    ColumnChoice, ColumnOptions, Format, Input, ReadError, ReadErrorKind, ReadOptions,
};

use super::content::{Content, Solved};
use super::number::Number;

/// Reads the edge ids of a table that `solve` wrote, and compares ends and weights with those of
/// `solved`.
///
/// # Errors
/// When the file cannot be read, lacks a column, or is a forest of another graph.
pub(super) fn read_ids(
    input: &Input,
    content: Content,
    solved: Solved<'_>,
) -> Result<Vec<EdgeId>, ReadError> {
    let error = |sentence: String| ReadError {
        input: input.to_string(),
        place: None,
        kind: ReadErrorKind::Malformed(sentence.into()),
    };
    let choice = |name: &str| Some(ColumnChoice::Name(name.to_owned()));
    let columns = ColumnOptions {
        source: choice("u"),
        target: choice("v"),
        weight: choice("weight"),
        id: choice("edge"),
        ..ColumnOptions::default()
    };
    let format = Some(Format::PARQUET);
    let options = ReadOptions { format, columns, names: true, ..ReadOptions::default() };
    let table = kostra_io::read_stream(&input.to_string(), content, &options)?.parsed;
    let names = table.names.unwrap_or_default();
    let row = |row| table.kept.iter().flat_map(move |kept| kept.row(row));
    let weight_type = solved.graph.weight_type();
    let name = |vertex: u32| match solved.names {
        Some(names) => names[vertex as usize].clone(),
        None => vertex.to_string(),
    };
    (0..table.graph.edges())
        .map(|edge| {
            let id = row(edge).next().and_then(|id| id.parse::<EdgeId>().ok());
            let id = id.filter(|&id| (id as usize) < solved.graph.edges()).ok_or_else(|| {
                let text = row(edge).next().unwrap_or_default();
                error(format!("row {edge} has the edge id '{text}', which the graph lacks; this is a forest of another graph"))
            })?;
            let (ends, own) = ([table.graph.u()[edge], table.graph.v()[edge]], id as usize);
            let same_ends = ends.map(|end| &names[end as usize])
                == [name(solved.graph.u()[own]), name(solved.graph.v()[own])].each_ref();
            let weight = Number::edge_weight(&table.graph, edge).key(weight_type);
            if !same_ends || weight != Number::edge_weight(solved.graph, own).key(weight_type) {
                let sentence = "its ends or its weight differ; this is a forest of another graph";
                return Err(error(format!("row {edge} holds edge {id} of the graph, but {sentence}")));
            }
            Ok(id)
        })
        .collect()
}
