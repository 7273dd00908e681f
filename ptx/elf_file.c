#include "ptx/elf_file.h"

#include <stdlib.h>
#include <string.h>

enum {
    HEADER_BYTES = 64,
    SECTION_BYTES = 64,
    SYMBOL_BYTES = 24,
    MACHINE_CUDA = 190,
    TYPE_SYMBOLS = 2,
    TYPE_STRINGS = 3,
};

uint16_t elf_u16(const uint8_t *at)
{
    return (uint16_t)(at[0] | at[1] << 8);
}

uint32_t elf_u32(const uint8_t *at)
{
    return elf_u16(at) | (uint32_t)elf_u16(at + 2) << 16;
}

uint64_t elf_u64(const uint8_t *at)
{
    return elf_u32(at) | (uint64_t)elf_u32(at + 4) << 32;
}

static int invalid(struct error *error, const char *what)
{
    return error_set(error, ERROR_INVALID, "the machine code's file is damaged: %s", what);
}

/* The text at `offset` of a table of strings; NULL: it does not end within it. */
static const char *string_at(const struct elf_section *strings, uint32_t offset)
{
    if (!strings->data || offset >= strings->bytes)
        return NULL;
    const char *text = (const char *)strings->data + offset;
    return memchr(text, 0, strings->bytes - offset) ? text : NULL;
}

static int read_sections(struct elf_file *file, const uint8_t *bytes, size_t count, struct error *error)
{
    uint64_t table = elf_u64(bytes + 40);
    unsigned each = elf_u16(bytes + 58), number = elf_u16(bytes + 60), names = elf_u16(bytes + 62);
    if (each != SECTION_BYTES || number == 0 || names >= number)
        return invalid(error, "its table of sections has no such form");
    if (table > count || count - table < (uint64_t)number * each)
        return invalid(error, "its table of sections lies outside");
    file->sections = calloc(number, sizeof *file->sections);
    if (!file->sections)
        return error_set(error, ERROR_MEMORY, "no memory for the machine code's sections");
    file->section_count = number;
    for (unsigned i = 0; i < number; i++) {
        const uint8_t *row = bytes + table + (uint64_t)i * each;
        struct elf_section *section = &file->sections[i];
        uint64_t offset = elf_u64(row + 24);
        section->type = elf_u32(row + 4);
        section->bytes = elf_u64(row + 32);
        section->info = elf_u32(row + 44);
        if (i == 0 || section->type == ELF_WITHOUT_DATA)
            continue;
        if (offset > count || count - offset < section->bytes)
            return invalid(error, "a section lies outside");
        section->data = bytes + offset;
    }
    for (unsigned i = 0; i < number; i++) {
        const uint8_t *row = bytes + table + (uint64_t)i * each;
        file->sections[i].name = string_at(&file->sections[names], elf_u32(row));
        if (!file->sections[i].name)
            return invalid(error, "a section's name does not end");
    }
    return 0;
}

static int read_symbols(struct elf_file *file, struct error *error)
{
    const struct elf_section *table = elf_file_section(file, ".symtab");
    const struct elf_section *strings = elf_file_section(file, ".strtab");
    if (!table || !table->data || table->type != TYPE_SYMBOLS || !strings || strings->type != TYPE_STRINGS)
        return invalid(error, "it has no symbols");
    file->symbols = calloc(table->bytes / SYMBOL_BYTES + 1, sizeof *file->symbols);
    if (!file->symbols)
        return error_set(error, ERROR_MEMORY, "no memory for the machine code's symbols");
    file->symbol_count = table->bytes / SYMBOL_BYTES;
    for (size_t i = 0; i < file->symbol_count; i++) {
        const uint8_t *row = table->data + i * SYMBOL_BYTES;
        struct elf_symbol *symbol = &file->symbols[i];
        symbol->name = string_at(strings, elf_u32(row));
        symbol->type = row[4] & 15;
        symbol->other = row[5];
        symbol->section = elf_u16(row + 6);
        symbol->value = elf_u64(row + 8);
        symbol->bytes = elf_u64(row + 16);
        if (!symbol->name)
            return invalid(error, "a symbol's name does not end");
    }
    return 0;
}

int elf_file_read(struct elf_file *file, const void *bytes, size_t count, struct error *error)
{
    static const uint8_t magic[] = {0x7f, 'E', 'L', 'F', 2, 1, 1};
    const uint8_t *at = bytes;
    *file = (struct elf_file){0};
    if (count < HEADER_BYTES || memcmp(at, magic, sizeof magic) != 0 || elf_u16(at + 18) != MACHINE_CUDA)
        return error_set(error, ERROR_INVALID, "this is no machine code of a CUDA compiler");
    file->os_abi = at[7];
    file->flags = elf_u32(at + 48);
    if (read_sections(file, at, count, error) == 0 && read_symbols(file, error) == 0)
        return 0;
    elf_file_free(file);
    return -1;
}

void elf_file_free(struct elf_file *file)
{
    free(file->sections);
    free(file->symbols);
    *file = (struct elf_file){0};
}

const struct elf_section *elf_file_section(const struct elf_file *file, const char *name)
{
    for (size_t i = 0; i < file->section_count; i++)
        if (strcmp(file->sections[i].name, name) == 0)
            return &file->sections[i];
    return NULL;
}
