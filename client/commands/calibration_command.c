/* The command calibration: the constants that a device's times are predicted with, and where they come
   from. */
#include "client/commands/command.h"

#include <stdio.h>

#include "client/answers/json_path.h"
#include "client/terminal/number.h"
#include "client/terminal/sheet.h"
#include "client/work/fetch.h"

static void print_constants(const json_t *constants, const struct screen *screen)
{
    static const char *const heads[] = {"constant", "value", "unit", "spread", "what it is", "found by"};
    struct sheet *sheet = sheet_new();
    size_t i;
    json_t *row;
    for (i = 0; i < sizeof heads / sizeof *heads; i++)
        sheet_column(sheet, (i == 1 || i == 3 ? SHEET_RIGHT : SHEET_LEFT) | (i > 3 ? SHEET_SPARE : 0),
                     heads[i], i == 3 ? "%" : "");
    json_array_foreach (constants, i, row) {
        char text[NUMBER_BYTES];
        number_text(text, json_path_number(row, "value"));
        sheet_cell(sheet, STYLE_STRONG, json_path_text(row, "name", ""));
        sheet_cell(sheet, STYLE_NONE, text);
        sheet_cell(sheet, STYLE_NONE, json_path_text(row, "unit", ""));
        number_text(text, 100 * json_path_number(row, "spread"));
        sheet_cell(sheet, STYLE_NONE, json_is_number(json_object_get(row, "spread")) ? text : "");
        sheet_cell(sheet, STYLE_NONE, json_path_text(row, "text", ""));
        sheet_cell(sheet, STYLE_FAINT, json_path_text(row, "measured", ""));
    }
    sheet_print(sheet, screen, stdout);
}

static void print_calibration(const json_t *document, const struct screen *screen)
{
    static const char *const members[] = {"reason", "failure", "sweep"};
    const json_t *calibration = json_object_get(document, "calibration");
    printf("%s%s%s: %s%s\n", screen_style(screen, STYLE_STRONG), json_path_text(document, "device_name", "?"),
           screen_style(screen, STYLE_NONE), json_path_text(document, "state", "?"),
           json_path_true(document, "automatic") ? "" : "; a new one is made only when it is asked for");
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        if (json_path_text(document, members[i], NULL))
            printf("  %-12s %s\n", members[i], json_path_text(document, members[i], NULL));
    if (!json_is_object(calibration))
        return;
    printf("  %-12s %s, %s, driver %s, build %s\n", "of", json_path_text(calibration, "name", "?"),
           json_path_text(calibration, "arch", "?"), json_path_text(calibration, "driver", "?"),
           json_path_text(calibration, "build", "?"));
    printf("  %-12s from %.0f experiments, %s\n\n", "made", json_path_number(calibration, "experiments"),
           json_path_text(calibration, "made_at", "?"));
    print_constants(json_object_get(calibration, "constants"), screen);
}

int command_calibration(struct context *context)
{
    struct command_line *options = &context->options;
    struct http_client_response response = {0};
    char device[FETCH_PATH_BYTES], path[FETCH_PATH_BYTES + 16];
    fetch_path(context, "/v1/devices", options->words[0], device);
    snprintf(path, sizeof path, "%s/calibration", device);
    const char *method = options->given[OPTION_AGAIN] ? "POST" : "GET";
    int status = http_client_send(&context->service,
                                  &(struct http_client_request){.method = method, .path = path}, &response);
    json_t *document = status == EXIT_FINE ? json_loads(response.body.data, 0, NULL) : NULL;
    if (status == EXIT_FINE && options->given[OPTION_JSON])
        fputs(response.body.data, stdout);
    else if (document)
        print_calibration(document, &context->screen);
    json_decref(document);
    http_client_response_free(&response);
    return status;
}
