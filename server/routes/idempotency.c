#include "server/routes/idempotency.h"

#include <stdio.h>
#include <string.h>

#include "base/hash.h"

const char *key_read(struct request *request, bool *wrong, enum handled *handled)
{
    const char *key = request_header(request, "Idempotency-Key");
    struct buffer all = {0};
    request_list(request, "Idempotency-Key", &all);
    bool several = key && all.data && strcmp(all.data, key) != 0;
    *wrong = several || (key && (!key[0] || strlen(key) > KEY_MAX));
    buffer_free(&all);
    if (several)
        *handled = reply_problem(request, PROBLEM_MALFORMED, "one Idempotency-Key is wanted, there are more");
    else if (*wrong)
        *handled =
            reply_problem(request, PROBLEM_MALFORMED, "an Idempotency-Key has 1 to %d characters", KEY_MAX);
    return key;
}

enum handled reply_key_reused(struct request *request)
{
    return reply_problem(request, PROBLEM_KEY_REUSED,
                         "this Idempotency-Key came before, with another request; use a new one");
}

enum handled reply_key_unread(struct request *request, const char *id, const struct error *error)
{
    reply_retry_after(request, 2);
    return reply_problem(request, PROBLEM_UNAVAILABLE,
                         "it was accepted before, as %s, and what became of it cannot be read now: %s", id,
                         error->text);
}

void fingerprint_make(const char *text, char fingerprint[FINGERPRINT_BYTES])
{
    unsigned long long one = hash_bytes(text, strlen(text)), other = 0x84222325cbf29ce4;
    for (; *text; text++) {
        other = (other ^ (unsigned char)*text) * 0x9e3779b97f4a7c15;
        other ^= other >> 29;
    }
    snprintf(fingerprint, FINGERPRINT_BYTES, "%016llx%016llx", one, other);
}
