/* What addresses and branches are made of: parameters, loaded values, what atomics returned. */
#pragma once

#include "ptx/parser.h"

/* Fills `depends` of the instructions of an entry and of what it calls (marked); of several entries that call the same
   function the union. 0 or -1, said. */
int depends_find(struct parser *parser, unsigned entry, const uint8_t *marks);
