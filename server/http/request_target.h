/* Parses the target of a request (RFC 9112, 3.2). All functions are pure and take texts. */
#ifndef COALESCED_SERVER_HTTP_REQUEST_TARGET_H
#define COALESCED_SERVER_HTTP_REQUEST_TARGET_H

#include <stdbool.h>
#include <stddef.h>

/* Decodes %XX in place and returns the length. *valid becomes false for a % without two hexadecimal digits or
   a NUL, which are left as they are, and for bytes that are not UTF-8. */
size_t request_target_decode(char *text, bool *valid);

/* The path of an absolute URL, http://host/path; any other target is a path already. */
const char *request_target_path(const char *target);

/* True when an absolute URL is for that host, as in the Host field (NULL: none), and for any other target. */
bool request_target_is_of(const char *target, const char *host);

#endif
