#include "api/protocol.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/facts_json.h"
#include "api/json.h"
#include "api/live_json.h"
#include "api/result_members.h"

/* ---- reading ---- */

static int bad(struct error *error, const char *what)
{
    return error_set(error, ERROR_INVALID, "executor's line: %s", what);
}

/* As much as fits, never half a character: what is kept goes into other JSON texts. */
static void copy_text(char *to, size_t size, const char *from)
{
    size_t length = strlen(from);
    if (length >= size)
        for (length = size - 1; length > 0 && ((unsigned char)from[length] & 0xc0) == 0x80;)
            length--;
    memcpy(to, from, length);
    to[length] = '\0';
}

/* A name must fit whole, or it would name something else. */
static int read_name(const json_t *line, const char *member, char *to, size_t size, struct error *error)
{
    const json_t *value = json_object_get(line, member);
    if (!json_is_string(value) || json_string_length(value) == 0 || json_string_length(value) >= size)
        return error_set(error, ERROR_INVALID, "executor's line: \"%s\" is missing or wrong", member);
    memcpy(to, json_string_value(value), json_string_length(value) + 1);
    return 0;
}

/* A JSON object's text, to be freed. */
static int read_object(const json_t *line, const char *member, char **text, struct error *error)
{
    const json_t *value = json_object_get(line, member);
    if (!json_is_object(value))
        return error_set(error, ERROR_INVALID, "executor's line: \"%s\" is missing or no object", member);
    *text = json_dumps(value, API_JSON_FLAGS);
    return *text ? 0 : error_set(error, ERROR_MEMORY, "no memory for an executor's line");
}

/* Its members go into the service's answers beside the service's own, which they must not replace. */
static int read_members(struct message *message, const json_t *line, struct error *error)
{
    const json_t *result = json_object_get(line, "result"), *value;
    const char *name;
    if (read_object(line, "result", &message->payload, error) < 0)
        return -1;
    json_object_foreach ((json_t *)result, name, value)
        if (!result_has_member(name))
            return error_set(error, ERROR_INVALID, "executor's line: a result has no member \"%.40s\"", name);
    stability_from_json(&message->told, json_object_get(result, "stability"));
    message->verified = json_is_true(json_object_get(json_object_get(result, "correctness"), "verified"));
    return 0;
}

/* A process's number, or 0 when the member is not there. */
static int read_pid(const json_t *line, const char *member, int64_t *pid, struct error *error)
{
    const json_t *value = json_object_get(line, member);
    *pid = json_integer_value(value);
    return value && *pid <= 0 ? bad(error, "no number of a process") : 0;
}

/* The newest that both know. An executor that names one version alone speaks nothing else. */
static int read_protocol(struct message *message, json_int_t oldest, const json_t *said_newest,
                         struct error *error)
{
    json_int_t newest = said_newest ? json_integer_value(said_newest) : oldest;
    if (newest < oldest)
        return bad(error, "a hello whose newest version is older than its oldest");
    if (oldest > PROTOCOL_NEWEST || newest < PROTOCOL_OLDEST)
        return error_set(error, ERROR_CONFLICT,
                         "the executor speaks protocol %lld to %lld, the service %d to %d: %s",
                         (long long)oldest, (long long)newest, PROTOCOL_OLDEST, PROTOCOL_NEWEST,
                         oldest > PROTOCOL_NEWEST ? "the service is too old for it"
                                                  : "the executor is too old for the service");
    message->protocol = newest < PROTOCOL_NEWEST ? (int)newest : PROTOCOL_NEWEST;
    return 0;
}

