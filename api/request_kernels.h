/* The kernels that a request may name: those of the suite, and those that users bring, which it brings along or finds stored.
   Once they are taken out of it, a request names each by its name, wherever it came from. */
#pragma once

#include <jansson.h>

#include "base/error.h"
#include "kernels/source/source_kernel.h"

enum { REQUEST_KERNELS = 64 /* of users, in one request */ };

/* Begins as {0}. Not for two threads at a time. */
struct request_kernels {
    struct source_kernel *at[REQUEST_KERNELS]; /* each once; owned */
    char *definition[REQUEST_KERNELS];         /* of each: JSON, as source_draft_json() writes it; owned */
    int count;
};

/* Takes the kernel out of an object that brings one along or names it, with the members of its definition. NULL: *problems says
   what is wrong, by the members of the object, or *error. */
typedef struct source_kernel *source_find(void *arg, json_t *object, struct problems *problems,
                                          struct error *error);

/* True: `value`, which is a request's "kernel", is the name of a kernel that a user brings, or a list with one. */
bool request_kernels_are_named(const json_t *value);

/* Takes the kernels of users out of a request, and of its "reference" where that is an object, and sets the members "kernel"
   to their names. A reference without "arguments" gets those of the kernel. `axes`: the request is a sweep's, and lists are axes. 0; or -1: *problems has what is wrong, or *error why
   they cannot be read. In either case to be cleared. */
int request_kernels_take(struct request_kernels *kernels, json_t *request, bool axes, source_find *find,
                         void *arg, struct problems *problems, struct error *error);

/* The same of a request that has "definitions", a list, as request_kernels_join() makes it. The member is removed. */
int request_kernels_read(struct request_kernels *kernels, json_t *request, struct error *error);

/* Finds a kernel by its name, in the suite and then in `kernels` (NULL: in the suite alone). NULL: no kernel has that name.
   Borrowed. */
const struct kernel *request_kernels_find(const struct request_kernels *kernels, const char *name);

/* The place in `at` of that kernel; -1: it is of the suite. */
int request_kernels_index(const struct request_kernels *kernels, const struct kernel *kernel);

/* The scalar arguments that a request of users' kernels gives one value each, by their names. New reference; NULL: there are none. */
json_t *request_kernels_scalars(const char *request);

/* The text of a JSON object, a point's axes, with those behind (NULL: as it is). To be freed; NULL: no memory. */
char *request_kernels_beside(const char *axes, const json_t *scalars);

/* True: the text is one of request_kernels_join(), with definitions. */
bool request_kernels_are_joined(const char *request);

/* A request as it goes to an executor: the text of a request with the definitions in front. To be freed; NULL: no memory. */
char *request_kernels_join(const char *request, const char *const *definitions, int count);

void request_kernels_clear(struct request_kernels *kernels);
