/* A table of text with columns as wide as their cells. On a terminal that is too narrow the columns marked
   SHEET_SPARE are left out, which the output says; elsewhere all columns are written. */
#pragma once

#include <stdio.h>

#include "client/terminal/screen.h"

struct sheet;

enum sheet_column {
    SHEET_LEFT = 0,
    SHEET_RIGHT = 1,   /* aligned to the right: numbers */
    SHEET_SPARE = 2,   /* may be left out; the rightmost first */
    SHEET_ID = 4,      /* an id, of which the middle may be left out: 01M85N...XZP9SRJ */
    SHEET_CUT = 8,     /* of one column: its end may be left out, before other columns are */
    SHEET_FILLED = 16, /* left out where all of its cells are empty */
    SHEET_FIRST = 32,  /* with SHEET_SPARE: left out before the others */
};

/* What stays of an id, in characters. */
enum { SHEET_ID_HEAD = 6, SHEET_ID_TAIL = 7 };

/* Freed by sheet_print(). NULL, or a cell that is missing: no memory. All functions accept NULL. */
struct sheet *sheet_new(void);

/* All columns come before the first cell. unit: "" for none. The texts are copied. The column's number. */
int sheet_column(struct sheet *sheet, int flags, const char *name, const char *unit);

/* The next cell, row by row. */
void sheet_cell(struct sheet *sheet, enum style style, const char *text);
void sheet_format(struct sheet *sheet, enum style style, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Prints the table and frees it. The number of columns that are not left out. */
int sheet_print(struct sheet *sheet, const struct screen *screen, FILE *out);
