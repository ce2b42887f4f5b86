//! TopoJSON: geometries that share arcs. Successive positions of an arc are differences if there is
//! a transformation from integers.

use serde_json::{Value, json};

use super::parse::kind;
use crate::ReadErrorKind;
use crate::fault::Fault;

/// How often as many positions as the arcs have may be in lines. Arcs are shared by neighbors.
const MOST_USES: usize = 64;
/// The positions that lines may have in any file.
const ALLOWED: usize = 1 << 20;

/// Calls `take` with each line as a feature of GeoJSON, and its number from 0.
pub(super) fn features(
    topology: &Value,
    take: &mut dyn FnMut(Value, usize) -> Result<(), ReadErrorKind>,
) -> Result<(), Fault> {
    let arcs = topology.get("arcs").and_then(Value::as_array);
    let arcs = arcs.ok_or_else(|| Fault::whole("the topology has no list 'arcs'; add it"))?;
    let arcs: Result<Vec<_>, _> = arcs.iter().map(|arc| decoded(arc, topology)).collect();
    let arcs = arcs?;
    let positions: usize = arcs.iter().map(Vec::len).sum();
    let mut left = ALLOWED.saturating_add(positions.saturating_mul(MOST_USES));
    let objects = topology.get("objects").and_then(Value::as_object);
    let mut open: Vec<&Value> = objects.into_iter().flatten().map(|(_, object)| object).collect();
    open.reverse();
    let mut index = 0;
    while let Some(object) = open.pop() {
        let lists = object.get("arcs").and_then(Value::as_array);
        let mut line = |arcs_of_line: &Value| stitched(arcs_of_line, &arcs, &mut left);
        let coordinates = match (kind(object), lists) {
            ("GeometryCollection", _) => {
                let geometries = object.get("geometries").and_then(Value::as_array);
                open.extend(geometries.into_iter().flatten().rev());
                continue;
            }
            ("LineString", Some(_)) => line(&object["arcs"])?,
            ("MultiLineString", Some(lists)) => {
                let lines: Result<Vec<_>, _> = lists.iter().map(line).collect();
                Value::Array(lines?)
            }
            _ => Value::Null,
        };
        let geometry = json!({ "type": kind(object), "coordinates": coordinates });
        let properties = object.get("properties").cloned().unwrap_or_default();
        let mut feature =
            json!({ "type": "Feature", "geometry": geometry, "properties": properties });
        if let (Some(id), Some(feature)) = (object.get("id"), feature.as_object_mut()) {
            feature.insert("id".into(), id.clone());
        }
        take(feature, index)?;
        index += 1;
    }
    Ok(())
}

/// The positions of an arc.
fn decoded(arc: &Value, topology: &Value) -> Result<Vec<[f64; 2]>, Fault> {
    let number = |value: &Value, at: usize| value.get(at).and_then(Value::as_f64);
    let pair = |name: &str| {
        let pair = topology.get("transform")?.get(name)?;
        Some([number(pair, 0)?, number(pair, 1)?])
    };
    let transform = pair("scale").zip(pair("translate"));
    if transform.is_none() && topology.get("transform").is_some() {
        return Err(Fault::whole(
            "the transform has no scale and translate of two numbers; add them",
        ));
    }
    let mut at = [0.0, 0.0];
    let mut positions = Vec::new();
    for position in arc.as_array().into_iter().flatten() {
        let (Some(x), Some(y)) = (number(position, 0), number(position, 1)) else {
            return Err(Fault::whole("a position of an arc needs two numbers; correct it"));
        };
        positions.push(match transform {
            Some((scale, translate)) => {
                at = [at[0] + x, at[1] + y];
                [at[0] * scale[0] + translate[0], at[1] * scale[1] + translate[1]]
            }
            None => [x, y],
        });
    }
    Ok(positions)
}

/// The coordinates of a line of arcs. A negative number `!a` is the arc `a` in reverse. The last
/// position of an arc is the first of the next one.
fn stitched(line: &Value, arcs: &[Vec<[f64; 2]>], left: &mut usize) -> Result<Value, Fault> {
    let mut coordinates: Vec<Value> = Vec::new();
    for number in line.as_array().into_iter().flatten() {
        let arc = number.as_i64().and_then(|number| {
            let index = if number < 0 { !number } else { number };
            Some((arcs.get(usize::try_from(index).ok()?)?, number < 0))
        });
        let Some((arc, is_reverse)) = arc else {
            let sentence = format!("there is no arc {number}; the file has {}", arcs.len());
            return Err(Fault::whole(sentence));
        };
        *left = left.checked_sub(arc.len()).ok_or_else(|| {
            let sentence = "the lines repeat their arcs too often; save the file as GeoJSON";
            Fault::whole(sentence)
        })?;
        let skipped = usize::from(!coordinates.is_empty());
        let mut add = |[x, y]: &[f64; 2]| coordinates.push(json!([x, y]));
        if is_reverse {
            arc.iter().rev().skip(skipped).for_each(&mut add);
        } else {
            arc.iter().skip(skipped).for_each(&mut add);
        }
    }
    Ok(Value::Array(coordinates))
}
