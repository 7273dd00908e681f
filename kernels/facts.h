/* The facts of a device: the executor reports them once, then the server knows them without asking the device
   again. */
#pragma once

#include <stdint.h>
#include <sys/cdefs.h>

/* Value of numa_node: the node is not known, or the process could not be pinned to it. */
enum { FACTS_NO_NODE = -1 };

struct device_facts {
    char backend[16]; /* "cuda", "cpu" */
    char name[128];
    char uuid[64];    /* the same for one physical device in every process; a file name's characters only */
    char arch[16];    /* "sm_90"; the machine's name ("x86_64") for a CPU */
    char driver[48];  /* version of the driver; of the operating system's kernel for a CPU */
    char runtime[48]; /* version of the CUDA runtime; of the compiler for a CPU */
    uint32_t multiprocessors; /* SMs; cores in use for a CPU */
    uint32_t warp_size;
    uint32_t max_threads_per_block;
    uint32_t max_threads_per_multiprocessor;
    uint32_t max_block[3]; /* threads */
    uint32_t max_grid[3];  /* blocks */
    uint32_t registers_per_multiprocessor;
    uint32_t registers_per_block;
    uint64_t shared_bytes_per_multiprocessor;
    uint64_t shared_bytes_per_block;       /* without opting in to more */
    uint64_t shared_bytes_per_block_optin; /* the maximum; 0: not known */
    uint64_t memory_bytes;
    uint64_t l2_bytes;         /* the last cache before memory */
    uint32_t clock_khz;        /* the SMs' highest (boost) clock */
    uint32_t memory_clock_khz; /* 0: not known */
    uint32_t memory_bus_bits;  /* 0: not known */
    double peak_gbps;          /* 10^9 bytes a second; 0: not known */
    char compute_mode[24];     /* "default"; "exclusive_process": one process at a time; "prohibited" */
    char peak_source[96];      /* the formula behind peak_gbps, or why there is none */
    char pci[24];      /* "0000:1a:00.0" of a GPU, of its parent for a slice; empty: none, or not known */
    int32_t numa_node; /* of the device, to which the executor is pinned; FACTS_NO_NODE: it is not */
    char cpus[128];    /* "0-31,64-95": the cores that the executor is pinned to; empty: it is not */
    char visible[256]; /* CUDA_VISIBLE_DEVICES as the executor has it; empty: not set */
    char mig[32];      /* a MIG slice's profile, "1g.18gb"; empty: it is no slice */
    /* The uuid of the GPU that this slice belongs to; empty: no slice, or NVML does not report it. */
    char mig_parent[64];
};

__BEGIN_DECLS

/* The largest limits of a launch of any device, for a prediction that names only architectures. */
extern const struct device_facts facts_any_device;

/* Returns the name that an error message gives for the limits of a launch: that of the device; for the CPU device, which has
   the limits of GPUs, that of facts_any_device. */
const char *facts_limits_name(const struct device_facts *facts);

/* What a device could do at most, by arithmetic from its facts. These are the formulas of the CUDA
   literature (Cheng, Grossman, McKercher: Professional CUDA C Programming, chapters 2 and 4), which are
   those of NVIDIA's data sheets. */
enum {
    PEAK_TRANSFERS_PER_CLOCK = 2, /* double data rate, by the memory clock that the driver reports */
    PEAK_OPERATIONS_PER_LANE = 2, /* a fused multiply-add each clock counts as two */
};

/* 10^9 bytes a second: transfers a clock x bus width x memory clock x chips / 8; 0 when an input is 0. */
double facts_peak_bandwidth_gbps(uint32_t memory_clock_khz, uint32_t bus_bits, uint32_t chips);

/* 10^9 single-precision operations a second: clock x chips x multiprocessors x lanes x operations; 0 when an
   input is 0. lanes: struct arch's fp32_lanes. */
double facts_peak_single_gflops(uint32_t clock_khz, uint32_t multiprocessors, uint32_t lanes, uint32_t chips);

__END_DECLS
