/* The table of commands as a man page. */
#ifndef COALESCED_CLIENT_MANUAL_MAN_PAGE_H
#define COALESCED_CLIENT_MANUAL_MAN_PAGE_H

#include <stdio.h>

/* Prints the source of coalesce(1), with troff's man macros. */
void man_page_print(FILE *out, const char *version);

#endif
