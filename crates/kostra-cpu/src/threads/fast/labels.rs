//! Labels: the number of each component in the next round.
//!
//! While components hook, `parents[c]` is the component that `c` hooks onto. After numbering,
//! `parents[root]` is the root's new number with the bit [`LABEL`] set. [`shortcut`] then replaces
//! every parent by the label of its root, and the array `parents` has become the array `labels`.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// Distinguishes a label from a parent. So a solve has at most 2^31 - 1 vertices.
pub(super) const LABEL: u32 = 1 << 31;
/// The label of the first component that no edge leaves. The labels of later ones count down.
pub(super) const FINISHED: u32 = u32::MAX;
/// Vertices or components that a thread takes at a time: 64 KiB of labels, so that taking them
/// costs little, and few enough that all threads end together.
pub(super) const VERTEX_BLOCK: usize = 1 << 14;

/// The number of components between rounds.
#[derive(Clone, Copy, Default)]
pub(super) struct ComponentCounts {
    /// Components that an edge may leave.
    pub(super) live: u32,
    /// Components that no edge of the batch leaves.
    pub(super) finished: u32,
}

/// What a label stands for.
pub(super) enum LabelTarget {
    /// The final number of a component that is finished.
    Final(u32),
    /// The number of a component in the next round.
    NextRound(u32),
}

impl ComponentCounts {
    /// Resolves a label after the last round. The final numbers of the live components come first,
    /// then those of the finished ones.
    #[inline]
    pub(super) fn resolve(self, label: u32) -> LabelTarget {
        if label > FINISHED - self.finished {
            LabelTarget::Final(self.live + (FINISHED - label))
        } else {
            LabelTarget::NextRound(label & !LABEL)
        }
    }
}

/// The number of a component in the next round.
pub(super) fn label_of(labels: &[AtomicU32], component: u32) -> u32 {
    labels[component as usize].load(Relaxed) & !LABEL
}

/// Climbs from `component` to the label of its root and writes the label to every component on the
/// path.
///
/// Threads may do this for all components at once, in any order. Each word changes once, from a
/// parent to the label of the same root, so every reader finds the same label.
#[inline]
pub(super) fn shortcut(parents: &[AtomicU32], component: u32) {
    let climb = |component: u32| parents[component as usize].load(Relaxed);
    let first = climb(component);
    // Reading a root's word a second time costs less than an unpredictable branch.
    let mut found = climb(if first & LABEL == 0 { first } else { component });
    if found & LABEL == 0 {
        while found & LABEL == 0 {
            found = climb(found);
        }
        let mut step = first;
        loop {
            let next = climb(step);
            if next & LABEL != 0 {
                break;
            }
            parents[step as usize].store(found, Relaxed);
            step = next;
        }
    }
    parents[component as usize].store(found, Relaxed);
}
