/* Reads and writes device rows of the store: device_identity.h. */
#include "server/devices/device_identity.h"

#include <pthread.h>
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

/* What a hello says of its device, without the process. */
struct last_hello {
    bool known;
    bool can_count;
    char build[64];
    struct device_facts facts;
};

struct device_identity {
    struct store *store;
    struct devices *devices;
    pthread_mutex_t lock; /* guards what follows */
    struct last_hello last[DEVICES_MAX];
};

/* ---- what is known ---- */

static bool last_hello_read(struct last_hello *last, const char *header)
{
    struct message hello;
    *last = (struct last_hello){0};
    if (protocol_parse_header(&hello, header, NULL) < 0)
        return false;
    if (hello.type == MESSAGE_HELLO) {
        last->known = true;
        last->can_count = hello.can_count;
        snprintf(last->build, sizeof last->build, "%s", hello.build);
        last->facts = hello.facts;
    }
    protocol_message_free(&hello);
    return last->known;
}

/* A hello that this build cannot read is ignored. */
static void row_take(void *arg, const struct store_device *row)
{
    struct device_identity *identity = arg;
    struct device_listing listing = {0};
    struct device_status status = {0};
    if (row->number < 0 || row->number >= DEVICES_MAX)
        return;
    snprintf(listing.name, sizeof listing.name, "%s", row->name);
    devices_set_listing(identity->devices, row->number, &listing);
    struct last_hello *last = &identity->last[row->number];
    if (!row->hello || !last_hello_read(last, row->hello) ||
        !devices_get(identity->devices, row->number, &status))
        return;
    status.known = true;
    status.facts = last->facts;
    status.can_count = last->can_count;
    memcpy(status.executor_build, last->build, sizeof status.executor_build);
    devices_set(identity->devices, row->number, &status);
}

int device_identity_new(struct device_identity **out, struct store *store, struct devices *devices,
                        struct error *error)
{
    struct device_identity *identity = calloc(1, sizeof *identity);
    if (!identity)
        return error_set(error, ERROR_MEMORY, "no memory for the devices");
    identity->store = store;
    identity->devices = devices;
    pthread_mutex_init(&identity->lock, NULL);
    if (store_devices(store, row_take, identity, error) < 0) {
        device_identity_free(identity);
        return -1;
    }
    *out = identity;
    return 0;
}

void device_identity_free(struct device_identity *identity)
{
    if (!identity)
        return;
    pthread_mutex_destroy(&identity->lock);
    free(identity);
}

void device_identity_trust(struct device_identity *identity, int device)
{
    struct device_listing listing;
    struct device_status status;
    if (!devices_listing(identity->devices, device, &listing) || !listing.release ||
        !devices_get(identity->devices, device, &status) || !status.known)
        return;
    status.healthy = true;
    status.reason[0] = '\0';
    status.readiness = DEVICE_AWAY;
    devices_set(identity->devices, device, &status);
}

/* ---- numbers ---- */

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

static int names_store(struct device_identity *identity, struct naming *naming, struct error *error)
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

/* The lowest number that was never given; else one of a device to which nothing refers. -1: there is none. */
static int number_find(struct device_identity *identity, struct naming *naming, bool *replaces,
                       struct error *error)
{
    struct device_listing listing;
    *replaces = false;
    for (int number = 0; number < DEVICES_MAX; number++)
        if (!device_set_has(&naming->taken, number) && !devices_listing(identity->devices, number, &listing))
            return number;
    *replaces = true;
    if (!naming->looked && store_devices_reclaimable(identity->store, reclaimable_add, naming, error) < 0)
        return -1;
    naming->looked = true;
    for (int i = 0; i < naming->reclaimable_count; i++)
        if (!device_set_has(&naming->taken, naming->reclaimable[i]))
            return naming->reclaimable[i];
    return -1;
}

static void no_number_error_set(const char *name, struct error *no_number_error)
{
    if (no_number_error->kind == ERROR_NONE)
        error_set(no_number_error, ERROR_INVALID,
                  "no number is left for device %s: all %d are of devices that are in the list, that have "
                  "stored experiments, that are held or whose executors are just ending. It gets one when "
                  "the experiments of a device that "
                  "left the list are removed, by DELETE or --keep-days, or when such a device is resumed",
                  name, DEVICES_MAX);
}

