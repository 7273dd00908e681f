/* What the lists of experiments and of sweeps are filtered by alike: owner, label, device_uuid, since and until. */
#ifndef COALESCED_SERVER_ROUTES_LIST_FILTER_H
#define COALESCED_SERVER_ROUTES_LIST_FILTER_H

#include "server/routes/service.h"
#include "server/store/store.h"

struct list_filter {
    struct store_filter filter; /* points to the texts below */
    char owner[USER_NAME_BYTES], label[64], label_value[256], device_uuid[128];
};

/* Reads them from the query; the others are those of a filter that lets all through. NULL, or what is wrong. */
const char *list_filter_read(const struct request *request, struct list_filter *asked);

#endif
