/* What others wrote, as it may be printed. */
#pragma once

#include <jansson.h>

/* Replaces the control characters in all strings and names of the document, which a terminal would obey, by blanks. Ends of
   lines and tabs stay, but not in the strings of "labels": there they would look like lines of this program. NULL:
   does nothing. */
void clean_strings(json_t *document);
