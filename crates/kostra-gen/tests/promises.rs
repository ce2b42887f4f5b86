//! What every generator promises: the same graph for ever, in the documented shape, from the
//! documented parameters.

use std::collections::HashSet;

use kostra_core::{Coordinates, Key, UnionFind, with_graph};
use kostra_gen::{Generated, generate, generators};

fn made(spec: &str) -> Generated {
    generate(spec).unwrap_or_else(|error| panic!("{spec}: {error}"))
}

fn edges(spec: &str) -> Vec<(u32, u32)> {
    let made = made(spec);
    made.graph.u().iter().copied().zip(made.graph.v().iter().copied()).collect()
}

fn components(spec: &str) -> u32 {
    let graph = made(spec).graph;
    let mut components = UnionFind::new(graph.vertices());
    for (&u, &v) in graph.u().iter().zip(graph.v()) {
        components.union(u, v);
    }
    components.sets()
}

/// FNV-1a over everything that was made.
fn fingerprint(made: &Generated) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut take = |number: u64| {
        for byte in number.to_le_bytes() {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
        }
    };
    take(made.graph.vertices().into());
    made.graph.u().iter().chain(made.graph.v()).for_each(|&end| take(end.into()));
    with_graph!(&made.graph, graph => {
        let edges = graph.edge_list().edges(kostra_core::Order::Minimum);
        edges.ids().for_each(|id| take(edges.key(id).to_u64()));
    });
    for place in made.coordinates.iter().flat_map(Coordinates::points) {
        place.iter().for_each(|axis| take(axis.to_bits()));
    }
    hash
}

#[test]
fn a_spec_makes_the_same_graph_for_ever() {
    // A change here breaks every recorded figure that names a spec. Add lines; never change one.
    let golden: &[(&str, u64)] = &[
        ("road:n=10000,seed=7", 0xa734_1518_0f3e_a8ae),
        ("road:n=500,weights=f64", 0x708c_1269_aee6_d5fd),
        ("grid:rows=30,cols=40,keep=0.6", 0xe355_a90d_e6b8_315f),
        ("grid:side=9,weights=i64", 0x6d7e_f9fc_6dc4_1e99),
        ("gnm:n=1000,m=4000", 0x3986_4820_6f10_9623),
        ("gnm:n=100,m=1200,weights=u64", 0x9cc4_3656_9b51_335e),
        ("gnm:n=40,m=500", 0x3c39_4311_7c37_ccb8),
        ("rmat:scale=10,edgefactor=8", 0x3f03_cc85_f16f_1992),
        ("rmat:scale=5,a=0.3,b=0.3,c=0.1,weights=i32", 0x1cf3_87a5_7d59_0daa),
        ("rmat:scale=9,edgefactor=8,a=0.45,b=0.15,c=0.15", 0x0e10_d964_90a6_e060),
        ("ssca2:n=1000,clique=12,parallel=2", 0xc165_2bff_b431_bf7a),
        ("ssca2:n=700", 0xf1a0_2ce3_31e7_e666),
        ("watts-strogatz:n=1000,reach=3", 0x9c82_bab1_2acd_76c8),
        ("watts-strogatz:n=90,reach=9,rewire=0.5,weights=f32", 0x867b_7efa_1b96_1a3e),
        ("dense:n=100,m=4000", 0x090d_ec06_7f80_bf2c),
        ("dense:n=30,weights=f32", 0xec48_c857_7f11_1e0d),
        ("path:n=1000", 0x0d22_d4f3_7eaa_37a8),
        ("star:n=1000", 0x2183_bbab_9aa1_a153),
        ("cycle:n=1000,weights=equal", 0xed3d_979a_53b0_695c),
        ("caterpillar:n=1000,legs=4", 0xce41_dd18_dd81_4f28),
        ("complete:n=100", 0xeaa7_1264_70eb_6141),
        ("islands:n=1000,tiny=200,size=3", 0xff1e_fe93_4650_a9d8),
        ("empty:n=10", 0xde93_be8c_9573_1f0f),
        ("multigraph:n=50,m=200", 0x6a47_012d_6cd9_23a0),
        ("gnp:n=1000,p=0.01", 0x9fc2_5459_f290_e9f1),
        ("geometric2d:n=1000,radius=0.06", 0x7a3e_0e2e_714d_36d0),
        ("geometric3d:n=1000,radius=0.13", 0xfae5_6ed3_9db9_2323),
        ("power-law:n=1000,degree=6", 0x4126_c7de_8dbd_ea47),
        ("mesh:rows=30,cols=40", 0x14ed_5c40_d979_b85b),
        ("torus:rows=10,cols=12,layers=8,keep=0.4", 0xa9e7_fd96_ea6a_be1d),
    ];
    for (spec, expected) in golden {
        let found = fingerprint(&made(spec));
        assert_eq!(found, *expected, "{spec} now gives {found:#018x}");
    }
    let missing: Vec<_> = generators()
        .iter()
        .map(|generator| generator.example)
        .filter(|example| golden.iter().all(|(spec, _)| spec != example))
        .map(|example| format!("(\"{example}\", {:#018x}),", fingerprint(&made(example))))
        .collect();
    assert!(missing.is_empty(), "add these lines:\n{}", missing.join("\n"));
}

