/* Refusals in the audit log: whoever is not let in must not be able to fill it. The first refusal of an address has a line of its
   own; further ones within a minute are counted, and one line says how many they were. At most REFUSALS_MOST addresses are
   told apart in a minute; the rest share one count. */
#ifndef COALESCED_SERVER_HTTP_LOG_REFUSALS_H
#define COALESCED_SERVER_HTTP_LOG_REFUSALS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "server/http/connections/crowd.h"

enum { REFUSALS_MOST = 256 };

struct journal;
struct refusals;

/* Who was refused; borrowed for the call. */
struct refused {
    const struct crowd_key *address;
    const char *remote; /* the address as text */
    const char *
        owner; /* of the token that it presented; empty: of none that is known. A minute's line is for each. */
};

/* The journal must outlive it. NULL: no memory. */
struct refusals *refusals_new(struct journal *journal);

/* Writes what is counted. NULL is allowed. */
void refusals_free(struct refusals *refusals);

/* True: it is to have a line of its own. False: it is counted. `now_ns`: clock_monotonic_ns(). Any thread. */
bool refusals_add(struct refusals *refusals, const struct refused *refused, int64_t now_ns);

/* Writes the counts whose minute is over; to be called each second or so. Any thread. */
void refusals_write(struct refusals *refusals, int64_t now_ns);

#endif
