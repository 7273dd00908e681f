#include "server/routes/remove.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/http/http.h"

const char *const remove_queries[] = {"remove", NULL};

const char *remove_asked(const struct request *request, bool *remove)
{
    const char *asked = request_query(request, "remove");
    *remove = asked && strcmp(asked, "true") == 0;
    return !asked || *remove || strcmp(asked, "false") == 0 ? NULL : "remove must be true or false";
}

void remove_forget(void *http, const char *id)
{
    char path[64];
    snprintf(path, sizeof path, "/v1/experiments/%s", id);
    http_invalidate(http, path);
}

struct removing {
    struct request *request;
    atomic_bool done;
    struct error failed;
};

static void on_removed(void *arg, const char *id)
{
    struct removing *removing = arg;
    remove_forget(request_http(removing->request), id);
}

static void on_done(void *arg, const struct error *failed)
{
    struct removing *removing = arg;
    if (failed)
        removing->failed = *failed;
    atomic_store(&removing->done, true);
    request_wake(removing->request);
}

enum handled remove_handle(struct request *request, enum store_kind kind, remove_check check)
{
    const char *id = request_param(request);
    struct removing *removing = request_state(request);
    if (removing) {
        if (!atomic_load(&removing->done))
            return request_wait(request);
        return removing->failed.kind == ERROR_NONE ? reply_no_content(request)
                                                   : reply_error(request, &removing->failed);
    }
    enum handled handled;
    struct error error = {0};
    if (check(request, id, &handled) < 0)
        return handled;
    if (!(removing = calloc(1, sizeof *removing)))
        return reply_problem(request, PROBLEM_UNAVAILABLE, "there is no memory to remove");
    removing->request = request;
    request_set_state(request, removing, free);
    if (store_remove(request_service(request)->store, kind, id, on_removed, on_done, removing, &error) < 0)
        return reply_error(request, &error);
    return request_wait(request);
}
