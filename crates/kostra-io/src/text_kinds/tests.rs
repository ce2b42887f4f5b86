//! Which texts are read as which kind, and which are questions.

use kostra_core::{UnionFind, with_graph};

use crate::{ColumnChoice, ReadOptions, Vertices, read_bytes};

/// What a text is: `matrix: 3 vertices, 3 edges, total 5.5`, or the question.
fn found(name: &str, text: &str) -> String {
    let options = ReadOptions { vertices: Vertices::Occurring, ..ReadOptions::default() };
    found_with(name, text, &options)
}

fn found_with(name: &str, text: &str, options: &ReadOptions) -> String {
    let loaded = match read_bytes(name, text.as_bytes(), options) {
        Ok(loaded) => loaded,
        Err(error) => return error.to_string(),
    };
    let graph = &loaded.parsed.graph;
    let mut edges: Vec<(f64, u32, u32)> = with_graph!(graph, graph => {
        let edges = graph.edge_list();
        let ends = edges.u().iter().zip(edges.v());
        let number = |weight: String| weight.parse::<f64>().unwrap();
        let all = ends.zip(edges.weights());
        all.map(|((&u, &v), weight)| (number(weight.to_string()), u, v)).collect()
    });
    edges.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut sets = UnionFind::try_new(graph.vertices()).unwrap();
    let total: f64 = edges.iter().filter(|&&(_, u, v)| sets.union(u, v)).map(|edge| edge.0).sum();
    let (n, m) = (graph.vertices(), graph.edges());
    let mut said = format!("{}: {n} vertices, {m} edges, total {total}", loaded.format.id());
    for warning in &loaded.parsed.warnings {
        let warning = warning.to_string();
        said += &format!(", {}", warning.split(';').next().unwrap_or_default());
    }
    said
}

