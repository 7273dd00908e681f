/* One reader for each member of an argument. */
#include "api/source_argument_json.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/json_parts.h"
#include "api/problem.h"
#include "api/suggest.h"
#include "base/words.h"
#include "kernels/source/source_derive.h"

/* ---- values ---- */

bool source_argument_json_expression(const json_t *value, const char *pointer,
                                     char text[SOURCE_EXPRESSION_BYTES + 1], struct problems *problems)
{
    if (json_is_integer(value))
        snprintf(text, SOURCE_EXPRESSION_BYTES + 1, "%" PRId64, (int64_t)json_integer_value(value));
    else if (!json_is_string(value))
        problem_add(problems, pointer,
                    "must be a number, or an expression of scalar arguments as \"n + 1\", is %s",
                    json_parts_type(value));
    else if (json_string_length(value) > SOURCE_EXPRESSION_BYTES || !json_string_length(value))
        problem_add(problems, pointer, "must be an expression of 1 to %d bytes", SOURCE_EXPRESSION_BYTES);
    else
        snprintf(text, SOURCE_EXPRESSION_BYTES + 1, "%s", json_string_value(value));
    return text[0] != '\0';
}

static bool read_number(const json_t *value, struct source_number *number)
{
    *number = (struct source_number){.real = json_is_real(value)};
    if (number->real)
        number->value = json_real_value(value);
    else
        number->whole = json_integer_value(value);
    return json_is_number(value);
}

bool source_argument_json_values(const json_t *list, const char *pointer, struct source_number **values,
                                 size_t *count, struct problems *problems)
{
    size_t size = json_array_size(list), i;
    const json_t *one;
    *values = NULL;
    if (size < 1 || size > SOURCE_FILL_VALUES_MAX) {
        problem_add(problems, pointer, "must be a list of 1 to %d numbers", SOURCE_FILL_VALUES_MAX);
        return false;
    }
    struct source_number *read = malloc(size * sizeof *read);
    if (!read) {
        problem_add(problems, pointer, "no memory for %s", pointer);
        return false;
    }
    json_array_foreach (list, i, one)
        if (!read_number(one, &read[i])) {
            problem_add(problems, pointer, "must be a list of numbers, and value %zu is %s", i,
                        json_parts_type(one));
            free(read);
            return false;
        }
    *values = read;
    *count = size;
    return true;
}

static const char *suggest_type(struct suggestion *meant, const char *wanted)
{
    suggest_begin(meant, wanted);
    for (int base = 0; base < SOURCE_BASES; base++)
        suggest_consider(meant, source_type_base_name((enum source_base)base));
    return suggest_text(meant);
}

bool source_argument_json_type(const json_t *value, const char *pointer, struct source_type *type,
                               struct problems *problems)
{
    const char *name = json_string_value(value);
    struct suggestion meant;
    if (!name)
        problem_add(problems, pointer, "must be the name of a type, as \"f32\", is %s",
                    json_parts_type(value));
    else if (source_type_of_cuda(name, strlen(name), type))
        return true;
    else
        problem_add(problems, pointer,
                    "there is no type \"%.32s\"%s there are i8, u8, i16, u16, i32, u32, i64, u64, f16, bf16, "
                    "f32, f64, and "
                    "vectors of 2, 3, 4 or 8 of these, as f32x4",
                    name, suggest_type(&meant, name));
    return false;
}

/* ---- fills ---- */

static void read_modulus(struct source_fill *fill, enum source_fill_rule rule, const json_t *value,
                         const char *pointer, struct problems *problems)
{
    if (!json_is_integer(value) || json_integer_value(value) < 1)
        problem_add(problems, pointer, "must be a whole number of at least 1");
    else
        *fill = (struct source_fill){.rule = rule, .modulus = (uint64_t)json_integer_value(value)};
}

