use cudarc::driver::DevicePtr;
use kostra_core::{EdgeList, Graph, bits_of};

use super::*;
use crate::buffers::upload;
use crate::testing::device;

/// The rows of a graph, to which tests add faults.
#[derive(Clone)]
struct Rows<W: Weight> {
    edges: u32,
    offsets: Vec<u32>,
    neighbors: Vec<u32>,
    ids: Vec<u32>,
    weights: Vec<W>,
}

fn rows<W: Weight>(weight: impl Fn(u32) -> W) -> Rows<W> {
    let (n, m) = (1000_u32, 5000_u32);
    let end = |edge: u32, factor: u32| (edge.wrapping_mul(factor) >> 7) % n;
    let u: Vec<_> = (0..m).map(|edge| end(edge, 2_654_435_761)).collect();
    let v: Vec<_> = (0..m).map(|edge| end(edge, 3_266_489_917)).collect();
    let list = EdgeList::new(n as usize, u, v, (0..m).map(weight).collect::<Vec<_>>()).unwrap();
    let graph = Graph::from(list);
    let csr = graph.csr("test", &mut kostra_core::Run::new()).unwrap();
    Rows {
        edges: m,
        offsets: csr.offsets().iter().map(|&offset| offset as u32).collect(),
        neighbors: csr.neighbors().to_vec(),
        ids: csr.ids().to_vec(),
        weights: bytemuck::cast_slice(csr.weights()).to_vec(),
    }
}

fn check<W: Weight>(device: &Device, rows: &Rows<W>) -> Result<(), DeviceGraphError> {
    let (offsets, neighbors) = (upload(device, &rows.offsets)?, upload(device, &rows.neighbors)?);
    let (ids, weights) = (upload(device, &rows.ids)?, upload(device, bits_of(&rows.weights))?);
    DeviceCsr::<W::Key> {
        vertices: rows.offsets.len() as u32 - 1,
        edges: rows.edges,
        entries: rows.neighbors.len() as u32,
        offsets: offsets.into(),
        neighbors: neighbors.into(),
        ids: ids.into(),
        weights: weights.into(),
        keys: Keys::of(Encoding::new::<W>(Order::Minimum)),
    }
    .check(device)
}

#[test]
fn rows_of_a_graph_pass() {
    let Some(device) = device() else { return };
    assert_eq!(check(&device, &rows(|edge| edge % 7)), Ok(()));
    assert_eq!(check(&device, &rows(|edge| -i64::from(edge))), Ok(()));
    // A zero is the same number with either sign.
    let mut zeros = rows(|_| 0.0_f32);
    zeros.weights.iter_mut().step_by(3).for_each(|weight| *weight = -0.0);
    assert_eq!(check(&device, &zeros), Ok(()));
    assert_eq!(check(&device, &rows(|_| f64::INFINITY)), Ok(()));
    let none =
        Rows { edges: 0, offsets: vec![0; 9], neighbors: vec![], ids: vec![], weights: vec![0; 0] };
    assert_eq!(check(&device, &none), Ok(()));
    assert_eq!(check(&device, &Rows { offsets: vec![0], ..none }), Ok(()));
}

#[test]
fn every_kind_of_fault_is_named_with_its_place() {
    let Some(device) = device() else { return };
    let right = rows(|edge| edge as f32);
    let entries = right.neighbors.len() as u32;
    let spoil = |spoil: fn(&mut Rows<f32>)| {
        let mut rows = right.clone();
        spoil(&mut rows);
        check(&device, &rows).unwrap_err()
    };
    assert_eq!(spoil(|rows| rows.offsets[0] = 1), DeviceGraphError::Offsets { index: 0, entries });
    assert_eq!(
        spoil(|rows| rows.offsets[500] = 0),
        DeviceGraphError::Offsets { index: 500, entries }
    );
    assert_eq!(
        spoil(|rows| rows.offsets[1000] += 1),
        DeviceGraphError::Offsets { index: 1000, entries }
    );
    assert_eq!(
        spoil(|rows| rows.offsets[7] = u32::MAX),
        DeviceGraphError::Offsets { index: 8, entries }
    );
    assert_eq!(
        spoil(|rows| rows.neighbors[77] = 1000),
        DeviceGraphError::Vertex { what: "entry", index: 77, vertices: 1000 }
    );
    assert_eq!(
        spoil(|rows| rows.ids[4321] = u32::MAX),
        DeviceGraphError::EdgeId { index: 4321, edges: 5000 }
    );
    assert_eq!(
        spoil(|rows| rows.weights[3] = -f32::NAN),
        DeviceGraphError::NanWeight { what: "entry", index: 3 }
    );
    assert_eq!(spoil(|rows| rows.neighbors[0] = 0), DeviceGraphError::SelfLoop { index: 0 });
    let doubled = |rows: &mut Rows<f32>| {
        // Both entries of one edge get the id of another edge.
        let (one, other) = (rows.ids[0], rows.ids[1]);
        rows.ids.iter_mut().filter(|id| **id == one).for_each(|id| *id = other);
    };
    assert!(matches!(spoil(doubled), DeviceGraphError::RepeatedId { .. }));
    assert_eq!(spoil(|rows| rows.weights[3] += 1.0), DeviceGraphError::Asymmetric);
    assert_eq!(
        spoil(|rows| rows.neighbors[5] = 999 - rows.neighbors[5]),
        DeviceGraphError::Asymmetric
    );
    let lost = |rows: &mut Rows<f32>| {
        let _ = (rows.neighbors.pop(), rows.ids.pop(), rows.weights.pop());
        let last = rows.neighbors.len() as u32;
        rows.offsets.iter_mut().for_each(|offset| *offset = last.min(*offset));
    };
    assert_eq!(spoil(lost), DeviceGraphError::Asymmetric);
}

#[test]
fn an_edge_list_is_checked_too() {
    let Some(device) = device() else { return };
    let (u, v) =
        (upload(&device, &[0_u32, 1, 2]).unwrap(), upload(&device, &[1_u32, 2, 0]).unwrap());
    let weights = upload(&device, &[1.0_f64, f64::NAN, 2.0]).unwrap();
    let stream = device.stream();
    let list = |vertices, edges| EdgeAddresses {
        vertices,
        edges,
        u: u.device_ptr(stream).0,
        v: v.device_ptr(stream).0,
        weights: weights.device_ptr(stream).0,
    };
    device.finish().unwrap();
    let check = |vertices, edges| {
        // SAFETY: the arrays are at least that long, and outlive the list.
        let list = unsafe {
            DeviceEdges::from_addresses::<f64>(&device, list(vertices, edges), Order::Minimum)
        };
        list.map(|_| ())
    };
    assert_eq!(check(3, 1), Ok(()));
    assert_eq!(check(3, 3), Err(DeviceGraphError::NanWeight { what: "edge", index: 1 }));
    assert_eq!(check(2, 2), Err(DeviceGraphError::Vertex { what: "edge", index: 1, vertices: 2 }));
    assert_eq!(check(0, 1), Err(DeviceGraphError::NoVertices));
    assert_eq!(check(0, 0), Ok(()));
}
