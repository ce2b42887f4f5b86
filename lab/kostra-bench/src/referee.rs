//! The referee of a contest, which compares the answers and verifies the first one.

use kostra_core::{AnyGraph, EdgeId, Order, verify, with_graph};

use crate::contestant::AnswerProperties;

/// Compares every answer with the first answer.
#[derive(Default)]
pub(crate) struct Referee {
    reference: Option<(String, AnswerProperties)>,
    /// The verifier's verdict on the reference answer; none before the verifier has run.
    verified: Option<bool>,
    disagreements: Vec<String>,
}

impl Referee {
    /// The first answer.
    pub(crate) fn reference(&self) -> Option<&AnswerProperties> {
        self.reference.as_ref().map(|(_, answer)| answer)
    }

    /// The differences since the last call, one sentence each.
    pub(crate) fn take_disagreements(&mut self) -> Vec<String> {
        std::mem::take(&mut self.disagreements)
    }

    /// Whether the verifier accepts the first answer. The verifier runs once, because it takes as
    /// long as a solver.
    pub(crate) fn verified(&mut self, graph: &AnyGraph) -> bool {
        *self.verified.get_or_insert_with(|| {
            let ids = self.reference.as_ref().and_then(|(_, answer)| answer.ids.as_ref());
            ids.is_some_and(|ids| {
                verified(graph, ids)
                    .inspect_err(|violation| {
                        self.disagreements.push(format!("the verifier: {violation}"));
                    })
                    .is_ok()
            })
        })
    }

    /// Returns how an approximate answer is wrong, and notes it.
    pub(crate) fn judge_approximate(
        &mut self,
        name: &str,
        answer: &AnswerProperties,
    ) -> Option<String> {
        let (first, reference) = self.reference.as_ref()?;
        let is_wrong = answer.edges != reference.edges;
        let difference = is_wrong
            .then(|| format!("{name} found {} edges, {first} {}", answer.edges, reference.edges));
        self.disagreements.extend(difference.clone());
        difference
    }

    /// Returns how an answer differs from the first one, and notes it.
    pub(crate) fn judge(&mut self, name: &str, answer: AnswerProperties) -> Option<String> {
        let Some((first, reference)) = &self.reference else {
            self.reference = Some((name.to_owned(), answer));
            return None;
        };
        let difference = if (answer.edges, &answer.total) != (reference.edges, &reference.total) {
            Some(format!(
                "{name} found {} edges of total weight {}, {first} {} of {}",
                answer.edges, answer.total, reference.edges, reference.total
            ))
        } else if let (Some(ids), Some(expected)) = (&answer.ids, &reference.ids)
            && let Some(at) = (0..ids.len()).find(|&at| ids[at] != expected[at])
        {
            Some(format!(
                "{name} and {first} found different forests of equal weight: entry {at} is edge {} and edge {}",
                ids[at], expected[at]
            ))
        } else {
            None
        };
        self.disagreements.extend(difference.clone());
        difference
    }
}

fn verified(graph: &AnyGraph, ids: &[EdgeId]) -> Result<(), String> {
    with_graph!(graph, graph => {
        let certificate = verify(graph.edge_list().edges(Order::Minimum), ids);
        certificate.map(|_| ()).map_err(|violation| violation.to_string())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(total: &str, ids: Option<&[EdgeId]>) -> AnswerProperties {
        AnswerProperties { edges: 2, total: total.to_owned(), ids: ids.map(<[EdgeId]>::to_vec) }
    }

    #[test]
    fn the_referee_compares_totals_of_peers_and_edges_of_solvers() {
        let mut referee = Referee::default();
        referee.judge("kruskal", answer("7", Some(&[0, 2])));
        referee.judge("peer", answer("7", None));
        referee.judge("boruvka", answer("7", Some(&[0, 2])));
        assert_eq!(referee.disagreements, [""; 0]);
        referee.judge("boruvka", answer("7", Some(&[0, 1])));
        referee.judge("peer", answer("8", None));
        assert_eq!(
            referee.disagreements,
            [
                "boruvka and kruskal found different forests of equal weight: entry 1 is edge 1 and edge 2",
                "peer found 2 edges of total weight 8, kruskal 2 of 7",
            ]
        );
    }
}