#[test]
fn another_seed_makes_another_graph() {
    for spec in
        ["road:n=500", "grid:side=9", "gnm:n=90,m=99", "rmat:scale=6", "dense:n=20", "multigraph"]
            .into_iter()
            .chain(["ssca2:n=100", "watts-strogatz:n=100", "gnp:n=100", "geometric2d:n=100"])
            .chain(["geometric3d:n=100", "power-law:n=100", "mesh:rows=9,cols=9"])
    {
        let with_seed = |seed| fingerprint(&made(&format!("{spec}{}seed={seed}", separator(spec))));
        assert_eq!(with_seed(1), fingerprint(&made(spec)), "{spec}");
        assert_ne!(with_seed(1), with_seed(2), "{spec}");
    }
}

fn separator(spec: &str) -> char {
    if spec.contains(':') { ',' } else { ':' }
}

#[test]
fn examples_and_documented_defaults_are_accepted() {
    for generator in generators() {
        let mut spec = generator.example.to_owned();
        assert!(spec.starts_with(&format!("{}:", generator.id)), "{spec}");
        for parameter in generator.parameters {
            // A default that is a rule, and not a value, says so in words.
            let is_rule = parameter.default.contains(' ') || parameter.default == "side";
            if !is_rule && !generator.example.contains(&format!("{}=", parameter.name)) {
                spec = format!("{spec},{}={}", parameter.name, parameter.default);
            }
        }
        assert_eq!(fingerprint(&made(&spec)), fingerprint(&made(generator.example)), "{spec}");
    }
}

#[test]
fn every_documented_parameter_is_read() {
    for generator in generators() {
        for parameter in generator.parameters {
            let kept = |pair: &&str| !pair.starts_with(&format!("{}=", parameter.name));
            let (id, list) = generator.example.split_once(':').unwrap();
            let mut pairs: Vec<&str> = list.split(',').filter(kept).collect();
            let nonsense = format!("{}=nonsense", parameter.name);
            pairs.push(&nonsense);
            let error = generate(&format!("{id}:{}", pairs.join(","))).unwrap_err().to_string();
            assert!(error.starts_with(&format!("`{nonsense}` is not")), "{id}: {error}");
        }
        let named = |name| generator.parameters.iter().any(|parameter| parameter.name == name);
        assert!(named("seed") && named("weights"), "{}", generator.id);
    }
}

#[test]
fn every_kind_of_weights_has_its_type() {
    for (weights, kind) in [
        ("u24", "u32"),
        ("small", "u32"),
        ("equal", "u32"),
        ("index", "u32"),
        ("i32", "i32"),
        ("i64", "i64"),
        ("u64", "u64"),
        ("f32", "f32"),
        ("f64", "f64"),
    ] {
        for generator in generators() {
            let example = generator.example.replace(",weights=equal", "");
            let graph = made(&format!("{example},weights={weights}")).graph;
            assert_eq!(graph.weight_type().name(), kind, "{}", generator.id);
        }
    }
    let weights = |spec: &str| {
        let graph = made(spec).graph;
        with_graph!(&graph, graph => {
            let texts = graph.edge_list().weights().iter().map(|weight| format!("{weight}"));
            texts.map(|text| text.parse::<f64>().unwrap()).collect::<Vec<_>>()
        })
    };
    let all = |spec: &str, holds: fn(f64) -> bool| weights(spec).into_iter().all(holds);
    assert!(all("path:n=9999,weights=u24", |weight| (1.0..=16_777_215.0).contains(&weight)));
    assert!(all("path:n=9999,weights=small", |weight| [1.0, 2.0, 3.0].contains(&weight)));
    assert!(all("path:n=9999,weights=equal", |weight| weight == 1.0));
    assert!(all("path:n=9999,weights=f32", |weight| (0.0..1.0).contains(&weight)));
    assert!(all("path:n=9999,weights=f64", |weight| (0.0..1.0).contains(&weight)));
    assert!(weights("path:n=99").windows(2).all(|pair| pair[0] < pair[1]));
    assert!(weights("path:n=99,weights=i64").iter().any(|&weight| weight < -1e18));
}

