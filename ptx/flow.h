/* What is known when the whole text was read: where diverged lanes meet again, which functions call which, how much
   shared and local memory an entry has. */
#pragma once

#include "ptx/parser.h"

/* 0 or -1, said. */
int flow_link(struct parser *parser);

/* The functions that `function` can reach, itself first, are marked; marks has one byte a function. */
void flow_reachable(const struct ptx_program *program, unsigned function, uint8_t *marks);

/* Offsets of the shared variables that the marked functions use, NO_SLOT for others. Returns the bytes of all
   that have a size; *alignment is that of the dynamic one, 0 where there is none. */
uint32_t flow_shared_layout(const struct ptx_module *module, const uint8_t *marks, uint32_t *offsets,
                            uint32_t *alignment);

/* Offsets of the memory of the marked functions within a thread's. Returns the bytes of all. */
uint32_t flow_local_layout(const struct ptx_module *module, const uint8_t *marks, uint32_t *offsets);
