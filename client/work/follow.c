#include "client/work/follow.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "client/answers/json_path.h"
#include "client/service/event_reader.h"
#include "client/terminal/clean.h"
#include "client/terminal/language.h"
#include "client/terminal/number.h"
#include "client/work/fetch.h"

/* A stream begins with a snapshot; behind a proxy that buffers, it does not come within FIRST_S. */
enum { FIRST_S = 5, PATH_BYTES = 256, ID_BYTES = 64, SHOW_NS = 100000000 };
static const int64_t reason_interval_ns = 2000000000, quiet_ns = 5000000000;

/* ---- the line of progress ---- */

static void add_bar(struct buffer *line, double part, bool ascii)
{
    enum { BAR = 24 };
    int full = (int)(part * BAR);
    buffer_text(line, "[");
    for (int i = 0; i < BAR; i++)
        buffer_text(line, i < full ? (ascii ? "#" : "█") : (ascii ? "." : "░"));
    buffer_text(line, "] ");
}

/* "read_offset offset=11 block=128": what runs, with its values of the sweep's axes. */
static void add_running(struct buffer *line, const json_t *sweep, const json_t *running)
{
    const json_t *asked = json_object_get(sweep, "request"), *request = json_object_get(running, "request");
    const char *name;
    json_t *value;
    if (request)
        buffer_format(line, "  %s", json_path_text(request, "kernel", ""));
    json_object_foreach ((json_t *)request, name, value) {
        char text[JSON_PATH_TEXT_BYTES];
        if (!json_is_array(json_object_get(asked, name)) || strcmp(name, "kernel") == 0)
            continue;
        json_path_value(text, value);
        buffer_format(line, " %s=%s", name, text);
    }
}

static void add_experiment(struct buffer *line, const json_t *document)
{
    const char *phase = json_path_text(document, "phase", NULL);
    double position = json_path_number(document, "position"), samples = json_path_number(document, "samples");
    buffer_format(line, "%s: %s", json_path_text(document, "request.kernel", ""),
                  language_text(json_path_text(document, "state", "")));
    if (position > 0)
        buffer_format(line, language_text(", %.0f before it"), position);
    if (phase)
        buffer_format(line, "%s%s", language_text(", "), language_text(phase));
    if (phase && samples > 0)
        buffer_format(line, language_text(", %.0f samples"), samples);
}

void follow_show(struct screen *screen, const json_t *document, const json_t *running)
{
    struct buffer line = {0};
    char left[NUMBER_BYTES];
    double total = json_path_number(document, "total"), done = json_path_number(document, "done"),
           eta = json_path_number(document, "eta_seconds");
    const char *reason = json_path_text(document, "waits_for", NULL);
    if (total > 0) {
        add_bar(&line, done / total, screen->ascii);
        buffer_format(&line, "%.0f/%.0f", done, total);
    } else {
        add_experiment(&line, document);
    }
    if (reason)
        buffer_format(&line, "%s%s", language_text(", "),
                      language_reason(reason, (char[LANGUAGE_REASON_BYTES]){0}));
    number_duration(left, eta);
    if (json_path_true(document, "paused"))
        buffer_text(&line, reason ? "" : language_text("  paused"));
    else if (isfinite(eta) && !(total > 0 && done == total))
        buffer_format(&line, language_text("  about %s left"), left);
    if (total > 0) /* last, as a narrow terminal cuts the line */
        add_running(&line, document, running);
    screen_progress(screen, line.data);
    buffer_free(&line);
}

/* ---- events ---- */

struct following {
    struct context *context;
    const char *path;       /* of the resource */
    bool received, resumed; /* an event came; the stream goes on after one of an earlier stream */
    int64_t begun_ns;
    enum follow_end end;
    json_t *document;
    char running[ID_BYTES]; /* id of the sweep's experiment that was last reported to run */
    char shown[ID_BYTES];   /* id of the one in `request` */
    json_t *request;        /* {"request"} of it; NULL: not known */
    int64_t fetched_ns, shown_ns;
    double eta_s; /* until the end, at eta_ns; NaN: not known */
    int64_t eta_ns;
    int64_t event_ns;                  /* when the last event came */
    int64_t reason_ns;                 /* when the block reason was last asked for */
    char reason[JSON_PATH_TEXT_BYTES]; /* the last one printed where there is no terminal */
};

static void set_text(json_t *document, const char *name, const json_t *data)
{
    json_t *value = json_object_get(data, name);
    if (value)
        json_object_set(document, name, value);
}

static void remember_eta(struct following *following)
{
    following->eta_s = json_path_number(following->document, "eta_seconds");
    following->eta_ns = clock_monotonic_ns();
}

/* The service does not send the time left again while nothing else changes: it is counted down here. */
static void count_down(struct following *following)
{
    double eta_s = following->eta_s - (double)(clock_monotonic_ns() - following->eta_ns) / 1e9;
    if (eta_s >= 0)
        json_object_set_new(following->document, "eta_seconds", json_real(eta_s));
    else
        json_object_del(following->document, "eta_seconds");
}

