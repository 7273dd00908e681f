/* Finds the function among the tokens, cuts its list at the commas, and reads each parameter's words. Nothing recurses: the
   text is anybody's. */
#include "kernels/source/source_signature.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/source/source_struct.h"

enum { FUNCTIONS_MOST = 64 /* that are looked at */ };

/* A __global__ function: tokens by their index. */
struct function {
    int name, parameters, end; /* the name; behind the "("; the ")" */
    int body, body_end;        /* the "{", and behind the "}"; 0: only declared */
    int template_at;           /* the "<" of its template; 0: it is none */
};

struct reading {
    struct source_tokens tokens;
    struct function function[FUNCTIONS_MOST];
    int function_count;
    struct source_scope scope;
};

/* ---- finding functions ---- */

/* Reads the function behind a __global__ at `i`; false: it is none that can be read. */
static bool function_read(const struct reading *r, int i, int template_at, struct function *f)
{
    int count = r->tokens.count;
    for (i++; i < count; i++) {
        int behind = source_declaration_skip_attribute(&r->tokens, i, count);
        if (behind != i) {
            i = behind - 1;
            continue;
        }
        if (strchr(";{}=", *source_tokens_at(&r->tokens, i)->at))
            return false;
        if (source_token_is_name(source_tokens_at(&r->tokens, i)) && source_tokens_is(&r->tokens, i + 1, "("))
            break;
    }
    if (i + 1 >= count)
        return false;
    int end = source_tokens_skip(&r->tokens, i + 1, count);
    if (end == count && !source_tokens_is(&r->tokens, count - 1, ")"))
        return false;
    *f = (struct function){.name = i, .parameters = i + 2, .end = end - 1, .template_at = template_at};
    if (source_tokens_is(&r->tokens, end, "{")) {
        f->body = end;
        f->body_end = source_tokens_skip(&r->tokens, end, count);
    }
    return true;
}

static void functions_find(struct reading *r)
{
    int template_at = 0;
    for (int i = 0; i < r->tokens.count && r->function_count < FUNCTIONS_MOST; i++) {
        struct function *f = &r->function[r->function_count];
        if (source_tokens_is(&r->tokens, i, "template") && source_tokens_is(&r->tokens, i + 1, "<")) {
            template_at = i + 1;
            i = source_tokens_skip(&r->tokens, i + 1, r->tokens.count) - 1;
        } else if (source_tokens_is(&r->tokens, i, "__global__")) {
            if (function_read(r, i, template_at, f)) {
                i = f->end;
                r->function_count++;
            }
            template_at = 0;
        } else if (source_tokens_at(&r->tokens, i)->length == 1 &&
                   strchr(";{}", *source_tokens_at(&r->tokens, i)->at)) {
            template_at = 0;
        }
    }
}

/* The name of a function in an entry: without a namespace before and an instance's values behind it. */
static struct source_token entry_name(const char *entry)
{
    struct source_token name = {entry, (unsigned)strcspn(entry, "<"), 0};
    for (unsigned i = 0; i + 2 < name.length; i++)
        if (name.at[i] == ':' && name.at[i + 1] == ':') {
            name.at += i + 2;
            name.length -= i + 2;
            i = (unsigned)-1;
        }
    while (name.length && name.at[name.length - 1] == ' ')
        name.length--;
    return name;
}

/* "one, two and 3 more". */
static void functions_list(const struct reading *r, char *list, size_t size)
{
    size_t used = 0;
    list[0] = '\0';
    for (int i = 0; i < r->function_count && used + 1 < size; i++) {
        const struct source_token *name = source_tokens_at(&r->tokens, r->function[i].name);
        bool again = false;
        for (int other = 0; other < i; other++)
            again = again || source_token_same(source_tokens_at(&r->tokens, r->function[other].name), name);
        if (!again)
            used += (size_t)snprintf(list + used, size - used, "%s%.*s", used ? ", " : "", (int)name->length,
                                     name->at);
    }
}

