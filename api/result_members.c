#include "api/result_members.h"

#include <stddef.h>
#include <string.h>

bool result_has_member(const char *name)
{
    static const char *const members[] = {"device",      "launch",    "timing",     "bandwidth", "compute",
                                          "correctness", "stability", "counters",   "transfers", "occupancy",
                                          "prediction",  "execution", "provenance", "placement", "samples",
                                          "peer",        "time",      "host_timer"};
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        if (strcmp(members[i], name) == 0)
            return true;
    return false;
}
