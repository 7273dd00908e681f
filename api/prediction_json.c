#include "api/prediction_json.h"

#include <stdio.h>

#include "api/json.h"

static int side_to_json(json_t *object, const char *prefix, const struct prediction_side *side)
{
    const struct {
        const char *name;
        json_t *value;
    } members[] = {
        {"requests", json_integer((json_int_t)side->requests)},
        {"transactions", json_integer((json_int_t)side->transactions)},
        {"sectors", json_integer((json_int_t)side->sectors)},
        {"lines", json_integer((json_int_t)side->lines)},
        {"requested_bytes", json_integer((json_int_t)side->bytes)},
        {"moved_bytes", json_integer((json_int_t)side->moved_bytes)},
        {"efficiency_pct", side->efficiency_pct < 0 ? json_null() : number_to_json(side->efficiency_pct)},
    };
    int failed = 0;
    for (size_t i = 0; i < sizeof members / sizeof members[0]; i++) {
        char name[48];
        snprintf(name, sizeof name, "%s_%s", prefix, members[i].name);
        failed |= json_object_set_new(object, name, members[i].value);
    }
    if (side->efficiency_pct < 0) {
        char name[48];
        snprintf(name, sizeof name, "%s_reason", prefix);
        failed |= json_object_set_new(object, name, json_string("nothing is touched"));
    }
    return failed;
}

/* Where a transaction is a segment of one of three sizes. */
static int segments_to_json(json_t *object, const uint64_t segments[3])
{
    return json_object_set_new(object, "gst_transactions_32", json_integer((json_int_t)segments[0])) |
           json_object_set_new(object, "gst_transactions_64", json_integer((json_int_t)segments[1])) |
           json_object_set_new(object, "gst_transactions_128", json_integer((json_int_t)segments[2]));
}

json_t *prediction_to_json(const struct prediction *prediction)
{
    json_t *object = json_pack("{s:s,s:b,s:b}", "arch", prediction->arch->name, "l1", prediction->l1, "exact",
                               prediction->exact);
    const struct prediction_shared *load = &prediction->shared_load, *store = &prediction->shared_store;
    json_t *rest =
        json_pack("{s:I,s:I,s:I,s:I,s:I,s:I}", "atomic_requests", (json_int_t)prediction->atomic_requests,
                  "atomic_sectors", (json_int_t)prediction->atomic_sectors, "shared_load_requests",
                  (json_int_t)load->requests, "shared_load_bank_conflicts", (json_int_t)load->bank_conflicts,
                  "shared_store_requests", (json_int_t)store->requests, "shared_store_bank_conflicts",
                  (json_int_t)store->bank_conflicts);
    int failed = side_to_json(object, "gld", &prediction->load) ||
                 side_to_json(object, "gst", &prediction->store) || !rest || json_object_update(object, rest);
    if (prediction->arch->access.stores_joined)
        failed |= segments_to_json(object, prediction->store.segments);
    failed |= json_object_set_new(object, "lanes_active", number_to_json(prediction->lanes_active));
    if (prediction->note)
        failed |= json_object_set_new(object, "note", json_string(prediction->note));
    json_decref(rest);
    if (failed) {
        json_decref(object);
        return NULL;
    }
    return object;
}

/* In place of a note that is there: what stands for a device is the nearer one. */
static void note_elsewhere(const struct experiment *experiment, json_t *object)
{
    struct domain domain = experiment_domain(experiment);
    struct traffic elsewhere = experiment->kernel->unmodelled_traffic(&domain);
    if (object && (elsewhere.loads || elsewhere.stores))
        json_object_set_new(
            object, "note",
            json_sprintf("on a GPU %llu elements are loaded and %llu stored by other ways than the loads and "
                         "stores of warps (a copy engine, the tensor memory accelerator, a texture): none of "
                         "these sums has them",
                         (unsigned long long)elsewhere.loads, (unsigned long long)elsewhere.stores));
}

static json_t *noted(const struct experiment *experiment, json_t *object)
{
    note_elsewhere(experiment, object);
    if (object && experiment->kernel->copied)
        json_object_set_new(
            object, "note",
            json_string("on a GPU a copy engine does it, and no warp makes a request; this is what "
                        "threads would ask for in its place"));
    return object;
}

json_t *prediction_for(const struct experiment *experiment, const struct access *access, const char *name,
                       enum l1_setting setting)
{
    const struct arch *arch = arch_find(name);
    struct prediction prediction;
    struct error error = {0};
    if (!arch)
        error_set(&error, ERROR_NOT_FOUND, "the model has no architecture \"%.32s\"", name);
    else if (prediction_make(experiment, access, arch, setting, &prediction, &error) == 0)
        return noted(experiment, prediction_to_json(&prediction));
    return json_pack("{s:s,s:s,s:s}", "arch", name, "status", "unavailable", "reason", error.text);
}

json_t *prediction_for_device(const struct experiment *experiment, const struct access *access,
                              const char *arch)
{
    const char *known = arch_find(arch) ? arch : PREDICTION_STAND_IN;
    if (experiment->kernel->copied)
        return json_pack("{s:s,s:s,s:s}", "arch", known, "status", "unavailable", "reason",
                         "a copy engine does it: no warp makes a request");
    json_t *object = prediction_for(experiment, access, known, L1_BY_ARCH);
    if (known != arch)
        json_object_set_new(
            object, "note",
            json_sprintf("the model does not know %s; this is what %s would do", arch, known));
    return object;
}
