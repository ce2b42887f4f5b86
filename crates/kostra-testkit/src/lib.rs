//! What all tests of Kostra share. Not published.
//!
//! One truth, many engines: the cases of `testdata/` ([`suite`]), graphs made at random
//! ([`strategies`]) and real graphs ([`real`]) go through every registered solver ([`matrix`],
//! [`variants`]), and the answers are compared edge id by edge id: with what the definition says
//! ([`oracle`]) on small graphs, with an answer that the verifier accepts on large ones.

pub mod matrix;
pub mod multigraphs;
pub mod mutate;
pub mod oracle;
pub mod real;
pub mod strategies;
pub mod suite;
pub mod variants;
