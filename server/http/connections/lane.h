/* A few threads for what takes too long for the threads that serve connections: exports, pages, filters. Tasks run in
   the order in which they came; who has more to do after a task adds the next, so that all take turns. */
#ifndef COALESCED_SERVER_HTTP_CONNECTIONS_LANE_H
#define COALESCED_SERVER_HTTP_CONNECTIONS_LANE_H

#include "base/error.h"

struct lane;

/* Part of the caller's own struct, so that adding cannot fail. It must last until `run` is called, and may be freed
   there. */
struct lane_task {
    struct lane_task *next;
    void (*run)(struct lane_task *task);
};

int lane_start(struct lane **lane, int threads, struct error *error);

/* Any thread; does not block. */
void lane_add(struct lane *lane, struct lane_task *task);

/* Returns when every task that was added has run; none may be added any more. NULL is allowed. */
void lane_stop(struct lane *lane);

#endif
