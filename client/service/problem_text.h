/* Prints a problem document (RFC 9457) on standard error, and marks the argument that it is about; with --json also
   the document itself on standard output. */
#pragma once

#include "client/terminal/screen.h"

/* body: of the response, JSON or not. */
void problem_text_print(struct screen *screen, long status, const char *body, char *const *arguments,
                        int argument_count);

/* Reports that the request is retried for up to retry_s, and why. */
void problem_text_remark(struct screen *screen, long status, const char *body, double retry_s);
