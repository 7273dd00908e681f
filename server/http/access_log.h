/* Records a request when it is over: a line of the access log; a line of the audit log if it changed
   something or was refused; and a call of http_config.completed. Requests that anybody can repeat are counted
   instead (log_throttle.h). */
#ifndef COALESCED_SERVER_HTTP_ACCESS_LOG_H
#define COALESCED_SERVER_HTTP_ACCESS_LOG_H

#include <stdbool.h>

#include "server/http/http_state.h"

/* Makes the throttles of the logs that are configured. -1: no memory. */
int access_log_start(struct http *http);

/* Sets the request's id, which the reply and the logs contain: the client's (NULL: none) if it has 1 to 128
   letters, digits and -._~:/+=@, otherwise a new one. */
void access_log_name(struct request *request, const char *given);

/* `whole`: the client received the whole reply. Called on the connection's thread. */
void access_log_request(const struct request *request, bool whole);

#endif
