/* The grammar of the few header fields that the service reads. Plain functions on texts. */
#ifndef COALESCED_SERVER_HTTP_HEADER_FIELD_H
#define COALESCED_SERVER_HTTP_HEADER_FIELD_H

#include <stdbool.h>

/* Does an Accept field (NULL: everything) allow that media type? The most specific range decides; q=0
   refuses. */
bool header_field_accepts(const char *accept, const char *type);

/* How much it is wanted: the q of that range, 0 to 1. */
double header_field_quality(const char *accept, const char *type);

/* Is the language `wanted` ("zh", with any of its regions) asked for before `other` in an Accept-Language field? NULL or
   an equal weight for both: no. */
bool header_field_prefers_language(const char *accept_language, const char *wanted, const char *other);

/* Does an Accept-Encoding field name that content coding, or all, without q=0? */
bool header_field_names_coding(const char *accept_encoding, const char *coding);

/* Is a Content-Type that media type, whatever its parameters? */
bool header_field_is_type(const char *content_type, const char *type);

/* The N of wait=N in a Prefer field; -1: there is none, or it is no number. */
int header_field_prefer_wait(const char *prefer);

/* Is the entity tag (quotes included) in an If-None-Match field? Weak comparison, as RFC 9110 wants there. */
bool header_field_names_tag(const char *if_none_match, const char *tag);

/* The token of "Bearer <token>"; NULL: it is none. */
const char *header_field_bearer(const char *authorization);

/* A whole number of at most 9 digits within the limits; false: the text is none. */
bool header_field_number(const char *text, int min, int max, int *number);

#endif
