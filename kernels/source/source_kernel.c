/* Makes the table of a kernel from its arguments, and answers what a kernel is asked. */
#include "kernels/source/source_kernel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/digest.h"
#include "kernels/kernel_param.h"
#include "kernels/source/source_param.h"

enum { NAME_DIGITS = 12 };

static const double exact_most = 9007199254740992; /* 2^53: up to here expressions are exact */

static const struct source_kernel *own(const struct domain *domain)
{
    return (const struct source_kernel *)domain->kernel;
}

/* ---- expressions ---- */

/* What an expression may name: the parameters, then each scalar that is the size, then "size". Returns how many. */
static int names_of(const struct source_kernel *k, const char *names[SOURCE_EXPRESSION_NAMES])
{
    int count = 0;
    for (int i = 0; i < k->kernel.param_count; i++)
        names[count++] = k->kernel.params[i].name;
    bool said = false;
    for (int i = 0; i < k->draft.argument_count && count + 1 < SOURCE_EXPRESSION_NAMES; i++)
        if (!k->draft.argument[i].pointer && k->draft.argument[i].value == SOURCE_VALUE_SIZE) {
            said = said || strcmp(k->draft.argument[i].name, "size") == 0;
            names[count++] = k->draft.argument[i].name;
        }
    if (k->kernel.dims && !said)
        names[count++] = "size";
    return count;
}

static double number_of(const struct kernel_param *param, int64_t value)
{
    return param->type == PARAM_NUMBER     ? kernel_param_number(value)
           : param->type == PARAM_UNSIGNED ? (double)(uint64_t)value
                                           : (double)value;
}

static int evaluate(const struct domain *domain, const struct source_expression *expression, uint64_t *result,
                    struct error *error)
{
    const struct kernel *kernel = domain->kernel;
    double values[SOURCE_EXPRESSION_NAMES];
    for (int i = 0; i < SOURCE_EXPRESSION_NAMES; i++) {
        bool is_param = i < kernel->param_count;
        values[i] = is_param ? number_of(&kernel->params[i], domain->param[i]) : (double)domain->n;
        if (!source_expression_uses(expression, i) || (values[i] <= exact_most && values[i] >= -exact_most) ||
            (is_param && kernel->params[i].type == PARAM_NUMBER))
            continue;
        return error_set(error, ERROR_INVALID, "%s is above 2^53, up to which expressions are exact",
                         is_param ? kernel->params[i].name : "size");
    }
    return source_expression_value(expression, values, result, error);
}

static uint64_t value_or(const struct domain *domain, const struct source_expression *expression,
                         uint64_t otherwise)
{
    uint64_t value;
    return expression && evaluate(domain, expression, &value, NULL) == 0 ? value : otherwise;
}

/* ---- what a kernel is asked ---- */

static uint64_t source_elements(const struct domain *domain, int buffer)
{
    return value_or(domain, own(domain)->elements[buffer], 0);
}

/* True if so many threads need exactly that many blocks, or if no grid was given (0). */
static bool is_needed(uint64_t grid, uint64_t threads, uint64_t block)
{
    return !grid || !block || grid == (threads + block - 1) / block;
}

/* How many threads have work: "threads"; or all of the launch, without "threads" or with a grid of another size. */
static struct shape source_cover(const struct domain *domain)
{
    const struct source_kernel *k = own(domain);
    const struct shape grid = domain->grid, block = domain->block,
                       launch = {grid.x * block.x, grid.y * block.y, grid.z * block.z};
    if (!k->threads[0])
        return launch;
    struct shape threads = {value_or(domain, k->threads[0], 1), value_or(domain, k->threads[1], 1),
                            value_or(domain, k->threads[2], 1)};
    bool needed = is_needed(grid.x, threads.x, block.x) && is_needed(grid.y, threads.y, block.y) &&
                  is_needed(grid.z, threads.z, block.z);
    return needed ? threads : launch;
}

static struct kernel_problem refusal(const char *pointer, const struct source_expression *expression,
                                     const struct error *error)
{
    struct kernel_problem problem = {.pointer = pointer};
    snprintf(problem.detail, sizeof problem.detail, "%.40s: %.110s", source_expression_text(expression),
             error->text);
    return problem;
}

static struct kernel_problem size_refusal(const struct source_argument *a, uint64_t n, int64_t most)
{
    struct kernel_problem problem = {.pointer = "#/size"};
    snprintf(problem.detail, sizeof problem.detail,
             "is the value of \"%s\", whose type holds at most %llu, is %llu", a->name,
             (unsigned long long)most, (unsigned long long)n);
    return problem;
}

