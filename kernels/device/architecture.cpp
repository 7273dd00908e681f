/* Reads CMake's list of compiled architectures. */
#include "kernels/device/architecture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct architecture {
    int major, minor;
    char feature; /* 'a', 'f' or '\0' */
    bool real, ptx;
};

/* Reads the entry that begins at `at`; returns where the next one begins. */
static const char *architecture_read(const char *at, architecture *a)
{
    char *end;
    long number = strtol(at, &end, 10);
    size_t length = strcspn(at, ";");
    *a = {(int)(number / 10), (int)(number % 10), '\0', true, true};
    if (*end == 'a' || *end == 'f')
        a->feature = *end++;
    if (strncmp(end, "-real", 5) == 0)
        a->ptx = false;
    else if (strncmp(end, "-virtual", 8) == 0)
        a->real = false;
    return at[length] ? at + length + 1 : at + length;
}

static bool architecture_runs(const architecture &a, int major, int minor)
{
    bool same_major = a.major == major && a.minor <= minor;
    if (a.feature == 'a')
        return a.major == major && a.minor == minor;
    if (a.feature == 'f' || !a.ptx)
        return same_major;
    return same_major || a.major < major;
}

int architecture_check(const char *built, int major, int minor, error *error)
{
    char have[256] = "";
    for (const char *at = built; *at;) {
        architecture a;
        at = architecture_read(at, &a);
        if (architecture_runs(a, major, minor))
            return 0;
        size_t used = strlen(have);
        snprintf(have + used, sizeof have - used, "%s%s%d%d%.1s", used ? ", " : "",
                 a.real ? "sm_" : "PTX of compute_", a.major, a.minor, a.feature ? &a.feature : "");
    }
    return error_set(
        error, ERROR_UNAVAILABLE,
        "this build has code for %s; the GPU is sm_%d%d: build again on this machine (./run does), or "
        "with -DCOALESCED_CUDA_ARCHITECTURES=%d%d",
        have[0] ? have : "no architecture", major, minor, major, minor);
}
