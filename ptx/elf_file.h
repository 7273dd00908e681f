/* The sections of an ELF file of 64 bits and little endian, as far as a cubin has them. The bytes are
   untrusted: what lies outside of them is an error here, so that a user of a section may read all of it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct elf_section {
    const char *name;
    uint32_t type;
    uint32_t info;       /* of relocations: the index of the section that they are for */
    const uint8_t *data; /* NULL where the file has no bytes of it */
    uint64_t bytes;      /* also of a section without data */
};

struct elf_symbol {
    const char *name;
    uint8_t type;  /* 2: a function */
    uint8_t other; /* the compiler's own marks */
    uint16_t section;
    uint64_t value, bytes;
};

struct elf_file {
    uint8_t os_abi; /* which release of the CUDA compiler's format */
    uint32_t flags; /* the architecture, see cubin.c */
    size_t section_count, symbol_count;
    struct elf_section *sections; /* the first one is empty */
    struct elf_symbol *symbols;
};

enum { ELF_RELOCATIONS_ADDEND = 4, ELF_WITHOUT_DATA = 8, ELF_RELOCATIONS = 9, ELF_FUNCTION = 2 };

/* Reads the tables. `bytes` must stay as they are while the file is used. -1: ERROR_INVALID, ERROR_MEMORY;
   the file is then empty. */
int elf_file_read(struct elf_file *file, const void *bytes, size_t count, struct error *error);
void elf_file_free(struct elf_file *file);

/* The section of that name; NULL: there is none. */
const struct elf_section *elf_file_section(const struct elf_file *file, const char *name);

/* Unaligned numbers, little endian. */
uint16_t elf_u16(const uint8_t *at);
uint32_t elf_u32(const uint8_t *at);
uint64_t elf_u64(const uint8_t *at);
