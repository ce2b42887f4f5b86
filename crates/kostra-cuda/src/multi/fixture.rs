//! Shares of a graph for tests, on three devices that may be the same.

use std::sync::Arc;

use kostra_core::{EdgeList, EdgeSet, Order, Run, Weight};

use super::parts::{Part, WholeGraph};
use super::{DeviceShare, on_edges};
use crate::buffers::DeviceEdges;
use crate::{Device, fast, testing};

/// The edges of a graph on a device, and shares of them on three.
pub(super) struct Shares<W: Weight> {
    devices: [Arc<Device>; 3],
    lists: Vec<DeviceEdges<W::Key>>,
    starts: [usize; 4],
    pub(super) whole: WholeGraph,
    /// The forest, which one device has found.
    pub(super) right: EdgeSet,
}

/// Calls `check` with shares of a graph that are divided at each of these pairs of ids, in both
/// orders. Skipped if there is no device.
pub(super) fn for_shares<W: Weight>(
    graph: &EdgeList<W>,
    cuts: &[[usize; 2]],
    mut check: impl FnMut(&Shares<W>, Order, [usize; 2]),
) {
    let Some(first) = testing::device() else { return };
    // With one device, all shares are on it.
    let second = Device::open(1).unwrap_or_else(|_| first.clone());
    for order in [Order::Minimum, Order::Maximum] {
        let edges = graph.edges(order);
        first.bind().unwrap();
        let whole = DeviceEdges::upload(&first, edges, 1).unwrap();
        let right = fast::on_edges(&first, &whole, &mut Run::new()).unwrap();
        for &cut in cuts {
            let starts = [0, cut[0], cut[1], graph.len()];
            let devices = [&first, &second, &first].map(Arc::clone);
            let lists = std::iter::zip(&devices, starts.windows(2)).map(|(device, range)| {
                device.bind().unwrap();
                DeviceEdges::upload(device, edges.range(range[0]..range[1]), 1).unwrap()
            });
            let lists = lists.collect();
            let whole = WholeGraph { graph: (whole.vertices, whole.keys), edges: graph.len() };
            let right = right.clone();
            check(&Shares { devices, lists, starts, whole, right }, order, cut);
        }
    }
}

impl<W: Weight> Shares<W> {
    pub(super) fn first(&self) -> &Device {
        &self.devices[0]
    }

    pub(super) fn parts(&self) -> Vec<Part<'_, W::Key>> {
        (0..3)
            .map(|at| Part {
                device: &self.devices[at],
                edges: &self.lists[at],
                first: self.starts[at] as u32,
            })
            .collect()
    }

    /// The forest by [`on_edges`].
    pub(super) fn forest(&self) -> EdgeSet {
        let shares: Vec<_> = std::iter::zip(&self.devices, &self.lists)
            .map(|(device, edges)| DeviceShare { device, edges })
            .collect();
        on_edges(&shares, &mut Run::new()).unwrap()
    }
}
