//! Proves that an arborescence is cheapest, without the algorithm that found it.

use kostra_core::{EdgeId, Vertex, memory};

use super::error::ArborescenceFlaw;
use super::laminar::{Laminar, Nesting};
use super::network::{Amount, Network};

/// No edge.
const NONE: EdgeId = EdgeId::MAX;

/// Checks that edges are a forest from these roots, and that duals prove that none is cheaper.
///
/// Each arborescence from the origin enters every set of vertices. If no arc's cost is below the
/// sum of the duals of the sets that it enters, the sum of all duals is a lower bound on the cost.
/// The forest has the least cost if its own cost is this bound. O(m log n).
pub(super) fn check<A: Amount>(
    network: &Network<'_, A>,
    (ids, roots): (&[EdgeId], &[Vertex]),
    family: &Laminar<A>,
) -> Result<(), ArborescenceFlaw> {
    let vertices = network.vertices();
    let mut entering: Vec<u32> = memory::zeros(vertices as usize)?;
    let mut last: Vec<EdgeId> = memory::filled(vertices as usize, NONE)?;
    for &edge in ids {
        let head = network.head(edge) as usize;
        entering[head] += 1;
        last[head] = edge;
    }
    roots.iter().for_each(|&root| entering[root as usize] += 1);
    if let Some(vertex) = entering.iter().position(|&number| number != 1) {
        let is_root = u32::from(roots.contains(&(vertex as Vertex)));
        let entering = entering[vertex] - is_root;
        return Err(ArborescenceFlaw::Entering { vertex: vertex as Vertex, entering });
    }
    // Each vertex has the number of the walk that passed it first. A walk that meets itself is on
    // a cycle.
    let mut walks: Vec<u32> = memory::zeros(vertices as usize)?;
    for start in 0..vertices {
        let mut vertex = start;
        while walks[vertex as usize] == 0 {
            walks[vertex as usize] = start + 1;
            match last[vertex as usize] {
                NONE => break,
                edge => vertex = network.tail(edge),
            }
            if walks[vertex as usize] == start + 1 {
                return Err(ArborescenceFlaw::Cycle { vertex });
            }
        }
    }
    let zero = A::default();
    let (single, sets) = family.duals();
    let whole = family.without_zeros()?;
    let nesting = Nesting::new(&whole)?;
    let mut arcs = network.usable();
    if sets.iter().any(|dual| *dual < zero)
        || arcs.any(|arc| nesting.reduced_cost(network, arc) < zero)
    {
        return Err(ArborescenceFlaw::Duals);
    }
    let (mut cost, mut bound) = (A::default(), A::default());
    ids.iter().for_each(|&edge| cost += network.cost(edge));
    roots.iter().for_each(|_| cost += network.price());
    single.iter().chain(sets).for_each(|dual| bound += dual);
    if cost == bound { Ok(()) } else { Err(ArborescenceFlaw::Gap) }
}
