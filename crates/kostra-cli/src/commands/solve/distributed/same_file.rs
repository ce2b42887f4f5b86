//! Whether all ranks read the same graph. Each rank opens the file by itself, possibly on another
//! machine.
//!
//! The solved graph is the one in rank 0's file. A rank that has the same file on the same machine
//! needs no proof. Each other rank hashes the bytes that its part depends on. The ranks with rank
//! 0's file share the work of hashing the same bytes there. A `.kst` file contains checksums of its
//! arrays, so only the bytes before the arrays are compared.

use std::ops::Range;
use std::path::Path;

use kostra_core::shown;
use kostra_io::{PartReader, hash_ranges, pieces};
use kostra_mpi::{Communicator, Reduction, Refusal};

use super::agree::agree_on;

/// Refuses a file that differs from rank 0's file in the bytes that its rank read. Call this
/// function after all parts have been surveyed; all files have the same length. Collective.
///
/// # Errors
/// When files differ, or a file cannot be read.
pub(super) fn check(path: &Path, reader: &PartReader, world: &Communicator) -> Result<(), Refusal> {
    let [device, inode] = reader.version().place();
    let places = world.all_gather(&[[world.first_on_machine() as u64, device, inode]]).into_items();
    let peers: Vec<_> = (0..world.size()).filter(|&rank| places[rank] == places[0]).collect();
    if peers.len() == world.size() {
        return Ok(());
    }
    let own = peers.iter().position(|&rank| rank == world.rank());
    let hashed = agree_on(
        world,
        if own.is_none() { hash(path, &reader.dependencies()) } else { Ok(Vec::new()) },
    )?;
    let hashed = world.all_gather(&hashed);
    let different =
        own.map_or(Ok(None), |turn| first_different(path, hashed.items(), turn, peers.len()));
    let different = agree_on(world, different)?.unwrap_or(u64::MAX);
    let different = world.reduce_one(Reduction::Min, different) as usize;
    let Some([start, end, _]) = hashed.items().get(different) else { return Ok(()) };
    let odd = (0..world.size()).find(|&rank| hashed.range(rank).contains(&different));
    let reason = format!(
        "{} is not the same as on rank 0: the files differ between byte {start} and byte {end}; \
         give all ranks the same file",
        shown(path)
    );
    Err(Refusal { rank: odd, reason, here: odd == Some(world.rank()) })
}

/// Hashes ranges of a file in pieces. Each item is the start, the end and the hash of a piece.
fn hash(path: &Path, ranges: &[Range<u64>]) -> Result<Vec<[u64; 3]>, kostra_io::ReadError> {
    let pieces = pieces(ranges);
    let hashes = hash_ranges(path, pieces.iter().cloned())?;
    Ok(pieces.into_iter().zip(hashes).map(|(piece, hash)| [piece.start, piece.end, hash]).collect())
}

/// The index of the first piece whose hash differs in this file. Only every `turns`-th piece is
/// checked, from piece `turn` on.
fn first_different(
    path: &Path,
    hashed: &[[u64; 3]],
    turn: usize,
    turns: usize,
) -> Result<Option<u64>, kostra_io::ReadError> {
    let own = || hashed.iter().zip(0_u64..).skip(turn).step_by(turns);
    let found = hash_ranges(path, own().map(|([start, end, _], _)| *start..*end))?;
    Ok(own()
        .zip(found)
        .find(|(([_, _, hash], _), found)| hash != found)
        .map(|((_, index), _)| index))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn the_first_piece_that_differs_is_found_by_the_rank_whose_turn_it_is() {
        let folder = std::env::temp_dir().join(format!("kostra-same-file-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let (here, there) = (folder.join("here"), folder.join("there"));
        fs::write(&here, "0123456789").unwrap();
        fs::write(&there, "01234X678Y").unwrap();
        let hashed = hash(&there, &[0..3, 3..6, 6..8, 8..10]).unwrap();
        let first = |turn, turns| first_different(&here, &hashed, turn, turns).unwrap();
        let found = [first(0, 1), first(0, 2), first(1, 2), first(2, 3)];
        fs::remove_dir_all(&folder).unwrap();
        assert_eq!(found, [Some(1), None, Some(1), None]);
    }
}
