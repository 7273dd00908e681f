/* Makes text from the service safe to print on a terminal. */
#pragma once

#include <jansson.h>

/* Replaces each control character in all strings and member names of the document by a space, because a terminal obeys
   control characters. Newlines and tabs are kept, except in the strings of "labels", where a newline could imitate a
   line of this program's own output. Does nothing if the document is NULL. */
void clean_strings(json_t *document);
