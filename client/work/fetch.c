#include "client/work/fetch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/answers/json_path.h"
#include "client/terminal/clean.h"
#include "client/terminal/language.h"
#include "client/service/problem_text.h"
#include "client/terminal/sheet.h"

int fetch_document(struct context *context, const struct http_client_request *request, json_t **document)
{
    struct http_client_response response;
    *document = NULL;
    int status = http_client_send(&context->service, request, &response);
    if (status != EXIT_FINE)
        return status;
    *document = json_path_parse(&context->screen, response.body.data);
    http_client_response_free(&response);
    return *document ? EXIT_FINE : EXIT_UNREACHABLE;
}

int fetch_json(struct context *context, const char *path, json_t **document)
{
    return fetch_document(context, &(struct http_client_request){.method = "GET", .path = path}, document);
}

/* What is known of an id: its first characters, perhaps none, and its last ones. */
struct short_id {
    const char *head, *tail;
    size_t head_length;
};

static bool fits(const struct short_id *wanted, const char *id)
{
    size_t length = strlen(id), tail_length = strlen(wanted->tail);
    return length >= tail_length && strncmp(id, wanted->head, wanted->head_length) == 0 &&
           strcmp(id + length - tail_length, wanted->tail) == 0;
}

static const struct id_list {
    const char *name, *path;
    bool paged; /* takes page_size and page_token */
} id_lists[] = {{"sweeps", "/v1/sweeps", true},
                {"experiments", "/v1/experiments", true},
                {"removals", "/v1/removals", false}};

/* Finds an id in one list. If its first characters are known, it searches all ids that begin so: they were made within the
   same 18 minutes. Otherwise it searches the newest 10,000 until one fits, and sets *older to true where none does and
   there are more. Sets *found to the first id that fits, which the caller frees, or to NULL, and *several to whether
   another one fits of those that were read. Returns an exit status. */
static int find_id(struct context *context, const struct id_list *list, const struct short_id *wanted,
                   char **found, bool *several, bool *older)
{
    enum { PAGES_MOST = 20 };
    static const char after_all[] = "ZZZZZZZZZZZZZZZZZZZZZZZZZZ"; /* not less than any id */
    char token[sizeof after_all], page[128];
    bool more = true;
    *found = NULL;
    *several = false;
    snprintf(token, sizeof token, "%.*s%s", (int)wanted->head_length, wanted->head,
             after_all + wanted->head_length);
    for (int read = 0; more; read++) {
        json_t *document, *row;
        size_t i;
        bool from_token = read > 0 || wanted->head_length > 0;
        snprintf(page, sizeof page, list->paged ? "%s?page_size=500%s%s" : "%s", list->path,
                 from_token ? "&page_token=" : "", from_token ? token : "");
        int status = fetch_json(context, page, &document);
        if (status != EXIT_FINE)
            return status;
        const char *next = json_path_text(document, "next_page_token", NULL);
        json_array_foreach (json_object_get(document, list->name), i, row) {
            const char *id = json_path_text(row, "id", "");
            if (!fits(wanted, id))
                continue;
            *several = *several || *found;
            if (!*found)
                *found = strdup(id);
        }
        /* The same six characters hardly ever end two ids: one that is found of the newest is the one. */
        if (wanted->head_length > 0)
            more = next && !*several && strncmp(next, wanted->head, wanted->head_length) == 0;
        else
            more = next && !*found && read + 1 < PAGES_MOST;
        *older = *older || (next && !more && !*found && wanted->head_length == 0);
        if (more)
            snprintf(token, sizeof token, "%s", next);
        json_decref(document);
    }
    return EXIT_FINE;
}

int fetch_whole_id(struct context *context, const char **word)
{
    if (!*word)
        return EXIT_FINE;
    static const char characters[] = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"; /* of ids */
    enum { TAIL_LEAST = 6, ID_LENGTH = 26 };
    size_t head = strspn(*word, characters);
    bool dots = strncmp(*word + head, "...", 3) == 0 || strncmp(*word + head, "…", 3) == 0;
    const char *tail = dots ? *word + head + 3 : *word; /* bytes, of both ways to write them */
    size_t length = strspn(tail, characters);
    if (length < TAIL_LEAST || length >= ID_LENGTH || tail[length] ||
        (dots && head != 0 && (head != SHEET_ID_HEAD || **word > '7')))
        return EXIT_FINE;
    if (!dots)
        head = 0;
    const struct short_id wanted = {.head = *word, .head_length = head, .tail = tail};
    bool older = false;
    for (size_t i = 0; i < sizeof id_lists / sizeof *id_lists; i++) {
        char *whole;
        bool several;
        int status = find_id(context, &id_lists[i], &wanted, &whole, &several, &older);
        if (status == EXIT_FINE && whole && !several) {
            *word = whole;
            return EXIT_FINE;
        }
        free(whole);
        if (status != EXIT_FINE)
            return status;
    }
    if (!dots && !older)
        return EXIT_FINE; /* it may be no id */
    struct error error = {0};
    error_set(&error, ERROR_INVALID,
              head
                  ? language_text("\"%s\" is the id of none or of several: give the whole one")
                  : language_text("\"%s\" is the id of none or of several of the newest: give the whole one"),
              *word);
    return context_usage(context, &error);
}

int fetch_show(struct context *context, const char *path, fetch_print *print)
{
    return fetch_show_to(stdout, context, &(struct http_client_request){.method = "GET", .path = path},
                         print);
}

