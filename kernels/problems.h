/* What is wrong with a request, field by field. */
#pragma once

#include <stdbool.h>
#include <sys/cdefs.h>

__BEGIN_DECLS

enum { EXPERIMENT_PROBLEMS = 16 };

/* The errors of a request, by field. */
struct problems {
    int count; /* may exceed EXPERIMENT_PROBLEMS; only so many are stored */
    struct problem {
        char pointer[64]; /* a JSON pointer as a URI fragment: "#/block/0" */
        int line, column; /* of a source, from 1; 0: it is not about one, or not known */
        char detail[224];
    } at[EXPERIMENT_PROBLEMS];
};

/* True when no further problem can be stored. Code that reads input of a client's length stops then. */
bool problems_full(const struct problems *problems);

/* True when a stored problem has the pointer "#/`member`": that member of the request is wrong. */
bool problems_about(const struct problems *problems, const char *member);

void problem_add(struct problems *problems, const char *pointer, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The same of a place in a source. */
void problem_add_at(struct problems *problems, const char *pointer, int line, int column, const char *format,
                    ...) __attribute__((format(printf, 5, 6)));

__END_DECLS
