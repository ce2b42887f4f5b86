//! Names of vertices, where there is room for them.
//!
//! The picture is divided into small cells. A name takes whole cells, and no cell is used twice or
//! has a vertex. So no name covers another one or a vertex. Vertices with many edges in the forest
//! come first. O(n log n).

use std::cmp::Reverse;

use kostra_core::Vertex;

use super::shown::{Shown, grid};

/// The cells on the longer side of a picture.
const CELLS: u32 = 200;
/// The height of letters, in cells.
const FONT: u32 = 3;
/// The height of a name, in cells.
const HEIGHT: i64 = 4;
/// The cells of the margin around the vertices.
const MARGIN: i64 = 4;
/// The least width of a picture without margins, in cells: the legend needs it.
const LEAST_WIDTH: i64 = 120;
/// The longest name that is shown, in letters.
const LONGEST: usize = 40;

/// A name of a vertex and its place.
#[derive(Debug)]
pub(super) struct Label {
    /// Where the text begins.
    pub(super) x: i64,
    /// The line on which the letters stand.
    pub(super) baseline: i64,
    pub(super) text: String,
}

/// The height of letters in a picture of this many vertices.
pub(super) fn font(vertices: usize) -> u32 {
    grid(vertices) / CELLS * FONT
}

/// The names that have room. `points` are the places on the grid with the greatest x and y, and
/// `visible` tells which vertices have a place.
pub(super) fn labels(
    shown: &Shown<'_>,
    points: &[[u32; 2]],
    size: [u32; 2],
    visible: impl Fn(Vertex) -> bool,
) -> Vec<Label> {
    let Some(names) = shown.names else { return Vec::new() };
    let side = i64::from(grid(points.len()) / CELLS);
    let cell = |vertex: Vertex| points[vertex as usize].map(|x| i64::from(x) / side + MARGIN);
    let mut order: Vec<Vertex> = (0..points.len() as Vertex).filter(|&at| visible(at)).collect();
    let [columns, rows] = size.map(|length| i64::from(length) / side + 1);
    let mut cells = Cells::new([columns.max(LEAST_WIDTH), rows].map(|cells| cells + 2 * MARGIN));
    for &vertex in &order {
        let [x, y] = cell(vertex);
        cells.take([x, y], [1, 1]);
    }
    let mut degrees = vec![0_u32; points.len()];
    for &edge in shown.forest {
        degrees[shown.graph.u()[edge as usize] as usize] += 1;
        degrees[shown.graph.v()[edge as usize] as usize] += 1;
    }
    order.sort_by_key(|&vertex| (Reverse(degrees[vertex as usize]), vertex));
    let mut labels = Vec::new();
    for vertex in order {
        let name = names[vertex as usize].as_str();
        if name.trim().is_empty() || name.chars().nth(LONGEST).is_some() {
            continue;
        }
        let ([x, y], width) = (cell(vertex), width(name));
        let middle = (y - HEIGHT / 2, x - width / 2);
        // On the right, on the left, above, below.
        let places =
            [[x + 1, middle.0], [x - width, middle.0], [middle.1, y - HEIGHT], [middle.1, y + 1]];
        if let Some([x, y]) = places.into_iter().find(|&at| cells.are_free(at, [width, HEIGHT])) {
            cells.take([x, y], [width, HEIGHT]);
            let (x, baseline) = ((x - MARGIN) * side, (y + HEIGHT - 1 - MARGIN) * side);
            labels.push(Label { x: x + side / 2, baseline, text: name.to_owned() });
        }
    }
    labels
}

/// The width of a name in a usual font without serifs, rounded up to cells. Wide letters and those
/// outside Latin count as a square.
fn width(name: &str) -> i64 {
    let percent = |letter: char| match letter {
        'm' | 'w' | 'M' | 'W' | '%' | '@' => 100,
        'A'..='Z' => 80,
        '\u{0}'..='\u{24f}' => 62,
        _ => 100,
    };
    let letters: i64 = name.chars().map(percent).sum();
    (letters * i64::from(FONT) + 99) / 100 + 1
}

/// Which cells are taken.
struct Cells {
    size: [i64; 2],
    taken: Vec<bool>,
}

impl Cells {
    fn new(size: [i64; 2]) -> Self {
        Self { size, taken: vec![false; (size[0] * size[1]) as usize] }
    }

    fn indices(
        &self,
        [x, y]: [i64; 2],
        [width, height]: [i64; 2],
    ) -> impl Iterator<Item = usize> + use<> {
        let row = self.size[0];
        (y..y + height).flat_map(move |y| (x..x + width).map(move |x| (y * row + x) as usize))
    }

    /// Whether the rectangle is inside the picture and has no taken cell.
    fn are_free(&self, at: [i64; 2], size: [i64; 2]) -> bool {
        [0, 1].iter().all(|&axis| at[axis] >= 0 && at[axis] + size[axis] <= self.size[axis])
            && self.indices(at, size).all(|index| !self.taken[index])
    }

    fn take(&mut self, at: [i64; 2], size: [i64; 2]) {
        for index in self.indices(at, size) {
            self.taken[index] = true;
        }
    }
}

#[cfg(test)]
mod tests {
    use kostra_core::{AnyGraph, EdgeId, Order};

    use super::*;
    use crate::picture::{Picture, PictureFormat};

    /// The labels of a star, whose vertex 0 has an edge to each other vertex.
    fn star(names: &[String]) -> Picture {
        let n = names.len() as Vertex;
        let graph = AnyGraph::from_edges(
            n as usize,
            vec![0; n as usize - 1],
            (1..n).collect(),
            vec![1; n as usize - 1],
        )
        .unwrap();
        let forest: Vec<EdgeId> = (0..n - 1).collect();
        Picture::new(&Shown {
            graph: &graph,
            forest: &forest,
            order: Order::Minimum,
            bottlenecks: 1,
            coordinates: None,
            names: Some(names),
        })
    }

    #[test]
    fn names_cover_no_name_and_no_vertex() {
        for n in [2_usize, 9, 60, 3000] {
            let names: Vec<_> = (0..n).map(|at| format!("Place {at}")).collect();
            let picture = star(&names);
            let boxes: Vec<_> = picture
                .labels
                .iter()
                .map(|label| {
                    let font = i64::from(font(n));
                    let width = label.text.len() as i64 * font * 6 / 10;
                    [label.x, label.x + width, label.baseline - font, label.baseline]
                })
                .collect();
            assert!(boxes.len() == n || n > 9, "{n}: {}", boxes.len());
            for (index, [left, right, top, bottom]) in boxes.iter().copied().enumerate() {
                for [l, r, t, b] in &boxes[..index] {
                    assert!(left >= *r || right <= *l || top >= *b || bottom <= *t, "{n}: {index}");
                }
                for &[x, y] in &picture.points {
                    let (x, y) = (i64::from(x), i64::from(y));
                    assert!(x <= left || x >= right || y <= top || y >= bottom, "{n}: {index}");
                }
            }
        }
    }

    #[test]
    fn names_are_escaped_and_shown_where_most_edges_meet_first() {
        let mut names: Vec<_> = (0..20_000).map(|at| at.to_string()).collect();
        names[0] = "<A&B>".to_owned();
        let picture = star(&names);
        assert_eq!(picture.labels[0].text, "<A&B>");
        assert!(picture.labels.len() < 2000);
        let mut svg = Vec::new();
        picture.write(PictureFormat::Svg, &mut svg).unwrap();
        assert!(String::from_utf8(svg).unwrap().contains(">&lt;A&amp;B&gt;</text>"));
    }
}
