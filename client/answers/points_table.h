/* A sweep's points, in one form whether they come run by run or summed up over their runs: as a table. */
#ifndef COALESCED_CLIENT_ANSWERS_POINTS_TABLE_H
#define COALESCED_CLIENT_ANSWERS_POINTS_TABLE_H

#include <jansson.h>
#include <stdbool.h>

#include "client/terminal/screen.h"

/* Of a sweep that is spread over devices the name of its device is one more value of each point: it is told apart by it in
   the table and the plot. */
void points_table_name_devices(json_t *sweep);

/* sweep: with all of its points. */
void points_table_print(const json_t *sweep, const struct screen *screen);

/* As result_status(), over all points. */
int points_table_status(const json_t *sweep, bool strict);

#endif
