//! Hierarchies of watersheds: in which order the regions of all minima merge.
//!
//! Two regions of the hierarchy of a spanning forest meet at each of its edges. An attribute says
//! how important a region is when it meets another one. The edge gets the importance of the less
//! important of the two, because that one disappears there. So the hierarchy by an attribute is the
//! hierarchy of the same forest with other weights.
//!
//! A region that meets another one at the weight at which it was made is no region of its own. Its
//! importance is that of its most important part.
//!
//! Sources: Cousty & Najman, "Incremental algorithm for hierarchical minimum spanning forests and
//! saliency of watershed cuts", 2011; Najman, Cousty & Perret, "Playing with Kruskal", 2013.

use kostra_core::tree::{MergeTree, NotAForest};
use kostra_core::{EdgeId, EdgeList, Forest, Order, Vertex, Weight, memory};

use super::WatershedError;

/// What makes a region important when it meets another one at an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Regional {
    /// The weight of the edge: the hierarchy of the forest itself.
    Altitude,
    /// How far the weight of the edge is above the lowest weight in the region.
    Dynamics,
    /// The area of its vertices.
    Area,
    /// The water that it holds up to the edge: the area of each part, times how far the water rises
    /// in it.
    Volume,
}

/// The weight of each edge of a minimum spanning forest in the hierarchy of watersheds by an
/// attribute. Cutting the heaviest edges leaves the most important regions. `forest` has the edges
/// of the canonical forest, ascending; `areas` has the area of each vertex, or nothing for 1 each.
///
/// ```
/// use kostra_core::EdgeList;
/// use kostra_variants::{Regional, watershed_hierarchy};
///
/// // Valleys of three, two and two vertices, with passes of the heights 5 and 3 between them.
/// let ends = |from: u32| (from..from + 6).collect::<Vec<_>>();
/// let path = EdgeList::new(7, ends(0), ends(1), vec![0, 0, 5, 1, 3, 2])?;
/// let forest: Vec<_> = (0..6).collect();
/// let by = |attribute| watershed_hierarchy(&path, &forest, attribute, &[]);
/// assert_eq!(by(Regional::Dynamics)?, [0.0, 0.0, 4.0, 0.0, 1.0, 0.0]);
/// assert_eq!(by(Regional::Area)?, [0.0, 0.0, 3.0, 0.0, 2.0, 0.0]);
/// assert_eq!(by(Regional::Volume)?, [0.0, 0.0, 14.0, 0.0, 2.0, 0.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// O(n log n).
///
/// # Errors
/// When there is neither one area for each vertex nor none, an area is no size, or the system
/// refuses the memory.
///
/// # Panics
/// When an id is out of range. Edges that are not the canonical forest give a wrong answer.
pub fn watershed_hierarchy<W: Weight>(
    graph: &EdgeList<W>,
    forest: &[EdgeId],
    attribute: Regional,
    areas: &[f64],
) -> Result<Vec<f64>, WatershedError> {
    let vertices = graph.vertices();
    if !areas.is_empty() && areas.len() != vertices as usize {
        return Err(WatershedError::Length { markers: areas.len(), vertices });
    }
    if let Some(vertex) = areas.iter().position(|area| !area.is_finite() || *area < 0.0) {
        return Err(WatershedError::Area { vertex: vertex as Vertex, area: areas[vertex] });
    }
    let weight = |edge: EdgeId| graph.weights()[edge as usize].to_f64();
    if attribute == Regional::Altitude {
        return Ok(memory::collected(forest.iter().map(|&edge| weight(edge)))?);
    }
    let edges = graph.edges(Order::Minimum);
    let tree = MergeTree::new(edges, &Forest::new(edges, memory::copied(forest)?))?;
    let merges = memory::collected(tree.merges()?)?;
    let leaves = vertices as usize;
    // The merge at which each cluster ends; its own, if it does not end.
    let mut above = memory::collected(0..merges.len())?;
    for (merge, made) in merges.iter().enumerate() {
        for cluster in made.clusters.iter().filter(|&&cluster| cluster >= leaves as u64) {
            above[*cluster as usize - leaves] = merge;
        }
    }
    let altitude = |merge: usize| weight(merges[merge].edge);
    let area_of = |vertex: usize| areas.get(vertex).copied().unwrap_or(1.0);
    // Of each merge: its area, its lowest altitude, its volume, and its importance.
    let mut clusters: Vec<Cluster> = memory::with_capacity(merges.len())?;
    let mut weights = memory::zeros(forest.len())?;
    for (merge, made) in merges.iter().enumerate() {
        let parts = made.clusters.map(|cluster| match (cluster as usize).checked_sub(leaves) {
            Some(part) => clusters[part],
            None => Cluster { area: area_of(cluster as usize), ..Cluster::LEAF },
        });
        let (own, end) = (altitude(merge), altitude(above[merge]));
        let area = parts[0].area + parts[1].area;
        let lowest = parts[0].lowest.min(parts[1].lowest).min(own);
        let volume = parts[0].volume + parts[1].volume + (end - own) * area;
        let is_region = end != own || above[merge] == merge;
        let importance = match attribute {
            _ if !is_region => parts[0].importance.max(parts[1].importance),
            Regional::Area => area,
            Regional::Volume => volume,
            Regional::Dynamics | Regional::Altitude => end - lowest,
        };
        clusters.push(Cluster { area, lowest, volume, importance });
        // The edges of the forest ascend.
        if let Ok(place) = forest.binary_search(&made.edge) {
            weights[place] = parts[0].importance.min(parts[1].importance);
        }
    }
    Ok(weights)
}

