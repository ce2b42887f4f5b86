//! Whether a forest is correct.

use kostra::{
    AnyGraph, Certificate, EdgeId, Order, OutOfMemory, VerifyError, Violation, with_graph,
};

/// The proof that a forest is correct, or the first violation.
pub(crate) type Verdict = Result<Certificate, Violation>;

/// Decides whether the edges `ids` are the spanning forest of `graph` in this order.
///
/// # Errors
/// When the system does not grant the memory for the decision.
pub(crate) fn verify(
    graph: &AnyGraph,
    order: Order,
    ids: &[EdgeId],
) -> Result<Verdict, OutOfMemory> {
    match with_graph!(graph, graph => kostra::verify(graph.edge_list().edges(order), ids)) {
        Ok(certificate) => Ok(Ok(certificate)),
        Err(VerifyError::Violation(violation)) => Ok(Err(violation)),
        Err(VerifyError::OutOfMemory(refusal)) => Err(refusal),
    }
}
