//! Batches of updates of several kinds, and sequences of updates.

use std::ffi::c_void;

use kostra::dynamic::{
    DynamicForest, ForestStep, Update, UpdateBatch, UpdateLog, with_dynamic_forest,
};
use kostra_core::Weight;

use super::in_turn::NONE;
use super::updates::update;
use super::{Dynamic, KostraDynamicForest};
use crate::boundary::{array, array_to_write, text, value};
use crate::graph::weight_type;

/// The kind of an update of a sequence that inserts an edge.
pub const KOSTRA_INSERT: u8 = 0;
/// The kind of an update of a sequence that deletes an edge.
pub const KOSTRA_DELETE: u8 = 1;
/// The kind of an update of a sequence that changes the weight of an edge.
pub const KOSTRA_REWEIGHT: u8 = 2;

/// Updates of several kinds. Set all items to zero, and then the type of the weights, which is that
/// of the forest, and the items of the kinds that there are. No two updates may name the same edge.
#[repr(C)]
pub struct KostraUpdateBatch {
    /// The type of the items of `weights` and `new_weights`, such as KOSTRA_F64.
    pub weight_type: i32,
    /// All edges with ids below this one are deleted.
    pub expire: u32,
    /// The number of edges that are deleted.
    pub deleted: usize,
    /// Their ids.
    pub delete_ids: *const u32,
    /// The number of edges that get new weights.
    pub reweighted: usize,
    /// Their ids.
    pub reweight_ids: *const u32,
    /// Their new weights.
    pub new_weights: *const c_void,
    /// The number of edges that are inserted.
    pub inserted: usize,
    /// Their first ends.
    pub u: *const u32,
    /// Their second ends.
    pub v: *const u32,
    /// Their weights.
    pub weights: *const c_void,
}

/// Updates that are applied one after another. The arrays have `updates` items each.
#[repr(C)]
pub struct KostraUpdateSequence {
    /// The type of the items of `weights`, that of the forest, such as KOSTRA_F64.
    pub weight_type: i32,
    /// The number of updates.
    pub updates: usize,
    /// KOSTRA_INSERT, KOSTRA_DELETE or KOSTRA_REWEIGHT.
    pub kinds: *const u8,
    /// For KOSTRA_INSERT the first end of the edge, which gets the next id. Else the id of the
    /// edge.
    pub first: *const u32,
    /// For KOSTRA_INSERT the second end. Else any number.
    pub second: *const u32,
    /// The weight of the edge. For KOSTRA_DELETE any number.
    pub weights: *const c_void,
}

/// What an update of a sequence does to the forest.
#[repr(C)]
pub struct KostraForestStep {
    /// The edge that enters, or UINT32_MAX.
    pub entered: u32,
    /// The edge that leaves, or UINT32_MAX.
    pub left: u32,
    /// The sum of the weights afterwards, as kostra_dynamic_total() returns it. Sums of floats may
    /// differ from it in the last bits.
    pub total: f64,
}

fn check_type(dynamic: &Dynamic, given: i32) -> Result<(), String> {
    let weights = dynamic.forest.weight_type();
    if given == weight_type(weights) {
        return Ok(());
    }
    Err(format!(
        "weight_type is {given}; pass {}, since the forest has the type {weights}",
        weight_type(weights)
    ))
}

/// Applies updates of several kinds as one batch, which can take less time than one batch for each
/// kind. Returns the id of the first inserted edge, and the others have the following ids. Returns
/// -1 if it fails, as for the functions for each kind, or if two updates name the same edge. Then
/// nothing changes.
///
/// # Safety
/// `forest` is null or a dynamic forest, and `batch` is null or points to a batch whose pointers
/// are null or point to arrays with the stated numbers of items.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kostra_dynamic_apply(
    forest: *mut KostraDynamicForest,
    batch: *const KostraUpdateBatch,
) -> i64 {
    let step = |dynamic: &mut Dynamic| {
        // SAFETY: the caller's.
        let batch = unsafe { value("batch", batch) }?;
        check_type(dynamic, batch.weight_type)?;
        let Dynamic { forest, log, .. } = dynamic;
        // SAFETY: the caller's; the weights have the type of the forest.
        with_dynamic_forest!(forest, forest => unsafe { apply(forest, log, batch) })
    };
    // SAFETY: the caller's.
    unsafe { update(forest, -1, step) }
}

