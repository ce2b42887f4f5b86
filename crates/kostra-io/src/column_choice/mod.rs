//! The choice of the columns of edges, in every table that has columns: edge lists, Parquet files,
//! sheets, structured arrays.

mod choose;
mod coordinates;
mod costs;
mod end_names;
mod known;
mod questions;

pub(crate) use choose::{Chooser, Chosen};
pub(crate) use costs::{NOTE_ON_COSTS, cheaper, reverse_of};
pub(crate) use end_names::{are_in as name_ends, are_pair as name_two_ends};
pub use known::is_similarity;
pub(crate) use known::{lists, similarity};
