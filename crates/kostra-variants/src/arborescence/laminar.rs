//! A family of sets of vertices with a dual for each. Two sets are nested or apart.

use kostra_core::{OutOfMemory, Vertex, memory};

use super::network::{Amount, ArcId, Network};

/// No set.
const NONE: u32 = u32::MAX;

/// The family as a tree: the nodes `0..leaves` are vertices, the others are sets. A set has a
/// higher number than the sets inside it.
#[derive(Clone, Debug)]
pub(super) struct Laminar<A> {
    leaves: usize,
    /// The smallest set that contains each node; [`NONE`] for the largest ones.
    parents: Vec<u32>,
    /// What the arcs into each node lose.
    duals: Vec<A>,
}

impl<A: Amount> Laminar<A> {
    /// The family of single vertices, with duals of zero.
    pub(super) fn of_leaves(leaves: usize) -> Result<Self, OutOfMemory> {
        let (mut parents, mut duals) = (memory::with_capacity(2 * leaves)?, Vec::new());
        memory::reserve_exact(&mut duals, 2 * leaves)?;
        parents.resize(leaves, NONE);
        duals.resize(leaves, A::default());
        Ok(Self { leaves, parents, duals })
    }

    /// Adds a set without nodes and returns its number.
    pub(super) fn add_set(&mut self) -> Result<u32, OutOfMemory> {
        memory::push(&mut self.parents, NONE)?;
        memory::push(&mut self.duals, A::default())?;
        Ok(self.parents.len() as u32 - 1)
    }

    pub(super) fn set_dual(&mut self, node: u32, dual: A) {
        self.duals[node as usize] = dual;
    }

    /// Puts a node into a set that has a higher number.
    pub(super) fn set_parent(&mut self, node: u32, set: u32) {
        self.parents[node as usize] = set;
    }

    /// The duals of single vertices, and those of sets.
    pub(super) fn duals(&self) -> (&[A], &[A]) {
        self.duals.split_at(self.leaves)
    }

    /// The smallest set around a node.
    #[cfg(test)]
    pub(super) fn around(&self, node: u32) -> Option<u32> {
        Some(self.parents[node as usize]).filter(|&parent| parent != NONE)
    }

    /// The family without the sets whose dual is zero, and with a last set that has all vertices.
    pub(super) fn without_zeros(&self) -> Result<Self, OutOfMemory> {
        let is_kept = |node: usize| node < self.leaves || self.duals[node] != A::default();
        let mut kept = Self::of_leaves(0)?;
        kept.leaves = self.leaves;
        let mut numbers: Vec<u32> = memory::filled(self.parents.len(), NONE)?;
        for (node, number) in numbers.iter_mut().enumerate() {
            if is_kept(node) {
                *number = kept.add_set()?;
                kept.set_dual(*number, self.duals[node].clone());
            }
        }
        let all = kept.add_set()?;
        // From the largest sets down, the number of each node, or of the set around it.
        for node in (0..self.parents.len()).rev() {
            let parent = match self.parents[node] {
                NONE => all,
                parent => numbers[parent as usize],
            };
            if numbers[node] == NONE {
                numbers[node] = parent;
            } else {
                kept.set_parent(numbers[node], parent);
            }
        }
        Ok(kept)
    }
}

/// A family whose last set has all vertices, with what it takes to find the sets that an arc
/// enters in O(log n).
pub(super) struct Nesting<'a, A> {
    family: &'a Laminar<A>,
    /// The places of each node's vertices in an order in which those of each set are consecutive.
    places: Vec<[u32; 2]>,
    /// A set around each node, so far up that a few jumps reach any set around it (Myers 1983).
    jumps: Vec<u32>,
    /// The sum of the duals of each node and of the sets around it.
    sums: Vec<A>,
}

impl<'a, A: Amount> Nesting<'a, A> {
    pub(super) fn new(family: &'a Laminar<A>) -> Result<Self, OutOfMemory> {
        let (leaves, parents) = (family.leaves, &family.parents);
        let top = parents.len() - 1;
        let mut sizes: Vec<u32> = memory::zeros(top + 1)?;
        sizes[..leaves].fill(1);
        for (node, &parent) in parents[..top].iter().enumerate() {
            sizes[parent as usize] += sizes[node];
        }
        // From the top down: each node takes the next places of its parent.
        let mut places: Vec<[u32; 2]> = memory::zeros(top + 1)?;
        let mut next: Vec<u32> = memory::zeros(top + 1)?;
        let mut depths: Vec<u32> = memory::zeros(top + 1)?;
        let mut jumps: Vec<u32> = memory::filled(top + 1, top as u32)?;
        let mut sums = memory::filled(top + 1, A::default())?;
        places[top] = [0, sizes[top]];
        for node in (0..top).rev() {
            let parent = parents[node] as usize;
            let start = next[parent];
            next[parent] += sizes[node];
            next[node] = start;
            places[node] = [start, start + sizes[node]];
            depths[node] = depths[parent] + 1;
            let (jump, far) = (jumps[parent] as usize, jumps[jumps[parent] as usize] as usize);
            let is_even = depths[parent] - depths[jump] == depths[jump] - depths[far];
            jumps[node] = if is_even { far as u32 } else { parent as u32 };
            sums[node] = sums[parent].clone();
            sums[node] += &family.duals[node];
        }
        Ok(Self { family, places, jumps, sums })
    }

    /// The number of vertices and sets.
    pub(super) fn nodes(&self) -> usize {
        self.places.len()
    }

    /// The smallest set around a node, which is not the last set.
    pub(super) fn parent(&self, node: u32) -> u32 {
        self.family.parents[node as usize]
    }

    /// The largest set with the head of an arc but not its tail: the vertex itself, if there is no
    /// other. The ends differ. O(log n).
    pub(super) fn entered(&self, tail: Vertex, head: Vertex) -> u32 {
        let [place, _] = self.places[tail as usize];
        let has_tail = |node: u32| {
            let [start, end] = self.places[node as usize];
            (start..end).contains(&place)
        };
        let mut node = head;
        loop {
            let (parent, jump) = (self.parent(node), self.jumps[node as usize]);
            if has_tail(parent) {
                return node;
            }
            node = if has_tail(jump) { parent } else { jump };
        }
    }

    /// What is left of the cost of an arc without the duals of the sets that it enters.
    pub(super) fn reduced_cost(&self, network: &Network<'_, A>, arc: ArcId) -> A {
        let (tail, head) = (network.tail(arc), network.head(arc));
        let mut cost = network.cost(arc).clone();
        cost += &self.sums[self.parent(self.entered(tail, head)) as usize];
        cost -= &self.sums[head as usize];
        cost
    }
}
