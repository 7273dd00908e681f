/* The reading half of protocol.h. */
#include "api/json_parts.h"
#include "api/protocol.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "api/device_json.h"
#include "api/result_json.h"
#include "base/words.h"

/* ---- members of a header, parts of a payload ---- */

/* One frame while it is read. The functions below return 0, or -1 with *error. */
struct frame_reader {
    struct message *message;
    const json_t *header;
    const char *payload; /* what is left of it */
    size_t payload_bytes;
    struct error *error;
};

static int refuse(struct frame_reader *r, const char *what)
{
    return error_set(r->error, ERROR_INVALID, "executor protocol: %s", what);
}

/* The same of one member. */
static int refuse_member(struct frame_reader *r, const char *member, const char *what)
{
    return error_set(r->error, ERROR_INVALID, "executor protocol: \"%.40s\" %s", member, what);
}

/* As much as fits, in whole characters: other JSON texts repeat it. */
static void copy_text(char *to, size_t size, const char *from)
{
    size_t length = strlen(from);
    if (length >= size)
        for (length = size - 1; length > 0 && ((unsigned char)from[length] & 0xc0) == 0x80;)
            length--;
    memcpy(to, from, length);
    to[length] = '\0';
}

/* A name must fit whole, or it would name something else. `object`: the header, or one of its list. */
static int read_name(struct frame_reader *r, const json_t *object, const char *member, char *to, size_t size)
{
    const json_t *value = json_object_get(object, member);
    if (!json_is_string(value) || json_string_length(value) == 0 || json_string_length(value) >= size)
        return refuse_member(r, member, "is missing, empty or too long");
    memcpy(to, json_string_value(value), json_string_length(value) + 1);
    return 0;
}

/* A process's number; 0 without the member. */
static int read_pid(struct frame_reader *r, const char *member, int64_t *pid)
{
    const json_t *value = json_object_get(r->header, member);
    *pid = json_integer_value(value);
    return value && *pid <= 0 ? refuse_member(r, member, "is no number of a process") : 0;
}

/* The number of the device that it runs on. */
static int read_device(struct frame_reader *r)
{
    const json_t *device = json_object_get(r->header, "device");
    r->message->device = (int)json_integer_value(device);
    return json_is_integer(device) && r->message->device >= 0
               ? 0
               : refuse_member(r, "device", "is no number of a device");
}

/* The next part of the payload, borrowed; its length is a member of `object`. */
static int read_part(struct frame_reader *r, const json_t *object, const char *member, const char **bytes,
                     size_t *count)
{
    const json_t *value = json_object_get(object, member);
    json_int_t length = json_integer_value(value);
    if (!json_is_integer(value) || length < 0 || (uint64_t)length > r->payload_bytes)
        return refuse_member(r, member, "is no length within the payload");
    *bytes = r->payload;
    *count = (size_t)length;
    r->payload += length;
    r->payload_bytes -= (size_t)length;
    return 0;
}

/* The same as a text, to be freed. */
static int read_text(struct frame_reader *r, const json_t *object, const char *member, char **text)
{
    const char *bytes;
    size_t count;
    if (read_part(r, object, member, &bytes, &count) < 0)
        return -1;
    *text = malloc(count + 1);
    if (!*text)
        return error_set(r->error, ERROR_MEMORY, "no memory for a message of an executor");
    if (count)
        memcpy(*text, bytes, count);
    (*text)[count] = '\0';
    return 0;
}

static int read_optional_text(struct frame_reader *r, const char *member, char **text)
{
    return json_object_get(r->header, member) ? read_text(r, r->header, member, text) : 0;
}

/* ---- each type ---- */

