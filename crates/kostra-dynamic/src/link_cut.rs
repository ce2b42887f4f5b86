//! Link-cut trees: paths of a changing forest, in O(log n) amortized time.
//!
//! Each tree is divided into paths. A path is a splay tree that is ordered by depth, and its root
//! points to the parent of the path's highest node. `access` makes the path from the root to a node
//! one splay tree, so that the node's aggregates describe that path. Source: Sleator & Tarjan 1983
//! and 1985. Edges of the forest are nodes as well, between their ends, so that the maximum of a
//! path is one over nodes. Each node also counts the vertices below it that are on other paths, as
//! Holm & de Lichtenberg 1998 do for aggregates of whole trees.

use kostra_core::{OutOfMemory, memory};

/// The absence of a node.
const NONE: u32 = u32::MAX;

/// A node: a vertex, or an edge of the forest. Edges have the rank `own`, vertices the lowest one.
#[derive(Clone, Copy)]
struct Node<R> {
    /// The parent in the splay tree; at its root, the parent of the path.
    parent: u32,
    children: [u32; 2],
    /// Whether the order of this splay tree is reversed, a change that the children have not seen.
    reversed: bool,
    own: R,
    /// The highest rank in this splay tree.
    highest: R,
    /// The number of vertices in this splay tree and in all that hangs from it.
    vertices: u32,
    /// The number of vertices that hang from this node by paths of their own, and itself.
    hanging: u32,
}

/// Link-cut trees over vertices and edges. An edge has the rank `R`, which is its place in the
/// strict order.
pub(crate) struct LinkCut<R> {
    nodes: Vec<Node<R>>,
    /// Nodes of former edges.
    unused: Vec<u32>,
    /// The nodes from a splay root to a node: scratch memory of `splay`.
    above: Vec<u32>,
}

impl<R: Copy + Ord + Default> LinkCut<R> {
    /// Whether there is memory for trees of `vertices` vertices. It is the largest array of a
    /// changing forest, so a refusal takes no time if this comes first.
    pub(crate) fn check_memory(vertices: u32) -> Result<(), OutOfMemory> {
        memory::with_capacity::<Node<R>>(vertices as usize).map(drop)
    }

    /// The forest with the given edges, ends and rank each, which must contain no cycle and be
    /// ordered such that every edge has its first end nearer to the root of its tree and comes
    /// after the edge above it; and the node of each edge. Nodes `0..vertices` are the vertices.
    /// O(n).
    pub(crate) fn new(
        vertices: u32,
        edges: impl ExactSizeIterator<Item = (u32, u32, R)>,
    ) -> Result<(Self, Vec<u32>), OutOfMemory> {
        let mut nodes = memory::with_capacity(vertices as usize + edges.len())?;
        nodes.resize(vertices as usize, Node::new(R::default(), 1));
        let mut trees = Self { nodes, unused: Vec::new(), above: Vec::new() };
        let edges: Vec<_> =
            edges.map(|(upper, lower, rank)| (upper, lower, trees.edge_node(rank))).collect();
        let mut sizes = memory::filled(vertices as usize, 1)?;
        for &(upper, lower, _) in edges.iter().rev() {
            sizes[upper as usize] += sizes[lower as usize];
        }
        // Below each vertex, the edge to the largest subtree continues the path (heavy paths). So a
        // node is below O(log n) paths, and each path is balanced.
        let mut heavy = memory::filled(vertices as usize, None)?;
        for &(upper, lower, edge) in &edges {
            let size = |(lower, _): (u32, u32)| sizes[lower as usize];
            if heavy[upper as usize].is_none_or(|other| size(other) < size((lower, edge))) {
                heavy[upper as usize] = Some((lower, edge));
            }
        }
        let mut is_root = memory::filled(vertices as usize, true)?;
        let mut path = Vec::new();
        // From below, so that what hangs from a path is complete.
        for &(upper, lower, edge) in edges.iter().rev() {
            is_root[lower as usize] = false;
            if heavy[upper as usize] == Some((lower, edge)) {
                continue;
            }
            path.push(edge);
            let top = trees.balanced_path(lower, &heavy, &mut path);
            trees.nodes[top as usize].parent = upper;
            trees.nodes[upper as usize].hanging += sizes[lower as usize];
        }
        for root in (0..vertices).filter(|&root| is_root[root as usize]) {
            trees.balanced_path(root, &heavy, &mut path);
        }
        Ok((trees, edges.into_iter().map(|(_, _, edge)| edge).collect()))
    }

