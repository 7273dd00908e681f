/* A problem document (RFC 9457) on standard error: what the service says, with the argument that it means marked. */
#ifndef COALESCED_CLIENT_SERVICE_PROBLEM_TEXT_H
#define COALESCED_CLIENT_SERVICE_PROBLEM_TEXT_H

#include "client/terminal/screen.h"

/* body: what was answered, JSON or not. */
void problem_text_tell(struct screen *screen, long status, const char *body, char *const *arguments,
                       int argument_count);

/* That it is asked again, for so long at most, and why. */
void problem_text_remark(struct screen *screen, long status, const char *body, double patience_s);

#endif