static void read_fill(struct source_fill *fill, const json_t *value, const char *pointer,
                      struct problems *problems)
{
    const char *name = json_string_value(value), *key = NULL;
    char at[64];
    if (json_is_object(value) && json_object_size(value) == 1)
        key = json_object_iter_key(json_object_iter((json_t *)value));
    const json_t *member = key ? json_object_get(value, key) : NULL;
    problem_pointer(at, sizeof at, pointer, key ? key : "");
    if (name && (strcmp(name, "index") == 0 || strcmp(name, "zero") == 0))
        fill->rule = strcmp(name, "zero") == 0 ? SOURCE_FILL_ZERO : SOURCE_FILL_INDEX;
    else if (key && strcmp(key, "modulo") == 0)
        read_modulus(fill, SOURCE_FILL_MODULO, member, at, problems);
    else if (key && strcmp(key, "hash") == 0)
        read_modulus(fill, SOURCE_FILL_HASH, member, at, problems);
    else if (key && strcmp(key, "values") == 0) {
        if (source_argument_json_values(member, at, &fill->values, &fill->value_count, problems))
            fill->rule = SOURCE_FILL_VALUES;
    } else
        problem_add(problems, pointer,
                    "must be \"index\", \"zero\", {\"modulo\": m}, {\"hash\": m} or {\"values\": [...]}");
}

/* ---- an argument ---- */

/* What the reader of a member is given. */
struct argument_reading {
    struct source_argument *to;
    const struct source_parameter *parameter; /* NULL: not known */
    struct problems *problems;
    bool filled, has_role; /* the members are there */
    bool mismatched; /* the arguments are not the function's: what the source says of them is not asked */
};

static void read_type(struct argument_reading *r, const json_t *value, const char *pointer)
{
    source_argument_json_type(value, pointer, &r->to->type, r->problems);
}

static void read_elements(struct argument_reading *r, const json_t *value, const char *pointer)
{
    r->to->pointer = true;
    source_argument_json_expression(value, pointer, r->to->elements, r->problems);
}

static void read_filling(struct argument_reading *r, const json_t *value, const char *pointer)
{
    r->to->pointer = true;
    r->filled = true;
    read_fill(&r->to->fill, value, pointer, r->problems);
}

static void read_role(struct argument_reading *r, const json_t *value, const char *pointer)
{
    static const char *const roles[] = {
        [BUFFER_INPUT] = "input", [BUFFER_OUTPUT] = "output", [BUFFER_ACCUMULATED] = "accumulated"};
    int role = words_find(json_string_value(value), WORDS_TABLE(roles));
    r->to->pointer = true;
    r->has_role = true;
    if (role < 0)
        problem_add(r->problems, pointer, "must be one of input, output, accumulated");
    else
        r->to->role = (enum buffer_role)role;
}

static void read_value(struct argument_reading *r, const json_t *value, const char *pointer)
{
    if (json_parts_is(value, "size"))
        r->to->value = SOURCE_VALUE_SIZE;
    else if (read_number(value, &r->to->fallback))
        r->to->value = SOURCE_VALUE_GIVEN;
    else
        problem_add(r->problems, pointer, "must be a number, or \"size\" for the experiment's size, is %s",
                    json_parts_type(value));
}

static const struct argument_member {
    const char *name;
    void (*read)(struct argument_reading *r, const json_t *value, const char *pointer);
} members[] = {
    {"name", NULL},         {"type", read_type}, {"elements", read_elements},
    {"fill", read_filling}, {"role", read_role}, {"value", read_value},
    {"fields", NULL},
};

static bool is_name(const char *name)
{
    size_t length = name ? strlen(name) : 0;
    for (size_t i = 0; i < length; i++)
        if (!isalnum((unsigned char)name[i]) && name[i] != '_')
            return false;
    return length && length < SOURCE_NAME_BYTES && !isdigit((unsigned char)*name);
}

