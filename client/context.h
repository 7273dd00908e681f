/* What every command works with. */
#ifndef COALESCED_CLIENT_CONTEXT_H
#define COALESCED_CLIENT_CONTEXT_H

#include "client/exit.h"
#include "client/options.h"
#include "client/service/http_client.h"
#include "client/terminal/screen.h"

struct context {
    struct options options;
    struct screen screen;
    struct http_client service;
};

/* Tells what is wrong with the command line; EXIT_USAGE. */
int context_usage(struct context *context, const struct error *error);

#endif
