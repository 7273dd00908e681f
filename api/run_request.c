#include "api/run_request.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "api/json_parts.h"
#include "api/problem.h"
#include "api/sandbox_protocol.h"
#include "base/digest.h"
#include "base/words.h"
#include "kernels/source/source_run.h"

/* ---- the question ---- */

struct buffer run_request_write(const struct experiment_request *asked, const struct launch_request *kernel,
                                const struct launch_request *reference)
{
    struct buffer bytes = {0}, first = launch_request_write(kernel), second = {0};
    struct json_writer header = {.out = &bytes};
    if (reference)
        second = launch_request_write(reference);
    json_writer_begin_object(&header, NULL);
    json_writer_uint(&header, "bytes", first.size + second.size);
    json_writer_exact(&header, "tolerance", asked->tolerance);
    json_writer_begin_array(&header, "shown");
    for (int i = 0; i < asked->shown_count; i++) {
        const struct source_shown *one = &asked->shown[i];
        json_writer_ints(&header, NULL, (int64_t[]){one->buffer, (int64_t)one->first, (int64_t)one->last}, 3);
    }
    json_writer_end(&header);
    json_writer_uint(&header, "kernel", first.size);
    json_writer_uint(&header, "reference", second.size);
    json_writer_end(&header);
    bytes.failed |= first.failed || second.failed || json_writer_finish(&header) < 0;
    buffer_text(&bytes, "\n");
    buffer_append(&bytes, first.data, first.size);
    buffer_append(&bytes, second.data, second.size);
    buffer_free(&first);
    buffer_free(&second);
    return bytes;
}

static void read_shown(struct run_request *request, const json_t *list)
{
    size_t i;
    const json_t *one;
    json_array_foreach (list, i, one) {
        if (request->shown_count == SOURCE_SHOWN)
            return;
        request->shown[request->shown_count++] = (struct source_shown){
            .buffer = (int)json_integer_value(json_array_get(one, 0)),
            .first = (uint64_t)json_integer_value(json_array_get(one, 1)),
            .last = (uint64_t)json_integer_value(json_array_get(one, 2)),
        };
    }
}

static int read_parts(struct run_request *request, const struct protocol_frame *frame, const json_t *header,
                      struct error *error)
{
    json_int_t first = json_integer_value(json_object_get(header, "kernel"));
    json_int_t second = json_integer_value(json_object_get(header, "reference"));
    if (first <= 0 || second < 0 || (uint64_t)first > frame->payload_bytes ||
        (uint64_t)second != frame->payload_bytes - (uint64_t)first)
        return error_set(error, ERROR_INVALID, "a run whose header is wrong");
    if (launch_request_read(&request->kernel, frame->payload, (size_t)first, error) < 0)
        return -1;
    request->has_reference = second > 0;
    if (!second ||
        launch_request_read(&request->reference, frame->payload + first, (size_t)second, error) == 0)
        return 0;
    launch_request_free(&request->kernel);
    return -1;
}

int run_request_read(struct run_request *request, const char *bytes, size_t size, struct error *error)
{
    struct protocol_frame frame;
    *request = (struct run_request){.tolerance = 0};
    if (!size || protocol_frame_find_within(&frame, bytes, size, SANDBOX_PAYLOAD_BYTES) != (ssize_t)size)
        return error_set(error, ERROR_INVALID, "a run that is not whole");
    json_t *header = json_loadb(frame.header, frame.header_bytes, JSON_REJECT_DUPLICATES, NULL);
    request->tolerance = json_number_value(json_object_get(header, "tolerance"));
    read_shown(request, json_object_get(header, "shown"));
    int status = read_parts(request, &frame, header, error);
    json_decref(header);
    return status;
}

void run_request_free(struct run_request *request)
{
    launch_request_free(&request->kernel);
    if (request->has_reference)
        launch_request_free(&request->reference);
}

/* ---- the answer ---- */

static void write_places(struct json_writer *json, const char *key, const struct source_run *run, bool notes)
{
    json_writer_begin_array(json, key);
    for (int i = 0; i < run->fault_count; i++) {
        const struct source_fault *fault = &run->faults[i];
        if (fault->note != notes)
            continue;
        json_writer_begin_object(json, NULL);
        json_writer_known_int(json, "line", fault->line > 0, fault->line);
        json_writer_known_int(json, "column", fault->column > 0, fault->column);
        problem_write_text(json, "detail", fault->text);
        json_writer_end(json);
    }
    json_writer_end(json);
}

