/* Chooses the experiments that share passes, and prepares and launches them for the profiler. */
#include "kernels/measure/counting.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/measure/layout.h"

struct counting {
    const struct device_kind *kind;
    struct device *device;
    struct counted *points[COUNTERS_POINTS];
    /* of the point that was prepared last: points use the same memory, one after the other */
    struct layout layout;
};

static int counting_prepare(void *arg, int point, struct error *error)
{
    struct counting *c = arg;
    if (layout_make(c->kind, c->device, c->points[point]->experiment, false, &c->layout, error) < 0)
        return -1;
    for (int b = 0; b < c->layout.run.kernel->buffer_count; b++)
        if (c->kind->prepare(c->device, &c->layout.run, b, error) < 0)
            return -1;
    return c->kind->flush(c->device, error);
}

static int counting_launch(void *arg, int point, struct error *error)
{
    const struct counting *c = arg;
    (void)point;
    return c->kind->launch(c->device, &c->layout.run, error);
}

static struct counters_wanted wanted_by(const struct experiment *e)
{
    struct counters_wanted wanted = e->counters;
    struct domain domain = experiment_domain(e);
    wanted.shared = e->kernel->shared_bytes(&domain, e->dtype) > 0;
    return wanted;
}

static bool same_set(const struct counters_wanted *a, const struct counters_wanted *b)
{
    bool same = a->on == b->on && a->shared == b->shared && a->count == b->count;
    for (int i = 0; same && i < a->count; i++)
        same = strcmp(a->name[i], b->name[i]) == 0;
    return same;
}

/* Why a kernel cannot be counted; NULL: it can. */
static const char *uncounted(const struct kernel *kernel)
{
    if (kernel->peer)
        return "what two devices do together is not counted";
    if (kernel->streamed)
        return "several launches in several streams are not counted: a pass sees one of them";
    return NULL;
}

/* A part of the L2 is set aside outside of passes: inside a pass that leaves the profiler with zeros. */
static bool passes_are_shared(const struct experiment *a, const struct experiment *b)
{
    struct domain of_a = experiment_domain(a), of_b = experiment_domain(b);
    return a->kernel->l2_persisting(&of_a) < 0 && b->kernel->l2_persisting(&of_b) < 0;
}

/* Reserves the point's memory, loads its kernel and sets its part of the L2 aside, so that none of this
   happens in a pass. */
static int make_ready(const struct counting *c, const struct experiment *e, struct error *error)
{
    struct layout layout;
    struct launch_facts facts;
    if (layout_make(c->kind, c->device, e, false, &layout, error) < 0)
        return -1;
    return c->kind->launch_facts(c->device, &layout.run, &facts, error);
}

int counting_run(const struct device_kind *kind, struct device *device, struct counted points[], int count,
                 double ahead_s, struct error *error)
{
    struct counting c = {.kind = kind, .device = device};
    struct counters_work work = {
        .arg = &c, .ahead_s = ahead_s, .prepare = counting_prepare, .launch = counting_launch};
    struct counters_wanted wanted = wanted_by(points[0].experiment);
    struct counters_session *session;
    for (int i = 0; i < count; i++)
        points[i].counters = (struct counters){0};
    if (!kind->counters) {
        counters_unavailable(&points[0].counters, "run it on an NVIDIA GPU",
                             "the %s device has no hardware counters", kind->name);
        return 0;
    }
    const char *why = uncounted(points[0].experiment->kernel);
    if (why) {
        counters_unavailable(&points[0].counters, "leave counters out", "%s", why);
        return 0;
    }
    for (int i = 0; i < count && work.points < COUNTERS_POINTS; i++) {
        const struct experiment *e = points[i].experiment;
        struct counters_wanted also = wanted_by(e);
        struct error refused = {0};
        if (!same_set(&wanted, &also) || uncounted(e->kernel) ||
            (i > 0 && !passes_are_shared(points[0].experiment, e)))
            continue;
        if (make_ready(&c, e, &refused) < 0) {
            if (i > 0 && refused.kind == ERROR_OUT_OF_MEMORY)
                continue; /* counted later, in passes of its own */
            return error_set(error, refused.kind, "%s", refused.text);
        }
        work.preparing[work.points] = (unsigned)e->kernel->buffer_count + 1; /* + 1: the flush */
        c.points[work.points++] = &points[i];
    }
    for (int i = 0; i < work.points;
         i++) /* a point that did not fit may have released the memory of those before it */
        if (layout_make(kind, device, c.points[i]->experiment, false, &c.layout, error) < 0)
            return -1;
    struct counters *found = calloc((size_t)work.points + 1, sizeof *found);
    if (!found)
        return error_set(error, ERROR_MEMORY, "no memory for the counters");
    int failed = kind->counters(device, &session, error) < 0 ||
                 device_counters_measure(session, &wanted, &work, found, error) < 0;
    for (int i = 0; i < work.points; i++)
        c.points[i]->counters = found[i];
    free(found);
    return failed ? -1 : kind->flush(device, error); /* a refusal is no error; a broken context is */
}
