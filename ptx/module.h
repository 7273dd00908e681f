/* PTX as a program: the text of a compiler's output, parsed once, with what a user of it must know: entries and
   their parameters, the places of the text that access memory, variables. The text may be an attacker's: every
   size in it is checked before anything is allocated. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/cdefs.h>

__BEGIN_DECLS

enum ptx_space {
    PTX_GENERIC,
    PTX_GLOBAL,
    PTX_SHARED,
    PTX_LOCAL,
    PTX_CONST,
    PTX_PARAM, /* parameters of an entry */
    PTX_SPACES
};

enum ptx_access_kind { PTX_LOAD, PTX_STORE, PTX_ATOMIC /* red too */ };

/* Limits of a module. Beyond them the parser refuses. */
enum {
    PTX_TEXT_BYTES_MAX = 32 << 20,
    PTX_VARIABLE_BYTES_MAX = 64 << 20, /* of all .global and .const variables */
    PTX_SHARED_BYTES_MAX = 232448,     /* 227 KiB, the most that a block of any architecture has */
    PTX_LOCAL_BYTES_MAX = 512 << 10,   /* a thread's */
    PTX_PARAM_BYTES_MAX = 32764,
    PTX_INSTRUCTIONS_MAX = 1 << 20,
    PTX_REGISTERS_MAX = 1 << 16 /* of a function */
};

/* Where in the sources. `file` is an index into ptx_module.files, -1 where there is no .loc. Lines and columns
   begin at 1. `inlined_at` is the position of the call that was inlined: an index into ptx_module.positions,
   or -1. `branch_lines`, of an access: the two source lines at which its address register is set, in ascending order, if it
   is set in two different basic blocks before the access; else zeros. The compiler may have merged an access of each line
   into this one; `line` is then the line after the branches. */
struct ptx_position {
    int ptx_line;
    int file, line, column;
    int inlined_at;
    int branch_lines[2];
};

/* Why a text was refused. */
struct ptx_problem {
    struct ptx_position position; /* ptx_line 0 where no line is to blame */
    bool no_memory;               /* not the text's fault */
    char text[256];               /* a sentence without a line: "wmma is not executed yet" */
};

struct ptx_parameter {
    const char *name;
    unsigned offset; /* bytes from the beginning of the parameters */
    unsigned bytes, alignment;
    const char *type; /* "u64", "f32"; "b8" with bytes > 1 for a struct */
    bool pointer;     /* .ptr */
};

/* A variable of the module in .global, .const or .shared memory, or one that is declared in a function. */
struct ptx_variable {
    const char *name;
    enum ptx_space space;
    unsigned alignment;
    uint64_t bytes; /* 0: dynamic shared memory */
    const uint8_t
        *bytes_initial; /* `bytes` of them, NULL for zeroes; addresses in it are filled in at launch */
};

/* A place in the PTX that accesses memory: one ld, st, atom or red. Loads of parameters are none. */
struct ptx_site {
    struct ptx_position position;
    enum ptx_access_kind kind;
    enum ptx_space space;
    unsigned bytes;     /* a lane's, all elements of a vector */
    unsigned elements;  /* 1, 2, 4, 8 */
    const char *opcode; /* "ld.global.nc.f32" */
    const char *cache;  /* "cg", "ca", "cs", "nc" ..., "" where there is none */
    bool is_volatile;
    int function; /* index into ptx_module.functions */
};

/* An entry or a device function. */
struct ptx_function {
    const char *name;
    bool entry;
    struct ptx_position position;
    const struct ptx_parameter *parameters; /* in the order of the source */
    unsigned parameter_count, parameter_bytes;
    unsigned shared_bytes;   /* of an entry: static, with what the functions that it calls declare */
    unsigned local_bytes;    /* of an entry: a thread's, with the functions that it calls */
    unsigned max_threads[3]; /* .maxntid, .reqntid; 0 where it is not said */
    bool max_is_exact;       /* .reqntid */
    bool dynamic_shared;
    const struct ptx_problem *problem; /* NULL: all of it, and of what it calls, is understood */
};

struct ptx_program;

struct ptx_module {
    const char *target; /* "sm_90" */
    const struct ptx_function *functions;
    unsigned function_count;
    const struct ptx_variable *variables;
    unsigned variable_count;
    const struct ptx_site *sites; /* in the order of the text */
    unsigned site_count;
    const struct ptx_position *positions; /* what inlined_at refers to */
    unsigned position_count;
    const char *const *files; /* by the number of .file; NULL where a number has no name */
    unsigned file_count;
    const struct ptx_program *program; /* the executor's */
};

/* Parses `bytes` of text, which needs no NUL. The caller frees the module by ptx_module_free(). NULL: *problem says
   why. Any thread; the module is never changed afterwards and may be used by several threads. */
struct ptx_module *ptx_module_parse(const char *text, size_t bytes, struct ptx_problem *problem);
void ptx_module_free(struct ptx_module *module);

/* The index of the entry of that name; NULL: of the only entry. -1 where there is none, or more than one. */
int ptx_module_entry(const struct ptx_module *module, const char *name);

/* Where a position lies in the file of the outermost of the functions that were inlined there, which is the one of the entry's
   own text: itself, or the call in that file, with its own line of PTX. What a header has is told with the line that calls it. */
struct ptx_position ptx_module_position(const struct ptx_module *module, const struct ptx_position *position);

/* "global", "shared" ...; static. */
const char *ptx_space_name(enum ptx_space space);

__END_DECLS
