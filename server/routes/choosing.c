#include "server/routes/choosing.h"

#include <stdlib.h>
#include <string.h>

#include "api/experiment_json.h"

struct choosing *choosing_new(struct devices *devices)
{
    struct choosing *choosing = malloc(sizeof *choosing);
    if (!choosing)
        return NULL;
    struct device_set present = devices_listed(devices);
    int count = 0;
    for (int i = 0; i < devices_count(devices) && i < DEVICES_MAX; i++) {
        struct device_status status;
        struct device_listing listing;
        if (!devices_listing(devices, i, &listing) || !devices_get(devices, i, &status))
            continue;
        memcpy(choosing->name[count], listing.name, sizeof choosing->name[count]);
        choosing->facts[count] = status.facts;
        choosing->at[count] = (struct device_offer){
            .number = i,
            .name = choosing->name[count],
            .facts = status.known ? &choosing->facts[count] : NULL,
            .can_count = status.can_count && listing.counting,
            .own = listing.own,
            .listed = device_set_has(&present, i),
        };
        count++;
    }
    choosing->offers = (struct device_offers){choosing->at, count};
    return choosing;
}

int choosing_check(const char *text, struct error *error)
{
    struct device_choice choice;
    if (!text[0] || device_choice_parse(&choice, text))
        return 0;
    return error_set(error, ERROR_INVALID,
                     "--default-device %s is neither a number nor a device's name nor any", text);
}

int choosing_default(struct service *service, json_t *object)
{
    struct device_choice choice;
    const char *text = service->default_device;
    int first = devices_first(service->devices);
    if (!json_is_object(object) || json_object_get(object, "device"))
        return 0;
    if (json_is_true(json_object_get(object, "spread")))
        return json_object_set_new(object, "device", json_string("any"));
    if (!text || !text[0] || !device_choice_parse(&choice, text))
        return json_object_set_new(object, "device", first < 0 ? json_string("any") : json_integer(first));
    return json_object_set_new(
        object, "device", choice.kind == DEVICE_BY_NUMBER ? json_integer(choice.number) : json_string(text));
}

static void select_one(const struct choosing *choosing, struct queue_selection *selection)
{
    json_t *object = json_loads(selection->request, 0, NULL);
    struct experiment experiment;
    struct problems problems = {0};
    bool read = object && experiment_json_read(&experiment, object, &problems) == 0;
    selection->open = read && device_choice_open(&experiment.device);
    if (!choosing || !read ||
        device_choice_resolve(&experiment, &choosing->offers, &selection->devices, &problems) != DEVICE_FITS)
        selection->devices = (struct device_set){{0}};
    json_decref(object);
}

void service_select(void *service, struct queue_selection *selections, int count)
{
    struct choosing *choosing = choosing_new(((struct service *)service)->devices);
    for (int i = 0; i < count; i++)
        select_one(choosing, &selections[i]);
    free(choosing);
}

int choosing_find(struct devices *devices, const char *text)
{
    struct device_choice choice;
    struct device_listing listing;
    if (!device_choice_parse(&choice, text) || choice.kind == DEVICE_ANY)
        return -1;
    if (choice.kind == DEVICE_BY_NAME)
        return devices_named(devices, choice.called);
    return choice.number < DEVICES_MAX && devices_listing(devices, (int)choice.number, &listing)
               ? (int)choice.number
               : -1;
}

enum handled reply_unknown(struct request *request, int device)
{
    struct device_status status = {0};
    char name[DEVICE_NAME_BYTES];
    struct devices *devices = request_service(request)->devices;
    choosing_name(devices, device, name);
    devices_get(devices, device, &status);
    reply_retry_after(request, 2);
    return reply_problem(request, PROBLEM_UNAVAILABLE, "device %d (%s) is not known yet%s%s", device, name,
                         status.reason[0] ? ": " : "", status.reason);
}

void choosing_name(struct devices *devices, int number, char name[DEVICE_NAME_BYTES])
{
    struct device_listing listing;
    bool known = number >= 0 && devices_listing(devices, number, &listing);
    memcpy(name, known ? listing.name : "", known ? DEVICE_NAME_BYTES : 1);
}
