/* The devices as they are now, for whoever chooses among them. */
#ifndef COALESCED_SERVER_ROUTES_CHOOSING_H
#define COALESCED_SERVER_ROUTES_CHOOSING_H

#include <jansson.h>

#include "api/device_choice.h"
#include "server/devices/devices.h"
#include "server/http/request.h"
#include "server/queue/queue_admin.h"
#include "server/routes/service.h"

struct choosing {
    struct device_offers offers;
    /* what they are made of */
    struct device_offer at[DEVICES_MAX];
    char name[DEVICES_MAX][DEVICE_NAME_BYTES];
    struct device_facts facts[DEVICES_MAX];
};

/* To be freed with free(); NULL: no memory. */
struct choosing *choosing_new(struct devices *devices);

/* Can that be a default: a number, a name, "any" or empty? 0, or -1: ERROR_INVALID. */
int choosing_check(const char *text, struct error *error);

/* Puts the service's default into a request's object that names no device; any for a sweep that is spread, and where
   no device is in the list, so that the choice says so. -1: no memory. */
int choosing_default(struct service *service, json_t *object);

/* Fits queue_config.select: the devices are those of one moment for all requests. `service` is a struct service of which the
   devices are there. Takes some 20 us a request. */
void service_select(void *service, struct queue_selection *selections, int count);

/* The number of the device that a path or a query names by its number or its name; -1: there never was one. */
int choosing_find(struct devices *devices, const char *text);

/* Answers that what may be chosen, as that device, has not said hello yet. */
enum handled reply_unknown(struct request *request, int device);

/* A device's name; empty where there never was one of that number, as -1. */
void choosing_name(struct devices *devices, int number, char name[DEVICE_NAME_BYTES]);

#endif
