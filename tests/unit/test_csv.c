/* The table's bytes: tests/csv/rows.json holds rows of many kinds, rows.csv what is to be made of them.
   With a file's name as its argument the program writes that table instead. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <jansson.h>

#include "api/csv.h"
#include "api/json_parts.h"

static struct columns all;

/* A member as text, to be freed: a string as it is, an object as the service would have written it. */
static char *member_text(const json_t *row, const char *name)
{
    const json_t *member = json_object_get(row, name);
    if (!member || json_is_null(member))
        return NULL;
    return json_is_string(member) ? strdup(json_string_value(member)) : json_parts_text(member);
}

static int64_t member_number(const json_t *row, const char *name)
{
    return json_integer_value(json_object_get(row, name));
}

static void row_write(struct buffer *out, const json_t *row)
{
    char *request = member_text(row, "request"), *result = member_text(row, "result"),
         *failure = member_text(row, "point_failure"), *reference = member_text(row, "reference");
    const json_t *why = json_object_get(row, "failure");
    struct error error = {0};
    if (why)
        error_set(&error, error_kind_of(json_string_value(json_object_get(why, "kind"))), "%s",
                  json_string_value(json_object_get(why, "text")));
    struct view_experiment experiment = {
        .id = json_string_value(json_object_get(row, "id")),
        .state = json_string_value(json_object_get(row, "state")),
        .owner = json_string_value(json_object_get(row, "owner")),
        .attempt = (int)member_number(row, "attempt"),
        .device = json_object_get(row, "device") ? (int)member_number(row, "device") : -1,
        .submitted_ms = member_number(row, "submitted_ms"),
        .started_ms = member_number(row, "started_ms"),
        .finished_ms = member_number(row, "finished_ms"),
        .request = request,
        .result = result,
        .failure = &error,
    };
    snprintf(experiment.device_name, sizeof experiment.device_name, "%s",
             json_object_get(row, "device_name") ? json_string_value(json_object_get(row, "device_name"))
                                                 : "");
    struct view_point point = {.index = (int)member_number(row, "index"),
                               .id = json_string_value(json_object_get(row, "removed")),
                               .experiment = experiment.id ? &experiment : NULL,
                               .request = request,
                               .failure = failure,
                               .reference = reference};
    assert_int_equal(csv_row(out, &all, &point), 0);
    free(request);
    free(result);
    free(failure);
    free(reference);
}

static void table_write(struct buffer *out)
{
    size_t i;
    json_t *row, *rows = json_load_file(TESTS_DIR "/csv/rows.json", 0, NULL);
    assert_non_null(rows);
    char detail[COLUMNS_DETAIL_BYTES];
    assert_int_equal(csv_columns(&all, NULL, detail), 0);
    assert_int_equal(csv_header(out, &all), 0);
    json_array_foreach (rows, i, row)
        row_write(out, row);
    json_decref(rows);
}

/* The bytes of the field that begins here, which ends at a comma, at the line's end or at the text's. */
static size_t field_bytes(const char *at)
{
    bool quoted = false;
    size_t count = 0;
    for (; at[count] && (quoted || !strchr(",\r", at[count])); count++)
        quoted ^= at[count] == '"';
    return count;
}

/* Is that field's text one of the line's? */
static bool line_has(const char *line, const char *field, size_t length)
{
    for (;;) {
        size_t count = field_bytes(line);
        if (count == length && memcmp(line, field, length) == 0)
            return true;
        if (line[count] != ',')
            return false;
        line += count + 1;
    }
}

/* Drops the columns that the wanted header has not: a new kernel may bring parameters, which are columns. */
static void columns_keep(struct buffer *table, const char *header)
{
    struct buffer kept = {0};
    const char *name = table->data;
    bool first = true;
    for (const char *at = table->data; *at;) {
        size_t named = field_bytes(name), count = field_bytes(at);
        if (line_has(header, name, named)) {
            buffer_text(&kept, first ? "" : ",");
            buffer_append(&kept, at, count);
            first = false;
        }
        at += count;
        if (*at == ',') {
            at++;
            name += named + 1;
            continue;
        }
        buffer_text(&kept, "\r\n");
        at += strspn(at, "\r\n");
        name = table->data;
        first = true;
    }
    buffer_free(table);
    *table = kept;
}

static void a_table_keeps_its_bytes(void **state)
{
    (void)state;
    struct buffer out = {0}, wanted = {0};
    char piece[4096];
    table_write(&out);
    FILE *file = fopen(TESTS_DIR "/csv/rows.csv", "rb");
    assert_non_null(file);
    for (size_t count; (count = fread(piece, 1, sizeof piece, file));)
        buffer_append(&wanted, piece, count);
    fclose(file);
    columns_keep(&out, wanted.data);
    size_t same = 0, line = 1;
    while (same < out.size && same < wanted.size && out.data[same] == wanted.data[same])
        line += out.data[same++] == '\n';
    if (same < out.size || same < wanted.size)
        fail_msg("line %zu: \"%.60s\", not \"%.60s\"", line, out.data + same, wanted.data + same);
    buffer_free(&out);
    buffer_free(&wanted);
}

int main(int argc, char **argv)
{
    if (argc == 2) {
        struct buffer out = {0};
        FILE *file = fopen(argv[1], "wb");
        table_write(&out);
        bool bad = !file || fwrite(out.data, 1, out.size, file) != out.size || fclose(file);
        buffer_free(&out);
        return bad;
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_table_keeps_its_bytes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
