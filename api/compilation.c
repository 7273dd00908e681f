/* Requests and answers of compilation.h, written and read. */
#include "api/compilation.h"

#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/sandbox_protocol.h"
#include "base/json_writer.h"

/* ---- writing ---- */

static void part_end(struct json_writer *header)
{
    json_writer_end(header);
    header->out->failed |= json_writer_finish(header) < 0;
    buffer_text(header->out, "\n");
}

struct buffer compilation_write_request(const struct compilation_request *request)
{
    struct buffer bytes = {0};
    struct json_writer header = {.out = &bytes};
    size_t length = strlen(request->source);
    json_writer_begin_object(&header, NULL);
    json_writer_uint(&header, "bytes", length);
    json_writer_int(&header, "architecture", request->architecture);
    json_writer_string(&header, "entry", request->entry);
    json_writer_uint(&header, "source", length);
    part_end(&header);
    buffer_append(&bytes, request->source, length);
    return bytes;
}

static void write_faults(struct json_writer *header, const struct compilation *compilation)
{
    json_writer_begin_array(header, "faults");
    for (int i = 0; i < compilation->fault_count; i++) {
        const struct compilation_fault *fault = &compilation->faults[i];
        json_writer_begin_object(header, NULL);
        json_writer_uint(header, "line", fault->line);
        json_writer_uint(header, "column", fault->column);
        json_writer_string(header, "text", fault->text);
        json_writer_end(header);
    }
    json_writer_end(header);
}

static void write_parameters(struct json_writer *header, const struct source_parameters *parameters)
{
    json_writer_begin_object(header, "constants");
    for (int i = 0; i < parameters->constant_count; i++)
        json_writer_uint(header, parameters->constant[i].name, parameters->constant[i].bytes);
    json_writer_end(header);
    if (parameters->count < 0)
        return;
    json_writer_begin_array(header, "parameters");
    for (int i = 0; i < parameters->count; i++) {
        const struct source_code_parameter *one = &parameters->at[i];
        json_writer_begin_array(header, NULL);
        json_writer_uint(header, NULL, one->offset);
        json_writer_uint(header, NULL, one->bytes);
        json_writer_bool(header, NULL, one->real);
        json_writer_end(header);
    }
    json_writer_end(header);
}

struct buffer compilation_write(const struct compilation *compilation)
{
    struct buffer bytes = {0};
    struct json_writer header = {.out = &bytes};
    size_t log_bytes = compilation->log ? strlen(compilation->log) : 0;
    json_writer_begin_object(&header, NULL);
    json_writer_uint(&header, "bytes", compilation->ptx_bytes + compilation->cubin_bytes + log_bytes);
    json_writer_bool(&header, "ok", compilation->ok);
    json_writer_string(&header, "compiler", compilation->compiler);
    json_writer_int(&header, "architecture", compilation->architecture);
    json_writer_string(&header, "entry", compilation->entry);
    write_parameters(&header, &compilation->parameters);
    write_faults(&header, compilation);
    json_writer_uint(&header, "ptx", compilation->ptx_bytes);
    json_writer_uint(&header, "cubin", compilation->cubin_bytes);
    json_writer_uint(&header, "log", log_bytes);
    part_end(&header);
    buffer_append(&bytes, compilation->ptx, compilation->ptx_bytes);
    buffer_append(&bytes, compilation->cubin, compilation->cubin_bytes);
    buffer_append(&bytes, compilation->log, log_bytes);
    return bytes;
}

/* ---- reading ---- */

struct parts {
    json_t *header; /* owned */
    const char *payload;
    size_t payload_bytes; /* what is left of it */
    struct error *error;
};

static int refuse(struct error *error, const char *what)
{
    return error_set(error, ERROR_INVALID, "a compilation that cannot be read: %s", what);
}

static int parts_begin(struct parts *parts, const char *bytes, size_t size, struct error *error)
{
    struct protocol_frame frame;
    *parts = (struct parts){.error = error};
    if (protocol_frame_find_within(&frame, bytes, size, SANDBOX_PAYLOAD_BYTES) != (ssize_t)size || size == 0)
        return refuse(error, "it is not whole");
    parts->header = json_loadb(frame.header, frame.header_bytes, JSON_REJECT_DUPLICATES, NULL);
    parts->payload = frame.payload;
    parts->payload_bytes = frame.payload_bytes;
    return json_is_object(parts->header) ? 0 : refuse(error, "its header is no JSON");
}

/* The next part, to be freed, ended with NUL; NULL where it is empty and may be. */
static int read_part(struct parts *parts, const char *member, bool optional, char **text, size_t *bytes)
{
    const json_t *value = json_object_get(parts->header, member);
    json_int_t length = json_integer_value(value);
    if (!json_is_integer(value) || length < 0 || (size_t)length > parts->payload_bytes)
        return refuse(parts->error, "a length that is not within the payload");
    *bytes = (size_t)length;
    *text = NULL;
    if (optional && !length)
        return 0;
    *text = malloc((size_t)length + 1);
    if (!*text)
        return error_set(parts->error, ERROR_MEMORY, "no memory for a compilation");
    if (length)
        memcpy(*text, parts->payload, (size_t)length);
    (*text)[length] = '\0';
    parts->payload += length;
    parts->payload_bytes -= (size_t)length;
    return 0;
}

static int read_name(struct parts *parts, const json_t *object, const char *member, char *to, size_t size)
{
    const json_t *value = json_object_get(object, member);
    if (!json_is_string(value) || json_string_length(value) >= size)
        return refuse(parts->error, "a text that is missing or too long");
    memcpy(to, json_string_value(value), json_string_length(value) + 1);
    return 0;
}