/// Texts that are read, the name of their file, and what they are.
const READ: &[(&str, &str, &str)] = &[
    ("x.txt", "0 7 8 4\n0 0 3 6\n0 0 0 9\n0 0 0 0\n", "matrix: 4 vertices, 6 edges, total 13"),
    (
        "x.tsv",
        "ann\t0\t5\t12\nben\t5\t0\t9\ncyd\t12\t9\t0\n",
        "matrix: 3 vertices, 3 edges, total 14",
    ),
    ("x.csv", "0;2,5;7\n2,5;0;3\n7;3;0\n", "matrix: 3 vertices, 3 edges, total 5.5"),
    (
        "x.csv",
        ",Oslo,Bergen,Moss\nOslo,0,463,60\nBergen,463,0,500\nMoss,60,500,0\n",
        "matrix: 3 vertices, 3 edges, total 523",
    ),
    (
        "x",
        "Oslo,Bergen,Moss\n0,463,60\n463,0,500\n60,500,0\n",
        "matrix: 3 vertices, 3 edges, total 523",
    ),
    ("x", ",0,1,2\n0,0,3,1\n1,3,0,2\n2,1,2,0\n", "matrix: 3 vertices, 3 edges, total 3"),
    ("x", "0,1,2,3\n0,1,2,3\n1,0,4,5\n2,4,0,6\n3,5,6,0\n", "matrix: 4 vertices, 6 edges, total 6"),
    ("x", "0\n5 0\n12 9 0\n", "matrix: 3 vertices, 3 edges, total 14"),
    ("x", "5\n12 9\n7 8 2\n", "matrix: 4 vertices, 6 edges, total 14"),
    ("x", "0 5 12\n0 9\n0\n", "matrix: 3 vertices, 3 edges, total 14"),
    ("x", "4\n0 5 12 7\n5 0 9 8\n12 9 0 2\n7 8 2 0\n", "matrix: 4 vertices, 6 edges, total 14"),
    ("x", "a b c\na 0 5 12\nb 5 0 9\nc 12 9 0\n", "matrix: 3 vertices, 3 edges, total 14"),
    ("x", "0.5 1.5 2.5\n1.5 0.5 3\n2.5 3 0.5\n", "matrix: 3 vertices, 6 edges, total 4"),
    (
        "x.mtx",
        "%MatrixMarket matrix coordinate real symmetric\n5 5 3\n2 1 10\n3 2 20\n3 1 30\n",
        "mtx: 5 vertices, 3 edges, total 30",
    ),
    ("x", "5 5 3\n2 1 10\n3 2 20\n3 1 30\n", "edges: 5 vertices, 3 edges, total 30"),
    ("x", "4\n4\n0 1 0.5\n1 2 0.25\n2 3 1.5\n0 3 0.75\n", "edges: 4 vertices, 4 edges, total 1.5"),
    ("x", "4\n0 1 0.5\n1 2 0.25\n2 3 1.5\n0 3 0.75\n", "edges: 4 vertices, 4 edges, total 1.5"),
    ("x", "3 2\na b 5\nb c 6\n", "edges: 3 vertices, 2 edges, total 11"),
    ("x", "1: 2 3\n2: 1 3\n3: 1 2\n", "adjacency: 3 vertices, 3 edges, total 2"),
    ("x", "0 1 2\n1 2\n2 3\n3\n", "adjacency: 4 vertices, 4 edges, total 3"),
    ("x", "1\t2,7\t3,4\n2\t1,7\t3,9\n3\t1,4\t2,9\n", "adjacency: 3 vertices, 3 edges, total 11"),
    ("x", "a -> b, c\nb -> a\nc -> a\n", "adjacency: 3 vertices, 2 edges, total 2"),
    ("x", "A: B(5) C(3)\nB: A(5)\nC: A(3)\n", "adjacency: 3 vertices, 2 edges, total 8"),
    (
        "x",
        " source | target | cost \n--------+--------+------\n      1 |      2 |    5\n      2 |      3 |    4\n(2 rows)\n",
        "table: 3 vertices, 2 edges, total 9",
    ),
    (
        "x",
        "-,16,12,21\n16,-,-,17\n12,-,-,28\n21,17,28,-\n",
        "matrix: 4 vertices, 5 edges, total 45",
    ),
    ("x", "-\n5 -\n9 3 -\n", "matrix: 3 vertices, 3 edges, total 8"),
    ("x", "1\n0.5 1\n0.25 0.75 1\n", "matrix: 3 vertices, 6 edges, total 0.75"),
    ("x", "0 -> 1 -> 4\n1 -> 0 -> 4\n4 -> 0 -> 1\n", "adjacency: 3 vertices, 3 edges, total 2"),
    ("x", "NA 5 9\n5 NA 3\n9 3 NA\n", "matrix: 3 vertices, 3 edges, total 8"),
    ("x", "4 4\n0 1 9 4\n1 0 3 8\n9 3 0 7\n4 8 7 0\n", "matrix: 4 vertices, 6 edges, total 8"),
    ("x", "0 -> 1 -> 2\n1 -> 0 -> 2\n2 -> 0 -> 1\n", "adjacency: 3 vertices, 3 edges, total 2"),
    ("x", "A -> B [5]\nB -> C [3]\nA -> C [4]\n", "written: 3 vertices, 3 edges, total 7"),
    ("x", "(0, 1)\t5\n(1, 2)\t3\n(0, 2)\t4\n", "written: 3 vertices, 3 edges, total 7"),
    ("x", "(A, B, 5),\n(B, C, 3),\n(A, C, 4)\n", "written: 3 vertices, 3 edges, total 7"),
    ("x", "0 - 1 5\n1 - 2 3\n", "written: 3 vertices, 2 edges, total 8"),
    (
        "x",
        "add_edge('A', 'B', weight=5);\nadd_edge('B', 'C', weight=3);\n",
        "written: 3 vertices, 2 edges, total 8",
    ),
    ("x", "Oslo to Moss = 60\nMoss to New York = 464\n", "written: 3 vertices, 2 edges, total 524"),
    (
        "x",
        "Node 1 -> Node 2\nNode 1 -> Node 3\nNode 2 -> Node 3\n",
        "written: 3 vertices, 3 edges, total 2",
    ),
    ("x", "0 1 5\n1 2 5\n2 3 5\n", "edges: 4 vertices, 3 edges, total 15"),
    ("x", "#weight,source,target\n5,1,2\n3,2,3\n", "edges: 3 vertices, 2 edges, total 8"),
    (
        "x",
        "# id from to length\n1 1 2 5\n2 2 3 3\n3 1 3 4\n",
        "edges: 3 vertices, 3 edges, total 7",
    ),
    ("x", "p ds 3 2\n1 2\n2 3\n", "gr: 3 vertices, 2 edges, total 2"),
    ("x", "% sym posweighted\n1 2 5 100\n2 3 6 101\n", "edges: 3 vertices, 2 edges, total 11"),
    ("x", "0 1 5\n1 2 6\n2 0 7\n", "edges: 3 vertices, 3 edges, total 11"),
    ("x", "0 1\n1 2\n2 0\n", "edges: 3 vertices, 3 edges, total 2"),
    ("x", "ann bob 5\nbob cy 6\n", "edges: 3 vertices, 2 edges, total 11"),
    ("x", "4\n101\n102 5\n103 6 7\n104 8 9\n1\n", "phylip: 4 vertices, 6 edges, total 12"),
    ("x", "3\n7 0 5 9\n8 5 0\n3\n9 9 3 0\n", "phylip: 3 vertices, 3 edges, total 8"),
    ("x", "4\n0\n5 0\n9 3 0\n7 4 2 0\n", "matrix: 4 vertices, 6 edges, total 10"),
    ("x", "0 0 0\n0 1 4\n1 0 4\n1 1 0\n", "edges: 2 vertices, 4 edges, total 4"),
    ("x", "3\n3\n0 1 5\n1 2 6\n0 2 7\n", "edges: 3 vertices, 3 edges, total 11"),
    (
        "x",
        "# Fields: query acc.ver, subject acc.ver, % identity\n# 2 hits found\na\tb\t98.5\na\tc\t80\n",
        "edges: 3 vertices, 2 edges, total 178.5",
    ),
    ("x", "a b 1\na c 2\nb c 3\n", "edges: 3 vertices, 3 edges, total 3"),
    ("x", "5 1\n5 2\n5 9\n", "edges: 4 vertices, 3 edges, total 3"),
    ("x", "1 2 5\n2 3 6\n1 3 7\n\n4 5 1\n5 6 2\n4 6 3\n", "edges: 6 vertices, 6 edges, total 14"),
    ("x", "1 4 5\n1 5 6\n2 3 1\n2 5 4\n", "edges: 5 vertices, 4 edges, total 16"),
    ("x", "start,end\n0,5\n0,7\n5,7\n", "edges: 3 vertices, 3 edges, total 2"),
    (
        "x",
        "0,5,9,999\n5,0,6,999\n9,6,0,2\n999,999,2,0\n",
        "matrix: 4 vertices, 6 edges, total 13, 4 entries are 999, far above the next, 9",
    ),
    (
        "x",
        "0 5 1e20\n5 0 6\n1e20 6 0\n",
        "matrix: 3 vertices, 3 edges, total 11, 2 entries are 100000000000000000000, far above the next, 6",
    ),
    (
        "x",
        "0 5 1061109567\n5 0 6.5\n1061109567 6.5 0\n",
        "matrix: 3 vertices, 3 edges, total 11.5, 2 entries are 1061109567, far above the next, 6.5",
    ),
    (
        "x",
        "city_a,city_b,km\nOslo,Moss,60\nMoss,Bergen,500\n",
        "edges: 3 vertices, 2 edges, total 560",
    ),
];

