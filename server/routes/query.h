/* Query parameters that several endpoints take: pages, filters, waits. Each function returns NULL, or what
   is wrong as a sentence for the client, which lives as long as the program. */
#pragma once

#include "server/routes/service.h"
#include "server/routes/sweep_reply.h"

enum { QUERY_PAGE_SIZE = 50, QUERY_PAGE_SIZE_MAX = 500 };

/* What a list is asked for. */
struct query_list {
    struct store_filter filter; /* points to the texts below */
    char owner[USER_NAME_BYTES], label[64], label_value[256], without_label[64], device_uuid[128], kernel[64],
        sweep[ID_BYTES];
    int size;             /* rows of the page */
    char token[ID_BYTES]; /* the list goes on behind that id; empty: from its beginning */
};

/* Without page_size the size is `size`. sweeps: the list is of these, which have states of their own. *list must
   stay where it is. */
const char *query_list(const struct request *request, bool sweeps, int size, struct query_list *list);

/* Returns the user whom the query parameter `name` gives, unchecked: user_name_or_nobody() checks it. For "me" it returns the
   user whose token the request has, or OWNER_NOBODY without a token. Borrowed from the request; NULL: no such parameter. */
const char *query_person(const struct request *request, const char *name);

/* page_size, page_token, view and columns of a sweep's points. A table has all points unless a size is
   given. */
const char *query_sweep_page(const struct request *request, bool table, struct sweep_page *page);

/* Seconds that `wait` in the query or "Prefer: wait=N" asks for, at most REQUEST_WAIT_MAX_S; 0: neither. */
const char *query_wait(const struct request *request, int *wait_s);
