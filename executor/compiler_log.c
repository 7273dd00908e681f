/* NVRTC prints "source(3): error: text", the line, and a line with a mark below the column; clang prints
   "source:3:9: error: text". */
#include "executor/compiler_log.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is said besides where an include was refused. */
static const char nvrtc_includes[] =
    "; docs/source.md lists the headers that a source may include, as cuda_fp16.h, cooperative_groups.h and "
    "mma.h: no other file is there";
static const char clang_includes[] = "; a source that clang compiles may include no file";

static const char *next_line(const char *line)
{
    line += strcspn(line, "\n");
    return *line ? line + 1 : line;
}

/* After "error: " and its like, on this line; NULL: it is no error. */
static const char *text_of(const char *line, size_t length)
{
    static const char *const kinds[] = {": error: ", ": error #",
                                        ": catastrophic error: ", ": fatal error: ", ": internal error: "};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const char *found = memmem(line, length, kinds[i], strlen(kinds[i]));
        if (found)
            return found + strlen(kinds[i]);
    }
    return NULL;
}

static void add(struct compilation *result, unsigned line, unsigned column, const char *text, size_t length,
                const char *includes)
{
    bool file = memmem(text, length, "open source file", 16) || memmem(text, length, "file not found", 14) ||
                memmem(text, length, "cannot open file", 16);
    compilation_add_fault(result, line, column, "%.*s%s", (int)length, text, file ? includes : "");
}

/* The column that the mark below the source's line stands at: the next line but one, indented by two. 0: there is no
   mark. */
static unsigned marked_column(const char *line)
{
    const char *mark = next_line(next_line(line));
    size_t blanks = strspn(mark, " \t");
    return mark[blanks] == '^' && blanks >= 2 ? (unsigned)blanks - 1 : 0;
}

void compiler_log_read_nvrtc(const char *log, struct compilation *result)
{
    static const char entry[] = "__nv_name_map(", source[] = COMPILATION_SOURCE_NAME "(";
    for (const char *line = log; *line; line = next_line(line)) {
        size_t length = strcspn(line, "\n");
        const char *text = text_of(line, length);
        size_t text_length = text ? (size_t)(line + length - text) : 0;
        if (!text)
            continue;
        bool ours = strncmp(line, source, strlen(source)) == 0;
        if (strncmp(line, entry, strlen(entry)) == 0)
            compilation_add_fault(result, 0, 0, COMPILATION_ENTRY_NAME ": %.*s", (int)text_length, text);
        else
            add(result, ours ? (unsigned)strtoul(line + strlen(source), NULL, 10) : 0,
                ours ? marked_column(line) : 0, text, text_length, nvrtc_includes);
    }
    if (!result->fault_count)
        compilation_add_fault(result, 0, 0, "%.*s", (int)strcspn(log, "\n"), log);
}

void compiler_log_read_clang(const char *log, struct compilation *result)
{
    static const char source[] = COMPILATION_SOURCE_NAME ":", entry[] = COMPILATION_ENTRY_NAME ":";
    for (const char *line = log; *line; line = next_line(line)) {
        size_t length = strcspn(line, "\n");
        const char *text = text_of(line, length);
        unsigned row = 0, column = 0;
        if (!text)
            continue;
        if (strncmp(line, entry, strlen(entry)) == 0) {
            compilation_add_fault(result, 0, 0, COMPILATION_ENTRY_NAME ": %.*s", (int)(line + length - text),
                                  text);
            continue;
        }
        if (strncmp(line, source, strlen(source)) == 0)
            sscanf(line + strlen(source), "%u:%u", &row, &column);
        add(result, row, column, text, (size_t)(line + length - text), clang_includes);
    }
    if (!result->fault_count)
        compilation_add_fault(result, 0, 0, "%.*s", (int)strcspn(log, "\n"), log);
}
