/* Records a request when it is over: a line of the access log; a line of the audit log if it changed
   something or was refused; and a call of http_config.completed. Requests that anybody can repeat are counted
   instead. */
#pragma once

#include <stdbool.h>

#include "server/http/http_state.h"

/* Makes the throttles of the logs that are configured. -1: no memory. */
int access_log_start(struct http *http);

/* Sets the request's id, which the reply and the logs contain: the client's (NULL: none) if it has 1 to 128
   letters, digits and -._~:/+=@, otherwise a new one. */
void access_log_name(struct request *request, const char *given);

/* `whole`: the client received the whole reply. Called on the connection's thread. */
void access_log_request(const struct request *request, bool whole);

/* ---- the throttle of a log ---- */

/* Limits the lines that a log gets of requests that anybody can repeat endlessly: refused ones and those that
   changed nothing. Of each address, owner and status code the first request in a minute has its own line. The
   others are counted, and one line tells their count. */
struct log_throttle;

/* Buckets that are counted separately in a minute, and how many of them may have no owner, so that clients
   without a token leave buckets to users. All other requests share one count. */
enum { LOG_THROTTLE_BUCKETS = 256, LOG_THROTTLE_UNKNOWN = 128 };

/* Describes a request; borrowed for the call. */
struct throttled {
    const struct address_key *address;
    const char *remote; /* the address as text */
    const char *owner;  /* of its token; empty: no known token */
    unsigned code;      /* 0: the client closed before there was a reply */
};

/* Both arguments must outlive the throttle. `nulls`: the names of the members that the log's other lines have
   after the code, which are null here; NULL ends them. NULL: no memory. */
struct log_throttle *access_log_throttle_new(struct log_writer *log_writer, const char *const *nulls);

/* Writes the counts. NULL is allowed. */
void access_log_throttle_free(struct log_throttle *throttle);

/* True: write a line for this request. False: the request was counted. `now_ns`: clock_monotonic_ns(). Any
   thread. */
bool access_log_throttle_add(struct log_throttle *throttle, const struct throttled *request, int64_t now_ns);

/* Writes the counts whose minute is over. Call it about each second. Any thread. NULL is allowed. */
void access_log_throttle_write(struct log_throttle *throttle, int64_t now_ns);
