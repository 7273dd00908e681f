/* What became of an access in the machine code, in words. */
#pragma once

#include "ptx/match.h"

/* A sentence about a site whose count is not the machine's, without its line. NUL terminated within `bytes`. */
void match_text_write(const struct match_site *site, const struct match_verdict *verdict, char *text,
                      size_t bytes);