/* JSON has no number that is not finite: it is a string, as "NaN". */
static void write_real(struct json_writer *json, const char *key, double value)
{
    if (isnan(value))
        json_writer_string(json, key, "NaN");
    else if (isinf(value))
        json_writer_string(json, key, value > 0 ? "Infinity" : "-Infinity");
    else
        json_writer_exact(json, key, value);
}

static void write_component(struct json_writer *json, enum source_base base, const unsigned char *from)
{
    uint64_t whole = 0;
    double value = source_type_get(base, from);
    if (source_type_is_real(base)) {
        write_real(json, NULL, value);
    } else if (base == SOURCE_U64 || base == SOURCE_I64) { /* beyond 2^53 a double is not exact */
        memcpy(&whole, from, sizeof whole);
        if (base == SOURCE_U64)
            json_writer_uint(json, NULL, whole);
        else
            json_writer_int(json, NULL, (int64_t)whole);
    } else {
        json_writer_int(json, NULL, (int64_t)value);
    }
}

/* One that nobody wrote is null. */
static void write_element(struct json_writer *json, const struct source_output *output, uint64_t i)
{
    const unsigned char *at = output->bytes + i * source_type_bytes(output->type);
    if (!output->stored[i]) {
        json_writer_null(json, NULL);
        return;
    }
    if (output->type.width > 1)
        json_writer_begin_array(json, NULL);
    for (unsigned c = 0; c < output->type.width; c++)
        write_component(json, output->type.base, at + c * source_type_component_bytes(output->type.base));
    if (output->type.width > 1)
        json_writer_end(json);
}

static void write_shown(struct json_writer *json, const struct run_request *request,
                        const struct source_output *output, int buffer)
{
    for (int i = 0; i < request->shown_count; i++) {
        const struct source_shown *one = &request->shown[i];
        if (one->buffer != buffer || one->last >= output->elements || one->last < one->first)
            continue;
        json_writer_begin_object(json, "shown");
        json_writer_uint(json, "first", one->first);
        json_writer_begin_array(json, "values");
        for (uint64_t at = one->first; at <= one->last; at++)
            write_element(json, output, at);
        json_writer_end(json);
        json_writer_end(json);
        return;
    }
}

static void write_outputs(struct json_writer *json, const struct run_request *request,
                          const struct source_run *run)
{
    json_writer_begin_array(json, "outputs");
    for (int i = 0; i < run->output_count; i++) {
        const struct source_output *output = &run->output[i];
        char type[SOURCE_TYPE_NAME_BYTES], digest[DIGEST_HEX_BYTES];
        size_t bytes = (size_t)output->elements * source_type_bytes(output->type);
        source_type_name(output->type, type);
        digest_hex(output->bytes, bytes, digest);
        json_writer_begin_object(json, NULL);
        json_writer_string(json, "name", output->name);
        json_writer_string(json, "type", type);
        json_writer_uint(json, "elements", output->elements);
        json_writer_uint(json, "elements_written", output->written);
        if (output->unfilled)
            json_writer_string(json, "initial", "numbers from 0 to 255");
        json_writer_string(json, "sha256", digest);
        write_shown(json, request, output, output->buffer);
        json_writer_end(json);
    }
    json_writer_end(json);
}

static void write_interpreter(struct json_writer *json, const struct source_run *run)
{
    json_writer_begin_object(json, "interpreter");
    json_writer_rounded(json, "took_s", run->seconds);
    json_writer_uint(json, "blocks", run->blocks);
    json_writer_uint(json, "blocks_run", run->blocks_run);
    json_writer_uint(json, "warp_instructions", run->warp_instructions);
    json_writer_string(json, "note",
                       "how long one processor took to interpret the PTX: it says nothing about a GPU");
    json_writer_end(json);
}