/* The function that is meant: the one of that name, a definition before a declaration. */
static const struct function *function_choose(const struct reading *r, const char *entry, const char *list,
                                              struct error *error)
{
    const struct function *found = NULL;
    struct source_token wanted = entry_name(entry);
    for (int i = 0; i < r->function_count; i++) {
        const struct function *f = &r->function[i];
        if (*entry && !source_token_same(source_tokens_at(&r->tokens, f->name), &wanted))
            continue;
        if (found && !*entry &&
            !source_token_same(source_tokens_at(&r->tokens, f->name),
                               source_tokens_at(&r->tokens, found->name))) {
            error_set(error, ERROR_INVALID, "is required: there are several __global__ functions: %s", list);
            return NULL;
        }
        if (!found || (!found->body && f->body))
            found = f;
    }
    if (!found && r->function_count)
        error_set(error, ERROR_INVALID, "there is no __global__ function \"%.80s\"; there are: %s", entry,
                  list);
    else if (!found)
        error_set(error, ERROR_NOT_FOUND, "there is no __global__ function in the source");
    return found;
}

/* ---- templates ---- */

/* The value of number `index` in "name<one, two>". False: there are fewer. */
static bool instance_value(const char *entry, int index, struct source_binding *binding)
{
    const char *at = strchr(entry, '<');
    int depth = 0;
    if (!at)
        return false;
    for (binding->at = ++at; *at; at++) {
        bool closes = *at == '>' && depth == 0;
        depth += (*at == '<' || *at == '(') - (*at == '>' || *at == ')');
        if (!closes && !(*at == ',' && depth == 0))
            continue;
        if (index-- == 0) {
            while (*binding->at == ' ')
                binding->at++;
            binding->length = at > binding->at ? (size_t)(at - binding->at) : 0;
            while (binding->length && binding->at[binding->length - 1] == ' ')
                binding->length--;
            return binding->length > 0;
        }
        if (closes)
            return false;
        binding->at = at + 1;
    }
    return false;
}

/* Binds each parameter of the template, typename T or int N, to its value in the entry. */
static void bind(struct reading *r, const struct function *f, const char *entry)
{
    if (!f->template_at)
        return;
    int end = source_tokens_skip(&r->tokens, f->template_at, r->tokens.count) - 1, index = 0, depth = 0;
    struct source_token last = {"", 0, 0};
    bool named = true; /* what stands behind a "=" is no name of a parameter */
    for (int i = f->template_at + 1; i <= end && r->scope.binding_count < SOURCE_BINDINGS; i++) {
        const struct source_token *t = source_tokens_at(&r->tokens, i);
        if (i == end || (depth == 0 && source_token_is(t, ","))) {
            struct source_binding *b = &r->scope.binding[r->scope.binding_count];
            b->name = last;
            r->scope.binding_count += last.length && instance_value(entry, index, b);
            index++;
            named = true;
        }
        depth += (source_token_is(t, "<") || source_token_is(t, "(")) -
                 (source_token_is(t, ">") || source_token_is(t, ")"));
        named = named && !source_token_is(t, "=");
        if (named && source_token_is_name(t))
            last = *t;
    }
}

/* Is each use in the body name[...] = ... or name[...].member = ...? */
static bool only_written(const struct reading *r, const struct function *f, const char *name)
{
    bool used = false;
    for (int i = f->body; i < f->body_end; i++) {
        if (!source_token_is(source_tokens_at(&r->tokens, i), name))
            continue;
        if (source_tokens_is(&r->tokens, i - 1, ".") ||
            (source_tokens_is(&r->tokens, i - 1, ">") && source_tokens_is(&r->tokens, i - 2, "-")))
            continue; /* a member of something else */
        int behind =
            source_tokens_is(&r->tokens, i + 1, "[") ? source_tokens_skip(&r->tokens, i + 1, f->body_end) : i;
        while (behind > i && source_tokens_is(&r->tokens, behind, ".") &&
               source_token_is_name(source_tokens_at(&r->tokens, behind + 1)))
            behind += 2; /* name[...].member */
        if (behind == i || !source_tokens_is(&r->tokens, behind, "=") ||
            source_tokens_is(&r->tokens, behind + 1, "="))
            return false;
        used = true;
    }
    return used;
}

