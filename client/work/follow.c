#include "client/work/follow.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "client/answers/json_path.h"
#include "client/service/event_reader.h"
#include "client/terminal/interrupt.h"
#include "client/work/fetch.h"
#include "client/work/progress.h"

/* A stream begins with a snapshot at once; behind a proxy that gathers it, none comes. */
enum { FIRST_MS = 5000, LOOK_MS = 1000, PATH_BYTES = 256, ID_BYTES = 64, SHOW_NS = 100000000 };
static const int64_t why_ns = 2000000000; /* how often it is asked what keeps it from beginning */

struct following {
    json_t *document;
    char running[ID_BYTES]; /* of the sweep's experiments the one that was last told of */
    char shown[ID_BYTES];   /* the one in `request` */
    json_t *request;        /* {"request"} of it; NULL: not known */
    int64_t asked_ns, shown_ns;
    double left_s;               /* as it was told at told_ns; NaN: it was not */
    int64_t why_ns;              /* when it was asked why it waits */
    char why[FIELDS_TEXT_BYTES]; /* what was told of it last without a terminal */
    int64_t told_ns;
};

static void set_text(json_t *document, const char *name, const json_t *data)
{
    json_t *value = json_object_get(data, name);
    if (value)
        json_object_set(document, name, value);
}

static void note_running(struct following *following, const json_t *data)
{
    snprintf(following->running, sizeof following->running, "%s", json_path_text(data, "id", ""));
}

static void note_left(struct following *following)
{
    following->left_s = json_path_number(following->document, "eta_seconds");
    following->told_ns = clock_monotonic_ns();
}

/* What is told of the time left is not told again while nothing else changes: it is counted down here. */
static void count_down(struct following *following)
{
    double left_s = following->left_s - (double)(clock_monotonic_ns() - following->told_ns) / 1e9;
    if (left_s >= 0)
        json_object_set_new(following->document, "eta_seconds", json_real(left_s));
    else
        json_object_del(following->document, "eta_seconds");
}

/* One more has ended; `points` says once a second how many that are in truth. */
static void count_ended(json_t *document)
{
    double done = json_path_number(document, "done"), total = json_path_number(document, "total");
    if (done + 1 <= total)
        json_object_set_new(document, "done", json_integer((json_int_t)done + 1));
}

/* What one event changes of the document; true: it was the last. */
static bool take(struct following *following, const char *kind, const json_t *data)
{
    json_t *document = following->document;
    bool sweep = json_object_get(document, "total") != NULL;
    if (strcmp(kind, "snapshot") == 0) {
        json_object_update(document, json_object_get(data, "sweep"));
        set_text(document, "state", json_object_get(data, "experiment"));
        note_left(following);
    } else if (strcmp(kind, "points") == 0 || strcmp(kind, "place") == 0) {
        json_object_del(document, "paused");
        json_object_update(document, (json_t *)data);
        note_left(following);
    } else if (strcmp(kind, "progress") == 0) {
        set_text(document, "phase", data);
        set_text(document, "samples", data);
        note_running(following, data);
    } else if (strcmp(kind, "state") == 0 && !sweep) {
        json_object_del(document, "phase");
        set_text(document, "state", data);
    } else if (strcmp(kind, "state") == 0 && strcmp(json_path_text(data, "state", ""), "running") == 0) {
        note_running(following, data);
    } else if (strcmp(kind, "state") == 0 && strcmp(json_path_text(data, "state", ""), "queued") != 0) {
        count_ended(document);
    }
    return strcmp(kind, "end") == 0;
}

static bool is_waiting(const json_t *document)
{
    if (!json_object_get(document, "total"))
        return strcmp(json_path_text(document, "state", ""), "queued") == 0;
    return json_path_number(document, "queued") > 0 && json_path_number(document, "running") == 0;
}

/* No event tells that a device is being started, or cannot be used: while nothing runs it is asked for, again and again. */
static void ask_why(struct context *context, struct following *following, const char *path)
{
    char query[PATH_BYTES];
    json_t *now = NULL, *document = following->document;
    int64_t now_ns = clock_monotonic_ns();
    bool sweep = json_object_get(document, "total") != NULL;
    if (!is_waiting(document))
        json_object_del(document, "waits_for");
    if (!is_waiting(document) || now_ns - following->why_ns < why_ns)
        return;
    following->why_ns = now_ns;
    snprintf(query, sizeof query, "%s%s", path, sweep ? "?page_size=1" : "");
    if (fetch_json(context, query, &now) == EXIT_FINE)
        json_object_update_existing(document, now);
    const char *why = json_path_text(now, "waits_for", "");
    if (*why)
        json_object_set_new(document, "waits_for", json_string(why));
    else
        json_object_del(document, "waits_for");
    if (*why && !context->screen.err && strcmp(why, following->why) != 0) {
        snprintf(following->why, sizeof following->why, "%s", why);
        screen_remark(&context->screen, "it waits: %s", why);
    }
    json_decref(now);
}

/* What runs is asked for once, and once a second at most. */
static void show(struct context *context, struct following *following)
{
    bool sweep = json_object_get(following->document, "total") != NULL;
    int64_t now_ns = clock_monotonic_ns();
    if (!context->screen.err || context->screen.quiet || now_ns - following->shown_ns < SHOW_NS)
        return;
    following->shown_ns = now_ns;
    if (sweep && *following->running && strcmp(following->running, following->shown) != 0 &&
        now_ns - following->asked_ns > INT64_C(1000000000)) {
        char path[PATH_BYTES];
        snprintf(path, sizeof path, "/v1/experiments/%s", following->running);
        snprintf(following->shown, sizeof following->shown, "%s", following->running);
        following->asked_ns = now_ns;
        json_decref(following->request);
        fetch_json(context, path, &following->request);
    }
    count_down(following);
    progress_show(&context->screen, following->document, following->request);
}

enum follow_end follow_events(struct context *context, const char *path, json_t *document,
                              char last[FOLLOW_LAST_BYTES])
{
    char events[PATH_BYTES];
    struct following following = {.document = document};
    struct stream_event event;
    enum follow_end end = FOLLOW_LOST;
    bool heard = false;
    note_left(&following);
    following.why_ns = clock_monotonic_ns();
    snprintf(events, sizeof events, "%s/events", path);
    struct event_reader *stream = event_reader_open(&context->service, events, last);
    if (!stream)
        return FOLLOW_USELESS;
    while (end == FOLLOW_LOST && !interrupt_came()) {
        enum stream_state state = event_reader_next(stream, heard || *last ? LOOK_MS : FIRST_MS, &event);
        if (state == STREAM_QUIET && !heard && !*last && !interrupt_came())
            end = FOLLOW_USELESS;
        if (state == STREAM_OVER && !heard && event_reader_status(stream) != 0)
            end = FOLLOW_USELESS;
        if (state == STREAM_OVER)
            break;
        if (state == STREAM_EVENT) {
            json_t *data = json_loads(event.data ? event.data : "", 0, NULL);
            heard = true;
            if (take(&following, event.kind, data))
                end = FOLLOW_ENDED;
            json_decref(data);
        }
        if (end == FOLLOW_LOST)
            ask_why(context, &following, path);
        if (end == FOLLOW_LOST)
            show(context, &following);
    }
    snprintf(last, FOLLOW_LAST_BYTES, "%s", event_reader_last(stream));
    event_reader_close(stream);
    json_decref(following.request);
    return end;
}
