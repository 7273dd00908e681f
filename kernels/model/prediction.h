/* Transactions and efficiency, in nvprof's sense, of an architecture for what a kernel touches. */
#pragma once

#include <sys/cdefs.h>

#include "base/error.h"
#include "kernels/model/access.h"
#include "kernels/model/arch.h"

__BEGIN_DECLS

/* Whether loads use the L1. */
enum l1_setting {
    L1_BY_ARCH, /* the architecture's default, and the path that the request names */
    L1_ON,
    L1_OFF
};

/* What one transaction of a path to global memory is. */
enum prediction_unit {
    UNIT_SECTOR,      /* 32 bytes */
    UNIT_LINE,        /* 128 bytes */
    UNIT_SEGMENT,     /* 32, 64 or 128 bytes: the part of a line that the warp touches */
    UNIT_HALF_SEGMENT /* the same, of each half of the warp */
};

/* "sector", "line", "segment", "half_warp_segment"; static. */
const char *prediction_unit_name(enum prediction_unit unit);

struct prediction_side {
    enum prediction_unit unit;
    uint64_t requests;     /* warp instructions */
    uint64_t sectors;      /* 32 bytes each */
    uint64_t lines;        /* 128 bytes each */
    uint64_t transactions; /* as the architecture counts them: units */
    uint64_t segments[3];  /* transactions by size, 32, 64 and 128 bytes, where the unit is a segment */
    uint64_t bytes;        /* requested */
    uint64_t used_bytes;   /* distinct bytes among them, request by request */
    /* Bytes that the transactions have room for: a segment of 64 bytes may hold one touched sector and one that
       is not. */
    uint64_t transaction_bytes;
    /* transaction_bytes; but of stores by segments the bytes of the touched sectors, which is what nvprof's
       gst_efficiency counts. */
    uint64_t moved_bytes;
    /* 100 * used_bytes / moved_bytes; -1: nothing is touched. Where no lanes of a warp request the same byte
       this is nvprof's gld_efficiency or gst_efficiency. */
    double efficiency_pct;
};

/* Of shared memory. */
struct prediction_shared {
    uint64_t requests;
    uint64_t wavefronts;     /* fetches, which are done one after the other */
    uint64_t bank_conflicts; /* fetches beyond the first of each request, or of each part of it: access.h */
};

struct prediction {
    const struct arch *arch;
    bool l1;             /* loads are counted in the L1's unit */
    bool exact;          /* false: sampled, see access.h */
    double lanes_active; /* of 32, on average over the warps of a block */
    const char *note;    /* static; why loads use another path than the request names; NULL: they do not */
    struct prediction_side load, store;
    uint64_t atomic_requests, atomic_sectors; /* updates in global memory */
    struct prediction_shared shared_load, shared_store;
};

/* Loads through L1 are counted in its unit (a 128-byte line until sm_37, a 32-byte sector from sm_50 on), all
   others and all stores in 32-byte sectors; older architectures join the store transactions within a 128-byte
   region (arch.h). 1.2 and 1.3 count loads and stores by segments of half warps.

   A load path that the loads name (by the request's parameter, by copy_ldg, or by pointers declared
   __restrict__ where the architecture has that path) takes precedence over the setting: ca uses the L1 where it
   caches global loads, cg and volatile never do, ldg does where the L1 is the read-only cache as well (sm_50
   and newer).

   Returns 0, or -1 (ERROR_INVALID): the architecture joins requests by rules that are not counted (1.0, 1.1), its
   L1 cannot be used as requested, or it has no read-only path. */
int prediction_make(const struct experiment *experiment, const struct access *access, const struct arch *arch,
                    enum l1_setting setting, struct prediction *prediction, struct error *error);

/* One instruction's share of a side of the prediction: its unit applied to the sums of the instruction. */
struct prediction_side prediction_of_instruction(const struct prediction *prediction,
                                                 const struct access_instruction *instruction);
/* Returns how many memory requests one access of a warp becomes on this architecture: 1, 2 or 4 (enum arch_request). */
int prediction_parts(const struct prediction *prediction, const struct access_instruction *instruction);

/* Returns the fetches of shared memory in the architecture's banks: of an instruction's sums, or of those of one access. */
struct prediction_shared prediction_of_shared(const struct arch *arch, const struct shared_sums *sums);

__END_DECLS
