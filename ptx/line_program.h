/* Line programs (DWARF 2): which machine instruction came of which line. A cubin has two: `.debug_line` leads
   to the source, `.nv_debug_line_sass` to the PTX. Each sequence begins at an address which is a relocation
   against a function's symbol. */
#pragma once

#include "ptx/elf_file.h"

struct line_row {
    uint16_t section;    /* the index of the section of the code */
    uint32_t file;       /* its number in its unit's table; 0 in the lines of PTX */
    uint32_t line;       /* from 1 */
    uint64_t begin, end; /* bytes of the section: the instructions that came of the line */
};

struct line_rows {
    struct line_row *at;
    size_t count, allocated;
};

/* Reads the section of that name; no rows where the file has no such section. -1: ERROR_INVALID (damaged),
   ERROR_MEMORY; the rows are then empty. To be freed with line_program_free(). */
int line_program_read(struct line_rows *rows, const struct elf_file *file, const char *section,
                      struct error *error);
void line_program_free(struct line_rows *rows);
