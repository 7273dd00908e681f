#include "client/work/fetch.h"

#include <stdlib.h>
#include <string.h>

#include "client/answers/json_path.h"

int fetch_json(struct context *context, const char *path, json_t **document)
{
    struct http_client_response response;
    *document = NULL;
    int status = http_client_get(&context->service, path, &response);
    if (status != EXIT_FINE)
        return status;
    *document = json_path_parse(&context->screen, response.body.data);
    http_client_response_free(&response);
    return *document ? EXIT_FINE : EXIT_UNREACHABLE;
}

int fetch_copy(struct context *context, const char *path, const char *accept, FILE *out)
{
    struct http_client_response response;
    int status = http_client_send(
        &context->service, &(struct http_client_request){.method = "GET", .path = path, .accept = accept},
        &response);
    if (status != EXIT_FINE)
        return status;
    fwrite(response.body.data, 1, response.body.size, out);
    http_client_response_free(&response);
    return EXIT_FINE;
}

/* A recipe's published figures are in its runs; otherwise the summary of the points is enough. */
static const char *view_of(const json_t *sweep)
{
    return json_is_string(json_object_get(sweep, "recipe")) ? "" : "&view=summary";
}

static int fetch_page(struct context *context, const char *id, const char *view, const char *page,
                      struct http_client_response *response, json_t **document)
{
    char path[512];
    snprintf(path, sizeof path, "/v1/sweeps/%s?page_size=500%s%s%s", id, view, *page ? "&page_token=" : "",
             page);
    int status = http_client_get(&context->service, path, response);
    if (status != EXIT_FINE)
        return status;
    *document = json_path_parse(&context->screen, response->body.data);
    if (!*document)
        http_client_response_free(response);
    return *document ? EXIT_FINE : EXIT_UNREACHABLE;
}

int fetch_sweep(struct context *context, const char *id, json_t **document, char **only)
{
    struct http_client_response response;
    char path[256], next[128];
    json_t *page = NULL;
    *document = NULL;
    *only = NULL;
    snprintf(path, sizeof path, "/v1/sweeps/%s?page_size=1", id);
    int status = fetch_json(context, path, &page);
    if (status != EXIT_FINE)
        return status;
    const char *view = context->options.given[OPTION_JSON] ? "" : view_of(page);
    json_decref(page);
    status = fetch_page(context, id, view, "", &response, document);
    if (status != EXIT_FINE)
        return status;
    if (json_is_string(json_object_get(*document, "next_page_token")))
        http_client_response_free(&response);
    else
        *only = buffer_take(&response.body);
    while (!*only && status == EXIT_FINE) {
        const char *token = json_path_text(*document, "next_page_token", NULL);
        if (!token)
            break;
        snprintf(next, sizeof next, "%s", token);
        status = fetch_page(context, id, view, next, &response, &page);
        if (status != EXIT_FINE)
            break;
        json_array_extend(json_object_get(*document, "points"), json_object_get(page, "points"));
        json_object_set(*document, "next_page_token", json_object_get(page, "next_page_token"));
        json_decref(page);
        http_client_response_free(&response);
    }
    if (status != EXIT_FINE) {
        json_decref(*document);
        *document = NULL;
    }
    return status;
}

int fetch_post(struct context *context, const char *path, const json_t *request, const char *accept,
               char **body)
{
    struct http_client_response response;
    char *text = json_dumps(request, JSON_COMPACT);
    *body = NULL;
    const struct http_client_request http_request = {.method = "POST",
                                                     .path = path,
                                                     .body = text,
                                                     .accept = accept,
                                                     .repeatable = true,
                                                     .arguments = (char *const *)context->options.words,
                                                     .argument_count = context->options.word_count};
    int status = http_client_send(&context->service, &http_request, &response);
    free(text);
    if (status == EXIT_FINE)
        *body = buffer_take(&response.body);
    return status;
}

void fetch_path(struct context *context, const char *prefix, const char *word, char path[FETCH_PATH_BYTES])
{
    char *escaped = word ? http_client_escape(&context->service, word) : NULL;
    snprintf(path, FETCH_PATH_BYTES, "%s%s%s", prefix, word ? "/" : "", escaped ? escaped : "");
    free(escaped);
}

char *fetch_table_path(struct context *context, const char *path)
{
    static const enum option names[] = {OPTION_VIEW, OPTION_COLUMNS};
    struct buffer text = {0};
    buffer_text(&text, path);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *value = context->options.given[names[i]];
        char *escaped = value ? http_client_escape(&context->service, value) : NULL;
        if (escaped)
            buffer_format(&text, "%c%s=%s", strchr(text.data ? text.data : "", '?') ? '&' : '?',
                          manual_options[names[i]].name, escaped);
        free(escaped);
    }
    return buffer_take(&text);
}

/* Pages are newest first and begin behind their token: the page of one experiment has the id after its own
   as token. */
int fetch_table_of_one(struct context *context, const char *id, FILE *out)
{
    static const char digits[] =
        "0123456789ABCDEFGHJKMNPQRSTVWXYZ"; /* Crockford's base 32, which sorts as text */
    char after[64], path[256];
    snprintf(after, sizeof after, "%s", id);
    for (size_t at = strlen(after); at > 0; at--) {
        const char *digit = strchr(digits, after[at - 1]);
        if (digit && digit[1]) {
            after[at - 1] = digit[1];
            break;
        }
        after[at - 1] = digits[0];
    }
    snprintf(path, sizeof path, "/v1/experiments?page_size=1&page_token=%s", after);
    char *whole = fetch_table_path(context, path);
    int status = whole ? fetch_copy(context, whole, "text/csv", out) : EXIT_FAILED;
    free(whole);
    return status;
}
