/* One reader for each type of parameter. */
#include "api/param_json.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/json_parts.h"
#include "api/suggest.h"

static void read_integer(int64_t *to, const struct kernel_param *param, const json_t *value,
                         const char *pointer, struct problems *problems)
{
    char said[JSON_PARTS_SAID_BYTES];
    (void)param;
    if (json_is_integer(value))
        *to = json_integer_value(value);
    else
        problem_add(problems, pointer, "must be an integer, is %s", json_parts_said(value, said));
}

/* JSON's integers end at 2^63 - 1 here: one beyond, up to 2^64 - 1, is a text of its digits. */
static void read_unsigned(int64_t *to, const struct kernel_param *param, const json_t *value,
                          const char *pointer, struct problems *problems)
{
    const char *digits = json_string_value(value);
    bool negative = json_is_integer(value) && json_integer_value(value) < 0;
    if (negative)
        problem_add(problems, pointer, "must be at least %llu, is %lld", (unsigned long long)param->min,
                    (long long)json_integer_value(value));
    if (negative || !digits || !isdigit((unsigned char)*digits)) {
        if (!negative)
            read_integer(to, param, value, pointer, problems);
        return;
    }
    char *end;
    errno = 0;
    unsigned long long number = strtoull(digits, &end, 10);
    if (*end || errno)
        problem_add(problems, pointer, "must be an integer, is \"%.40s\"", digits);
    else
        *to = (int64_t)number;
}

static void read_number(int64_t *to, const struct kernel_param *param, const json_t *value,
                        const char *pointer, struct problems *problems)
{
    (void)param;
    if (json_is_number(value))
        *to = kernel_param_value(json_number_value(value));
    else
        problem_add(problems, pointer, "must be a number, is %s", json_parts_type(value));
}

static void read_choice(int64_t *to, const struct kernel_param *param, const json_t *value,
                        const char *pointer, struct problems *problems)
{
    char names[160] = "";
    struct suggestion meant;
    int count = 0;
    for (; param->choices[count]; count++) {
        size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, "%s%s", count ? ", " : "", param->choices[count]);
        if (json_parts_is(value, param->choices[count])) {
            *to = count;
            return;
        }
    }
    const char *text = json_string_value(value);
    if (text)
        problem_add(problems, pointer, "there is no %.32s \"%.32s\"%s it must be one of %s", param->name,
                    text, suggest_among(&meant, text, param->choices, (size_t)count, sizeof *param->choices),
                    names);
    else
        problem_add(problems, pointer, "must be one of %s, is %s", names, json_parts_type(value));
}

void param_json_read(int64_t *to, const struct kernel_param *param, const json_t *value, const char *pointer,
                     struct problems *problems)
{
    static void (*const readers[])(int64_t *, const struct kernel_param *, const json_t *, const char *,
                                   struct problems *) = {
        [PARAM_INTEGER] = read_integer,
        [PARAM_CHOICE] = read_choice,
        [PARAM_UNSIGNED] = read_unsigned,
        [PARAM_NUMBER] = read_number,
    };
    readers[param->type](to, param, value, pointer, problems);
}
