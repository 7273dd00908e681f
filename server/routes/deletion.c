/* Cancelling and removing over HTTP: who may, the write, the answer after its commit. */
#include "server/routes/deletion.h"

#include <stdlib.h>
#include <string.h>

#include "server/routes/query.h"
#include "server/routes/wait.h"

const char *const deletion_queries[] = {"remove", NULL};

/* True: *handled is the 403. */
static bool forbid(struct request *request, const char *what, const char *owner, enum handled *handled)
{
    const char *name = request_user(request)->name, *id = request_param(request);
    if (request_user(request)->role == ROLE_ADMIN || (owner[0] && strcmp(owner, name) == 0))
        return false;
    if (owner[0])
        *handled = reply_problem(request, PROBLEM_FORBIDDEN,
                                 "%s %s is %s's: %s or an admin may end or remove it, and this token is %s's",
                                 what, id, owner, owner, name);
    else
        *handled = reply_problem(
            request, PROBLEM_FORBIDDEN,
            "%s %s was submitted without a token: an admin may end or remove it, and this token is %s's",
            what, id, name);
    return true;
}

static void on_removed(void *arg, const char *id)
{
    struct commit_wait *wait = arg;
    service_forget_experiment(request_http(wait->request), id);
}

static enum handled begin(struct request *request, const struct deletion *deletion, bool remove)
{
    const struct service *service = service_of(request);
    const char *id = request_param(request);
    struct deletion_target target;
    struct error error = {0};
    enum handled handled;
    /* An admin's cancelling needs no read, so it works while the disk cannot be read. */
    bool read = remove || request_user(request)->role != ROLE_ADMIN;
    if (read && (deletion->read(request, id, &target, &handled) < 0 ||
                 forbid(request, deletion->what, target.owner, &handled)))
        return handled;
    if (remove && !target.ended)
        return reply_problem(request, PROBLEM_CONFLICT,
                             "%s %s has not ended: %s; DELETE without remove cancels it", deletion->what, id,
                             target.state);
    struct commit_wait *wait = wait_commit_new(request, sizeof *wait, free, &handled);
    if (!wait)
        return handled;
    int status =
        remove ? store_remove(service->store, deletion->kind, id, on_removed, wait_commit_done, wait, &error)
               : deletion->cancel(service->queue, id, wait_commit_done, wait, &error);
    if (status == 0)
        return request_wait(request);
    if (!remove && error.kind == ERROR_NOT_FOUND)
        return deletion->answer(request, id, false);
    return reply_error(request, &error);
}

enum handled deletion_handle(struct request *request, const struct deletion *deletion)
{
    struct commit_wait *wait = request_state(request);
    enum handled handled;
    bool remove;
    const char *wrong = query_remove(request, &remove);
    if (wrong)
        return reply_problem(request, PROBLEM_MALFORMED, "%s", wrong);
    if (!wait)
        return begin(request, deletion, remove);
    if (!wait_commit_over(wait, &handled))
        return handled;
    return remove ? reply_no_content(request) : deletion->answer(request, request_param(request), true);
}

enum handled deletion_reply_ended(struct request *request, const char *what, const char *id,
                                  const char *state)
{
    return reply_problem(request, PROBLEM_CONFLICT,
                         "%s %s has ended: %s; DELETE with ?remove=true removes it", what, id, state);
}
