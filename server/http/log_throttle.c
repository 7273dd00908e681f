/* A small table of buckets, one for each address, owner and code of the last minute. */
#include "server/http/log_throttle.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/json_writer.h"
#include "server/http/connection_limit.h"
#include "server/http/log_writer.h"

static const int64_t minute_ns = 60 * 1000000000LL;

struct bucket {
    struct address_key address;
    char owner[USER_NAME_BYTES];
    char network[ADDRESS_NAME_BYTES]; /* empty in the bucket of all others */
    unsigned code;
    int64_t began_ns;
    char began[CLOCK_TEXT_BYTES];
    uint64_t count; /* requests, without the one that has its own line */
};

struct log_throttle {
    struct log_writer *log_writer;
    const char *const *nulls;
    pthread_mutex_t lock; /* guards what follows */
    int used, unknown;    /* `unknown`: buckets without an owner */
    struct bucket buckets[LOG_THROTTLE_BUCKETS];
    /* counts the requests for which there is no bucket; not in use while its count is 0 */
    struct bucket overflow;
};

struct log_throttle *log_throttle_new(struct log_writer *log_writer, const char *const *nulls)
{
    struct log_throttle *throttle = calloc(1, sizeof *throttle);
    if (!throttle)
        return NULL;
    throttle->log_writer = log_writer;
    throttle->nulls = nulls;
    pthread_mutex_init(&throttle->lock, NULL);
    return throttle;
}

/* Writes a line with the count. It has the members of the log's other lines, null where they describe a
   single request. False: the log writer is full. */
static bool bucket_write(const struct log_throttle *throttle, const struct bucket *bucket)
{
    char now[CLOCK_TEXT_BYTES];
    if (!bucket->count)
        return true;
    struct json_writer line = {
        .out = log_writer_is_full(throttle->log_writer) ? NULL : log_writer_begin(throttle->log_writer, now)};
    if (!line.out)
        return false;
    json_writer_begin_object(&line, NULL);
    json_writer_string(&line, "time", now);
    json_writer_null(&line, "id");
    json_writer_string(&line, "owner", bucket->owner[0] ? bucket->owner : NULL);
    json_writer_string(&line, "remote", bucket->network[0] ? bucket->network : NULL);
    json_writer_null(&line, "method");
    json_writer_null(&line, "route");
    json_writer_null(&line, "path");
    if (bucket->network[0])
        json_writer_uint(&line, "code", bucket->code);
    else
        json_writer_null(&line, "code");
    for (const char *const *name = throttle->nulls; *name; name++)
        json_writer_null(&line, *name);
    json_writer_uint(&line, "count", bucket->count);
    json_writer_string(&line, "since", bucket->began);
    json_writer_end(&line);
    log_writer_end(throttle->log_writer);
    return true;
}

/* Called with the lock held. NULL: the request has none. */
static struct bucket *bucket_find(struct log_throttle *throttle, const struct throttled *request)
{
    for (int i = 0; i < throttle->used; i++) {
        struct bucket *bucket = &throttle->buckets[i];
        if (memcmp(&bucket->address, request->address, sizeof bucket->address) == 0 &&
            bucket->code == request->code && strcmp(bucket->owner, request->owner) == 0)
            return bucket;
    }
    return NULL;
}

static void bucket_begin(struct bucket *bucket, int64_t now_ns)
{
    *bucket = (struct bucket){.began_ns = now_ns};
    clock_text(clock_wall_ms(), bucket->began);
}

bool log_throttle_add(struct log_throttle *throttle, const struct throttled *request, int64_t now_ns)
{
    pthread_mutex_lock(&throttle->lock);
    struct bucket *bucket = bucket_find(throttle, request);
    bool first = !bucket && throttle->used < LOG_THROTTLE_BUCKETS &&
                 (request->owner[0] || throttle->unknown < LOG_THROTTLE_UNKNOWN);
    if (first) {
        bucket = &throttle->buckets[throttle->used++];
        throttle->unknown += !request->owner[0];
        bucket_begin(bucket, now_ns);
        bucket->address = *request->address;
        bucket->code = request->code;
        strncpy(bucket->owner, request->owner, sizeof bucket->owner - 1);
        connection_network_name(request->remote, bucket->network);
    } else {
        bucket = bucket ? bucket : &throttle->overflow;
        if (bucket == &throttle->overflow && !bucket->count)
            bucket_begin(bucket, now_ns);
        bucket->count++;
    }
    pthread_mutex_unlock(&throttle->lock);
    return first;
}

void log_throttle_write(struct log_throttle *throttle, int64_t now_ns)
{
    int used = 0, unknown = 0;
    if (!throttle)
        return;
    pthread_mutex_lock(&throttle->lock);
    for (int i = 0; i < throttle->used; i++) {
        const struct bucket *bucket = &throttle->buckets[i];
        if (now_ns - bucket->began_ns >= minute_ns && bucket_write(throttle, bucket))
            continue;
        unknown += !bucket->owner[0];
        throttle->buckets[used++] = *bucket;
    }
    throttle->used = used;
    throttle->unknown = unknown;
    if (now_ns - throttle->overflow.began_ns >= minute_ns && bucket_write(throttle, &throttle->overflow))
        throttle->overflow.count = 0;
    pthread_mutex_unlock(&throttle->lock);
}

void log_throttle_free(struct log_throttle *throttle)
{
    if (!throttle)
        return;
    log_throttle_write(throttle, INT64_MAX);
    pthread_mutex_destroy(&throttle->lock);
    free(throttle);
}
