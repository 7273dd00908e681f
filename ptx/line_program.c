#include "ptx/line_program.h"

#include <stdlib.h>
#include <string.h>

enum { HEAD_BYTES = 15, MOST_ROWS = 1 << 22, MOST_LOOKED_AT = 1 << 26 };

/* The sequence that is being read: what the machine of DWARF calls its registers. */
struct sequence {
    uint16_t section; /* 0: not known */
    uint64_t address;
    int64_t line;
    uint64_t file;
    bool open; /* a row was begun whose end is not known yet */
};

struct unit_form {
    unsigned instruction_bytes, line_range, opcode_base;
    int line_base;
    const uint8_t *operands; /* how many each standard opcode has, from opcode 1 on */
};

struct reading {
    const struct elf_file *file;
    const struct elf_section *lines, *relocations;
    const uint8_t *at, *end;
    struct line_rows *rows;
    uint64_t looked_at; /* relocations: a damaged file could ask for too many */
    struct error *error;
};

static int damaged(struct reading *r)
{
    return error_set(r->error, ERROR_INVALID, "the machine code's table of lines is damaged");
}

static int read_number(struct reading *r, bool is_signed, int64_t *number)
{
    uint64_t value = 0;
    for (unsigned shift = 0; r->at < r->end; shift += 7) {
        uint8_t byte = *r->at++;
        if (shift < 64)
            value |= (uint64_t)(byte & 127) << shift;
        if (byte & 128)
            continue;
        if (is_signed && byte & 64 && shift + 7 < 64)
            value |= ~(uint64_t)0 << (shift + 7);
        *number = (int64_t)value;
        return 0;
    }
    return damaged(r);
}

static const struct elf_section *relocations_of(const struct elf_file *file, const struct elf_section *lines)
{
    for (size_t i = 0; i < file->section_count; i++) {
        const struct elf_section *section = &file->sections[i];
        if ((section->type == ELF_RELOCATIONS || section->type == ELF_RELOCATIONS_ADDEND) && section->data &&
            section->info == lines - file->sections)
            return section;
    }
    return NULL;
}

/* Where a sequence begins: what the relocation of that place says. */
static int begin_at(struct reading *r, struct sequence *s)
{
    uint64_t place = (uint64_t)(r->at - r->lines->data);
    s->section = 0;
    s->address = elf_u64(r->at);
    if (!r->relocations)
        return 0;
    bool addend = r->relocations->type == ELF_RELOCATIONS_ADDEND;
    unsigned each = addend ? 24 : 16;
    for (uint64_t i = 0; i + each <= r->relocations->bytes; i += each) {
        const uint8_t *row = r->relocations->data + i;
        uint64_t symbol = elf_u64(row + 8) >> 32;
        if (++r->looked_at > MOST_LOOKED_AT)
            return damaged(r);
        if (elf_u64(row) != place || symbol >= r->file->symbol_count)
            continue;
        s->section = r->file->symbols[symbol].section;
        s->address += r->file->symbols[symbol].value + (addend ? elf_u64(row + 16) : 0);
        return 0;
    }
    return 0;
}

/* Ends the row that is open at the present address, and begins the next one unless the sequence ends. */
static int add_row(struct reading *r, struct sequence *s, bool ends)
{
    struct line_rows *rows = r->rows;
    if (s->open) {
        struct line_row *last = &rows->at[rows->count - 1];
        last->end = s->address;
        if (last->end <= last->begin)
            rows->count--;
    }
    s->open = !ends && s->section > 0 && s->line > 0 && s->line <= UINT32_MAX && s->file <= UINT32_MAX;
    if (!s->open)
        return 0;
    if (rows->count == rows->allocated) {
        size_t more = rows->allocated ? 2 * rows->allocated : 256;
        struct line_row *grown = more <= MOST_ROWS ? realloc(rows->at, more * sizeof *grown) : NULL;
        if (!grown)
            return error_set(r->error, ERROR_MEMORY, "no memory for the machine code's lines");
        rows->at = grown;
        rows->allocated = more;
    }
    rows->at[rows->count++] = (struct line_row){.section = s->section,
                                                .file = (uint32_t)s->file,
                                                .line = (uint32_t)s->line,
                                                .begin = s->address,
                                                .end = s->address};
    return 0;
}

