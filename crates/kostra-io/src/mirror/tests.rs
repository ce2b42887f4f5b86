use proptest::prelude::*;

use super::*;

/// Two threads, and blocks that end inside rows.
const DIVISION: Division = Division { threads: 2, block: 3 };

type List<'a> = &'a [&'a [(Vertex, i32)]];

fn edges(rows: List<'_>) -> Result<Vec<(Vertex, Vertex, i32)>, String> {
    let mut offsets = vec![0];
    offsets.extend(rows.iter().scan(0, |end, row| {
        *end += row.len();
        Some(*end)
    }));
    let neighbors: Vec<_> = rows.concat().iter().map(|entry| entry.0).collect();
    let weights: Vec<_> = rows.concat().iter().map(|entry| entry.1).collect();
    let (offsets, neighbors, weights) = (&offsets[..], &neighbors[..], &weights[..]);
    let rows = FileRows { offsets, neighbors, weights, first: 0 };
    let columns = rows.edges(DIVISION).unwrap().map_err(|asymmetry| {
        assert!(rows.entries(asymmetry.row).contains(&asymmetry.entry), "the entry is in its row");
        format!("entry {}: {}", asymmetry.entry, asymmetry.sentence)
    })?;
    Ok(columns
        .u
        .into_iter()
        .zip(columns.v)
        .zip(columns.weights)
        .map(|((u, v), w)| (u, v, w))
        .collect())
}

#[test]
fn each_edge_comes_once_in_order_of_first_appearance() {
    let rows: List<'_> = &[&[(2, 5), (1, 7)], &[(0, 7), (2, 1)], &[(1, 1), (0, 5)], &[]];
    assert_eq!(edges(rows).unwrap(), [(0, 2, 5), (0, 1, 7), (1, 2, 1)]);
    assert_eq!(edges(&[]).unwrap(), []);
}

#[test]
fn parallel_edges_match_whatever_their_order_and_self_loops_stand_once() {
    let rows: List<'_> = &[&[(1, 5), (0, 9), (1, 3), (0, 9)], &[(0, 3), (0, 5)]];
    assert_eq!(edges(rows).unwrap(), [(0, 1, 5), (0, 0, 9), (0, 1, 3), (0, 0, 9)]);
}

#[test]
fn rows_that_disagree_are_named() {
    assert_eq!(
        edges(&[&[(2, 1), (1, 1)], &[], &[(0, 1)]]).unwrap_err(),
        "entry 1: vertex 0 names 1 as its neighbor, but 1 does not name 0: each edge must be in both rows"
    );
    assert_eq!(
        edges(&[&[], &[], &[(1, 1)]]).unwrap_err(),
        "entry 0: vertex 2 names 1 as its neighbor, but 1 does not name 2: each edge must be in both rows"
    );
    assert_eq!(
        edges(&[&[(1, 1)], &[(0, 1), (0, 1)]]).unwrap_err(),
        "entry 1: vertex 1 names 0 as its neighbor 2 times, but 0 names 1 only 1: each edge must be in both rows"
    );
    assert_eq!(
        edges(&[&[(1, 3), (1, 4)], &[(0, 3), (0, 5)]]).unwrap_err(),
        "entry 1: the edge between vertices 0 and 1 weighs 4 in the row of 0, but 5 in the row of 1"
    );
}

/// Rows of up to 8 vertices that are symmetric but for a few changes. Few vertices and weights
/// make parallel edges, self-loops and equal copies frequent.
fn nearly_symmetric() -> impl Strategy<Value = Vec<Vec<(Vertex, i64)>>> {
    let weight = prop_oneof![0..3_i64, Just(i64::MIN), Just(1 << 40)];
    let edges = prop::collection::vec((0..8_u32, 0..8_u32, weight.clone()), 0..40);
    let changes = prop::collection::vec((any::<prop::sample::Index>(), 0..8_u32, weight), 0..3);
    (edges, changes, any::<bool>()).prop_map(|(edges, changes, sorted)| {
        let mut rows = vec![Vec::new(); 8];
        for (u, v, weight) in edges {
            rows[u as usize].push((v, weight));
            if u != v {
                rows[v as usize].insert(0, (u, weight));
            }
        }
        for (at, to, weight) in changes {
            let row = at.get(&rows).len().min(at.index(8));
            if let Some(entry) = rows[at.index(8)].get_mut(row) {
                *entry = (to, weight);
            }
        }
        if sorted {
            rows.iter_mut().for_each(|row| row.sort_unstable());
        }
        rows
    })
}

proptest! {
    #[test]
    fn pairing_agrees_with_a_comparison_of_all_rows(
        list in nearly_symmetric(), threads in 1..4_usize, block in 1..20_usize, weighted: bool,
    ) {
        let mut offsets = vec![0];
        offsets.extend(list.iter().scan(0, |end, row| { *end += row.len(); Some(*end) }));
        let (neighbors, mut weights): (Vec<_>, Vec<_>) = list.concat().into_iter().unzip();
        if !weighted {
            weights.clear();
        }
        let (offsets, neighbors, weights) = (&offsets[..], &neighbors[..], &weights[..]);
        let rows = FileRows { offsets, neighbors, weights, first: 0 };
        let found = rows.edges(Division { threads, block }).unwrap();
        let expected = rows.first_asymmetry().unwrap().map_or_else(
            || {
                let all = (0..).zip(&list).flat_map(|(u, row)| row.iter().map(move |e| (u, *e)));
                let mut columns = EdgeColumns { u: vec![], v: vec![], weights: vec![] };
                for (u, (v, weight)) in all.filter(|&(u, (v, _))| v >= u) {
                    columns.u.push(u);
                    columns.v.push(v);
                    columns.weights.extend(weighted.then_some(weight));
                }
                Ok(columns)
            },
            Err,
        );
        prop_assert_eq!(found, expected);
    }
}
