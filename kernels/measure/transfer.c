/* Times a few copies in each direction, by the host's clock. */
#include "kernels/measure/transfer.h"

#include "base/clock.h"
#include "kernels/statistics.h"

enum { SAMPLES = 7 };

struct copying {
    const struct device_kind *kind;
    struct device *device;
    const struct run *run;
    void *host[KERNEL_BUFFERS];
};

static bool is_input(const struct run *run, int buffer)
{
    return run->kernel->buffers[buffer].role == BUFFER_INPUT;
}

/* Copies every input once, or every output. */
static int copy_all(struct copying *c, bool inputs, bool to_device, struct error *error)
{
    for (int b = 0; b < c->run->kernel->buffer_count; b++) {
        uint64_t bytes = run_buffer_bytes(c->run, b);
        if (is_input(c->run, b) != inputs)
            continue;
        int failed = to_device ? c->kind->write(c->device, c->run->buffer[b], c->host[b], bytes, error)
                               : c->kind->read(c->device, c->host[b], c->run->buffer[b], bytes, error);
        if (failed)
            return -1;
    }
    return 0;
}

static int time_copies(struct copying *c, bool inputs, bool to_device, double max_seconds,
                       struct transfer *transfer, struct error *error)
{
    double samples[SAMPLES];
    unsigned count = 0;
    int64_t deadline = clock_monotonic_ns() + (int64_t)(max_seconds * 1e9);
    /* The first copy only warms up: it makes the pages of the host's memory. */
    for (int i = -1; i < SAMPLES && (count == 0 || clock_monotonic_ns() < deadline); i++) {
        int64_t begin = clock_monotonic_ns();
        if (copy_all(c, inputs, to_device, error) < 0)
            return -1;
        if (i >= 0)
            samples[count++] = (double)(clock_monotonic_ns() - begin) / 1e3;
    }
    statistics_sort(samples, (int)count);
    transfer->samples = count;
    transfer->min_us = samples[0];
    transfer->median_us = statistics_median(samples, (int)count);
    for (int b = 0; b < c->run->kernel->buffer_count; b++)
        if (is_input(c->run, b) == inputs)
            transfer->bytes += run_buffer_bytes(c->run, b);
    return 0;
}

/* The copied inputs must equal the original ones. */
static int check_inputs(struct copying *c, struct error *error)
{
    for (int b = 0; b < c->run->kernel->buffer_count; b++) {
        struct mismatches found;
        if (!is_input(c->run, b))
            continue;
        if (c->kind->check(c->device, c->run, b, &found, error) < 0)
            return -1;
        if (found.mismatches)
            return error_set(error, ERROR_INCORRECT, "%llu elements of %s were wrong after the transfer",
                             found.mismatches, c->run->kernel->buffers[b].name);
    }
    return 0;
}

int transfer_time(const struct device_kind *kind, struct device *device, const struct run *run, bool pinned,
                  double max_seconds, struct result *result, struct error *error)
{
    struct copying c = {.kind = kind, .device = device, .run = run};
    int status = -1;
    if (!kind->host_alloc)
        return 0;
    for (int b = 0; b < run->kernel->buffer_count; b++)
        if (kind->host_alloc(device, run_buffer_bytes(run, b), pinned, &c.host[b], error) < 0)
            goto out;
    if (copy_all(&c, true, false, error) < 0 ||
        time_copies(&c, true, true, max_seconds, &result->to_device, error) < 0 ||
        time_copies(&c, false, false, max_seconds, &result->to_host, error) < 0)
        goto out;
    status = check_inputs(&c, error);
out:
    for (int b = 0; b < run->kernel->buffer_count; b++)
        if (c.host[b])
            kind->host_free(device, c.host[b], pinned);
    return status;
}
