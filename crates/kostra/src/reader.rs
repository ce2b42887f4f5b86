//! Reading graphs from files.

use std::path::Path;

use kostra_io::{
    ColumnChoice, Format, Input, MissingWeights, Nan, Parsed, ReadError, ReadOptions, Vertices,
};

use crate::Graph;

/// Reads a graph from a file. Its format and its compression are recognized by content.
///
/// Vertices are numbered from 0, also if the file numbers them from 1. [`Reader`] has options, and
/// also returns names, coordinates, and notes about what the file leaves open.
///
/// ```
/// # let folder = std::env::temp_dir().join(format!("kostra-read-{}", std::process::id()));
/// # std::fs::create_dir_all(&folder)?;
/// # let path = folder.join("roads.gr");
/// std::fs::write(&path, "p sp 3 3\na 1 2 7\na 2 3 1\na 3 1 2\n")?;
/// let graph = kostra::read(&path)?;
/// assert_eq!(kostra::minimum_spanning_forest(&graph).ids(), [1, 2]);
/// # std::fs::remove_dir_all(&folder)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// When the file cannot be opened or read, is in no known format, or breaks the rules of its
/// format. When the graph does not fit into 32-bit numbers or the memory of this machine.
pub fn read(path: impl AsRef<Path>) -> Result<Graph, ReadError> {
    Ok(Reader::new().read(path)?.graph)
}

/// A graph from a file, and what else the file contains, such as names and coordinates.
/// [`Forest::write_with`](crate::Forest::write_with) writes a forest with them.
pub type GraphFile = Parsed<Graph>;

/// How to read a graph.
///
/// ```
/// use kostra::Reader;
///
/// # let folder = std::env::temp_dir().join(format!("kostra-reader-{}", std::process::id()));
/// # std::fs::create_dir_all(&folder)?;
/// # let path = folder.join("roads.csv");
/// std::fs::write(&path, "from,to,km,minutes\nPrague,Brno,205,110\nBrno,Ostrava,170,95\n")?;
/// let file = Reader::new().names(true).weight("minutes").read(&path)?;
/// assert_eq!(file.names.unwrap_or_default(), ["Prague", "Brno", "Ostrava"]);
/// assert_eq!(file.graph.weights(), Some(&[110, 95][..]));
/// # std::fs::remove_dir_all(&folder)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// [`ReadOptions`] has further options, such as decimal commas, and can be turned into a reader.
/// Errors name methods of the reader, and fields of the options.
///
/// ```
/// use kostra::Reader;
/// use kostra::io::{ColumnOptions, ReadOptions};
///
/// # let folder = std::env::temp_dir().join(format!("kostra-commas-{}", std::process::id()));
/// # std::fs::create_dir_all(&folder)?;
/// # let path = folder.join("roads.csv");
/// std::fs::write(&path, "from;to;km\n0;1;2,5\n1;2;1,5\n")?;
/// let columns = ColumnOptions { decimal_comma: true, ..ColumnOptions::default() };
/// let options = ReadOptions { columns, ..ReadOptions::default() };
/// let file = Reader::from(options).read(&path)?;
/// assert_eq!(file.graph.weights(), Some(&[2.5, 1.5][..]));
/// # std::fs::remove_dir_all(&folder)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Reader(ReadOptions);

impl From<ReadOptions> for Reader {
    fn from(options: ReadOptions) -> Self {
        // A graph that is mapped into memory would change with its file.
        Self(ReadOptions { copy: true, ..options })
    }
}

impl Default for Reader {
    fn default() -> Self {
        Self::new()
    }
}

impl Reader {
    /// Recognizes everything by content.
    pub fn new() -> Self {
        ReadOptions::default().into()
    }

    /// Sets the format instead of recognizing it. [`io::FORMATS`](crate::io::FORMATS) lists them.
    pub fn format(mut self, format: Format) -> Self {
        self.0.format = Some(format);
        self
    }

    /// Chooses the column of an edge list, or the attribute, that contains the weight.
    pub fn weight(mut self, name: impl Into<String>) -> Self {
        self.0.columns.weight = Some(ColumnChoice::Name(name.into()));
        self
    }

    /// Chooses the columns of an edge list that contain the ends of edges.
    pub fn ends(mut self, source: impl Into<String>, target: impl Into<String>) -> Self {
        self.0.columns.source = Some(ColumnChoice::Name(source.into()));
        self.0.columns.target = Some(ColumnChoice::Name(target.into()));
        self
    }

    /// Whether the vertices of an edge list are names, numbered in order of first appearance.
    pub fn names(mut self, names: bool) -> Self {
        self.0.names = names;
        self
    }

    /// Sets the number of vertices of an edge list of numbers; by default the highest decides.
    pub fn vertices(mut self, vertices: u32) -> Self {
        self.0.vertices = Vertices::Count(vertices);
        self
    }

    /// Sets the weights of a graph that has none. By default each edge has weight 1.
    pub fn missing_weights(mut self, weights: MissingWeights) -> Self {
        self.0.missing_weights = Some(weights);
        self
    }

    /// Sets what to do with an edge whose weight is NaN. By default it is an error.
    pub fn nan(mut self, nan: Nan) -> Self {
        self.0.nan = nan;
        self
    }

    /// Sets the number of threads; by default all of the machine.
    pub fn threads(mut self, threads: usize) -> Self {
        self.0.threads = threads;
        self
    }

    /// Reads a graph from a file.
    ///
    /// # Errors
    /// As [`read`], and when an option does not apply to the file.
    pub fn read(&self, path: impl AsRef<Path>) -> Result<GraphFile, ReadError> {
        let input = Input::Path(path.as_ref().to_owned());
        Ok(kostra_io::read(&input, &self.0, &|_| ())?.parsed.with_graph_as())
    }
}
