//! Kernels with planted faults: they show that compute-sanitizer finds a race and an access out of
//! bounds. The tests are ignored, because without the tool the faults have no effect.
//!
//! ```text
//! compute-sanitizer --tool racecheck --error-exitcode 9 \
//!     TESTS --ignored --exact planted::a_race
//! compute-sanitizer --tool memcheck --error-exitcode 9 \
//!     TESTS --ignored --exact planted::out_of_bounds
//! ```
//!
//! `TESTS` is the program of this crate's unit tests. Each command must exit with 9.

#![allow(unsafe_code, reason = "kernels are launched")]

use cudarc::driver::LaunchConfig;

use crate::launch::launch;
use crate::source::Source;
use crate::testing::device;

const SOURCE: Source = Source::given(
    "planted",
    "
#include \"common.cuh\"

// A thread reads the word of a thread of the other warp, without a barrier before it.
KERNEL race(u32* memory, u32 count) {
    __shared__ u32 words[64];
    words[threadIdx.x] = threadIdx.x;
    memory[threadIdx.x % count] = words[63 - threadIdx.x];
}

// Writes the word after the last one.
KERNEL out_of_bounds(u32* memory, u32 count) {
    if (threadIdx.x == 0) memory[count] = 1;
}
",
);

/// The number of words that the kernels are told of.
const COUNT: u32 = 1000;

/// Two warps.
const GRID: LaunchConfig =
    LaunchConfig { grid_dim: (1, 1, 1), block_dim: (64, 1, 1), shared_mem_bytes: 0 };

#[test]
#[ignore = "races; run it under racecheck of compute-sanitizer"]
fn a_race() {
    let Some(device) = device() else { return };
    let mut memory = device.filled::<u32>(COUNT as usize, 0).unwrap();
    // SAFETY: each thread writes one of the first 64 words.
    unsafe {
        launch!(
            &device, &device.function(SOURCE, "race").unwrap(), GRID, (SOURCE, "race"),
            [ptr memory = &mut memory, u32 count = &COUNT], "racing"
        )
    }
    .unwrap();
    device.finish().unwrap();
}

#[test]
#[ignore = "writes out of bounds; run it under memcheck of compute-sanitizer"]
fn out_of_bounds() {
    let Some(device) = device() else { return };
    let mut memory = device.filled::<u32>(COUNT as usize, 0).unwrap();
    // SAFETY: none. The kernel writes the word after the array, which memcheck must find. Without
    // memcheck, the word is unused memory of the process: the driver allocates 32 MiB at least.
    let launched = unsafe {
        launch!(
            &device, &device.function(SOURCE, "out_of_bounds").unwrap(), GRID,
            (SOURCE, "out_of_bounds"),
            [ptr memory = &mut memory, u32 count = &COUNT], "writing out of bounds"
        )
    };
    // Under memcheck, the launch or the end of the kernel fails.
    println!("{launched:?} {:?}", device.finish());
}
