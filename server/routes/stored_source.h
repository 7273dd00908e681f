/* A kernel that a user brings, found by its name: "src-" and twelve hexadecimal digits. */
#pragma once

#include <jansson.h>

#include "api/problem.h"
#include "kernels/source/source_kernel.h"
#include "server/auth/users.h"
#include "api/source_service.h"
#include "server/store/kernel_rows.h"

/* Who a user is to the store's readers. */
struct kernel_reader stored_source_reader(const struct user *user);

/* Reads the kernel that the user may see; *row says who has it stored, and owns nothing. To be freed with
   source_kernel_free(). NULL: ERROR_NOT_FOUND, ERROR_STORE, ERROR_MEMORY. Blocks for a read of the database. Any thread. */
struct source_kernel *stored_source_open(struct store *store, const struct user *user, const char *name,
                                         struct kernel_row *row, struct error *error);

/* True: the request is about a kernel that a user brings: it has "source", or "kernel" with such a name. */
bool stored_source_is_asked(const json_t *request);

/* The kernel that such a request brings along or names; the members of its definition are removed from the request. `sources`
   NULL: none is taken. NULL: *problems says what is wrong, or *error that it cannot be read now. */
struct source_kernel *stored_source_take(struct source_service *sources, struct store *store,
                                         const struct user *user, json_t *request, struct problems *problems,
                                         struct error *error);

/* Has it compiled; what is wrong with it is added at "#/source", and at "#/arguments" where they are not the parameters of its
   function. 0; or -1: it cannot be compiled now. Blocks. */
int stored_source_compile(struct source_service *sources, const struct source_kernel *kernel,
                          struct problems *problems, struct error *error);
