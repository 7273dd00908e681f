/* What an H200 says of itself, as far as a plan and a prediction ask: members of a struct device_facts. */
#pragma once

#define H200_FACTS                                                                                           \
    .backend = "cuda", .name = "NVIDIA H200", .arch = "sm_90", .multiprocessors = 132, .warp_size = 32,      \
    .max_threads_per_block = 1024, .max_threads_per_multiprocessor = 2048, .max_block = {1024, 1024, 64},    \
    .max_grid = {2147483647, 65535, 65535}, .registers_per_multiprocessor = 65536,                           \
    .registers_per_block = 65536, .shared_bytes_per_multiprocessor = 233472,                                 \
    .shared_bytes_per_block = 49152, .shared_bytes_per_block_optin = 232448, .memory_bytes = 150ull << 30,   \
    .l2_bytes = 60 << 20, .clock_khz = 1980000
