/* The table as a man page. */
#ifndef COALESCED_CLIENT_MANUAL_MAN_PAGE_H
#define COALESCED_CLIENT_MANUAL_MAN_PAGE_H

#include <stdio.h>

/* The source of coalesce(1), for troff's man macros. */
void man_page_print(FILE *out, const char *version);

#endif