#[test]
fn kinds_are_read_by_their_evidence() {
    for (name, text, expected) in READ {
        assert_eq!(found(name, text), *expected, "{text}");
    }
}

/// Texts that are a question or refused, the name of their file, and what the message says.
const ASKED: &[(&str, &str, &str)] = &[
    ("x", "rank,u,v\n0,5,6\n1,6,7\n2,5,7\n", "which column is the weight? columns: rank, u, v;"),
    (
        "x.txt",
        "0 7 0 4\n0 0 3 6\n0 0 0 9\n0 0 0 0\n",
        "is 0 a weight, as of identical things, or no edge?",
    ),
    (
        "x",
        "4 3\n0 1\n1 0\n1 2\n2 1\n2 3\n3 2\n",
        "is this line an edge, or does it state the numbers",
    ),
    ("x", "5 4\n1 2\n2 3\n3 4\n", "is this line an edge, or does it state the numbers"),
    ("x", "5 3 1\n1 2 5\n2 3 6\n4 5 9\n", "is this line an edge, or does it state the numbers"),
    ("x", "4\n5\n0 1 0.5\n1 2 0.25\n", "but the number of edges is 2"),
    ("x", "7\n0 1 5\n1 9 6\n", "but the number of edges is 2"),
    ("x", "3\n0 3 1\n3 0 2\n1 2 0\n", "which format is this, edge list or matrix?"),
    (
        "x",
        "0 3 1\n3 0 2\n1 2 0\n",
        "as edge list: 0-3 1, 3-0 2, 1-2 0; as matrix: 3 vertices, 0-1 3, 0-2 1, 1-2 2; pass",
    ),
    ("x", "1 2 3\n4 5 6\n7 8 9\n", "which format is this, edge list or matrix?"),
    ("x", "0 5\n5 0\n", "which format is this, edge list or matrix?"),
    ("x", "0,5,6\n1,6,7\n2,5,7\n", "does the first column number the edges?"),
    ("x", "1 0 0\n2 3 4\n3 10 10\n4 7 3\n", "does the first column number the edges?"),
    ("x", "0 0 1\n1 1 2\n2 0 2\n3 2 3\n", "does the first column number the edges?"),
    ("x", "1 A B 5\n2 B C 3\n3 A C 4\n", "and `weight: ColumnChoice::Position(4)`"),
    ("x", "0 A B\n1 B C\n2 A C\n", "does the first column number the edges?"),
    ("x", "1: A B 5\n2: B C 3\n3: A C 4\n", "which columns are the vertices?"),
    (
        "x",
        "1 3 2\n2 1 4\n3 4 1\n4 2 3\n",
        "as edge list: 3-2, 1-4, 4-1, ...; as adjacency list: 1-3, 1-2, 2-1, ...; pass",
    ),
    ("x", "3\n4\n0 1 5\n1 2 3\n0 2 4\n2 3 7\n", "but an edge ends at vertex 3; correct or remove"),
    ("x", "4 4 0\n0 1 5\n1 2 3\n0 2 4\n2 3 7\n", "is this line an edge, or does it state"),
    ("x", "A,B=5\nB,C=3\nA,C=4\n", "as edge list with signs: A-B 5, B-C 3, A-C 4; pass"),
    ("x", "A,B 5\nB,C 3\nA,C 4\n", "as edge list with signs: A-B 5, B-C 3, A-C 4; pass"),
    ("x", "A -> B 5 km\nB -> C 6 km\n", "are the lines an adjacency list"),
    ("x", "Apple - 5\nPear - 6\n", "column 2 has signs only"),
    ("x", "start-A\nA-c\nstart-c\n", "they would be start-A, A-c, start-c; pass"),
    ("x", "Bus -> Route 5\nBus -> Route 6\n", "which columns are the vertices?"),
    ("x", "1. A -> B: 5\n2. B -> C: 3\n", "they would be 1. A-B 5, 2. B-C 3; pass"),
    ("x", "A -> B: 2,5\nB -> C: 1,5\n", "which columns are the vertices?"),
    ("x", "A -> B 7:30\nB -> C 8:15\n", "which columns are the vertices?"),
    ("x", "(1.5, 2.5)\n(2.5, 1.5)\n", "is the first line a header?"),
    ("x", "POINT(0 0)\nPOINT(1 1)\n", "is the first line a header?"),
    ("x", "(1, 2, 3)\n(4, 5, 6)\n", "they would be 1-2 3, 4-5 6; pass"),
    ("x", "(x=1, y=2)\n(x=3, y=4)\n", "is the first line a header?"),
    ("x", "1 2 3\n4 5 6\n7 8 9\n10 11 12\n", "are the lines edges or points?"),
    ("x", "12:00:00 start 5\n12:00:01 stop 6\n", "column 1 has times"),
    ("x", "a,2026-11-29,5\nb,2026-11-30,6\n", "column 2 has times"),
    (
        "x",
        "0 5 x 4\n5 0 3 x\nx 3 0 7\n4 x 7 0\n",
        "as of a matrix, but 'x' in row 1 is no number; write NA where there is no edge",
    ),
    (
        "x",
        ",x,y,z\ny,2,0,5\nx,0,2,3\nz,3,5,0\n",
        "as those of a matrix, but row 1 is 'y', and column 1 is 'x'; write the same",
    ),
    ("x", ",x,y,z\nx,0,2,3\ny,2,0,5\nz,3,5,0\nAll,5,7,8\n", "but there is no column 'All';"),
    ("x", "x y z q\nx 0 2 3 1\ny 2 0 5 1\nz 3 5 0 1\n", "but there is no row 'q'; write"),
    ("x", "0 2 1 2\n1 2 0 2\n2 3 0 1 3\n3 1 2\n", "which columns are the vertices?"),
    ("x", "4 4\n0 1 5\n1 2 3\n0 2 4\n2 3 7\n0\n", "this line has 1 column"),
    ("x", "INSERT INTO edges VALUES (1, 2, 5);\n", "this is SQL, which Kostra does not read"),
    ("x", "#NEXUS\nBEGIN DISTANCES;\n", "this is NEXUS"),
    ("x", ">one\nACGT\n>two\nACCT\n", "this is FASTA"),
    ("x", "EdgeArray\n0 1\n1 2\n", "this is a list of edges of PBBS"),
    ("x", "My roads\nA B 5\nB C 6\n", "the first line names 2 columns"),
    ("x", "# nothing\n", "the input has only comments"),
    ("x", "0,1,2\n5,6,10\n6,7,3\n", "is the first line a header?"),
    ("x", "0,1\n5,6\n6,7\n", "is the first line a header?"),
    (
        "x",
        "osm_id,highway,length\n11,primary,5.5\n12,primary,6.5\n",
        "which columns are the vertices? columns: osm_id, highway, length",
    ),
    (
        "x",
        "WKT,fid,length\n\"LINESTRING (0 0,1 1)\",1,5\n\"LINESTRING (1 1,2 1)\",2,6\n",
        "is the weight the column or the length of the line on the earth?",
    ),
    ("x", "Id,Label\n1,Anna\n2,Ben\n", "a table of nodes has no edges"),
    ("x", "id,name,length\n1,a,5\n2,b,6\n", "which columns are the vertices?"),
    (
        "x",
        "name,interaction,weight\na (pp) b,pp,0.5\nb (pp) c,pp,0.25\n",
        "which columns are the vertices?",
    ),
    ("x", "alice 7\nbob 8\n", "column 1 has words, and column 2 has numbers"),
    ("x", "0,Oslo,5\n1,Bergen,7\n2,Moss,9\n", "which columns are the vertices?"),
    (
        "x",
        "1 2 5 7\n2 3 6 7\n3 9 6 8\n4 9 6 8\n5 6 7 8\n",
        "does the first column number the edges?",
    ),
    ("x", "9 2 5 7\n8 3 6 7\n", "which columns are the vertices?"),
    ("x.mtx", "3 3 1\n1 2 5\n", "the first line should start with %%MatrixMarket"),
    ("x.graph", "a b\nb c\n", "the number of vertices"),
    ("x", "from,to,weight\n", "no row follows"),
    ("x", "<html><body>1 2 3</body></html>\n", "this is XML or HTML"),
    ("x", "# made by hand\n[1, 2, 3]\n[2, 3, 4]\n", "this starts with a bracket"),
    ("x", "0 3 1 2\n4 1 5 9\n7 8 2 6\n1 9 5 3\n", "are the lines a matrix (4 x 4 numbers)?"),
    ("x", "id,len,lanes\n11,5,2\n12,6,3\n", "which columns are the vertices?"),
    ("x", ",width,height\n0,5,2\n1,6,3\n", "which columns are the vertices?"),
    ("x", "A: B 5\nB: C 3\nA: C 4\n", "as edge list with signs: A-B 5, B-C 3, A-C 4; pass"),
    ("x", "A: B 5\nB: C 3\nC: A 4\n", "as adjacency list: A-B, A-5, B-C, ...; as edge list with"),
    (
        "x",
        "0-1 5\n1-2 3\n",
        "are the lines an edge list with signs (the same signs around two ends",
    ),
    ("x", "0-1 5\n1-2 3\n", "they would be 0-1 5, 1-2 3; pass"),
    // Words and their kinds, logs and sentences.
    ("x", "INFO start 5\nWARN stop 6\nINFO again 7\n", "are the lines edges? no vertex is in both"),
    ("x", "img1.png\tcat\nimg2.png\tdog\nimg3.png\tcat\n", "no vertex is in both columns"),
    ("x", "Alice,F,30\nBob,M,31\nCarl,M,32\n", "no vertex is in both columns"),
    ("x", "01 5\n12 6\n02 9\n23 2\n", "no vertex is in both columns"),
    // Row numbers that start anywhere, fall, or leave rows out, and ids of two kinds.
    ("x", "500,7,3\n501,9,4\n502,7,5\n503,8,2\n", "no vertex is in both columns"),
    ("x", "3,7,3\n2,9,4\n1,7,5\n0,8,2\n", "no vertex is in both columns"),
    ("x", "10,7,3\n20,9,4\n40,7,5\n50,8,2\n", "no vertex is in both columns"),
    ("x", "1,2020,33\n2,2020,34\n1,2021,35\n2,2021,22\n", "no vertex is in both columns"),
    ("x", "0,2,3\n2,0,5\n3,5,0\n\n0,1,1\n1,0,1\n1,1,0\n", "a matrix each? write one per file"),
    // The first column counts the rows of a matrix, and is an end of each edge.
    ("x", "0 1 2\n1 2 3\n2 3 0\n", "as edge list: 0-1 2, 1-2 3, 2-3 0; as matrix: 3 vertices"),
    ("x", "0 1 2\n1 0 3\n2 3 0\n", "as edge list: 0-1 2, 1-0 3, 2-3 0; as matrix: 3 vertices"),
    ("x", "To be\nor not\nto be\n", "no vertex is in both columns"),
    ("x", "hello world\n", "no vertex is in both columns"),
    ("x", "Romeo: O Juliet\nJuliet: O Romeo\n", "are the lines an adjacency list"),
    // Points, values and intervals.
    ("x", "0 0\n1 1\n2 4\n3 9\n", "are the lines edges or points? the first column counts them"),
    ("x", "1700000000 42\n1700000060 43\n1700000120 41\n", "are the lines edges or points?"),
    ("x", "2\n10 2\n1 2\n3 4\n", "another number of columns than the next"),
    ("x", "2\n4 2\n1 2\n3 4\n5 6\n7 8\n", "as Qhull writes them; remove the first two lines"),
    ("x", "2 rbox 3 D2\n3\n0 1\n1 2\n0 2\n", "as Qhull writes them"),
    ("x", "3\n4\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n", "the first two numbers may be their dimension"),
    ("x", "2 5\n0 1\n2 3\n1 4\n3 3\n0 2\n", "the first two numbers may be their dimension"),
    ("x", "start,end\n0,5\n5,7\n", "are the lines edges or intervals?"),
    ("x", "00:01 --> 00:03\n00:03 --> 00:05\n", "this is a subtitle"),
    ("x.srt", "1\n00:00:01,000 --> 00:00:03,000\nHello\n", "this is a subtitle"),
    // Totals and marks at the end.
    ("x", "A B 5\nB C 6\nTotal weight 11\n", "its weight, 11, seems to be the sum of the others"),
    ("x", "A B 5\nB C 6\nA C 9\nall edges 3\n", "its weight, 3, seems to be a total"),
    ("x.csv", "from,to,w\nA,B,5\nB,C,6\nSum,,11\n", "is the last line an edge?"),
    ("x", "A B 5\nB C 6\nEND END 0\n", "is the last line an edge? 'END' is in no other line"),
    ("x", "1 2 5\n2 3 6\n1 3 4\n0 0 0\n", "is the last line an edge? '0' is in no other line"),
    (
        "x",
        ",A,B,Total\nA,0,5,5\nB,5,0,5\nTotal,5,5,10\n",
        "the last row and the last column are the sums of the others",
    ),
    ("x", "0 0 0\n1 2 60\n2 3 64\n1 4 128\n", "is the first line an edge? '0' is in no other"),
    ("x", "2026\n1 2 60\n2 3 64\n1 4 128\n", "is this line the number of vertices?"),
    ("x", "2026\nA B 60\nB C 64\n", "is this line the number of vertices?"),
    ("x", "0 0 255\n0 1 254\n1 0 3\n1 1 7\n", "or the cells of a table with their rows"),
    // Units.
    (
        "x",
        "A B 5 km\nB C 300 m\n",
        "column 4 starts with 'km': if these are units, all must be equal",
    ),
    ("x", "A B 5km\nB C 6km\n", "is '5km' a weight with its unit? pass `weight:"),
    ("x", "from,to,length\nA,B,5 km\nB,C,6 km\n", "is '5 km' a weight with its unit?"),
];

