/* What the files of machine_match share. */
#pragma once

#include "ptx/flow_graph.h"
#include "ptx/match.h"

/* An access of the machine code. */
struct match_access {
    uint32_t ptx_line;
    uint32_t at;     /* the instruction's index */
    bool has_a_site; /* belongs to one */
};

struct match_run {
    const struct match_program *program;
    const struct cubin_entry *entry;
    struct match_result *result;
    struct flow_graph ptx, machine;
    uint32_t *site_block;          /* of each site its block of the PTX */
    uint32_t *branch_block;        /* of each branch */
    struct match_access *accesses; /* by line; without constant memory */
    size_t access_count;
    bool indirect; /* a branch of the machine code leads where nobody knows */
};

/* Both graphs, and the accesses. -1: ERROR_MEMORY, or ERROR_INVALID (too tangled). */
int match_parts_make(struct match_run *run, const struct match_program *program,
                     const struct cubin_entry *entry, struct match_result *result, struct error *error);
void match_parts_free(struct match_run *run);

/* The accesses of a line: the first one's index; *count may be 0. */
size_t match_parts_of_line(const struct match_run *run, uint32_t line, size_t *count);

/* May an access of the machine code be that of a site, by its kind and its space? */
bool match_parts_compatible(const struct match_site *site, const struct machine_word *word);
