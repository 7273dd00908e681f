/* DELETE of an experiment or of a sweep: cancels what has not ended, or with ?remove=true removes what
   has; answered after the commit. Another user's may be ended and removed by an admin alone. */
#ifndef COALESCED_SERVER_ROUTES_DELETION_H
#define COALESCED_SERVER_ROUTES_DELETION_H

#include "server/routes/service.h"

/* The one that the path names, as it is now. */
struct deletion_target {
    char owner[USER_NAME_BYTES]; /* empty: it was submitted without a token */
    bool ended;
    const char *state;
};

struct deletion {
    const char *what; /* "experiment" or "sweep" */
    enum store_kind kind;
    /* queue_cancel() or queue_cancel_sweep() */
    int (*cancel)(struct queue *queue, const char *id, void (*done)(void *arg, const struct error *failed),
                  void *arg, struct error *error);
    /* 0; or -1 with *handled: there is none of that id, or it cannot be read. */
    int (*read)(struct request *request, const char *id, struct deletion_target *target,
                enum handled *handled);
    /* The reply; `cancelled`: the queue has taken the cancellation, else it knows of none that could be
       cancelled. */
    enum handled (*answer)(struct request *request, const char *id, bool cancelled);
};

/* Names of the query parameters, for the route. */
extern const char *const deletion_queries[];

/* The whole handler. */
enum handled deletion_handle(struct request *request, const struct deletion *deletion);

/* Answers 409: it has ended and is not cancelled any more. */
enum handled deletion_reply_ended(struct request *request, const char *what, const char *id,
                                  const char *state);

#endif