/* The newest version that both know. An executor that names one alone speaks that one alone. */
static int read_versions(struct frame_reader *r, json_int_t oldest, const json_t *said_newest)
{
    json_int_t newest = said_newest ? json_integer_value(said_newest) : oldest;
    if (newest < oldest)
        return refuse(r, "a hello whose newest version is older than its oldest");
    if (oldest > PROTOCOL_NEWEST || newest < PROTOCOL_OLDEST)
        return error_set(r->error, ERROR_CONFLICT,
                         "the executor speaks protocol %lld to %lld, the service %d to %d: %s",
                         (long long)oldest, (long long)newest, PROTOCOL_OLDEST, PROTOCOL_NEWEST,
                         oldest > PROTOCOL_NEWEST ? "the service is too old for it"
                                                  : "the executor is too old for the service");
    r->message->protocol = newest < PROTOCOL_NEWEST ? (int)newest : PROTOCOL_NEWEST;
    return 0;
}

static int read_hello(struct frame_reader *r)
{
    struct message *message = r->message;
    const json_t *protocol = json_object_get(r->header, "protocol");
    json_int_t devices = json_integer_value(json_object_get(r->header, "devices"));
    if (!json_is_integer(protocol))
        return refuse(r, "a hello without its version");
    if (read_versions(r, json_integer_value(protocol), json_object_get(r->header, "newest")) < 0)
        return -1;
    if (devices < 1 || devices > 4096)
        return refuse(r, "a hello without a number of devices, 1 to 4096");
    message->devices = (int)devices;
    message->can_count = json_is_true(json_object_get(r->header, "counts"));
    if (read_pid(r, "pid", &message->pid) < 0 ||
        read_name(r, r->header, "build", message->build, sizeof message->build) < 0)
        return -1;
    return device_json_read_facts(&message->facts, json_object_get(r->header, "device"), r->error);
}

/* Both times, or neither: without a limit there is no lease, and without beats none can be prolonged. */
static int read_welcome(struct frame_reader *r)
{
    struct message *message = r->message;
    const json_t *heartbeat = json_object_get(r->header, "heartbeat_s");
    const json_t *lost = json_object_get(r->header, "lost_s");
    json_int_t protocol = json_integer_value(json_object_get(r->header, "protocol"));
    message->heartbeat_s = json_number_value(heartbeat);
    message->lost_s = json_number_value(lost);
    if (protocol < PROTOCOL_OLDEST || protocol > PROTOCOL_NEWEST)
        return refuse(r, "a welcome to a version that this build does not know");
    message->protocol = (int)protocol;
    if (!json_is_number(heartbeat) || !json_is_number(lost) || message->heartbeat_s < 0 ||
        message->lost_s > PROTOCOL_LOST_MAX_S ||
        (message->heartbeat_s > 0 ? message->lost_s <= message->heartbeat_s : message->lost_s != 0))
        return refuse(r, "a welcome needs both times or 0 twice, with heartbeat_s < lost_s <= 86400");
    return 0;
}

static int read_beat(struct frame_reader *r)
{
    const json_t *heard = json_object_get(r->header, "heard");
    r->message->heard = json_integer_value(heard);
    return json_is_integer(heard) && r->message->heard >= 0 ? 0 : refuse_member(r, "heard", "is no count");
}

static int read_leaving(struct frame_reader *r)
{
    const json_t *why = json_object_get(r->header, "why"), *done = json_object_get(r->header, "done");
    if (!json_is_string(why) || !json_is_boolean(done))
        return refuse(r, "\"leaving\" without why, or whether it is done");
    copy_text(r->message->why, sizeof r->message->why, json_string_value(why));
    r->message->done = json_is_true(done);
    return 0;
}

static int read_run(struct frame_reader *r)
{
    struct message *message = r->message;
    return read_device(r) < 0 || read_pid(r, "counting_pid", &message->counting_pid) < 0 ||
                   read_text(r, r->header, "request", &message->request) < 0 ||
                   read_optional_text(r, "counters", &message->counters) < 0 ||
                   read_optional_text(r, "calibration", &message->calibration) < 0
               ? -1
               : 0;
}

