//! Peers: solvers of other projects, held to the same rules.
//!
//! To add one that is a program, write a script that speaks the protocol of [`program`], and add it to [`PEERS`]; to
//! add a Rust crate, see `native.rs`.

#[cfg(feature = "peers")]
mod native;
mod program;

use anyhow::{Context, Result, bail};
use kostra::AnyGraph;

use crate::contestant::Contestant;

/// A peer that may or may not be here.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Peer {
    /// The name that users type.
    pub(crate) name: &'static str,
    home: Home,
}

#[derive(Clone, Copy, Debug)]
enum Home {
    /// A Python script in `bench/peers`.
    Python(&'static str),
    /// A crate in this process.
    Crate,
}

const PEERS: &[Peer] = &[
    Peer { name: "scipy", home: Home::Python("scipy_peer.py") },
    Peer { name: "rustworkx", home: Home::Python("rustworkx_peer.py") },
    Peer { name: "networkit", home: Home::Python("networkit_peer.py") },
    Peer { name: "igraph", home: Home::Python("igraph_peer.py") },
    Peer { name: "pathfinding", home: Home::Crate },
    Peer { name: "petgraph", home: Home::Crate },
];

/// The peer of this name.
///
/// # Errors
/// When there is none.
pub(crate) fn peer(name: &str) -> Result<Peer> {
    PEERS.iter().copied().find(|peer| peer.name == name).with_context(|| {
        let names: Vec<_> = PEERS.iter().map(|peer| peer.name).collect();
        format!("there is no peer '{name}'; there are: {}", names.join(", "))
    })
}

impl Peer {
    /// Gives the peer the graph, which it puts into the form that it wants.
    ///
    /// # Errors
    /// When the peer is not installed, cannot hold the graph, or fails: it is then skipped, with that reason.
    pub(crate) fn enter(&self, graph: &AnyGraph, threads: usize) -> Result<Box<dyn Contestant>> {
        let arrays = Arrays::new(graph)?;
        match self.home {
            Home::Python(script) => {
                let script = crate::machine::workspace().join("bench/peers").join(script);
                let command = ["python3".into(), script.into_os_string()];
                Ok(Box::new(program::Program::start(self.name, &command, &arrays, threads)?))
            }
            #[cfg(feature = "peers")]
            Home::Crate => native::enter(self.name, &arrays),
            #[cfg(not(feature = "peers"))]
            Home::Crate => bail!("this runner was built without its feature `peers`"),
        }
    }
}

/// A graph as peers get it.
struct Arrays<'a> {
    vertices: u32,
    u: &'a [u32],
    v: &'a [u32],
    weights: Vec<u32>,
}

impl<'a> Arrays<'a> {
    /// A graph with weights from 1 to 2^32 - 1, which every peer keeps exactly; zero is no edge to some.
    fn new(graph: &'a AnyGraph) -> Result<Self> {
        let weights: Option<Vec<u32>> = match graph {
            AnyGraph::U32(graph) => Some(graph.edge_list().weights().to_vec()),
            AnyGraph::I32(graph) => narrow(graph.edge_list().weights()),
            AnyGraph::I64(graph) => narrow(graph.edge_list().weights()),
            AnyGraph::U64(graph) => narrow(graph.edge_list().weights()),
            AnyGraph::F32(_) | AnyGraph::F64(_) => None,
        };
        match weights {
            Some(weights) if !weights.contains(&0) => {
                Ok(Self { vertices: graph.vertices(), u: graph.u(), v: graph.v(), weights })
            }
            _ => bail!("peers get integer weights from 1 to 2^32 - 1 only, and this graph has others"),
        }
    }
}

fn narrow<W: Copy + TryInto<u32>>(weights: &[W]) -> Option<Vec<u32>> {
    weights.iter().map(|&weight| weight.try_into().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_that_a_peer_could_not_keep_are_refused() {
        let weights = |weights: Vec<i64>| {
            let graph = AnyGraph::from_edges(2, vec![0], vec![1], weights).unwrap();
            Arrays::new(&graph).map(|arrays| arrays.weights).ok()
        };
        assert_eq!(weights(vec![7]), Some(vec![7]));
        for weight in [0, -1, 1 << 32] {
            assert_eq!(weights(vec![weight]), None);
        }
    }

    #[test]
    fn an_unknown_peer_is_answered_with_the_known_ones() {
        let message = peer("skippy").unwrap_err().to_string();
        assert!(message.starts_with("there is no peer 'skippy'; there are: scipy,"), "{message}");
    }
}
