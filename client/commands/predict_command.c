/* The commands predict, explain and check: the model alone. */
#include "client/commands/command.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "client/answers/json_path.h"
#include "client/answers/answers.h"
#include "client/answers/rows_table.h"
#include "client/parameters/parameters.h"
#include "client/parameters/source_file.h"
#include "client/terminal/language.h"
#include "client/terminal/number.h"
#include "client/work/fetch.h"

/* The request of the words, released by the caller; NULL: they are not valid, which has been reported. */
static json_t *make_request(struct context *context)
{
    struct command_line *options = &context->options;
    const char *subject = options->words[0], *members = options->given[OPTION_MEMBERS];
    struct error error = {0};
    json_t *request = json_object();
    int status = 0;
    if (source_file_is(subject))
        status = source_file_add(request, subject, &error);
    else
        json_object_set_new(request, "kernel", json_string(subject));
    if (options->given[OPTION_DEVICE_NAME])
        json_object_set_new(request, "device_name", json_string(options->given[OPTION_DEVICE_NAME]));
    if (status == 0)
        status = parameters_add(request, options->words + 1, options->word_count - 1, false, &error);
    if (status == 0 && json_object_get(request, "device"))
        status =
            error_set(&error, ERROR_INVALID,
                      language_text("device: nothing runs here; name an architecture, as arch=sm_90, or the "
                                    "device whose times you want, as device_name='NVIDIA H200'"));
    if (status == 0 && members)
        status = source_file_add_members(request, members, &error);
    if (status == 0)
        return request;
    json_decref(request);
    context_usage(context, &error);
    return NULL;
}

/* Posts the request and prints the response. Takes the reference to the request. */
static int predict(struct context *context, json_t *request, fetch_print *print)
{
    char *body = json_dumps(request, JSON_COMPACT);
    const struct http_client_request http_request = fetch_question(context, "/v1/predictions", body);
    json_decref(request);
    int status = fetch_show_to(stdout, context, &http_request, print);
    if (status == EXIT_REFUSED &&
        parameters_have_list(context->options.words + 1, context->options.word_count - 1))
        screen_remark(
            &context->screen,
            language_text("a prediction is of one value of each parameter; only arch= takes several"));
    free(body);
    return status;
}

/* "131,071 lines": transactions; `unit` is the member with the unit of that architecture, NULL: sectors. */
static enum style transactions_cell(char text[ROWS_TABLE_CELL_BYTES], const json_t *row, const char *count,
                                    const char *unit)
{
    char number[NUMBER_BYTES];
    double value = json_path_number(row, count);
    text[0] = '\0';
    if (!isfinite(value))
        return STYLE_NONE;
    number_count(number, (long long)value);
    snprintf(text, ROWS_TABLE_CELL_BYTES, "%s %s", number,
             answers_unit_words(unit ? json_path_text(row, unit, "sector") : "sector", (size_t)value));
    return STYLE_NONE;
}

static enum style loads_cell(char text[ROWS_TABLE_CELL_BYTES], const json_t *row)
{
    return transactions_cell(text, row, "gld_transactions", "gld_unit");
}

static enum style stores_cell(char text[ROWS_TABLE_CELL_BYTES], const json_t *row)
{
    return transactions_cell(text, row, "gst_transactions", "gst_unit");
}

/* Empty where there are no atomic updates, so that most tables have no such column. */
static enum style atomics_cell(char text[ROWS_TABLE_CELL_BYTES], const json_t *row)
{
    char number[NUMBER_BYTES] = "";
    if (json_path_number(row, "atomic_requests") > 0)
        number_count(number, (long long)json_path_number(row, "atomic_requests"));
    snprintf(text, ROWS_TABLE_CELL_BYTES, "%s", number);
    return STYLE_NONE;
}

static enum style atomic_sectors_cell(char text[ROWS_TABLE_CELL_BYTES], const json_t *row)
{
    text[0] = '\0';
    if (json_path_number(row, "atomic_sectors") > 0)
        return transactions_cell(text, row, "atomic_sectors", NULL);
    return STYLE_NONE;
}

