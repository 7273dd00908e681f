/* What an experiment of a user's kernel wrote, whether that is what its reference wrote, and where it went wrong. */
#include "client/answers/answers.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "client/answers/json_path.h"
#include "client/terminal/language.h"
#include "client/terminal/number.h"

/* Elements of one output, a row of them in as many as fit; one that nobody wrote is "-". */
static void print_values(const char *name, const json_t *shown, const struct screen *screen)
{
    enum { WIDTH = 72, BYTES = 1024 };
    const json_t *values = json_object_get(shown, "values"), *value;
    double first = json_path_number(shown, "first");
    size_t at = 0, count = json_array_size(values);
    bool unwritten = false;
    int width = screen->out && screen->columns > 0 && screen->columns < WIDTH ? screen->columns : WIDTH;
    while (at < count) {
        char row[BYTES], text[JSON_PATH_TEXT_BYTES];
        size_t begin = at, used = 0;
        for (; at < count; at++) {
            value = json_array_get(values, at);
            unwritten = unwritten || json_is_null(value);
            if (json_is_null(value))
                snprintf(text, sizeof text, "-");
            else
                json_path_value(text, value);
            size_t more = strlen(text) + 1;
            if ((at > begin && 20 + used + more > (size_t)width) || used + more >= sizeof row)
                break;
            used += (size_t)snprintf(row + used, sizeof row - used, " %s", text);
        }
        if (at == begin) /* one that does not fit */
            at++;
        printf("  %s[%.0f]%s", name, first + (double)begin, row);
        putchar('\n');
    }
    if (unwritten)
        puts(language_text("  -: no thread wrote it"));
}

static void print_outputs(const json_t *experiment, const struct screen *screen)
{
    size_t i;
    json_t *output;
    json_array_foreach (json_object_get(experiment, "outputs"), i, output) {
        char written[NUMBER_BYTES], all[NUMBER_BYTES];
        const char *name = json_path_text(output, "name", "?");
        number_count(written, (long long)json_path_number(output, "elements_written"));
        number_count(all, (long long)json_path_number(output, "elements"));
        printf(language_text("%s: %s of %s elements written (%s), sha256 %s\n"), name, written, all,
               json_path_text(output, "type", "?"), json_path_text(output, "sha256", "?"));
        if (json_object_get(output, "initial"))
            puts(language_text("  the kernel also reads it, and without a \"fill\" it held numbers from 0 to "
                               "255 before the launch"));
        print_values(name, json_object_get(output, "shown"), screen);
    }
}

enum { DIGITS_SHOWN = 6, DIGITS_ALL = 17 };

/* Writes the value of an element, or that nothing was written there. */
static void value_text(char text[JSON_PATH_TEXT_BYTES], const json_t *value, int digits)
{
    const char *word = json_string_value(value);
    if (json_is_null(value) || (word && strcmp(word, "untouched") == 0))
        snprintf(text, JSON_PATH_TEXT_BYTES, "%s", language_text("nothing"));
    else if (json_is_real(value))
        snprintf(text, JSON_PATH_TEXT_BYTES, "%.*g", digits, json_real_value(value));
    else
        json_path_value(text, value);
}

/* Writes both values of a mismatch with as many digits as make them differ. */
static void value_texts(char found[JSON_PATH_TEXT_BYTES], char wanted[JSON_PATH_TEXT_BYTES],
                        const json_t *mismatch)
{
    int digits = DIGITS_SHOWN;
    do {
        value_text(found, json_object_get(mismatch, "found"), digits);
        value_text(wanted, json_object_get(mismatch, "expected"), digits);
    } while (strcmp(found, wanted) == 0 && digits++ < DIGITS_ALL);
}

/* Elements of all outputs that no thread wrote. */
static double unwritten_count(const json_t *experiment)
{
    double sum = 0;
    size_t i;
    json_t *output;
    json_array_foreach (json_object_get(experiment, "outputs"), i, output)
        sum += json_path_number(output, "elements") - json_path_number(output, "elements_written");
    return sum;
}

static void print_verdict(const json_t *experiment)
{
    const json_t *correctness = json_object_get(experiment, "correctness");
    const json_t *first = json_object_get(correctness, "first_mismatch");
    const char *reason = json_path_text(correctness, "reason", NULL);
    char count[NUMBER_BYTES], found[JSON_PATH_TEXT_BYTES], wanted[JSON_PATH_TEXT_BYTES];
    if (reason) {
        puts(language_reason(reason, (char[LANGUAGE_REASON_BYTES]){0}));
        return;
    }
    number_count(count, (long long)json_path_number(correctness, "elements_checked"));
    if (json_path_true(correctness, "verified"))
        printf(language_text(
                   "the outputs are those of the reference: %s elements, the largest difference is %g\n"),
               count, json_path_number(correctness, "max_abs_error"));
    if (json_path_true(correctness, "verified") && unwritten_count(experiment) > 0) {
        number_count(count, (long long)unwritten_count(experiment));
        printf(unwritten_count(experiment) == 1
                   ? language_text("%s of these elements was written by neither\n")
                   : language_text("%s of these elements were written by neither\n"),
               count);
    }
    if (!json_is_object(first))
        return;
    value_texts(found, wanted, first);
    printf(language_text("%s[%.0f]: %s, the reference has %s\n"), json_path_text(first, "buffer", "?"),
           json_path_number(first, "index"), found, wanted);
    if (isfinite(json_path_number(first, "line")))
        printf(language_text("  stored last at line %.0f\n"), json_path_number(first, "line"));
    if (isfinite(json_path_number(first, "reference_line")))
        printf(language_text("  stored last at line %.0f of the reference\n"),
               json_path_number(first, "reference_line"));
}

bool answers_is_interpreted(const json_t *experiment)
{
    return json_object_get(experiment, "interpreter") != NULL;
}

bool answers_print_outputs(const json_t *experiment, const struct screen *screen)
{
    const json_t *faults = json_object_get(experiment, "faults");
    const char *file = json_path_text(experiment, "file", json_path_text(experiment, "request.kernel", "?"));
    const char *source = json_path_text(experiment, "source", NULL);
    if (!answers_is_interpreted(experiment))
        return false;
    if (json_array_size(faults) && json_path_true(experiment, "of_reference"))
        puts(language_text("the faults are the reference's"));
    answers_print_faults(faults, file, source, false, screen);
    answers_print_faults(json_object_get(experiment, "notes"), file, source, true, screen);
    if (!json_array_size(faults))
        print_verdict(experiment);
    print_outputs(experiment, screen);
    return true;
}