#[test]
fn the_sorted_simple_kinds_are_sorted_and_simple() {
    for spec in [
        "grid:rows=13,cols=31",
        "grid:side=40,keep=0.6",
        "gnm:n=3000,m=9000",
        "gnm:n=100,m=1200",
        "gnm:n=100,m=4000",
        "rmat:scale=9,edgefactor=30",
        "gnp:n=500,p=0.02",
        "gnp:n=90,p=1",
        "geometric2d:n=2000",
        "geometric3d:n=2000",
        "power-law:n=2000",
        "dense:n=90",
        "complete:n=40",
        "star:n=30",
        "path:n=30",
    ] {
        let edges = edges(spec);
        assert!(edges.iter().all(|(u, v)| u < v), "{spec}");
        assert!(edges.windows(2).all(|pair| pair[0] < pair[1]), "{spec}");
    }
    for spec in ["road:n=5000", "cycle:n=20", "caterpillar:n=100", "islands:n=300,tiny=20,size=4"] {
        let edges = edges(spec);
        assert!(edges.iter().all(|(u, v)| u < v), "{spec}");
        assert_eq!(edges.iter().collect::<HashSet<_>>().len(), edges.len(), "{spec}");
    }
}

/// Specs with the numbers of vertices, edges and components, where they are known.
const SIZES: &[(&str, u32, Option<usize>, Option<u32>)] = &[
    ("road:n=12345", 12_345, None, Some(1)),
    ("grid:rows=7,cols=11", 77, Some(6 * 11 + 7 * 10), Some(1)),
    ("grid:rows=1,cols=1", 1, Some(0), Some(1)),
    ("grid:rows=0,cols=18446744073709551615", 0, Some(0), Some(0)),
    ("grid:side=9,keep=0", 81, Some(0), Some(81)),
    ("gnm:n=1000,m=5k", 1000, Some(5000), None),
    ("gnm:n=50,m=1225", 50, Some(1225), Some(1)),
    ("gnm:n=50,m=306", 50, Some(306), None),
    ("gnm:n=3", 3, Some(3), Some(1)),
    ("gnm:n=1", 1, Some(0), Some(1)),
    ("gnm:n=0", 0, Some(0), Some(0)),
    ("gnp:n=0", 0, Some(0), Some(0)),
    ("gnp:n=1,p=1", 1, Some(0), Some(1)),
    ("gnp:n=40,p=1", 40, Some(780), Some(1)),
    ("gnp:n=40,p=0", 40, Some(0), Some(40)),
    ("geometric2d:n=0", 0, Some(0), Some(0)),
    ("geometric2d:n=9,radius=0", 9, Some(0), Some(9)),
    ("geometric3d:n=1", 1, Some(0), Some(1)),
    ("power-law:n=0", 0, Some(0), Some(0)),
    ("power-law:n=1", 1, Some(0), Some(1)),
    ("power-law:n=500,degree=0", 500, Some(0), Some(500)),
    ("mesh:rows=1,cols=1", 1, Some(0), Some(1)),
    ("mesh:rows=1,cols=5", 5, Some(4), Some(1)),
    ("mesh:rows=3,cols=4", 12, Some(9 + 8 + 6), Some(1)),
    ("torus:rows=1,cols=1", 1, Some(0), Some(1)),
    ("torus:rows=2,cols=3", 6, Some(3 + 6), Some(1)),
    ("torus:rows=4,cols=5,layers=6", 120, Some(360), Some(1)),
    ("rmat:scale=0", 1, Some(0), Some(1)),
    ("rmat:scale=8", 256, None, None),
    ("dense:n=100", 100, Some(4455), Some(1)),
    ("dense:n=100,m=17", 100, Some(17), None),
    ("dense:n=1M,m=17", 1_000_000, Some(17), None),
    ("dense:n=1", 1, Some(0), Some(1)),
    ("ssca2:n=0", 0, Some(0), Some(0)),
    ("ssca2:n=1,clique=1", 1, Some(0), Some(1)),
    ("ssca2:n=90,clique=1,inter=0", 90, Some(0), Some(90)),
    ("ssca2:n=3000", 3000, None, None),
    ("watts-strogatz:n=0", 0, Some(0), Some(0)),
    ("watts-strogatz:n=2", 2, Some(0), Some(2)),
    ("watts-strogatz:n=6", 6, Some(12), Some(1)),
    ("watts-strogatz:n=7,reach=3", 7, Some(21), Some(1)),
    ("watts-strogatz:n=9,reach=0", 9, Some(0), Some(9)),
    ("watts-strogatz:n=5k,reach=2,rewire=0", 5000, Some(10_000), Some(1)),
    ("path:n=0", 0, Some(0), Some(0)),
    ("path:n=1", 1, Some(0), Some(1)),
    ("path:n=1_000", 1000, Some(999), Some(1)),
    ("star:n=1e3", 1000, Some(999), Some(1)),
    ("cycle:n=3", 3, Some(3), Some(1)),
    ("caterpillar:n=1001,legs=4", 1001, Some(1000), Some(1)),
    ("caterpillar:n=10,legs=0", 10, Some(9), Some(1)),
    ("caterpillar:n=10,legs=4G", 10, Some(9), Some(1)),
    ("complete:n=2^5", 32, Some(496), Some(1)),
    ("islands:n=100,tiny=20,size=5", 200, Some(197 + 100), Some(21)),
    ("islands:n=1,tiny=20,size=2", 41, Some(20), Some(21)),
    ("islands:n=0,tiny=3,size=1", 3, Some(0), Some(3)),
    ("empty:n=9", 9, Some(0), Some(9)),
    ("multigraph:n=1,m=20", 1, Some(20), Some(1)),
    ("multigraph:n=0,m=0", 0, Some(0), Some(0)),
];