/* Lines of a table end in CR LF (RFC 4180); the lines of a program's output here end in LF. */
static void write_table(const struct http_client_response *response, bool head, FILE *out)
{
    const char *at = response->body.data, *end = at + response->body.size;
    for (const char *line; at < end; at = line) {
        const char *next = memchr(at, '\n', (size_t)(end - at));
        line = next ? next + 1 : end;
        size_t length = (size_t)(line - at);
        if (!head && at == response->body.data)
            continue;
        bool both = length >= 2 && line[-1] == '\n' && line[-2] == '\r';
        fwrite(at, 1, length - (both ? 2 : 0), out);
        if (both)
            fputc('\n', out);
    }
}

int fetch_show_to(FILE *out, struct context *context, const struct http_client_request *request,
                  fetch_print *print)
{
    const char *const *given = context->options.given;
    struct http_client_request with_accept = *request;
    struct http_client_response response;
    with_accept.accept = given[OPTION_CSV] ? "text/csv" : NULL;
    int status = http_client_send(&context->service, &with_accept, &response);
    if (status == EXIT_FINE && given[OPTION_CSV]) {
        write_table(&response, true, out);
    } else if (status == EXIT_FINE && given[OPTION_JSON]) {
        fwrite(response.body.data, 1, response.body.size, out);
    } else if (status == EXIT_FINE) {
        json_t *document = json_path_parse(&context->screen, response.body.data);
        if (document)
            print(context, document);
        status = document ? EXIT_FINE : EXIT_UNREACHABLE;
        json_decref(document);
    }
    http_client_response_free(&response);
    return status;
}

/* A recipe's published figures are in its runs; otherwise the summary of the points is enough. */
static const char *view_of(const json_t *sweep)
{
    return json_is_string(json_object_get(sweep, "recipe")) ? "" : "&view=summary";
}

int fetch_sweep(struct context *context, const char *id, json_t **document, char **only)
{
    struct http_client_response response;
    char path[512], next[128] = "";
    json_t *page = NULL;
    *document = NULL;
    *only = NULL;
    snprintf(path, sizeof path, "/v1/sweeps/%s?page_size=1", id);
    int status = fetch_json(context, path, &page);
    const char *view = context->options.given[OPTION_JSON] ? "" : view_of(page);
    while (status == EXIT_FINE) {
        json_decref(page);
        page = NULL;
        snprintf(path, sizeof path, "/v1/sweeps/%s?page_size=500%s%s%s", id, view,
                 *next ? "&page_token=" : "", next);
        status = http_client_get(&context->service, path, &response);
        if (status != EXIT_FINE)
            break;
        page = json_path_load(&context->screen, response.body.data);
        status = page ? EXIT_FINE : EXIT_UNREACHABLE;
        snprintf(next, sizeof next, "%s", json_path_text(page, "next_page_token", ""));
        if (page && !*document && !*next)
            *only = buffer_take(&response.body);
        http_client_response_free(&response);
        json_array_extend(json_object_get(*document, "points"), json_object_get(page, "points"));
        if (!*document)
            *document = json_incref(page);
        if (!*next)
            break;
    }
    json_object_set(*document, "next_page_token", json_object_get(page, "next_page_token"));
    json_decref(page);
    if (!context->options.given[OPTION_JSON])
        clean_strings(*document);
    if (status == EXIT_FINE)
        return status;
    json_decref(*document);
    *document = NULL;
    return status;
}

struct http_client_request fetch_question(struct context *context, const char *path, const char *body)
{
    return (struct http_client_request){.method = "POST",
                                        .path = path,
                                        .body = body,
                                        .repeatable = true,
                                        .arguments = (char *const *)context->options.words,
                                        .argument_count = context->options.word_count};
}

int fetch_refused(struct context *context, const struct http_client_response *response)
{
    problem_text_print(&context->screen, response->status, response->body.data,
                       (char *const *)context->options.words, context->options.word_count);
    return EXIT_REFUSED;
}

char *fetch_path(struct context *context, const char *prefix, const char *word, const char *suffix)
{
    struct buffer path = {0};
    buffer_format(&path, "%s%s", prefix, word ? "/" : "");
    http_client_escape(&context->service, &path, NULL, word);
    buffer_text(&path, suffix);
    return buffer_take(&path);
}

int fetch_table(struct context *context, const char *path, bool head, FILE *out)
{
    struct buffer whole = {0};
    struct http_client_response response;
    buffer_text(&whole, path);
    http_client_escape(&context->service, &whole, "view", context->options.given[OPTION_VIEW]);
    http_client_escape(&context->service, &whole, "columns", context->options.given[OPTION_COLUMNS]);
    int status = http_client_send(
        &context->service,
        &(struct http_client_request){.method = "GET", .path = whole.data, .accept = "text/csv"}, &response);
    if (status == EXIT_FINE)
        write_table(&response, head, out);
    http_client_response_free(&response);
    buffer_free(&whole);
    return status;
}

/* Pages are newest first and begin behind their token: the page of one experiment has the id after its own
   as token. */
int fetch_table_of_one(struct context *context, const char *id, FILE *out)
{
    /* Crockford's base 32, which sorts as text. */
    static const char digits[] = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
    char after[64], path[256], *last = after;
    snprintf(after, sizeof after, "%s", id);
    for (last += strlen(after) - 1; last > after && *last == 'Z'; last--)
        *last = '0';
    const char *digit = strchr(digits, *last);
    *last = digit && digit[1] ? digit[1] : '0';
    snprintf(path, sizeof path, "/v1/experiments?page_size=1&page_token=%s", after);
    return fetch_table(context, path, true, out);
}