static int read_progress(struct frame_reader *r)
{
    const json_t *samples = json_object_get(r->header, "samples");
    r->message->sample_count = samples ? (int)json_integer_value(samples) : -1;
    if (samples && r->message->sample_count < 1)
        return refuse_member(r, "samples", "is no number of samples");
    return read_name(r, r->header, "phase", r->message->phase, sizeof r->message->phase);
}

/* True for an object's text that can be repeated within a line: nothing stands around the object, and no byte
   of it is a control character, such as a newline. */
static bool is_one_line(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)text[i] < 0x20)
            return false;
    return length >= 2 && text[0] == '{' && text[length - 1] == '}';
}

/* The service's answers have a result's members beside their own, which those must not replace. */
static int read_members(struct frame_reader *r, const json_t *result)
{
    const char *name;
    json_t *value;
    json_object_foreach ((json_t *)result, name, value)
        if (!result_json_has_member(name))
            return refuse_member(r, name, "is no member of a result");
    const json_t *correctness = json_object_get(result, "correctness");
    value = json_object_get(correctness, "verified");
    result_json_read_stability(&r->message->stability, json_object_get(result, "stability"));
    r->message->verified = json_is_true(value);
    r->message->unchecked = !value && json_parts_is(json_object_get(correctness, "status"), "not_requested");
    return r->message->type == MESSAGE_ERROR || json_is_boolean(value) || r->message->unchecked
               ? 0
               : refuse(r, "a result that does not say whether it was verified");
}

/* The only time that the server parses a result: its text is stored as it came. */
static int read_result_text(struct frame_reader *r)
{
    json_error_t where;
    const char *text = r->payload;
    if (read_text(r, r->header, "result", &r->message->result) < 0)
        return -1;
    size_t length = (size_t)(r->payload - text);
    if (!is_one_line(text, length))
        return refuse(r, "a result that is no JSON object on one line");
    json_t *result = json_loadb(text, length, JSON_REJECT_DUPLICATES, &where);
    int status = result ? read_members(r, result) : refuse_member(r, "result", where.text);
    json_decref(result);
    return status;
}

static int read_samples(struct frame_reader *r, const char *member, struct buffer *samples)
{
    const char *bytes;
    size_t count;
    if (read_part(r, r->header, member, &bytes, &count) < 0)
        return -1;
    if (!samples_valid(bytes, count))
        return refuse_member(r, member, "has samples that cannot be read");
    return buffer_append(samples, bytes, count) == 0
               ? 0
               : error_set(r->error, ERROR_MEMORY, "no memory for samples");
}

static int read_result(struct frame_reader *r)
{
    if (read_result_text(r) < 0)
        return -1;
    if (!json_object_get(r->header, "cold"))
        return 0;
    if (read_samples(r, "cold", &r->message->samples.cold) < 0)
        return -1;
    return read_samples(r, "hot", &r->message->samples.hot);
}

static int read_error(struct frame_reader *r)
{
    char kind[32];
    struct error *failure = &r->message->failure;
    const json_t *detail = json_object_get(r->header, "detail");
    if (read_name(r, r->header, "kind", kind, sizeof kind) < 0)
        return -1;
    failure->kind = error_kind_of(kind);
    if (failure->kind == ERROR_NONE)
        return refuse(r, "an error of no known kind");
    if (!json_is_string(detail))
        return refuse(r, "an error without its detail");
    copy_text(failure->text, sizeof failure->text, json_string_value(detail));
    return json_object_get(r->header, "result") ? read_result_text(r) : 0;
}

/* NULL: it is missing, no list, empty or too long. */
static const json_t *read_experiments(struct frame_reader *r)
{
    const json_t *list = json_object_get(r->header, "experiments");
    if (json_array_size(list) >= 1 && json_array_size(list) <= PROTOCOL_POINTS)
        return list;
    refuse_member(r, "experiments", "is missing, or no list of 1 to 16");
    return NULL;
}

