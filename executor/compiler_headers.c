/* Follows the #includes of a few headers. */
#include "executor/compiler_headers.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"

enum { HEADER_BYTES = 4 << 20 };

static const char *const offered[] = {
    "cuda_fp16.h",
    "cuda_bf16.h",
    "cooperative_groups.h",
    "cooperative_groups/reduce.h",
    "cooperative_groups/scan.h",
    "cooperative_groups/memcpy_async.h",
    "cuda_pipeline.h",
    "math_constants.h",
    "mma.h",
};
/* What device code does not need of these is missing; what it needs is in the first. */
static const char *const empty[] = {
    "assert.h",  "cassert",
    "cfloat",    "climits",
    "cmath",     "cstdint",
    "cstdio",    "cstdlib",
    "cstring",   "cuda_runtime.h",
    "float.h",   "limits.h",
    "math.h",    "device_launch_parameters.h",
    "stdbool.h", "stddef.h",
    "stdint.h",  "stdio.h",
    "stdlib.h",  "string.h",
    "cuda.h",
};
static const char first[] = "#pragma once\n"
                            "typedef signed char int8_t;\n"
                            "typedef unsigned char uint8_t;\n"
                            "typedef short int16_t;\n"
                            "typedef unsigned short uint16_t;\n"
                            "typedef int int32_t;\n"
                            "typedef unsigned uint32_t;\n"
                            "typedef long long int64_t;\n"
                            "typedef unsigned long long uint64_t;\n"
                            "typedef unsigned uint;\n"
                            "typedef unsigned short ushort;\n"
                            "#define INT_MAX 2147483647\n"
                            "#define INT_MIN (-INT_MAX - 1)\n"
                            "#define UINT_MAX 4294967295u\n"
                            "#define FLT_MAX 3.402823466e+38f\n"
                            "#define FLT_MIN 1.175494351e-38f\n"
                            "#define FLT_EPSILON 1.192092896e-07f\n"
                            "#define DBL_MAX 1.7976931348623157e+308\n"
                            "#define DBL_MIN 2.2250738585072014e-308\n"
                            "#define DBL_EPSILON 2.2204460492503131e-16\n"
                            "#define INFINITY __int_as_float(0x7f800000)\n"
                            "#define NAN __int_as_float(0x7fffffff)\n"
                            "#define M_PI 3.14159265358979323846\n"
                            "#define M_E 2.71828182845904523536\n";
/* Below the toolkit's folder. */
static const char *const roots[] = {"", "cccl/"};

static bool known(const struct compiler_headers *headers, const char *name)
{
    for (int i = 0; i < headers->count; i++)
        if (strcmp(headers->names[i], name) == 0)
            return true;
    return false;
}

static void read_includes(struct compiler_headers *headers, const char *folder, const char *name,
                          const char *text);

/* Takes over the text. False: there is no room. */
static bool add(struct compiler_headers *headers, const char *name, char *text)
{
    char *copy = strdup(name);
    if (!copy || headers->count == COMPILER_HEADERS) {
        free(copy);
        free(text);
        return false;
    }
    headers->names[headers->count] = copy;
    headers->texts[headers->count++] = text;
    return true;
}

/* Reads the file at `path` below the folder, for includes that name it so. False: there is no such file. */
static bool read_file(struct compiler_headers *headers, const char *folder, const char *root,
                      const char *path, const char *name)
{
    char whole[PATH_MAX], *text = NULL;
    snprintf(whole, sizeof whole, "%s/%s%s", folder, root, path);
    if (file_read(&text, whole, "header", 0, HEADER_BYTES, NULL) < 0)
        return false;
    if (add(headers, name, text))
        read_includes(headers, folder, path, text);
    return true;
}

static void read_header(struct compiler_headers *headers, const char *folder, const char *path,
                        const char *name)
{
    for (size_t i = 0; i < sizeof roots / sizeof *roots && !known(headers, name); i++)
        read_file(headers, folder, roots[i], path, name);
}

/* A line of the header at `path`. NVRTC looks for headers in memory by the name that an include spells, also where that is
   relative to the folder of its own header. */
static void read_include(struct compiler_headers *headers, const char *folder, const char *path,
                         const char *line)
{
    char spelled[PATH_MAX / 4], beside[PATH_MAX / 2], mark;
    const char *end = strrchr(path, '/');
    if (sscanf(line, " # include %c%1023[^>\"\n]", &mark, spelled) != 2 || (mark != '<' && mark != '"'))
        return;
    if (mark == '"' && end) {
        snprintf(beside, sizeof beside, "%.*s/%s", (int)(end - path), path, spelled);
        read_header(headers, folder, beside, spelled);
    }
    read_header(headers, folder, spelled, spelled);
}

static void read_includes(struct compiler_headers *headers, const char *folder, const char *path,
                          const char *text)
{
    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        read_include(headers, folder, path, line);
    }
}

void compiler_headers_add_own(struct compiler_headers *headers)
{
    add(headers, COMPILER_HEADERS_FIRST, strdup(first));
    for (size_t i = 0; i < sizeof empty / sizeof *empty; i++)
        add(headers, empty[i], strdup("\n"));
    headers->own = headers->count;
}

/* Is this the rest of "#include <stdio.h>", with that name? */
static bool names_empty(const char *name)
{
    for (size_t i = 0; i < sizeof empty / sizeof *empty; i++)
        if (strncmp(name, empty[i], strlen(empty[i])) == 0 && strchr(">\"", name[strlen(empty[i])]))
            return true;
    return false;
}

void compiler_headers_blank(char *source)
{
    for (char *line = source; line; line = strchr(line, '\n')) {
        int name = 0;
        line += *line == '\n';
        sscanf(line, " # include %*[<\"]%n", &name);
        if (name && (size_t)name < strcspn(line, "\n") && names_empty(line + name))
            memset(line, ' ', strcspn(line, "\n"));
    }
}

void compiler_headers_read(struct compiler_headers *headers, const char *folder)
{
    for (size_t i = 0; i < sizeof offered / sizeof *offered; i++)
        read_header(headers, folder, offered[i], offered[i]);
}
