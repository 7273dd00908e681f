/* The host's memory by /proc and the control group's limit. */
#include "kernels/device/host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <initializer_list>

void host_read_line(const char *path, const char *key, char *value, size_t size)
{
    value[0] = '\0';
    FILE *file = fopen(path, "re");
    char line[256];
    while (file && !value[0] && fgets(line, sizeof line, file)) {
        char *colon = strchr(line, ':');
        if (!colon || strncmp(line, key, strlen(key)) != 0)
            continue;
        colon += strspn(colon, ": \t");
        colon[strcspn(colon, "\n")] = '\0';
        snprintf(value, size, "%s", colon);
    }
    if (file)
        fclose(file);
}

uint64_t host_memory_bytes(void)
{
    uint64_t bytes = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
    for (const char *path : {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"}) {
        FILE *file = fopen(path, "re");
        unsigned long long limit;
        if (file && fscanf(file, "%llu", &limit) == 1 && limit < bytes)
            bytes = limit;
        if (file)
            fclose(file);
    }
    return bytes;
}

static uint64_t available_bytes(void)
{
    char value[64];
    host_read_line("/proc/meminfo", "MemAvailable", value, sizeof value);
    uint64_t available = strtoull(value, nullptr, 10) * 1024;
    uint64_t limit = host_memory_bytes();
    return available && available < limit ? available : limit;
}

int host_memory_check(uint64_t bytes, struct error *error)
{
    uint64_t available = available_bytes();
    if (bytes <= available)
        return 0;
    return error_set(error, ERROR_OUT_OF_MEMORY, "needs %llu bytes of the host's memory, %llu are available",
                     (unsigned long long)bytes, (unsigned long long)available);
}