#[test]
fn sizes_are_exactly_those_asked_for() {
    for &(spec, vertices, edges, components_expected) in SIZES {
        let graph = made(spec).graph;
        assert_eq!(graph.vertices(), vertices, "{spec}");
        assert!(edges.is_none_or(|edges| edges == graph.edges()), "{spec}: {}", graph.edges());
        assert!(components_expected.is_none_or(|expected| expected == components(spec)), "{spec}");
    }
}

#[test]
fn a_grid_keeps_the_share_asked_for_and_more_when_more_is_asked_for() {
    let [half, more] = [0.5, 0.6].map(|keep| edges(&format!("grid:side=200,keep={keep}")));
    let all = 2.0 * 200.0 * 199.0;
    // Four standard deviations.
    assert!(
        (half.len() as f64 - all * 0.5).abs() < 570.0
            && (more.len() as f64 - all * 0.6).abs() < 560.0
    );
    let more: HashSet<_> = more.into_iter().collect();
    assert!(half.iter().all(|edge| more.contains(edge)));
}

#[test]
fn an_rmat_graph_has_hubs_and_a_uniform_one_has_none() {
    let highest_degree = |spec: &str| {
        let mut degrees = vec![0_u32; made(spec).graph.vertices() as usize];
        for (u, v) in edges(spec) {
            degrees[u as usize] += 1;
            degrees[v as usize] += 1;
        }
        degrees.into_iter().max().unwrap()
    };
    assert!(highest_degree("rmat:scale=12") > 500);
    assert!(highest_degree("rmat:scale=12,a=0.25,b=0.25,c=0.25") < 80);
    assert!(highest_degree("gnm:n=4096,m=60k") < 80);
    // With GTgraph's probabilities the hubs are smaller.
    let gtgraph = highest_degree("rmat:scale=12,a=0.45,b=0.15,c=0.15");
    assert!((150..500).contains(&gtgraph), "{gtgraph}");
}

#[test]
fn a_multigraph_has_what_solvers_trip_over() {
    let edges = edges("multigraph:n=100k,m=1000");
    let unordered = edges.iter().map(|&(u, v)| (u.min(v), u.max(v)));
    assert!(edges.iter().filter(|(u, v)| u == v).count() > 80);
    assert!(edges.iter().filter(|(u, v)| u > v).count() > 300);
    assert!(unordered.collect::<HashSet<_>>().len() < 920);
}

#[test]
fn an_empty_spec_is_answered_with_all_generators() {
    let ids: Vec<_> = generators().iter().map(|generator| format!("`{}`", generator.id)).collect();
    let error = generate("").map(|made| made.graph.edges()).unwrap_err().to_string();
    assert_eq!(error, format!("there is no generator ``; there are {}", ids.join(", ")));
}

