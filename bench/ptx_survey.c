/* For source_collections.py: what the parser makes of files of PTX. Of each file, named in the arguments, one line of JSON:
   its kernels, and why one is not understood, and in which line. Where machine code lies beside X.ptx, X.cubin, what became
   of the kernel's accesses in it, by the names of enum match_how: once as if lanes parted at each branch where they may, and
   whether counts would be exact if they parted nowhere. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ptx/machine_match.h"
#include "ptx/match_program.h"

/* The file's text, ended by a NUL, to be freed; NULL: it cannot be read. */
static char *whole_file(const char *path, size_t *bytes)
{
    FILE *file = fopen(path, "re");
    char *text = NULL;
    long size = file && fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    if (size >= 0 && fseek(file, 0, SEEK_SET) == 0)
        text = calloc(1, (size_t)size + 1);
    *bytes = file && text ? fread(text, 1, (size_t)size, file) : 0;
    if (file)
        fclose(file);
    return text;
}

static const char *const hows[MATCH_HOW_COUNT] = {
    "one",   "joined",  "one lane", "constant", "registers", "gone",     "narrower", "split",  "wider",
    "mixed", "hoisted", "fewer",    "always",   "behind",    "replaced", "apart",    "unknown"};

static json_t *match(const struct ptx_module *module, unsigned function, const struct cubin_entry *entry)
{
    struct match_kernel kernel;
    struct match_result apart, together;
    struct error error = {0};
    if (match_program_make(&kernel, module, function, &error) < 0 ||
        machine_match_run(&apart, &kernel.program, entry, &error) < 0)
        return json_null();
    json_t *counts = json_object(), *lines = json_object();
    for (size_t i = 0; i < apart.count; i++) {
        const char *how = hows[apart.verdicts[i].how];
        json_object_set_new(counts, how, json_integer(json_integer_value(json_object_get(counts, how)) + 1));
        if (!json_object_get(lines, how))
            json_object_set_new(lines, how, json_integer(kernel.sites[i].ptx_line));
    }
    for (size_t i = 0; i < kernel.program.branch_count; i++)
        kernel.branches[i].diverges = false;
    if (machine_match_run(&together, &kernel.program, entry, &error) < 0)
        together = (struct match_result){0};
    json_t *told = json_pack("{s:o,s:o,s:b,s:b,s:b,s:b,s:i,s:i,s:i}", "sites", counts, "first_lines", lines,
                             "global_exact", apart.global_exact, "shared_exact", apart.shared_exact,
                             "global_exact_together", together.global_exact, "shared_exact_together",
                             together.shared_exact, "extras", (int)apart.extra_count, "extra_line",
                             apart.extra_count ? (int)apart.extras[0].ptx_line : 0, "spills",
                             (int)(apart.spill_loads + apart.spill_stores));
    machine_match_free(&apart);
    machine_match_free(&together);
    match_program_free(&kernel);
    return told;
}

/* The machine code of X.ptx; NULL: there is none. */
static struct cubin *cubin_beside(const char *path)
{
    char name[4096];
    size_t bytes, stem = strlen(path) > 4 ? strlen(path) - 4 : 0;
    struct cubin *cubin = NULL;
    struct error error = {0};
    snprintf(name, sizeof name, "%.*s.cubin", (int)stem, path);
    char *file = whole_file(name, &bytes);
    if (file && cubin_read(&cubin, file, bytes, &error) < 0)
        fprintf(stderr, "%s: %s\n", name, error.text);
    free(file);
    return cubin;
}

static json_t *survey_kernel(const struct ptx_module *module, unsigned index, const struct cubin *cubin)
{
    const struct ptx_function *function = &module->functions[index];
    json_t *told = json_pack("{s:s}", "kernel", function->name);
    const struct cubin_entry *entry = cubin ? cubin_entry_find(cubin, function->name) : NULL;
    if (function->problem) {
        json_object_set_new(told, "line", json_integer(function->problem->position.ptx_line));
        json_object_set_new(told, "why", json_string(function->problem->text));
    } else if (entry) {
        json_object_set_new(told, "match", match(module, index, entry));
    }
    return told;
}

static json_t *survey(const char *path)
{
    size_t bytes;
    char *text = whole_file(path, &bytes);
    struct ptx_problem problem = {0};
    struct ptx_module *module = text ? ptx_module_parse(text, bytes, &problem) : NULL;
    struct cubin *cubin = cubin_beside(path);
    json_t *kernels = json_array();
    for (unsigned i = 0; module && i < module->function_count; i++)
        if (module->functions[i].entry)
            json_array_append_new(kernels, survey_kernel(module, i, cubin));
    json_t *told = json_pack("{s:s,s:o}", "file", path, "kernels", kernels);
    if (!module) {
        json_object_set_new(told, "line", json_integer(problem.position.ptx_line));
        json_object_set_new(told, "why", json_string(text ? problem.text : "cannot be read"));
    }
    cubin_free(cubin);
    ptx_module_free(module);
    free(text);
    return told;
}

int main(int count, char **arguments)
{
    for (int i = 1; i < count; i++) {
        json_t *told = survey(arguments[i]);
        json_dumpf(told, stdout, JSON_COMPACT | JSON_ENSURE_ASCII);
        putchar('\n');
        fflush(stdout);
        json_decref(told);
    }
    return 0;
}
