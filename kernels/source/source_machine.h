/* What the compiler's machine code makes of the accesses of a source kernel's PTX: how each is counted, and whether the
   counts are the machine's. docs/source.md says what differs.

   The PTX is executed first, with each access counted as source_machine_access_of() says. What was seen then (which accesses were
   done and where, at which branches lanes parted) goes to source_machine_judge(). The cubin is untrusted. One thread uses an
   object at a time. */
#pragma once

#include <sys/cdefs.h>

#include "base/error.h"
#include "kernels/source/source_result.h"
#include "ptx/module.h"

__BEGIN_DECLS

struct source_machine;

/* How the machine code does an access of the PTX. */
struct source_machine_access {
    bool joined;    /* it is a part of another one, and not counted itself */
    unsigned bytes; /* a lane's */
    int moved;      /* bytes from where the PTX accesses to where the machine code begins to */
};

/* What was seen of an access of the PTX. */
struct source_machine_seen {
    bool executed;
    uint32_t place, varies; /* the first address, and the bits in which others differed from it */
    int line;               /* of the source, where the access is told; 0: several are possible */
};

/* Reads the kernel `entry` (an index) of a module and its machine code. The module must outlive it. -1: ERROR_INVALID (no
   such kernel in the machine code, or it is damaged), ERROR_MEMORY. */
int source_machine_new(struct source_machine **machine, const struct ptx_module *module, unsigned entry,
                       const void *cubin, size_t bytes, struct error *error);
void source_machine_free(struct source_machine *machine); /* NULL is allowed */

/* For ptx_launch.parted. */
uint8_t *source_machine_parted(struct source_machine *machine);

/* How an access is counted; `site` is an index into module->sites. Borrowed, and it changes with source_machine_judge(). */
const struct source_machine_access *source_machine_access_of(const struct source_machine *machine, int site);

/* Writes what the machine code itself says into count->registers, has_code, code and no_code. NULL: there is no machine
   code. -1: ERROR_MEMORY. */
int source_machine_tell(const struct source_machine *machine, struct source_count *count,
                        struct error *error);

enum source_machine_verdict {
    SOURCE_MACHINE_EXACT,
    SOURCE_MACHINE_DIFFERS,
    SOURCE_MACHINE_AGAIN /* source_machine_access_of() has changed: count again, and ask again */
};

/* Compares the accesses that were executed with the machine code. `seen` has an element for each of module->sites. Where
   something differs, `why` gets an English sentence that names the line. AGAIN is answered at most once. -1:
   ERROR_MEMORY. */
int source_machine_judge(struct source_machine *machine, const struct source_machine_seen *seen,
                         enum source_machine_verdict *verdict, char *why, size_t why_bytes,
                         struct error *error);

__END_DECLS
