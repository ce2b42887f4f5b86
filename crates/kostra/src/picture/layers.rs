//! What a picture shows, for all formats: places on a grid, and layers of edges in one color each.

use kostra_core::{EdgeId, Order, UnionFind, Vertex, count, default_threads, with_graph};

use super::labels::{Label, labels};
use super::shown::{Shown, grid};

/// The usual number of bottlenecks.
pub const BOTTLENECKS: usize = 10;
/// The usual number of pixels on the longer side of a PNG.
const SIDE: u32 = 1600;

/// Colors for components, distinct for color-blind readers. Source: Okabe and Ito 2008, without
/// vermilion, which marks bottlenecks.
const COMPONENTS: [&str; 5] = ["#0072b2", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"];
const MARK: &str = "#d55e00";
/// Readable on white and on black.
const OTHERS: &str = "#a0a0a0";

/// Edges of one color.
#[derive(Debug)]
pub(super) struct Layer {
    /// The id of the layer in an SVG file.
    pub(super) id: &'static str,
    /// What the legend says. Layers without a name belong to the layer before them.
    pub(super) name: String,
    pub(super) color: &'static str,
    /// The width, as a multiple of the width of a forest edge.
    pub(super) width: f64,
    /// The endpoints. A vertex alone is an edge to itself.
    pub(super) ends: Vec<(Vertex, Vertex)>,
}

/// A picture of a graph and its forest: places on a grid, and layers of edges.
///
/// ```
/// use kostra::Order;
/// use kostra::low_level::AnyGraph;
/// use kostra::picture::{Picture, PictureFormat, Shown};
///
/// let graph = AnyGraph::from_edges(3, vec![0, 1, 2], vec![1, 2, 0], vec![1, 2, 9])?;
/// let (forest, order) = (&[0, 1], Order::Minimum);
/// let names = None;
/// let shown =
///     Shown { graph: &graph, forest, order, bottlenecks: 1, coordinates: None, names };
/// let picture = Picture::new(&shown).title("A triangle").side(64);
/// let legend: Vec<_> = picture.legend().map(|(_, name)| name).collect();
/// assert_eq!(legend, ["one edge outside the forest", "the forest", "one bottleneck"]);
/// let mut png = Vec::new();
/// picture.write(PictureFormat::Png, &mut png)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Picture {
    pub(super) title: String,
    /// The place of each vertex, with y downward; a vertex without coordinates is at the origin.
    pub(super) points: Vec<[u32; 2]>,
    /// The greatest x and y.
    pub(super) size: [u32; 2],
    /// The layers, the lowest first.
    pub(super) layers: Vec<Layer>,
    /// The names that have room.
    pub(super) labels: Vec<Label>,
    /// The number of vertices without coordinates.
    pub(super) left_out: usize,
    /// The number of pixels on the longer side of a PNG.
    pub(super) side: u32,
    pub(super) threads: usize,
}

/// Places on the grid, and the greatest x and y.
fn fit(points: &[[f64; 2]]) -> (Vec<[u32; 2]>, [u32; 2]) {
    let finite = |point: &&[f64; 2]| point[0].is_finite() && point[1].is_finite();
    let mut low = [f64::MAX; 2];
    let mut high = [f64::MIN; 2];
    for point in points.iter().filter(finite) {
        for axis in [0, 1] {
            low[axis] = low[axis].min(point[axis]);
            high[axis] = high[axis].max(point[axis]);
        }
    }
    let side = f64::from(grid(points.len()));
    // Halves, because the difference of two finite numbers can be infinite.
    let extent = [0, 1].map(|axis| high[axis] / 2.0 - low[axis] / 2.0);
    let longest = extent[0].max(extent[1]);
    let place = |value: f64, origin: f64| {
        let share = (value / 2.0 - origin / 2.0) / longest;
        if longest > 0.0 && share.is_finite() { (share * side).round().abs() as u32 } else { 0 }
    };
    let placed = |point: &[f64; 2]| {
        if finite(&point) { [place(point[0], low[0]), place(point[1], high[1])] } else { [0; 2] }
    };
    (points.iter().map(placed).collect(), [place(high[0], low[0]), place(low[1], high[1])])
}

