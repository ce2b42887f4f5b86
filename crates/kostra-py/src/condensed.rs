//! The condensed tree of HDBSCAN.

use std::sync::Arc;

use kostra_core::memory;
use kostra_points::cluster::{
    ClusterError, Clustering, CondensedTree, Constraints, Copies, Hierarchy, Method, Selection,
    Ties,
};
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::errors::out_of_memory;
use crate::forest::Forest;
use crate::points::cluster_error;
use crate::threads::threads_or_default;

/// The condensed tree of a forest whose weights are distances.
#[pyclass(frozen, module = "kostra._kostra")]
pub(crate) struct Condensed(pub(crate) Arc<CondensedTree>);

/// How clusters are chosen: a dictionary in Python.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Choice {
    leaf: bool,
    epsilon: f64,
    allow_single_cluster: bool,
    max_cluster_size: Option<u32>,
    max_distance: Option<f64>,
    must_link: Vec<[u32; 2]>,
    cannot_link: Vec<[u32; 2]>,
}

impl Choice {
    pub(crate) fn select(&self, tree: &CondensedTree) -> Result<Clustering, ClusterError> {
        let selection = Selection {
            method: if self.leaf { Method::Leaf } else { Method::ExcessOfMass },
            epsilon: self.epsilon,
            allow_single_cluster: self.allow_single_cluster,
            max_cluster_size: self.max_cluster_size,
            max_distance: self.max_distance,
        };
        if self.must_link.is_empty() && self.cannot_link.is_empty() {
            return tree.select(selection);
        }
        let (must_link, cannot_link) = (&*self.must_link, &*self.cannot_link);
        tree.select_constrained(selection, Constraints { must_link, cannot_link })
    }
}

/// How many points each row counts as, and its core distance.
type Counted<'py> = (PyReadonlyArray1<'py, u32>, PyReadonlyArray1<'py, f64>);

#[pymethods]
impl Condensed {
    /// The condensed tree for each least size of a cluster. Merges at one distance are undone
    /// together if rows count as several points.
    #[staticmethod]
    fn of_sizes(
        py: Python<'_>,
        forest: &Forest,
        sizes: Vec<u32>,
        one_by_one: bool,
        copies: Option<Counted<'_>>,
        threads: Option<usize>,
    ) -> PyResult<Vec<Self>> {
        let threads = threads_or_default(threads);
        let ties = if one_by_one { Ties::OneByOne } else { Ties::Together };
        let copies = match &copies {
            Some((weights, cores)) => {
                Some(Copies { weights: weights.as_slice()?, cores: cores.as_slice()? })
            }
            None => None,
        };
        let condensed = py.detach(|| {
            let hierarchy = Hierarchy::on_threads(forest.point_tree()?, threads)?;
            let trees = sizes.into_iter().map(|size| match copies {
                Some(copies) => hierarchy.condensed_with_copies(size, copies),
                None => hierarchy.condensed(size, ties),
            });
            trees.collect::<Result<Vec<_>, ClusterError>>()
        });
        let trees = condensed.map_err(cluster_error)?;
        Ok(trees.into_iter().map(|tree| Self(Arc::new(tree))).collect())
    }

    /// Whether the numbers of clusters depend on the order of the points.
    #[getter]
    fn is_ambiguous(&self) -> bool {
        self.0.is_ambiguous()
    }

    /// The same tree, with numbers by the lowest rank of a point in a cluster.
    fn numbered_by(&self, py: Python<'_>, ranks: PyReadonlyArray1<'_, i64>) -> PyResult<Self> {
        let ranks = ranks.as_slice()?;
        let rank = |point: u32| ranks.get(point as usize);
        let numbered =
            || CondensedTree::clone(&self.0).numbered_by(&|&a, &b| rank(a).cmp(&rank(b)));
        Ok(Self(Arc::new(py.detach(numbered).map_err(out_of_memory)?)))
    }

    /// The tree without clusters that persist over less than this difference of densities.
    fn simplified(&self, py: Python<'_>, persistence: f64) -> PyResult<Self> {
        let simplified = py.detach(|| self.0.simplified(persistence)).map_err(cluster_error)?;
        Ok(Self(Arc::new(simplified)))
    }

    /// The label and the probability of each point, and the chosen clusters.
    fn select<'py>(&self, py: Python<'py>, choice: Choice) -> PyResult<Flat<'py>> {
        let chosen = py.detach(|| choice.select(&self.0)).map_err(cluster_error)?;
        Ok((
            chosen.labels.into_pyarray(py),
            chosen.probabilities.into_pyarray(py),
            chosen.clusters.into_pyarray(py),
        ))
    }

    /// The exemplars of all chosen clusters, and where those of each cluster begin.
    fn exemplars<'py>(&self, py: Python<'py>, choice: Choice) -> PyResult<Exemplars<'py>> {
        let found = py.detach(|| {
            let clustering = choice.select(&self.0)?;
            Ok(self.0.exemplars(&clustering)?)
        });
        let found = found.map_err(cluster_error)?;
        let starts = found.starts.iter().map(|&start| start as u64);
        Ok((found.points.into_pyarray(py), PyArray1::from_iter(py, starts)))
    }

    fn outlier_scores<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let scores = py.detach(|| self.0.outlier_scores()).map_err(out_of_memory)?;
        Ok(scores.into_pyarray(py))
    }

    /// The last cluster of each point, and the distance at which it leaves this cluster.
    fn points<'py>(&self, py: Python<'py>) -> PyResult<Departures<'py>> {
        let copies = || Ok((memory::copied(self.0.homes())?, memory::copied(self.0.departures())?));
        let (homes, departures) = copies().map_err(out_of_memory)?;
        Ok((homes.into_pyarray(py), departures.into_pyarray(py)))
    }

    /// The columns of the clusters, by name.
    fn clusters<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let (clusters, columns) = (self.0.clusters(), PyDict::new(py));
        let parents = clusters.iter().map(|cluster| cluster.parent.map_or(-1, i64::from));
        columns.set_item("parent", PyArray1::from_iter(py, parents))?;
        let sizes = clusters.iter().map(|cluster| i64::from(cluster.size));
        columns.set_item("size", PyArray1::from_iter(py, sizes))?;
        let floats = [
            ("birth", clusters.iter().map(|cluster| cluster.birth).collect::<Vec<_>>()),
            ("death", clusters.iter().map(|cluster| cluster.death).collect()),
            ("stability", clusters.iter().map(|cluster| cluster.stability).collect()),
        ];
        for (name, values) in floats {
            columns.set_item(name, values.into_pyarray(py))?;
        }
        Ok(columns)
    }
}

type Flat<'py> = (Bound<'py, PyArray1<i32>>, Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<u32>>);
type Exemplars<'py> = (Bound<'py, PyArray1<u32>>, Bound<'py, PyArray1<u64>>);
type Departures<'py> = (Bound<'py, PyArray1<u32>>, Bound<'py, PyArray1<f64>>);
