//! The memory that a complete graph takes.

use kostra_core::{MAX_EDGES, thousands};
use kostra_parallel::memory_info;

use crate::fault::Fault;
use crate::message::{Remedy, message};

/// The bytes of an edge with its ends and a weight of 32 bits.
const BYTES: u64 = 12;

/// The number of edges of a complete graph of points.
///
/// # Errors
/// When there are more edges than ids, or they take more memory than the machine has left.
pub(super) fn check(nodes: usize) -> Result<usize, Fault> {
    let left = memory_info("MemAvailable").unwrap_or(u64::MAX);
    check_within(nodes, left)
}

fn check_within(nodes: usize, left: u64) -> Result<usize, Fault> {
    let nodes = nodes as u64;
    let edges = nodes.saturating_mul(nodes.saturating_sub(1)) / 2;
    let bytes = edges.saturating_mul(BYTES);
    if edges <= MAX_EDGES as u64 && bytes <= left {
        return Ok(edges as usize);
    }
    let limit = match bytes <= left {
        true => "beyond the limit of 4,294,967,295 edges".to_owned(),
        false => format!("but the machine has {} MiB left", thousands(left >> 20)),
    };
    Err(Fault::whole(message![
        format!(
            "a complete graph of {} nodes has {} edges, which take {} MiB of memory, {limit}; save \
             the coordinates as CSV, and ",
            thousands(nodes),
            thousands(edges),
            thousands(bytes >> 20)
        ),
        Remedy::PointTree,
        " finds the tree of the points by their exact distances, without these edges",
    ]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_complete_graph_beyond_memory_is_refused_with_its_size() {
        let said = |nodes, left| check_within(nodes, left).map_err(|fault| fault.kind.to_string());
        assert_eq!(said(1000, 6_000_000), Ok(499_500));
        assert_eq!((said(0, 0), said(1, 0)), (Ok(0), Ok(0)));
        let beyond = said(100_000, 1 << 30).unwrap_err();
        let figures = "a complete graph of 100,000 nodes has 4,999,950,000 edges, which take 57,219 \
                       MiB of memory, but the machine has 1,024 MiB left; save the coordinates";
        assert!(beyond.starts_with(figures) && beyond.contains("`kostra tree`"), "{beyond}");
        assert!(said(100_000, u64::MAX).unwrap_err().contains("beyond the limit of 4,294,967,295"));
    }
}