static struct kernel_problem source_refuse(const struct domain *domain, enum dtype dtype)
{
    static const char *const threads_pointer[] = {"#/threads", "#/threads/1", "#/threads/2"};
    const struct source_kernel *k = own(domain);
    uint64_t value;
    (void)dtype;
    for (int b = 0; b < k->kernel.buffer_count; b++) {
        struct error error = {0};
        if (evaluate(domain, k->elements[b], &value, &error) < 0)
            return refusal(k->elements_pointer[b], k->elements[b], &error);
    }
    for (int i = 0; i < 3; i++) {
        struct error error = {0};
        if (k->threads[i] && evaluate(domain, k->threads[i], &value, &error) < 0)
            return refusal(threads_pointer[i], k->threads[i], &error);
    }
    for (int i = 0; i < k->draft.argument_count; i++) {
        const struct source_argument *a = &k->draft.argument[i];
        struct kernel_param param;
        char name[SOURCE_PARAM_NAME_BYTES];
        if (a->pointer || a->value != SOURCE_VALUE_SIZE)
            continue;
        source_param_make(&param, a, 0, name);
        if (param.type == PARAM_INTEGER && domain->n > (uint64_t)param.max)
            return size_refusal(a, domain->n, param.max);
    }
    if (k->threads[0] || domain->grid.x || domain->grid.y || domain->grid.z)
        return (struct kernel_problem){0};
    if (k->stored)
        return (struct kernel_problem){
            "#/grid", "is required: a number of blocks; the kernel is stored without \"threads\""};
    return (struct kernel_problem){
        "#/grid",
        "is required: a number of blocks; or say in \"threads\" how many threads are needed, as \"n\""};
}

static struct traffic source_ledger(const struct domain *domain)
{
    (void)domain;
    return (struct traffic){0};
}

static uint64_t source_shared_bytes(const struct domain *domain, enum dtype dtype)
{
    (void)domain;
    (void)dtype;
    return 0;
}

static int source_zero(const struct domain *domain)
{
    (void)domain;
    return 0;
}

static int source_none(const struct domain *domain)
{
    (void)domain;
    return -1;
}

static enum memory source_memory_of(const struct domain *domain, int buffer)
{
    (void)domain;
    (void)buffer;
    return MEMORY_OWN;
}

static bool source_peer_access(const struct domain *domain)
{
    (void)domain;
    return true;
}

static enum pages source_pages_before(const struct domain *domain)
{
    (void)domain;
    return PAGES_RESIDENT;
}

static uint64_t source_cluster(const struct domain *domain)
{
    (void)domain;
    return 1;
}

static struct text_pair source_untimed(const struct domain *domain)
{
    (void)domain;
    return (struct text_pair){0};
}

static bool source_expected(const struct domain *domain, enum dtype dtype, int buffer, uint64_t i,
                            double *value)
{
    (void)domain;
    (void)dtype;
    (void)buffer;
    (void)i;
    (void)value;
    return false;
}

static const struct kernel neutral = {
    .text = {"CUDA source that a user brought", "用户自己的 CUDA 源代码"},
    .lesson = {"", NULL},
    .grid_dims = 3,
    .block_dims = 3,
    .per_thread = 1,
    .free_grid = true,
    .block = {256, 1, 1},
    .load_param = -1,
    .loads_by = LOAD_DEFAULT,
    .cover = source_cover,
    .elements = source_elements,
    .ledger = source_ledger,
    .unmodelled_traffic = source_ledger,
    .shared_bytes = source_shared_bytes,
    .refuse = source_refuse,
    .variant = source_zero,
    .memory_of = source_memory_of,
    .peer_access = source_peer_access,
    .pages_before = source_pages_before,
    .architecture = source_zero,
    .cluster = source_cluster,
    .l2_persisting = source_none,
    .untimed = source_untimed,
    .expected = source_expected,
};

bool source_kernel_is_name(const char *name)
{
    static const char prefix[] = "src-";
    const char *digits = name + sizeof prefix - 1;
    return strncmp(name, prefix, sizeof prefix - 1) == 0 && strlen(digits) == NAME_DIGITS &&
           strspn(digits, "0123456789abcdef") == NAME_DIGITS;
}

const struct source_kernel *source_kernel_of(const struct kernel *kernel)
{
    return kernel->elements == source_elements ? (const struct source_kernel *)kernel : NULL;
}

const char *source_kernel_spoken(const struct kernel *kernel)
{
    const struct source_kernel *own = source_kernel_of(kernel);
    return own ? own->draft.entry : kernel->name;
}

/* ---- making one ---- */

