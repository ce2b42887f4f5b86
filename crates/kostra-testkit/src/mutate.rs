//! Forests made wrong on purpose, each with what is wrong with it: the verifier's own examination.

use std::ops::Add;

use kostra_core::{AnyGraph, EdgeId, Order, VerifyError, Violation, verify, with_graph};

use crate::oracle;

/// How many wrong forests of each kind the verifier has refused.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Refused {
    /// An edge left out.
    pub dropped: usize,
    /// An edge added.
    pub added: usize,
    /// An edge replaced by another across the same cut.
    pub swapped: usize,
    /// Such replacements by an edge of the same weight.
    pub swapped_with_a_tie: usize,
    /// A list with a repetition, out of order, or with an edge that is not there.
    pub lists: usize,
}

impl Add for Refused {
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

/// What the verifier says of a list of edges.
///
/// # Panics
/// When the system does not grant the memory.
pub fn judge(graph: &AnyGraph, order: Order, ids: &[EdgeId]) -> Result<(), Violation> {
    match with_graph!(graph, graph => verify(graph.edge_list().edges(order), ids)) {
        Ok(_) => Ok(()),
        Err(VerifyError::Violation(violation)) => Err(violation),
        Err(VerifyError::OutOfMemory(refusal)) => panic!("{refusal}"),
    }
}

/// Spoils the canonical forest in every way of one step, and sees that the verifier names the
/// fault.
///
/// # Errors
/// A sentence about the first wrong forest that was accepted, or refused for the wrong reason.
pub fn examine_verifier(
    graph: &AnyGraph,
    order: Order,
    forest: &[EdgeId],
) -> Result<Refused, String> {
    let mut refused = Refused::default();
    let edges = graph.edges();
    let outside = (0..edges as EdgeId).filter(|id| !forest.contains(id)).collect::<Vec<_>>();
    let judge = |ids: &[EdgeId]| judge(graph, order, ids);
    let expect = |what: &str, ids: &[EdgeId], right: &dyn Fn(&Violation) -> bool| match judge(ids) {
        Err(violation) if right(&violation) => Ok(1),
        verdict => Err(format!("{what}, {ids:?} with {order:?}, was judged {verdict:?}")),
    };

    for (place, &id) in forest.iter().enumerate() {
        let without = [&forest[..place], &forest[place + 1..]].concat();
        // An edge across the gap with a lower id may be named first.
        let missed =
            |found: &Violation| matches!(found, Violation::Missed { edge, .. } if *edge <= id);
        refused.dropped += expect(&format!("without edge {id}"), &without, &missed)?;

        let twice = [&forest[..=place], &forest[place..]].concat();
        let repeated = Violation::NotAscending { edge: id, previous: id };
        refused.lists +=
            expect(&format!("edge {id} twice"), &twice, &|violation| *violation == repeated)?;

        for &other in &outside {
            let swapped = sorted([&without[..], &[other]].concat());
            if oracle::is_spanning_forest(graph, &swapped) {
                let not_minimal =
                    |violation: &Violation| matches!(violation, Violation::NotMinimal { .. });
                refused.swapped +=
                    expect(&format!("edge {other} for {id}"), &swapped, &not_minimal)?;
                refused.swapped_with_a_tie += usize::from(weighs_the_same(graph, id, other));
            }
        }
    }
    for &id in &outside {
        let with = sorted([forest, &[id]].concat());
        let cycle =
            |found: &Violation| matches!(found, Violation::Cycle { edge, .. } if *edge == id);
        refused.added += expect(&format!("with edge {id}"), &with, &cycle)?;
    }
    if forest.len() > 1 {
        let backwards = forest.iter().rev().copied().collect::<Vec<_>>();
        let out_of_order =
            |violation: &Violation| matches!(violation, Violation::NotAscending { .. });
        refused.lists += expect("backwards", &backwards, &out_of_order)?;
    }
    let unknown = Violation::UnknownEdge { edge: edges as EdgeId, edges };
    let with_unknown = [forest, &[edges as EdgeId]].concat();
    refused.lists += expect("an edge too high", &with_unknown, &|violation| *violation == unknown)?;
    Ok(refused)
}

fn sorted(mut ids: Vec<EdgeId>) -> Vec<EdgeId> {
    ids.sort_unstable();
    ids
}

fn weighs_the_same(graph: &AnyGraph, a: EdgeId, b: EdgeId) -> bool {
    with_graph!(graph, graph => {
        let weights = graph.edge_list().weights();
        weights[a as usize] == weights[b as usize]
    })
}
