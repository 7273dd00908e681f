/* The commands predict and explain: the model alone. */
#include "client/commands/command.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "client/answers/json_path.h"
#include "client/answers/answers.h"
#include "client/answers/rows_table.h"
#include "client/parameters/parameters.h"
#include "client/terminal/number.h"
#include "client/work/fetch.h"

/* The request of the words, released by the caller; NULL: they are not valid, which has been reported. */
static json_t *make_request(struct context *context)
{
    struct command_line *options = &context->options;
    struct error error = {0};
    json_t *request = json_object();
    json_object_set_new(request, "kernel", json_string(options->words[0]));
    if (options->given[OPTION_DEVICE_NAME])
        json_object_set_new(request, "device_name", json_string(options->given[OPTION_DEVICE_NAME]));
    if (parameters_add(request, options->words + 1, options->word_count - 1, false, &error) == 0)
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
    free(body);
    return status;
}

/* "131,071 lines": transactions, in the unit of that architecture. */
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
             answers_unit_words(json_path_text(row, unit, "sector"), (size_t)value, false));
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

static enum style conflicts_cell(char text[ROWS_TABLE_CELL_BYTES], const json_t *row)
{
    double conflicts = json_path_number(row, "shared_load_bank_conflicts") +
                       json_path_number(row, "shared_store_bank_conflicts");
    snprintf(text, ROWS_TABLE_CELL_BYTES, isfinite(conflicts) ? "%.0f" : "", conflicts);
    return STYLE_NONE;
}

static enum style remark_cell(char text[ROWS_TABLE_CELL_BYTES], const json_t *row)
{
    bool sampled = json_is_false(json_object_get(row, "exact"));
    snprintf(text, ROWS_TABLE_CELL_BYTES, "%s", json_path_text(row, "reason", sampled ? "sampled" : ""));
    return STYLE_FAINT;
}

static void print_predictions(struct context *context, const json_t *document)
{
    enum { SPARE = SHEET_RIGHT | SHEET_SPARE };
    const bool zh = context->screen.chinese;
    const struct rows_table_column columns[] = {
        {zh ? "架构" : "arch", NULL, SHEET_LEFT, .path = "arch", .style = STYLE_STRONG},
        {zh ? "读取" : "loads", zh ? "请求" : "requests", SHEET_RIGHT, .path = "gld_requests",
         .form = ROWS_TABLE_COUNT},
        {"", zh ? "事务" : "transactions", SHEET_RIGHT, .cell = loads_cell},
        {zh ? "效率" : "efficient", "%", SHEET_RIGHT, .path = "gld_efficiency_pct", .form = ROWS_TABLE_COUNT},
        {zh ? "写入" : "stores", zh ? "请求" : "requests", SHEET_RIGHT, .path = "gst_requests",
         .form = ROWS_TABLE_COUNT},
        {"", zh ? "事务" : "transactions", SHEET_RIGHT, .cell = stores_cell},
        {zh ? "效率" : "efficient", "%", SHEET_RIGHT, .path = "gst_efficiency_pct", .form = ROWS_TABLE_COUNT},
        {zh ? "占用率" : "occupancy", "%", SPARE, .path = "occupancy.theoretical", .form = ROWS_TABLE_WHOLE,
         .factor = 100},
        {zh ? "冲突" : "conflicts", zh ? "存储体" : "at banks", SPARE, .cell = conflicts_cell},
        {"", NULL, SHEET_LEFT | SHEET_SPARE, .cell = remark_cell},
        {NULL},
    };
    const json_t *predictions = json_object_get(document, "predictions");
    size_t i;
    json_t *made;
    rows_table_print(predictions, columns, &context->screen, stdout);
    json_array_foreach (predictions, i, made)
        answers_print_time(json_object_get(made, "time"), &context->screen);
}

static void print_lanes(struct context *context, const json_t *document)
{
    answers_print_explanation(document, &context->screen);
}

int command_predict(struct context *context)
{
    json_t *request = make_request(context);
    return request ? predict(context, request, print_predictions) : EXIT_USAGE;
}

int command_explain(struct context *context)
{
    struct command_line *options = &context->options;
    struct error error = {0};
    double warp;
    json_t *block = NULL, *request = make_request(context);
    if (!request)
        return EXIT_USAGE;
    int status = context_number(options, OPTION_WARP, 0, 0, 1e6, &warp, &error);
    if (status == 0 && options->given[OPTION_BLOCK] &&
        !(block = parameters_item(options->given[OPTION_BLOCK], &error)))
        status = -1;
    if (status != 0) {
        json_decref(request);
        return context_usage(context, &error);
    }
    json_t *explain = json_object();
    json_object_set_new(explain, "block", block ? block : json_integer(0));
    json_object_set_new(explain, "warp", json_integer((json_int_t)warp));
    json_object_set_new(request, "explain", explain);
    return predict(context, request, print_lanes);
}
