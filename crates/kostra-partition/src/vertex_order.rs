//! Orders of the vertices in which neighbors are near each other.

use kostra_core::{OutOfMemory, Vertex, memory};

/// The number of visited vertices after which a search reports its progress.
const STRIDE: usize = 1 << 18;

/// The vertices in the order of a breadth-first search. It starts at vertex 0, and again at the
/// lowest vertex that it has not reached. Row `v` is `neighbors[offsets[v]..offsets[v + 1]]`, and
/// is visited in its order. The search calls `progress` with the number of visited vertices, and
/// ends if it returns an error. O(n + m) on one thread; memory: 5 bytes per vertex.
///
/// # Errors
/// When `progress` returns an error or the system refuses the memory.
pub fn breadth_first_order<E: From<OutOfMemory>>(
    offsets: &[usize],
    neighbors: &[Vertex],
    mut progress: impl FnMut(usize) -> Result<(), E>,
) -> Result<Vec<Vertex>, E> {
    let vertices = offsets.len() - 1;
    let mut order: Vec<Vertex> = memory::with_capacity(vertices)?;
    let mut reached = memory::filled(vertices, false)?;
    let mut scanned = 0;
    for start in 0..vertices {
        if std::mem::replace(&mut reached[start], true) {
            continue;
        }
        order.push(start as Vertex);
        while let Some(&vertex) = order.get(scanned) {
            if scanned % STRIDE == 0 {
                progress(scanned)?;
            }
            scanned += 1;
            let vertex = vertex as usize;
            for &to in &neighbors[offsets[vertex]..offsets[vertex + 1]] {
                if !std::mem::replace(&mut reached[to as usize], true) {
                    order.push(to);
                }
            }
        }
    }
    Ok(order)
}

/// The vertices sorted by part, and in each part in the order of `order`, which contains each
/// vertex once. O(n + parts). Also returns where each part starts, and the number of vertices at
/// the end.
///
/// # Errors
/// When the system refuses the memory.
pub fn sorted_by_part(
    order: impl Iterator<Item = Vertex>,
    part_of: &[u32],
    parts: usize,
) -> Result<(Vec<Vertex>, Vec<u32>), OutOfMemory> {
    let mut bounds: Vec<u32> = memory::zeros(parts + 1)?;
    for &part in part_of {
        bounds[part as usize] += 1;
    }
    let mut sum = 0;
    for bound in &mut bounds {
        sum += std::mem::replace(bound, sum);
    }
    let mut next = memory::copied(&bounds)?;
    let mut vertices: Vec<Vertex> = memory::zeros(part_of.len())?;
    for vertex in order {
        let next = &mut next[part_of[vertex as usize] as usize];
        vertices[*next as usize] = vertex;
        *next += 1;
    }
    Ok((vertices, bounds))
}

#[cfg(test)]
mod tests {
    use kostra_core::{EdgeList, Graph, Run};

    use super::*;

    #[test]
    fn a_search_visits_neighbors_before_their_neighbors_and_every_component() {
        // 0 to 3 and 2, both to 1; 4 is isolated; 5 and 6 are a component.
        let (u, v) = (vec![0, 0, 3, 1, 6], vec![3, 2, 1, 2, 5]);
        let graph = Graph::from(EdgeList::new(7, u, v, vec![1; 5]).unwrap());
        let rows = graph.csr("test", &mut Run::new()).unwrap();
        let none = |_| Ok::<_, OutOfMemory>(());
        let order = breadth_first_order(rows.offsets(), rows.neighbors(), none).unwrap();
        assert_eq!(order, [0, 3, 2, 1, 4, 5, 6]);
    }

    #[test]
    fn parts_are_contiguous_and_keep_the_order_inside() {
        let (vertices, bounds) =
            sorted_by_part([4, 3, 2, 1, 0].into_iter(), &[2, 0, 2, 0, 3], 5).unwrap();
        assert_eq!(vertices, [3, 1, 2, 0, 4]);
        assert_eq!(bounds, [0, 2, 2, 4, 5, 5]);
    }
}
