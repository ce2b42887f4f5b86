//! Tests the verifier with forests that are wrong on purpose, each with a known fault.

use std::ops::Add;

use kostra_core::{AnyGraph, EdgeId, Order, Violation, verify, with_graph};

use crate::oracle;

/// The number of wrong forests of each kind that the verifier refused.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RefusedForests {
    /// Forests with one edge removed.
    pub dropped: usize,
    /// Forests with one edge added.
    pub added: usize,
    /// Forests with one edge replaced by another edge across the same cut.
    pub swapped: usize,
    /// The part of `swapped` with an edge of equal weight.
    pub swapped_with_a_tie: usize,
    /// Lists with a repeated edge, out of order, or with an unknown edge id.
    pub lists: usize,
}

impl Add for RefusedForests {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            dropped: self.dropped + other.dropped,
            added: self.added + other.added,
            swapped: self.swapped + other.swapped,
            swapped_with_a_tie: self.swapped_with_a_tie + other.swapped_with_a_tie,
            lists: self.lists + other.lists,
        }
    }
}

/// The verifier's verdict on a list of edge ids.
///
/// # Panics
/// If the system refuses the memory.
pub fn judge(graph: &AnyGraph, order: Order, ids: &[EdgeId]) -> Result<(), Violation> {
    match with_graph!(graph, graph => verify(graph.edge_list().edges(order), ids)) {
        Ok(_) => Ok(()),
        Err(error) => Err(error.violation().unwrap_or_else(|refusal| panic!("{refusal}"))),
    }
}

/// Changes the canonical forest in every possible single step, and checks that the verifier reports
/// the right violation.
///
/// # Errors
/// A description of the first wrong forest that the verifier accepted, or refused for the wrong
/// reason.
pub fn examine_verifier(
    graph: &AnyGraph,
    order: Order,
    forest: &[EdgeId],
) -> Result<RefusedForests, String> {
    let mut refused = RefusedForests::default();
    let edges = graph.edges();
    let outside = (0..edges as EdgeId).filter(|id| !forest.contains(id)).collect::<Vec<_>>();
    let judge = |ids: &[EdgeId]| judge(graph, order, ids);
    let expect = |what: &str, ids: &[EdgeId], right: &dyn Fn(&Violation) -> bool| match judge(ids) {
        Err(violation) if right(&violation) => Ok(1),
        verdict => Err(format!("{what}, {ids:?} with {order:?}, gave the verdict {verdict:?}")),
    };

    for (place, &id) in forest.iter().enumerate() {
        let without = [&forest[..place], &forest[place + 1..]].concat();
        // The verifier may report another edge across the cut, with a lower id.
        let cut = u64::from(id);
        let missed =
            |found: &Violation| matches!(found, Violation::Missed { edge, .. } if *edge <= cut);
        refused.dropped += expect(&format!("without edge {id}"), &without, &missed)?;

        let twice = [&forest[..=place], &forest[place..]].concat();
        let repeated = Violation::NotAscending { edge: id.into(), previous: id.into() };
        refused.lists +=
            expect(&format!("edge {id} twice"), &twice, &|violation| *violation == repeated)?;

        for &other in &outside {
            let swapped = sorted([&without[..], &[other]].concat());
            if oracle::is_spanning_forest(graph, &swapped) {
                let not_minimal =
                    |violation: &Violation| matches!(violation, Violation::NotMinimal { .. });
                refused.swapped +=
                    expect(&format!("edge {other} for {id}"), &swapped, &not_minimal)?;
                refused.swapped_with_a_tie += usize::from(has_equal_weight(graph, id, other));
            }
        }
    }
    for &id in &outside {
        let with = sorted([forest, &[id]].concat());
        let closing = u64::from(id);
        let cycle =
            |found: &Violation| matches!(found, Violation::Cycle { edge, .. } if *edge == closing);
        refused.added += expect(&format!("with edge {id}"), &with, &cycle)?;
    }
    if forest.len() > 1 {
        let backwards = forest.iter().rev().copied().collect::<Vec<_>>();
        let out_of_order =
            |violation: &Violation| matches!(violation, Violation::NotAscending { .. });
        refused.lists += expect("backwards", &backwards, &out_of_order)?;
    }
    let unknown = Violation::UnknownEdge { edge: edges as u64, edges: edges as u64 };
    let with_unknown = [forest, &[edges as EdgeId]].concat();
    refused.lists += expect("an unknown edge", &with_unknown, &|violation| *violation == unknown)?;
    Ok(refused)
}

fn sorted(mut ids: Vec<EdgeId>) -> Vec<EdgeId> {
    ids.sort_unstable();
    ids
}

fn has_equal_weight(graph: &AnyGraph, a: EdgeId, b: EdgeId) -> bool {
    with_graph!(graph, graph => {
        let weights = graph.edge_list().weights();
        weights[a as usize] == weights[b as usize]
    })
}
