/* Targets and header fields, as any client may send them. The first byte says which; what each promises is
   checked. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_writer.h"
#include "server/http/header_field.h"
#include "server/http/route.h"
#include "server/http/request.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "does not hold: %s\n", what);
    abort();
}

static const struct route things[] = {
    {.method = "GET", .pattern = "/v1/things"},
    {.method = "GET", .pattern = "/v1/things/{id}"},
    {.method = "GET", .pattern = "/v1/things/{id}.csv"},
    {.method = "DELETE", .pattern = "/v1/things/{id}"},
    {0},
};
static const struct route *const routes_known[] = {things, NULL};

static void target(char *text)
{
    size_t before = strlen(text);
    bool sound = true;
    size_t length = request_target_decode(text, &sound);
    check(length <= before && strlen(text) == length, "decoding never makes a text longer, and ends it");
    check(!sound || json_writer_is_utf8(text), "what is sound is UTF-8");
    const char *path = request_target_path(text);
    check((path >= text && path <= text + length) || strcmp(path, "/") == 0, "a path is part of the target");
    check(request_target_is_of(text, NULL) == (path == text), "what has a host is of none that is not told");
    struct route_match match;
    route_find(routes_known, "GET", path, &match);
    check(!match.route || match.allow[0], "a route has methods");
    check(strlen(match.param) < sizeof match.param && !strpbrk(match.param, "/."),
          "a parameter is one segment");
}

static void accept(char *text)
{
    header_field_quality(text, "application/json");
    header_field_names_coding(text, "gzip");
    header_field_is_type(text, "application/json");
}

static void prefer(char *text)
{
    int seconds = header_field_prefer_wait(text);
    check(seconds >= -1 && seconds <= 86400, "a wait is none, or up to a day");
}

static void tags(char *text)
{
    check(!header_field_names_tag(text, "\"t\"") || strchr(text, '*') || strstr(text, "\"t\""),
          "a tag is found that is there");
}

static void others(char *text)
{
    int number = 0;
    const char *token = header_field_bearer(text);
    check(!token || (token >= text && token <= text + strlen(text)), "a token is part of the field");
    check(!header_field_number(text, 1, 500, &number) || (number >= 1 && number <= 500),
          "a number is within its limits");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static void (*const forms[])(char *) = {target, accept, prefer, tags, others};
    if (!size)
        return 0;
    char *text = strndup((const char *)data + 1, size - 1);
    if (text)
        forms[data[0] % (sizeof forms / sizeof *forms)](text);
    free(text);
    return 0;
}