/* Writes the number of bank conflicts; nothing where no access is to shared memory. */
static enum style conflicts_cell(char text[ROWS_TABLE_CELL_BYTES], const json_t *row)
{
    double requests =
               json_path_number(row, "shared_load_requests") + json_path_number(row, "shared_store_requests"),
           conflicts = json_path_number(row, "shared_load_bank_conflicts") +
                       json_path_number(row, "shared_store_bank_conflicts");
    char number[NUMBER_BYTES] = "";
    if (requests > 0 && isfinite(conflicts))
        number_count(number, (long long)conflicts);
    snprintf(text, ROWS_TABLE_CELL_BYTES, "%s", number);
    return STYLE_NONE;
}

/* Writes the occupancy; where the kernel's registers are not known, as an upper bound, because they may allow less. */
static enum style occupancy_cell(char text[ROWS_TABLE_CELL_BYTES], const json_t *row)
{
    char number[NUMBER_BYTES];
    double part = json_path_number(row, "occupancy.theoretical");
    bool most = json_is_null(json_path_at(row, "occupancy.registers_per_thread"));
    number_text(number, part * 100);
    text[0] = '\0';
    if (isfinite(part))
        snprintf(text, ROWS_TABLE_CELL_BYTES, "%s%s", most && part > 0 ? language_text("at most ") : "",
                 number);
    return STYLE_NONE;
}

/* What is remarked about a prediction; NULL: nothing. */
static const char *remark_of(const json_t *made, const char *member, char reason[LANGUAGE_REASON_BYTES])
{
    if (json_path_text(made, member, NULL))
        return answers_said(made, member, reason);
    return strcmp(member, "reason") == 0 ? answers_inexact(made) : NULL;
}

/* "sm_30, sm_35: the architecture keeps no global loads in its L1: ...": each remark once, behind the architectures
   that it is about, which are not named where they are all or the remark begins with the name. */
static void print_remarks(const json_t *predictions, const char *member)
{
    char first[LANGUAGE_REASON_BYTES], other[LANGUAGE_REASON_BYTES];
    for (size_t i = 0, count = json_array_size(predictions); i < count; i++) {
        const char *text = remark_of(json_array_get(predictions, i), member, first);
        struct buffer names = {0};
        size_t about = 0;
        for (size_t k = 0; text && k < count; k++) {
            const json_t *made = json_array_get(predictions, k);
            const char *same = remark_of(made, member, other);
            if (!same || strcmp(same, text) != 0)
                continue;
            if (k < i) /* it is printed */
                text = NULL;
            else
                buffer_format(&names, "%s%s", about++ ? ", " : "", json_path_text(made, "arch", "?"));
        }
        bool named =
            text && names.data && about < count && strncmp(text, names.data, strlen(names.data)) != 0;
        if (text)
            printf("%s%s%s\n", named ? names.data : "", named ? language_text(": ") : "", text);
        buffer_free(&names);
    }
}

/* Of several architectures that of the service's first GPU, else sm_90: the first row is the oldest. */
static const json_t *listed(struct context *context, const json_t *predictions)
{
    json_t *document = NULL, *backend = json_string("cuda"), *usual = json_string("sm_90");
    const json_t *first = json_array_get(predictions, 0), *arch = NULL, *found;
    if (json_array_size(predictions) > 1 && json_object_get(first, "lines") &&
        fetch_json(context, "/v1/devices", &document) == EXIT_FINE)
        arch =
            json_object_get(json_path_find(json_object_get(document, "devices"), "backend", backend), "arch");
    found = json_is_string(arch) ? json_path_find(predictions, "arch", arch) : NULL;
    if (!found)
        found = json_path_find(predictions, "arch", usual);
    json_decref(document);
    json_decref(backend);
    json_decref(usual);
    return found ? found : first;
}

