//! Kostra in a browser: the module behind `docs/explain/index.html`, the page that explains minimum
//! spanning forests.
//!
//! The page asks in text and draws the answer, which is JSON. All decisions come from the solvers
//! of `kostra-cpu`: they report each decision to an observer, and [`steps`] keeps the order.
//! Cycles, clusters and hierarchies come from `kostra_core::tree`, and `verify` checks every
//! forest.
//!
//! `scripts/explain` builds the module for `wasm32-unknown-unknown` and writes it into the page.
//! The interface is in [`interface`]. It needs six functions, so no binding generator is used.

pub mod city;
pub mod interface;
mod json;
pub mod layout;
pub mod points;
pub mod scene;
pub mod steps;
pub mod table;

/// The most vertices of a graph that the page draws. More would cover each other.
pub const MAX_VERTICES: usize = 1000;
/// The most edges of a graph that the page draws.
pub const MAX_EDGES: usize = 3000;
