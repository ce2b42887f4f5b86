//! Edmonds' algorithm: lowers the costs of the arcs into sets of vertices until arcs of cost zero
//! reach every vertex from the origin.

use kostra_core::{OutOfMemory, Run, SolveError, Vertex, memory};

use super::heaps::{Heap, Heaps};
use super::laminar::Laminar;
use super::network::{Amount, Network};

/// What is known of a vertex or of a set that is in no other set.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    New,
    /// On the path of cheapest arcs that leads to the current vertex.
    OnPath,
    /// Reached from the origin by arcs of cost zero.
    Reached,
}

/// How many vertices are between two reports of progress.
const REPORT_EVERY: usize = 1 << 16;

struct Contraction<'a, A> {
    network: &'a Network<'a, A>,
    heaps: Heaps<A>,
    /// The arcs into each vertex or set. Some may lead from its own vertices.
    entering: Vec<Heap>,
    /// The way from each vertex or set to the largest set that contains it.
    above: Vec<u32>,
    states: Vec<State>,
    /// The vertices and sets from the current one backwards along cheapest arcs, last first.
    path: Vec<u32>,
    family: Laminar<A>,
}

/// Sets of vertices with their duals, which prove that an arborescence is cheapest. Two sets are
/// nested or apart. `None` if no path leads to a vertex.
///
/// A vertex at a time, the path of cheapest arcs is followed backwards. The cost of the cheapest
/// arc is the dual of the vertex, and all arcs into the vertex lose it. A cycle becomes a set,
/// which is then treated as a vertex. The path ends at a vertex that is reached from the origin.
/// O(m log m) with heaps that can be merged.
pub(super) fn contract<A: Amount>(
    network: &Network<'_, A>,
    run: &mut Run<'_>,
) -> Result<Option<Laminar<A>>, SolveError> {
    let mut contraction = Contraction::new(network)?;
    let vertices = network.vertices();
    for vertex in 0..vertices {
        let largest = contraction.largest(vertex);
        let is_new = contraction.states[largest as usize] == State::New;
        if is_new && !contraction.reach(vertex)? {
            return Ok(None);
        }
        if (vertex as usize).is_multiple_of(REPORT_EVERY) {
            run.report.progress(vertex as usize, vertices as usize)?;
        }
    }
    Ok(Some(contraction.family))
}

impl<'a, A: Amount> Contraction<'a, A> {
    fn new(network: &'a Network<'a, A>) -> Result<Self, OutOfMemory> {
        let leaves = network.vertices() as usize + 1;
        let mut entering = memory::with_capacity(2 * leaves)?;
        entering.resize(leaves, Heap::EMPTY);
        let mut above = memory::with_capacity(2 * leaves)?;
        above.extend(0..leaves as u32);
        let mut states = memory::with_capacity(2 * leaves)?;
        states.resize(leaves, State::New);
        states[network.origin() as usize] = State::Reached;
        let mut heaps = Heaps::new(network)?;
        for arc in network.usable() {
            let heap = &mut entering[network.head(arc) as usize];
            *heap = heaps.merge(*heap, Heaps::<A>::of(arc));
        }
        let family = Laminar::of_leaves(leaves)?;
        Ok(Self { network, heaps, entering, above, states, path: Vec::new(), family })
    }

    /// The largest set that contains a vertex, or the vertex itself.
    fn largest(&mut self, vertex: Vertex) -> u32 {
        let mut node = vertex;
        while self.above[node as usize] != node {
            let next = self.above[self.above[node as usize] as usize];
            self.above[node as usize] = next;
            node = next;
        }
        node
    }

    /// Follows cheapest arcs backwards from a new vertex to one that is reached. `false` if no
    /// arc is left.
    fn reach(&mut self, vertex: Vertex) -> Result<bool, OutOfMemory> {
        self.append(vertex)?;
        let mut current = vertex;
        loop {
            let Some(tail) = self.pay(current) else { return Ok(false) };
            match self.states[tail as usize] {
                State::Reached => {
                    for node in self.path.drain(..) {
                        self.states[node as usize] = State::Reached;
                    }
                    return Ok(true);
                }
                State::New => {
                    self.append(tail)?;
                    current = tail;
                }
                State::OnPath => current = self.close_cycle(tail)?,
            }
        }
    }

    fn append(&mut self, node: u32) -> Result<(), OutOfMemory> {
        self.states[node as usize] = State::OnPath;
        memory::push(&mut self.path, node)
    }

    /// Takes the cheapest arc into a set from another one, lowers the other arcs by its cost, and
    /// returns where it comes from. `None` if there is no arc.
    fn pay(&mut self, node: u32) -> Option<u32> {
        loop {
            let (arc, key, rest) = self.heaps.pop(self.entering[node as usize])?;
            self.entering[node as usize] = rest;
            let tail = self.largest(self.network.tail(arc));
            if tail != node {
                self.heaps.lower(rest, &key);
                self.family.set_dual(node, key);
                return Some(tail);
            }
        }
    }

    /// Makes the end of the path, from `first` on, one set.
    fn close_cycle(&mut self, first: u32) -> Result<u32, OutOfMemory> {
        let set = self.family.add_set()?;
        memory::push(&mut self.above, set)?;
        memory::push(&mut self.entering, Heap::EMPTY)?;
        memory::push(&mut self.states, State::OnPath)?;
        let mut heap = Heap::EMPTY;
        while let Some(node) = self.path.pop() {
            self.above[node as usize] = set;
            self.family.set_parent(node, set);
            heap = self.heaps.merge(heap, self.entering[node as usize]);
            if node == first {
                break;
            }
        }
        self.entering[set as usize] = heap;
        memory::push(&mut self.path, set)?;
        Ok(set)
    }
}
