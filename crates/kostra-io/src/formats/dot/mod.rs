//! DOT (Gansner et al.), the language of Graphviz: statements `a -- b [weight=3]` of one graph.
//!
//! Vertices are the nodes in order of appearance, and each `--` or `->` is an edge. The weight is
//! the attribute `weight`, or the attribute that the user names. In DOT, `weight` may also be an
//! order to the layout, so a graph whose labels are other numbers is refused with a question.
//! Directions, other attributes and clusters are ignored. Edges between subgraphs are refused.
//!
//! The reader holds the text in memory and passes over it once, on one thread, without recursion.
//! Source: the grammar in the Graphviz documentation, "DOT Language".

mod read;
mod tokens;
mod write;

use tokens::{Token, Tokens};

use crate::head::{Evidence, Head};
use crate::interface::{Format, FormatInfo};

/// The attribute with the id of an edge in the graph that it comes from.
const EDGE_ID: &str = "edge";

impl Format {
    /// DOT: the graphs of Graphviz.
    pub const DOT: Self = Self::new(&FormatInfo {
        id: "dot",
        title: "DOT",
        extensions: &["dot", "gv"],
        summary: "DOT: the language of Graphviz",
        has_attributes: true,
        recognize,
        read: read::read,
        write: Some(write::writer),
        ..FormatInfo::READ_ONLY
    });
}

/// Recognizes a text that starts, after comments, as `strict graph NAME {` does.
fn recognize(head: &Head<'_>) -> Evidence {
    let mut tokens = Tokens::new(head.text());
    let mut word = || tokens.next().ok().flatten();
    let mut first = word();
    if first.as_ref().is_some_and(|token| token.is_word("strict")) {
        first = word();
    }
    let is_graph = first.is_some_and(|token| token.is_word("graph") || token.is_word("digraph"));
    let opens = |token: &Token<'_>| token.is_mark('{');
    // `graph = {` is an assignment of a program.
    let is_named = |token: &Token<'_>| !token.is_mark('=');
    let next = word();
    let opened = next.as_ref().is_some_and(opens)
        || next.as_ref().is_some_and(is_named) && word().as_ref().is_some_and(opens);
    Evidence::Signature.when(is_graph && opened)
}

#[cfg(test)]
mod tests;