static void add_buffer(struct source_kernel *k, const struct source_argument *a, int slot)
{
    int b = k->kernel.buffer_count++;
    source_draft_pointer(a, "elements", k->elements_pointer[b], sizeof k->elements_pointer[b]);
    k->slot_of_buffer[b] = slot;
    k->kernel.buffers[b] = (struct kernel_buffer){
        .name = a->name, .text = a->elements, .role = a->role, .element_bytes = source_type_bytes(a->type)};
}

/* A buffer for each pointer, a parameter for each component of a scalar. */
static void add_all(struct source_kernel *k)
{
    struct kernel *kernel = &k->kernel;
    for (int i = 0; i < k->draft.argument_count; i++) {
        const struct source_argument *a = &k->draft.argument[i];
        if (a->pointer)
            add_buffer(k, a, i);
        else if (a->value == SOURCE_VALUE_SIZE)
            kernel->dims = 1;
        for (unsigned part = 0; k->layout.slot[i].param >= 0 && part < a->type.width; part++) {
            source_param_make(&kernel->params[kernel->param_count], a, part,
                              k->param_name[kernel->param_count]);
            kernel->param_count++;
        }
    }
}

static void name_size(struct source_kernel *k)
{
    if (!k->kernel.dims)
        return;
    k->kernel.size[0] = 1048576;
    for (int i = 0; i < k->draft.argument_count; i++)
        if (!k->draft.argument[i].pointer && k->draft.argument[i].value == SOURCE_VALUE_SIZE) {
            bool other = strcmp(k->draft.argument[i].name, "size") != 0;
            k->kernel.size_name = other ? k->draft.argument[i].name : NULL;
            return;
        }
}

/* NULL: *problems says what is wrong. */
static struct source_expression *parse(const char *text, const char *const *names, int count,
                                       const char *pointer, struct problems *problems)
{
    struct error error = {0};
    struct source_expression *expression = source_expression_new(text, names, count, &error);
    if (!expression)
        problem_add(problems, pointer, "%s", error.text);
    return expression;
}

static void parse_all(struct source_kernel *k, struct problems *problems)
{
    const char *names[SOURCE_EXPRESSION_NAMES];
    int count = names_of(k, names);
    for (int b = 0; b < k->kernel.buffer_count; b++)
        k->elements[b] = parse(k->draft.argument[k->slot_of_buffer[b]].elements, names, count,
                               k->elements_pointer[b], problems);
    for (int i = 0; i < 3; i++) {
        char pointer[24];
        snprintf(pointer, sizeof pointer, i || k->draft.threads[1][0] ? "#/threads/%d" : "#/threads", i);
        if (k->draft.threads[i][0])
            k->threads[i] = parse(k->draft.threads[i], names, count, pointer, problems);
    }
}

static int name_make(struct source_kernel *k, struct error *error)
{
    struct buffer text = source_draft_text(&k->draft);
    bool failed = text.failed;
    if (!failed) {
        digest_hex(text.data, text.size, k->sha256);
        snprintf(k->name, sizeof k->name, "src-%.*s", NAME_DIGITS, k->sha256);
    }
    buffer_free(&text);
    return failed ? error_set(error, ERROR_MEMORY, "no memory for a kernel") : 0;
}

struct source_kernel *source_kernel_new(struct source_draft *draft, struct problems *problems,
                                        struct error *error)
{
    int before = problems->count;
    struct source_kernel *k = calloc(1, sizeof *k);
    if (!k) {
        source_draft_free(draft);
        error_set(error, ERROR_MEMORY, "no memory for a kernel");
        return NULL;
    }
    k->draft = *draft;
    *draft = (struct source_draft){0};
    k->kernel = neutral;
    if (source_layout_make(&k->layout, &k->draft, problems) == 0) {
        add_all(k);
        name_size(k);
        parse_all(k, problems);
    }
    if (problems->count != before || name_make(k, error) < 0) {
        source_kernel_free(k);
        return NULL;
    }
    k->kernel.name = k->name;
    k->kernel.dynamic_shared_bytes = k->draft.shared_bytes;
    k->kernel.title = (struct text_pair){k->draft.entry, NULL};
    k->kernel.source = k->draft.source;
    k->kernel.sha256 = k->sha256;
    return k;
}

void source_kernel_free(struct source_kernel *kernel)
{
    if (!kernel)
        return;
    for (int b = 0; b < KERNEL_BUFFERS; b++)
        source_expression_free(kernel->elements[b]);
    for (int i = 0; i < 3; i++)
        source_expression_free(kernel->threads[i]);
    source_draft_free(&kernel->draft);
    free(kernel);
}