static int read_count(struct frame_reader *r)
{
    struct ahead *ahead = &r->message->ahead;
    const json_t *list = read_experiments(r);
    if (!list || read_device(r) < 0)
        return -1;
    r->message->limit_s = json_number_value(json_object_get(r->header, "limit_s"));
    if (r->message->limit_s <= 0)
        return refuse(r, "a count without its limit");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *one = json_array_get(list, i);
        if (read_name(r, one, "id", ahead->at[i].id, sizeof ahead->at[i].id) < 0 ||
            read_text(r, one, "request", &ahead->at[i].request) < 0)
            return -1;
        ahead->count++;
    }
    return strcmp(ahead->at[0].id, r->message->id) == 0 ? 0 : refuse(r, "a count of others than it says");
}

static int read_counts(struct frame_reader *r)
{
    struct counts *counts = &r->message->counts;
    const json_t *list = read_experiments(r);
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *one = json_array_get(list, i);
        if (read_name(r, one, "id", counts->at[i].id, sizeof counts->at[i].id) < 0 ||
            read_text(r, one, "counters", &counts->at[i].counters) < 0)
            return -1;
        counts->at[i].no_room = json_is_true(json_object_get(one, "no_room"));
        counts->count++;
        if (strlen(counts->at[i].counters) > PROTOCOL_COUNTERS_BYTES)
            return refuse(r, "counters of more than 256 KiB");
    }
    return list ? 0 : -1;
}

static const struct type {
    const char *name;
    bool about_one; /* has an id */
    int (*read)(struct frame_reader *reader);
} types[] = {
    [MESSAGE_HELLO] = {"hello", false, read_hello},
    [MESSAGE_WELCOME] = {"welcome", false, read_welcome},
    [MESSAGE_BEAT] = {"beat", false, read_beat},
    [MESSAGE_LEAVING] = {"leaving", false, read_leaving},
    [MESSAGE_RUN] = {"run", true, read_run},
    [MESSAGE_COUNT] = {"count", true, read_count},
    [MESSAGE_PROGRESS] = {"progress", true, read_progress},
    [MESSAGE_RESULT] = {"result", true, read_result},
    [MESSAGE_COUNTS] = {"counts", true, read_counts},
    [MESSAGE_ERROR] = {"error", true, read_error},
};

const char *protocol_type_name(enum message_type type)
{
    return types[type].name;
}

static int read_header(struct frame_reader *r)
{
    const char *name = json_string_value(json_object_get(r->header, "type"));
    int type = name ? words_find(name, WORDS_TABLE(types)) : -1;
    if (type < 0)
        return refuse(r, "a message of no known type");
    r->message->type = (enum message_type)type;
    if ((size_t)json_integer_value(json_object_get(r->header, "bytes")) != r->payload_bytes)
        return refuse_member(r, "bytes", "does not stand first, or is not the payload's length");
    if (types[type].about_one && read_name(r, r->header, "id", r->message->id, sizeof r->message->id) < 0)
        return -1;
    if (types[type].read(r) < 0)
        return -1;
    return r->payload_bytes ? refuse(r, "a payload that is longer than its parts") : 0;
}

int protocol_parse(struct message *message, const struct protocol_frame *frame, struct error *error)
{
    json_error_t where;
    *message = (struct message){0};
    json_t *header = json_loadb(frame->header, frame->header_bytes, JSON_REJECT_DUPLICATES, &where);
    if (!header)
        return error_set(error, ERROR_INVALID, "executor protocol: a header that is no JSON: %s, at byte %d",
                         where.text, where.position);
    struct frame_reader reader = {message, header, frame->payload, frame->payload_bytes, error};
    int status = read_header(&reader);
    json_decref(header);
    if (status < 0)
        protocol_message_free(message);
    return status;
}

int protocol_parse_header(struct message *message, const char *header, struct error *error)
{
    return protocol_parse(message, &(struct protocol_frame){header, strlen(header), NULL, 0}, error);
}
