//! Edges that are inserted one after another.

use kostra_core::Weight;

use super::updates::{typed, update};
use super::{Dynamic, KostraDynamicForest};
use crate::boundary::{array, text};

/// No edge.
pub(super) const NONE: u32 = u32::MAX;

/// # Safety
/// As for [`kostra_dynamic_insert_in_turn_f64`].
unsafe fn insert_in_turn<W: Weight>(
    forest: *mut KostraDynamicForest,
    edges: usize,
    u: *const u32,
    v: *const u32,
    weights: *const W,
) -> *const u32 {
    let step = |dynamic: &mut Dynamic| {
        // SAFETY: the caller's.
        let (u, v, weights) = unsafe {
            (array("u", u, edges)?, array("v", v, edges)?, array("weights", weights, edges)?)
        };
        let outside = typed(&mut dynamic.forest)?.insert_in_turn(u, v, weights).map_err(text)?;
        dynamic.log.iter_mut().for_each(|log| log.insert(u, v, weights));
        dynamic.ids = outside.into_iter().map(|edge| edge.unwrap_or(NONE)).collect();
        Ok(dynamic.ids.as_ptr())
    };
    // SAFETY: the caller's.
    unsafe { update(forest, std::ptr::null(), step) }
}

/// Inserts edges as kostra_dynamic_insert_f64() does, but one after another. Returns an array of
/// `edges` items. Item i is the id of the edge that is not in the forest because of edge i of the
/// batch: its own id, or that of the edge that it replaces. UINT32_MAX means that it joins two
/// trees. The array belongs to the forest, until the next call. Returns NULL if it fails. Then
/// nothing changes.
///
/// # Safety
/// As for [`kostra_dynamic_insert_f64`](super::kostra_dynamic_insert_f64).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kostra_dynamic_insert_in_turn_f64(
    forest: *mut KostraDynamicForest,
    edges: usize,
    u: *const u32,
    v: *const u32,
    weights: *const f64,
) -> *const u32 {
    // SAFETY: the caller's.
    unsafe { insert_in_turn(forest, edges, u, v, weights) }
}

/// As kostra_dynamic_insert_in_turn_f64(), with weights of the type float.
///
/// # Safety
/// As for [`kostra_dynamic_insert_in_turn_f64`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kostra_dynamic_insert_in_turn_f32(
    forest: *mut KostraDynamicForest,
    edges: usize,
    u: *const u32,
    v: *const u32,
    weights: *const f32,
) -> *const u32 {
    // SAFETY: the caller's.
    unsafe { insert_in_turn(forest, edges, u, v, weights) }
}

/// As kostra_dynamic_insert_in_turn_f64(), with weights of the type int32_t.
///
/// # Safety
/// As for [`kostra_dynamic_insert_in_turn_f64`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kostra_dynamic_insert_in_turn_i32(
    forest: *mut KostraDynamicForest,
    edges: usize,
    u: *const u32,
    v: *const u32,
    weights: *const i32,
) -> *const u32 {
    // SAFETY: the caller's.
    unsafe { insert_in_turn(forest, edges, u, v, weights) }
}

/// As kostra_dynamic_insert_in_turn_f64(), with weights of the type uint32_t.
///
/// # Safety
/// As for [`kostra_dynamic_insert_in_turn_f64`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kostra_dynamic_insert_in_turn_u32(
    forest: *mut KostraDynamicForest,
    edges: usize,
    u: *const u32,
    v: *const u32,
    weights: *const u32,
) -> *const u32 {
    // SAFETY: the caller's.
    unsafe { insert_in_turn(forest, edges, u, v, weights) }
}

/// As kostra_dynamic_insert_in_turn_f64(), with weights of the type int64_t.
///
/// # Safety
/// As for [`kostra_dynamic_insert_in_turn_f64`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kostra_dynamic_insert_in_turn_i64(
    forest: *mut KostraDynamicForest,
    edges: usize,
    u: *const u32,
    v: *const u32,
    weights: *const i64,
) -> *const u32 {
    // SAFETY: the caller's.
    unsafe { insert_in_turn(forest, edges, u, v, weights) }
}

/// As kostra_dynamic_insert_in_turn_f64(), with weights of the type uint64_t.
///
/// # Safety
/// As for [`kostra_dynamic_insert_in_turn_f64`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kostra_dynamic_insert_in_turn_u64(
    forest: *mut KostraDynamicForest,
    edges: usize,
    u: *const u32,
    v: *const u32,
    weights: *const u64,
) -> *const u32 {
    // SAFETY: the caller's.
    unsafe { insert_in_turn(forest, edges, u, v, weights) }
}
