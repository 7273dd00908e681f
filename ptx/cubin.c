#include "ptx/cubin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ptx/elf_file.h"
#include "ptx/line_program.h"

enum {
    ENTRY_MARK = 0x10,  /* a symbol's: a kernel, no function of the device */
    FORMAT_MARK = 0x41, /* from CUDA 13 on the architecture stands in other bits of the flags */
    FIRST_ARCH = 75,
    RESERVED_SHARED = 1024, /* bytes of a block that the system takes where there is a section for it */
};

/* Attributes of the section .nv.info, of functions by their symbols. */
enum { INFO_FORM_SIZED = 4, INFO_REGISTERS = 0x2f, INFO_FRAME = 0x11 };

static unsigned info_of(const struct elf_file *file, size_t symbol, uint8_t wanted)
{
    const struct elf_section *info = elf_file_section(file, ".nv.info");
    if (!info || !info->data)
        return 0;
    uint64_t at = 0;
    while (info->bytes - at >= 4) {
        const uint8_t *row = info->data + at;
        uint64_t size = row[0] == INFO_FORM_SIZED ? elf_u16(row + 2) : 0;
        if (info->bytes - at - 4 < size)
            return 0;
        if (size >= 8 && row[1] == wanted && elf_u32(row + 4) == symbol)
            return elf_u32(row + 8);
        at += 4 + size;
    }
    return 0;
}

static const struct elf_section *section_of(const struct elf_file *file, const char *prefix,
                                            const char *entry)
{
    size_t length = strlen(prefix);
    for (size_t i = 0; i < file->section_count; i++) {
        const char *name = file->sections[i].name;
        if (strncmp(name, prefix, length) == 0 && strcmp(name + length, entry) == 0)
            return &file->sections[i];
    }
    return NULL;
}

static unsigned shared_bytes_of(const struct elf_file *file, const char *entry)
{
    const struct elf_section *shared = section_of(file, ".nv.shared.", entry);
    uint64_t bytes = shared ? shared->bytes : 0;
    if (bytes >= RESERVED_SHARED && elf_file_section(file, ".nv.shared.reserved.0"))
        bytes -= RESERVED_SHARED;
    return bytes <= UINT32_MAX ? (unsigned)bytes : UINT32_MAX;
}

/* Behind the last instruction stand a branch to itself and what does nothing. */
static size_t without_padding(const struct cubin_instruction *code, size_t count)
{
    while (count > 0) {
        const struct cubin_instruction *last = &code[count - 1];
        bool to_itself = last->word.flow == MACHINE_BRANCH && last->target == (int32_t)(count - 1);
        if (last->word.opcode != MACHINE_NOP && !to_itself)
            break;
        count--;
    }
    return count;
}

struct lines {
    struct line_rows ptx, source;
};

static void line_set(struct cubin_entry *entry, struct cubin_instruction *instruction,
                     const struct line_row *row, bool is_ptx)
{
    if (is_ptx) {
        instruction->ptx_line = row->line;
        entry->has_ptx_lines = true;
    } else {
        instruction->source_line = row->line;
        instruction->source_file = row->file;
    }
}

/* `entry_of` has for each section the index of its entry, counted from 1. The rows of a damaged file may
   overlap without end: they are followed for `budget` instructions. */
static int lines_set(struct cubin *cubin, const uint32_t *entry_of, const struct line_rows *rows, bool is_ptx,
                     size_t sections, struct error *error)
{
    uint64_t budget = 16 * (uint64_t)CUBIN_BYTES_MAX / MACHINE_WORD_BYTES;
    for (size_t i = 0; i < rows->count; i++) {
        const struct line_row *row = &rows->at[i];
        if (row->section >= sections || !entry_of[row->section])
            continue;
        struct cubin_entry *entry = &cubin->entries[entry_of[row->section] - 1];
        struct cubin_instruction *code = (struct cubin_instruction *)entry->code;
        for (uint64_t k = row->begin / MACHINE_WORD_BYTES;
             k < entry->count && k * MACHINE_WORD_BYTES < row->end; k++) {
            if (budget-- == 0)
                return error_set(error, ERROR_INVALID, "the machine code's table of lines is damaged");
            line_set(entry, &code[k], row, is_ptx);
        }
    }
    return 0;
}

static int code_read(struct cubin_entry *entry, const struct elf_section *text, int arch, struct error *error)
{
    size_t count = text->bytes / MACHINE_WORD_BYTES;
    struct cubin_instruction *code = calloc(count + 1, sizeof *code);
    if (!code)
        return error_set(error, ERROR_MEMORY, "no memory for the instructions of %s", entry->name);
    for (size_t i = 0; i < count; i++) {
        uint64_t offset = i * MACHINE_WORD_BYTES;
        code[i].word = machine_word_read(text->data + offset, offset, arch);
        int64_t target = code[i].word.target;
        bool inside =
            code[i].word.has_target && target >= 0 && target < (int64_t)(count * MACHINE_WORD_BYTES);
        code[i].target = inside ? (int32_t)(target / MACHINE_WORD_BYTES) : -1;
    }
    entry->code = code;
    entry->count = without_padding(code, count);
    return 0;
}

/* The compiler computes a division, reciprocal or root of floats in the kernel itself, and calls a function for operands
   near the limits of the format, denormal or infinite. Functions for integers are called for all large operands. */
static bool is_slow_path(const char *function)
{
    return strstr(function, "$__cuda_") &&
           (strstr(function, "_f32") || strstr(function, "_f64") || strstr(function, "_slowpath"));
}

