//! What the fuzz target of the language of `kostra watch` asserts.

use std::collections::BTreeMap;
use std::str::FromStr;

use kostra_core::{EdgeId, Order, Weight, WeightType};
use kostra_dynamic::{AnyDynamicForest, DynamicForest, UpdateLine, with_dynamic_forest};

use crate::logs::check_forest;

/// Checks that any text gives updates or errors with a message, and that the present edges and the
/// forest are those of the updates. The first byte chooses the type of weights and the order, the
/// second one the number of vertices, which have no names. Lines follow.
pub fn check_updates(bytes: &[u8]) {
    let [choice, vertices, lines @ ..] = bytes else { return };
    let types = WeightType::ALL;
    let weights = types[usize::from(*choice) % types.len()];
    let order = if *choice < 128 { Order::Minimum } else { Order::Maximum };
    let mut forest = AnyDynamicForest::new(usize::from(*vertices), weights, order)
        .expect("there is memory for 255 vertices");
    with_dynamic_forest!(&mut forest, forest => follow(forest, lines));
}

/// Applies the lines, and keeps the present edges beside the forest.
fn follow<W: Weight + FromStr>(forest: &mut DynamicForest<W>, lines: &[u8]) {
    let mut present = BTreeMap::new();
    for (number, line) in (1_usize..).zip(lines.split(|&byte| byte == b'\n')) {
        let Ok(line) = std::str::from_utf8(line) else { continue };
        if let Err(message) = apply(forest, &mut present, line) {
            assert!(!message.is_empty(), "an error without words");
        }
        if number.is_power_of_two() {
            check_forest(forest);
        }
    }
    check_forest(forest);
    let found = forest.present_ids().into_iter().map(|id| (id, forest.edge(id).expect("present")));
    assert!(found.eq(present), "the present edges are not those of the updates");
}

/// Applies a line to the forest and, unless it is refused, to the present edges.
fn apply<W: Weight + FromStr>(
    forest: &mut DynamicForest<W>,
    present: &mut BTreeMap<EdgeId, (u32, u32, W)>,
    line: &str,
) -> Result<(), String> {
    let text = |error: &dyn std::fmt::Display| error.to_string();
    let vertex = |name: &str| name.parse::<u32>().map_err(|error| error.to_string());
    let weight = |typed: &str| UpdateLine::weight::<W>(typed).map_err(|error| error.to_string());
    match UpdateLine::parse(line).map_err(|error| text(&error))? {
        UpdateLine::Insert { ends: [u, v], weight: typed } => {
            let edge = (vertex(u)?, vertex(v)?, weight(typed)?);
            let ids =
                forest.insert(&[edge.0], &[edge.1], &[edge.2]).map_err(|error| text(&error))?;
            assert_eq!(present.insert(ids.start, edge), None, "an id is used again");
        }
        UpdateLine::Delete(id) => {
            forest.delete(&[id]).map_err(|error| text(&error))?;
            assert!(present.remove(&id).is_some(), "edge {id} was not present");
        }
        UpdateLine::Reweight(id, typed) => {
            let weight = weight(typed)?;
            forest.reweight(&[id], &[weight]).map_err(|error| text(&error))?;
            present.get_mut(&id).expect("it is present").2 = weight;
        }
        UpdateLine::Expire(before) => {
            let count = forest.expire(before).map_err(|error| text(&error))?;
            let kept = present.split_off(&before);
            assert_eq!(std::mem::replace(present, kept).len(), count);
        }
        UpdateLine::Bottleneck([s, t]) => {
            let (s, t) = (vertex(s)?, vertex(t)?);
            let worst = forest.bottleneck(s, t).map_err(|error| text(&error))?;
            let connected = forest.connected(s, t).map_err(|error| text(&error))?;
            assert_eq!(worst.is_some(), connected && s != t);
        }
        UpdateLine::AddVertex(name) => {
            // Larger forests only take memory.
            if forest.vertices() < 300 && vertex(name)? == forest.vertices() {
                forest.add_vertices(1).map_err(|error| text(&error))?;
            }
        }
        UpdateLine::Remark => {}
    }
    Ok(())
}
