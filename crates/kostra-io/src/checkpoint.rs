//! Files that hold the state of an unfinished solve of a graph that does not fit into memory.
//!
//! ```text
//! magic: 8B "KOSCKPT", then in the byte order of the machine:
//! version 2, u32; weight type, u32; vertices, u64; edges so far, u64; their checksum, u64;
//! edges of the forest k, u64; length of the identity, u64; the identity, UTF-8;
//! k ids, u64; k first ends, u32; k second ends, u32; k weights; XXH3 of all bytes before, u64
//! ```
//!
//! The identity is a text that the caller compares, because another input or another task would
//! continue with a wrong forest. A file is replaced in one step, so it is old or new, never partly
//! written.

use std::fs::{File, OpenOptions};
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::Path;

use bytemuck::{Pod, Zeroable};
use kostra_core::{AnyGraph, ForestEdges, ForestState, Key, WeightType, memory, shown};
use xxhash_rust::xxh3::Xxh3;

use crate::fault::Fault;
use crate::file_version::open_itself;
use crate::{ReadError, ReadErrorKind, Replacement, WriteError};

const MAGIC: [u8; 8] = *b"\x8bKOSCKPT";
const VERSION: u32 = 2;
/// The longest identity: a path and a few numbers.
const LONGEST_IDENTITY: u64 = 1 << 16;
/// The bytes of everything before the identity.
const HEADER: u64 = 56;
const CHECKSUM: u64 = 8;
/// Arrays are read and written through a buffer of this size.
const BUFFER: usize = 1 << 20;

/// What a checkpoint says besides the forest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckpointFacts {
    /// The input and the task.
    pub identity: String,
    /// The number of vertices.
    pub vertices: u32,
    /// The type of the weights.
    pub weight_type: WeightType,
    /// The number of input edges so far.
    pub taken: u64,
    /// The checksum of these edges, from [`EdgesSeen`].
    pub seen: u64,
}

/// The checksum of edges that arrive in blocks of any size. Weights count by their value as `f64`.
#[derive(Clone, Default)]
pub struct EdgesSeen {
    u: Xxh3,
    v: Xxh3,
    weights: Xxh3,
}

impl std::fmt::Debug for EdgesSeen {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("EdgesSeen").field(&self.checksum()).finish()
    }
}

impl EdgesSeen {
    /// Adds the next edges.
    pub fn add(&mut self, edges: &AnyGraph) {
        macro_rules! add_weights {
            ($graph:expr, $($variant:ident),*) => {
                match $graph {
                    $(AnyGraph::$variant(graph) => {
                        let mut values = [0.0; 1 << 10];
                        for weights in graph.edge_list().weights().chunks(values.len()) {
                            let values = &mut values[..weights.len()];
                            for (value, &weight) in values.iter_mut().zip(weights) {
                                *value = weight as f64;
                            }
                            self.weights.update(bytemuck::cast_slice(values));
                        }
                    })*
                }
            };
        }
        self.u.update(bytemuck::cast_slice(edges.u()));
        self.v.update(bytemuck::cast_slice(edges.v()));
        add_weights!(edges, I32, U32, I64, U64, F32, F64);
    }

    /// The checksum of all edges so far.
    pub fn checksum(&self) -> u64 {
        let mut all = Xxh3::new();
        for part in [&self.u, &self.v, &self.weights] {
            all.update(&part.digest().to_le_bytes());
        }
        all.digest()
    }
}

/// Writes a checkpoint, replacing an older one in one step. It has the permissions of the file
/// `model`, if there is one.
///
/// # Errors
/// When the file cannot be written. Then the old one is unchanged.
///
/// # Panics
/// If the weights do not have the size of `K`.
pub fn write_checkpoint<K: Key>(
    (path, model): (&Path, Option<&Path>),
    facts: &CheckpointFacts,
    forest: &ForestState<'_, K>,
) -> Result<(), WriteError> {
    assert_eq!(facts.weight_type.bits(), K::BITS, "the weights have the size of keys");
    let write = || {
        let mut replacement = Replacement::create_like(path, model)?;
        write_content(replacement.file(), facts, forest)?;
        replacement.commit()
    };
    write().map_err(|cause| WriteError::Io { output: shown(path), cause })
}