/* `entry_of` has for each section the index of its entry, counted from 1. */
static void slow_paths_mark(struct cubin *cubin, const struct elf_file *file, const uint32_t *entry_of)
{
    for (const struct elf_symbol *s = file->symbols; s < file->symbols + file->symbol_count; s++) {
        if (s->type != ELF_FUNCTION || s->section >= file->section_count || !entry_of[s->section] ||
            !is_slow_path(s->name))
            continue;
        struct cubin_entry *entry = &cubin->entries[entry_of[s->section] - 1];
        struct cubin_instruction *code = (struct cubin_instruction *)entry->code;
        if (s->value / MACHINE_WORD_BYTES < entry->count)
            code[s->value / MACHINE_WORD_BYTES].slow_path = true;
    }
}

static int entry_read(struct cubin_entry *entry, const struct elf_file *file, size_t symbol, int arch,
                      struct error *error)
{
    const struct elf_symbol *s = &file->symbols[symbol];
    const struct elf_section *constants = elf_file_section(file, ".nv.constant3");
    *entry = (struct cubin_entry){
        .name = s->name,
        .registers = info_of(file, symbol, INFO_REGISTERS),
        .local_bytes = info_of(file, symbol, INFO_FRAME),
        .shared_bytes = shared_bytes_of(file, s->name),
        .constant_bytes = constants && constants->bytes <= UINT32_MAX ? (unsigned)constants->bytes : 0,
    };
    return code_read(entry, &file->sections[s->section], arch, error);
}

/* A section belongs to one entry, and all of them together fit into the file: a damaged one could have the same
   bytes read many times. */
static bool is_entry(const struct elf_file *file, const struct elf_symbol *s, const uint32_t *entry_of)
{
    static const char text[] = ".text.";
    return s->type == ELF_FUNCTION && s->other & ENTRY_MARK && s->section < file->section_count &&
           !entry_of[s->section] && file->sections[s->section].data && s->value == 0 &&
           strncmp(file->sections[s->section].name, text, sizeof text - 1) == 0;
}

static int entries_read(struct cubin *cubin, const struct elf_file *file, size_t bytes_left,
                        struct error *error)
{
    struct lines lines = {0};
    uint32_t *entry_of = calloc(file->section_count + 1, sizeof *entry_of);
    cubin->entries = calloc(file->section_count + 1, sizeof *cubin->entries);
    int result = -1;
    if (!entry_of || !cubin->entries) {
        error_set(error, ERROR_MEMORY, "no memory for the machine code's kernels");
        goto out;
    }
    for (const struct elf_symbol *s = file->symbols; s < file->symbols + file->symbol_count; s++) {
        if (!is_entry(file, s, entry_of))
            continue;
        uint64_t bytes = file->sections[s->section].bytes;
        if (bytes > bytes_left) {
            error_set(error, ERROR_INVALID, "the machine code's file is damaged: sections overlap");
            goto out;
        }
        bytes_left -= bytes;
        if (entry_read(&cubin->entries[cubin->count], file, (size_t)(s - file->symbols), cubin->arch, error) <
            0)
            goto out;
        entry_of[s->section] = (uint32_t)++cubin->count;
    }
    slow_paths_mark(cubin, file, entry_of);
    if (line_program_read(&lines.ptx, file, ".nv_debug_line_sass", error) == 0 &&
        line_program_read(&lines.source, file, ".debug_line", error) == 0 &&
        lines_set(cubin, entry_of, &lines.ptx, true, file->section_count, error) == 0)
        result = lines_set(cubin, entry_of, &lines.source, false, file->section_count, error);
out:
    line_program_free(&lines.ptx);
    line_program_free(&lines.source);
    free(entry_of);
    return result;
}

int cubin_read(struct cubin **cubin, const void *bytes, size_t count, struct error *error)
{
    struct elf_file file = {0};
    *cubin = NULL;
    if (count > CUBIN_BYTES_MAX)
        return error_set(error, ERROR_INVALID, "the machine code has more than %d bytes", CUBIN_BYTES_MAX);
    struct cubin *made = calloc(1, sizeof *made);
    void *copy = malloc(count + 1);
    if (!made || !copy) {
        free(made);
        free(copy);
        return error_set(error, ERROR_MEMORY, "no memory for the machine code");
    }
    memcpy(copy, bytes, count);
    made->bytes = copy;
    int result = elf_file_read(&file, copy, count, error);
    if (result == 0) {
        made->arch = (int)(file.os_abi == FORMAT_MARK ? file.flags >> 8 & 255 : file.flags & 255);
        result =
            made->arch < FIRST_ARCH
                ? error_set(error, ERROR_INVALID, "machine code of sm_%d has another form than from sm_%d on",
                            made->arch, FIRST_ARCH)
                : entries_read(made, &file, count, error);
    }
    elf_file_free(&file);
    if (result < 0)
        cubin_free(made);
    else
        *cubin = made;
    return result;
}

void cubin_free(struct cubin *cubin)
{
    if (!cubin)
        return;
    for (size_t i = 0; i < cubin->count; i++)
        free((void *)cubin->entries[i].code);
    free(cubin->entries);
    free(cubin->bytes);
    free(cubin);
}

const struct cubin_entry *cubin_entry_find(const struct cubin *cubin, const char *name)
{
    for (size_t i = 0; i < cubin->count; i++)
        if (strcmp(cubin->entries[i].name, name) == 0)
            return &cubin->entries[i];
    return NULL;
}
