/* Which names the service answers to, and which pages may use it: a page that somebody opens in a browser can send
   requests to this machine, by a name of its own that it points here (Host) or across origins (Origin).

   Plain functions on texts; a origin check does not change. */
#ifndef COALESCED_SERVER_HTTP_ORIGIN_CHECK_H
#define COALESCED_SERVER_HTTP_ORIGIN_CHECK_H

#include <stdbool.h>

#include "base/error.h"

struct origin_check;

/* `hosts`, `origins`: lists with commas or blanks, of names without a port and of origins; empty: none. `guarded`: only
   names of this machine's own and `hosts` are answered to; hosts that are given guard it too. -1: ERROR_INVALID naming
   --allow-host or --allow-origin, and what would have been right; ERROR_MEMORY. */
int origin_check_new(struct origin_check **origin_check, const char *hosts, const char *origins, bool guarded,
                     struct error *error);
void origin_check_free(struct origin_check *origin_check);

/* Is it answered to? `host` is a Host field; NULL: there was none, as in HTTP/1.0, and no browser does that. */
bool origin_check_answers(const struct origin_check *origin_check, const char *host);

/* The names that are answered to, for whoever asked by another one; never NULL. */
const char *origin_check_names(const struct origin_check *origin_check);

/* May pages of other origins use the service at all? */
bool origin_check_shares(const struct origin_check *origin_check);

/* Is the origin one that was allowed? Then it is the origin check's own text of it, else NULL. */
const char *origin_check_allows(const struct origin_check *origin_check, const char *origin);

/* Is the origin, of http or https, that of the host that was asked, which may tell the scheme's own port? */
bool origin_check_same(const char *origin, const char *host);

#endif
