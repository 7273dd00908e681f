#include "client/work/progress.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "client/answers/json_path.h"
#include "client/terminal/number.h"

enum { BAR = 24, LINE_BYTES = 1024 };

static void add(char line[LINE_BYTES], const char *text)
{
    size_t used = strlen(line);
    snprintf(line + used, LINE_BYTES - used, "%s", text);
}

static void add_bar(char line[LINE_BYTES], double part, bool ascii)
{
    int full = (int)(part * BAR);
    add(line, "[");
    for (int i = 0; i < BAR; i++)
        add(line, i < full ? (ascii ? "#" : "█") : (ascii ? "." : "░"));
    add(line, "] ");
}

/* "read_offset offset=11 block=128": what runs, with its values of the sweep's axes. */
static void add_running(char line[LINE_BYTES], const json_t *sweep, const json_t *running)
{
    const json_t *asked = json_object_get(sweep, "request"), *request = json_object_get(running, "request");
    const char *name;
    json_t *value;
    if (!request)
        return;
    add(line, "  ");
    add(line, json_path_text(request, "kernel", ""));
    json_object_foreach ((json_t *)request, name, value) {
        char text[JSON_PATH_TEXT_BYTES];
        if (!json_is_array(json_object_get(asked, name)) || strcmp(name, "kernel") == 0)
            continue;
        json_path_value(text, value);
        add(line, " ");
        add(line, name);
        add(line, "=");
        add(line, text);
    }
}

/* ", cold, 40 samples": what the executor does. */
static void add_phase(char line[LINE_BYTES], const json_t *document)
{
    char text[NUMBER_BYTES];
    const char *phase = json_path_text(document, "phase", NULL);
    double samples = json_path_number(document, "samples");
    if (!phase)
        return;
    add(line, ", ");
    add(line, phase);
    snprintf(text, sizeof text, ", %.0f samples", samples);
    if (samples > 0)
        add(line, text);
}

static void add_eta(char line[LINE_BYTES], const json_t *document)
{
    char text[NUMBER_BYTES];
    double eta = json_path_number(document, "eta_seconds");
    if (json_path_true(document, "paused")) {
        add(line, "  paused");
    } else if (isfinite(eta)) {
        number_duration(text, eta);
        add(line, "  about ");
        add(line, text);
        add(line, " left");
    }
}

void progress_show(struct screen *screen, const json_t *document, const json_t *running)
{
    char line[LINE_BYTES] = "", text[NUMBER_BYTES];
    double total = json_path_number(document, "total"), done = json_path_number(document, "done");
    if (isfinite(total) && total > 0) {
        add_bar(line, done / total, screen->ascii);
        snprintf(text, sizeof text, "%.0f/%.0f", done, total);
        add(line, text);
        add_running(line, document, running);
    } else {
        add(line, json_path_text(document, "request.kernel", ""));
        add(line, ": ");
        add(line, json_path_text(document, "state", ""));
        double position = json_path_number(document, "position");
        if (isfinite(position) && position > 0) {
            snprintf(text, sizeof text, ", %.0f before it", position);
            add(line, text);
        }
        add_phase(line, document);
    }
    const char *reason = json_path_text(document, "waits_for", NULL);
    add(line, reason ? ", " : "");
    add(line, reason ? reason : "");
    add_eta(line, document);
    screen_progress(screen, line);
}
