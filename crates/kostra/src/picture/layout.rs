//! Places for the vertices of a forest without coordinates: each tree around its center.
//!
//! * A vertex at distance `d` from the center is on the circle of radius `d`. Its children share
//!   its sector in proportion to their leaves. A sector is at most as wide as keeps the edges of
//!   the tree from crossing. Source: Eades, "Drawing free trees", 1992.
//! * The trees are in rows, the largest first.
//! * Time O(n log n), for the order of the trees. No random numbers, so the places are the same
//!   every time.

use std::f64::consts::TAU;

use kostra_core::Vertex;

/// The radius of a tree of one vertex. The distance between neighbors in a tree is 1.
const LEAST_RADIUS: f64 = 0.5;

/// A forest as rows of neighbors.
struct Rows {
    starts: Vec<usize>,
    neighbors: Vec<Vertex>,
}

impl Rows {
    fn new(vertices: usize, ends: &[(Vertex, Vertex)]) -> Self {
        let mut starts = vec![0; vertices + 1];
        for &(u, v) in ends {
            starts[u as usize] += 1;
            starts[v as usize] += 1;
        }
        let mut entries = 0;
        for start in &mut starts {
            entries += *start;
            *start = entries;
        }
        let mut neighbors = vec![0; entries];
        for &(u, v) in ends {
            for (from, to) in [(u, v), (v, u)] {
                starts[from as usize] -= 1;
                neighbors[starts[from as usize]] = to;
            }
        }
        Self { starts, neighbors }
    }

    fn row(&self, vertex: Vertex) -> &[Vertex] {
        &self.neighbors[self.starts[vertex as usize]..self.starts[vertex as usize + 1]]
    }
}

/// The parent of each vertex of a tree; a root is its own parent.
struct Search<'a> {
    rows: &'a Rows,
    parents: Vec<Vertex>,
}

impl Search<'_> {
    /// The vertices of the tree of `root`, in the order of their distances from it.
    fn breadth_first(&mut self, root: Vertex) -> Vec<Vertex> {
        self.parents[root as usize] = root;
        let mut order = vec![root];
        let mut next = 0;
        while let Some(&vertex) = order.get(next) {
            next += 1;
            for &neighbor in self.rows.row(vertex) {
                if neighbor != self.parents[vertex as usize] {
                    self.parents[neighbor as usize] = vertex;
                    order.push(neighbor);
                }
            }
        }
        order
    }

    /// The middle of a longest path of the tree of `vertex`.
    fn center(&mut self, vertex: Vertex) -> Vertex {
        let last = |order: Vec<Vertex>| order.last().copied().unwrap_or(vertex);
        let one_end = last(self.breadth_first(vertex));
        let mut at = last(self.breadth_first(one_end));
        let mut path = vec![at];
        while at != one_end {
            at = self.parents[at as usize];
            path.push(at);
        }
        path[path.len() / 2]
    }
}

/// A tree around its center.
struct Tree {
    order: Vec<Vertex>,
    radius: f64,
}

/// The places of the vertices of the forest with these edges.
pub(super) fn layout(vertices: usize, ends: &[(Vertex, Vertex)]) -> Vec<[f64; 2]> {
    let rows = Rows::new(vertices, ends);
    let mut search = Search { rows: &rows, parents: vec![Vertex::MAX; vertices] };
    let mut places = vec![[0.0; 2]; vertices];
    let mut trees = Vec::new();
    for vertex in 0..vertices {
        if search.parents[vertex] == Vertex::MAX {
            let center = search.center(vertex as Vertex);
            let order = search.breadth_first(center);
            let radius = spread(&order, &search.parents, &mut places).max(LEAST_RADIUS);
            trees.push(Tree { order, radius });
        }
    }
    arrange(trees, &mut places);
    places
}

/// Places the vertices of a tree around its root, and returns the radius.
fn spread(order: &[Vertex], parents: &[Vertex], places: &mut [[f64; 2]]) -> f64 {
    // Vertices of a tree by position in `order`, so that the arrays have the size of the tree.
    let position: std::collections::HashMap<Vertex, usize> =
        order.iter().enumerate().map(|(position, &vertex)| (vertex, position)).collect();
    let parent = |at: usize| position[&parents[order[at] as usize]];
    let mut leaves = vec![0.0; order.len()];
    for at in (1..order.len()).rev() {
        leaves[at] = f64::max(leaves[at], 1.0);
        leaves[parent(at)] += leaves[at];
    }
    // Where the sector of the next child starts, its width, and the distance from the root.
    let mut sectors = vec![(0.0, TAU, 0.0); order.len()];
    let mut widths = vec![TAU; order.len()];
    let mut radius = 0.0;
    for at in 1..order.len() {
        let above = parent(at);
        let depth: f64 = sectors[above].2 + 1.0;
        let share = widths[above] * leaves[at] / leaves[above];
        let start = sectors[above].0;
        sectors[above].0 += share;
        let width = share.min(2.0 * (depth / (depth + 1.0)).acos());
        let angle = start + share / 2.0;
        sectors[at] = (angle - width / 2.0, width, depth);
        widths[at] = width;
        places[order[at] as usize] = [depth * angle.cos(), depth * angle.sin()];
        radius = depth;
    }
    radius
}

/// Moves the trees side by side, into rows of about equal length.
fn arrange(mut trees: Vec<Tree>, places: &mut [[f64; 2]]) {
    trees.sort_by(|one, other| other.radius.total_cmp(&one.radius));
    let side = |tree: &Tree| 2.0 * tree.radius + 1.0;
    let area: f64 = trees.iter().map(|tree| side(tree).powi(2)).sum();
    let length = trees.first().map_or(0.0, side).max(area.sqrt());
    let (mut x, mut y, mut height) = (0.0, 0.0, 0.0);
    for tree in &trees {
        let side = side(tree);
        if x > 0.0 && x + side > length * 1.001 {
            (x, y, height) = (0.0, y + height, 0.0);
        }
        for &vertex in &tree.order {
            let place = &mut places[vertex as usize];
            *place = [place[0] + x + side / 2.0, place[1] + y + side / 2.0];
        }
        x += side;
        height = f64::max(height, side);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_is_a_circle_around_its_center() {
        let places = layout(6, &[(3, 0), (3, 1), (2, 3), (3, 4), (5, 3)]);
        for leaf in [0, 1, 2, 4, 5] {
            let distance = (places[leaf][0] - places[3][0]).hypot(places[leaf][1] - places[3][1]);
            assert!((distance - 1.0).abs() < 1e-9, "{distance}");
        }
    }

    #[test]
    fn all_vertices_have_places_of_their_own() {
        let ends: Vec<_> = (1..200).filter(|v| v % 17 != 0).map(|v| (v, v / 3)).collect();
        let mut places = layout(210, &ends);
        places.sort_by(|one, other| one.partial_cmp(other).unwrap());
        for pair in places.windows(2) {
            assert!((pair[0][0] - pair[1][0]).hypot(pair[0][1] - pair[1][1]) > 1e-3, "{pair:?}");
        }
        assert!(layout(0, &[]).is_empty());
    }
}
