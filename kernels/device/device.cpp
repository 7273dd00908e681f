#include "kernels/device/device.h"

#include <stdlib.h>
#include <string.h>

/* The `wanted`-th device among the kinds that `take` accepts; returns how many there are. */
template <class F> static int nth_device(int wanted, F take, const device_kind **kind, int *index)
{
    int count = 0;
    for (int i = 0; device_kinds[i]; i++) {
        if (!take(device_kinds[i]))
            continue;
        int here = device_kinds[i]->count();
        if (wanted >= count && wanted < count + here) {
            *kind = device_kinds[i];
            *index = wanted - count;
        }
        count += here;
    }
    return count;
}

int device_find(const char *spec, const device_kind **kind, int *index, int *count, error *error)
{
    const char *colon = strchr(spec, ':');
    size_t length = colon ? (size_t)(colon - spec) : strlen(spec);
    char *end = nullptr;
    long wanted = colon ? strtol(colon + 1, &end, 10) : 0;
    if (colon && (end == colon + 1 || *end || wanted < 0))
        return error_set(error, ERROR_INVALID, "device \"%s\": a number must follow the colon", spec);

    *kind = nullptr;
    bool any = length == 4 && strncmp(spec, "auto", 4) == 0;
    auto named = [&](const device_kind *k) {
        return strlen(k->name) == length && strncmp(k->name, spec, length) == 0;
    };
    if (any) {
        *count = nth_device((int)wanted, [](const device_kind *k) { return !k->fallback; }, kind, index);
        if (*count == 0)
            *count = nth_device((int)wanted, [](const device_kind *k) { return k->fallback; }, kind, index);
    } else {
        *count = nth_device((int)wanted, named, kind, index);
    }
    if (!*kind)
        return error_set(error, ERROR_NOT_FOUND, "device \"%s\": there are %d of that kind here", spec,
                         *count);
    return 0;
}
