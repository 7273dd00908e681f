/* A compilation as the sandbox is asked for it (kind "compile" of sandbox_protocol.h) and as it answers: a header of
   JSON on one line and parts without separators, as protocol.h has them.

     {"bytes":N,"architecture":90,"entry":"scale<float>","source":N1}
     {"bytes":N,"ok":true,"compiler":"NVRTC 13.0","architecture":90,"entry":"_Z5scaleIfEvPT_",
      "parameters":[[0,8,false]],"faults":[{"line":3,"column":9,"text":"..."}],"ptx":N1,"cubin":N2,"log":N3} */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/buffer.h"
#include "base/error.h"
#include "kernels/source/source_parameters.h"

/* The kind of request. */
#define COMPILATION_KIND "compile"
/* What the user's source is called in the compiler's messages and in PTX. */
#define COMPILATION_SOURCE_NAME "source"
/* How a fault's text begins that is of the entry's name, with ": " behind it. */
#define COMPILATION_ENTRY_NAME "entry"

enum {
    COMPILATION_SOURCE_BYTES = 64 << 10,
    COMPILATION_ENTRY_BYTES = 512,   /* with its NUL, as asked for */
    COMPILATION_SYMBOL_BYTES = 4096, /* with its NUL, as PTX has it */
    COMPILATION_FAULTS = 32,         /* at most; what is beyond is in the log */
};

struct compilation_request {
    char *source; /* CUDA C++, without NUL within; owned by a request that was read */
    char entry
        [COMPILATION_ENTRY_BYTES]; /* "scale", "scale<float, 4>": an instance of this template is made, and its
                                            symbol told; empty: what the source instantiates itself */
    int architecture;              /* 90 is sm_90 */
};

/* What the compiler found wrong. */
struct compilation_fault {
    unsigned line, column; /* from 1, in the user's source, or where a #line of it says; 0: not known */
    char text[400];
};

/* All of it but `ok` and `compiler` was made from what a user sent: names, lines and texts may be anything. */
struct compilation {
    bool ok;           /* PTX is there; else faults has one at least */
    char compiler[64]; /* "NVRTC 13.0", "clang 14.0.6" */
    int architecture; /* that the PTX is for: not the one that was asked for where the compiler does not make that */
    char entry[COMPILATION_SYMBOL_BYTES]; /* the symbol of the entry that was asked for; empty: none was */
    struct source_parameters parameters;  /* of that entry */
    struct compilation_fault faults[COMPILATION_FAULTS];
    int fault_count;
    char *ptx; /* owned; ends with NUL; NULL: none */
    size_t ptx_bytes;
    char *cubin; /* owned; NULL: the compiler makes none, or not for that architecture */
    size_t cubin_bytes;
    char *log; /* owned; the compiler's own text; ends with NUL; empty: it said nothing */
};

/* Each returns the bytes, to be freed with buffer_free(); `failed` is set when there was no memory. */
struct buffer compilation_write_request(const struct compilation_request *request);
struct buffer compilation_write(const struct compilation *compilation);

/* 0; or -1 with nothing to free: ERROR_INVALID, ERROR_MEMORY. */
int compilation_read_request(struct compilation_request *request, const char *bytes, size_t size,
                             struct error *error);
int compilation_read(struct compilation *compilation, const char *bytes, size_t size, struct error *error);

void compilation_request_free(struct compilation_request *request);
void compilation_free(struct compilation *compilation);

/* Adds one, unless there are COMPILATION_FAULTS; a text that is too long is cut between characters. */
void compilation_add_fault(struct compilation *compilation, unsigned line, unsigned column,
                           const char *format, ...) __attribute__((format(printf, 4, 5)));