/// # Safety
/// As for [`kostra_dynamic_apply`]; the weights have the type `W`.
unsafe fn apply<W: Weight>(
    forest: &mut DynamicForest<W>,
    log: &mut Option<UpdateLog>,
    batch: &KostraUpdateBatch,
) -> Result<i64, String> {
    let &KostraUpdateBatch { expire, deleted, reweighted, inserted, .. } = batch;
    // SAFETY: the caller's.
    let updates = unsafe {
        UpdateBatch {
            expire,
            delete: array("delete_ids", batch.delete_ids, deleted)?,
            reweight: (
                array("reweight_ids", batch.reweight_ids, reweighted)?,
                array("new_weights", batch.new_weights.cast::<W>(), reweighted)?,
            ),
            insert: (
                array("u", batch.u, inserted)?,
                array("v", batch.v, inserted)?,
                array("weights", batch.weights.cast::<W>(), inserted)?,
            ),
        }
    };
    let ids = forest.apply(&updates).map_err(text)?;
    log.iter_mut().for_each(|log| log.apply(&updates));
    Ok(i64::from(ids.start))
}

/// Applies updates that are known in advance, one after another, and writes what each one does to
/// `steps`, an array with an item for each update. Many updates take a fraction of the time of one
/// batch for each. Returns false if it fails, as for the functions for each kind. Then nothing
/// changes.
///
/// # Safety
/// `forest` is null or a dynamic forest, and `sequence` is null or points to a sequence. Its
/// pointers and `steps` are null or point to arrays with an item for each update.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kostra_dynamic_apply_sequence(
    forest: *mut KostraDynamicForest,
    sequence: *const KostraUpdateSequence,
    steps: *mut KostraForestStep,
) -> bool {
    let step = |dynamic: &mut Dynamic| {
        // SAFETY: the caller's.
        let sequence = unsafe { value("sequence", sequence) }?;
        check_type(dynamic, sequence.weight_type)?;
        // SAFETY: the caller's.
        let steps = unsafe { array_to_write("steps", steps, sequence.updates) }?;
        let Dynamic { forest, log, .. } = dynamic;
        let found = with_dynamic_forest!(forest, forest => {
            // SAFETY: the caller's; the weights have the type of the forest.
            unsafe { apply_sequence(forest, log, sequence) }
        })?;
        for (place, ForestStep { entered, left, total }) in steps.iter_mut().zip(found) {
            let [entered, left] = [entered, left].map(|edge| edge.unwrap_or(NONE));
            *place = KostraForestStep { entered, left, total: total.to_f64() };
        }
        Ok(true)
    };
    // SAFETY: the caller's.
    unsafe { update(forest, false, step) }
}

/// # Safety
/// As for [`kostra_dynamic_apply_sequence`]; the weights have the type `W`.
unsafe fn apply_sequence<W: Weight>(
    forest: &mut DynamicForest<W>,
    log: &mut Option<UpdateLog>,
    sequence: &KostraUpdateSequence,
) -> Result<Vec<ForestStep>, String> {
    let length = sequence.updates;
    // SAFETY: the caller's.
    let (kinds, first, second, weights) = unsafe {
        (
            array("kinds", sequence.kinds, length)?,
            array("first", sequence.first, length)?,
            array("second", sequence.second, length)?,
            array("weights", sequence.weights.cast::<W>(), length)?,
        )
    };
    let update = |place| match kinds[place] {
        KOSTRA_INSERT => Ok(Update::Insert([first[place], second[place]], weights[place])),
        KOSTRA_DELETE => Ok(Update::Delete(first[place])),
        KOSTRA_REWEIGHT => Ok(Update::Reweight(first[place], weights[place])),
        kind => Err(format!("item {place} of kinds is {kind}; pass KOSTRA_INSERT or another kind")),
    };
    let updates = (0..length).map(update).collect::<Result<Vec<_>, _>>()?;
    let steps = forest.apply_sequence(&updates).map_err(text)?;
    log.iter_mut().for_each(|log| log.apply_sequence(&updates));
    Ok(steps)
}
