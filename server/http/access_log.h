/* What is written down of a request once the service is done with it: a line of the access log, one of the audit log when
   it changed something or was not allowed to (log_throttle.h), and a call for whoever counts. */
#ifndef COALESCED_SERVER_HTTP_ACCESS_LOG_H
#define COALESCED_SERVER_HTTP_ACCESS_LOG_H

#include <stdbool.h>

#include "server/http/http_state.h"

/* Makes what limits the lines of the logs that there are. -1: no memory. */
int access_log_start(struct http *http);

/* Gives the request the name that its reply and its lines carry: the one it came with (NULL: none) when that is 1 to 128
   letters, digits and -._~:/+=@, else one made up. */
void access_log_name(struct request *request, const char *given);

/* `whole`: the client got all of the reply. On the connection's thread. */
void access_log_request(const struct request *request, bool whole);

#endif