/* The lines of the source with what they cost; of a stored kernel it is asked for. */
static void print_source(struct context *context, const json_t *document, int only)
{
    const char *source = json_path_text(document, "request.source", NULL);
    const json_t *prediction = listed(context, json_object_get(document, "predictions"));
    json_t *kernel = NULL;
    if (!source && json_object_get(prediction, "lines")) {
        char *path = fetch_path(context, "/v1/kernels", json_path_text(document, "request.kernel", ""), "");
        if (path && fetch_json(context, path, &kernel) == EXIT_FINE)
            source = json_path_text(kernel, "source", NULL);
        free(path);
    }
    answers_print_source(document, prediction, source ? source : "", only, &context->screen);
    json_decref(kernel);
}

/* Below 100 %, the occupancy and what limits it; of several architectures the table has it, and `coalesce occupancy`. */
static void print_limits(const json_t *predictions)
{
    const json_t *occupancy = json_object_get(json_array_get(predictions, 0), "occupancy");
    if (json_array_size(predictions) == 1 && json_path_number(occupancy, "theoretical") < 1)
        answers_print_limits(occupancy);
}

static void print_predictions(struct context *context, const json_t *document)
{
    enum { SPARE = SHEET_RIGHT | SHEET_SPARE, FIRST = SPARE | SHEET_FIRST };
    static const struct rows_table_column columns[] = {
        {"arch", NULL, SHEET_LEFT, .path = "arch", .style = STYLE_STRONG},
        {"loads", "requests", FIRST, .path = "gld_requests", .form = ROWS_TABLE_COUNT},
        {"", "transactions", SHEET_RIGHT, .cell = loads_cell},
        {"", "% used", SPARE, .path = "gld_efficiency_pct", .form = ROWS_TABLE_COUNT},
        {"atomics", "requests", FIRST | SHEET_FILLED, .cell = atomics_cell},
        {"", "transactions", SPARE | SHEET_FILLED, .cell = atomic_sectors_cell},
        {"stores", "requests", FIRST, .path = "gst_requests", .form = ROWS_TABLE_COUNT},
        {"", "transactions", SPARE, .cell = stores_cell},
        {"", "% used", SPARE, .path = "gst_efficiency_pct", .form = ROWS_TABLE_COUNT},
        {"bank", "conflicts", SHEET_RIGHT | SHEET_FILLED, .cell = conflicts_cell},
        {"occupancy", "%", SPARE, .cell = occupancy_cell},
        {NULL},
    };
    const json_t *predictions = json_object_get(document, "predictions");
    size_t i;
    json_t *made;
    rows_table_print(predictions, columns, &context->screen, stdout);
    if (!answers_kernel_is_own(json_path_text(document, "request.kernel", "")))
        answers_print_launch(json_object_get(document, "request"));
    print_remarks(predictions, "reason");
    print_remarks(predictions, "note");
    print_limits(predictions);
    print_source(context, document, 0);
    answers_print_faults(json_object_get(document, "notes"), context->options.words[0], NULL, true,
                         &context->screen);
    json_array_foreach (predictions, i, made)
        answers_print_time(json_object_get(made, "time"), &context->screen);
}

static void print_lanes(struct context *context, const json_t *document)
{
    double line = json_path_number(document, "explain.line");
    print_source(context, document, isfinite(line) ? (int)line : 0);
    answers_print_explanation(document, &context->screen);
}

/* Exit status of a check: what the service refuses at "#/source" is a fault that was found. */
static int check_answer(struct context *context, const struct http_client_response *response,
                        const char *source)
{
    const char *file = context->options.words[0];
    json_t *document = json_path_parse(&context->screen, response->body.data);
    const json_t *errors = json_object_get(document, "errors");
    int status = !document ? EXIT_UNREACHABLE : EXIT_FINE;
    if (document && context->options.given[OPTION_JSON])
        fputs(response->body.data, stdout);
    if (response->status == 422)
        status = strcmp(json_path_text(json_array_get(errors, 0), "pointer", ""), "#/source") == 0
                     ? EXIT_FAILED
                     : EXIT_REFUSED;
    if (status == EXIT_REFUSED)
        fetch_refused(context, response);
    else if (document && !context->options.given[OPTION_JSON]) {
        answers_print_faults(errors, file, source, false, &context->screen);
        answers_print_faults(json_object_get(document, "notes"), file, source, true, &context->screen);
        if (status == EXIT_FINE)
            answers_print_check(document, file);
    }
    if (status == EXIT_FINE && !json_path_true(json_object_get(document, "check"), "complete"))
        status = EXIT_FAILED;
    json_decref(document);
    return status;
}

