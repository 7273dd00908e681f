/* A removal hands itself over again until all is gone. */
#include <stdlib.h>
#include <string.h>

#include "server/store/store.h"
#include "server/store/write.h"

struct removal {
    struct store_write write; /* first: a write is cast to its removal */
    struct store_removal step;
    struct store *store;
    bool begun; /* a step is committed: the retention goes on where this one ends */
    void (*removed)(void *arg, const char *id);
    void (*done)(void *arg, const struct error *failed);
    void *arg;
};

static void on_step(struct store_write *write, const struct error *failed)
{
    struct removal *removal = (struct removal *)write;
    for (int i = 0; !failed && i < removal->step.count; i++)
        removal->removed(removal->arg, removal->step.removed[i]);
    if (!failed && removal->step.more) {
        removal->begun = true;
        store_hand_over(removal->store, &removal->write);
        return;
    }
    struct error bound = {0};
    if (failed && removal->begun)
        error_set(
            &bound, ERROR_UNCERTAIN,
            "sweep %s is not shown any more, and what is left of it is removed once the service can write"
            " again: %.200s",
            removal->step.id, failed->text);
    removal->done(removal->arg, bound.kind ? &bound : failed);
    free(removal);
}

int store_remove(struct store *store, enum store_kind kind, const char *id,
                 void (*removed)(void *arg, const char *id),
                 void (*done)(void *arg, const struct error *failed), void *arg, struct error *error)
{
    struct removal *removal = calloc(1, sizeof *removal);
    if (!removal)
        return error_set(error, ERROR_MEMORY, "no memory to remove");
    removal->write.done = on_step;
    removal->write.removal = &removal->step;
    removal->step.what = kind == STORE_SWEEP ? REMOVE_SWEEP : REMOVE_EXPERIMENT;
    memcpy(removal->step.id, id, strnlen(id, ID_BYTES - 1));
    removal->store = store;
    removal->removed = removed;
    removal->done = done;
    removal->arg = arg;
    store_hand_over(store, &removal->write);
    return 0;
}
