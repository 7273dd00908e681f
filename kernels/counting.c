#include "kernels/counting.h"

struct counting {
    const struct device_kind *kind;
    struct device *device;
    const struct run *run;
};

static int counting_prepare(void *arg, struct error *error)
{
    const struct counting *c = arg;
    for (int b = 0; b < c->run->kernel->buffer_count; b++)
        if (c->run->kernel->buffers[b].role != BUFFER_INPUT &&
            c->kind->prepare(c->device, c->run, b, error) < 0)
            return -1;
    return c->kind->flush(c->device, error);
}

static int counting_launch(void *arg, struct error *error)
{
    const struct counting *c = arg;
    return c->kind->launch(c->device, c->run, error);
}

int counting_run(const struct device_kind *kind, struct device *device, const struct run *run,
                 const struct counters_wanted *wanted, struct result *result, struct error *error)
{
    struct counting c = {kind, device, run};
    const struct counters_work work = {&c, counting_prepare, counting_launch};
    struct counters_wanted all = *wanted;
    struct counters_session *session;
    if (!kind->counters) {
        counters_unavailable(&result->counters, "run it on an NVIDIA GPU",
                             "the %s device has no hardware counters", kind->name);
        return 0;
    }
    all.shared = run->kernel->shared_bytes(&run->domain, run->dtype) > 0;
    if (kind->counters(device, &session, error) < 0 ||
        counters_measure(session, &all, &work, &result->counters, error) < 0)
        return -1;
    return kind->flush(device, error); /* a refusal is no error; a context that it broke is */
}
