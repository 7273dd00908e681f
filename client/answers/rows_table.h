/* A list of JSON objects as a table: a row an object, its columns described once. */
#pragma once

#include <jansson.h>

#include "client/terminal/sheet.h"

enum { ROWS_TABLE_CELL_BYTES = 1024 };

/* How the value at a column's path is written. */
enum rows_table_form {
    ROWS_TABLE_TEXT,   /* as json_path_value() writes it; what is too long for that in full */
    ROWS_TABLE_WHOLE,  /* without a fraction */
    ROWS_TABLE_NUMBER, /* four digits, of `factor` times the value */
    ROWS_TABLE_COUNT,  /* an integer with separators, else as ROWS_TABLE_NUMBER */
    ROWS_TABLE_ABOVE_0 /* as ROWS_TABLE_WHOLE, and an empty cell for what is not above 0 */
};

struct rows_table_column {
    const char *title, *unit; /* unit NULL: none */
    int flags;                /* of sheet.h */
    const char *path;         /* in a row's object, see json_path.h */
    enum style style;
    enum rows_table_form form;
    const char *missing; /* where there is no value; NULL: "", and "no value" for a number */
    double factor;       /* 0: 1 */

    /* Makes the cell's text in place of all that; returns its style. NULL: none. */
    enum style (*cell)(char text[ROWS_TABLE_CELL_BYTES], const json_t *row);
};

/* Writes the name of an experiment's kernel. For a kernel that a user brought, the name of its function comes
   first: "shift src-82964f4647c0". `row`: an experiment, or a row of a list of experiments. */
enum style rows_table_kernel(char text[ROWS_TABLE_CELL_BYTES], const json_t *row);

/* Prints the table of `rows`, an array; columns[] ends with a NULL title. */
void rows_table_print(const json_t *rows, const struct rows_table_column *columns,
                      const struct screen *screen, FILE *out);

/* Returns whether an experiment, or all that is left of a sweep, has ended while the service cannot write that. */
bool rows_table_unwritten(const json_t *row);
