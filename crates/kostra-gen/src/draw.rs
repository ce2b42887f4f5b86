//! Edges by index, drawn with wide vector instructions of the processor.
//!
//! A program is compiled for every processor of its kind, so the compiler may use only the oldest
//! vector instructions. Here it compiles the same draws again for newer ones, and the program
//! chooses when it runs. Both versions do the same arithmetic on integers, so they give the same
//! edges. There is no version for AVX-512: the oldest supported Rust cannot compile it.
#![allow(unsafe_code, reason = "only the processor can say that it has an instruction")]

use kostra_core::Vertex;

/// Both ends of an edge.
pub(crate) type Edge = (Vertex, Vertex);

/// Edges by index, in the order of the draws.
pub(crate) trait Draw: Sync {
    /// Fills `edges` with the draws from index `first` on, the lower end first. A self-loop stands
    /// for a draw that gives no edge. Always inlined, to be compiled for several processors.
    fn draw(&self, first: u64, edges: &mut [Edge]);
}

impl<F: Fn(u64) -> Edge + Sync> Draw for F {
    #[inline(always)]
    fn draw(&self, first: u64, edges: &mut [Edge]) {
        for (index, edge) in (first..).zip(edges) {
            *edge = self(index);
        }
    }
}

/// Calls [`Draw::draw`], compiled for this processor.
pub(crate) fn draw<D: Draw>(draws: &D, first: u64, edges: &mut [Edge]) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    {
        use std::arch::is_x86_feature_detected;
        if is_x86_feature_detected!("avx2") {
            // SAFETY: the processor has these instructions.
            return unsafe { draw_with_avx2(draws, first, edges) };
        }
    }
    draws.draw(first, edges);
}

/// With registers of 32 bytes.
#[cfg(all(target_arch = "x86_64", not(miri)))]
#[target_feature(enable = "avx2")]
fn draw_with_avx2<D: Draw>(draws: &D, first: u64, edges: &mut [Edge]) {
    draws.draw(first, edges);
}

#[cfg(all(test, target_arch = "x86_64", not(miri)))]
mod tests {
    use std::arch::is_x86_feature_detected;

    use super::*;
    use crate::random::{below, stream};

    #[test]
    fn both_versions_draw_the_same_edges() {
        let stream = stream(3, "edges");
        let draws = |index| (below(stream, index, 1000) as u32, stream.at(index) as u32);
        let [mut plain, mut wide, mut avx2] = [(); 3].map(|()| vec![(0, 0); 100]);
        draws.draw(7, &mut plain);
        draw(&draws, 7, &mut wide);
        assert_eq!(plain, wide);
        if is_x86_feature_detected!("avx2") {
            // SAFETY: the processor has these instructions.
            unsafe { draw_with_avx2(&draws, 7, &mut avx2) };
            assert_eq!(plain, avx2);
        }
    }
}
