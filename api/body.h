/* A request's body as JSON. */
#ifndef COALESCED_API_BODY_H
#define COALESCED_API_BODY_H

#include <jansson.h>

enum { BODY_DETAIL_BYTES = 256 };

/* The object that the body holds, a new reference; or NULL, with line, column and what is wrong in `detail`. Duplicate
   keys are wrong. `least`: what the body holds at the least, for whoever sent nothing. */
json_t *body_parse(const char *body, size_t length, const char *least, char detail[BODY_DETAIL_BYTES]);

#endif