static unsigned read_place(const json_t *fault, const char *member)
{
    json_int_t place = json_integer_value(json_object_get(fault, member));
    return place > 0 && place < INT32_MAX ? (unsigned)place : 0;
}

static int read_faults(struct parts *parts, struct compilation *compilation)
{
    const json_t *list = json_object_get(parts->header, "faults");
    if (!json_is_array(list) || json_array_size(list) > COMPILATION_FAULTS)
        return refuse(parts->error, "\"faults\" is no list, or too long");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *one = json_array_get(list, i), *text = json_object_get(one, "text");
        if (!json_is_string(text))
            return refuse(parts->error, "a fault without a text");
        compilation_add_fault(compilation, read_place(one, "line"), read_place(one, "column"), "%s",
                              json_string_value(text));
    }
    return 0;
}

int compilation_read_request(struct compilation_request *request, const char *bytes, size_t size,
                             struct error *error)
{
    struct parts parts;
    size_t length;
    *request = (struct compilation_request){0};
    int status = parts_begin(&parts, bytes, size, error);
    if (status == 0) {
        request->architecture = (int)json_integer_value(json_object_get(parts.header, "architecture"));
        status = read_name(&parts, parts.header, "entry", request->entry, sizeof request->entry) < 0 ||
                         read_part(&parts, "source", false, &request->source, &length) < 0
                     ? -1
                     : 0;
    }
    if (status == 0 && (length > COMPILATION_SOURCE_BYTES || strlen(request->source) != length))
        status = error_set(error, ERROR_INVALID, "a source has at most %d KiB, and no NUL",
                           COMPILATION_SOURCE_BYTES >> 10);
    json_decref(parts.header);
    if (status < 0)
        compilation_request_free(request);
    return status;
}

static void read_constants(struct source_parameters *parameters, const json_t *constants)
{
    const char *name;
    json_t *bytes;
    json_object_foreach ((json_t *)constants, name, bytes) {
        struct source_code_constant *to = &parameters->constant[parameters->constant_count];
        if (parameters->constant_count >= SOURCE_CONSTANTS || strlen(name) >= sizeof to->name)
            return;
        strcpy(to->name, name);
        to->bytes = (uint64_t)json_integer_value(bytes);
        parameters->constant_count++;
    }
}

/* Missing: they are not known. */
static void read_parameters(struct source_parameters *parameters, const json_t *list)
{
    size_t i;
    const json_t *one;
    parameters->count = json_is_array(list) && json_array_size(list) <= SOURCE_PARAMETERS ? 0 : -1;
    if (parameters->count == 0)
        json_array_foreach (list, i, one)
            parameters->at[parameters->count++] = (struct source_code_parameter){
                (unsigned)json_integer_value(json_array_get(one, 0)),
                (unsigned)json_integer_value(json_array_get(one, 1)), json_is_true(json_array_get(one, 2))};
}

int compilation_read(struct compilation *compilation, const char *bytes, size_t size, struct error *error)
{
    struct parts parts;
    size_t log_bytes;
    *compilation = (struct compilation){0};
    int status = parts_begin(&parts, bytes, size, error);
    if (status == 0) {
        compilation->ok = json_is_true(json_object_get(parts.header, "ok"));
        compilation->architecture = (int)json_integer_value(json_object_get(parts.header, "architecture"));
        read_parameters(&compilation->parameters, json_object_get(parts.header, "parameters"));
        read_constants(&compilation->parameters, json_object_get(parts.header, "constants"));
        status =
            read_name(&parts, parts.header, "compiler", compilation->compiler, sizeof compilation->compiler) <
                        0 ||
                    read_name(&parts, parts.header, "entry", compilation->entry, sizeof compilation->entry) <
                        0 ||
                    read_faults(&parts, compilation) < 0 ||
                    read_part(&parts, "ptx", true, &compilation->ptx, &compilation->ptx_bytes) < 0 ||
                    read_part(&parts, "cubin", true, &compilation->cubin, &compilation->cubin_bytes) < 0 ||
                    read_part(&parts, "log", false, &compilation->log, &log_bytes) < 0
                ? -1
                : 0;
    }
    if (status == 0 && (compilation->ok ? !compilation->ptx : !compilation->fault_count))
        status = refuse(error, "it has neither PTX nor a fault");
    if (status == 0 && compilation->ptx && strlen(compilation->ptx) != compilation->ptx_bytes)
        status = refuse(error, "a NUL in its PTX");
    json_decref(parts.header);
    if (status < 0)
        compilation_free(compilation);
    return status;
}

/* ---- the rest ---- */

void compilation_request_free(struct compilation_request *request)
{
    free(request->source);
    request->source = NULL;
}

void compilation_free(struct compilation *compilation)
{
    char **const texts[] = {&compilation->ptx, &compilation->cubin, &compilation->log};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        free(*texts[i]);
        *texts[i] = NULL;
    }
}

void compilation_add_fault(struct compilation *compilation, unsigned line, unsigned column,
                           const char *format, ...)
{
    if (compilation->fault_count == COMPILATION_FAULTS)
        return;
    struct compilation_fault *fault = &compilation->faults[compilation->fault_count++];
    va_list arguments;
    fault->line = line;
    fault->column = column;
    va_start(arguments, format);
    size_t length = (size_t)vsnprintf(fault->text, sizeof fault->text, format, arguments);
    va_end(arguments);
    if (length < sizeof fault->text)
        return;
    for (length = sizeof fault->text - 1; length > 0 && ((unsigned char)fault->text[length] & 0xc0) == 0x80;)
        length--;
    fault->text[length] = '\0';
}
