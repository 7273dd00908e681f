/* A sweep's points as a table, from the view runs or the view summary. */
#ifndef COALESCED_CLIENT_ANSWERS_POINTS_TABLE_H
#define COALESCED_CLIENT_ANSWERS_POINTS_TABLE_H

#include <jansson.h>
#include <stdbool.h>

#include "client/terminal/screen.h"

/* In a sweep that is spread over devices: adds the device's name to the values of each point, as one more
   axis of the table and the plot. */
void points_table_name_devices(json_t *sweep);

/* sweep: the document with all points. */
void points_table_print(const json_t *sweep, const struct screen *screen);

/* As result_table_status(), over all points. */
int points_table_status(const json_t *sweep, bool strict);

#endif
