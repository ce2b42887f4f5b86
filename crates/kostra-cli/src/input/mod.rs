//! Graphs from a file, from standard input or from a generator.

mod graph;
mod request;

pub(crate) use graph::{GraphSummary, InputGraph, doubt_about_order, format_id, storage};
pub(crate) use request::{GENERATED, GraphSource, InputRequest, Threads, file};
