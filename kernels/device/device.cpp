/* Finds a device by its spec, and the duration of the spinning kernel. */
#include "kernels/device/device.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Finds the `wanted`-th device among the kinds that `take` accepts; returns how many there are. */
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

/* The length of the name before the colon, which a number follows. */
static size_t name_length(const char *spec)
{
    return strcspn(spec, ":");
}

static bool name_is(const char *spec, const char *name)
{
    return strlen(name) == name_length(spec) && strncmp(spec, name, strlen(name)) == 0;
}

int device_check(const char *spec, error *error)
{
    const char *colon = strchr(spec, ':');
    size_t digits = colon ? strspn(colon + 1, "0123456789") : 0;
    if (colon && (!digits || digits > 9 || colon[1 + digits]))
        return error_set(error, ERROR_INVALID, "device \"%s\": a number must follow the colon", spec);
    char names[80] = "auto";
    bool known = name_is(spec, "auto");
    for (int i = 0; device_kinds[i]; i++) {
        size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, ", %s", device_kinds[i]->name);
        known = known || name_is(spec, device_kinds[i]->name);
    }
    if (!known)
        return error_set(error, ERROR_INVALID, "device \"%s\": the kinds of this build are %s", spec, names);
    return 0;
}

int device_find(const char *spec, const device_kind **kind, int *index, int *count, error *error)
{
    if (device_check(spec, error) < 0)
        return -1;
    const char *colon = strchr(spec, ':');
    long wanted = colon ? strtol(colon + 1, nullptr, 10) : 0;

    *kind = nullptr;
    auto named = [&](const device_kind *k) { return name_is(spec, k->name); };
    if (name_is(spec, "auto")) {
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

double device_spin_ns(double spin_ns, double enqueue_ns, bool early)
{
    static const double margin = 1.25, shorter = 0.9;
    if (early)
        return fmin(2 * spin_ns, DEVICE_SPIN_MOST_NS);
    double enough = fmax(margin * enqueue_ns, DEVICE_SPIN_LEAST_NS);
    return fmin(fmax(shorter * spin_ns, enough), DEVICE_SPIN_MOST_NS);
}
