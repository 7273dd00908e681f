/* Requests of launch_request.h, written and read. */
#include "api/launch_request.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "api/experiment_json.h"
#include "api/sandbox_protocol.h"
#include "api/source_json.h"
#include "base/json_writer.h"

struct buffer launch_request_write(const struct launch_request *request)
{
    struct buffer bytes = {0};
    struct json_writer header = {.out = &bytes};
    const struct source_code *code = &request->code;
    size_t defined = strlen(request->definition), length = strlen(request->request);
    const int64_t explained[] = {request->block[0], request->block[1], request->block[2], request->warp,
                                 request->line};
    json_writer_begin_object(&header, NULL);
    json_writer_uint(&header, "bytes", defined + length + code->ptx_bytes + code->cubin_bytes);
    json_writer_string(&header, "entry", code->symbol);
    json_writer_bool(&header, "check", request->check);
    json_writer_double(&header, "seconds", request->seconds);
    if (request->explained)
        json_writer_ints(&header, "explain", explained, sizeof explained / sizeof *explained);
    json_writer_uint(&header, "definition", defined);
    json_writer_uint(&header, "request", length);
    json_writer_uint(&header, "ptx", code->ptx_bytes);
    json_writer_uint(&header, "cubin", code->cubin_bytes);
    json_writer_end(&header);
    bytes.failed |= json_writer_finish(&header) < 0;
    buffer_text(&bytes, "\n");
    buffer_append(&bytes, request->definition, defined);
    buffer_append(&bytes, request->request, length);
    buffer_append(&bytes, code->ptx, code->ptx_bytes);
    buffer_append(&bytes, code->cubin, code->cubin_bytes);
    return bytes;
}

/* The next part of the payload: begins at *at, and has as many bytes as the header says. -1: there are not so many. */
static int part_take(const json_t *header, const char *name, const char **at, size_t *left, const char **part,
                     size_t *bytes)
{
    json_int_t length = json_integer_value(json_object_get(header, name));
    if (length < 0 || (uint64_t)length > *left)
        return -1;
    *part = *at;
    *bytes = (size_t)length;
    *at += length;
    *left -= (size_t)length;
    return 0;
}

static int64_t integer_at(const json_t *list, size_t index)
{
    return json_integer_value(json_array_get(list, index));
}

int launch_request_read(struct launch_request *request, const char *bytes, size_t size, struct error *error)
{
    struct protocol_frame frame;
    *request = (struct launch_request){0};
    if (protocol_frame_find_within(&frame, bytes, size, SANDBOX_PAYLOAD_BYTES) != (ssize_t)size || size == 0)
        return error_set(error, ERROR_INVALID, "a launch that is not whole");
    json_t *header = json_loadb(frame.header, frame.header_bytes, JSON_REJECT_DUPLICATES, NULL);
    const json_t *explain = json_object_get(header, "explain");
    struct source_code *code = &request->code;
    const char *at = frame.payload, *definition, *text, *cubin;
    size_t left = frame.payload_bytes, defined, length;
    request->header = header;
    code->symbol = json_string_value(json_object_get(header, "entry"));
    if (!code->symbol || part_take(header, "definition", &at, &left, &definition, &defined) < 0 ||
        part_take(header, "request", &at, &left, &text, &length) < 0 ||
        part_take(header, "ptx", &at, &left, &code->ptx, &code->ptx_bytes) < 0 ||
        part_take(header, "cubin", &at, &left, &cubin, &code->cubin_bytes) < 0 || left) {
        launch_request_free(request);
        return error_set(error, ERROR_INVALID, "a launch whose header is wrong");
    }
    code->cubin = cubin;
    request->definition_text = strndup(definition, defined);
    request->text = strndup(text, length);
    if (!request->definition_text || !request->text) {
        launch_request_free(request);
        return error_set(error, ERROR_MEMORY, "no memory for a launch");
    }
    request->definition = request->definition_text;
    request->request = request->text;
    request->check = json_is_true(json_object_get(header, "check"));
    request->seconds = json_number_value(json_object_get(header, "seconds"));
    request->explained = json_array_size(explain) == 5;
    for (size_t i = 0; i < 3; i++)
        request->block[i] = integer_at(explain, i);
    request->warp = integer_at(explain, 3);
    request->line = integer_at(explain, 4);
    return 0;
}

void launch_request_free(struct launch_request *request)
{
    json_decref(request->header);
    free(request->text);
    free(request->definition_text);
    *request = (struct launch_request){0};
}

struct source_kernel *launch_request_experiment(const struct launch_request *request,
                                                struct experiment *experiment, struct error *error)
{
    struct problems problems = {0};
    json_t *object = json_loads(request->request, JSON_REJECT_DUPLICATES, NULL);
    struct source_kernel *kernel = object ? source_json_read_text(request->definition, error) : NULL;
    if (kernel && (experiment_json_read_of(experiment, &kernel->kernel, object, &problems) < 0 ||
                   experiment_check(experiment, NULL, &problems) < 0)) {
        source_kernel_free(kernel);
        kernel = NULL;
    }
    if (!kernel && problems.count)
        error_set(error, ERROR_INVALID, "%s: %s", problems.at[0].pointer, problems.at[0].detail);
    else if (!kernel)
        error_set(error, ERROR_INVALID, "a launch that is no request of a source kernel");
    json_decref(object);
    return kernel;
}
