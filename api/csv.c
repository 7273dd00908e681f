/* A row of an experiment takes one walk over the texts of an experiment (scan.h), which finds where the value of each
   figure lies. A number is written as it stands there. */
#include "api/csv.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/experiment_json.h"
#include "api/json_parts.h"
#include "api/problem.h"
#include "api/suggest.h"
#include "base/clock.h"
#include "base/json_writer.h"

/* ---- columns ---- */

static int name_find(const char *name, size_t length, const char *const *names, int count)
{
    for (int i = 0; i < count; i++)
        if (strncmp(names[i], name, length) == 0 && !names[i][length])
            return i;
    return -1;
}

static int unknown_column(const char *name, size_t length, const char *const *names, int count,
                          char detail[COLUMNS_DETAIL_BYTES])
{
    char wanted[SUGGEST_NAME_MAX + 1];
    struct suggestion meant;
    snprintf(wanted, sizeof wanted, "%.*s", (int)length, name);
    snprintf(detail, COLUMNS_DETAIL_BYTES, "columns: there is no column \"%s\"%s GET /v1/columns lists them",
             wanted, suggest_among(&meant, wanted, names, (size_t)count, sizeof *names));
    return -1;
}

int columns_read(struct columns *columns, const char *text, const char *const *names, int name_count,
                 char detail[COLUMNS_DETAIL_BYTES])
{
    columns->count = 0;
    if (!text || !text[0]) {
        for (; columns->count < name_count; columns->count++)
            columns->at[columns->count] = (short)columns->count;
        return 0;
    }
    for (const char *name = text;; name++) {
        size_t length = strcspn(name, ",");
        int found = name_find(name, length, names, name_count);
        if (found < 0)
            return unknown_column(name, length, names, name_count, detail);
        for (int i = 0; i < columns->count; i++)
            if (columns->at[i] == found) {
                snprintf(detail, COLUMNS_DETAIL_BYTES, "columns: \"%s\" stands there twice", names[found]);
                return -1;
            }
        columns->at[columns->count++] = (short)found;
        name += length;
        if (!*name)
            return 0;
    }
}

int columns_header(struct buffer *out, const struct columns *columns, const char *const *names)
{
    for (int i = 0; i < columns->count; i++)
        buffer_format(out, "%s%s", i ? "," : "", names[columns->at[i]]);
    return buffer_text(out, "\r\n");
}

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

/* A cell's text, in quotes where it needs them. */
static void cell_quoted(struct buffer *out, const char *text, size_t length)
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
        cell_quoted(out, value->at + 1, value->length - 2);
        return;
    }
    json_t *string = json_loadb(value->at, value->length, JSON_DECODE_ANY, NULL);
    if (string)
        cell_quoted(out, json_string_value(string), json_string_length(string));
    json_decref(string);
}

