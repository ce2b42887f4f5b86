//! Euler tours of a changing forest in blocks: the best edge between two trees.
//!
//! The tour of a tree is a circle of its vertices, once each, and of both directions of its edges.
//! Cutting an edge divides a circle in two, and an edge between two trees joins their circles, at
//! any place where they visit its ends (Henzinger & King 1999). Here a circle is a list of blocks
//! of some hundred entries, which lie beside each other in memory, as the chunks of
//! Kejlberg-Rasmussen, Kopelowitz, Pettie & Thorup 2016 do. Each block has the edges outside the
//! forest that end at its vertices, best first. So the search for the best edge that leaves a tree
//! reads few places of memory, and skips what is worse than the best edge so far.

use std::collections::{BTreeMap, HashMap};

use kostra_core::{OutOfMemory, Vertex, memory};

use self::edges::Half;

mod edges;

/// The absence of a block.
const NONE: u32 = u32::MAX;
/// The entries of a block when tours are made.
const FILL: usize = if cfg!(test) { 8 } else { 128 };
/// Two neighbors become one block of at most this many entries.
const MOST: usize = if cfg!(test) { 12 } else { 192 };
/// A part of a tour.
struct Block<R> {
    previous: u32,
    next: u32,
    /// Vertices, and directions of edges; see [`arcs`](Tours::arcs).
    entries: Vec<u32>,
    halves: Vec<Half<R>>,
    /// Whether the halves ascend. They are sorted when they are first searched.
    sorted: bool,
    /// No half is better.
    best: Option<R>,
}

/// The tours of all trees with two vertices or more, and the edges outside the forest.
pub(crate) struct Tours<R> {
    vertices: u32,
    blocks: Vec<Block<R>>,
    unused: Vec<u32>,
    /// The block of each entry; `NONE` for what is in no tour.
    block_of: Vec<u32>,
    /// The last search in which each block was in the smaller tree.
    inside: Vec<u64>,
    searches: u64,
    /// The number of edges outside the forest at each vertex.
    degrees: Vec<u32>,
    hubs: HashMap<Vertex, BTreeMap<R, Vertex>>,
}

impl<R: Copy + Ord> Tours<R> {
    /// The tours of a forest of `vertices` vertices, and the edges outside it.
    ///
    /// `forest` has each edge as its upper end, its lower end and its node (from `vertices` to
    /// twice that), in the order in which a depth-first search from the roots meets them. `others`
    /// has the ends and the rank of the other edges, without self-loops.
    /// O(vertices + edges).
    pub(crate) fn new(
        vertices: u32,
        forest: impl Iterator<Item = (Vertex, Vertex, u32)>,
        others: impl Iterator<Item = ([Vertex; 2], R)> + Clone,
    ) -> Result<Self, OutOfMemory> {
        let mut tours = Self {
            vertices,
            blocks: Vec::new(),
            unused: Vec::new(),
            block_of: memory::filled(3 * vertices as usize, NONE)?,
            inside: Vec::new(),
            searches: 0,
            degrees: memory::filled(vertices as usize, 0)?,
            hubs: HashMap::new(),
        };
        // The first block of the current circle, and the way from its root down.
        let mut first = NONE;
        let mut way: Vec<(Vertex, u32)> = Vec::new();
        for (upper, lower, node) in forest {
            while way.last().is_some_and(|&(vertex, _)| vertex != upper) {
                let (_, above) = way.pop().expect("it has a last vertex");
                if above != NONE {
                    tours.append(tours.arcs(above)[1]);
                }
            }
            if way.is_empty() {
                tours.close(first);
                first = tours.new_block();
                tours.append(upper);
                way.push((upper, NONE));
            }
            tours.append(tours.arcs(node)[0]);
            tours.append(lower);
            way.push((lower, node));
        }
        while let Some((_, above)) = way.pop() {
            if above != NONE {
                tours.append(tours.arcs(above)[1]);
            }
        }
        tours.close(first);
        tours.insert_all(others)?;
        Ok(tours)
    }

    /// The entries of an edge of the forest: from its first end to its second one, and back.
    fn arcs(&self, node: u32) -> [u32; 2] {
        [node, node + self.vertices]
    }

    /// Appends an entry to the last block, or to a new one behind it.
    fn append(&mut self, entry: u32) {
        let mut last = self.blocks.len() as u32 - 1;
        if self.blocks[last as usize].entries.len() >= FILL {
            let next = self.new_block();
            self.join(last, next);
            last = next;
        }
        self.blocks[last as usize].entries.push(entry);
        self.block_of[entry as usize] = last;
    }