int command_check(struct context *context)
{
    struct http_client_response response;
    json_t *request = make_request(context);
    if (!request)
        return EXIT_USAGE;
    json_t *source = json_incref(json_object_get(request, "source"));
    json_object_set_new(request, "check", json_true());
    if (!json_object_get(request, "arch")) /* one compilation is enough: the faults are those of the source */
        json_object_set_new(request, "arch", json_string("sm_90"));
    char *body = json_dumps(request, JSON_COMPACT);
    struct http_client_request question = fetch_question(context, "/v1/predictions", body);
    json_decref(request);
    question.accept_status = 422;
    int status = http_client_send(&context->service, &question, &response);
    if (status == EXIT_FINE)
        status = check_answer(context, &response, json_string_value(source));
    http_client_response_free(&response);
    json_decref(source);
    free(body);
    return status;
}

int command_predict(struct context *context)
{
    json_t *request = make_request(context);
    return request ? predict(context, request, print_predictions) : EXIT_USAGE;
}

/* An explanation is for one architecture. If the request lists several, each is requested and printed in turn; with --json
   the request is sent as it is. Takes the reference to the request. */
static int explain_each(struct context *context, json_t *request)
{
    json_t *archs = json_object_get(request, "arch"), *arch;
    int status = EXIT_FINE;
    size_t i;
    if (!json_is_array(archs) || !json_array_size(archs) || context->options.given[OPTION_JSON])
        return predict(context, request, print_lanes);
    json_incref(archs);
    json_array_foreach (archs, i, arch) {
        if (status != EXIT_FINE)
            break;
        if (i > 0)
            putchar('\n');
        json_object_set(request, "arch", arch);
        status = predict(context, json_incref(request), print_lanes);
    }
    json_decref(archs);
    json_decref(request);
    return status;
}

int command_explain(struct context *context)
{
    struct command_line *options = &context->options;
    struct error error = {0};
    double warp;
    json_t *block = NULL, *request = make_request(context);
    if (!request)
        return EXIT_USAGE;
    bool own = source_file_is(options->words[0]) || answers_kernel_is_own(options->words[0]);
    json_t *line = own ? json_incref(json_object_get(request, "line")) : NULL;
    if (line)
        json_object_del(request, "line"); /* of the explanation, and no parameter */
    int status = context_number(options, OPTION_WARP, 0, 0, 1e6, &warp, &error);
    if (status == 0 && options->given[OPTION_BLOCK] &&
        !(block = parameters_item(options->given[OPTION_BLOCK], &error)))
        status = -1;
    if (status != 0) {
        json_decref(line);
        json_decref(request);
        return context_usage(context, &error);
    }
    /* The request may have "explain" already, from explain.warp=15: --warp and --in-block replace its members. The service
       checks all others. */
    json_t *explain = json_object_get(request, "explain") ? json_incref(json_object_get(request, "explain"))
                                                          : json_object();
    if (block || !json_object_get(explain, "block"))
        json_object_set_new(explain, "block", block ? block : json_integer(0));
    if (options->given[OPTION_WARP] || !json_object_get(explain, "warp"))
        json_object_set_new(explain, "warp", json_integer((json_int_t)warp));
    if (line)
        json_object_set_new(explain, "line", line);
    json_object_set_new(request, "explain", explain);
    if (!json_object_get(request, "arch") && !json_object_get(request, "device_name"))
        json_object_set_new(request, "arch",
                            json_string("sm_90")); /* as a result without a GPU is predicted */
    return explain_each(context, request);
}