/* Forgets the earlier devices of the numbers: their rows on disk are gone. */
static void replaced_forget(struct device_identity *identity, const struct naming *naming,
                            struct device_set *reassigned)
{
    for (int i = 0; i < naming->write.device_count; i++) {
        int number = naming->rows[i].number;
        if (!naming->rows[i].replaces_old_device)
            continue;
        devices_forget(identity->devices, number);
        pthread_mutex_lock(&identity->lock);
        identity->last[number] = (struct last_hello){0};
        pthread_mutex_unlock(&identity->lock);
        device_set_add(reassigned, number);
    }
    int count = device_set_count(reassigned);
    if (count)
        log_info("%d numbers of devices to which nothing refers any more are those of new devices", count);
}

static int names_number(struct device_identity *identity, struct naming *naming, const struct roster *roster,
                        struct numbering *numbering, struct error *error)
{
    int *numbers = numbering->numbers;
    for (int i = 0; i < roster->count; i++) {
        const char *name = roster->entries[i]->listing.name;
        struct error failed = {0};
        bool replaces;
        if (numbers[i] >= 0)
            continue;
        numbers[i] = number_find(identity, naming, &replaces, &failed);
        if (failed.kind != ERROR_NONE)
            return error_set(error, failed.kind, "%s", failed.text);
        if (numbers[i] < 0) {
            no_number_error_set(name, &numbering->no_number_error);
            continue;
        }
        device_set_add(&naming->taken, numbers[i]);
        naming->rows[naming->write.device_count++] =
            (struct store_device){.number = numbers[i], .name = name, .replaces_old_device = replaces};
    }
    return names_store(identity, naming, error);
}

int device_identity_number(struct device_identity *identity, const struct roster *roster,
                           const struct device_set *busy, struct numbering *numbering, struct error *error)
{
    struct naming *naming = calloc(1, sizeof *naming);
    if (!naming)
        return error_set(error, ERROR_MEMORY, "no memory for the devices' names");
    naming->taken = *busy;
    *numbering = (struct numbering){0};
    for (int i = 0; i < roster->count; i++) {
        int number = devices_named(identity->devices, roster->entries[i]->listing.name);
        numbering->numbers[i] = number;
        if (number >= 0)
            device_set_add(&naming->taken, number);
    }
    int status = names_number(identity, naming, roster, numbering, error);
    if (status == 0)
        replaced_forget(identity, naming, &numbering->reassigned);
    free(naming);
    return status;
}

/* ---- hellos ---- */

struct hello_write {
    struct store_write write;
    struct store_device row;
    struct device_listing listing;
    char *hello;
};

static void hello_write_done(struct store_write *write, const struct error *failed)
{
    struct hello_write *hello_write = (struct hello_write *)write;
    if (failed)
        log_warning("what device %s said of itself, or that it was used, is not stored: %s",
                    hello_write->listing.name, failed->text);
    free(hello_write->hello);
    free(hello_write);
}

/* header NULL: the stored hello stays, and the time of its use is written. */
static void hello_store(struct device_identity *identity, int device, const char *header)
{
    struct hello_write *hello_write = calloc(1, sizeof *hello_write);
    if (!hello_write || (header && !(hello_write->hello = strdup(header))) ||
        !devices_listing(identity->devices, device, &hello_write->listing)) {
        free(hello_write ? hello_write->hello : NULL);
        free(hello_write);
        return;
    }
    hello_write->row = (struct store_device){.number = device,
                                             .name = hello_write->listing.name,
                                             .hello = hello_write->hello,
                                             .hello_ms = clock_wall_ms()};
    hello_write->write.devices = &hello_write->row;
    hello_write->write.device_count = 1;
    hello_write->write.patient = true;
    hello_write->write.done = hello_write_done;
    store_hand_over(identity->store, &hello_write->write);
}

void device_identity_touch(struct device_identity *identity, int device)
{
    hello_store(identity, device, NULL);
}

static bool last_hello_same(const struct last_hello *a, const struct last_hello *b)
{
    return a->known == b->known && a->can_count == b->can_count && strcmp(a->build, b->build) == 0 &&
           memcmp(&a->facts, &b->facts, sizeof a->facts) == 0;
}

void device_identity_hello(void *arg, int device, const char *header)
{
    struct device_identity *identity = arg;
    struct device_listing listing = {0};
    struct last_hello now, before;
    if (device < 0 || device >= DEVICES_MAX || !last_hello_read(&now, header))
        return;
    pthread_mutex_lock(&identity->lock);
    before = identity->last[device];
    identity->last[device] = now;
    pthread_mutex_unlock(&identity->lock);
    if (last_hello_same(&before, &now))
        return;
    devices_listing(identity->devices, device, &listing);
    if (before.known && strcmp(before.facts.uuid, now.facts.uuid) != 0)
        log_warning("%s is another device than before: %s (%s), it was %s (%s)", listing.name, now.facts.uuid,
                    now.facts.name, before.facts.uuid, before.facts.name);
    hello_store(identity, device, header);
}
