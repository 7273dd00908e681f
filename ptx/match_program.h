/* A kernel of a module, as machine_match compares it: its accesses and branches, with those of the functions that
   it calls. */
#pragma once

#include "ptx/match.h"
#include "ptx/module.h"

struct match_kernel {
    struct match_program program;
    struct match_site *sites;
    uint32_t *module_sites; /* of each site its index in ptx_module.sites */
    struct match_branch *branches;
    uint32_t *instructions; /* of each branch the index of its instruction in the program */
};

/* All sites are taken as executed, and of all conditional branches that lanes part there: who knows better changes
   that before machine_match_run(). -1: ERROR_MEMORY. To be freed with match_program_free(). */
int match_program_make(struct match_kernel *kernel, const struct ptx_module *module, unsigned entry,
                       struct error *error);
void match_program_free(struct match_kernel *kernel);
