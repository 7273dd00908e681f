/* The frames of protocol.h, and what a message owns. */
#include "api/protocol.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ---- frames ---- */

/* The length of the payload that follows this header. */
static size_t payload_bytes_of(const char *header, size_t length)
{
    static const char begin[] = "{\"bytes\":";
    size_t bytes = 0, at = sizeof begin - 1;
    if (length <= at || memcmp(header, begin, at) != 0)
        return 0;
    for (; at < length && isdigit((unsigned char)header[at]) && bytes <= PROTOCOL_PAYLOAD_BYTES; at++)
        bytes = bytes * 10 + (size_t)(header[at] - '0');
    return bytes;
}

ssize_t protocol_frame_find(struct protocol_frame *frame, const char *data, size_t size)
{
    const char *end = size ? memchr(data, '\n', size) : NULL;
    size_t header_bytes = end ? (size_t)(end - data) : size;
    if (header_bytes > PROTOCOL_HEADER_BYTES)
        return -1;
    if (!end)
        return 0;
    size_t payload_bytes = payload_bytes_of(data, header_bytes);
    if (payload_bytes > PROTOCOL_PAYLOAD_BYTES)
        return -1;
    if (size - header_bytes - 1 < payload_bytes)
        return 0;
    *frame = (struct protocol_frame){data, header_bytes, end + 1, payload_bytes};
    return (ssize_t)(header_bytes + 1 + payload_bytes);
}

/* ---- messages ---- */

void protocol_message_free(struct message *message)
{
    char **const texts[] = {&message->request, &message->result, &message->counters, &message->calibration};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        free(*texts[i]);
        *texts[i] = NULL;
    }
    samples_free(&message->samples);
    protocol_ahead_free(&message->ahead);
    protocol_counts_free(&message->counts);
}

void protocol_ahead_free(struct ahead *ahead)
{
    for (int i = 0; i < ahead->count; i++)
        free(ahead->at[i].request);
    ahead->count = 0;
}

void protocol_counts_free(struct counts *counts)
{
    for (int i = 0; i < counts->count; i++)
        free(counts->at[i].counters);
    counts->count = 0;
}
