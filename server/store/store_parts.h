/* The parts of an open store, which the readers of this folder share; store.h only names the struct. */
#ifndef COALESCED_SERVER_STORE_STORE_PARTS_H
#define COALESCED_SERVER_STORE_STORE_PARTS_H

#include "server/store/reader.h"
#include "server/store/writer.h"

struct store {
    int lock; /* descriptor that holds the lock on the directory */
    struct writer writer;
    struct readers readers;
};

#endif
