/* An error: the first one set stays, so that a caller may clean up without losing the cause. */
#pragma once

#include <sys/cdefs.h>

__BEGIN_DECLS

enum error_kind {
    ERROR_NONE = 0,
    ERROR_INVALID,     /* the caller's input is wrong */
    ERROR_NOT_FOUND,   /* what was named does not exist */
    ERROR_CONFLICT,    /* not possible in the present state */
    ERROR_FULL,        /* a limit on how much may wait is reached */
    ERROR_UNAVAILABLE, /* not now: stopping, no device, no connection */
    ERROR_MEMORY,      /* host memory */
    ERROR_SYSTEM,      /* an operating system call failed */
    ERROR_STORE,       /* the database failed */
    ERROR_STORAGE,     /* its disk is nearly full */
    ERROR_UNCERTAIN,   /* the database failed, and nobody knows whether what was asked for is done */
    /* Ends of an experiment: these are the names on the wire, see error_kind_name(). */
    ERROR_OUT_OF_MEMORY, /* the device's memory */
    ERROR_CUDA,          /* the device or its driver refused */
    ERROR_DEVICE_LOST,   /* the device does not answer any more */
    ERROR_CRASHED,       /* the executor died */
    ERROR_TIMED_OUT,     /* the experiment ran past its timeout_s */
    ERROR_CANCELLED,     /* a user asked for its end */
    ERROR_INCORRECT,     /* the kernel's output is wrong */
    ERROR_ABANDONED,     /* the service died under it too often, or its executor was killed */
    ERROR_KIND_COUNT
};

struct error {
    enum error_kind kind;
    char text[512];
    char where[96]; /* file:line, or the expression that failed; may be empty */
};

/* Sets *error unless it holds an error already; error may be NULL. Always returns -1. */
int error_set(struct error *error, enum error_kind kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* As error_set, with the text of errno (the value passed) appended. Kind ERROR_SYSTEM. Returns -1. */
int error_set_errno(struct error *error, int number, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* clang's analyzer looks at one file at a time and does not see that they return -1. */
#ifdef __clang_analyzer__
#define error_set(...) (error_set(__VA_ARGS__), -1)
#define error_set_errno(...) (error_set_errno(__VA_ARGS__), -1)
#endif

void error_clear(struct error *error);

/* The name on the wire ("out_of_memory", "crashed" ...); static. */
const char *error_kind_name(enum error_kind kind);

/* The kind of that name, ERROR_NONE when there is none. */
enum error_kind error_kind_of(const char *name);

__END_DECLS
