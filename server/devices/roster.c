/* Options, file and this machine's devices into one list: roster.h. */
#include "server/devices/roster.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/file.h"
#include "base/words.h"
#include "server/devices/supervisor.h"

enum { FILE_BYTES = 1 << 20 };

/* Executors that are this program start at once; the start of another may wait for an allocation. */
static const double own_idle_s = 60, own_start_s = 30;
static const double idle_s = 10, start_s = 3600, heartbeat_s = 5;

/* ---- one device ---- */

/* The entry's value, else the option's, else the default; negative values are not set. */
static double set_or(double of_entry, double of_option, double fallback)
{
    return of_entry >= 0 ? of_entry : of_option >= 0 ? of_option : fallback;
}

static int config_key_write(struct executor_config *entry, struct error *error)
{
    const struct device_listing *listing = &entry->listing;
    struct buffer text = {0};
    for (const char *const *word = entry->command; *word; word++)
        buffer_format(&text, "%s\n", *word);
    for (const char *const *word = entry->why; word && *word; word++)
        buffer_format(&text, "%s\n", *word);
    buffer_format(&text, "%s %d %d %g %g %g %g %g", entry->spec, listing->release, listing->counting,
                  listing->idle_s, listing->hold_s, listing->start_s, entry->heartbeat_s, entry->lost_s);
    entry->config_key = buffer_take(&text);
    return entry->config_key ? 0 : error_set(error, ERROR_MEMORY, "no memory for the list of devices");
}

static bool roster_has(const struct roster *roster, const char *name)
{
    for (int i = 0; i < roster->count; i++)
        if (strcmp(roster->entries[i]->listing.name, name) == 0)
            return true;
    return false;
}

static int command_split(const char *const **words, const char *command, struct error *error)
{
    char **split;
    if (words_split(&split, command, " \t\n", error) < 0)
        return -1;
    *words = (const char *const *)split;
    return 0;
}

/* True: it is this program, on this machine. */
static bool command_is_own(const char *const *command)
{
    return strcmp(command[0], "/proc/self/exe") == 0;
}

/* Adds an entry, with the defaults filled in. */
static int entry_add(struct roster *roster, const struct device_entry *wanted,
                     const struct roster_config *config, struct error *error)
{
    const char *command = wanted->command ? wanted->command : config->executor_command;
    if (roster->count == DEVICES_MAX)
        return error_set(error, ERROR_INVALID, "a service has at most %d devices", DEVICES_MAX);
    if (roster_has(roster, wanted->name))
        return error_set(error, ERROR_INVALID, "%s stands twice in the list of devices", wanted->name);
    struct executor_config *entry = roster->entries[roster->count] = calloc(1, sizeof *entry);
    struct error why = {0};
    if (!entry)
        return error_set(error, ERROR_MEMORY, "no memory for the list of devices");
    roster->count++;
    entry->users = 1;
    if (command_split(&entry->command, command, &why) < 0)
        return error_set(error, why.kind, "the command of %s: %s", wanted->name, why.text);
    if (wanted->why[0] && command_split(&entry->why, wanted->why, &why) < 0)
        return error_set(error, why.kind, "\"why\" of %s: %s", wanted->name, why.text);
    bool own = command_is_own(entry->command);
    if (own && config->spec_check && config->spec_check(wanted->spec, error) < 0)
        return -1;
    struct device_listing *listing = &entry->listing;
    memcpy(listing->name, wanted->name, sizeof listing->name);
    memcpy(listing->note, wanted->note, sizeof listing->note);
    memcpy(entry->spec, wanted->spec, sizeof entry->spec);
    listing->own = own;
    listing->release = wanted->idle == DEVICE_IDLE_DEFAULT ? !own : wanted->idle == DEVICE_IDLE_RELEASE;
    listing->counting = own || wanted->counting;
    listing->idle_s = set_or(wanted->idle_s, config->idle_s, own ? own_idle_s : idle_s);
    listing->start_s = set_or(wanted->start_s, config->hello_s, own ? own_start_s : start_s);
    listing->hold_s = set_or(wanted->hold_s, -1, 0);
    /* Another command may start executors on another machine, without this directory. */
    entry->lock_dir = own ? config->lock_dir : NULL;
    entry->grace_s = config->grace_s;
    /* Where one of both is set, the other follows: four beats may be missed. */
    double lost_s = set_or(wanted->lost_s, config->lost_s, 0);
    double beat_s = fmin(heartbeat_s, lost_s / 4);
    entry->heartbeat_s = own ? 0 : set_or(wanted->heartbeat_s, -1, beat_s);
    entry->lost_s = set_or(wanted->lost_s, -1, fmax(lost_s, 4 * entry->heartbeat_s));
    return config_key_write(entry, error);
}

/* ---- the devices of this machine ---- */

