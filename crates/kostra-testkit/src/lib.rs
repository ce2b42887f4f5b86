//! Shared test support for Kostra. This crate is not published.
//!
//! Every registered solver ([`matrix`], [`variants`]) solves the cases of `testdata/` ([`suite`]),
//! random graphs ([`strategies`]) and real graphs ([`real`]). Answers are compared edge id by edge
//! id. The reference is the definition of the forest ([`oracle`]) on small graphs, and an answer
//! that the verifier accepts on large graphs.

pub mod matrix;
pub mod multigraphs;
pub mod mutate;
pub mod oracle;
pub mod real;
pub mod strategies;
pub mod suite;
pub mod variants;
