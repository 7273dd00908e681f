/* Reads where an experiment may run from its request, or from an operator's option. */
#include "api/device_choice.h"

#include <ctype.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/device_list.h"
#include "api/json_parts.h"
#include "api/problem.h"
#include "api/suggest.h"
#include "base/words.h"

static const char any_name[] = "any";

/* "sm_90", "sm_100a", or what a machine without a GPU says of itself. */
static bool arch_valid(const char *arch)
{
    static const char *const machines[] = {"cpu", "x86_64", "aarch64", "ppc64le", "riscv64"};
    if (words_find(arch, WORDS_TABLE(machines)) >= 0)
        return true;
    if (strncmp(arch, "sm_", 3) != 0)
        return false;
    size_t digits = strspn(arch + 3, "0123456789");
    const char *rest = arch + 3 + digits;
    return digits >= 2 && digits <= 3 && (!*rest || (islower((unsigned char)*rest) && !rest[1]));
}

static const char *const conditions[] = {"arch", "name", "memory_bytes", "counters"};

static void read_condition(struct device_choice *choice, const char *name, const json_t *value,
                           const char *pointer, struct problems *problems)
{
    const char *text = json_string_value(value);
    struct suggestion meant;
    if (strcmp(name, "arch") == 0) {
        if (text && arch_valid(text))
            snprintf(choice->arch, sizeof choice->arch, "%s", text);
        else
            problem_add(problems, pointer,
                        "must be an architecture, as \"sm_90\", \"cpu\", or a machine's, as \"x86_64\"");
    } else if (strcmp(name, "name") == 0) {
        if (text && text[0] && strlen(text) < sizeof choice->product)
            snprintf(choice->product, sizeof choice->product, "%s", text);
        else
            problem_add(problems, pointer, "must be a product's name, as GET /v1/devices tells it in name");
    } else if (strcmp(name, "memory_bytes") == 0) {
        choice->memory_bytes = json_integer_value(value);
        if (choice->memory_bytes < 1)
            problem_add(problems, pointer, "must be a whole number of bytes, at least 1");
    } else if (strcmp(name, "counters") == 0) {
        choice->counters = json_is_true(value);
        if (!choice->counters)
            problem_add(problems, pointer, "must be true, or be left out");
    } else {
        problem_add(problems, pointer, "unknown field%s arch, name, memory_bytes and counters are known",
                    suggest_among(&meant, name, WORDS_TABLE(conditions)));
    }
}

static void read_conditions(struct device_choice *choice, const json_t *object, const char *pointer,
                            struct problems *problems)
{
    const char *key;
    json_t *value;
    choice->kind = DEVICE_BY_CONDITIONS;
    if (!json_object_size(object))
        problem_add(problems, pointer,
                    "says nothing; it takes arch, name, memory_bytes and counters, and \"any\" is for any");
    json_object_foreach ((json_t *)object, key, value) {
        char at[64];
        if (problems_full(problems))
            return;
        problem_pointer(at, sizeof at, pointer, key);
        read_condition(choice, key, value, at, problems);
    }
}

bool device_choice_parse(struct device_choice *choice, const char *text)
{
    *choice = (struct device_choice){.kind = DEVICE_BY_NUMBER};
    size_t digits = strspn(text, "0123456789");
    if (digits && digits < 10 && !text[digits]) {
        choice->number = strtol(text, NULL, 10);
        return true;
    }
    choice->kind = strcmp(text, any_name) == 0 ? DEVICE_ANY : DEVICE_BY_NAME;
    snprintf(choice->called, sizeof choice->called, "%s", choice->kind == DEVICE_ANY ? "" : text);
    return choice->kind == DEVICE_ANY || device_list_name_valid(text);
}

void device_choice_read(struct device_choice *choice, const json_t *value, const char *pointer,
                        struct problems *problems)
{
    int before = problems->count;
    const char *text = json_string_value(value);
    *choice = (struct device_choice){.kind = DEVICE_BY_NUMBER};
    if (json_is_integer(value))
        choice->number = json_integer_value(value);
    else if (json_is_object(value))
        read_conditions(choice, value, pointer, problems);
    else if (!text)
        problem_add(problems, pointer,
                    "must be an integer, the number of a device, or a device's name, or \"any\", or an "
                    "object of what "
                    "it must be, as {\"arch\": \"sm_90\"}; is %s",
                    json_parts_type(value));
    else if (!device_choice_parse(choice, text) || choice->kind == DEVICE_BY_NUMBER)
        problem_add(
            problems, pointer,
            choice->kind == DEVICE_BY_NUMBER
                ? "must be an integer, without quotes, or a device's name, which is never digits alone"
                : "must be \"any\" or a device's name, as GET /v1/devices tells it in device_name");
    if (problems->count != before)
        *choice = (struct device_choice){.kind = DEVICE_ANY};
}

void device_choice_read_peer(struct device_choice *peer, const json_t *value, const char *pointer,
                             struct problems *problems)
{
    int before = problems->count;
    *peer = (struct device_choice){.kind = DEVICE_ANY};
    if (json_is_integer(value) || json_is_string(value))
        device_choice_read(peer, value, pointer, problems);
    if (problems->count == before && peer->kind == DEVICE_ANY)
        problem_add(problems, pointer, "must be the number or the name of one other device");
}

bool device_choice_open(const struct device_choice *choice)
{
    return choice->kind != DEVICE_BY_NUMBER && choice->kind != DEVICE_BY_NAME;
}

int device_choice_check_default(const char *text, struct error *error)
{
    struct device_choice choice;
    if (!text[0] || device_choice_parse(&choice, text))
        return 0;
    return error_set(error, ERROR_INVALID,
                     "--default-device %s is neither a number nor a device's name nor any", text);
}

/* Of the default device, or of any one (choice NULL): is it known to be a CPU, and listed? */
static bool has_cpu(const struct device_choice *choice, const struct device_offers *offers)
{
    for (int i = 0; i < offers->count; i++) {
        const struct device_offer *offer = &offers->at[i];
        bool meant = !choice || (choice->kind == DEVICE_BY_NUMBER ? choice->number == offer->number
                                                                  : strcmp(choice->called, offer->name) == 0);
        if (meant && offer->listed && offer->facts && strcmp(offer->facts->backend, "cpu") == 0)
            return true;
    }
    return false;
}

int device_choice_default_source(json_t *request, const char *text, int first,
                                 const struct device_offers *offers)
{
    struct device_choice choice = {.kind = DEVICE_BY_NUMBER, .number = first};
    if (text && text[0])
        device_choice_parse(&choice, text);
    if (!json_object_get(request, "device") && !json_is_true(json_object_get(request, "spread")) &&
        choice.kind != DEVICE_ANY && !has_cpu(&choice, offers) && has_cpu(NULL, offers))
        return json_object_set_new(request, "device", json_pack("{s:s}", "arch", "cpu"));
    return device_choice_default(request, text, first);
}

int device_choice_default(json_t *request, const char *text, int first)
{
    struct device_choice choice;
    if (!json_is_object(request) || json_object_get(request, "device"))
        return 0;
    if (json_is_true(json_object_get(request, "spread")))
        text = any_name;
    if (text && text[0] && device_choice_parse(&choice, text)) {
        if (choice.kind != DEVICE_BY_NUMBER)
            return json_object_set_new(request, "device", json_string(text));
        first = (int)choice.number;
    }
    return json_object_set_new(request, "device", first < 0 ? json_string(any_name) : json_integer(first));
}