/* The prefix of a field is its struct's name and a dot. False: it is no name. */
static bool read_name(const json_t *argument, const char *pointer, const char *prefix, char *name,
                      size_t size, struct problems *problems)
{
    const json_t *value = json_object_get(argument, "name");
    char at[64];
    snprintf(at, sizeof at, "%s/name", pointer);
    if (!is_name(json_string_value(value)))
        problem_add(problems, at, "must be a name of C of at most %d letters, digits and '_'",
                    SOURCE_NAME_BYTES - 1);
    else if (snprintf(name, size, "%s%s", prefix, json_string_value(value)) >= (int)size)
        problem_add(problems, at, "the names of a struct and its field have at most %d letters together",
                    (int)size - 2);
    else
        return true;
    return false;
}

/* Where the source says what the parameter is, it holds against the request, and fills in what that leaves out. */
static void check_parameter(struct argument_reading *r, const char *pointer)
{
    const struct source_parameter *p = r->parameter;
    struct source_argument *a = r->to;
    char at[64];
    snprintf(at, sizeof at, "%s/elements", pointer);
    if (p && p->why)
        p = NULL;
    if (p && p->pointer)
        a->pointer = true;
    else if (p && a->pointer)
        problem_add(r->problems, pointer,
                    "is no pointer in the source but %s: it takes no elements, fill or role", p->text);
    if (a->pointer && !a->elements[0])
        problem_add(r->problems, at, "is required: how many elements the pointer has, as 1024 or \"n + 1\"");
    snprintf(at, sizeof at, "%s/type", pointer);
    if (p && !a->type.width)
        a->type = p->type;
    else if (p && a->type.base != p->type.base && a->pointer)
        problem_add(r->problems, at, "is not what the source says: %s", p->text);
    else if (p && !a->pointer && source_type_is_real(a->type.base) != source_type_is_real(p->type.base))
        problem_add(r->problems, at, "is not what the source says: %s", p->text);
    else if (p && !a->pointer && source_type_bytes(a->type) != source_type_bytes(p->type))
        problem_add(r->problems, at, "has not the size of what the source says: %s", p->text);
    else if (!a->type.width && !r->mismatched)
        problem_add(r->problems, at,
                    "is required, as \"f32\": the source does not say it in a way that is read here");
}

static void add_unknown(struct argument_reading *r, const char *pointer, const char *name)
{
    struct suggestion meant;
    problem_add(r->problems, pointer,
                "unknown member%s an argument has name, type, elements, fill and role, or value, or fields",
                suggest_among(&meant, name, WORDS_TABLE(members)));
}

/* A pointer or a scalar, of the list or of a struct. */
static void read_plain(struct argument_reading *r, const json_t *argument, const char *pointer)
{
    const char *key;
    json_t *value;
    int before = r->problems->count;
    json_object_foreach ((json_t *)argument, key, value) {
        char at[64];
        int i = words_find(key, WORDS_TABLE(members));
        if (problems_full(r->problems))
            return;
        problem_pointer(at, sizeof at, pointer, key);
        if (i < 0 || strcmp(key, "fields") == 0)
            add_unknown(r, at, key);
        else if (members[i].read)
            members[i].read(r, value, at);
    }
    if (r->problems->count == before)
        check_parameter(r, pointer);
    if (!r->has_role)
        r->to->role = r->parameter && r->parameter->constant            ? BUFFER_INPUT
                      : r->filled || !r->parameter || r->parameter->why ? BUFFER_ACCUMULATED
                                                                        : source_derive_role(r->parameter);
}

static struct source_argument *argument_add(struct source_draft *draft, int index, int field,
                                            struct problems *problems)
{
    if (draft->argument_count == SOURCE_ARGUMENTS) {
        problem_add(problems, "#/arguments", "at most %d, where each field of a struct is one",
                    SOURCE_ARGUMENTS);
        return NULL;
    }
    struct source_argument *a = &draft->argument[draft->argument_count++];
    *a = (struct source_argument){.index = index, .field = field};
    return a;
}