fn write_content<K: Key>(
    file: &mut File,
    facts: &CheckpointFacts,
    &ForestState { ids, u, v, weights, .. }: &ForestState<'_, K>,
) -> io::Result<()> {
    let buffered = BufWriter::with_capacity(BUFFER, file);
    let mut to = Hashing { inner: buffered, hash: Xxh3::new() };
    let identity = facts.identity.as_bytes();
    let (forest, name) = (ids.len() as u64, identity.len() as u64);
    to.write_all(&MAGIC)?;
    to.write_all(bytemuck::cast_slice(&[VERSION, facts.weight_type.code()]))?;
    let vertices = u64::from(facts.vertices);
    to.write_all(bytemuck::cast_slice(&[vertices, facts.taken, facts.seen, forest, name]))?;
    to.write_all(identity)?;
    to.write_all(bytemuck::cast_slice(ids))?;
    to.write_all(bytemuck::cast_slice(u))?;
    to.write_all(bytemuck::cast_slice(v))?;
    to.write_all(bytemuck::cast_slice(weights))?;
    let checksum = to.hash.digest();
    to.inner.write_all(&checksum.to_ne_bytes())?;
    to.inner.flush()
}

/// An open checkpoint whose arrays have not been read.
#[derive(Debug)]
pub struct Checkpoint {
    input: String,
    from: Hashing<BufReader<File>>,
    facts: CheckpointFacts,
    edges: u64,
}

impl Checkpoint {
    /// Opens a checkpoint.
    ///
    /// # Errors
    /// When the file cannot be read or is not a checkpoint.
    pub fn open(path: &Path) -> Result<Self, ReadError> {
        let input = shown(path);
        Self::open_file(path, input.clone()).map_err(|fault| fault.in_input(input))
    }

    fn open_file(path: &Path, input: String) -> Result<Self, Fault> {
        let file = open_itself(path, OpenOptions::new().read(true)).map_err(ReadErrorKind::Io)?;
        let length = file.metadata().map_err(ReadErrorKind::Io)?.len();
        let from = BufReader::with_capacity(BUFFER, file);
        let mut from = Hashing { inner: from, hash: Xxh3::new() };
        if read_items::<u8>(&mut from, 8)? != MAGIC {
            return Err(Fault::at_byte(
                0,
                "this is not a checkpoint of kostra, so no solve can be resumed from it",
            ));
        }
        let codes = read_items::<u32>(&mut from, 2)?;
        let numbers = read_items::<u64>(&mut from, 5)?;
        let ([version, code], [vertices, taken, seen, edges, name]) = (&codes[..], &numbers[..])
        else {
            return Err(damaged());
        };
        if *version != VERSION {
            return Err(Fault::at_byte(
                8,
                "another version of kostra wrote this checkpoint; remove it and solve again from \
                 the start",
            ));
        }
        let weight_type = WeightType::from_code(*code).ok_or_else(damaged)?;
        let vertices = u32::try_from(*vertices).map_err(|_| damaged())?;
        // Checked before memory is reserved for the arrays.
        let expected = edges
            .checked_mul(16 + u64::from(weight_type.bits() / 8))
            .and_then(|arrays| arrays.checked_add(HEADER + name + CHECKSUM));
        if *name > LONGEST_IDENTITY || *edges > u64::from(vertices) || expected != Some(length) {
            return Err(damaged());
        }
        let identity = String::from_utf8(read_items(&mut from, *name as usize)?);
        let identity = identity.map_err(|_| damaged())?;
        let (taken, seen) = (*taken, *seen);
        let facts = CheckpointFacts { identity, vertices, weight_type, taken, seen };
        Ok(Self { input, from, facts, edges: *edges })
    }

    /// Whether the file at `path` begins as a checkpoint of any version does.
    pub fn is_at(path: &Path) -> bool {
        let mut start = [0; MAGIC.len()];
        let file = open_itself(path, OpenOptions::new().read(true));
        file.and_then(|mut file| file.read_exact(&mut start)).is_ok() && start == MAGIC
    }

    /// What the checkpoint says besides the forest.
    pub fn facts(&self) -> &CheckpointFacts {
        &self.facts
    }

    /// Reads the forest. The weights must have the size of `K`.
    ///
    /// # Errors
    /// When the file is damaged, or the system refuses the memory.
    pub fn read<K: Key>(mut self) -> Result<ForestEdges<K>, ReadError> {
        self.read_arrays().map_err(|fault| fault.in_input(self.input))
    }

    fn read_arrays<K: Key>(&mut self) -> Result<ForestEdges<K>, Fault> {
        let count = self.edges as usize;
        let arrays = ForestEdges {
            ids: read_items(&mut self.from, count)?,
            u: read_items(&mut self.from, count)?,
            v: read_items(&mut self.from, count)?,
            weights: read_items(&mut self.from, count)?,
        };
        let checksum = self.from.hash.digest();
        let is_of_size = self.facts.weight_type.bits() == K::BITS;
        if !is_of_size || read_items::<u64>(&mut self.from, 1)? != [checksum] {
            return Err(damaged());
        }
        Ok(arrays)
    }
}

fn damaged() -> Fault {
    Fault::whole("the checkpoint is damaged; remove it and solve again from the start")
}

