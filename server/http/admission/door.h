/* Which names the service answers to, and which pages may use it: a page that somebody opens in a browser can send
   requests to this machine, by a name of its own that it points here (Host) or across origins (Origin).

   Plain functions on texts; a door does not change. */
#ifndef COALESCED_SERVER_HTTP_ADMISSION_DOOR_H
#define COALESCED_SERVER_HTTP_ADMISSION_DOOR_H

#include <stdbool.h>

#include "base/error.h"

struct door;

/* `hosts`, `origins`: lists with commas or blanks, of names without a port and of origins; empty: none. `guarded`: only
   names of this machine's own and `hosts` are answered to; hosts that are given guard it too. -1: ERROR_INVALID naming
   --allow-host or --allow-origin, and what would have been right; ERROR_MEMORY. */
int door_new(struct door **door, const char *hosts, const char *origins, bool guarded, struct error *error);
void door_free(struct door *door);

/* Is it answered to? `host` is a Host field; NULL: there was none, as in HTTP/1.0, and no browser does that. */
bool door_answers(const struct door *door, const char *host);

/* The names that are answered to, for whoever asked by another one; never NULL. */
const char *door_names(const struct door *door);

/* May pages of other origins use the service at all? */
bool door_shares(const struct door *door);

/* Is the origin one that was allowed? Then it is the door's own text of it, else NULL. */
const char *door_allows(const struct door *door, const char *origin);

/* Is the origin, of http or https, that of the host that was asked, which may tell the scheme's own port? */
bool door_same(const char *origin, const char *host);

#endif
