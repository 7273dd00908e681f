/* Where a request has its labels. */
#ifndef COALESCED_SERVER_STORE_LABELS_H
#define COALESCED_SERVER_STORE_LABELS_H

/* The object of the request's labels, whose values are texts, and its length; NULL: most requests have none. So SQLite
   reads those alone. */
const char *labels_find(const char *request, int *length);

#endif
