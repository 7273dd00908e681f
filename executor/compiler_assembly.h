/* Directives that a user wrote into inline assembly: an assembler opens files for some (.include), and others would
   change what the lines of the program are said to be (.loc). */
#pragma once

#include <stdbool.h>

struct compiler_directive {
    char name[32];         /* ".include" */
    unsigned line, column; /* of the statement in the source, as the .loc before it says; 0: not known */
};

/* Looks through PTX, between the marks that compilers put around inline assembly for any directive but .reg, and
   everywhere for .include and for marks that do not match. True: *found is the first one. */
bool compiler_assembly_find(const char *ptx, struct compiler_directive *found);
