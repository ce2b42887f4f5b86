//! The merges of a forest, for Python.

use std::sync::Arc;

use kostra_core::memory;
use kostra_core::tree::{Bottleneck, MergeTree};
use kostra_parallel::for_each_mut;
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;

use crate::errors::out_of_memory;
use crate::threads::threads_or_default;
use crate::views;

/// The order in which the edges of a forest merge its vertices into clusters.
#[pyclass(frozen, module = "kostra._kostra")]
pub(crate) struct Hierarchy(pub(crate) Arc<MergeTree>);

#[pymethods]
impl Hierarchy {
    /// The edges in order, as positions in the forest.
    fn edges<'py>(slf: &Bound<'py, Self>) -> Bound<'py, PyAny> {
        views::numbers(slf.get().0.edges(), slf.as_any())
    }

    /// For each merge, the two clusters and the number of vertices in both.
    fn merges<'py>(&self, py: Python<'py>) -> PyResult<[Bound<'py, PyArray1<u64>>; 3]> {
        let columns = py.detach(|| {
            let merges = self.0.merges()?;
            let room = || memory::with_capacity::<u64>(merges.len());
            let mut columns = [room()?, room()?, room()?];
            for merge in merges {
                let [low, high] = merge.clusters;
                for (column, value) in columns.iter_mut().zip([low, high, merge.size.into()]) {
                    column.push(value);
                }
            }
            Ok(columns)
        });
        Ok(columns.map_err(out_of_memory)?.map(|column| column.into_pyarray(py)))
    }

    /// The cluster of each vertex after the first `merges` merges.
    fn clusters<'py>(&self, py: Python<'py>, merges: usize) -> PyResult<Bound<'py, PyArray1<u32>>> {
        let clusters = py.detach(|| self.0.clusters(merges));
        Ok(clusters.map_err(out_of_memory)?.into_pyarray(py))
    }

    /// For each pair of vertices, the last edge on the path between them, as a position in the
    /// forest. The value is -1 for two equal vertices and -2 for two vertices without a path.
    fn bottlenecks<'py>(
        &self,
        py: Python<'py>,
        s: PyReadonlyArray1<'py, u32>,
        t: PyReadonlyArray1<'py, u32>,
        threads: Option<usize>,
    ) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let (s, t) = (s.as_slice()?, t.as_slice()?);
        let found = py.detach(|| {
            let mut found = vec![0; s.len()];
            let size = s.len().div_ceil(threads_or_default(threads)).max(1 << 12);
            let pieces = s.chunks(size).zip(t.chunks(size)).zip(found.chunks_mut(size));
            for_each_mut(&mut pieces.collect::<Vec<_>>(), |((s, t), found)| {
                for ((&s, &t), found) in s.iter().zip(*t).zip(found.iter_mut()) {
                    *found = match self.0.bottleneck(s, t) {
                        Bottleneck::Edge(edge) => edge.into(),
                        Bottleneck::Same => -1,
                        Bottleneck::Apart => -2,
                    };
                }
            });
            found
        });
        Ok(found.into_pyarray(py))
    }
}
