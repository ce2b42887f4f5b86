//! Trees in Newick, the format of phylogenetics: dendrograms of single linkage, and spanning trees
//! from a root.
//!
//! In a dendrogram, a leaf is at height 0 and a merge at half its distance, as in `as.phylo` of R's
//! package ape. So the path between two leaves is as long as the distance at which they merge.
//!
//! ```
//! let mut text = Vec::new();
//! kostra::newick::write_dendrogram(&mut text, &[[0, 1], [2, 3]], &[1.0, 3.0], None)?;
//! assert_eq!(text, b"(2:1.5,(0:0.5,1:0.5):1);\n");
//! # Ok::<(), std::io::Error>(())
//! ```

use std::borrow::Cow;
use std::io::{self, Write};

/// Writes the dendrogram of `merges`, each of two clusters: leaf `i` is cluster `i`, and merge `i`
/// creates cluster `n + i`, where n is the number of leaves, one more than there are merges.
/// `distances` are those of the merges, in ascending order. A leaf is written by its name, or by
/// its number. Takes time and memory linear in the number of leaves.
///
/// # Errors
/// When the output fails, or a distance is not finite.
///
/// # Panics
/// When `merges` and `distances` have different lengths, a cluster does not exist, or `names` has
/// less than n names.
pub fn write_dendrogram(
    to: &mut dyn Write,
    merges: &[[usize; 2]],
    distances: &[f64],
    names: Option<&[String]>,
) -> io::Result<()> {
    assert_eq!(merges.len(), distances.len(), "each merge has a distance");
    let leaves = merges.len() + 1;
    let height = |node: usize| node.checked_sub(leaves).map_or(0.0, |merge| distances[merge] / 2.0);
    if let Some(distance) = distances.iter().find(|distance| !distance.is_finite()) {
        return Err(io::Error::other(format!("Newick cannot hold the distance {distance}")));
    }
    let tree = Tree {
        root: 2 * merges.len(),
        children: |node: usize| match node.checked_sub(leaves) {
            Some(merge) => &merges[merge],
            None => [].as_slice(),
        },
        label: |node: usize| match (node < leaves, names) {
            (true, Some(names)) => label(&names[node]),
            (true, None) => node.to_string().into(),
            (false, _) => "".into(),
        },
        length: |node: usize, parent: usize| (height(parent) - height(node)).to_string(),
    };
    tree.write(to)
}

/// A tree whose nodes are numbers.
pub(crate) struct Tree<C, L, B> {
    pub(crate) root: usize,
    /// The children of a node.
    pub(crate) children: C,
    /// The text of a node, as [`label`] quotes it.
    pub(crate) label: L,
    /// The length of the branch from a node, the first argument, to its parent.
    pub(crate) length: B,
}

impl<'a, C, L, B> Tree<C, L, B>
where
    C: Fn(usize) -> &'a [usize],
    L: Fn(usize) -> Cow<'a, str>,
    B: Fn(usize, usize) -> String,
{
    /// Writes the tree on one line. A path of a million vertices is as deep as long, so the nodes
    /// under work are on a stack of their own.
    pub(crate) fn write(&self, to: &mut dyn Write) -> io::Result<()> {
        let mut open = vec![(self.root, 0)];
        while let Some((node, next)) = open.last_mut() {
            let (node, children) = (*node, (self.children)(*node));
            if let Some(&child) = children.get(*next) {
                to.write_all(if *next == 0 { b"(" } else { b"," })?;
                *next += 1;
                open.push((child, 0));
                continue;
            }
            open.pop();
            let end = if children.is_empty() { "" } else { ")" };
            write!(to, "{end}{}", (self.label)(node))?;
            if let Some(&(parent, _)) = open.last() {
                write!(to, ":{}", (self.length)(node, parent))?;
            }
        }
        to.write_all(b";\n")
    }
}

/// A name as a label: in single quotes, which are doubled inside, unless it has only characters
/// that a label without quotes may have. There an underscore means a blank.
pub(crate) fn label(name: &str) -> Cow<'_, str> {
    let needs_quotes = |c: char| c.is_whitespace() || c.is_control() || "()[]{}'\":;,_".contains(c);
    if name.is_empty() || name.contains(needs_quotes) {
        format!("'{}'", name.replace('\'', "''")).into()
    } else {
        name.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_have_quotes_where_newick_wants_them() {
        assert_eq!(["a", "é-1.5", "7"].map(label), ["a", "é-1.5", "7"]);
        assert_eq!(label("a_b"), "'a_b'");
        assert_eq!(label("it's"), "'it''s'");
        for name in ["", "a b", "a,b", "(a", "a:1", "a;", "[a]"] {
            assert_eq!(label(name), format!("'{name}'"));
        }
    }

    #[test]
    fn a_deep_dendrogram_needs_no_deep_stack() {
        const LEAVES: usize = 100_000;
        let merges: Vec<_> =
            (1..LEAVES).map(|leaf| [if leaf == 1 { 0 } else { LEAVES + leaf - 2 }, leaf]).collect();
        let distances: Vec<_> = (1..LEAVES).map(|leaf| leaf as f64).collect();
        let mut text = Vec::new();
        write_dendrogram(&mut text, &merges, &distances, None).unwrap();
        let text = String::from_utf8(text).unwrap();
        assert_eq!(text.matches('(').count(), LEAVES - 1);
        assert!(text.ends_with(":0.5,99998:49999):0.5,99999:49999.5);\n"), "{}", text.len());
    }

    #[test]
    fn infinite_distances_are_refused_and_one_leaf_is_a_tree() {
        let mut text = Vec::new();
        assert!(write_dendrogram(&mut text, &[[0, 1]], &[f64::INFINITY], None).is_err());
        write_dendrogram(&mut text, &[], &[], Some(&["a".into()])).unwrap();
        assert_eq!(text, b"a;\n");
    }
}
