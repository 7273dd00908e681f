/* Limits how many lines a log gets of requests that anybody may repeat without end: what was refused, what changed nothing. Of
   each address, owner and status code the first request of a minute has a line of its own; further ones are counted, and one
   line says how many they were. */
#ifndef COALESCED_SERVER_HTTP_LOG_THROTTLE_H
#define COALESCED_SERVER_HTTP_LOG_THROTTLE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "server/http/address_limit.h"

/* How many are counted apart in a minute, and how many of these without an owner, so that those who have no token leave room
   for those who have one. All others share one count. */
enum { LOG_THROTTLE_BUCKETS = 256, LOG_THROTTLE_UNKNOWN = 128 };

struct log_writer;
struct log_throttle;

/* A request; borrowed for the call. */
struct throttled {
    const struct address_key *address;
    const char *remote; /* the address as text */
    const char *owner;  /* of its token; empty: not known */
    unsigned code;      /* 0: the client left before there was an answer */
};

/* The log writer must outlive it. `nulls`: the members that the other lines of this log have after the code, each of them null, as
   JSON; must outlive it, too. NULL: no memory. */
struct log_throttle *log_throttle_new(struct log_writer *log_writer, const char *nulls);

/* Writes what is counted. NULL is allowed. */
void log_throttle_free(struct log_throttle *throttle);

/* True: the request is to have a line of its own. False: it is counted. `now_ns`: clock_monotonic_ns(). Any thread. */
bool log_throttle_add(struct log_throttle *throttle, const struct throttled *request, int64_t now_ns);

/* Writes the counts whose minute is over; to be called each second or so. Any thread. NULL is allowed. */
void log_throttle_write(struct log_throttle *throttle, int64_t now_ns);

#endif