static void read_fields(struct source_draft *draft, const json_t *argument, const char *pointer, int index,
                        const char *name, struct problems *problems)
{
    const json_t *fields = json_object_get(argument, "fields"), *field;
    char prefix[SOURCE_NAME_BYTES + 1], at[64];
    size_t i;
    snprintf(prefix, sizeof prefix, "%s.", name);
    snprintf(at, sizeof at, "%s/fields", pointer);
    if (!json_array_size(fields) || json_object_size(argument) != 2)
        problem_add(problems, at, "a struct has a name and a list of fields, and nothing else");
    else
        json_array_foreach (fields, i, field) {
            struct source_argument *a = argument_add(draft, index, (int)i, problems);
            snprintf(at, sizeof at, "%s/fields/%zu", pointer, i);
            if (!a || problems_full(problems))
                return;
            if (!json_is_object(field))
                problem_add(problems, at, "must be an object, is %s", json_parts_type(field));
            else if (read_name(field, at, prefix, a->name, sizeof a->name, problems))
                read_plain(&(struct argument_reading){.to = a, .problems = problems}, field, at);
        }
}

static void read_argument(struct source_draft *draft, const json_t *argument, int index,
                          const struct source_parameter *parameter, bool mismatched,
                          struct problems *problems)
{
    char pointer[32], name[SOURCE_NAME_BYTES];
    snprintf(pointer, sizeof pointer, "#/arguments/%d", index);
    if (!json_is_object(argument)) {
        problem_add(problems, pointer, "must be an object, is %s", json_parts_type(argument));
        return;
    }
    if (!read_name(argument, pointer, "", name, sizeof name, problems))
        return;
    if (json_object_get(argument, "fields")) {
        read_fields(draft, argument, pointer, index, name, problems);
        return;
    }
    struct source_argument *a = argument_add(draft, index, -1, problems);
    if (!a)
        return;
    snprintf(a->name, sizeof a->name, "%s", name);
    read_plain(
        &(struct argument_reading){
            .to = a, .parameter = parameter, .problems = problems, .mismatched = mismatched},
        argument, pointer);
}

/* A name that is that of another parameter: the list is in another order. */
static void check_order(const json_t *arguments, const struct source_signature *signature,
                        struct problems *problems)
{
    size_t i;
    const json_t *argument;
    json_array_foreach (arguments, i, argument) {
        const char *name = json_string_value(json_object_get(argument, "name"));
        for (int other = 0; name && other < signature->parameter_count; other++) {
            char pointer[40];
            snprintf(pointer, sizeof pointer, "#/arguments/%zu/name", i);
            if ((size_t)other != i && strcmp(signature->parameter[other].name, name) == 0)
                problem_add(
                    problems, pointer,
                    "\"%s\" is parameter %d of the function: arguments stand in the order of its parameters",
                    name, other + 1);
        }
    }
}

void source_argument_json_read(struct source_draft *draft, const json_t *arguments,
                               const struct source_signature *signature, bool known,
                               struct problems *problems)
{
    size_t i, count = json_array_size(arguments);
    const json_t *argument;
    int before = problems->count;
    if (!json_is_array(arguments)) {
        problem_add(problems, "#/arguments", "must be a list of the function's parameters, is %s",
                    json_parts_type(arguments));
        return;
    }
    if (known && count != (size_t)signature->parameter_count)
        problem_add(problems, "#/arguments", "%zu argument%s described, the function has %d parameter%s",
                    count, count == 1 ? " is" : "s are", signature->parameter_count,
                    signature->parameter_count == 1 ? "" : "s");
    if (known)
        check_order(arguments, signature, problems);
    const bool mismatched = problems->count > before;
    known = known && !mismatched;
    json_array_foreach (arguments, i, argument) {
        if (problems_full(problems) || i >= SOURCE_ARGUMENTS)
            break;
        read_argument(draft, argument, (int)i, known ? &signature->parameter[i] : NULL, mismatched, problems);
    }
    if (i >= SOURCE_ARGUMENTS && i < count)
        problem_add(problems, "#/arguments", "at most %d, where each field of a struct is one",
                    SOURCE_ARGUMENTS);
}
