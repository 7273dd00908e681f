/* The writing half of protocol.h. */
#include "api/protocol.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/facts_json.h"
#include "api/json.h"
#include "base/buffer.h"
#include "version.h"

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
    return json_pack("{s:s,s:s}", "type", message_type_name(type), "id", id);
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
    json_t *hello = json_pack("{s:s,s:i,s:i,s:s,s:b,s:i}", "type", message_type_name(MESSAGE_HELLO),
                              "protocol", PROTOCOL_OLDEST, "newest", PROTOCOL_NEWEST, "build",
                              coalesced_commit, "counts", can_count, "devices", devices);
    if (pid)
        add(&hello, "pid", json_integer(pid));
    add(&hello, "device", facts_to_json(facts));
    return line_of(hello);
}

char *message_welcome(int protocol, double heartbeat_s, double lost_s)
{
    return line_of(json_pack("{s:s,s:i,s:f,s:f}", "type", message_type_name(MESSAGE_WELCOME), "protocol",
                             protocol, "heartbeat_s", heartbeat_s, "lost_s", lost_s));
}

char *message_beat(int64_t heard)
{
    return line_of(
        json_pack("{s:s,s:I}", "type", message_type_name(MESSAGE_BEAT), "heard", (json_int_t)heard));
}

char *message_leaving(const char *why, bool done)
{
    return line_of(
        json_pack("{s:s,s:s,s:b}", "type", message_type_name(MESSAGE_LEAVING), "why", why, "done", done));
}

/* NULL as object_of(). */
static json_t *request_on(int device, const char *request)
{
    json_t *object = object_of(request);
    if (!json_object_get(object, "device") ||
        json_object_set_new(object, "device", json_integer(device)) == 0)
        return object;
    json_decref(object);
    return NULL;
}

char *message_run(const char *id, int device, const char *request, const struct run_along *along)
{
    json_t *run = message_about(MESSAGE_RUN, id);
    add(&run, "request", request_on(device, request));
    if (along && along->counters)
        add(&run, "counters", object_of(along->counters));
    if (along && along->calibration)
        add(&run, "calibration", object_of(along->calibration));
    if (along && along->sibling)
        add(&run, "sibling", json_integer(along->sibling));
    return line_of(run);
}

char *message_progress(const char *id, const char *phase, unsigned samples)
{
    json_t *progress = message_about(MESSAGE_PROGRESS, id);
    add(&progress, "phase", json_string(phase));
    if (samples)
        add(&progress, "samples", json_integer(samples));
    return line_of(progress);
}

char *message_result(const char *id, const char *result, const struct samples *samples)
{
    json_t *message = message_about(MESSAGE_RESULT, id);
    add(&message, "result", object_of(result));
    if (samples)
        add(&message, "samples", samples_to_json(samples));
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

char *message_count(const struct ahead *experiments, int device, double limit_s)
{
    json_t *message = message_about(MESSAGE_COUNT, experiments->at[0].id), *list = json_array();
    for (int i = 0; i < experiments->count; i++)
        add_one(&list, experiments->at[i].id, "request", request_on(device, experiments->at[i].request),
                false);
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
