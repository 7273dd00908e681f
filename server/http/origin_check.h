/* Decides which host names the service answers to and which pages may use it. A page in a browser can send
   requests to this machine, either across origins (Origin) or under a host name of its own that resolves to
   this machine (Host). All functions are pure; a check does not change after it is made, so any thread may
   use it. */
#pragma once

#include <stdbool.h>

#include "base/error.h"

struct origin_check;

/* `hosts`, `origins`: lists, separated by commas or blanks, of names without a port and of origins; "": none.
   `guarded`: answer only to local names and `hosts`; a list of hosts implies it. -1: ERROR_INVALID naming
   --allow-host or --allow-origin, or ERROR_MEMORY. */
int origin_check_new(struct origin_check **origin_check, const char *hosts, const char *origins, bool guarded,
                     struct error *error);
void origin_check_free(struct origin_check *origin_check);

/* True when the service answers to that Host field. NULL, no field as in HTTP/1.0, is answered: no browser
   sends that. */
bool origin_check_answers(const struct origin_check *origin_check, const char *host);

/* The names that the service answers to, for an error message. Never NULL. */
const char *origin_check_names(const struct origin_check *origin_check);

/* True when pages of other origins are allowed at all. */
bool origin_check_shares(const struct origin_check *origin_check);

/* Returns the check's own text of the origin if it is allowed, otherwise NULL. */
const char *origin_check_allows(const struct origin_check *origin_check, const char *origin);

/* True when an http or https origin is that of the host, which may contain the scheme's default port. */
bool origin_check_same(const char *origin, const char *host);
