/* The server's end of sandbox_protocol.h: many threads ask one `coalesced --sandbox` at the same time. */
#pragma once

#include "api/sandbox_protocol.h"

struct sandbox_client;

/* Takes over both descriptors, which become non-blocking: `to` is the sandbox's standard input, `from` its
   standard output; reads its hello, for at most wait_s. SIGPIPE is ignored or blocked in every thread that
   uses the client. 0; -1: ERROR_UNAVAILABLE, ERROR_MEMORY; the descriptors are closed. */
int sandbox_client_new(struct sandbox_client **client, int to, int from, double wait_s, struct error *error);

/* No thread may be asking. Closes both descriptors, at which the sandbox ends. NULL is allowed. */
void sandbox_client_free(struct sandbox_client *client);

/* What the sandbox said of itself; valid as long as the client. */
const struct sandbox_hello *sandbox_client_hello(const struct sandbox_client *client);

/* Sends a request of that kind and waits for its answer, at most wait_s. Any thread. 0: *answer has it, to be
   freed with buffer_free(). -1: ERROR_INVALID: the request was stopped by the wall, the text says at what;
   ERROR_TIMED_OUT: no answer within wait_s; ERROR_UNAVAILABLE: the sandbox failed, or is gone (then every
   later call says so too); ERROR_MEMORY. */
int sandbox_client_ask(struct sandbox_client *client, const char *kind, const char *request, size_t bytes,
                       double wait_s, struct buffer *answer, struct error *error);
