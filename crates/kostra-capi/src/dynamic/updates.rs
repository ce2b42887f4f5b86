//! Updates of a graph that changes.

use std::any::Any;
use std::ffi::c_char;

use kostra::dynamic::{AnyDynamicForest, DynamicForest, UpdateLog, with_dynamic_forest};
use kostra_core::Weight;

use super::{Dynamic, KostraDynamicForest, change};
use crate::boundary::{array, call, string, text};

/// Applies an update, and waits until it is in the log.
///
/// # Safety
/// As for [`change`].
unsafe fn update<T>(
    forest: *mut KostraDynamicForest,
    failed: T,
    step: impl FnOnce(&mut Dynamic) -> Result<T, String>,
) -> T {
    call(failed, || {
        let step = |dynamic: &mut Dynamic| {
            let result = step(dynamic)?;
            dynamic.log.as_mut().map_or(Ok(()), UpdateLog::commit).map_err(text)?;
            Ok(result)
        };
        // SAFETY: the caller's.
        unsafe { change(forest, step) }
    })
}

/// The forest for weights of the type `W`.
fn typed<W: Weight>(forest: &mut AnyDynamicForest) -> Result<&mut DynamicForest<W>, String> {
    let weights = forest.weight_type();
    let forest: &mut dyn Any = with_dynamic_forest!(forest, forest => forest);
    forest.downcast_mut().ok_or_else(|| {
        format!("the weights have the type {}, those of the forest {weights}", W::TYPE)
    })
}

/// # Safety
/// As for [`kostra_dynamic_insert_f64`].
unsafe fn insert<W: Weight>(
    forest: *mut KostraDynamicForest,
    edges: usize,
    u: *const u32,
    v: *const u32,
    weights: *const W,
) -> i64 {
    let step = |dynamic: &mut Dynamic| {
        // SAFETY: the caller's.
        let (u, v, weights) = unsafe {
            (array("u", u, edges)?, array("v", v, edges)?, array("weights", weights, edges)?)
        };
        let ids = typed(&mut dynamic.forest)?.insert(u, v, weights).map_err(text)?;
        dynamic.log.iter_mut().for_each(|log| log.insert(u, v, weights));
        Ok(i64::from(ids.start))
    };
    // SAFETY: the caller's.
    unsafe { update(forest, -1, step) }
}

/// # Safety
/// As for [`kostra_dynamic_reweight_f64`].
unsafe fn reweight<W: Weight>(
    forest: *mut KostraDynamicForest,
    ids: *const u32,
    length: usize,
    weights: *const W,
) -> bool {
    let step = |dynamic: &mut Dynamic| {
        // SAFETY: the caller's.
        let (ids, weights) =
            unsafe { (array("ids", ids, length)?, array("weights", weights, length)?) };
        typed(&mut dynamic.forest)?.reweight(ids, weights).map_err(text)?;
        dynamic.log.iter_mut().for_each(|log| log.reweight(ids, weights));
        Ok(true)
    };
    // SAFETY: the caller's.
    unsafe { update(forest, false, step) }
}

/// Adds isolated vertices, and returns the number of the first one; the others have the following
/// numbers. If the vertices have names, `names` has those of the new ones, in UTF-8; else it is
/// NULL. A forest without vertices takes either. Returns -1 if it fails. Then nothing changes.
///
/// # Safety
/// `forest` is null or a dynamic forest. `names` is null or an array of `vertices` texts, each of
/// which ends in a zero byte.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kostra_dynamic_add_vertices(
    forest: *mut KostraDynamicForest,
    vertices: u32,
    names: *const *const c_char,
) -> i64 {
    let step = |dynamic: &mut Dynamic| {
        // SAFETY: the caller's.
        let new = unsafe { names_of(names, vertices as usize) }?;
        let before = with_dynamic_forest!(&dynamic.forest, forest => forest.vertices());
        match (&new, &dynamic.names) {
            (None, Some(_)) => return Err("the vertices have names; pass those of new ones".into()),
            (Some(_), None) if before > 0 => {
                return Err("the vertices have no names; pass NULL".into());
            }
            _ => {}
        }
        with_dynamic_forest!(&mut dynamic.forest, forest => forest.add_vertices(vertices as usize))
            .map_err(text)?;
        dynamic.log.iter_mut().for_each(|log| log.add_vertices(vertices as usize, new.as_deref()));
        if let Some(new) = new {
            dynamic.names.get_or_insert_default().extend(new);
        }
        Ok(i64::from(before))
    };
    // SAFETY: the caller's.
    unsafe { update(forest, -1, step) }
}