/* Applies one event to the document. True: it was the last. */
static bool apply_event(struct following *following, const char *type, const json_t *data)
{
    json_t *document = following->document;
    const char *state = json_path_text(data, "state", ""), *id = json_path_text(data, "id", "");
    bool sweep = json_object_get(document, "total") != NULL, changed = strcmp(type, "state") == 0;
    if (strcmp(type, "snapshot") == 0) {
        json_object_update(document, json_object_get(data, "sweep"));
        set_text(document, "state", json_object_get(data, "experiment"));
        remember_eta(following);
    } else if (strcmp(type, "points") == 0 || strcmp(type, "place") == 0) {
        json_object_del(document, "paused");
        json_object_update(document, (json_t *)data);
        remember_eta(following);
    } else if (strcmp(type, "progress") == 0) {
        set_text(document, "phase", data);
        set_text(document, "samples", data);
    } else if (changed && !sweep) {
        json_object_del(document, "phase");
        set_text(document, "state", data);
    } else if (changed && strcmp(state, "running") != 0 && strcmp(state, "queued") != 0) {
        /* One more is done; the event `points` corrects the number once a second. */
        double done = json_path_number(document, "done") + 1;
        if (done <= json_path_number(document, "total"))
            json_object_set_new(document, "done", json_integer((json_int_t)done));
    }
    if (strcmp(type, "progress") == 0 || (changed && sweep && strcmp(state, "running") == 0))
        snprintf(following->running, sizeof following->running, "%s", id);
    return strcmp(type, "end") == 0;
}

static bool is_waiting(const json_t *document)
{
    if (!json_object_get(document, "total"))
        return strcmp(json_path_text(document, "state", ""), "queued") == 0;
    return json_path_number(document, "queued") > 0 && json_path_number(document, "running") == 0;
}

/* No event says that a device is being started or cannot be used, or that the service cannot write: while nothing runs, or
   no event comes, the reason is polled. */
static void fetch_block_reason(struct following *following)
{
    struct screen *screen = &following->context->screen;
    char query[PATH_BYTES];
    json_t *now = NULL, *document = following->document;
    int64_t now_ns = clock_monotonic_ns();
    bool sweep = json_object_get(document, "total") != NULL;
    bool waiting = is_waiting(document) || now_ns - following->event_ns > quiet_ns;
    if (!waiting)
        json_object_del(document, "waits_for");
    if (!waiting || now_ns - following->reason_ns < reason_interval_ns)
        return;
    following->reason_ns = now_ns;
    snprintf(query, sizeof query, "%s%s", following->path, sweep ? "?page_size=1" : "");
    if (fetch_json(following->context, query, &now) == EXIT_FINE) {
        json_object_update_existing(document, now);
        set_text(document, "eta_seconds", now);
        remember_eta(following);
    }
    const char *reason = json_path_text(now, "waits_for", "");
    if (*reason)
        json_object_set_new(document, "waits_for", json_string(reason));
    else
        json_object_del(document, "waits_for");
    if (*reason && !screen->err && strcmp(reason, following->reason) != 0) {
        snprintf(following->reason, sizeof following->reason, "%s", reason);
        screen_remark(
            screen,
            json_path_true(now, "unwritten") || !is_waiting(document) ? "%s" : language_text("it waits: %s"),
            language_reason(reason, (char[LANGUAGE_REASON_BYTES]){0}));
    }
    json_decref(now);
}

/* Shows the line of progress. What runs is fetched once, and at most once a second. */
static void show(struct following *following)
{
    struct screen *screen = &following->context->screen;
    bool sweep = json_object_get(following->document, "total") != NULL;
    int64_t now_ns = clock_monotonic_ns();
    if (!screen->err || screen->quiet || now_ns - following->shown_ns < SHOW_NS)
        return;
    following->shown_ns = now_ns;
    if (sweep && *following->running && strcmp(following->running, following->shown) != 0 &&
        now_ns - following->fetched_ns > INT64_C(1000000000)) {
        char path[PATH_BYTES];
        snprintf(path, sizeof path, "/v1/experiments/%s", following->running);
        snprintf(following->shown, sizeof following->shown, "%s", following->running);
        following->fetched_ns = now_ns;
        json_decref(following->request);
        fetch_json(following->context, path, &following->request);
    }
    count_down(following);
    follow_show(screen, following->document, following->request);
}

static bool on_event(void *data, const char *type, const char *text)
{
    struct following *following = data;
    json_t *event = json_loads(text, 0, NULL);
    clean_strings(event);
    following->received = true;
    following->event_ns = clock_monotonic_ns();
    if (apply_event(following, type, event))
        following->end = FOLLOW_ENDED;
    json_decref(event);
    return following->end != FOLLOW_ENDED;
}

static bool on_tick(void *data)
{
    struct following *following = data;
    if (!following->received && !following->resumed && clock_passed(following->begun_ns, FIRST_S)) {
        following->end = FOLLOW_UNAVAILABLE;
        return false;
    }
    fetch_block_reason(following);
    show(following);
    return true;
}

enum follow_end follow_events(struct context *context, const char *path, json_t *document,
                              char last_id[EVENT_READER_ID_BYTES])
{
    char events[PATH_BYTES];
    struct following following = {.context = context,
                                  .path = path,
                                  .document = document,
                                  .resumed = *last_id,
                                  .begun_ns = clock_monotonic_ns(),
                                  .event_ns = clock_monotonic_ns(),
                                  .reason_ns = clock_monotonic_ns(),
                                  .end = FOLLOW_LOST};
    remember_eta(&following);
    snprintf(events, sizeof events, "%s/events", path);
    long status = event_reader_run(&context->service, events, last_id,
                                   &(struct event_reader_calls){on_event, on_tick, &following});
    if (following.end == FOLLOW_LOST && !following.received && status != 0)
        following.end = FOLLOW_UNAVAILABLE;
    json_decref(following.request);
    return following.end;
}