/* With the short default for a start: the service's own start waits for this probe. */
static int local_find(struct roster_local *local, const struct roster_config *config, struct error *error)
{
    struct executor_config probe = {.spec = "auto:0",
                                    .listing.start_s = set_or(config->hello_s, -1, own_start_s)};
    struct device_facts facts;
    if (command_split(&probe.command, config->executor_command, error) < 0)
        return -1;
    probe.listing.own = command_is_own(probe.command);
    probe.lock_dir = probe.listing.own ? config->lock_dir : NULL;
    int count = supervisor_probe(&probe, &facts, error);
    words_free((char **)probe.command);
    if (count < 0)
        return -1;
    if (count < 1 || count > DEVICES_MAX)
        return error_set(error, ERROR_INVALID, "%d devices: a service has 1 to %d", count, DEVICES_MAX);
    local->count = count;
    memcpy(local->backend, facts.backend, sizeof local->backend);
    return 0;
}

/* A device of this machine. Its name is made from `base`; a name that is taken gets a number. */
static int spec_add(struct roster *roster, const struct roster_config *config, const char *spec,
                    const char *base, struct error *error)
{
    struct device_entry entry = device_entry_unsaid;
    bool number = strspn(base, "0123456789") == strlen(base);
    if (snprintf(entry.spec, sizeof entry.spec, "%s", spec) >= (int)sizeof entry.spec)
        return error_set(error, ERROR_INVALID, "no device has a name as long as %.80s", spec);
    for (int i = 1; i == 1 || roster_has(roster, entry.name); i++) {
        char name[DEVICE_LIST_NAME + 32];
        int length = snprintf(name, sizeof name, "%s%.48s", number ? "device:" : "", base);
        if (i > 1)
            snprintf(name + length, sizeof name - (size_t)length, "-%d", i);
        snprintf(entry.name, sizeof entry.name, "%.63s", name);
    }
    for (char *at = entry.name; *at; at++)
        if (!strchr("._:-", *at) && !isalnum((unsigned char)*at))
            *at = '_';
    return entry_add(roster, &entry, config, error);
}

static int local_add(struct roster *roster, const struct roster_config *config, struct roster_local *local,
                     struct error *error)
{
    if (!local->count && local_find(local, config, error) < 0)
        return -1;
    for (int i = 0; i < local->count; i++) {
        char spec[24], name[sizeof local->backend + 16];
        snprintf(spec, sizeof spec, "auto:%d", i);
        snprintf(name, sizeof name, "%s:%d", local->backend, i);
        if (strcmp(local->backend, "cpu") == 0)
            strcpy(name, "cpu");
        if (spec_add(roster, config, spec, name, error) < 0)
            return -1;
    }
    return 0;
}

/* ---- all of them ---- */

static int specs_add(struct roster *roster, const struct roster_config *config, struct roster_local *local,
                     struct error *error)
{
    char **specs;
    int status = 0;
    if (!config->devices[0])
        return 0;
    if (strcmp(config->devices, "auto") == 0)
        return local_add(roster, config, local, error);
    if (words_split(&specs, config->devices, ", ", error) < 0)
        return -1;
    for (char **spec = specs; *spec && status == 0; spec++)
        status = spec_add(roster, config, *spec, *spec, error);
    words_free(specs);
    return status;
}

static int lines_add(struct device_list *list, const char *lines, struct error *error)
{
    char *copy = strdup(lines), *rest = copy;
    int status = copy ? 0 : error_set(error, ERROR_MEMORY, "no memory for the list of devices");
    for (char *line; status == 0 && (line = strsep(&rest, "\n"));)
        if (line[strspn(line, " \t\r")])
            status = device_list_option(list, line, error);
    free(copy);
    return status;
}

static int file_add(struct device_list *list, const char *path, struct error *error)
{
    char *text;
    /* Its commands run as the service's user, so no other user may write it. */
    if (file_read(&text, path, "list of devices", S_IWOTH, FILE_BYTES, error) < 0)
        return -1;
    int status = device_list_parse(list, text, path, error);
    free(text);
    return status;
}

int roster_read(struct roster **out, const struct roster_config *config, struct roster_local *local,
                struct error *error)
{
    struct roster *roster = calloc(1, sizeof *roster);
    struct device_list *list = calloc(1, sizeof *list);
    int status = -1;
    if (!roster || !list) {
        error_set(error, ERROR_MEMORY, "no memory for the list of devices");
        goto out;
    }
    if (specs_add(roster, config, local, error) < 0 || lines_add(list, config->device_lines, error) < 0 ||
        (config->file[0] && file_add(list, config->file, error) < 0))
        goto out;
    for (int i = 0; i < list->count; i++) {
        const struct device_entry *entry = &list->entries[i];
        bool there = entry->automatic && strcmp(config->devices, "auto") == 0;
        if (!there && (entry->automatic ? local_add(roster, config, local, error)
                                        : entry_add(roster, entry, config, error)) < 0)
            goto out;
    }
    status = roster->count ? 0
                           : error_set(error, ERROR_INVALID,
                                       "the list of devices is empty: a service has 1 to %d", DEVICES_MAX);
out:
    if (list)
        device_list_free(list);
    free(list);
    if (status == 0)
        *out = roster;
    else
        roster_free(roster);
    return status;
}

void roster_entry_drop(struct executor_config *entry)
{
    if (!entry || --entry->users)
        return;
    words_free((char **)entry->command);
    words_free((char **)entry->why);
    free(entry->config_key);
    free(entry);
}

void roster_free(struct roster *roster)
{
    for (int i = 0; roster && i < roster->count; i++)
        roster_entry_drop(roster->entries[i]);
    free(roster);
}
