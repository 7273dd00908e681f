/* What an architecture makes of what a kernel touches: transactions and efficiency, in nvprof's sense. */
#ifndef COALESCED_KERNELS_MODEL_PREDICTION_H
#define COALESCED_KERNELS_MODEL_PREDICTION_H

#include "base/error.h"
#include "kernels/model/access.h"
#include "kernels/model/arch.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Do loads go through L1? */
enum l1_setting {
    L1_BY_ARCH, /* as the architecture does unless told otherwise, and the request's load path asks for */
    L1_ON,
    L1_OFF
};

struct prediction_side {
    uint64_t requests;     /* warp instructions */
    uint64_t sectors;      /* 32 bytes each */
    uint64_t lines;        /* 128 bytes each */
    uint64_t transactions; /* as the architecture counts them */
    uint64_t segments[3];  /* the lines by the segment that their sectors lie in: 32, 64, 128 bytes */
    uint64_t bytes;        /* requested */
    uint64_t used_bytes;   /* the distinct ones among them, instruction by instruction */
    uint64_t moved_bytes;  /* that the touched units hold */
    double
        efficiency_pct; /* 100 * used_bytes / moved_bytes; -1: nothing touched. Where no lanes of a warp ask for the
                              same byte this is nvprof's gld_efficiency, gst_efficiency */
};

struct prediction {
    const struct arch *arch;
    bool l1;             /* loads are counted in the L1's unit */
    bool exact;          /* false: sampled, see access.h */
    double lanes_active; /* of 32, on average over the warps that the blocks are cut into */
    const char *note;    /* static; NULL: none: why loads take another path than was asked for */
    struct prediction_side load, store;
    uint64_t atomic_requests, atomic_sectors; /* updates in global memory */
    struct prediction_shared {
        uint64_t requests;
        uint64_t bank_conflicts; /* fetches beyond the first of each request: access.h */
    } shared_load, shared_store;
};

/* Loads through L1 are counted in its unit (a 128-byte line until sm_37, a 32-byte sector from sm_50 on), others and all
   stores in 32-byte sectors; store transactions join sectors within a 128-byte region on the older ones (arch.h).
   What the loads name (the request's load path; ldg of copy_ldg and, where there is one, of pointers declared __restrict__)
   goes before the setting, which is for loads that name nothing: ca goes through L1 where it keeps global loads, cg and volatile
   never do, ldg where the L1 is the read-only path's cache as well (sm_52 and newer).
   Returns 0, or -1 (ERROR_INVALID): the architecture forms its requests by half warps, its L1 cannot be turned on as
   asked, or it has no read-only path. */
int prediction_make(const struct experiment *experiment, const struct access *access, const struct arch *arch,
                    enum l1_setting setting, struct prediction *prediction, struct error *error);

#ifdef __cplusplus
}
#endif
#endif