#[test]
fn texts_that_fit_several_kinds_or_none_are_questions() {
    for (name, text, expected) in ASKED {
        let said = found(name, text);
        assert!(said.contains(expected), "{text}\n{said}");
    }
}

/// The lines of a text that is longer than the head.
fn long(line: impl Fn(u64) -> String) -> String {
    (0..20_000).map(|at| line(at) + "\n").collect()
}

#[test]
fn long_texts_with_two_kinds_of_names_are_questions() {
    let scattered = |at: u64, count: u64| at.wrapping_mul(0x9e37_79b9_7f4a_7c15) % count;
    for text in [
        long(|at| format!("doc{at}\t{}", ["spam", "ham"][scattered(at, 2) as usize])),
        long(|at| format!("{} {}", 1_700_000_000 + 60 * at, 40 + scattered(at, 20))),
        long(|at| format!("user{} item{} 5", scattered(at, 3000), scattered(at + 7, 500))),
    ] {
        let said = found("x", &text);
        assert!(said.contains("no vertex is in both columns"), "{said}");
    }
    let sorted = long(|at| format!("n{} m{} {}", at / 40, scattered(at, 900), at % 9));
    assert!(found("x", &sorted).starts_with("edges: 1400 vertices, 20000 edges"));
    let tree = long(|at| format!("p{} p{} 1", at + 1, scattered(at, at + 1)));
    assert!(found("x", &tree).starts_with("edges: 20001 vertices, 20000 edges, total 20000"));
}

#[test]
fn the_comment_of_blast_names_the_columns() {
    let text = "# Fields: query id, subject id, % identity, q. start, q. end, s. start, s. end\n\
                a\tb\t98.5\t1\t100\t1\t100\nb\tc\t91.2\t1\t90\t1\t90\n";
    let asked = found("x", text);
    assert!(asked.contains("columns: query id, subject id, % identity, q. start"), "{asked}");
    let mut options = ReadOptions { vertices: Vertices::Occurring, ..ReadOptions::default() };
    options.columns.source = Some(ColumnChoice::NameOrPosition("query id".into()));
    options.columns.target = Some(ColumnChoice::Position(2));
    options.columns.weight = Some(ColumnChoice::Position(3));
    let loaded = read_bytes("x", text.as_bytes(), &options).unwrap();
    assert_eq!(loaded.parsed.similarity.as_deref(), Some("% identity"));
}