static int read_hello(struct message *message, const json_t *line, struct error *error)
{
    const json_t *protocol = json_object_get(line, "protocol"), *devices = json_object_get(line, "devices");
    if (!json_is_integer(protocol))
        return bad(error, "a hello without its protocol's version");
    if (read_protocol(message, json_integer_value(protocol), json_object_get(line, "newest"), error) < 0)
        return -1;
    if (!json_is_integer(devices) || json_integer_value(devices) < 1 || json_integer_value(devices) > 4096)
        return bad(error, "a hello without a number of devices");
    message->devices = (int)json_integer_value(devices);
    message->can_count = json_is_true(json_object_get(line, "counts"));
    if (read_pid(line, "pid", &message->pid, error) < 0)
        return -1;
    if (read_name(line, "build", message->build, sizeof message->build, error) < 0)
        return -1;
    return facts_from_json(&message->facts, json_object_get(line, "device"), error);
}

/* Both times, or neither: without a limit there is no lease, and without beats none can be prolonged. */
static int read_welcome(struct message *message, const json_t *line, struct error *error)
{
    const json_t *heartbeat = json_object_get(line, "heartbeat_s"), *lost = json_object_get(line, "lost_s");
    json_int_t protocol = json_integer_value(json_object_get(line, "protocol"));
    message->heartbeat_s = json_number_value(heartbeat);
    message->lost_s = json_number_value(lost);
    if (protocol < PROTOCOL_OLDEST || protocol > PROTOCOL_NEWEST)
        return bad(error, "a welcome to a protocol that this build does not know");
    message->protocol = (int)protocol;
    if (!json_is_number(heartbeat) || !json_is_number(lost) || message->heartbeat_s < 0 ||
        message->lost_s > PROTOCOL_LOST_MOST_S ||
        (message->heartbeat_s > 0 ? message->lost_s <= message->heartbeat_s : message->lost_s != 0))
        return bad(error, "a welcome whose times make no sense");
    return 0;
}

static int read_beat(struct message *message, const json_t *line, struct error *error)
{
    message->heard = json_integer_value(json_object_get(line, "heard"));
    return message->heard < 0 || !json_is_integer(json_object_get(line, "heard"))
               ? bad(error, "a beat that does not say what was heard")
               : 0;
}

static int read_leaving(struct message *message, const json_t *line, struct error *error)
{
    const json_t *why = json_object_get(line, "why"), *done = json_object_get(line, "done");
    if (!json_is_string(why) || !json_is_boolean(done))
        return bad(error, "\"leaving\" without why, or whether it is done");
    copy_text(message->why, sizeof message->why, json_string_value(why));
    message->done = json_is_true(done);
    return 0;
}

static int read_run(struct message *message, const json_t *line, struct error *error)
{
    if (read_object(line, "request", &message->payload, error) < 0 ||
        read_pid(line, "sibling", &message->pid, error) < 0)
        return -1;
    if (json_object_get(line, "counters") && read_object(line, "counters", &message->counters, error) < 0)
        return -1;
    return json_object_get(line, "calibration")
               ? read_object(line, "calibration", &message->calibration, error)
               : 0;
}

static int read_progress(struct message *message, const json_t *line, struct error *error)
{
    const json_t *samples = json_object_get(line, "samples");
    message->samples = samples ? (int)json_integer_value(samples) : -1;
    if (samples && message->samples < 1)
        return bad(error, "\"samples\" is no number of samples");
    return read_name(line, "phase", message->phase, sizeof message->phase, error);
}

static int read_result(struct message *message, const json_t *line, struct error *error)
{
    const json_t *correctness = json_object_get(json_object_get(line, "result"), "correctness");
    const json_t *samples = json_object_get(line, "samples");
    if (read_members(message, line, error) < 0)
        return -1;
    if (samples && samples_from_json(&message->kept, samples) < 0)
        return bad(error, "samples that cannot be read");
    return json_is_boolean(json_object_get(correctness, "verified"))
               ? 0
               : bad(error, "a result that does not say whether it was verified");
}

