//! The answer, which stays where the edges are until somebody wants it in one place.

use std::fs::{File, OpenOptions, Permissions};
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use kostra_core::{CompensatedSum, EdgeSet, Total, Weight, WeightType};
use tempfile::TempPath;

use crate::communicator::set_unfinished;
use crate::{Communicator, Reduction, Refusal, Slice};

/// A spanning forest of a distributed graph: each rank has those of its edges that are in it.
#[derive(Clone, Debug, PartialEq)]
pub struct DistributedForest {
    ids: Vec<u64>,
    edges: u64,
    total: Total,
    components: u64,
}

impl DistributedForest {
    /// The forest of these edges of each rank's slice, which together close no cycle. Collective.
    ///
    /// The total is to the last bit that of the same forest in one place: integers are summed exactly, and the
    /// compensated sum of floats is handed on from rank to rank, which costs a message each, one after the other.
    pub fn new<W: Weight>(slice: &Slice<W>, set: EdgeSet, world: &Communicator) -> Self {
        let local = set.into_ids();
        let weights = || local.iter().map(|&edge| slice.edges().weights()[edge as usize]);
        let total = match W::TYPE {
            WeightType::F32 => Total::Float(sum_along_ranks(weights().map(|w| as_f32(w).into()), world)),
            WeightType::F64 => Total::Float(sum_along_ranks(weights().map(as_f64), world)),
            _ => {
                let own = match W::total(weights()) {
                    Total::Integer(total) => total,
                    Total::Float(total) => total as i128, // not of integers
                };
                Total::Integer(world.all_gather(&[own]).items().iter().sum())
            }
        };
        let edges = world.reduce_one(Reduction::Sum, local.len() as u64);
        let ids = local.into_iter().map(|edge| slice.id(edge)).collect();
        Self { ids, edges, total, components: slice.vertices() - edges }
    }

    /// The ids of this rank's edges of the forest, ascending; those of the next rank are higher.
    pub fn ids(&self) -> &[u64] {
        &self.ids
    }

    /// How many edges the forest has, on all ranks.
    pub fn edges(&self) -> u64 {
        self.edges
    }

    /// The sum of the weights of the forest, on all ranks.
    pub fn total(&self) -> Total {
        self.total
    }

    /// How many components the graph has; isolated vertices count.
    pub fn components(&self) -> u64 {
        self.components
    }

    /// All ids of the forest, ascending, at rank 0; nothing elsewhere. Collective. Rank 0 needs 16 bytes an edge.
    pub fn gather(&self, world: &Communicator) -> Option<Vec<u64>> {
        world.gather(0, &self.ids).map(crate::Parts::into_items)
    }

    /// Writes all ids, ascending, one a line, into one file that every rank can reach: each rank its own lines, at the
    /// same time. The file appears whole or not at all. Collective.
    ///
    /// # Errors
    /// When a rank cannot write.
    pub fn write(&self, file: &Path, world: &Communicator) -> Result<(), Refusal> {
        let name = |error: io::Error| format!("{}: {error}", file.display());
        let unfinished = world.agree(if world.rank() == 0 {
            create_beside(file).map(Some).map_err(name)
        } else {
            Ok(None)
        })?;
        let path = unfinished.as_ref().map_or(Vec::new(), |path| path.as_os_str().as_bytes().to_vec());
        let path = world.broadcast_vec(0, path);
        let path = PathBuf::from(std::ffi::OsStr::from_bytes(&path));
        set_unfinished(Some(path.clone()));
        let length: u64 = self.ids.iter().map(|id| u64::from(id.checked_ilog10().unwrap_or(0)) + 2).sum();
        let start = world.all_gather(&[length]).items()[..world.rank()].iter().sum();
        let written = world.agree(write_lines(&path, start, &self.ids).map_err(name));
        let written = written.and_then(|()| {
            world.agree(match unfinished {
                Some(unfinished) => unfinished.persist(file).map_err(|error| name(error.error)),
                None => Ok(()),
            })
        });
        set_unfinished(None);
        written
    }
}

/// An empty file that goes again when it is dropped, where renaming it to the other is one step.
fn create_beside(file: &Path) -> io::Result<TempPath> {
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut builder = tempfile::Builder::new();
    // The rights of an ordinary new file, which temporary ones do not have.
    builder.prefix(".kostra-").permissions(Permissions::from_mode(0o666));
    builder.tempfile_in(folder).map(tempfile::NamedTempFile::into_temp_path)
}

fn write_lines(path: &Path, start: u64, ids: &[u64]) -> io::Result<()> {
    let mut file: File = OpenOptions::new().write(true).open(path)?;
    file.seek(SeekFrom::Start(start))?;
    let mut lines = BufWriter::with_capacity(1 << 20, file);
    for id in ids {
        writeln!(lines, "{id}")?;
    }
    lines.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()
}

fn as_f32<W: Weight>(weight: W) -> f32 {
    bytemuck::cast(weight)
}

fn as_f64<W: Weight>(weight: W) -> f64 {
    bytemuck::cast(weight)
}

/// The sum of the values of all ranks, in the order of the ranks. Collective.
fn sum_along_ranks(values: impl Iterator<Item = f64>, world: &Communicator) -> f64 {
    let mut sum = CompensatedSum::default();
    if let Some(before) = world.rank().checked_sub(1)
        && let [so_far, lost] = world.receive(before)[..]
    {
        sum = CompensatedSum { sum: so_far, lost };
    }
    values.for_each(|value| sum.add(value));
    if world.rank() + 1 < world.size() {
        world.send(world.rank() + 1, &[sum.sum, sum.lost]);
    }
    world.broadcast_one(world.size() - 1, sum.value())
}
