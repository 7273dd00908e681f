/* Functions that the commands run, sweep, recipe and again share: they complete a request, submit it and print the result. */
#pragma once

#include <stdbool.h>

#include <jansson.h>

#include "base/error.h"
#include "client/commands/command.h"

struct command_line;

/* Adds --device and --spread to the request. axes: it is a sweep's. A sweep cannot be spread over one device: without a device it
   goes to any. Returns -1 with an error about a value that cannot be read. */
int submit_add_device(json_t *request, const struct command_line *options, bool axes, struct error *error);

/* Adds the source of the file that reference=FILE names to the request. Does nothing for the name of a stored kernel, or without
   that argument. Returns -1 with an error about the file. */
int submit_make_reference(struct context *context, json_t *request, struct error *error);

/* Submit the request as an experiment or as a sweep, wait for its end and print the result. They release the request. NULL: it
   could not be made, which was reported already. They return an exit status. */
int submit_experiment(struct context *context, json_t *request);
int submit_sweep(struct context *context, json_t *request);