fn read_items<T: Pod + Zeroable>(from: &mut impl Read, count: usize) -> Result<Vec<T>, Fault> {
    let mut items = memory::zeros::<T>(count)?;
    from.read_exact(bytemuck::cast_slice_mut(&mut items)).map_err(|cause| match cause.kind() {
        io::ErrorKind::UnexpectedEof => damaged(),
        _ => ReadErrorKind::Io(cause).into(),
    })?;
    Ok(items)
}

/// A stream with the checksum of all its bytes.
struct Hashing<T> {
    inner: T,
    hash: Xxh3,
}

impl<T> std::fmt::Debug for Hashing<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Hashing").finish_non_exhaustive()
    }
}

impl<T: Write> Write for Hashing<T> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.inner.write(bytes)?;
        self.hash.update(&bytes[..count]);
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

impl<T: Read> Read for Hashing<T> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.hash.update(&buffer[..count]);
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts() -> CheckpointFacts {
        CheckpointFacts {
            identity: "a graph".into(),
            vertices: 9,
            weight_type: WeightType::F32,
            taken: 1 << 40,
            seen: 77,
        }
    }

    const FOREST: ForestState<'static, u32> = ForestState {
        taken: 1 << 40,
        vertices: 9,
        ids: &[1 << 33, 5],
        u: &[0, 1],
        v: &[2, 3],
        weights: &[0.5_f32.to_bits(), 1.5_f32.to_bits()],
    };

    #[test]
    fn a_checkpoint_is_read_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("forest.ids.checkpoint");
        write_checkpoint((&path, None), &facts(), &FOREST).unwrap();
        let checkpoint = Checkpoint::open(&path).unwrap();
        assert_eq!(checkpoint.facts(), &facts());
        let arrays = checkpoint.read::<u32>().unwrap();
        let ForestState { ids, u, v, weights, .. } = FOREST;
        assert_eq!((&arrays.ids[..], &arrays.u[..], &arrays.v[..]), (ids, u, v));
        assert_eq!(arrays.weights, weights);
        assert!(Checkpoint::open(&path).unwrap().read::<u64>().is_err());
    }

    #[test]
    #[cfg(unix)]
    fn a_checkpoint_has_the_permissions_of_its_model_and_replaces_no_link() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let folder = tempfile::tempdir().unwrap();
        let [model, path, link] = ["forest", "checkpoint", "link"].map(|n| folder.path().join(n));
        for mode in [0o600, 0o640] {
            std::fs::write(&model, "").unwrap();
            std::fs::set_permissions(&model, PermissionsExt::from_mode(mode)).unwrap();
            write_checkpoint((&path, Some(&model)), &facts(), &FOREST).unwrap();
            assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, mode);
        }
        symlink(&model, &link).unwrap();
        write_checkpoint((&link, None), &facts(), &FOREST).unwrap_err();
        assert!(Checkpoint::open(&link).is_err() && !Checkpoint::is_at(&link));
        assert_eq!(std::fs::read(&model).unwrap(), b"");
    }

    #[test]
    fn every_damaged_byte_and_every_cut_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("checkpoint");
        write_checkpoint((&path, None), &facts(), &FOREST).unwrap();
        let bytes = std::fs::read(&path).unwrap();
        let read = |bytes: &[u8]| {
            std::fs::write(&path, bytes).unwrap();
            Checkpoint::open(&path).and_then(Checkpoint::read::<u32>)
        };
        assert!(read(&bytes).is_ok());
        for at in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1 << (at % 8);
            assert!(read(&damaged).is_err(), "byte {at}");
            assert!(read(&bytes[..at]).is_err(), "{at} bytes");
        }
        let error = read(&bytes[..bytes.len() - 1]).unwrap_err().to_string();
        assert!(error.ends_with("solve again from the start"), "{error}");
    }

    #[test]
    fn the_checksum_of_edges_does_not_depend_on_blocks_or_weight_types() {
        let graph = |u: &[u32], weights: &[i32]| {
            AnyGraph::from_edges(9, u.to_vec(), u.to_vec(), weights.to_vec()).unwrap()
        };
        let seen = |blocks: &[AnyGraph]| {
            let mut seen = EdgesSeen::default();
            blocks.iter().for_each(|block| seen.add(block));
            seen.checksum()
        };
        let whole = seen(&[graph(&[1, 2, 3], &[7, 8, 9])]);
        assert_eq!(whole, seen(&[graph(&[1], &[7]), graph(&[2, 3], &[8, 9])]));
        let wide = AnyGraph::from_edges(4, vec![2, 3], vec![2, 3], vec![8_i64, 9]).unwrap();
        assert_eq!(whole, seen(&[graph(&[1], &[7]), wide]));
        assert_ne!(whole, seen(&[graph(&[1, 2, 3], &[7, 8, 10])]));
    }
}
