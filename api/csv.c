/* A row takes one walk over the texts of an experiment (scan.h), which finds where the value of each
   figure lies. A number is written as it stands there. */
#include "api/csv.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "api/figures.h"
#include "base/json_writer.h"
#include "base/clock.h"

int csv_columns(struct columns *wanted, const char *text, char detail[COLUMNS_DETAIL_BYTES])
{
    const struct figures *figures = figures_get();
    return columns_read(wanted, text, figures->names, figures->run_count, detail);
}

int csv_header(struct buffer *out, const struct columns *wanted)
{
    return columns_header(out, wanted, figures_get()->names);
}

/* ---- what lies in a text ---- */

void csv_text(struct buffer *out, const char *text, size_t length)
{
    bool plain = true;
    for (size_t i = 0; plain && i < length; i++)
        plain = !strchr(",\"\r\n", text[i]);
    if (plain) {
        buffer_append(out, text, length);
        return;
    }
    buffer_text(out, "\"");
    for (size_t i = 0; i < length; i++)
        buffer_append(out, text[i] == '"' ? "\"\"" : &text[i], text[i] == '"' ? 2 : 1);
    buffer_text(out, "\"");
}

static void cell_string(struct buffer *out, const struct scan_value *value)
{
    if (!memchr(value->at, '\\', value->length)) {
        csv_text(out, value->at + 1, value->length - 2);
        return;
    }
    json_t *string = json_loadb(value->at, value->length, JSON_DECODE_ANY, NULL);
    if (string)
        csv_text(out, json_string_value(string), json_string_length(string));
    json_decref(string);
}

/* A list, null, an empty object, and an object where the figure is not JSON leave the cell empty. */
static void cell_value(struct buffer *out, const struct scan_value *value, bool json)
{
    if (value->length < 1)
        return;
    if (json && *value->at == '{' && value->length > 2)
        csv_text(out, value->at, value->length);
    else if (*value->at == '"' && value->length >= 2)
        cell_string(out, value);
    else if (*value->at != '{' && *value->at != '[' && *value->at != 'n')
        buffer_append(out, value->at, value->length);
}

/* ---- what the server knows besides ---- */

/* True when the cell is written, as the value was known. */
static bool cell_number(struct buffer *out, long long value, bool known)
{
    struct json_writer number = {.out = out};
    if (known)
        json_writer_int(&number, NULL, value);
    return known;
}

/* Bytes that are not UTF-8 become U+FFFD. */
static bool cell_text(struct buffer *out, const char *text)
{
    struct buffer quoted = {0};
    struct json_writer string = {.out = &quoted};
    if (!text)
        return false;
    if (json_writer_is_utf8(text)) {
        csv_text(out, text, strlen(text));
        return true;
    }
    json_writer_string(&string, NULL, text);
    if (json_writer_finish(&string) == 0)
        cell_string(out, &(struct scan_value){quoted.data, quoted.size});
    out->failed |= quoted.failed;
    buffer_free(&quoted);
    return true;
}

static bool cell_time(struct buffer *out, int64_t wall_ms)
{
    char text[CLOCK_TEXT_BYTES];
    if (!wall_ms)
        return true;
    clock_text(wall_ms, text);
    return buffer_text(out, text) == 0;
}

/* `size` is a number of elements, which is the value at its path, or [rows, columns]. */
static bool cell_size(struct buffer *out, enum figure_known figure, const struct scan_value *size)
{
    char *end;
    if (!size->length || *size->at != '[')
        return figure != KNOWN_SIZE_ELEMENTS;
    long long rows = strtoll(size->at + 1, &end, 10);
    long long columns = *end == ',' ? strtoll(end + 1, NULL, 10) : 0;
    if (rows >= 1 && columns >= 1 && rows <= INT64_MAX / columns)
        cell_number(out,
                    figure == KNOWN_SIZE_ELEMENTS ? rows * columns
                    : figure == KNOWN_SIZE_ROWS   ? rows
                                                  : columns,
                    true);
    return true;
}