/* A list, null, an empty object, and an object where the figure is not JSON leave the cell empty. */
static void cell_value(struct buffer *out, const struct scan_value *value, bool json)
{
    if (value->length < 1)
        return;
    if (json && *value->at == '{' && value->length > 2)
        cell_quoted(out, value->at, value->length);
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
        cell_quoted(out, text, strlen(text));
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

static bool cell_notes(struct buffer *out, const struct view_point *point)
{
    return cell_text(out, point->notes && strcmp(point->notes, "[]") != 0 ? point->notes : NULL);
}

/* False: nothing is known, and the cell is the value at the figure's path. */
static bool cell_known(struct buffer *out, enum figure_known figure, const struct view_point *point,
                       const struct scan_value *value)
{
    const struct view_experiment *e = point->experiment;
    const struct error *failure = e && e->failure && e->failure->kind != ERROR_NONE ? e->failure : NULL;
    bool removed = !e && !point->failure;
    char chinese[1024];
    switch (figure) {
    case KNOWN_NOTHING:
        return false;
    case KNOWN_INDEX:
        return cell_number(out, point->index, point->index >= 0);
    case KNOWN_SIZE_ELEMENTS:
    case KNOWN_SIZE_ROWS:
    case KNOWN_SIZE_COLUMNS:
        return cell_size(out, figure, value);
    case KNOWN_ID:
        return cell_text(out, e ? e->id : removed ? point->id : NULL);
    case KNOWN_STATE:
        return cell_text(out, e ? e->state : removed ? "removed" : "failed");
    case KNOWN_REPEAT_INDEX:
        return cell_number(out, e ? e->repeat_index : point->repeat_index, e ? e->repeated : point->repeated);
    case KNOWN_DEVICE:
        return cell_number(out, e ? e->device : -1, e && e->device >= 0);
    case KNOWN_DEVICE_ALIAS:
        return cell_text(out, e ? e->device_name : NULL);
    case KNOWN_ATTEMPT:
        return cell_number(out, e ? e->attempt : 0, e != NULL);
    case KNOWN_SUBMITTED_AT:
        return e && cell_time(out, e->submitted_ms);
    case KNOWN_STARTED_AT:
        return e && cell_time(out, e->started_ms);
    case KNOWN_FINISHED_AT:
        return e && cell_time(out, e->finished_ms);
    case KNOWN_OWNER:
        return cell_text(out, e ? e->owner : NULL);
    case KNOWN_SWEEP:
        return cell_text(out, e ? e->sweep : NULL);
    case KNOWN_FAILURE_KIND:
        return cell_text(out, failure ? error_kind_name(failure->kind) : NULL);
    case KNOWN_FAILURE_DETAIL:
        return cell_text(out, failure ? failure->text : NULL);
    case KNOWN_FAILURE_DETAIL_ZH:
        return cell_text(out, failure && problem_zh(failure->text, chinese, sizeof chinese) ? chinese : NULL);
    case KNOWN_NOTES:
        return cell_notes(out, point);
    }
    return false;
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

/* A shape is written as 32x8, what a device must be as JSON. */
static void cell_axis(struct buffer *out, const json_t *value)
{
    char *text = json_is_number(value) || json_is_object(value) ? json_parts_text(value) : NULL;
    size_t i;
    const json_t *item;
    if (text)
        cell_quoted(out, text, strlen(text));
    else if (json_is_string(value))
        cell_quoted(out, json_string_value(value), json_string_length(value));
    json_array_foreach (value, i, item)
        buffer_format(out, "%s%lld", i ? "x" : "", (long long)json_integer_value(item));
    free(text);
}

/* An axis that has a column of its own in a table of runs: not what every request has, whose figure shows it. */
static bool is_own_axis(const char *name)
{
    const struct figures *figures = figures_get();
    return !experiment_json_reserves(name) &&
           name_find(name, strlen(name), figures->names, figures->run_count) < 0;
}

static void cell_own_axis(struct buffer *out, const struct view_point *point, int index)
{
    const char *name;
    json_t *value, *values = point->values ? json_loads(point->values, 0, NULL) : NULL;
    json_object_foreach (values, name, value)
        if (is_own_axis(name) && index-- == 0)
            cell_axis(out, value);
    json_decref(values);
}

int csv_row(struct buffer *out, const struct columns *wanted, const struct view_point *point)
{
    const struct figures *figures = figures_get();
    struct scan_value values[COLUMNS_MAX] = {0};
    point_scan(figures, point, values);
    for (int i = 0; i < wanted->count; i++) {
        int at = wanted->at[i];
        if (i)
            buffer_append(out, ",", 1);
        if (at >= figures->run_count) {
            cell_own_axis(out, point, at - figures->run_count);
            continue;
        }
        const struct figure *figure = &figures->all[at];
        const struct scan_value *value = &values[figures->slots[at]];
        if (!cell_known(out, figure->known, point, value))
            cell_value(out, value, figure->type == FIGURE_JSON);
    }
    return buffer_append(out, "\r\n", 2);
}

/* ---- a sweep ---- */

int sweep_table_make(struct sweep_table *table, bool summary, const char *values)
{
    const struct figures *figures = figures_get();
    const char *name;
    json_t *value;
    *table = (struct sweep_table){.values = json_loads(values, 0, NULL)};
    if (!table->values)
        return -1;
    for (int i = 0; i < figures->run_count && !summary; i++)
        table->names[table->count++] = figures->names[i];
    json_object_foreach (table->values, name, value)
        if (!summary && is_own_axis(name) && table->count < COLUMNS_MAX)
            table->names[table->count++] = name;
    if (!summary)
        return 0;
    table->names[table->count++] = "index";
    json_object_foreach (table->values, name, value)
        if (table->count < COLUMNS_MAX - figures->summary_count)
            table->names[table->count++] = name;
    for (int i = 0; i < figures->summary_count; i++)
        table->names[table->count++] = figures->names[figures->summary[i]];
    return 0;
}

void sweep_table_clear(struct sweep_table *table)
{
    json_decref(table->values);
    *table = (struct sweep_table){0};
}

/* A number has 7 digits, a count all of them; the cell is empty where there is no value. */
static void cell_summary(struct buffer *out, const struct point_summary *summary, const struct figure *figure)
{
    const struct summary_value *value = &summary->values[figure->place - 1];
    if (figure->sum == SUM_STATE)
        cell_text(out, point_summary_state(summary));
    else if (figure->sum == SUM_RUNS)
        cell_number(out, summary->asked, true);
    else if (figure->sum == SUM_SUCCEEDED)
        cell_number(out, summary->succeeded, true);
    else if (figure->sum == SUM_PLACEMENTS)
        cell_number(out, summary->placements, true);
    else if (figure->sum == SUM_DEVICE)
        cell_number(out, summary->device, summary->device >= 0);
    else if (figure->sum == SUM_DEVICE_ALIAS)
        cell_text(out, summary->device_name);
    else if (figure->sum == SUM_ALL)
        cell_text(out, point_summary_all(summary, value));
    else if (figure->type == FIGURE_TEXT)
        cell_text(out, value->text);
    else if (isfinite(value->number))
        buffer_format(out, figure->type == FIGURE_INTEGER ? "%.0f" : "%.7g", value->number);
}

int sweep_table_row(struct buffer *out, const struct point_summary *summary, const struct columns *columns,
                    const struct view_point *point)
{
    const struct figures *figures = figures_get();
    json_t *values = json_loads(point->values, 0, NULL);
    int axes = (int)json_object_size(values);
    struct scan_value reference[COLUMNS_MAX] = {0};
    if (point->reference)
        scan_text(figures->root, point->reference, reference);
    for (int i = 0; i < columns->count; i++) {
        int column = columns->at[i];
        buffer_text(out, i ? "," : "");
        if (column == 0) {
            buffer_format(out, "%d", point->index);
        } else if (column <= axes) {
            void *axis = json_object_iter(values);
            while (--column > 0)
                axis = json_object_iter_next(values, axis);
            cell_axis(out, json_object_iter_value(axis));
        } else {
            int at = figures->summary[column - axes - 1];
            const struct figure *figure = &figures->all[at];
            if (figure->sum == SUM_REFERENCE)
                cell_value(out, &reference[figures->slots[at]], figure->type == FIGURE_JSON);
            else if (figure->sum == SUM_NOTES)
                cell_notes(out, point);
            else
                cell_summary(out, summary, figure);
        }
    }
    json_decref(values);
    return buffer_text(out, "\r\n");
}
