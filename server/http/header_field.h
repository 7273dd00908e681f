/* Parses the header fields that the service reads. All functions are pure and take texts. */
#pragma once

#include <stdbool.h>

/* How much an Accept field (NULL: anything) wants the media type, 0 (not allowed) to 1. The most specific
   range decides. */
double header_field_quality(const char *accept, const char *type);

/* True when an Accept-Language field (NULL: none) wants one language, whatever its region, more than the
   other. */
bool header_field_prefers_language(const char *accept_language, const char *wanted, const char *other);

/* True when an Accept-Encoding field allows the content coding, by its name or by *, with q above 0. */
bool header_field_names_coding(const char *accept_encoding, const char *coding);

/* True when a Content-Type is that media type, with any parameters. */
bool header_field_is_type(const char *content_type, const char *type);

/* The N of wait=N in a Prefer field, in seconds; -1: there is none, or it is not a number. */
int header_field_prefer_wait(const char *prefer);

/* True when an If-None-Match field contains the entity tag, which includes the quotes. Weak comparison (RFC
   9110, 13.1.2). */
bool header_field_names_tag(const char *if_none_match, const char *tag);

/* The token of "Bearer TOKEN"; NULL: the field has another form. */
const char *header_field_bearer(const char *authorization);

/* Reads a whole number of at most 9 digits within the limits; false: the text is no such number. */
bool header_field_number(const char *text, int min, int max, int *number);