/// # Safety
/// As for [`kostra_dynamic_add_vertices`].
unsafe fn names_of(
    names: *const *const c_char,
    count: usize,
) -> Result<Option<Vec<String>>, String> {
    if names.is_null() {
        return Ok(None);
    }
    let name = |&name: &*const c_char| {
        // SAFETY: the caller's.
        let name = unsafe { string(name) }.ok_or("a name is NULL")?;
        name.to_str().map(str::to_owned).map_err(|_| "a name is not UTF-8".to_owned())
    };
    // SAFETY: the caller's.
    let names = unsafe { array("names", names, count) }?;
    names.iter().map(name).collect::<Result<_, _>>().map(Some)
}

/// Deletes edges. Returns false if it fails: an edge is not present, or is named twice. Then
/// nothing changes.
///
/// # Safety
/// `forest` is null or a dynamic forest, and `ids` is null or an array of `length` items.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kostra_dynamic_delete(
    forest: *mut KostraDynamicForest,
    ids: *const u32,
    length: usize,
) -> bool {
    let step = |dynamic: &mut Dynamic| {
        // SAFETY: the caller's.
        let ids = unsafe { array("ids", ids, length) }?;
        with_dynamic_forest!(&mut dynamic.forest, forest => forest.delete(ids)).map_err(text)?;
        dynamic.log.iter_mut().for_each(|log| log.delete(ids));
        Ok(true)
    };
    // SAFETY: the caller's.
    unsafe { update(forest, false, step) }
}

/// Deletes all edges with ids below `before`, the oldest ones: a sliding window. Returns their
/// number, or -1 if it fails.
///
/// # Safety
/// `forest` is null or a dynamic forest.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kostra_dynamic_expire(
    forest: *mut KostraDynamicForest,
    before: u32,
) -> i64 {
    let step = |dynamic: &mut Dynamic| {
        let expired = with_dynamic_forest!(&mut dynamic.forest, forest => forest.expire(before));
        let expired = expired.map_err(text)?;
        dynamic.log.iter_mut().for_each(|log| log.expire(before));
        Ok(expired as i64)
    };
    // SAFETY: the caller's.
    unsafe { update(forest, -1, step) }
}

/// Inserts edges into a forest with weights of the type double: edge i of the batch joins the items
/// i of `u` and `v` and has the weight in item i of `weights`. The arrays have `edges` items each.
/// Returns the id of the first edge, and the others have the following ids. Returns -1 if it fails:
/// a vertex does not exist, a weight is NaN or has another type. Then nothing changes.
///
/// # Safety
/// `forest` is null or a dynamic forest, and the other pointers are null or point to arrays of
/// `edges` items.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kostra_dynamic_insert_f64(
    forest: *mut KostraDynamicForest,
    edges: usize,
    u: *const u32,
    v: *const u32,
    weights: *const f64,
) -> i64 {
    // SAFETY: the caller's.
    unsafe { insert(forest, edges, u, v, weights) }
}

/// As kostra_dynamic_insert_f64(), with weights of the type float.
///
/// # Safety
/// As for [`kostra_dynamic_insert_f64`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kostra_dynamic_insert_f32(
    forest: *mut KostraDynamicForest,
    edges: usize,
    u: *const u32,
    v: *const u32,
    weights: *const f32,
) -> i64 {
    // SAFETY: the caller's.
    unsafe { insert(forest, edges, u, v, weights) }
}

/// As kostra_dynamic_insert_f64(), with weights of the type int32_t.
///
/// # Safety
/// As for [`kostra_dynamic_insert_f64`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kostra_dynamic_insert_i32(
    forest: *mut KostraDynamicForest,
    edges: usize,
    u: *const u32,
    v: *const u32,
    weights: *const i32,
) -> i64 {
    // SAFETY: the caller's.
    unsafe { insert(forest, edges, u, v, weights) }
}