/* Cuts the list at its commas. -1: there are too many. */
static int parameters_read(const struct reading *r, const struct function *f, struct source_signature *s,
                           struct error *error)
{
    int from = f->parameters;
    if (f->end - from == 0 || (f->end - from == 1 && source_tokens_is(&r->tokens, from, "void")))
        return 0;
    for (int i = from; i <= f->end; i++) {
        if (i < f->end && source_tokens_at(&r->tokens, i)->length == 1 &&
            strchr("([{<", *source_tokens_at(&r->tokens, i)->at)) {
            i = source_tokens_skip(&r->tokens, i, f->end) - 1;
            continue;
        }
        if (i < f->end && !source_tokens_is(&r->tokens, i, ","))
            continue;
        if (s->parameter_count == SOURCE_ARGUMENTS)
            return error_set(error, ERROR_INVALID, "a kernel has at most %d parameters here",
                             SOURCE_ARGUMENTS);
        struct source_parameter *p = &s->parameter[s->parameter_count++];
        source_declaration_read(&r->scope, from, i, p);
        if (p->pointer && p->type_name.length &&
            !source_struct_read(&r->tokens, &p->type_name, &p->type, &p->members)) {
            p->type = (struct source_type){.width = 0};
            p->members = 0;
        }
        p->only_written = p->pointer && p->name[0] && only_written(r, f, p->name);
        from = i + 1;
    }
    return 0;
}

int source_signature_read(struct source_signature *signature, const char *source, const char *entry,
                          struct error *error)
{
    int failed = -1;
    struct reading *r = calloc(1, sizeof *r);
    *signature = (struct source_signature){0};
    if (!r || !source_tokens_make(&r->tokens, source)) {
        error_set(error, ERROR_MEMORY, "no memory to read a source");
        goto out;
    }
    r->scope.tokens = &r->tokens;
    functions_find(r);
    functions_list(r, signature->functions, sizeof signature->functions);
    const struct function *f = function_choose(r, entry, signature->functions, error);
    signature->missing = !f && *entry && r->function_count;
    if (!f)
        goto out;
    const struct source_token *name = source_tokens_at(&r->tokens, f->name);
    snprintf(signature->entry, sizeof signature->entry, "%.*s",
             *entry ? (int)strlen(entry) : (int)name->length, *entry ? entry : name->at);
    signature->line = name->line;
    if (f->template_at && !strchr(entry, '<')) {
        error_set(error, ERROR_INVALID, "%.80s is a template: say an instance of it, as \"%.80s<float>\"",
                  signature->entry, signature->entry);
        goto out;
    }
    bind(r, f, entry);
    failed = parameters_read(r, f, signature, error);
out:
    if (r)
        source_tokens_free(&r->tokens);
    free(r);
    return failed;
}

/* From behind __constant__ to the sign that ends the declarator. */
static bool constant_read(const struct source_scope *scope, int from, const char *name,
                          struct source_type *type)
{
    const struct source_tokens *tokens = scope->tokens;
    struct source_parameter found;
    int end = from;
    for (int behind; end<tokens->count; end = behind> end ? behind : end + 1) {
        behind = source_declaration_skip_attribute(tokens, end, tokens->count);
        if (behind == end && tokens->at[end].length == 1 && strchr(";=,{(", *tokens->at[end].at))
            break;
    }
    source_declaration_read(scope, from, end, &found);
    *type = found.type;
    return strcmp(found.name, name) == 0 && !found.why;
}

bool source_signature_constant(const char *source, const char *name, struct source_type *type)
{
    struct source_tokens tokens;
    bool known = false;
    if (!source_tokens_make(&tokens, source))
        return false;
    struct source_scope scope = {.tokens = &tokens};
    for (int i = 0; i < tokens.count && !known; i++)
        known = source_token_is(&tokens.at[i], "__constant__") && constant_read(&scope, i + 1, name, type);
    source_tokens_free(&tokens);
    return known;
}
