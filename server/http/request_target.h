/* The grammar of a request's target (RFC 9112, 3.2). Plain functions on texts. */
#ifndef COALESCED_SERVER_HTTP_REQUEST_TARGET_H
#define COALESCED_SERVER_HTTP_REQUEST_TARGET_H

#include <stdbool.h>
#include <stddef.h>

/* Decodes %XX in place and returns how many bytes are left. *sound becomes false when a text cannot be meant:
   a % without two hexadecimal digits, a NUL (both stay as they are written), bytes that are no UTF-8. */
size_t request_target_decode(char *text, bool *sound);

/* The path of the absolute form, http://anybody/path; any other target is a path already. */
const char *request_target_path(const char *target);

/* Is an absolute form that host's, as its Host field tells it (NULL: there was none)? Any other target is. */
bool request_target_is_of(const char *target, const char *host);

#endif
