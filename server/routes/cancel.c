#include "server/routes/cancel.h"

#include <stdatomic.h>
#include <stdlib.h>

struct cancelling {
    struct request *request;
    atomic_bool done;
    struct error failed;
};

static void on_cancelled(void *arg, const struct error *failed)
{
    struct cancelling *cancelling = arg;
    if (failed)
        cancelling->failed = *failed;
    atomic_store(&cancelling->done, true);
    request_wake(cancelling->request);
}

enum handled cancel_handle(struct request *request, cancel_ask ask, cancel_answer answer)
{
    const char *id = request_param(request);
    struct cancelling *cancelling = request_state(request);
    if (cancelling) {
        if (!atomic_load(&cancelling->done))
            return request_wait(request);
        if (cancelling->failed.kind != ERROR_NONE)
            return reply_error(request, &cancelling->failed);
        return answer(request, id, true);
    }
    if (!(cancelling = calloc(1, sizeof *cancelling)))
        return reply_problem(request, PROBLEM_UNAVAILABLE, "there is no memory to cancel");
    cancelling->request = request;
    request_set_state(request, cancelling, free);
    struct error error = {0};
    if (ask(request_service(request)->queue, id, on_cancelled, cancelling, &error) == 0)
        return request_wait(request);
    if (error.kind != ERROR_NOT_FOUND)
        return reply_error(request, &error);
    return answer(request, id, false);
}
