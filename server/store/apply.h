/* What a write does with the writer's statements. On the writer's thread alone. */
#ifndef COALESCED_SERVER_STORE_APPLY_H
#define COALESCED_SERVER_STORE_APPLY_H

#include "server/store/applier.h"

int apply_begin(struct applier *applier, struct error *error);
enum applied apply_write(struct applier *applier, struct store_write *write, struct error *error);
int apply_commit(struct applier *applier, struct error *error);
void apply_rollback(struct applier *applier);

#endif
