#include "server/routes/answer_forbidden.h"

#include <string.h>

#include "server/auth/user.h"
#include "server/routes/answer_sweep.h"

static bool admin(const struct request *request)
{
    return request_user(request)->role == ROLE_ADMIN;
}

/* `what`: "experiment" or "sweep". */
static bool forbid_owner(struct request *request, const char *what, const char *id, const char *owner,
                         enum handled *handled)
{
    const char *name = request_user(request)->name;
    if (owner[0] && strcmp(owner, name) == 0)
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

bool forbid_experiment_of_other(struct request *request, const char *id, enum handled *handled)
{
    struct job *job;
    struct error error = {0};
    if (admin(request))
        return false;
    if (store_get(request_service(request)->store, id, &job, &error) < 0) {
        *handled = reply_error(request, &error);
        return true;
    }
    bool forbidden = forbid_owner(request, "experiment", id, job->owner, handled);
    job_free(job);
    return forbidden;
}

bool forbid_sweep_of_other(struct request *request, const char *id, enum handled *handled)
{
    struct sweep_row row;
    if (admin(request))
        return false;
    if (sweep_find(request, id, &row, handled) < 0)
        return true;
    bool forbidden = forbid_owner(request, "sweep", id, row.owner, handled);
    sweep_row_clear(&row);
    return forbidden;
}

bool forbid_override(struct request *request, int64_t priority, enum handled *handled)
{
    struct problems problems = {0};
    if (priority <= EXPERIMENT_PRIORITY_MAX || admin(request))
        return false;
    problem_add(&problems, "#/priority",
                "more than %d goes before everybody's, for which the role admin is wanted; this token has %s",
                EXPERIMENT_PRIORITY_MAX, role_name(request_user(request)->role));
    *handled = reply_fields_as(request, PROBLEM_FORBIDDEN, &problems);
    return true;
}
