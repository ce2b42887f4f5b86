//! A spec that has been read: it makes its graph in memory, or passes the edges on in blocks.

use std::fmt::{self, Debug};
use std::io;
use std::sync::Mutex;

use kostra_core::{AnyGraph, MAX_EDGES, Vertex, WeightType};
use kostra_parallel::{Team, for_each_item, into_item, lock, with_team};
use thiserror::Error;

use crate::allocation::{check_size, check_vertices};
use crate::parameters::Parameters;
use crate::share::Share;
use crate::source::{EdgeEnds, EdgeSource, Meter, SourceRun, StopReason};
use crate::target::EdgeArrays;
use crate::weights::WeightKind;
use crate::{GENERATORS, Generated, SpecError, error};

/// The bytes that sources may take for edges that they have to sort, when the graph is in memory.
const SCRATCH: u64 = 1 << 30;
/// The same bytes when the edges go to a file.
const SCRATCH_OF_STREAM: u64 = 1 << 28;

/// The bytes of both ends of an edge.
pub(crate) const ENDS: usize = 2 * size_of::<Vertex>();

/// What a generator makes from its parameters.
pub(crate) enum Made {
    /// A graph that is generated as a whole.
    InMemory(Box<dyn InMemory>),
    /// Edges that are generated later.
    Edges(GeneratedEdges),
}

/// A graph that is generated as a whole.
pub(crate) trait InMemory: Sync {
    /// The number of vertices, and the type of the weights.
    fn header(&self) -> (u32, WeightType);

    /// The number of edges.
    fn edges(&self, run: &SourceRun<'_>) -> u64;

    /// The graph, or a part of it.
    fn generate(&self, run: &SourceRun<'_>, share: Share<'_>) -> Result<Generated, SpecError>;
}

/// A graph whose edges are generated block by block.
pub(crate) struct GeneratedEdges {
    vertices: u64,
    weights: WeightKind,
    seed: u64,
    source: Box<dyn EdgeSource>,
}

impl Made {
    /// A graph of a source. Refuses more vertices than ids can name, and more edges if their number
    /// is known.
    pub(crate) fn edges(
        vertices: u128,
        (weights, seed): (WeightKind, u64),
        source: impl EdgeSource + 'static,
    ) -> Result<Self, SpecError> {
        check_vertices(vertices)?;
        if let Some(edges) = source.at_most()
            && edges > MAX_EDGES as u64
        {
            return Err(SpecError::TooManyEdges { edges: edges.into() });
        }
        Ok(Self::Edges(GeneratedEdges {
            vertices: vertices as u64,
            weights,
            seed,
            source: Box::new(source),
        }))
    }
}

/// How to generate.
#[derive(Clone, Copy)]
pub struct Options<'a> {
    /// The number of threads; 0 means all processors. The graph does not depend on it.
    pub threads: usize,
    /// Receives the number of finished steps and of all steps, often and from any thread.
    pub progress: &'a (dyn Fn(u64, u64) + Sync),
}

impl Default for Options<'_> {
    fn default() -> Self {
        Self { threads: 0, progress: &|_, _| {} }
    }
}

impl Debug for Options<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Options").field("threads", &self.threads).finish_non_exhaustive()
    }
}

impl Options<'_> {
    fn on_team<R>(&self, work: impl FnOnce(&Team<'_>) -> R) -> R {
        let threads = if self.threads == 0 { kostra_core::default_threads() } else { self.threads };
        with_team(threads, work)
    }
}

/// The reason why edges did not reach their receiver.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum StreamError {
    /// The graph cannot be made.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// The receiver failed.
    #[error(transparent)]
    Write(#[from] io::Error),
}

impl From<StopReason> for StreamError {
    fn from(stop: StopReason) -> Self {
        match stop {
            StopReason::Spec(error) => Self::Spec(error),
            StopReason::Write(error) => Self::Write(error),
        }
    }
}

/// A spec that has been read, with valid parameters.
pub struct Recipe(Made);

impl Debug for Recipe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Recipe").field("is_streamed", &self.is_streamed()).finish_non_exhaustive()
    }
}

impl Recipe {
    /// Reads a spec such as `gnm:n=1000,m=4000`.
    ///
    /// # Errors
    /// As [`generate`](crate::generate()).
    pub fn new(spec: &str) -> Result<Self, SpecError> {
        make(spec, Share::WHOLE)
    }

    /// Whether [`stream`](Self::stream) generates the edges without holding the graph.
    pub fn is_streamed(&self) -> bool {
        matches!(self.0, Made::Edges(_))
    }

    /// The number of vertices, and the type of the weights.
    pub fn header(&self) -> (u32, WeightType) {
        match &self.0 {
            Made::InMemory(graph) => graph.header(),
            // The vertices were checked.
            Made::Edges(edges) => (edges.vertices as u32, edges.weights.weight_type()),
        }
    }

    /// The graph.
    ///
    /// # Errors
    /// As [`generate`](crate::generate()).
    pub fn generate(self, options: &Options<'_>) -> Result<Generated, SpecError> {
        self.generate_share(Share::WHOLE, options)
    }

    pub(crate) fn generate_share(
        self,
        share: Share<'_>,
        options: &Options<'_>,
    ) -> Result<Generated, SpecError> {
        options.on_team(|team| {
            let meter = Meter::new(options.progress);
            let run = SourceRun { team, scratch: SCRATCH, meter: &meter };
            match &self.0 {
                Made::InMemory(graph) => graph.generate(&run, share),
                Made::Edges(edges) => edges.generate(&run, share),
            }
        })
    }

