#include "api/protocol.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/facts_json.h"
#include "api/json.h"
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

static int read_payload(struct message *message, const json_t *line, const char *member, struct error *error)
{
    const json_t *value = json_object_get(line, member);
    if (!json_is_object(value))
        return error_set(error, ERROR_INVALID, "executor's line: \"%s\" is missing or no object", member);
    message->payload = json_dumps(value, API_JSON_FLAGS);
    if (!message->payload)
        return error_set(error, ERROR_MEMORY, "no memory for an executor's line");
    message->verified = json_is_true(json_object_get(json_object_get(value, "correctness"), "verified"));
    return 0;
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
    if (read_name(line, "build", message->build, sizeof message->build, error) < 0)
        return -1;
    return facts_from_json(&message->facts, json_object_get(line, "device"), error);
}

static int read_run(struct message *message, const json_t *line, struct error *error)
{
    return read_payload(message, line, "request", error);
}

static int read_progress(struct message *message, const json_t *line, struct error *error)
{
    return read_name(line, "phase", message->phase, sizeof message->phase, error);
}

static int read_result(struct message *message, const json_t *line, struct error *error)
{
    return read_payload(message, line, "result", error);
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
    return json_object_get(line, "result") ? read_payload(message, line, "result", error) : 0;
}

static int read_ask(struct message *message, const json_t *line, struct error *error)
{
    (void)message;
    (void)line;
    (void)error;
    return 0;
}

static int read_ahead(struct message *message, const json_t *line, struct error *error)
{
    struct ahead *ahead = &message->ahead;
    const json_t *list = json_object_get(line, "experiments"), *one;
    size_t i;
    if (!json_is_array(list) || json_array_size(list) > PROTOCOL_AHEAD)
        return bad(error, "\"experiments\" is missing, no list or too long");
    json_array_foreach ((json_t *)list, i, one) {
        const json_t *request = json_object_get(one, "request");
        if (read_name(one, "id", ahead->at[i].id, sizeof ahead->at[i].id, error) < 0)
            return -1;
        if (!json_is_object(request))
            return bad(error, "an experiment ahead has no request");
        ahead->at[i].request = json_dumps(request, API_JSON_FLAGS);
        if (!ahead->at[i].request)
            return error_set(error, ERROR_MEMORY, "no memory for an executor's line");
        ahead->count++;
    }
    return 0;
}

static const struct type {
    const char *name;
    bool about_one; /* has an id */
    int (*read)(struct message *message, const json_t *line, struct error *error);
} types[] = {
    [MESSAGE_HELLO] = {"hello", false, read_hello},         [MESSAGE_RUN] = {"run", true, read_run},
    [MESSAGE_PROGRESS] = {"progress", true, read_progress}, [MESSAGE_RESULT] = {"result", true, read_result},
    [MESSAGE_ERROR] = {"error", true, read_error},          [MESSAGE_ASK] = {"ask", true, read_ask},
    [MESSAGE_AHEAD] = {"ahead", true, read_ahead},
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
    message->payload = NULL;
    ahead_free(&message->ahead);
}

void ahead_free(struct ahead *ahead)
{
    for (int i = 0; i < ahead->count; i++)
        free(ahead->at[i].request);
    ahead->count = 0;
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

char *message_hello(int devices, const struct device_facts *facts)
{
    json_t *hello = json_pack("{s:s,s:i,s:s,s:i}", "type", types[MESSAGE_HELLO].name, "protocol",
                              PROTOCOL_VERSION, "build", coalesced_commit, "devices", devices);
    add(&hello, "device", facts_to_json(facts));
    return line_of(hello);
}

char *message_run(const char *id, const char *request)
{
    json_t *run = message_about(MESSAGE_RUN, id);
    add(&run, "request", object_of(request));
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

char *message_ask(const char *id)
{
    return line_of(message_about(MESSAGE_ASK, id));
}

char *message_ahead(const char *id, const struct ahead *ahead)
{
    json_t *message = message_about(MESSAGE_AHEAD, id), *list = json_array();
    for (int i = 0; list && i < ahead->count; i++) {
        json_t *one = json_pack("{s:s}", "id", ahead->at[i].id);
        add(&one, "request", object_of(ahead->at[i].request));
        if (json_array_append_new(list, one) < 0) {
            json_decref(list);
            list = NULL;
        }
    }
    add(&message, "experiments", list);
    return line_of(message);
}