impl Picture {
    /// Places the vertices, and divides the edges into layers. Edges and vertices without
    /// coordinates are left out. O(n log n + m).
    pub fn new(shown: &Shown<'_>) -> Self {
        let places = shown.places();
        let (points, size) = fit(&places);
        let is_placed = |place: &[f64; 2]| place.iter().all(|x| x.is_finite());
        let visible = |vertex: Vertex| is_placed(&places[vertex as usize]);
        let mut layers = layers(shown);
        for layer in &mut layers {
            layer.ends.retain(|&(u, v)| visible(u) && visible(v));
        }
        layers.retain(|layer| !layer.ends.is_empty());
        let left_out = places.iter().filter(|place| !is_placed(place)).count();
        let labels = labels(shown, &points, size, visible);
        let title = match shown.order {
            Order::Minimum => "Minimum spanning forest",
            Order::Maximum => "Maximum spanning forest",
        };
        let threads = default_threads();
        Self {
            title: title.to_owned(),
            points,
            size,
            layers,
            labels,
            left_out,
            side: SIDE,
            threads,
        }
    }

    /// Sets the title of an SVG or a page.
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.title = title.into();
        self
    }

    /// Leaves out the edges outside the forest.
    pub fn forest_only(mut self) -> Self {
        self.layers.retain(|layer| layer.id != "others");
        self
    }

    /// Sets the number of pixels on the longer side of a PNG; by default 1600.
    pub fn side(mut self, pixels: u32) -> Self {
        self.side = pixels;
        self
    }

    /// Sets the number of threads, at least 1, that draw a PNG; by default all of the machine.
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = threads.max(1);
        self
    }

    /// The colors and what has them, such as `#d55e00` and `10 bottlenecks`.
    pub fn legend(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let layers = self.layers.iter().filter(|layer| !layer.name.is_empty());
        layers.map(|layer| (layer.color, layer.name.as_str()))
    }

    /// The number of vertices that are left out, because they have no coordinates.
    pub fn left_out(&self) -> usize {
        self.left_out
    }
}

fn layers(shown: &Shown<'_>) -> Vec<Layer> {
    let graph = shown.graph;
    let ends = |edge: EdgeId| (graph.u()[edge as usize], graph.v()[edge as usize]);
    let mut in_forest = vec![false; graph.edges()];
    shown.forest.iter().for_each(|&edge| in_forest[edge as usize] = true);
    let others = (0..graph.edges()).filter(|&edge| !in_forest[edge]);
    let others: Vec<_> = others.map(|edge| ends(edge as EdgeId)).collect();
    let marked = heaviest(shown);
    marked.iter().for_each(|&edge| in_forest[edge as usize] = false);

    let (sizes, colors) = color(shown);
    let trees = sizes.len();
    let mut layers = vec![Layer {
        id: "others",
        name: count(others.len() as u64, "edge outside the forest", "edges outside the forest"),
        color: OTHERS,
        width: 0.5,
        ends: others,
    }];
    for (index, color) in COMPONENTS.iter().enumerate() {
        let of_color = |edge: &&EdgeId| {
            in_forest[**edge as usize] && colors[ends(**edge).0 as usize] == Some(index)
        };
        let edges: Vec<_> = shown.forest.iter().filter(of_color).map(|&edge| ends(edge)).collect();
        let name = match (index, trees) {
            (_, 1) => "the forest".to_owned(),
            (_, 0..=5) if index < trees => {
                format!("component of {}", count(sizes[index].into(), "vertex", "vertices"))
            }
            (0, _) => format!("{}, in 5 colors", count(trees as u64, "component", "components")),
            _ => String::new(),
        };
        layers.push(Layer { id: "forest", name, color, width: 1.0, ends: edges });
    }
    layers.push(Layer {
        id: "bottlenecks",
        name: count(marked.len() as u64, "bottleneck", "bottlenecks"),
        color: MARK,
        width: 2.5,
        ends: marked.into_iter().map(ends).collect(),
    });
    let alone = (0..graph.vertices()).filter(|&vertex| colors[vertex as usize].is_none());
    let alone: Vec<_> = alone.map(|vertex| (vertex, vertex)).collect();
    layers.push(Layer {
        id: "alone",
        name: count(alone.len() as u64, "vertex alone", "vertices alone"),
        color: OTHERS,
        width: 2.0,
        ends: alone,
    });
    layers
}