    /// The number of edges. Generates them if the parameters do not determine it.
    ///
    /// # Errors
    /// As [`generate`](crate::generate()).
    pub fn count_edges(&self, options: &Options<'_>) -> Result<u64, SpecError> {
        options.on_team(|team| {
            let meter = Meter::new(options.progress);
            let run = SourceRun { team, scratch: SCRATCH_OF_STREAM, meter: &meter };
            match &self.0 {
                Made::InMemory(graph) => Ok(graph.edges(&run)),
                Made::Edges(edges) => edges.count(&run),
            }
        })
    }

    /// Passes the edges to `take`, block by block in order. Each block is a graph with all vertices
    /// and consecutive edges; `take` receives several at a time. Memory: 256 MiB of edges to sort
    /// for `gnm` and `rmat`, and a few megabytes per thread.
    ///
    /// # Errors
    /// As [`generate`](crate::generate()), and the errors of `take`.
    pub fn stream(
        &self,
        options: &Options<'_>,
        take: &mut dyn FnMut(&[AnyGraph]) -> io::Result<()>,
    ) -> Result<(), StreamError> {
        options.on_team(|team| {
            let meter = Meter::new(options.progress);
            let run = SourceRun { team, scratch: SCRATCH_OF_STREAM, meter: &meter };
            match &self.0 {
                Made::InMemory(graph) => {
                    let generated = graph.generate(&run, Share::WHOLE)?;
                    Ok(take(&[generated.graph])?)
                }
                Made::Edges(edges) => Ok(edges.stream(&run, take)?),
            }
        })
    }
}

/// Reads a spec, for a part of its graph.
pub(crate) fn make(spec: &str, share: Share<'_>) -> Result<Recipe, SpecError> {
    let (name, list) = spec.split_once(':').unwrap_or((spec, ""));
    let name = name.trim();
    let generator = GENERATORS.iter().find(|generator| generator.id == name).ok_or_else(|| {
        SpecError::UnknownGenerator {
            name: name.to_owned(),
            advice: error::advice(name, GENERATORS.iter().map(|generator| generator.id)),
        }
    })?;
    (generator.make)(&Parameters::parse(generator, list, share)?).map(Recipe)
}

impl GeneratedEdges {
    fn count(&self, run: &SourceRun<'_>) -> Result<u64, SpecError> {
        if let Some(edges) = self.source.edges() {
            return Ok(edges);
        }
        let mut edges = 0;
        let result = self.source.run(run, 0..u64::MAX, &mut |wave| {
            edges += wave.iter().map(|ends| ends.len() as u64).sum::<u64>();
            check_edges(edges)
        });
        without_writing(result).map(|()| edges)
    }

    fn generate(&self, run: &SourceRun<'_>, share: Share<'_>) -> Result<Generated, SpecError> {
        let bytes = (ENDS + self.weights.bytes()) as u128;
        let edges = self.source.at_most().unwrap_or_default();
        check_size(self.vertices.into(), edges.into(), share.amount_of(bytes * u128::from(edges)))?;
        let (ends, first) = match self.source.drawn() {
            Some(drawn) => without_writing(drawn.part(run, share))?,
            None => self.part(run, share)?,
        };
        let graph =
            self.weights.graph(run.team, self.seed, self.vertices as usize, (first, ends))?;
        Ok(Generated { graph, coordinates: None, first })
    }

    /// The edges of a range of ids, and the first id.
    fn part(&self, run: &SourceRun<'_>, share: Share<'_>) -> Result<(EdgeEnds, u64), SpecError> {
        let ids = if share.is_whole() { 0..u64::MAX } else { share.ids(self.count(run)?) };
        let ids = ids.start..ids.end.min(self.source.edges().unwrap_or(u64::MAX));
        let room = self.source.at_most().map(|edges| edges.min(ids.end) - ids.start);
        let mut arrays = EdgeArrays::new(room)?;
        let mut next = self.source.first(&ids);
        let result = self.source.run(run, ids.clone(), &mut |wave| {
            arrays.add(run.team, wave, &mut next, &ids)?;
            check_edges(next)
        });
        without_writing(result)?;
        Ok((arrays.finish(), ids.start))
    }

    fn stream(
        &self,
        run: &SourceRun<'_>,
        take: &mut dyn FnMut(&[AnyGraph]) -> io::Result<()>,
    ) -> Result<(), StopReason> {
        let mut next = 0;
        let ids = 0..self.source.edges().unwrap_or(u64::MAX);
        self.source.run(run, ids, &mut |wave| {
            let blocks: Vec<_> = wave.iter().map(|_| Mutex::new(None)).collect();
            let mut first = next;
            let items = wave.iter().zip(&blocks).map(|(ends, block)| {
                let id = first;
                first += ends.len() as u64;
                (id, ends, block)
            });
            for_each_item(run.team, items, |(id, ends, block)| {
                let ends = (id, ends.clone());
                let made = with_team(1, |team| {
                    self.weights.graph(team, self.seed, self.vertices as usize, ends)
                });
                *lock(block) = Some(made);
            });
            next = first;
            check_edges(next)?;
            let graphs = blocks.into_iter().filter_map(into_item).collect::<Result<Vec<_>, _>>()?;
            take(&graphs).map_err(StopReason::Write)
        })
    }
}

/// Refuses more edges than ids can name. For sources that do not know their number.
fn check_edges(edges: u64) -> Result<(), StopReason> {
    if edges > MAX_EDGES as u64 {
        return Err(SpecError::TooManyEdges { edges: edges.into() }.into());
    }
    Ok(())
}

/// The result of a run whose receiver writes nothing.
pub(crate) fn without_writing<T>(result: Result<T, StopReason>) -> Result<T, SpecError> {
    result.map_err(|stop| match stop {
        StopReason::Spec(error) => error,
        StopReason::Write(error) => unreachable!("nothing is written: {error}"),
    })
}