static int read_extended(struct reading *r, struct sequence *s)
{
    enum { END_SEQUENCE = 1, SET_ADDRESS = 2 };
    int64_t bytes = 0;
    if (read_number(r, false, &bytes) < 0)
        return -1;
    if (bytes < 1 || bytes > r->end - r->at)
        return damaged(r);
    const uint8_t *next = r->at + bytes;
    uint8_t opcode = *r->at++;
    if (opcode == END_SEQUENCE) {
        if (add_row(r, s, true) < 0)
            return -1;
        *s = (struct sequence){.line = 1, .file = 1};
    } else if (opcode == SET_ADDRESS && bytes == 9) {
        if (add_row(r, s, true) < 0 || begin_at(r, s) < 0)
            return -1;
    }
    r->at = next;
    return 0;
}

/* A standard opcode; those without a case change nothing that a row has. */
static int read_standard(struct reading *r, struct sequence *s, const struct unit_form *unit, unsigned opcode)
{
    enum { COPY = 1, ADVANCE, LINE, FILE_NUMBER, CONSTANT_ADVANCE = 8, FIXED_ADVANCE = 9 };
    int64_t number = 0;
    if (opcode == COPY)
        return add_row(r, s, false);
    if (opcode == CONSTANT_ADVANCE) {
        s->address += (255 - unit->opcode_base) / unit->line_range * unit->instruction_bytes;
        return 0;
    }
    if (opcode == FIXED_ADVANCE) {
        if (r->end - r->at < 2)
            return damaged(r);
        s->address += elf_u16(r->at);
        r->at += 2;
        return 0;
    }
    for (unsigned i = 0; i < unit->operands[opcode - 1]; i++)
        if (read_number(r, opcode == LINE, &number) < 0)
            return -1;
    if (opcode == ADVANCE)
        s->address += (uint64_t)number * unit->instruction_bytes;
    else if (opcode == LINE)
        s->line = (int64_t)((uint64_t)s->line + (uint64_t)number);
    else if (opcode == FILE_NUMBER)
        s->file = (uint64_t)number;
    return 0;
}

static int read_unit(struct reading *r, const struct unit_form *unit)
{
    struct sequence s = {.line = 1, .file = 1};
    while (r->at < r->end) {
        unsigned opcode = *r->at++;
        int failed;
        if (opcode >= unit->opcode_base) {
            unsigned step = opcode - unit->opcode_base;
            s.address += (uint64_t)(step / unit->line_range) * unit->instruction_bytes;
            s.line = (int64_t)((uint64_t)s.line +
                               (uint64_t)(int64_t)(unit->line_base + (int)(step % unit->line_range)));
            failed = add_row(r, &s, false);
        } else {
            failed = opcode == 0 ? read_extended(r, &s) : read_standard(r, &s, unit, opcode);
        }
        if (failed < 0)
            return -1;
    }
    return add_row(r, &s, true);
}

static int read_units(struct reading *r)
{
    const uint8_t *all_end = r->lines->data + r->lines->bytes;
    while (all_end - r->at >= 4) {
        const uint8_t *head = r->at;
        uint64_t bytes = elf_u32(head);
        if (bytes > (uint64_t)(all_end - head) - 4 || bytes < HEAD_BYTES - 4)
            return damaged(r);
        r->end = head + 4 + bytes;
        uint64_t program = 10 + (uint64_t)elf_u32(head + 6);
        struct unit_form unit = {.instruction_bytes = head[10],
                                 .line_base = (int8_t)head[12],
                                 .line_range = head[13],
                                 .opcode_base = head[14],
                                 .operands = head + HEAD_BYTES};
        if (elf_u16(head + 4) > 3 || unit.line_range == 0 || unit.opcode_base == 0 ||
            program < HEAD_BYTES + (uint64_t)unit.opcode_base - 1 || program > bytes + 4)
            return damaged(r);
        r->at = head + program;
        if (read_unit(r, &unit) < 0)
            return -1;
        r->at = r->end;
    }
    return 0;
}

int line_program_read(struct line_rows *rows, const struct elf_file *file, const char *section,
                      struct error *error)
{
    *rows = (struct line_rows){0};
    const struct elf_section *lines = elf_file_section(file, section);
    if (!lines || !lines->data)
        return 0;
    struct reading r = {.file = file,
                        .lines = lines,
                        .relocations = relocations_of(file, lines),
                        .at = lines->data,
                        .rows = rows,
                        .error = error};
    if (read_units(&r) == 0)
        return 0;
    line_program_free(rows);
    return -1;
}

void line_program_free(struct line_rows *rows)
{
    free(rows->at);
    *rows = (struct line_rows){0};
}
