/* The commands predict and explain: the model alone. */
#include "client/commands/command.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "client/answers/json_path.h"
#include "client/answers/lanes_chart.h"
#include "client/answers/time_table.h"
#include "client/parameters/parameters.h"
#include "client/parameters/value.h"
#include "client/terminal/number.h"
#include "client/terminal/sheet.h"
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

/* Posts the request. Prints the response's bytes with --json; else *document is it. Takes the reference to
   the request. */
static int predict(struct context *context, json_t *request, json_t **document)
{
    char *body = NULL;
    *document = NULL;
    int status = fetch_post(context, "/v1/predictions", request, NULL, &body);
    json_decref(request);
    if (status == EXIT_FINE && context->options.given[OPTION_JSON])
        fputs(body, stdout);
    else if (status == EXIT_FINE && !(*document = json_path_parse(&context->screen, body)))
        status = EXIT_UNREACHABLE;
    free(body);
    return status;
}

static void add(struct sheet *sheet, const json_t *prediction, const char *path, double factor)
{
    char text[NUMBER_BYTES];
    double value = json_path_number(prediction, path);
    if (json_is_integer(json_path_at(prediction, path)))
        number_count(text, (long long)value);
    else
        number_text(text, value * factor);
    sheet_cell(sheet, STYLE_NONE, text);
}

static void print_predictions(const json_t *document, const struct screen *screen)
{
    struct sheet *sheet = sheet_new();
    sheet_column(sheet, SHEET_LEFT, "arch", "");
    sheet_column(sheet, SHEET_RIGHT, "loads", "requests");
    sheet_column(sheet, SHEET_RIGHT, "", "sectors");
    sheet_column(sheet, SHEET_RIGHT, "efficient", "%");
    sheet_column(sheet, SHEET_RIGHT, "stores", "requests");
    sheet_column(sheet, SHEET_RIGHT, "", "sectors");
    sheet_column(sheet, SHEET_RIGHT, "efficient", "%");
    sheet_column(sheet, SHEET_RIGHT | SHEET_SPARE, "occupancy", "%");
    sheet_column(sheet, SHEET_RIGHT | SHEET_SPARE, "conflicts", "at banks");
    sheet_column(sheet, SHEET_LEFT | SHEET_SPARE, "", "");
    size_t i;
    json_t *made;
    json_array_foreach (json_object_get(document, "predictions"), i, made) {
        sheet_cell(sheet, STYLE_STRONG, json_path_text(made, "arch", ""));
        add(sheet, made, "gld_requests", 1);
        add(sheet, made, "gld_sectors", 1);
        add(sheet, made, "gld_efficiency_pct", 1);
        add(sheet, made, "gst_requests", 1);
        add(sheet, made, "gst_sectors", 1);
        add(sheet, made, "gst_efficiency_pct", 1);
        double part = json_path_number(made, "occupancy.theoretical");
        sheet_format(sheet, STYLE_NONE, isfinite(part) ? "%.0f" : "no value", part * 100);
        sheet_format(sheet, STYLE_NONE, "%.0f",
                     json_path_number(made, "shared_load_bank_conflicts") +
                         json_path_number(made, "shared_store_bank_conflicts"));
        sheet_cell(
            sheet, STYLE_FAINT,
            json_path_text(made, "reason", json_is_false(json_object_get(made, "exact")) ? "sampled" : ""));
    }
    sheet_print(sheet, screen, stdout);
    json_array_foreach (json_object_get(document, "predictions"), i, made)
        time_table_print(json_object_get(made, "time"), screen);
}

int command_predict(struct context *context)
{
    json_t *document, *request = make_request(context);
    if (!request)
        return EXIT_USAGE;
    int status = predict(context, request, &document);
    if (document)
        print_predictions(document, &context->screen);
    json_decref(document);
    return status;
}

int command_explain(struct context *context)
{
    struct command_line *options = &context->options;
    struct error error = {0};
    double warp;
    json_t *document = NULL, *block = NULL, *request = make_request(context);
    if (!request)
        return EXIT_USAGE;
    int status = context_number(options, OPTION_WARP, 0, 0, 1e6, &warp, &error);
    if (status == 0 && options->given[OPTION_BLOCK] &&
        !(block = value_item(options->given[OPTION_BLOCK], &error)))
        status = -1;
    if (status != 0) {
        json_decref(request);
        return context_usage(context, &error);
    }
    json_t *explain = json_object();
    json_object_set_new(explain, "block", block ? block : json_integer(0));
    json_object_set_new(explain, "warp", json_integer((json_int_t)warp));
    json_object_set_new(request, "explain", explain);
    status = predict(context, request, &document);
    if (document)
        lanes_chart_print(document, &context->screen);
    json_decref(document);
    return status;
}
