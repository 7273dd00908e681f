/* The readings of a device at this moment. A GPU is read by NVML, which is opened at run time, so that the
   program starts without it and no context is created; the CPU by the operating system, as far as that is cheap
   and exact.

   The server reads it too, for a device whose executor is gone or busy. A reading makes some tens of driver
   calls at most and is never made within a timed sample. A driver in trouble may block a call, so a thread that
   must not block has to leave readings to another one. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/cdefs.h>

__BEGIN_DECLS

enum live_quantity {
    LIVE_TEMPERATURE, /* degrees Celsius, of the chip */
    LIVE_POWER,       /* W, of the board; some drivers take milliseconds for it */
    LIVE_SM_CLOCK,    /* MHz, now */
    LIVE_MEMORY_CLOCK,
    LIVE_SM_CLOCK_MAX, /* MHz */
    LIVE_MEMORY_CLOCK_MAX,
    LIVE_MEMORY_USED, /* bytes, by all processes */
    LIVE_UTILISATION, /* %: the part of the last second or less in which some kernel ran, of any process */
    LIVE_THROTTLE,    /* a set of enum live_throttle bits */
    LIVE_OTHERS, /* other processes with a context on the device; NVML does not report whether they compute */
    LIVE_QUANTITIES
};

#define LIVE_BIT(quantity) (1u << (quantity))
#define LIVE_ALL (LIVE_BIT(LIVE_QUANTITIES) - 1)

/* NVML's bits: the reasons for the present clocks. */
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
    bool of_parent; /* a MIG slice has no such value: this is of the GPU that it belongs to */
    double value;
    char reason[88]; /* why it is not known; empty: not asked for */
};

struct live_reading {
    bool measured;    /* the device was found and read; each quantity has a status of its own */
    char reason[168]; /* why it was not */
    int64_t at_ns;    /* clock_monotonic_ns() */
    double took_us;
    struct live_value of[LIVE_QUANTITIES];
};

struct live;

/* Opens the source of readings of the device with this uuid ("GPU-...", "MIG-...", "CPU-..."; struct
   device_facts). Takes some tens of milliseconds when NVML has to start. Without a source each reading
   reports why. The library is $COALESCED_NVML_LIBRARY, or libnvidia-ml.so.1. Returns NULL when there is no
   memory. One thread at a time may use a struct live. */
struct live *live_open(const char *uuid);
void live_close(struct live *live); /* NULL is allowed */

/* The uuid of the GPU that a MIG slice ("MIG-...") belongs to; empty: no slice, or not reported. */
void live_parent(const struct live *live, char *uuid, unsigned size);

/* The service's own processes on a device: the executor that times, and the counting executor. 0: none. */
struct live_own {
    int64_t pid[2];
};

/* Reads the quantities of the set `wanted` (LIVE_BIT). The processes of `own` do not count as others. When
   none of them is in the driver's list (it may be of another namespace), as many unknown processes are
   taken for them. `live` may be NULL. */
void live_read(struct live *live, unsigned wanted, struct live_own own, struct live_reading *reading);

/* True when any quantity is known; and the first reason why one is not. */
bool live_known(const struct live_reading *reading);
const char *live_reason(const struct live_reading *reading);

/* The uuid of this machine's CPU as a device, of characters that are valid in file names. */
void live_cpu_uuid(char *uuid, int size);

__END_DECLS
