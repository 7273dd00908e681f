/* Idempotency-Key: the same request sent again is answered with what the first one made. */
#ifndef COALESCED_SERVER_ROUTES_IDEMPOTENCY_H
#define COALESCED_SERVER_ROUTES_IDEMPOTENCY_H

#include "server/http/reply.h"
#include "server/http/request.h"

enum { KEY_MAX = 255, FINGERPRINT_BYTES = 40 };

/* The request's key, or NULL when it has none. *wrong: it has one that cannot be one, and *handled is the reply. */
const char *key_read(struct request *request, bool *wrong, enum handled *handled);

/* The reply to a key that came before with another request. */
enum handled reply_key_reused(struct request *request);

/* The reply to a key that came before with this request, as `id`, when the store cannot tell now what became of that. */
enum handled reply_key_unread(struct request *request, const char *id, const struct error *error);

/* The same request gives the same text, so its hash tells a repetition from another request. */
void fingerprint_make(const char *text, char fingerprint[FINGERPRINT_BYTES]);

#endif
