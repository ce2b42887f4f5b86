//! Files of forests: lists of edge ids, tables, maps and graphs.
//!
//! [`Forest::write`](crate::Forest::write) writes a forest, and
//! [`Forest::write_with`](crate::Forest::write_with) writes it with the names, the coordinates and
//! the kept columns of the file that the graph is from. [`write`](write()) takes everything that a file
//! can hold. [`read`](read()) reads the edge ids back, and compares endpoints and weights with those
//! of the graph.
//!
//! ```
//! use kostra::{Forest, Order, Reader, minimum_spanning_forest};
//!
//! # let folder = std::env::temp_dir().join(format!("kostra-forest-{}", std::process::id()));
//! # std::fs::create_dir_all(&folder)?;
//! # let [roads, output] = ["roads.csv", "forest.csv"].map(|name| folder.join(name));
//! std::fs::write(&roads, "from,to,km\nPrague,Brno,205\nBrno,Ostrava,170\nBrno,Prague,210\n")?;
//! let file = Reader::new().names(true).read(&roads)?;
//! let forest = minimum_spanning_forest(&file.graph);
//! forest.write_with(&output, &file)?;
//! assert_eq!(
//!     std::fs::read_to_string(&output)?,
//!     "edge,u,v,weight\n0,Prague,Brno,205\n1,Brno,Ostrava,170\n"
//! );
//! let ids = Forest::read_ids(&output, &file)?;
//! assert_eq!(Forest::from_ids(&file.graph, ids, Order::Minimum)?, forest);
//! # std::fs::remove_dir_all(&folder)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod content;
mod error;
mod format;
mod geojson;
mod graph;
mod line;
mod newick;
mod number;
mod parquet;
mod read;
mod text;
mod write;

#[cfg(feature = "partition")]
pub(crate) use content::read_error;
pub use error::ForestFileError;
pub use format::{ForestFormat, UnknownExtension};
pub use line::LineStyle;
pub use read::read;
pub use write::{check_names, write, write_all, write_ids};
