//! Shared test support for Kostra. This crate is not published.
//!
//! Every registered solver ([`matrix`], [`variants`]) solves the cases of `testdata/` ([`suite`]),
//! random graphs ([`strategies`]) and real graphs ([`real`]). Answers are compared edge id by edge
//! id. The reference is the definition of the forest ([`oracle`]) on small graphs, and an answer
//! that the verifier accepts on large graphs. All faces answer the same
//! [`requests`], and say why they fell back from a [`small_device`].

#[cfg(feature = "full")]
pub mod matrix;
pub mod multigraphs;
pub mod mutate;
pub mod oracle;
#[cfg(feature = "full")]
pub mod real;
#[cfg(feature = "full")]
pub mod requests;
#[cfg(feature = "full")]
pub mod small_device;
pub mod strategies;
#[cfg(feature = "full")]
pub mod suite;
#[cfg(feature = "full")]
pub mod variants;
