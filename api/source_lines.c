/* Sums of instructions by the line that they stand in. */
#include "api/source_lines.h"

#include <math.h>
#include <string.h>

#include "api/problem.h"

static const char *const kinds[ACCESS_KINDS] = {"load", "store", "atomic"};

/* What one line, or the whole launch, does. */
struct line_sums {
    uint64_t requests, transactions, used_bytes, moved_bytes;
    struct prediction_shared shared;
};

static void line_add(struct line_sums *sums, const struct access_instruction *one,
                     const struct prediction *prediction)
{
    struct prediction_side side = prediction_of_instruction(prediction, one);
    if (one->space == SPACE_SHARED) {
        struct prediction_shared shared = prediction_of_shared(prediction->arch, &one->shared);
        sums->shared.requests += shared.requests;
        sums->shared.wavefronts += shared.wavefronts;
        sums->shared.bank_conflicts += shared.bank_conflicts;
    } else if (one->space != SPACE_CONSTANT) {
        sums->requests += side.requests;
        sums->transactions += side.transactions;
        sums->used_bytes += side.used_bytes;
        sums->moved_bytes += side.moved_bytes;
    }
}

static void write_text(struct json_writer *json, const char *source, int line)
{
    char text[200];
    size_t length;
    for (int i = 1; source && i < line; i++) {
        source = strchr(source, '\n');
        source += source != NULL;
    }
    source = source && line > 0 ? source + strspn(source, " \t") : "";
    length = strcspn(source, "\r\n");
    if (length >= sizeof text)
        length = sizeof text - 1;
    memcpy(text, source, length);
    text[length] = '\0';
    json_writer_string(json, "text", text);
}

static void write_access(struct json_writer *json, const struct source_count *count, int index,
                         const struct prediction *prediction)
{
    const struct access_instruction *one = &count->instructions[index];
    const struct source_place *place = &count->places[index];
    bool shared = one->space == SPACE_SHARED;
    struct line_sums sums = {0};
    line_add(&sums, one, prediction);
    json_writer_begin_object(json, NULL);
    json_writer_int(json, "instruction", index);
    json_writer_known_int(json, "column", place->column > 0, place->column);
    if (place->joined[0]) {
        json_writer_begin_array(json, "joined_lines");
        for (int i = 0; i < 2; i++)
            json_writer_int(json, NULL, place->joined[i]);
        json_writer_end(json);
    }
    json_writer_string(json, "kind", kinds[one->kind]);
    json_writer_string(json, "space",
                       shared                         ? "shared"
                       : one->space == SPACE_CONSTANT ? "constant"
                                                      : "global");
    json_writer_name(json, "array", place->array);
    json_writer_int(json, "access_bytes", one->bytes);
    json_writer_uint(json, "requests", shared ? one->shared.requests : one->global.requests);
    if (shared)
        json_writer_uint(json, "bank_conflicts", sums.shared.bank_conflicts);
    else
        json_writer_uint(json, "transactions", sums.transactions);
    json_writer_rounded(json, "efficiency_pct",
                        sums.moved_bytes ? 100 * (double)sums.used_bytes / (double)sums.moved_bytes : NAN);
    json_writer_end(json);
}

static void write_line(struct json_writer *json, const char *source, int line,
                       const struct source_count *count, const struct prediction *prediction,
                       const struct line_sums *launch)
{
    struct line_sums sums = {0};
    for (int i = 0; i < count->instruction_count; i++)
        if (count->places[i].line == line)
            line_add(&sums, &count->instructions[i], prediction);
    json_writer_begin_object(json, NULL);
    json_writer_known_int(json, "line", line > 0, line);
    write_text(json, source, line);
    json_writer_uint(json, "requests", sums.requests);
    json_writer_uint(json, "transactions", sums.transactions);
    json_writer_uint(json, "used_bytes", sums.used_bytes);
    json_writer_uint(json, "moved_bytes", sums.moved_bytes);
    json_writer_rounded(json, "efficiency_pct",
                        sums.moved_bytes ? 100 * (double)sums.used_bytes / (double)sums.moved_bytes : NAN);
    json_writer_rounded(json, "traffic_pct",
                        launch->moved_bytes ? 100 * (double)sums.moved_bytes / (double)launch->moved_bytes
                                            : NAN);
    json_writer_uint(json, "shared_requests", sums.shared.requests);
    json_writer_uint(json, "shared_wavefronts", sums.shared.wavefronts);
    json_writer_uint(json, "bank_conflicts", sums.shared.bank_conflicts);
    json_writer_begin_array(json, "accesses");
    for (int i = 0; i < count->instruction_count; i++)
        if (count->places[i].line == line)
            write_access(json, count, i, prediction);
    json_writer_end(json);
    json_writer_end(json);
}

static void take_less(int *next, int line, int after)
{
    if (line > after && (*next < 0 || line < *next))
        *next = line;
}

/* The least line that has accesses and is greater than `after`; -1: there is none. joined: also lines whose accesses the
   compiler joined with another one's. */
static int next_line(const struct source_count *count, int after, bool joined)
{
    int next = -1;
    for (int i = 0; i < count->instruction_count; i++) {
        take_less(&next, count->places[i].line, after);
        for (int k = 0; joined && k < 2; k++)
            take_less(&next, count->places[i].joined[k], after);
    }
    return next;
}

void source_lines_write(struct json_writer *json, const char *key, const char *source,
                        const struct source_count *count, const struct prediction *prediction)
{
    struct line_sums launch = {0};
    for (int i = 0; i < count->instruction_count; i++)
        line_add(&launch, &count->instructions[i], prediction);
    json_writer_begin_array(json, key);
    for (int line = next_line(count, -1, false); line >= 0; line = next_line(count, line, false))
        write_line(json, source, line, count, prediction, &launch);
    json_writer_end(json);
}

void source_lines_list(struct json_writer *json, const char *key, const struct source_count *count)
{
    json_writer_begin_array(json, key);
    for (int line = next_line(count, 0, true); line > 0; line = next_line(count, line, true))
        json_writer_int(json, NULL, line);
    json_writer_end(json);
}

void source_lines_add_faults(struct problems *problems, const struct source_count *count)
{
    for (int i = 0; i < count->fault_count; i++) {
        const struct source_fault *fault = &count->faults[i];
        if (!fault->note)
            problem_add_at(problems, "#/source", fault->line, fault->column, "%s", fault->text);
    }
}

void source_lines_notes(struct json_writer *json, const char *key, const struct source_count *count)
{
    json_writer_begin_array(json, key);
    for (int i = 0; i < count->fault_count; i++) {
        const struct source_fault *fault = &count->faults[i];
        if (!fault->note)
            continue;
        json_writer_begin_object(json, NULL);
        json_writer_known_int(json, "line", fault->line > 0, fault->line);
        json_writer_known_int(json, "column", fault->column > 0, fault->column);
        problem_write_text(json, "detail", fault->text);
        json_writer_end(json);
    }
    json_writer_end(json);
}
