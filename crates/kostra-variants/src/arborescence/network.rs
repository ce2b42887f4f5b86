//! The arcs of a problem: the edges with their directions, and arcs from one origin to the roots.

use std::ops::{AddAssign, SubAssign};

use kostra_core::{AnyGraph, BitSet, EdgeId, OutOfMemory, Vertex, memory};
use num_bigint::BigInt;

/// An exact number: an integer of 128 bits, or one of any size.
pub(super) trait Amount:
    Clone + Ord + Default + From<u32> + for<'a> AddAssign<&'a Self> + for<'a> SubAssign<&'a Self>
{
    /// The product with a number of vertices.
    fn times(&self, number: u32) -> Self;
    /// The distance from zero.
    fn size(&self) -> Self;
}

impl Amount for i128 {
    fn times(&self, number: u32) -> Self {
        self * Self::from(number)
    }
    fn size(&self) -> Self {
        self.abs()
    }
}

impl Amount for BigInt {
    fn times(&self, number: u32) -> Self {
        self * number
    }
    fn size(&self) -> Self {
        self.magnitude().clone().into()
    }
}

/// An arc: the id of an edge, or from the number of edges on an arc from the origin.
pub(super) type ArcId = u32;

/// A graph with directions and an origin. An arborescence from the origin is a forest of the
/// graph, and its arcs from the origin lead to the roots.
pub(super) struct Network<'a, A> {
    tails: &'a [Vertex],
    heads: &'a [Vertex],
    /// The costs of the edges.
    costs: &'a [A],
    /// The vertices of the graph. The next number is the origin.
    vertices: u32,
    /// The vertices to which arcs from the origin lead; `None` for all vertices, at the price.
    roots: Option<&'a [Vertex]>,
    is_root: BitSet,
    /// The cost of an arc from the origin. If the roots are free, it is above twice the cost of
    /// all edges of any forest, so that the forests with the fewest trees are the cheapest.
    price: A,
}

impl<'a, A: Amount> Network<'a, A> {
    /// The network with these roots, or with free ones if there are none.
    pub(super) fn new(
        graph: &'a AnyGraph,
        costs: &'a [A],
        roots: &'a [Vertex],
    ) -> Result<Self, OutOfMemory> {
        let vertices = graph.vertices();
        let mut is_root = BitSet::try_new(vertices as usize)?;
        roots.iter().for_each(|&root| _ = is_root.insert(root));
        let mut price = A::default();
        if roots.is_empty() {
            let largest = costs.iter().map(A::size).max().unwrap_or_default();
            price = largest.times(vertices);
            let half = price.clone();
            price += &half;
            price += &A::from(1);
        }
        let roots = Some(roots).filter(|roots| !roots.is_empty());
        Ok(Self { tails: graph.u(), heads: graph.v(), costs, vertices, roots, is_root, price })
    }

    pub(super) fn vertices(&self) -> u32 {
        self.vertices
    }

    pub(super) fn origin(&self) -> Vertex {
        self.vertices
    }

    /// The number of arcs.
    pub(super) fn arcs(&self) -> usize {
        self.tails.len() + self.roots.map_or(self.vertices as usize, <[_]>::len)
    }

    pub(super) fn tail(&self, arc: ArcId) -> Vertex {
        self.tails.get(arc as usize).copied().unwrap_or(self.vertices)
    }

    pub(super) fn head(&self, arc: ArcId) -> Vertex {
        let edge = self.heads.get(arc as usize).copied();
        edge.or_else(|| self.root_of(arc)).unwrap_or(self.vertices)
    }

    /// The root to which this arc leads from the origin; none for edges.
    pub(super) fn root_of(&self, arc: ArcId) -> Option<Vertex> {
        let place = (arc as usize).checked_sub(self.tails.len())?;
        match self.roots {
            Some(roots) => roots.get(place).copied(),
            None => Some(place as Vertex).filter(|&vertex| vertex < self.vertices),
        }
    }

    /// The cost of an arc from the origin.
    pub(super) fn price(&self) -> &A {
        &self.price
    }

    pub(super) fn cost(&self, arc: ArcId) -> &A {
        self.costs.get(arc as usize).unwrap_or(&self.price)
    }

    /// Whether a forest may have this arc: it does not lead to its own start, nor is it an edge to
    /// a given root.
    pub(super) fn is_usable(&self, arc: ArcId) -> bool {
        let (tail, head) = (self.tail(arc), self.head(arc));
        tail != head && (tail == self.vertices || !self.is_root.contains(head))
    }

    /// The usable arcs, ascending.
    pub(super) fn usable(&self) -> impl Iterator<Item = ArcId> + Clone + '_ {
        (0..self.arcs() as ArcId).filter(|&arc| self.is_usable(arc))
    }

    /// The vertices to which no path leads from the origin, ascending.
    pub(super) fn unreached(&self) -> Result<Vec<Vertex>, OutOfMemory> {
        let rows = Rows::new(self, self.usable())?;
        let mut reached = BitSet::try_new(self.vertices as usize + 1)?;
        reached.insert(self.origin());
        let mut stack = vec![self.origin()];
        while let Some(vertex) = stack.pop() {
            for &arc in rows.of(vertex) {
                if reached.insert(self.head(arc)) {
                    memory::push(&mut stack, self.head(arc))?;
                }
            }
        }
        Ok((0..self.vertices).filter(|&vertex| !reached.contains(vertex)).collect())
    }
}

/// Some arcs by the vertex from which they lead.
pub(super) struct Rows {
    starts: Vec<u32>,
    arcs: Vec<ArcId>,
}

impl Rows {
    pub(super) fn new<A: Amount>(
        network: &Network<'_, A>,
        arcs: impl Iterator<Item = ArcId> + Clone,
    ) -> Result<Self, OutOfMemory> {
        let mut starts: Vec<u32> = memory::zeros(network.vertices() as usize + 2)?;
        arcs.clone().for_each(|arc| starts[network.tail(arc) as usize] += 1);
        let mut entries = 0;
        for start in &mut starts {
            entries += *start;
            *start = entries;
        }
        let mut rows = memory::zeros(entries as usize)?;
        for arc in arcs {
            let start = &mut starts[network.tail(arc) as usize];
            *start -= 1;
            rows[*start as usize] = arc;
        }
        Ok(Self { starts, arcs: rows })
    }

    /// The number of arcs.
    pub(super) fn len(&self) -> usize {
        self.arcs.len()
    }

    pub(super) fn of(&self, vertex: Vertex) -> &[ArcId] {
        let row = self.starts[vertex as usize]..self.starts[vertex as usize + 1];
        &self.arcs[row.start as usize..row.end as usize]
    }
}

/// Whether the numbers of arcs and of sets fit into 32 bits.
pub(super) fn fits(graph: &AnyGraph) -> bool {
    let numbers = graph.edges().max(graph.vertices() as usize) + graph.vertices() as usize + 2;
    EdgeId::try_from(numbers).is_ok()
}
