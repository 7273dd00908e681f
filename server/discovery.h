/* How whoever started the service learns where it listens. */
#ifndef COALESCED_SERVER_DISCOVERY_H
#define COALESCED_SERVER_DISCOVERY_H

#include "base/error.h"

struct config;

/* One line of JSON for a program on standard output, a line of the log for users, and the port to --port-file. */
int discovery_announce(const struct config *config, int port, const char *instance, struct error *error);

#endif
