#include "server/http/live_reply.h"

#include <stdlib.h>

#include "server/http/http_state.h"

enum { BLOCK_BYTES = 1024 };

struct follow {
    struct live_stream follower; /* first: a follower is cast to its follow */
    struct http *http;
    bool begun;
    void (*release)(void *arg);
};

static void follow_free(void *arg)
{
    struct follow *follow = arg;
    follow->release(follow->follower.arg);
    free(follow);
}

/* The first call hands the connection over, the second comes when it is to be closed. */
static ssize_t follow_read(void *arg, uint64_t position, char *room, size_t size)
{
    (void)position;
    (void)room;
    (void)size;
    struct follow *follow = arg;
    if (follow->begun)
        return MHD_CONTENT_READER_END_OF_STREAM;
    follow->begun = true;
    return live_streams_add(follow->http->followers, &follow->follower) ? 0
                                                                        : MHD_CONTENT_READER_END_WITH_ERROR;
}

struct MHD_Response *live_reply_start(struct request *request, follow_more more, void *arg,
                                      void (*release)(void *arg))
{
    struct follow *follow = calloc(1, sizeof *follow);
    if (!follow) {
        release(arg);
        return NULL;
    }
    *follow = (struct follow){
        .follower = {.peer = request->peer, .more = more, .arg = arg, .sent_bytes = &request->bytes},
        .http = request->http,
        .release = release};
    struct MHD_Response *response =
        MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, BLOCK_BYTES, follow_read, follow, follow_free);
    if (!response) {
        follow_free(follow);
        return NULL;
    }
    /* Without chunks, so that what the thread writes is the body as it is. */
    MHD_set_response_options(response, MHD_RF_HTTP_1_0_COMPATIBLE_STRICT, MHD_RO_END);
    return response;
}
