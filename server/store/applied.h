/* How a write went, within the writer's transaction. */
#ifndef COALESCED_SERVER_STORE_APPLIED_H
#define COALESCED_SERVER_STORE_APPLIED_H

enum applied {
    APPLIED,
    REFUSED, /* this write is wrong and undone; the others of the transaction stand */
    BROKEN   /* the database or its disk failed; nothing of the transaction stands */
};

#endif