static int read_error(struct message *message, const json_t *line, struct error *error)
{
    char kind[32];
    const json_t *detail = json_object_get(line, "detail");
    if (read_name(line, "kind", kind, sizeof kind, error) < 0)
        return -1;
    message->failure.kind = error_kind_of(kind);
    if (message->failure.kind == ERROR_NONE)
        return bad(error, "an error of no known kind");
    if (!json_is_string(detail))
        return bad(error, "an error without its detail");
    copy_text(message->failure.text, sizeof message->failure.text, json_string_value(detail));
    return json_object_get(line, "result") ? read_members(message, line, error) : 0;
}

/* NULL: it is missing, no list, empty or too long. */
static const json_t *read_experiments(const json_t *line, struct error *error)
{
    const json_t *list = json_object_get(line, "experiments");
    if (json_array_size(list) >= 1 && json_array_size(list) <= PROTOCOL_POINTS)
        return list;
    bad(error, "\"experiments\" is missing, no list, empty or too long");
    return NULL;
}

static int read_count(struct message *message, const json_t *line, struct error *error)
{
    struct ahead *ahead = &message->ahead;
    const json_t *list = read_experiments(line, error), *limit = json_object_get(line, "limit_s");
    if (!list)
        return -1;
    message->limit_s = json_number_value(limit);
    if (message->limit_s <= 0)
        return bad(error, "a count without its limit");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *one = json_array_get(list, i);
        if (read_name(one, "id", ahead->at[i].id, sizeof ahead->at[i].id, error) < 0 ||
            read_object(one, "request", &ahead->at[i].request, error) < 0)
            return -1;
        ahead->count++;
    }
    return strcmp(ahead->at[0].id, message->id) == 0 ? 0
                                                     : bad(error, "a count's id is its first experiment's");
}

static int read_counts(struct message *message, const json_t *line, struct error *error)
{
    struct counts *counts = &message->counts;
    const json_t *list = read_experiments(line, error);
    if (!list)
        return -1;
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *one = json_array_get(list, i);
        if (read_name(one, "id", counts->at[i].id, sizeof counts->at[i].id, error) < 0 ||
            read_object(one, "counters", &counts->at[i].counters, error) < 0)
            return -1;
        counts->at[i].no_room = json_is_true(json_object_get(one, "no_room"));
        counts->count++;
    }
    return 0;
}

static const struct type {
    const char *name;
    bool about_one; /* has an id */
    int (*read)(struct message *message, const json_t *line, struct error *error);
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
enum { TYPES = sizeof types / sizeof types[0] };

const char *message_type_name(enum message_type type)
{
    return types[type].name;
}

static int type_of(const json_t *line)
{
    const char *name = json_string_value(json_object_get(line, "type"));
    for (int i = 0; name && i < TYPES; i++)
        if (strcmp(types[i].name, name) == 0)
            return i;
    return -1;
}

int message_parse(struct message *message, const char *text, size_t length, struct error *error)
{
    json_error_t where;
    int done = -1;
    *message = (struct message){0};
    json_t *line = json_loadb(text, length, JSON_REJECT_DUPLICATES, &where);
    if (!line)
        return error_set(error, ERROR_INVALID, "executor's line: no JSON: %s, at byte %d", where.text,
                         where.position);
    int type = type_of(line);
    if (type < 0) {
        bad(error, "of no known type");
        goto out;
    }
    message->type = (enum message_type)type;
    if (types[type].about_one && read_name(line, "id", message->id, sizeof message->id, error) < 0)
        goto out;
    done = types[type].read(message, line, error);
out:
    json_decref(line);
    if (done < 0)
        message_free(message);
    return done;
}

void message_free(struct message *message)
{
    free(message->payload);
    free(message->counters);
    free(message->calibration);
    message->payload = message->counters = message->calibration = NULL;
    samples_free(&message->kept);
    ahead_free(&message->ahead);
    counts_free(&message->counts);
}

void ahead_free(struct ahead *ahead)
{
    for (int i = 0; i < ahead->count; i++)
        free(ahead->at[i].request);
    ahead->count = 0;
}

void counts_free(struct counts *counts)
{
    for (int i = 0; i < counts->count; i++)
        free(counts->at[i].counters);
    counts->count = 0;
}