/// The forest edges that come last in the order of the solver, in ascending order of ids.
fn heaviest(shown: &Shown<'_>) -> Vec<EdgeId> {
    let wanted = shown.bottlenecks.min(shown.forest.len());
    let mut ids = shown.forest.to_vec();
    with_graph!(shown.graph, graph => {
        let edges = graph.edge_list().edges(shown.order);
        ids.sort_unstable_by_key(|&edge| std::cmp::Reverse((edges.key(edge), edge)));
    });
    ids.truncate(wanted);
    ids.sort_unstable();
    ids
}

/// The number of vertices of each component with an edge, the largest first, and the color of each
/// vertex; none for a vertex alone.
fn color(shown: &Shown<'_>) -> (Vec<u32>, Vec<Option<usize>>) {
    let graph = shown.graph;
    let mut sets = UnionFind::new(graph.vertices());
    for &edge in shown.forest {
        sets.union(graph.u()[edge as usize], graph.v()[edge as usize]);
    }
    let representatives = sets.into_lowest();
    let mut sizes = vec![0_u32; representatives.len()];
    representatives.iter().for_each(|&one| sizes[one as usize] += 1);
    let mut roots: Vec<_> = (0..sizes.len()).filter(|&vertex| sizes[vertex] > 1).collect();
    roots.sort_by_key(|&root| std::cmp::Reverse(sizes[root]));
    let mut colors = vec![None; sizes.len()];
    for (index, &root) in roots.iter().enumerate() {
        colors[root] = Some(index % COMPONENTS.len());
    }
    let colors = representatives.iter().map(|&one| colors[one as usize]).collect();
    (roots.into_iter().map(|root| sizes[root]).collect(), colors)
}

#[cfg(test)]
mod tests {
    use kostra_core::AnyGraph;

    use super::*;

    #[test]
    fn places_fill_the_grid_with_y_downward() {
        let (points, size) = fit(&[[1.0, 1.0], [3.0, 2.0], [f64::NAN, 0.0]]);
        assert_eq!((points, size), (vec![[0, 500], [1000, 0], [0, 0]], [1000, 500]));
        assert_eq!(fit(&[[7.0, 7.0]; 3]), (vec![[0, 0]; 3], [0, 0]));
        assert_eq!(fit(&[]), (vec![], [0, 0]));
        assert_eq!(fit(&[[f64::MIN, 0.0], [f64::MAX, 0.0]]).1, [1000, 0]);
    }

    #[test]
    fn each_edge_is_in_one_layer() {
        let graph = AnyGraph::from_edges(
            7,
            vec![0, 1, 0, 3, 2, 5],
            vec![1, 2, 2, 4, 2, 6],
            vec![1, 9, 9, 4, 0, 5],
        )
        .unwrap();
        let forest = [0, 1, 3, 5];
        let shown = Shown {
            graph: &graph,
            forest: &forest,
            order: Order::Minimum,
            bottlenecks: 1,
            coordinates: None,
            names: None,
        };
        let found: Vec<_> = layers(&shown)
            .into_iter()
            .filter(|layer| !layer.ends.is_empty())
            .map(|layer| (layer.id, layer.ends))
            .collect();
        assert_eq!(
            found,
            [
                ("others", vec![(0, 2), (2, 2)]),
                ("forest", vec![(0, 1)]),
                ("forest", vec![(3, 4)]),
                ("forest", vec![(5, 6)]),
                ("bottlenecks", vec![(1, 2)])
            ]
        );
    }
}
