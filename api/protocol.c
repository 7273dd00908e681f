/* The frames of protocol.h, and what a message owns. */
#include "api/protocol.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "api/device_json.h"
#include "base/json_writer.h"
#include "version.h"

/* ---- frames ---- */

/* The length of the payload that follows this header. */
static size_t payload_bytes_of(const char *header, size_t length, size_t most)
{
    static const char begin[] = "{\"bytes\":";
    size_t bytes = 0, at = sizeof begin - 1;
    if (length <= at || memcmp(header, begin, at) != 0)
        return 0;
    for (; at < length && isdigit((unsigned char)header[at]) && bytes <= most; at++)
        bytes = bytes * 10 + (size_t)(header[at] - '0');
    return bytes;
}

ssize_t protocol_frame_find_within(struct protocol_frame *frame, const char *data, size_t size,
                                   size_t payload_most)
{
    const char *end = size ? memchr(data, '\n', size) : NULL;
    size_t header_bytes = end ? (size_t)(end - data) : size;
    if (header_bytes > PROTOCOL_HEADER_BYTES)
        return -1;
    if (!end)
        return 0;
    size_t payload_bytes = payload_bytes_of(data, header_bytes, payload_most);
    if (payload_bytes > payload_most)
        return -1;
    if (size - header_bytes - 1 < payload_bytes)
        return 0;
    *frame = (struct protocol_frame){data, header_bytes, end + 1, payload_bytes};
    return (ssize_t)(header_bytes + 1 + payload_bytes);
}