/// The most important regions of a hierarchy: the trees of the forest without its heaviest edges by
/// `weights`, which are those of [`watershed_hierarchy`]. Of equal edges, the last one in the order
/// of the graph is left out first. Regions are numbered from 0 in the order of their lowest
/// vertices. O(n log n).
///
/// # Errors
/// When the hierarchy has fewer regions: beyond, all edges have the weight 0. When there are fewer
/// regions than components, or the system refuses the memory.
///
/// # Panics
/// When there is not one weight for each edge of the forest.
pub fn important_regions<W: Weight>(
    graph: &EdgeList<W>,
    forest: &[EdgeId],
    weights: &[f64],
    regions: u32,
) -> Result<Vec<u32>, WatershedError> {
    assert_eq!(forest.len(), weights.len(), "there is one weight for each edge of the forest");
    let edges = graph.edges(Order::Minimum);
    let mut order = memory::collected(0..forest.len())?;
    order.sort_by(|&a, &b| {
        let ranks = || edges.rank(forest[a]).cmp(&edges.rank(forest[b]));
        weights[a].total_cmp(&weights[b]).then_with(ranks)
    });
    let fewest = graph.vertices() - forest.len() as u32;
    let important = weights.iter().filter(|weight| **weight > 0.0).count() as u32;
    let most = fewest + important;
    if !(fewest..=most).contains(&regions) {
        return Err(WatershedError::Regions { regions, fewest, most });
    }
    let ends = memory::collected(order.iter().map(|&place| {
        let (u, v) = edges.ends(forest[place]);
        [u, v]
    }))?;
    let tree = MergeTree::in_order(graph.vertices(), &ends).map_err(|error| match error {
        NotAForest::Memory(refusal) => refusal,
        _ => unreachable!("a forest has no cycle and its own vertices"),
    })?;
    Ok(tree.clusters((graph.vertices() - regions) as usize)?)
}

/// A region of the hierarchy of a forest.
#[derive(Clone, Copy)]
struct Cluster {
    area: f64,
    /// The lowest weight inside.
    lowest: f64,
    volume: f64,
    importance: f64,
}

impl Cluster {
    /// A vertex, but for its area.
    const LEAF: Self = Self { area: 1.0, lowest: f64::INFINITY, volume: 0.0, importance: 0.0 };
}
