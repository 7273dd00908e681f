/* Reads and writes device rows of the store: device_identity.h. */
#include "server/devices/device_identity.h"

#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/protocol.h"
#include "base/clock.h"
#include "base/log.h"
#include "server/store/startup_reads.h"
#include "server/store/store.h"
#include "server/store/write.h"

/* ---- what is known ---- */

/* Sets what the hello says of the device. False: this build cannot read it. */
static bool hello_read(struct device_status *status, const char *header)
{
    struct message hello;
    if (protocol_parse_header(&hello, header, NULL) < 0)
        return false;
    bool understood = hello.type == MESSAGE_HELLO;
    if (understood) {
        status->known = true;
        status->can_count = hello.can_count;
        status->facts = hello.facts;
        memcpy(status->executor_build, hello.build, sizeof status->executor_build);
    }
    protocol_message_free(&hello);
    return understood;
}

static void row_take(void *arg, const struct store_device *row)
{
    const struct device_identity *identity = arg;
    struct device_listing listing = {0};
    struct device_status status;
    if (row->number < 0 || row->number >= DEVICES_MAX)
        return;
    snprintf(listing.name, sizeof listing.name, "%s", row->name);
    devices_set_listing(identity->devices, row->number, &listing);
    if (row->hello && devices_get(identity->devices, row->number, &status) && hello_read(&status, row->hello))
        devices_set(identity->devices, row->number, &status);
}

int device_identity_publish(const struct device_identity *identity, struct error *error)
{
    return store_devices(identity->store, row_take, (void *)identity, error);
}

/* ---- numbers ---- */

#define NO_NUMBER                                                                                            \
    "no number is left for device %s: all %d are of devices that are in the list, that have stored "         \
    "experiments, that are held or whose executors are just ending. It gets one when the experiments of a "  \
    "device that left the list are removed, by DELETE or --keep-days, or when such a device is resumed"

/* The search for numbers of one list, and the write of new ones. */
struct naming {
    struct store_write write;
    struct store_device rows[DEVICES_MAX];
    struct device_set taken; /* by listed devices, and by workers that have not ended */
    bool looked;             /* `reclaimable` was read from the store */
    int reclaimable[DEVICES_MAX], reclaimable_count;
    struct error failed;
    sem_t over;
};

static void naming_done(struct store_write *write, const struct error *failed)
{
    struct naming *naming = (struct naming *)write;
    if (failed)
        naming->failed = *failed;
    sem_post(&naming->over);
}

static int names_store(const struct device_identity *identity, struct naming *naming, struct error *error)
{
    if (!naming->write.device_count)
        return 0;
    naming->write.devices = naming->rows;
    naming->write.done = naming_done;
    sem_init(&naming->over, 0, 0);
    store_hand_over(identity->store, &naming->write);
    while (sem_wait(&naming->over) < 0)
        ;
    sem_destroy(&naming->over);
    if (naming->failed.kind == ERROR_NONE)
        return 0;
    return error_set(error, naming->failed.kind, "cannot store the devices' names: %s", naming->failed.text);
}

static void reclaimable_add(void *arg, int number)
{
    struct naming *naming = arg;
    if (number >= 0 && number < DEVICES_MAX)
        naming->reclaimable[naming->reclaimable_count++] = number;
}

/* The lowest number that was never given; else one of a device to which nothing refers; else -1. */
static int number_find(const struct device_identity *identity, struct naming *naming, int *number,
                       bool *replaces, struct error *error)
{
    struct device_listing listing;
    *replaces = false;
    for (*number = 0; *number < DEVICES_MAX; ++*number)
        if (!device_set_has(&naming->taken, *number) &&
            !devices_listing(identity->devices, *number, &listing))
            return 0;
    *replaces = true;
    *number = -1;
    if (!naming->looked && store_devices_reclaimable(identity->store, reclaimable_add, naming, error) < 0)
        return -1;
    naming->looked = true;
    for (int i = 0; i < naming->reclaimable_count && *number < 0; i++)
        if (!device_set_has(&naming->taken, naming->reclaimable[i]))
            *number = naming->reclaimable[i];
    return 0;
}