static void write_correctness(struct json_writer *json, const struct correctness *c)
{
    json_writer_begin_object(json, "correctness");
    json_writer_bool(json, "verified", c->verified);
    json_writer_uint(json, "elements_checked", c->elements_checked);
    json_writer_uint(json, "mismatches", c->mismatches);
    json_writer_rounded(json, "max_abs_error", c->max_abs_error);
    if (!c->has_first) {
        json_writer_null(json, "first_mismatch");
    } else {
        json_writer_begin_object(json, "first_mismatch");
        json_writer_string(json, "buffer", c->first.buffer);
        json_writer_uint(json, "index", c->first.index);
        json_writer_bool(json, "outside", false);
        if (c->first.untouched)
            json_writer_string(json, "expected", "untouched");
        else
            write_real(json, "expected", c->first.expected);
        if (c->first.unwritten)
            json_writer_null(json, "found");
        else
            write_real(json, "found", c->first.found);
        if (c->first.line)
            json_writer_int(json, "line", c->first.line);
        if (c->first.reference_line)
            json_writer_int(json, "reference_line", c->first.reference_line);
        json_writer_end(json);
    }
    json_writer_end(json);
}

static void write_failure(struct json_writer *json, enum error_kind kind, const char *detail)
{
    json_writer_begin_object(json, "failure");
    json_writer_string(json, "kind", error_kind_name(kind));
    json_writer_string(json, "detail", detail);
    json_writer_end(json);
}

/* The first fault's sentence; of the reference's it is said so. False: there is none. */
static bool write_fault(struct json_writer *json, const struct source_run *run, bool of_reference)
{
    char text[500];
    int first = 0;
    while (first < run->fault_count && run->faults[first].note)
        first++;
    if (!run->failed && run->complete)
        return false;
    snprintf(text, sizeof text, "%s%s", of_reference ? "the reference: " : "",
             first < run->fault_count ? run->faults[first].text : "it was not executed to its end");
    write_failure(json, run->timed_out ? ERROR_TIMED_OUT : ERROR_INCORRECT, text);
    return true;
}

void run_request_answer(struct json_writer *json, const struct run_request *request,
                        const struct source_run *run, const struct source_run *reference)
{
    static const char nothing[] = "the launch had a fault, and its outputs were not compared";
    struct correctness correctness = {.checked = false};
    char text[160];
    bool fault, compared = false;
    json_writer_begin_object(json, NULL);
    fault = write_fault(json, run, false) || (reference && write_fault(json, reference, true));
    if (!fault && reference) {
        source_run_compare(run, reference, request->tolerance, &correctness);
        compared = true;
    }
    snprintf(text, sizeof text, "%llu of %llu elements are not those of the reference",
             (unsigned long long)correctness.mismatches, (unsigned long long)correctness.elements_checked);
    if (compared && !correctness.verified)
        write_failure(json, ERROR_INCORRECT,
                      correctness.elements_checked ? text : "there is no output that could be compared");
    else if (!fault)
        json_writer_null(json, "failure");
    json_writer_begin_object(json, "members");
    if (compared)
        write_correctness(json, &correctness);
    else
        json_parts_missing(json, "correctness", fault ? "unavailable" : "not_requested",
                           fault ? nothing
                                 : "there is no \"reference\", a kernel whose outputs they must be");
    write_interpreter(json, run);
    write_outputs(json, request, run);
    write_places(json, "faults", run->failed || !reference ? run : reference, false);
    write_places(json, "notes", run, true);
    json_writer_end(json);
    json_writer_end(json);
}

static bool members_valid(const json_t *members)
{
    static const char *const known[] = {"correctness", "interpreter", "outputs", "faults", "notes"};
    const char *name;
    json_t *value;
    json_object_foreach ((json_t *)members, name, value)
        if (words_find(name, WORDS_TABLE(known)) < 0)
            return false;
    return json_is_object(json_object_get(members, "correctness")) &&
           json_is_object(json_object_get(members, "interpreter"));
}

json_t *run_request_read_answer(const char *bytes, size_t size, struct error *failure, struct error *error)
{
    json_t *answer = json_loadb(bytes, size, JSON_REJECT_DUPLICATES, NULL);
    const json_t *said = json_object_get(answer, "failure");
    const char *kind = json_string_value(json_object_get(said, "kind")),
               *detail = json_string_value(json_object_get(said, "detail"));
    json_t *members = json_incref(json_object_get(answer, "members"));
    if (!members_valid(members) || (json_is_object(said) && (!kind || !detail)) ||
        (json_is_object(said) && error_kind_of(kind) != ERROR_INCORRECT &&
         error_kind_of(kind) != ERROR_TIMED_OUT)) {
        json_decref(members);
        members = NULL;
        error_set(error, ERROR_CRASHED, "the run's answer is not as it should be");
    } else if (json_is_object(said)) {
        error_set(failure, error_kind_of(kind), "%s", detail);
    }
    json_decref(answer);
    return members;
}
