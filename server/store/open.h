/* An open store: what its face (store.h) only names. */
#ifndef COALESCED_SERVER_STORE_OPEN_H
#define COALESCED_SERVER_STORE_OPEN_H

#include "server/store/reader.h"
#include "server/store/store.h"
#include "server/store/writer.h"

struct store {
    int lock; /* descriptor that holds the lock on the directory */
    struct writer writer;
    struct readers readers;
};

#endif