/// Wrong specs with their messages.
const MESSAGES: &[(&str, &str)] = &[
    ("raod:n=5", "there is no generator `raod`; did you mean `road`?"),
    ("path:sede=5", "`path` has no parameter `sede`; did you mean `seed`?"),
    ("rmat:edgefacto=5", "`rmat` has no parameter `edgefacto`; did you mean `edgefactor`?"),
    ("path:color=5", "`path` has no parameter `color`; there are `n`, `weights`, `seed`"),
    ("path:n=5,n=6", "`n` is given twice; give it once"),
    ("path:n", "`n` is not a parameter; write `key=value`, with commas between parameters"),
    ("path:n=5,", "`` is not a parameter; write `key=value`, with commas between parameters"),
    (
        "path:n=-5",
        "`n=-5` is not a whole number below 2^64; write it as 1000000, 1_000_000, 1e6, 4k, 1.5M or 2^20",
    ),
    ("grid:keep=1.5", "`keep=1.5` is not a probability; give a number from 0 to 1"),
    ("grid:keep=NaN", "`keep=NaN` is not a probability; give a number from 0 to 1"),
    (
        "path:weights=length",
        "`weights=length` is not one of the kinds that there are; choose from `u24`, `small`, `equal`, `index`, `i32`, `i64`, `u64`, `f32`, `f64`",
    ),
    ("cycle:n=2", "`n=2` is out of range; it must be from 3 to 4294967295"),
    ("gnm:n=5,m=11", "`m=11` is out of range; it must be from 0 to 10"),
    ("gnp:n=10,p=1.5", "`p=1.5` is not a probability; give a number from 0 to 1"),
    ("gnp:n=10,p=-0.1", "`p=-0.1` is not a probability; give a number from 0 to 1"),
    (
        "gnp:n=1M,p=0.5",
        "this would make 249999750000 edges, more than the 4294967295 that 32-bit ids can name",
    ),
    ("geometric2d:radius=-1", "`radius=-1` is not a number from 0 to 1"),
    ("geometric3d:radius=NaN", "`radius=NaN` is not a number from 0 to 1"),
    ("power-law:exponent=2", "`exponent=2` is not a number from 2.01 to 10"),
    ("power-law:degree=-3", "`degree=-3` is not a number from 0 to 10000"),
    ("power-law:n=5,degree=5", "`degree=5` is not a number from 0 to 4"),
    ("mesh:rows=0", "`rows=0` is out of range; it must be from 1 to 4294967295"),
    ("torus:layers=0", "`layers=0` is out of range; it must be from 1 to 4294967295"),
    (
        "torus:rows=1M,cols=1M,layers=1M",
        "this would make 1000000000000000000 vertices, more than the 4294967295 that 32-bit ids can name",
    ),
    ("multigraph:n=0", "`n=0` is out of range; it must be from 1 to 4294967295"),
    ("rmat:scale=32", "`scale=32` is out of range; it must be from 0 to 31"),
    ("ssca2:clique=0", "`clique=0` is out of range; it must be from 1 to 1000000"),
    ("ssca2:parallel=256", "`parallel=256` is out of range; it must be from 1 to 255"),
    ("ssca2:inter=2", "`inter=2` is not a probability; give a number from 0 to 1"),
    ("watts-strogatz:rewire=1.01", "`rewire=1.01` is not a probability; give a number from 0 to 1"),
    ("watts-strogatz:n=10,reach=5", "`reach=5` is out of range; it must be from 0 to 4"),
    (
        "ssca2:n=4G,clique=4G",
        "this would make 6176088240506222529 edges, more than the 4294967295 that 32-bit ids can name",
    ),
    (
        "rmat:a=0.75",
        "a + b + c is 1.13, but the probabilities of three quadrants must leave at least 0 for the fourth",
    ),
    (
        "path:n=2^32",
        "this would make 4294967296 vertices, more than the 4294967295 that 32-bit ids can name",
    ),
    (
        "grid:side=1e18",
        "this would make 1000000000000000000000000000000000000 vertices, more than the 4294967295 that 32-bit ids can name",
    ),
    (
        "complete:n=100k",
        "this would make 4999950000 edges, more than the 4294967295 that 32-bit ids can name",
    ),
];

#[test]
fn errors_say_what_to_do() {
    for &(spec, message) in MESSAGES {
        let error = generate(spec).map(|made| made.graph.edges()).unwrap_err().to_string();
        assert_eq!(error, message);
    }
}

#[test]
fn spaces_around_names_and_values_do_not_matter() {
    assert_eq!(edges(" path : n = 5 , seed = 2 "), edges("path:n=5,seed=2"));
    assert_eq!(edges("multigraph:"), edges("multigraph"));
}
