#include "api/protocol.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/facts_json.h"
#include "api/json.h"
#include "api/live_json.h"
#include "base/buffer.h"
#include "version.h"

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

/* What result_to_json() writes, and nothing else. */
static bool result_member_known(const char *name)
{
    static const char *const members[] = {"device",      "launch",    "timing",    "bandwidth", "compute",
                                          "correctness", "stability", "counters",  "transfers", "occupancy",
                                          "prediction",  "execution", "provenance"};
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        if (strcmp(members[i], name) == 0)
            return true;
    return false;
}

/* Its members go into the service's answers beside the service's own, which they must not replace. */
static int read_members(struct message *message, const json_t *line, struct error *error)
{
    const json_t *result = json_object_get(line, "result"), *value;
    const char *name;
    if (read_object(line, "result", &message->payload, error) < 0)
        return -1;
    json_object_foreach ((json_t *)result, name, value)
        if (!result_member_known(name))
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

static int read_hello(struct message *message, const json_t *line, struct error *error)
{
    const json_t *protocol = json_object_get(line, "protocol"), *devices = json_object_get(line, "devices");
    if (!json_is_integer(protocol))
        return bad(error, "a hello without its protocol's version");
    if (json_integer_value(protocol) != PROTOCOL_VERSION)
        return error_set(error, ERROR_CONFLICT, "the executor speaks protocol %lld, the service %d",
                         (long long)json_integer_value(protocol), PROTOCOL_VERSION);
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

static int read_run(struct message *message, const json_t *line, struct error *error)
{
    if (read_object(line, "request", &message->payload, error) < 0 ||
        read_pid(line, "sibling", &message->pid, error) < 0)
        return -1;
    return json_object_get(line, "counters") ? read_object(line, "counters", &message->counters, error) : 0;
}

static int read_progress(struct message *message, const json_t *line, struct error *error)
{
    return read_name(line, "phase", message->phase, sizeof message->phase, error);
}

static int read_result(struct message *message, const json_t *line, struct error *error)
{
    const json_t *correctness = json_object_get(json_object_get(line, "result"), "correctness");
    if (read_members(message, line, error) < 0)
        return -1;
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
    [MESSAGE_HELLO] = {"hello", false, read_hello},   [MESSAGE_RUN] = {"run", true, read_run},
    [MESSAGE_COUNT] = {"count", true, read_count},    [MESSAGE_PROGRESS] = {"progress", true, read_progress},
    [MESSAGE_RESULT] = {"result", true, read_result}, [MESSAGE_COUNTS] = {"counts", true, read_counts},
    [MESSAGE_ERROR] = {"error", true, read_error},
};
enum { TYPES = sizeof types / sizeof types[0] };

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
    message->payload = message->counters = NULL;
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

/* ---- writing ---- */

/* Takes over the reference; NULL is allowed and gives NULL. */
static char *line_of(json_t *object)
{
    struct buffer line = {0};
    char *text = object ? json_dumps(object, API_JSON_FLAGS) : NULL;
    json_decref(object);
    if (!text)
        return NULL;
    buffer_text(&line, text);
    buffer_text(&line, "\n");
    free(text);
    return buffer_take(&line);
}

static json_t *object_of(const char *text)
{
    json_t *object = text ? json_loads(text, JSON_REJECT_DUPLICATES, NULL) : NULL;
    if (json_is_object(object))
        return object;
    json_decref(object);
    return NULL;
}

static json_t *message_about(enum message_type type, const char *id)
{
    return json_pack("{s:s,s:s}", "type", types[type].name, "id", id);
}

/* Sets a member of *object to a new reference; frees all and leaves NULL when either is missing. */
static void add(json_t **object, const char *member, json_t *value)
{
    if (*object && json_object_set_new(*object, member, value) == 0)
        return;
    if (!*object)
        json_decref(value);
    json_decref(*object);
    *object = NULL;
}

char *message_hello(int devices, bool can_count, int64_t pid, const struct device_facts *facts)
{
    json_t *hello =
        json_pack("{s:s,s:i,s:s,s:b,s:i}", "type", types[MESSAGE_HELLO].name, "protocol", PROTOCOL_VERSION,
                  "build", coalesced_commit, "counts", can_count, "devices", devices);
    if (pid)
        add(&hello, "pid", json_integer(pid));
    add(&hello, "device", facts_to_json(facts));
    return line_of(hello);
}

char *message_run(const char *id, const char *request, const char *counters, int64_t sibling)
{
    json_t *run = message_about(MESSAGE_RUN, id);
    add(&run, "request", object_of(request));
    if (counters)
        add(&run, "counters", object_of(counters));
    if (sibling)
        add(&run, "sibling", json_integer(sibling));
    return line_of(run);
}

char *message_progress(const char *id, const char *phase)
{
    json_t *progress = message_about(MESSAGE_PROGRESS, id);
    add(&progress, "phase", json_string(phase));
    return line_of(progress);
}

char *message_result(const char *id, const char *result)
{
    json_t *message = message_about(MESSAGE_RESULT, id);
    add(&message, "result", object_of(result));
    return line_of(message);
}

/* A library's text may be in any encoding, or cut within a character: then only its ASCII is kept. */
static json_t *text_of(const char *text)
{
    char ascii[sizeof((struct error *)0)->text];
    json_t *whole = json_string(text);
    if (whole)
        return whole;
    snprintf(ascii, sizeof ascii, "%s", text);
    for (char *at = ascii; *at; at++)
        if ((unsigned char)*at >= 0x80)
            *at = '?';
    return json_string(ascii);
}

char *message_error(const char *id, const struct error *failure, const char *result)
{
    json_t *message = message_about(MESSAGE_ERROR, id);
    add(&message, "kind", json_string(error_kind_name(failure->kind)));
    add(&message, "detail", text_of(failure->text));
    if (result)
        add(&message, "result", object_of(result));
    return line_of(message);
}

/* One of a list, about its experiment; takes over both references. */
static void add_one(json_t **list, const char *id, const char *member, json_t *value, bool no_room)
{
    json_t *one = json_pack("{s:s}", "id", id);
    add(&one, member, value);
    if (no_room)
        add(&one, "no_room", json_true());
    if (*list && json_array_append_new(*list, one) == 0)
        return;
    if (!*list)
        json_decref(one);
    json_decref(*list);
    *list = NULL;
}

char *message_count(const struct ahead *experiments, double limit_s)
{
    json_t *message = message_about(MESSAGE_COUNT, experiments->at[0].id), *list = json_array();
    for (int i = 0; i < experiments->count; i++)
        add_one(&list, experiments->at[i].id, "request", object_of(experiments->at[i].request), false);
    add(&message, "limit_s", json_real(limit_s));
    add(&message, "experiments", list);
    return line_of(message);
}

char *message_counts(const char *id, const struct counts *counts)
{
    json_t *message = message_about(MESSAGE_COUNTS, id), *list = json_array();
    for (int i = 0; i < counts->count; i++)
        add_one(&list, counts->at[i].id, "counters", object_of(counts->at[i].counters),
                counts->at[i].no_room);
    add(&message, "experiments", list);
    return line_of(message);
}
