/* Who waits, as queue and top print it. */
#ifndef COALESCED_CLIENT_COMMANDS_QUEUE_COMMAND_H
#define COALESCED_CLIENT_COMMANDS_QUEUE_COMMAND_H

#include <jansson.h>
#include <stdio.h>

#include "client/terminal/screen.h"

/* queue: the answer of /v1/queue. Devices for which the same waits share their lines. */
void queue_command_print(const json_t *queue, const struct screen *screen, FILE *out);

#endif