static int names_number(const struct device_identity *identity, struct naming *naming,
                        const struct roster *roster, struct error *no_number_error, struct error *error)
{
    for (int i = 0; i < roster->count; i++) {
        struct executor_config *entry = roster->entries[i];
        const char *name = entry->listing.name;
        bool replaces;
        if (entry->number >= 0)
            continue;
        if (number_find(identity, naming, &entry->number, &replaces, error) < 0)
            return -1;
        if (entry->number < 0) {
            error_set(no_number_error, ERROR_INVALID, NO_NUMBER, name, DEVICES_MAX);
            continue;
        }
        device_set_add(&naming->taken, entry->number);
        naming->rows[naming->write.device_count++] =
            (struct store_device){.number = entry->number, .name = name, .replaces_old_device = replaces};
    }
    return names_store(identity, naming, error);
}

int device_identity_number(const struct device_identity *identity, const struct roster *roster,
                           const struct device_set *busy, struct numbering *numbering, struct error *error)
{
    struct naming *naming = calloc(1, sizeof *naming);
    if (!naming)
        return error_set(error, ERROR_MEMORY, "no memory for the devices' names");
    naming->taken = *busy;
    *numbering = (struct numbering){0};
    for (int i = 0; i < roster->count; i++) {
        struct executor_config *entry = roster->entries[i];
        entry->number = devices_named(identity->devices, entry->listing.name);
        if (entry->number >= 0)
            device_set_add(&naming->taken, entry->number);
    }
    int status = names_number(identity, naming, roster, &numbering->no_number_error, error);
    for (int i = 0; status == 0 && i < naming->write.device_count; i++)
        if (naming->rows[i].replaces_old_device) {
            devices_forget(identity->devices, naming->rows[i].number); /* its row on disk is gone */
            device_set_add(&numbering->reassigned, naming->rows[i].number);
        }
    int count = device_set_count(&numbering->reassigned);
    if (count)
        log_info("%d numbers of devices to which nothing refers any more are those of new devices", count);
    free(naming);
    return status;
}

/* ---- hellos ---- */

struct hello_write {
    struct store_write write; /* first: a write is cast to it */
    struct store_device row;
    struct device_listing listing;
    char hello[];
};

static void hello_write_done(struct store_write *write, const struct error *failed)
{
    struct hello_write *hello_write = (struct hello_write *)write;
    if (failed)
        log_warning("what device %s said of itself, or that it was used, is not stored: %s",
                    hello_write->listing.name, failed->text);
    free(hello_write);
}

/* header NULL: the stored hello stays, and the time of its use is written. */
static void hello_store(const struct device_identity *identity, int device, const char *header)
{
    struct hello_write *hello_write = calloc(1, sizeof *hello_write + (header ? strlen(header) + 1 : 0));
    if (!hello_write || !devices_listing(identity->devices, device, &hello_write->listing)) {
        free(hello_write);
        return;
    }
    if (header)
        strcpy(hello_write->hello, header);
    hello_write->row = (struct store_device){.number = device,
                                             .name = hello_write->listing.name,
                                             .hello = header ? hello_write->hello : NULL,
                                             .hello_ms = clock_wall_ms()};
    hello_write->write.devices = &hello_write->row;
    hello_write->write.device_count = 1;
    hello_write->write.patient = true;
    hello_write->write.done = hello_write_done;
    store_hand_over(identity->store, &hello_write->write);
}

void device_identity_touch(const struct device_identity *identity, int device)
{
    hello_store(identity, device, NULL);
}

void device_identity_hello(const struct device_identity *identity, int device, const char *header)
{
    struct device_listing listing;
    struct device_status before, now;
    if (!devices_get(identity->devices, device, &before))
        return;
    now = before;
    if (!hello_read(&now, header))
        return;
    /* As bytes: both are of protocol_parse(), which clears what it does not set. */
    if (before.known && before.can_count == now.can_count &&
        strcmp(before.executor_build, now.executor_build) == 0 &&
        memcmp((const char *)&before.facts, (const char *)&now.facts, sizeof now.facts) == 0)
        return;
    devices_listing(identity->devices, device, &listing);
    if (before.known && strcmp(before.facts.uuid, now.facts.uuid) != 0)
        log_warning("%s is another device than before: %s (%s), it was %s (%s)", listing.name, now.facts.uuid,
                    now.facts.name, before.facts.uuid, before.facts.name);
    hello_store(identity, device, header);
}
