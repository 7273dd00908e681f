#include "tests/unit/support/scratch.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

void scratch_make(char path[SCRATCH_BYTES])
{
    const char *parent = getenv("TMPDIR");
    snprintf(path, SCRATCH_BYTES, "%s/coalesced-test-XXXXXX", parent && *parent ? parent : "/tmp");
    if (!mkdtemp(path)) {
        perror(path);
        abort();
    }
}

static int scratch_remove_one(const char *path, const struct stat *status, int type, struct FTW *place)
{
    (void)status;
    (void)type;
    (void)place;
    return remove(path);
}

void scratch_remove(const char *path)
{
    nftw(path, scratch_remove_one, 16, FTW_DEPTH | FTW_PHYS);
}