    /// Joins two trees by an edge, and returns its node.
    pub(crate) fn link(&mut self, u: u32, v: u32, rank: R) -> u32 {
        let edge = self.edge_node(rank);
        self.hang(edge, v);
        self.hang(u, edge);
        edge
    }

    /// Removes the edge with this node, which joins `u` and `v`.
    pub(crate) fn cut(&mut self, edge: u32, u: u32, v: u32) {
        self.make_root(u);
        self.access(v);
        // The path is `u`, the edge, `v`, and `v` is the root of its splay tree.
        let above = std::mem::replace(&mut self.nodes[v as usize].children[0], NONE);
        self.nodes[above as usize].parent = NONE;
        self.update(v);
        self.splay(edge);
        self.nodes[u as usize].parent = NONE;
        self.unused.push(edge);
    }

    /// Changes the rank of the edge with this node.
    pub(crate) fn set_rank(&mut self, edge: u32, rank: R) {
        self.access(edge);
        self.nodes[edge as usize].own = rank;
        self.update(edge);
    }

    /// The highest rank between two different vertices, or nothing if no path joins them.
    pub(crate) fn path_maximum(&mut self, s: u32, t: u32) -> Option<R> {
        self.make_root(s);
        self.access(t);
        // The access moved `s` below `t` exactly if it is the root of the tree of `t`.
        (self.nodes[s as usize].parent != NONE).then(|| self.nodes[t as usize].highest)
    }

    /// The number of vertices of the tree with this vertex.
    pub(crate) fn tree_size(&mut self, vertex: u32) -> u32 {
        self.make_root(vertex);
        self.nodes[vertex as usize].vertices
    }

    /// Makes a balanced splay tree of `path`, which is emptied, and the heavy path from `vertex`
    /// down. Returns its root.
    fn balanced_path(
        &mut self,
        vertex: u32,
        heavy: &[Option<(u32, u32)>],
        path: &mut Vec<u32>,
    ) -> u32 {
        path.push(vertex);
        let mut last = vertex;
        while let Some((lower, edge)) = heavy[last as usize] {
            path.extend([edge, lower]);
            last = lower;
        }
        let root = self.balance(path);
        path.clear();
        root
    }

    /// The root of a balanced splay tree of the nodes `path`, from the highest down; `NONE` for no
    /// nodes.
    fn balance(&mut self, path: &[u32]) -> u32 {
        let (above, rest) = path.split_at(path.len() / 2);
        let Some((&root, below)) = rest.split_first() else { return NONE };
        let children = [self.balance(above), self.balance(below)];
        for child in children {
            if child != NONE {
                self.nodes[child as usize].parent = root;
            }
        }
        self.nodes[root as usize].children = children;
        self.update(root);
        root
    }

    fn edge_node(&mut self, rank: R) -> u32 {
        let node = Node::new(rank, 0);
        if let Some(unused) = self.unused.pop() {
            self.nodes[unused as usize] = node;
            return unused;
        }
        self.nodes.push(node);
        self.nodes.len() as u32 - 1
    }

    /// Makes the tree of `child` a part of the tree of `parent`.
    fn hang(&mut self, child: u32, parent: u32) {
        self.make_root(child);
        self.access(parent);
        self.nodes[child as usize].parent = parent;
        self.nodes[parent as usize].hanging += self.nodes[child as usize].vertices;
        self.update(parent);
    }

