//! The steps of updates for one type of weights: change the forest, then append to the log.

use kostra::dynamic::{DynamicForest, ForestStep, Update, UpdateBatch, UpdateError, UpdateLog};
use kostra_core::{AnyGraph, EdgeId, EdgeList, Weight};
use numpy::{Element, PyArray1, PyArrayMethods};
use pyo3::prelude::*;

use super::refused;

/// Runs an expression on a forest and a graph with weights of the same type; an error if the types
/// differ.
macro_rules! with_edges {
    ($forest:expr, $edges:expr, ($f:ident, $e:ident) => $body:expr) => {
        match ($forest, $edges) {
            (AnyDynamicForest::I32($f), AnyGraph::I32($e)) => $body,
            (AnyDynamicForest::U32($f), AnyGraph::U32($e)) => $body,
            (AnyDynamicForest::I64($f), AnyGraph::I64($e)) => $body,
            (AnyDynamicForest::U64($f), AnyGraph::U64($e)) => $body,
            (AnyDynamicForest::F32($f), AnyGraph::F32($e)) => $body,
            (AnyDynamicForest::F64($f), AnyGraph::F64($e)) => $body,
            _ => return Err(PyTypeError::new_err("the edges have weights of another type")),
        }
    };
}

pub(super) use with_edges;

/// The edges that a batch of updates of several kinds names.
pub(super) struct NamedEdges<'a> {
    pub(super) expire: EdgeId,
    pub(super) delete: &'a [EdgeId],
    pub(super) reweighted: &'a [EdgeId],
}

/// A sequence of updates.
pub(super) struct Columns<'a> {
    /// 0 for an insertion, 1 for a deletion, 2 for a new weight.
    pub(super) kinds: &'a [u8],
    /// First ends or ids.
    pub(super) first: &'a [u32],
    /// Second ends.
    pub(super) second: &'a [u32],
}

pub(super) fn insert<W: Weight>(
    forest: &mut DynamicForest<W>,
    log: &mut Option<UpdateLog>,
    edges: &kostra_core::Graph<W>,
) -> Result<(EdgeId, EdgeId), UpdateError> {
    let edges = edges.edge_list();
    let (u, v, weights) = (edges.u(), edges.v(), edges.weights());
    let ids = forest.insert(u, v, weights)?;
    log.iter_mut().for_each(|log| log.insert(u, v, weights));
    Ok((ids.start, ids.end))
}

/// The first id, and for each edge the one outside the forest because of it, or -1.
pub(super) fn insert_in_turn<W: Weight>(
    forest: &mut DynamicForest<W>,
    log: &mut Option<UpdateLog>,
    edges: &kostra_core::Graph<W>,
) -> Result<(EdgeId, Vec<i64>), UpdateError> {
    let edges = edges.edge_list();
    let (u, v, weights) = (edges.u(), edges.v(), edges.weights());
    let first = forest.next_id();
    let outside = forest.insert_in_turn(u, v, weights)?;
    log.iter_mut().for_each(|log| log.insert(u, v, weights));
    Ok((first, outside.into_iter().map(|edge| edge.map_or(-1, i64::from)).collect()))
}

pub(super) fn update<W: Weight + Element>(
    forest: &mut DynamicForest<W>,
    log: &mut Option<UpdateLog>,
    named: NamedEdges<'_>,
    weights: &Bound<'_, PyAny>,
    edges: &EdgeList<W>,
) -> PyResult<(EdgeId, EdgeId)> {
    let array = weights.cast::<PyArray1<W>>()?.readonly();
    let NamedEdges { expire, delete, reweighted } = named;
    let reweight = (reweighted, array.as_slice()?);
    let insert = (edges.u(), edges.v(), edges.weights());
    let batch = UpdateBatch { expire, delete, reweight, insert };
    let new = weights.py().detach(|| forest.apply(&batch)).map_err(refused)?;
    log.iter_mut().for_each(|log| log.apply(&batch));
    Ok((new.start, new.end))
}

pub(super) fn apply_sequence<W: Weight + Element>(
    forest: &mut DynamicForest<W>,
    log: &mut Option<UpdateLog>,
    columns: Columns<'_>,
    weights: &Bound<'_, PyAny>,
) -> PyResult<Vec<ForestStep>> {
    let array = weights.cast::<PyArray1<W>>()?.readonly();
    let rows = columns.kinds.iter().zip(columns.first).zip(columns.second).zip(array.as_slice()?);
    let update = |(((&kind, &first), &second), &weight)| match kind {
        0 => Update::Insert([first, second], weight),
        1 => Update::Delete(first),
        _ => Update::Reweight(first, weight),
    };
    let updates: Vec<_> = rows.map(update).collect();
    let steps = weights.py().detach(|| forest.apply_sequence(&updates)).map_err(refused)?;
    log.iter_mut().for_each(|log| log.apply_sequence(&updates));
    Ok(steps)
}

pub(super) fn reweight<W: Weight + Element>(
    forest: &mut DynamicForest<W>,
    log: &mut Option<UpdateLog>,
    ids: &[EdgeId],
    weights: &Bound<'_, PyAny>,
) -> PyResult<()> {
    let array = weights.cast::<PyArray1<W>>()?.readonly();
    let values = array.as_slice()?;
    weights.py().detach(|| forest.reweight(ids, values)).map_err(refused)?;
    log.iter_mut().for_each(|log| log.reweight(ids, values));
    Ok(())
}

pub(super) fn edges_of<W: Weight>(
    forest: &DynamicForest<W>,
    ids: &[EdgeId],
) -> Result<AnyGraph, UpdateError>
where
    AnyGraph: From<EdgeList<W>>,
{
    let edges: Vec<_> = ids.iter().map(|&id| forest.edge(id)).collect::<Result<_, _>>()?;
    let u = edges.iter().map(|edge| edge.0).collect::<Vec<_>>();
    let v = edges.iter().map(|edge| edge.1).collect::<Vec<_>>();
    let weights = edges.iter().map(|edge| edge.2).collect::<Vec<_>>();
    Ok(EdgeList::new(forest.vertices() as usize, u, v, weights)?.into())
}
