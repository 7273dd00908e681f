/* Where an experiment's arrays lie in memory. The same kernel takes up to a few per cent more or less time at
   another placement (docs/measuring.md), so each result names its own, and a request may want a new one. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/cdefs.h>

__BEGIN_DECLS

/* keep: in the memory of the runs before, if it is large enough. new: in newly allocated memory, behind a
   spacer. */
enum placement { PLACEMENT_KEEP, PLACEMENT_NEW, PLACEMENTS };

/* "keep", "new" */
const char *placement_text(enum placement placement);

/* The device's own memory, the host's mapped for the device, that of the peer, or managed memory, whose pages
   move to the processor that touches them. */
enum memory { MEMORY_OWN, MEMORY_HOST, MEMORY_PEER, MEMORY_MANAGED, MEMORIES };

/* Where the pages of managed memory lie before a cold launch: on the device; on the host; on the host, and
   prefetched by a call within the timed interval. */
enum pages { PAGES_RESIDENT, PAGES_FAULTS, PAGES_PREFETCHED };

/* Memory that a device reserved. */
struct reserved {
    void *base;
    uint64_t allocation; /* number of the allocation on the device in this process, from 1 */
    bool fresh;          /* allocated just now */
};

/* The placement as in a result. */
struct placed {
    char name[40]; /* names the process and the allocation; empty: none */
    bool fresh;
};

/* A random number that identifies this process. */
uint64_t placement_nonce(void);

void placement_name(struct placed *placed, uint64_t nonce, const struct reserved *place);

/* A random number of bytes to leave unused before the arrays: a multiple of `step`, which divides `least`,
   from `least` to `most`; 0 when `most` is less than `least`. */
uint64_t placement_spacer(uint64_t step, uint64_t least, uint64_t most);

/* Limits of a spacer in memory that is not backed until it is touched, bytes. */
#define PLACEMENT_SPACER_LEAST (UINT64_C(2) << 20)
#define PLACEMENT_SPACER_MOST (UINT64_C(80) << 20)

__END_DECLS
