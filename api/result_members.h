/* What members a result from an executor may have. */
#ifndef COALESCED_API_RESULT_MEMBERS_H
#define COALESCED_API_RESULT_MEMBERS_H

#include <stdbool.h>

/* Is it one of those that result_to_json() writes? */
bool result_has_member(const char *name);

#endif
