//! Forests of graphs that change: how they start and end, and their logs.

mod queries;
mod updates;

use std::ffi::c_char;
use std::path::PathBuf;

use kostra::dynamic::{AnyDynamicForest, OpenedLog, UpdateLog};
use kostra_core::WeightType;

use crate::KostraGraph;
use crate::boundary::{call, place, string, text, value};
use crate::forest::to_order;
use crate::graph::to_path;

pub use queries::*;
pub use updates::*;

/// A graph that changes, and its spanning forest. Each edge has an id from its insertion to its
/// deletion. Ids ascend in the order of insertion and are never used again. After each update, the
/// forest is the one that kostra_solve() finds for the present edges.
pub struct KostraDynamicForest(Option<Dynamic>);

struct Dynamic {
    forest: AnyDynamicForest,
    /// The names of the vertices, if they have some.
    names: Option<Vec<String>>,
    log: Option<UpdateLog>,
    /// The ids that a function returned last.
    ids: Vec<u32>,
}

impl KostraDynamicForest {
    fn boxed(
        forest: AnyDynamicForest,
        names: Option<Vec<String>>,
        log: Option<UpdateLog>,
    ) -> *mut Self {
        let ids = Vec::new();
        Box::into_raw(Box::new(Self(Some(Dynamic { forest, names, log, ids }))))
    }
}

const INTERRUPTED: &str = "a fault interrupted an earlier call on this forest; free it";

/// Reads a forest.
///
/// # Safety
/// `forest` is null or a dynamic forest that nobody changes during the call.
unsafe fn read<'a>(forest: *const KostraDynamicForest) -> Result<&'a Dynamic, String> {
    // SAFETY: the caller's.
    unsafe { value("forest", forest) }?.0.as_ref().ok_or_else(|| INTERRUPTED.into())
}

/// Runs a step that changes a forest, which is not used again if the step panics.
///
/// # Safety
/// `forest` is null or a dynamic forest that nobody else uses during the call.
unsafe fn change<T>(
    forest: *mut KostraDynamicForest,
    step: impl FnOnce(&mut Dynamic) -> Result<T, String>,
) -> Result<T, String> {
    // SAFETY: the caller's.
    let place = &mut unsafe { place("forest", forest) }?.0;
    let mut dynamic = place.take().ok_or(INTERRUPTED)?;
    let result = step(&mut dynamic);
    *place = Some(dynamic);
    result
}

/// A graph without edges, for weights of one type: KOSTRA_I32, KOSTRA_U32, KOSTRA_I64, KOSTRA_U64,
/// KOSTRA_F32 or KOSTRA_F64. Returns NULL if it fails. Free the forest with kostra_dynamic_free().
#[unsafe(no_mangle)]
pub extern "C" fn kostra_dynamic_new(
    vertices: u32,
    weight_type: i32,
    order: i32,
) -> *mut KostraDynamicForest {
    call(std::ptr::null_mut(), || {
        let weights = u32::try_from(weight_type).ok().and_then(WeightType::from_code);
        let weights = weights.ok_or_else(|| {
            format!("the type of the weights is {weight_type}; pass KOSTRA_F64 or another type")
        })?;
        let forest = AnyDynamicForest::new(vertices as usize, weights, to_order(order)?);
        Ok(KostraDynamicForest::boxed(forest.map_err(text)?, None, None))
    })
}

/// The forest of a graph, whose edges keep their ids. The graph is copied. Returns NULL if it
/// fails. Free the forest with kostra_dynamic_free().
///
/// # Safety
/// `graph` is null or a graph.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kostra_dynamic_of_graph(
    graph: *const KostraGraph,
    order: i32,
) -> *mut KostraDynamicForest {
    call(std::ptr::null_mut(), || {
        // SAFETY: the caller's.
        let parsed = &unsafe { value("graph", graph) }?.0;
        let forest = AnyDynamicForest::of_graph(&parsed.graph, to_order(order)?).map_err(text)?;
        Ok(KostraDynamicForest::boxed(forest, parsed.names.clone(), None))
    })
}

/// Continues from a log, which records further updates. The number of bytes of an update that a
/// crash interrupted, which is dropped, is written to `dropped` unless it is NULL. Returns NULL if
/// the file is no log, is damaged, or is in use. Free the forest with kostra_dynamic_free().
///
/// # Safety
/// `path` is null or a text that ends in a zero byte, and `dropped` is null or points to an
/// integer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kostra_dynamic_open(
    path: *const c_char,
    dropped: *mut u64,
) -> *mut KostraDynamicForest {
    call(std::ptr::null_mut(), || {
        // SAFETY: the caller's.
        let (path, place) = unsafe { (path_of(path)?, dropped.as_mut()) };
        let OpenedLog { forest, names, log, dropped } = UpdateLog::open(&path).map_err(text)?;
        if let Some(place) = place {
            *place = dropped;
        }
        Ok(KostraDynamicForest::boxed(forest, names, Some(log)))
    })
}

/// Starts a log: a new or empty file with the present state, and with all updates from now on. Each
/// update is on the disk before its function returns. kostra_dynamic_free() closes the log. If an
/// update cannot be written, its function fails although the forest has changed, and so do all
/// later updates; the log has all updates before it. Returns false if it fails.
///
/// # Safety
/// `forest` is null or a dynamic forest, and `path` is null or a text that ends in a zero byte.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kostra_dynamic_log(
    forest: *mut KostraDynamicForest,
    path: *const c_char,
) -> bool {
    call(false, || {
        // SAFETY: the caller's.
        let path = unsafe { path_of(path) }?;
        let step = |dynamic: &mut Dynamic| {
            if dynamic.log.is_some() {
                return Err("the forest has a log; copy its file instead".into());
            }
            let names = dynamic.names.as_deref();
            dynamic.log = Some(UpdateLog::create(&path, &dynamic.forest, names).map_err(text)?);
            Ok(true)
        };
        // SAFETY: the caller's.
        unsafe { change(forest, step) }
    })
}

/// Rewrites the log to the present edges, in one step. The edges keep their ids, and ids are still
/// never used again. A crash leaves the former log or the new one. Returns false if it fails: there
/// is no log, or the file cannot be written. The log is as it was then.
///
/// # Safety
/// `forest` is null or a dynamic forest.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kostra_dynamic_compact(forest: *mut KostraDynamicForest) -> bool {
    let step = |Dynamic { forest, names, log, .. }: &mut Dynamic| {
        let log = log.as_mut().ok_or("the forest has no log; call kostra_dynamic_log() first")?;
        log.compact(forest, names.as_deref()).map(|()| true).map_err(text)
    };
    // SAFETY: the caller's.
    call(false, || unsafe { change(forest, step) })
}

/// # Safety
/// `path` is null or a text that ends in a zero byte.
unsafe fn path_of(path: *const c_char) -> Result<PathBuf, String> {
    // SAFETY: the caller's.
    to_path(unsafe { string(path) }.ok_or("path is NULL; pass the path of a log")?)
}

/// Frees a dynamic forest and closes its log. NULL is allowed.
///
/// # Safety
/// `forest` is null or was returned by a function of this library, and is not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kostra_dynamic_free(forest: *mut KostraDynamicForest) {
    call((), || {
        if !forest.is_null() {
            // SAFETY: the caller promises that the forest came from `Box::into_raw`.
            drop(unsafe { Box::from_raw(forest) });
        }
        Ok(())
    });
}
