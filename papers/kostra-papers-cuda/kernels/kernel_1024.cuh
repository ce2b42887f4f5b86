// Kernels that run in blocks of any size, which an option sets.

#pragma once

#include "common.cuh"

// The compiler limits the registers of a thread so that the largest block, of 1024 threads, fits.
#define KERNEL_1024 KERNEL __launch_bounds__(1024)