ssize_t protocol_frame_find(struct protocol_frame *frame, const char *data, size_t size)
{
    return protocol_frame_find_within(frame, data, size, PROTOCOL_PAYLOAD_BYTES);
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

/* ---- The writing half of protocol.h. ---- */

/* One message while it is written: its header first, then the parts of its payload. */
struct frame_writer {
    struct buffer frame;
    struct json_writer header;
};

/* `id` NULL: none; payload_bytes 0: no payload. */
static void header_begin(struct frame_writer *writer, enum message_type type, const char *id,
                         size_t payload_bytes)
{
    *writer = (struct frame_writer){.header.out = &writer->frame};
    json_writer_begin_object(&writer->header, NULL);
    if (payload_bytes)
        json_writer_uint(&writer->header, "bytes", payload_bytes);
    json_writer_string(&writer->header, "type", protocol_type_name(type));
    if (id)
        json_writer_string(&writer->header, "id", id);
}

static void header_end(struct frame_writer *writer)
{
    json_writer_end(&writer->header);
    buffer_text(&writer->frame, "\n");
    writer->frame.failed |= json_writer_finish(&writer->header) < 0;
}

static size_t length_of(const char *text)
{
    return text ? strlen(text) : 0;
}

static void part_name(struct frame_writer *writer, const char *name, const char *text)
{
    if (text)
        json_writer_uint(&writer->header, name, strlen(text));
}

struct buffer protocol_write_hello(int devices, bool can_count, int64_t pid, const struct device_facts *facts)
{
    struct frame_writer writer;
    header_begin(&writer, MESSAGE_HELLO, NULL, 0);
    json_writer_int(&writer.header, "protocol", PROTOCOL_OLDEST);
    json_writer_int(&writer.header, "newest", PROTOCOL_NEWEST);
    json_writer_string(&writer.header, "build", coalesced_commit);
    json_writer_bool(&writer.header, "counts", can_count);
    json_writer_int(&writer.header, "devices", devices);
    if (pid)
        json_writer_int(&writer.header, "pid", pid);
    json_writer_begin_object(&writer.header, "device");
    device_json_facts(&writer.header, facts);
    json_writer_end(&writer.header);
    header_end(&writer);
    return writer.frame;
}

struct buffer protocol_write_welcome(int protocol, double heartbeat_s, double lost_s)
{
    struct frame_writer writer;
    header_begin(&writer, MESSAGE_WELCOME, NULL, 0);
    json_writer_int(&writer.header, "protocol", protocol);
    json_writer_double(&writer.header, "heartbeat_s", heartbeat_s);
    json_writer_double(&writer.header, "lost_s", lost_s);
    header_end(&writer);
    return writer.frame;
}

struct buffer protocol_write_beat(int64_t heard)
{
    struct frame_writer writer;
    header_begin(&writer, MESSAGE_BEAT, NULL, 0);
    json_writer_int(&writer.header, "heard", heard);
    header_end(&writer);
    return writer.frame;
}

struct buffer protocol_write_leaving(const char *why, bool done)
{
    struct frame_writer writer;
    header_begin(&writer, MESSAGE_LEAVING, NULL, 0);
    json_writer_string(&writer.header, "why", why);
    json_writer_bool(&writer.header, "done", done);
    header_end(&writer);
    return writer.frame;
}

struct buffer protocol_write_run(const char *id, int device, const char *request,
                                 const struct run_along *along)
{
    static const struct run_along nothing;
    struct frame_writer writer;
    along = along ? along : &nothing;
    header_begin(&writer, MESSAGE_RUN, id,
                 strlen(request) + length_of(along->counters) + length_of(along->calibration));
    json_writer_int(&writer.header, "device", device);
    if (along->counting_pid)
        json_writer_int(&writer.header, "counting_pid", along->counting_pid);
    part_name(&writer, "request", request);
    part_name(&writer, "counters", along->counters);
    part_name(&writer, "calibration", along->calibration);
    header_end(&writer);
    buffer_text(&writer.frame, request);
    buffer_append(&writer.frame, along->counters, length_of(along->counters));
    buffer_append(&writer.frame, along->calibration, length_of(along->calibration));
    return writer.frame;
}

struct buffer protocol_write_progress(const char *id, const char *phase, unsigned sample_count)
{
    struct frame_writer writer;
    header_begin(&writer, MESSAGE_PROGRESS, id, 0);
    json_writer_string(&writer.header, "phase", phase);
    if (sample_count)
        json_writer_uint(&writer.header, "samples", sample_count);
    header_end(&writer);
    return writer.frame;
}

struct buffer protocol_write_result(const char *id, const char *result, const struct samples *samples)
{
    static const struct samples none;
    struct frame_writer writer;
    samples = samples ? samples : &none;
    header_begin(&writer, MESSAGE_RESULT, id, strlen(result) + samples->cold.size + samples->hot.size);
    part_name(&writer, "result", result);
    if (samples->cold.size) {
        json_writer_uint(&writer.header, "cold", samples->cold.size);
        json_writer_uint(&writer.header, "hot", samples->hot.size);
    }
    header_end(&writer);
    buffer_text(&writer.frame, result);
    buffer_append(&writer.frame, samples->cold.data, samples->cold.size);
    buffer_append(&writer.frame, samples->hot.data, samples->hot.size);
    return writer.frame;
}

struct buffer protocol_write_error(const char *id, const struct error *failure, const char *result)
{
    struct frame_writer writer;
    header_begin(&writer, MESSAGE_ERROR, id, length_of(result));
    json_writer_string(&writer.header, "kind", error_kind_name(failure->kind));
    json_writer_string(&writer.header, "detail", failure->text);
    part_name(&writer, "result", result);
    header_end(&writer);
    buffer_append(&writer.frame, result, length_of(result));
    return writer.frame;
}

struct buffer protocol_write_count(const struct ahead *experiments, int device, double limit_s)
{
    struct frame_writer writer;
    size_t bytes = 0;
    for (int i = 0; i < experiments->count; i++)
        bytes += strlen(experiments->at[i].request);
    header_begin(&writer, MESSAGE_COUNT, experiments->at[0].id, bytes);
    json_writer_int(&writer.header, "device", device);
    json_writer_double(&writer.header, "limit_s", limit_s);
    json_writer_begin_array(&writer.header, "experiments");
    for (int i = 0; i < experiments->count; i++) {
        json_writer_begin_object(&writer.header, NULL);
        json_writer_string(&writer.header, "id", experiments->at[i].id);
        part_name(&writer, "request", experiments->at[i].request);
        json_writer_end(&writer.header);
    }
    json_writer_end(&writer.header);
    header_end(&writer);
    for (int i = 0; i < experiments->count; i++)
        buffer_text(&writer.frame, experiments->at[i].request);
    return writer.frame;
}

struct buffer protocol_write_counts(const char *id, const struct counts *counts)
{
    struct frame_writer writer;
    size_t bytes = 0;
    for (int i = 0; i < counts->count; i++)
        bytes += strlen(counts->at[i].counters);
    header_begin(&writer, MESSAGE_COUNTS, id, bytes);
    json_writer_begin_array(&writer.header, "experiments");
    for (int i = 0; i < counts->count; i++) {
        json_writer_begin_object(&writer.header, NULL);
        json_writer_string(&writer.header, "id", counts->at[i].id);
        part_name(&writer, "counters", counts->at[i].counters);
        json_writer_bool(&writer.header, "no_room", counts->at[i].no_room);
        json_writer_end(&writer.header);
    }
    json_writer_end(&writer.header);
    header_end(&writer);
    for (int i = 0; i < counts->count; i++)
        buffer_text(&writer.frame, counts->at[i].counters);
    return writer.frame;
}
