/* Frames of sandbox_protocol.h, written and read. */
#include "api/sandbox_protocol.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "base/json_writer.h"
#include "base/words.h"

static const struct {
    const char *name;
} types[] = {[SANDBOX_HELLO] = {"hello"}, [SANDBOX_REQUEST] = {"request"}, [SANDBOX_ANSWER] = {"answer"}},
  ends[] = {
      [SANDBOX_ANSWERED] = {"answered"}, [SANDBOX_STOPPED] = {"stopped"}, [SANDBOX_FAILED] = {"failed"}};

/* ---- writing ---- */

static void header_begin(struct json_writer *header, enum sandbox_message_type type, size_t payload_bytes)
{
    json_writer_begin_object(header, NULL);
    if (payload_bytes)
        json_writer_uint(header, "bytes", payload_bytes);
    json_writer_string(header, "type", types[type].name);
}

static void header_end(struct json_writer *header, const char *payload, size_t payload_bytes)
{
    json_writer_end(header);
    header->out->failed |= json_writer_finish(header) < 0;
    buffer_text(header->out, "\n");
    buffer_append(header->out, payload, payload_bytes);
}

struct buffer sandbox_protocol_write_hello(const struct sandbox_hello *hello)
{
    struct buffer frame = {0};
    struct json_writer header = {.out = &frame};
    header_begin(&header, SANDBOX_HELLO, 0);
    json_writer_string(&header, "compiler", hello->compiler);
    json_writer_begin_array(&header, "architectures");
    for (int i = 0; i < hello->architecture_count; i++)
        json_writer_int(&header, NULL, hello->architectures[i]);
    json_writer_end(&header);
    json_writer_bool(&header, "seccomp", hello->seccomp);
    json_writer_int(&header, "landlock", hello->landlock);
    json_writer_string(&header, "reason", hello->reason);
    header_end(&header, NULL, 0);
    return frame;
}

struct buffer sandbox_protocol_write_request(int64_t id, const char *kind, const char *payload,
                                             size_t payload_bytes)
{
    struct buffer frame = {0};
    struct json_writer header = {.out = &frame};
    header_begin(&header, SANDBOX_REQUEST, payload_bytes);
    json_writer_int(&header, "id", id);
    json_writer_string(&header, "kind", kind);
    header_end(&header, payload, payload_bytes);
    return frame;
}

struct buffer sandbox_protocol_write_answer(int64_t id, enum sandbox_ended ended, const char *detail,
                                            const char *payload, size_t payload_bytes)
{
    struct buffer frame = {0};
    struct json_writer header = {.out = &frame};
    header_begin(&header, SANDBOX_ANSWER, payload_bytes);
    json_writer_int(&header, "id", id);
    json_writer_string(&header, "ended", ends[ended].name);
    json_writer_string(&header, "detail", detail);
    header_end(&header, payload, payload_bytes);
    return frame;
}

/* ---- reading ---- */

static int refuse(struct error *error, const char *what)
{
    return error_set(error, ERROR_INVALID, "sandbox protocol: %s", what);
}

/* 0; -1: it is no text, or does not fit. */
static int read_name(const json_t *header, const char *member, char *to, size_t size)
{
    const json_t *value = json_object_get(header, member);
    if (!json_is_string(value) || json_string_length(value) >= size)
        return -1;
    memcpy(to, json_string_value(value), json_string_length(value) + 1);
    return 0;
}

static int read_hello(struct sandbox_hello *hello, const json_t *header, struct error *error)
{
    const json_t *list = json_object_get(header, "architectures");
    if (read_name(header, "compiler", hello->compiler, sizeof hello->compiler) < 0 ||
        read_name(header, "reason", hello->reason, sizeof hello->reason) < 0 ||
        json_array_size(list) > SANDBOX_ARCHITECTURES)
        return refuse(error, "a hello that cannot be understood");
    for (size_t i = 0; i < json_array_size(list); i++)
        hello->architectures[hello->architecture_count++] = (int)json_integer_value(json_array_get(list, i));
    hello->seccomp = json_is_true(json_object_get(header, "seccomp"));
    hello->landlock = (int)json_integer_value(json_object_get(header, "landlock"));
    return 0;
}

static int read_header(struct sandbox_message *message, const json_t *header, struct error *error)
{
    const char *name = json_string_value(json_object_get(header, "type"));
    const json_t *id = json_object_get(header, "id");
    int type = words_find(name, WORDS_TABLE(types));
    if (type < 0)
        return refuse(error, "a message of no known type");
    message->type = (enum sandbox_message_type)type;
    if ((size_t)json_integer_value(json_object_get(header, "bytes")) != message->payload_bytes)
        return refuse(error, "\"bytes\" does not stand first, or is not the payload's length");
    if (type == SANDBOX_HELLO)
        return read_hello(&message->hello, header, error);
    if (!json_is_integer(id))
        return refuse(error, "a message without its id");
    message->id = json_integer_value(id);
    if (type == SANDBOX_REQUEST)
        return read_name(header, "kind", message->kind, sizeof message->kind) == 0
                   ? 0
                   : refuse(error, "a request without its kind");
    int ended = words_find(json_string_value(json_object_get(header, "ended")), WORDS_TABLE(ends));
    if (ended < 0 || read_name(header, "detail", message->detail, sizeof message->detail) < 0)
        return refuse(error, "an answer that does not say how it ended");
    message->ended = (enum sandbox_ended)ended;
    return 0;
}

int sandbox_protocol_read(struct sandbox_message *message, const struct protocol_frame *frame,
                          struct error *error)
{
    json_error_t where;
    *message = (struct sandbox_message){.payload = frame->payload, .payload_bytes = frame->payload_bytes};
    json_t *header = json_loadb(frame->header, frame->header_bytes, JSON_REJECT_DUPLICATES, &where);
    if (!header)
        return refuse(error, "a header that is no JSON");
    int status = read_header(message, header, error);
    json_decref(header);
    return status;
}
