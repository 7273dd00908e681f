/* Where an experiment's arrays lie in memory. The same kernel takes up to a few per cent more or less time at another place
   (docs/measuring.md), so that each result names its own, and a request may ask for a new one. */
#ifndef COALESCED_KERNELS_PLACEMENT_H
#define COALESCED_KERNELS_PLACEMENT_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* keep: where the arrays of the runs before lay, if there is room. new: allocated again, behind a spacer. */
enum placement { PLACEMENT_KEEP, PLACEMENT_NEW, PLACEMENTS };

/* "keep", "new" */
const char *placement_text(enum placement placement);

/* Whose memory: the device's own, the host's mapped for it, that of the device which was named as its peer, or managed: its
   pages move to whoever touches them. */
enum memory { MEMORY_OWN, MEMORY_HOST, MEMORY_PEER, MEMORY_MANAGED, MEMORIES };

/* Where the pages of managed memory lie before a cold launch: on the device, with the host until they are touched, with the
   host and fetched by a call that is part of what is timed. */
enum pages { PAGES_RESIDENT, PAGES_FAULTS, PAGES_PREFETCHED };

/* What a device handed out. */
struct reserved {
    void *base;
    uint64_t allocation; /* counts the device's allocations in this process, from 1 */
    bool fresh;          /* allocated just now */
};

/* What a result says of it. */
struct placed {
    char name[40]; /* of the process and the allocation; empty: there was none */
    bool fresh;
};

/* A number that no other process has. */
uint64_t placement_nonce(void);

void placement_name(struct placed *placed, uint64_t nonce, const struct reserved *place);

/* Bytes to leave unused before the arrays, at random: a multiple of `step`, from `least` to `most` bytes; 0 when `most` is
   less than `least`. `step` must be a part of `least`. */
uint64_t placement_spacer(uint64_t step, uint64_t least, uint64_t most);

/* Of a spacer in memory that costs nothing to leave unused. */
#define PLACEMENT_SPACER_LEAST (UINT64_C(2) << 20)
#define PLACEMENT_SPACER_MOST (UINT64_C(80) << 20)

#ifdef __cplusplus
}
#endif
#endif