    fn make_root(&mut self, node: u32) {
        self.access(node);
        self.nodes[node as usize].reversed ^= true;
        self.push_down(node);
    }

    /// Makes the path from the root of the tree to `node` a splay tree with `node` as its root.
    fn access(&mut self, node: u32) {
        let (mut lower, mut upper) = (NONE, node);
        while upper != NONE {
            self.splay(upper);
            let dropped = self.nodes[upper as usize].children[1];
            if dropped != NONE {
                self.nodes[upper as usize].hanging += self.nodes[dropped as usize].vertices;
            }
            if lower != NONE {
                self.nodes[upper as usize].hanging -= self.nodes[lower as usize].vertices;
            }
            self.nodes[upper as usize].children[1] = lower;
            self.update(upper);
            (lower, upper) = (upper, self.nodes[upper as usize].parent);
        }
        self.splay(node);
        self.update(node);
    }

    /// Which child of its parent in the splay tree a node is; nothing for the root.
    fn side(&self, node: u32) -> Option<usize> {
        let parent = self.nodes[node as usize].parent;
        if parent == NONE {
            return None;
        }
        self.nodes[parent as usize].children.iter().position(|&child| child == node)
    }

    /// Makes a node the root of its splay tree. Its aggregates are not computed.
    fn splay(&mut self, node: u32) {
        self.above.clear();
        let mut top = node;
        while self.side(top).is_some() {
            top = self.nodes[top as usize].parent;
            self.above.push(top);
        }
        while let Some(above) = self.above.pop() {
            self.push_down(above);
        }
        self.push_down(node);
        while let Some(side) = self.side(node) {
            let parent = self.nodes[node as usize].parent;
            if let Some(parent_side) = self.side(parent) {
                self.rotate(if side == parent_side { parent } else { node });
            }
            self.rotate(node);
        }
    }

    /// Moves a node above its parent. The aggregates of the node are not computed.
    fn rotate(&mut self, node: u32) {
        let side = self.side(node).expect("only nodes below others are rotated");
        let parent = self.nodes[node as usize].parent;
        let above = self.nodes[parent as usize].parent;
        if let Some(parent_side) = self.side(parent) {
            self.nodes[above as usize].children[parent_side] = node;
        }
        let inner = self.nodes[node as usize].children[1 - side];
        self.nodes[parent as usize].children[side] = inner;
        if inner != NONE {
            self.nodes[inner as usize].parent = parent;
        }
        self.nodes[node as usize].children[1 - side] = parent;
        self.nodes[parent as usize].parent = node;
        self.nodes[node as usize].parent = above;
        self.update(parent);
    }

    fn push_down(&mut self, node: u32) {
        let Node { reversed, children, .. } = &mut self.nodes[node as usize];
        if !std::mem::take(reversed) {
            return;
        }
        children.swap(0, 1);
        for child in *children {
            if child != NONE {
                self.nodes[child as usize].reversed ^= true;
            }
        }
    }

    /// Computes the aggregates of a node from its children.
    fn update(&mut self, node: u32) {
        let Node { children, own, hanging, .. } = self.nodes[node as usize];
        let (mut highest, mut vertices) = (own, hanging);
        for child in children {
            if child != NONE {
                highest = highest.max(self.nodes[child as usize].highest);
                vertices += self.nodes[child as usize].vertices;
            }
        }
        self.nodes[node as usize].highest = highest;
        self.nodes[node as usize].vertices = vertices;
    }
}

impl<R: Copy> Node<R> {
    fn new(rank: R, vertices: u32) -> Self {
        Self {
            parent: NONE,
            children: [NONE; 2],
            reversed: false,
            own: rank,
            highest: rank,
            vertices,
            hanging: vertices,
        }
    }
}
