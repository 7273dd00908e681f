/* Kernels that users bring, as the store has them. A kernel's definition is there as long as somebody has it stored or an
   experiment uses it; triggers of the schema delete it then. */
#pragma once

#include "server/store/job.h"
#include "server/store/transaction.h"
#include "server/store/write.h"

struct store;

enum { KERNEL_ROW_NAME_BYTES = 24, KERNEL_ROW_TITLE_BYTES = 201, KERNEL_ROW_ENTRY_BYTES = 256 };

struct kernel_row {
    char name[KERNEL_ROW_NAME_BYTES];
    char entry[KERNEL_ROW_ENTRY_BYTES];
    bool stored; /* false: only experiments of the user who asks have it, and the next four are empty */
    char owner[USER_NAME_BYTES];
    char title[KERNEL_ROW_TITLE_BYTES]; /* empty: none */
    bool is_public;
    int64_t stored_ms; /* wall clock */
    char *definition;  /* JSON; of store_kernel_read() alone, to be freed */
};

/* Who asks: a user's name (empty: nobody by name), and whether that user is an admin, who sees all. */
struct kernel_reader {
    const char *user;
    bool admin;
};

/* Reads the kernel of that name where the reader may see it: it is public, the reader's own, or used by an experiment of
   the reader's; the reader's own row first. 0; or -1: ERROR_NOT_FOUND, ERROR_STORE, ERROR_MEMORY. Any thread. */
int store_kernel_read(struct store *store, const char *name, const struct kernel_reader *reader,
                      struct kernel_row *row, struct error *error);

/* Calls each() for every stored kernel that the reader may see, the newest first; one that several have is there once for
   each of them. 0; or -1: ERROR_STORE. Any thread. */
int store_kernels(struct store *store, const struct kernel_reader *reader,
                  void (*each)(void *arg, const struct kernel_row *row), void *arg, struct error *error);

/* 1: somebody has a kernel stored; 0; or -1: ERROR_STORE. Any thread. */
int store_kernels_exist(struct store *store, struct error *error);

/* The request of an experiment with the definitions of its kernels, as request_kernels_join() puts them there, to be freed; NULL
   with ERROR_STORE, ERROR_NOT_FOUND: a definition is not there, ERROR_MEMORY. Any thread. */
char *store_request_whole(struct store *store, const char *experiment, struct error *error);

/* Within the writer's transaction: the definitions that an experiment uses. ERROR_CONFLICT as below. */
void kernel_rows_use(struct transaction *transaction, const char *experiment,
                     const struct source_definition *sources, int count);

/* Within the writer's transaction: stores or removes it. ERROR_CONFLICT: another content has that name, or the owner has
   as many as are allowed; ERROR_NOT_FOUND: it is not stored for that owner. */
void kernel_rows_apply(struct transaction *transaction, struct store_write *write);