    /// Makes a circle of the blocks from `first` to the last one.
    fn close(&mut self, first: u32) {
        if first != NONE {
            self.join(self.blocks.len() as u32 - 1, first);
        }
    }

    /// A block without entries, which is a circle of its own.
    fn new_block(&mut self) -> u32 {
        let block = |place| Block {
            previous: place,
            next: place,
            entries: Vec::new(),
            halves: Vec::new(),
            sorted: false,
            best: None,
        };
        if let Some(place) = self.unused.pop() {
            self.blocks[place as usize] = block(place);
            return place;
        }
        let place = self.blocks.len() as u32;
        self.blocks.push(block(place));
        self.inside.push(0);
        place
    }

    fn join(&mut self, before: u32, after: u32) {
        self.blocks[before as usize].next = after;
        self.blocks[after as usize].previous = before;
    }

    /// Adds an edge of the forest between two trees.
    pub(crate) fn link(&mut self, u: Vertex, v: Vertex, node: u32) {
        for vertex in [u, v] {
            if self.block_of[vertex as usize] == NONE {
                let block = self.new_block();
                self.blocks[block as usize].entries.push(vertex);
                self.block_of[vertex as usize] = block;
            }
        }
        let [at_u, at_v] = [self.divide_after(u), self.divide_after(v)];
        let [after_u, after_v] = [at_u, at_v].map(|block| self.blocks[block as usize].next);
        for (block, arc) in [at_u, at_v].into_iter().zip(self.arcs(node)) {
            self.blocks[block as usize].entries.push(arc);
            self.block_of[arc as usize] = block;
        }
        self.join(at_u, after_v);
        self.join(at_v, after_u);
        self.merge_after(at_u);
        // The first merge may have ended the block.
        self.merge_after(self.block_of[self.arcs(node)[1] as usize]);
    }

    /// Removes an edge of the forest.
    pub(crate) fn cut(&mut self, node: u32) {
        let arcs = self.arcs(node);
        for arc in arcs {
            self.divide_after(arc);
        }
        // The second division may have moved the first arc.
        let blocks = arcs.map(|arc| self.block_of[arc as usize]);
        let after = blocks.map(|block| self.blocks[block as usize].next);
        let before = [0, 1].map(|side| {
            let block = blocks[side];
            self.block_of[arcs[side] as usize] = NONE;
            self.blocks[block as usize].entries.pop();
            if !self.blocks[block as usize].entries.is_empty() {
                return block;
            }
            // The block had only the arc. Both circles that remain have vertices.
            self.unused.push(block);
            self.blocks[block as usize].previous
        });
        self.join(before[0], after[1]);
        self.join(before[1], after[0]);
        for block in before {
            self.merge_after(block);
        }
    }

    /// Divides the block of an entry such that the entry is its last one, and returns the block.
    fn divide_after(&mut self, entry: u32) -> u32 {
        let place = self.block_of[entry as usize];
        let block = &mut self.blocks[place as usize];
        let found = block.entries.iter().position(|&other| other == entry);
        let end = found.expect("entries are in their blocks") + 1;
        if end == block.entries.len() {
            return place;
        }
        let entries = block.entries.split_off(end);
        let next = block.next;
        let new = self.new_block();
        for &entry in &entries {
            self.block_of[entry as usize] = new;
        }
        let Self { blocks, block_of, .. } = self;
        let block = &mut blocks[place as usize];
        let is_moved = |half: &mut Half<R>| block_of[half.end as usize] == new;
        let halves = block.halves.extract_if(.., is_moved).collect();
        let (sorted, best) = (block.sorted, block.best);
        let block = &mut blocks[new as usize];
        (block.entries, block.halves, block.sorted, block.best) = (entries, halves, sorted, best);
        self.join(new, next);
        self.join(place, new);
        place
    }

    /// Makes one block of a block and the next one of its circle, if they are small.
    fn merge_after(&mut self, place: u32) {
        let next = self.blocks[place as usize].next;
        let [a, b] = [place, next].map(|block| self.blocks[block as usize].entries.len());
        if next == place || a + b > MOST {
            return;
        }
        let merged = &mut self.blocks[next as usize];
        let (entries, halves) =
            (std::mem::take(&mut merged.entries), std::mem::take(&mut merged.halves));
        let (after, best) = (merged.next, merged.best);
        for &entry in &entries {
            self.block_of[entry as usize] = place;
        }
        let block = &mut self.blocks[place as usize];
        block.sorted &= halves.is_empty();
        block.best = block.best.into_iter().chain(best).min();
        block.entries.extend(entries);
        block.halves.extend(halves);
        self.join(place, if after == next { place } else { after });
        self.unused.push(next);
    }
}
