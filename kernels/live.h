/* How a device is at this moment. A GPU: by NVML, opened at run time, so that a program starts without it and
   no context is ever created. The CPU: by the operating system, as far as that is cheap and true.

   It is neither a kind of device nor the runner, so the service may read it too: it answers for a device whose
   executor is gone or busy. A reading is some tens of calls of the driver's at most and never in a timed sample;
   but a driver in trouble may let a call hang, so whoever must not hang reads in a thread of its own. */
#ifndef COALESCED_KERNELS_LIVE_H
#define COALESCED_KERNELS_LIVE_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum live_quantity {
    LIVE_TEMPERATURE, /* degrees Celsius, of the chip */
    LIVE_POWER,       /* W, of the board; some drivers take milliseconds for it */
    LIVE_SM_CLOCK,    /* MHz, now */
    LIVE_MEMORY_CLOCK,
    LIVE_SM_CLOCK_MAX, /* MHz */
    LIVE_MEMORY_CLOCK_MAX,
    LIVE_MEMORY_USED, /* bytes, by everybody */
    LIVE_UTILISATION, /* %: the part of the last second or less in which some kernel ran, of any process */
    LIVE_THROTTLE,    /* a set of enum live_throttle bits */
    LIVE_OTHERS, /* other processes with a context on the device: NVML does not tell whether they compute */
    LIVE_QUANTITIES
};

#define LIVE_BIT(quantity) (1u << (quantity))
#define LIVE_ALL (LIVE_BIT(LIVE_QUANTITIES) - 1)

/* NVML's bits: why clocks are where they are. */
enum live_throttle {
    LIVE_IDLE = 0x1,
    LIVE_APPLICATION_CLOCKS = 0x2,
    LIVE_SW_POWER_CAP = 0x4,
    LIVE_HW_SLOWDOWN = 0x8,
    LIVE_SYNC_BOOST = 0x10,
    LIVE_SW_THERMAL = 0x20,
    LIVE_HW_THERMAL = 0x40,
    LIVE_HW_POWER_BRAKE = 0x80,
    LIVE_DISPLAY_CLOCKS = 0x100,
};

/* "sw_power_cap" for a bit by its number; NULL: it has no name here. */
const char *live_throttle_name(int bit);

struct live_value {
    bool known;
    bool of_parent; /* a MIG slice has none of its own: this is of the GPU that it is a slice of */
    double value;
    char reason[88]; /* why it is not known; empty: it was not asked for */
};

struct live_reading {
    bool measured;    /* the device was found and asked; each quantity has a status of its own */
    char reason[168]; /* why not */
    int64_t at_ns;    /* clock_monotonic_ns() */
    double took_us;
    struct live_value of[LIVE_QUANTITIES];
};

struct live;

/* Opens the source of readings of the device of that uuid ("GPU-...", "MIG-...", "CPU-..."; struct device_facts). Takes some tens of
   milliseconds where NVML has to start. Never refuses: where there is no source, each reading says so.
   NULL: no memory. The library is $COALESCED_NVML_LIBRARY, or libnvidia-ml.so.1. One thread at a time uses a
   struct live. */
struct live *live_open(const char *uuid);
void live_close(struct live *live); /* NULL is allowed */

/* The uuid of the GPU that a MIG slice ("MIG-...") is a slice of; empty: it is no slice, or nobody tells. */
void live_parent(const struct live *live, char *uuid, unsigned size);

/* The processes that the service has on a device: the executor that times and its sibling, which counts. 0: none. */
struct live_own {
    int64_t pid[2];
};

/* Reads the quantities of the set `wanted` (LIVE_BIT). `own` are no others. Where none of them is in the driver's list
   (they may be in another namespace) so many unknown processes are taken for them. live may be NULL. */
void live_read(struct live *live, unsigned wanted, struct live_own own, struct live_reading *reading);

/* Is there any quantity in it? And the first reason why there is none. */
bool live_known(const struct live_reading *reading);
const char *live_reason(const struct live_reading *reading);

/* The uuid of this machine's CPU as a device: a file name's characters. */
void live_cpu_uuid(char *uuid, int size);

#ifdef __cplusplus
}
#endif
#endif