/// As kostra_dynamic_insert_f64(), with weights of the type uint32_t.
///
/// # Safety
/// As for [`kostra_dynamic_insert_f64`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kostra_dynamic_insert_u32(
    forest: *mut KostraDynamicForest,
    edges: usize,
    u: *const u32,
    v: *const u32,
    weights: *const u32,
) -> i64 {
    // SAFETY: the caller's.
    unsafe { insert(forest, edges, u, v, weights) }
}

/// As kostra_dynamic_insert_f64(), with weights of the type int64_t.
///
/// # Safety
/// As for [`kostra_dynamic_insert_f64`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kostra_dynamic_insert_i64(
    forest: *mut KostraDynamicForest,
    edges: usize,
    u: *const u32,
    v: *const u32,
    weights: *const i64,
) -> i64 {
    // SAFETY: the caller's.
    unsafe { insert(forest, edges, u, v, weights) }
}

/// As kostra_dynamic_insert_f64(), with weights of the type uint64_t.
///
/// # Safety
/// As for [`kostra_dynamic_insert_f64`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kostra_dynamic_insert_u64(
    forest: *mut KostraDynamicForest,
    edges: usize,
    u: *const u32,
    v: *const u32,
    weights: *const u64,
) -> i64 {
    // SAFETY: the caller's.
    unsafe { insert(forest, edges, u, v, weights) }
}

/// Changes weights in a forest with weights of the type double: of the edge in item i of `ids` to
/// item i of `weights`. Returns false if it fails: an edge is not present or is named twice, a
/// weight is NaN or has another type. Then nothing changes.
///
/// # Safety
/// `forest` is null or a dynamic forest, and the other pointers are null or point to arrays of
/// `length` items.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kostra_dynamic_reweight_f64(
    forest: *mut KostraDynamicForest,
    ids: *const u32,
    length: usize,
    weights: *const f64,
) -> bool {
    // SAFETY: the caller's.
    unsafe { reweight(forest, ids, length, weights) }
}

/// As kostra_dynamic_reweight_f64(), with weights of the type float.
///
/// # Safety
/// As for [`kostra_dynamic_reweight_f64`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kostra_dynamic_reweight_f32(
    forest: *mut KostraDynamicForest,
    ids: *const u32,
    length: usize,
    weights: *const f32,
) -> bool {
    // SAFETY: the caller's.
    unsafe { reweight(forest, ids, length, weights) }
}

/// As kostra_dynamic_reweight_f64(), with weights of the type int32_t.
///
/// # Safety
/// As for [`kostra_dynamic_reweight_f64`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kostra_dynamic_reweight_i32(
    forest: *mut KostraDynamicForest,
    ids: *const u32,
    length: usize,
    weights: *const i32,
) -> bool {
    // SAFETY: the caller's.
    unsafe { reweight(forest, ids, length, weights) }
}

/// As kostra_dynamic_reweight_f64(), with weights of the type uint32_t.
///
/// # Safety
/// As for [`kostra_dynamic_reweight_f64`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kostra_dynamic_reweight_u32(
    forest: *mut KostraDynamicForest,
    ids: *const u32,
    length: usize,
    weights: *const u32,
) -> bool {
    // SAFETY: the caller's.
    unsafe { reweight(forest, ids, length, weights) }
}

/// As kostra_dynamic_reweight_f64(), with weights of the type int64_t.
///
/// # Safety
/// As for [`kostra_dynamic_reweight_f64`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kostra_dynamic_reweight_i64(
    forest: *mut KostraDynamicForest,
    ids: *const u32,
    length: usize,
    weights: *const i64,
) -> bool {
    // SAFETY: the caller's.
    unsafe { reweight(forest, ids, length, weights) }
}

/// As kostra_dynamic_reweight_f64(), with weights of the type uint64_t.
///
/// # Safety
/// As for [`kostra_dynamic_reweight_f64`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kostra_dynamic_reweight_u64(
    forest: *mut KostraDynamicForest,
    ids: *const u32,
    length: usize,
    weights: *const u64,
) -> bool {
    // SAFETY: the caller's.
    unsafe { reweight(forest, ids, length, weights) }
}