static bool cell_of_experiment(struct buffer *out, enum figure_known figure,
                               const struct view_experiment *experiment)
{
    const struct error *failure = experiment->failure;
    bool failed = failure && failure->kind != ERROR_NONE;
    switch (figure) {
    case KNOWN_ID:
        return cell_text(out, experiment->id);
    case KNOWN_STATE:
        return cell_text(out, experiment->state);
    case KNOWN_DEVICE:
        return cell_number(out, experiment->device, experiment->device >= 0);
    case KNOWN_DEVICE_ALIAS:
        return cell_text(out, experiment->device_name);
    case KNOWN_ATTEMPT:
        return cell_number(out, experiment->attempt, true);
    case KNOWN_SUBMITTED_AT:
        return cell_time(out, experiment->submitted_ms);
    case KNOWN_STARTED_AT:
        return cell_time(out, experiment->started_ms);
    case KNOWN_FINISHED_AT:
        return cell_time(out, experiment->finished_ms);
    case KNOWN_OWNER:
        return cell_text(out, experiment->owner);
    case KNOWN_SWEEP:
        return cell_text(out, experiment->sweep);
    case KNOWN_REPEAT_INDEX:
        return cell_number(out, experiment->repeat_index, experiment->repeated);
    case KNOWN_FAILURE_KIND:
        return cell_text(out, failed ? error_kind_name(failure->kind) : NULL);
    case KNOWN_FAILURE_DETAIL:
        return cell_text(out, failed ? failure->text : NULL);
    default:
        return false;
    }
}

/* False: nothing is known, and the cell is the value at the figure's path. */
static bool cell_known(struct buffer *out, enum figure_known figure, const struct view_point *point,
                       const struct scan_value *value)
{
    bool removed = !point->experiment && !point->failure;
    if (figure == KNOWN_NOTHING)
        return false;
    if (figure == KNOWN_INDEX)
        return cell_number(out, point->index, point->index >= 0);
    if (figure == KNOWN_SIZE_ELEMENTS || figure == KNOWN_SIZE_ROWS || figure == KNOWN_SIZE_COLUMNS)
        return cell_size(out, figure, value);
    if (point->experiment)
        return cell_of_experiment(out, figure, point->experiment);
    if (figure == KNOWN_REPEAT_INDEX)
        return cell_number(out, point->repeat_index, point->repeated);
    if (figure == KNOWN_STATE)
        return cell_text(out, removed ? "removed" : "failed");
    return figure == KNOWN_ID && removed && cell_text(out, point->id);
}

/* ---- rows ---- */

/* The texts of a point: request, result, what it is compared with, and why it has no experiment. */
static void point_scan(const struct figures *figures, const struct view_point *point,
                       struct scan_value *values)
{
    const struct view_experiment *experiment = point->experiment;
    /* Of an experiment that was removed only the values of its axes are left. */
    const char *request = experiment ? experiment->request : point->request ? point->request : point->values;
    if (request)
        scan_text(figures->request, request, values);
    if (experiment && experiment->result)
        scan_text(figures->result, experiment->result, values);
    if (point->reference)
        scan_text(figures->root, point->reference, values);
    if (!experiment)
        scan_text(figures->failure, point->failure ? point->failure : VIEW_REMOVED, values);
}

int csv_row(struct buffer *out, const struct columns *wanted, const struct view_point *point)
{
    const struct figures *figures = figures_get();
    struct scan_value values[COLUMNS_MAX] = {0};
    point_scan(figures, point, values);
    for (int i = 0; i < wanted->count; i++) {
        int at = wanted->at[i];
        const struct figure *figure = &figures->all[at];
        const struct scan_value *value = &values[figures->slots[at]];
        if (i)
            buffer_append(out, ",", 1);
        if (!cell_known(out, figure->known, point, value))
            cell_value(out, value, figure->type == FIGURE_JSON);
    }
    return buffer_append(out, "\r\n", 2);
}
