//! Peers: solvers of other projects, measured by the same rules.
//!
//! To add a peer that is a program, write a script that implements the protocol of [`program`] and
//! add it to [`PEERS`]. To add a Rust crate, see `native.rs`.

#[cfg(feature = "peers")]
mod native;
mod program;

use std::borrow::Cow;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use kostra_core::AnyGraph;
use tempfile::NamedTempFile;

use crate::contestant::Contestant;

/// A known peer, installed or not.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Peer {
    /// The name on the command line.
    pub(crate) name: &'static str,
    home: Home,
}

#[derive(Clone, Copy, Debug)]
enum Home {
    /// A Python script in `lab/peers`.
    Python(&'static str),
    /// An executable with the peer's name, in the folder of `--peer-programs`.
    Executable,
    /// A crate that is linked into this program.
    Crate,
}

const PEERS: &[Peer] = &[
    Peer { name: "scipy", home: Home::Python("scipy_peer.py") },
    Peer { name: "rustworkx", home: Home::Python("rustworkx_peer.py") },
    Peer { name: "networkit", home: Home::Python("networkit_peer.py") },
    Peer { name: "igraph", home: Home::Python("igraph_peer.py") },
    Peer { name: "pbbs-filter-kruskal", home: Home::Executable },
    Peer { name: "pbbs-serial", home: Home::Executable },
    Peer { name: "gbbs-boruvka", home: Home::Executable },
    Peer { name: "boost-kruskal", home: Home::Executable },
    Peer { name: "uminho", home: Home::Executable },
    Peer { name: "ecl-mst", home: Home::Executable },
    Peer { name: "rfk", home: Home::Executable },
    Peer { name: "pathfinding", home: Home::Crate },
    Peer { name: "petgraph", home: Home::Crate },
];

/// The peer with the name `name`.
///
/// # Errors
/// If there is no such peer.
pub(crate) fn peer(name: &str) -> Result<Peer> {
    PEERS.iter().copied().find(|peer| peer.name == name).with_context(|| {
        let names: Vec<_> = PEERS.iter().map(|peer| peer.name).collect();
        format!("there is no peer '{name}'; there are: {}", names.join(", "))
    })
}

impl Peer {
    /// Gives the graph to the peer, which converts it into its own format.
    ///
    /// # Errors
    /// If the peer is not installed, cannot represent the graph, or fails. The caller then skips
    /// the peer and records the reason.
    pub(crate) fn enter(
        &self,
        handout: &mut Handout<'_>,
        programs: Option<&Path>,
        threads: usize,
    ) -> Result<Box<dyn Contestant>> {
        let command = match self.home {
            Home::Python(script) => {
                let script = crate::machine::workspace().join("lab/peers").join(script);
                vec!["python3".into(), script.into_os_string()]
            }
            Home::Executable => {
                let folder = programs.context("pass its folder with --peer-programs")?;
                let program = folder.join(self.name);
                ensure!(
                    program.exists(),
                    "{} does not exist; see lab/README.md to build it",
                    program.display()
                );
                vec![program.into_os_string()]
            }
            #[cfg(feature = "peers")]
            Home::Crate => return native::enter(self.name, &handout.arrays()?),
            #[cfg(not(feature = "peers"))]
            Home::Crate => bail!("kostra-bench was built without the feature `peers`"),
        };
        let program = program::Program::start(self.name, &command, handout.file()?, threads)?;
        Ok(Box::new(program))
    }
}

/// A graph for peers. It is written to a file when the first peer needs one.
pub(crate) struct Handout<'a> {
    graph: &'a AnyGraph,
    file: Option<NamedTempFile>,
}

impl<'a> Handout<'a> {
    /// The graph, without a file.
    pub(crate) fn new(graph: &'a AnyGraph) -> Self {
        Self { graph, file: None }
    }

    fn arrays(&self) -> Result<Arrays<'a>> {
        Arrays::new(self.graph)
    }

    fn file(&mut self) -> Result<&Path> {
        let file = match self.file.take() {
            Some(file) => file,
            None => program::write(&self.arrays()?)?,
        };
        Ok(self.file.insert(file).path())
    }
}

/// A graph in the format for peers.
struct Arrays<'a> {
    vertices: u32,
    u: &'a [u32],
    v: &'a [u32],
    weights: Cow<'a, [u32]>,
}

impl<'a> Arrays<'a> {
    /// Converts a graph with weights from 1 to 2^32 - 1. Some peers treat a weight of zero as no
    /// edge. Peers with a smaller range refuse larger weights themselves.
    fn new(graph: &'a AnyGraph) -> Result<Self> {
        let weights: Option<Cow<'_, [u32]>> = match graph {
            AnyGraph::U32(graph) => Some(graph.edge_list().weights().into()),
            AnyGraph::I32(graph) => narrow(graph.edge_list().weights()),
            AnyGraph::I64(graph) => narrow(graph.edge_list().weights()),
            AnyGraph::U64(graph) => narrow(graph.edge_list().weights()),
            AnyGraph::F32(_) | AnyGraph::F64(_) => None,
        };
        match weights {
            Some(weights) if !weights.contains(&0) => {
                Ok(Self { vertices: graph.vertices(), u: graph.u(), v: graph.v(), weights })
            }
            _ => {
                bail!("peers need integer weights from 1 to 2^32 - 1; this graph has other weights")
            }
        }
    }
}

fn narrow<W: Copy + TryInto<u32>>(weights: &[W]) -> Option<Cow<'static, [u32]>> {
    weights.iter().map(|&weight| weight.try_into().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_outside_the_range_of_peers_are_refused() {
        let weights = |weights: Vec<i64>| {
            let graph = AnyGraph::from_edges(2, vec![0], vec![1], weights).unwrap();
            Arrays::new(&graph).map(|arrays| arrays.weights.into_owned()).ok()
        };
        assert_eq!(weights(vec![7]), Some(vec![7]));
        for weight in [0, -1, 1 << 32] {
            assert_eq!(weights(vec![weight]), None);
        }
    }

    #[test]
    fn the_error_for_a_missing_program_names_its_path() {
        let graph = AnyGraph::from_edges(2, vec![0], vec![1], vec![7_u32]).unwrap();
        let message = |programs| {
            let entered =
                peer("rfk").and_then(|peer| peer.enter(&mut Handout::new(&graph), programs, 1));
            entered.err().map(|error| error.to_string()).unwrap_or_default()
        };
        assert_eq!(message(None), "pass its folder with --peer-programs");
        assert_eq!(
            message(Some(Path::new("none"))),
            "none/rfk does not exist; see lab/README.md to build it"
        );
    }

    #[test]
    fn the_error_for_an_unknown_peer_lists_the_known_peers() {
        let message = peer("skippy").unwrap_err().to_string();
        assert!(message.starts_with("there is no peer 'skippy'; there are: scipy,"), "{message}");
    }
}
