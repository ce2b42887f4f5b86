//! The verifier for edges that do not fit into memory: it holds the forest, and takes all edges of
//! the graph in blocks.

use super::{Certificate, Line, NEVER, VerifyError, sorted_ranks};
use crate::{EdgeId, Edges, Key, Violation};

/// Decides whether a forest is the canonical one of edges that arrive in blocks, in the order of
/// the input. The graph is not in memory, so this also compares the forest's edges with the input.
///
/// Memory: 28 bytes per vertex (36 with 64-bit weights) besides the forest.
pub struct BlockVerifier<'a, K: Key> {
    /// The forest: edge `i` is edge `ids[i]` of the input.
    forest: Edges<'a, K>,
    ids: &'a [u64],
    ranks: Vec<K::Rank>,
    line: Line,
    /// The edges of the forest that have arrived.
    met: usize,
    /// The edges of the input that have arrived.
    taken: u64,
}

impl<'a, K: Key> BlockVerifier<'a, K> {
    /// Starts with a forest and the ids of its edges.
    ///
    /// # Errors
    /// When the ids do not ascend or the edges have a cycle, or the system refuses the memory.
    pub fn new(forest: Edges<'a, K>, ids: &'a [u64]) -> Result<Self, VerifyError> {
        assert_eq!(forest.len(), ids.len(), "each edge has an id");
        if let Some(pair) = ids.windows(2).find(|pair| pair[0] >= pair[1]) {
            return Err(Violation::NotAscending { edge: pair[1], previous: pair[0] }.into());
        }
        let ranks = sorted_ranks(forest, forest.ids())?;
        let line = Line::merge(forest, &ranks, |place| ids[place as usize])?;
        Ok(Self { forest, ids, ranks, line, met: 0, taken: 0 })
    }

    /// Compares the next edges of the input with the forest's paths between their ends.
    ///
    /// # Errors
    /// The first edge that the forest must contain, or that is not the forest's edge with this id.
    pub fn check(&mut self, edges: Edges<'_, K>) -> Result<(), Violation> {
        for at in edges.ids() {
            let id = self.taken;
            self.taken += 1;
            let (u, v) = edges.ends(at);
            if self.ids.get(self.met) == Some(&id) {
                let place = self.met as EdgeId;
                let (a, b) = self.forest.ends(place);
                let is_same = (a, b) == (u, v) || (a, b) == (v, u);
                if !is_same || edges.key(at) != self.forest.key(place) {
                    return Err(self.invented(place));
                }
                self.met += 1;
                continue;
            }
            let position = |vertex| self.line.positions.get(vertex as usize).copied();
            let meeting = match (position(u), position(v)) {
                _ if u == v => continue,
                (Some(a), Some(b)) => self.line.meeting(a, b),
                _ => NEVER,
            };
            let Some(&heaviest) = self.ranks.get(meeting as usize) else {
                return Err(Violation::Missed { edge: id, u, v });
            };
            let place = K::rank_id(heaviest);
            if (edges.key(at), id) < (K::rank_key(heaviest), self.ids[place as usize]) {
                let (weight, heaviest) = (edges.weight_text(at), self.ids[place as usize]);
                let heaviest_weight = self.forest.weight_text(place);
                return Err(Violation::NotMinimal {
                    edge: id,
                    u,
                    v,
                    weight,
                    heaviest,
                    heaviest_weight,
                });
            }
        }
        Ok(())
    }

    /// Decides after the last edge.
    ///
    /// # Errors
    /// When the forest has an edge that did not arrive.
    pub fn finish(self) -> Result<Certificate, Violation> {
        match self.ids.get(self.met) {
            Some(&edge) => Err(Violation::UnknownEdge { edge, edges: self.taken }),
            None => {
                let compared = (self.taken - self.met as u64) as usize;
                Ok(Certificate { components: self.line.components, compared })
            }
        }
    }

    #[cold]
    fn invented(&self, place: EdgeId) -> Violation {
        let (u, v) = self.forest.ends(place);
        let weight = self.forest.weight_text(place);
        Violation::Invented { edge: self.ids[place as usize], u, v, weight }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{EdgeList, Order, verify};

    fn list(edges: &[(u32, u32, i32)]) -> EdgeList<i32> {
        let (u, (v, weights)): (Vec<_>, (Vec<_>, Vec<_>)) =
            edges.iter().map(|&(u, v, weight)| (u, (v, weight))).unzip();
        EdgeList::new(6, u, v, weights).unwrap()
    }

    /// The verdict on some edges, whose ids are given, when the graph arrives in blocks.
    fn verdict(
        graph: &EdgeList<i32>,
        forest: &EdgeList<i32>,
        ids: &[u64],
        block: usize,
    ) -> Result<Certificate, VerifyError> {
        let (graph, forest) = (graph.edges(Order::Minimum), forest.edges(Order::Minimum));
        let mut verifier = BlockVerifier::new(forest, ids)?;
        for start in (0..graph.len()).step_by(block) {
            verifier.check(graph.range(start..graph.len().min(start + block)))?;
        }
        Ok(verifier.finish()?)
    }

    #[test]
    fn every_set_of_edges_has_the_verdict_of_the_whole_graph() {
        let edges = [(0, 1, 3), (1, 2, 1), (2, 0, 3), (3, 3, 0), (3, 4, 2), (4, 3, 2), (2, 3, 5)];
        let graph = list(&edges);
        for set in 0..1_u32 << edges.len() {
            let ids: Vec<u32> = (0..edges.len() as u32).filter(|id| set >> id & 1 == 1).collect();
            let chosen: Vec<_> = ids.iter().map(|&id| edges[id as usize]).collect();
            let wide: Vec<_> = ids.iter().map(|&id| id.into()).collect();
            let whole = verify(graph.edges(Order::Minimum), &ids);
            for block in [1, 3, 100] {
                let found = verdict(&graph, &list(&chosen), &wide, block);
                assert_eq!(found, whole, "{ids:?}");
            }
        }
    }

    #[test]
    fn edges_that_the_input_does_not_have_are_found() {
        let graph = list(&[(0, 1, 3), (1, 2, 1), (2, 0, 3)]);
        for forest in [[(0, 1, 2), (1, 2, 1)], [(0, 1, 3), (1, 3, 1)]] {
            let found = verdict(&graph, &list(&forest), &[0, 1], 2).unwrap_err();
            let invented = matches!(found, VerifyError::Violation(Violation::Invented { .. }));
            assert!(invented, "{found}");
        }
        let turned = list(&[(1, 0, 3), (2, 1, 1)]);
        assert!(verdict(&graph, &turned, &[0, 1], 2).is_ok());
        let found = verdict(&graph, &turned, &[0, 5], 2).unwrap_err().to_string();
        assert!(found.starts_with("edge 1 (1 to 2, weight 1) is not in the forest"), "{found}");
        let far = list(&[(0, 1, 3), (1, 2, 1), (3, 4, 1)]);
        let found = verdict(&graph, &far, &[0, 1, 9], 2).unwrap_err().to_string();
        assert!(found.starts_with("the forest names edge 9, but"), "{found}");
    }
}
