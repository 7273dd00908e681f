/* Reads the list of devices from its file and from options, and says where it is wrong. */
#include "api/device_list.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/json_parts.h"
#include "api/suggest.h"
#include "base/words.h"

#define NAME_RULE                                                                                            \
    "a name has 1 to 63 letters, digits and ._:-, begins with a letter or a digit, is not all digits and "   \
    "not \"any\""

bool device_list_name_valid(const char *name)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ",
                      digits[] = "0123456789";
    char allowed[sizeof letters + sizeof digits + 4];
    snprintf(allowed, sizeof allowed, "%s%s._:-", letters, digits);
    size_t length = strlen(name);
    return length > 0 && length < DEVICE_LIST_NAME && strspn(name, allowed) == length &&
           !strchr("._:-", name[0]) && strspn(name, digits) < length && strcmp(name, "any") != 0;
}

/* ---- adding ---- */

const struct device_entry device_entry_unsaid = {
    .spec = "auto:0", .idle_s = -1, .hold_s = -1, .start_s = -1, .heartbeat_s = -1, .lost_s = -1};

/* Takes the entry over, but copies its command. */
static int entry_add(struct device_list *list, const struct device_entry *entry, struct error *error)
{
    if (!entry->automatic && !device_list_name_valid(entry->name))
        return error_set(error, ERROR_INVALID, NAME_RULE ", not \"%.80s\"", entry->name);
    for (int i = 0; i < list->count; i++)
        if (list->entries[i].automatic ? entry->automatic : strcmp(list->entries[i].name, entry->name) == 0)
            return error_set(error, ERROR_INVALID, "%s stands twice in the list",
                             entry->automatic ? "auto" : entry->name);
    if (list->count == DEVICE_SET_MOST)
        return error_set(error, ERROR_INVALID, "a service has at most %d devices", DEVICE_SET_MOST);
    struct device_entry *added = &list->entries[list->count];
    *added = *entry;
    if (entry->command && !(added->command = strdup(entry->command)))
        return error_set(error, ERROR_MEMORY, "no memory for the list of devices");
    list->count++;
    return 0;
}

int device_list_option(struct device_list *list, const char *text, struct error *error)
{
    struct device_entry entry = device_entry_unsaid;
    struct error why = {0};
    size_t length = strcspn(text, "=");
    if (!text[length] || !text[length + 1 + strspn(text + length + 1, " \t")])
        return error_set(error, ERROR_INVALID,
                         "--device is NAME=COMMAND, as 'far=ssh host coalesced --executor', not \"%.200s\"",
                         text);
    if (length >= sizeof entry.name)
        return error_set(error, ERROR_INVALID, "--device %.80s: " NAME_RULE, text);
    memcpy(entry.name, text, length);
    entry.command = (char *)text + length + 1;
    if (entry_add(list, &entry, &why) == 0)
        return 0;
    return error_set(error, why.kind, "--device %.80s: %s", text, why.text);
}

/* ---- a file ---- */

/* Where something is wrong, and the error to set. */
struct entry_place {
    const char *path;
    int index;                   /* of the entry */
    char name[DEVICE_LIST_NAME]; /* its name; "": not known yet */
    struct error *error;
};

static int wrong(const struct entry_place *place, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static int wrong(const struct entry_place *place, const char *format, ...)
{
    char text[320];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return error_set(place->error, ERROR_INVALID, "%s: devices[%d]%s%s%s: %s", place->path, place->index,
                     place->name[0] ? " (" : "", place->name, place->name[0] ? ")" : "", text);
}

/* A value as the file has it, short. */
static const char *shown(const json_t *value, char text[64])
{
    char *dumped = json_parts_text(value);
    snprintf(text, 64, "%s", dumped ? dumped : "?");
    free(dumped);
    return text;
}

static int text_member(const json_t *value, const char *name, char *out, size_t size,
                       const struct entry_place *place)
{
    char text[64];
    if (!json_is_string(value) || !json_string_length(value))
        return wrong(place, "\"%s\" must be a text, not %s", name, shown(value, text));
    if (json_string_length(value) >= size)
        return wrong(place, "\"%s\" has at most %zu bytes, not %zu", name, size - 1,
                     json_string_length(value));
    memcpy(out, json_string_value(value), json_string_length(value) + 1);
    return 0;
}

static int time_member(const json_t *value, const char *name, double *out, double min, double max,
                       const struct entry_place *place)
{
    char text[64];
    *out = json_number_value(value);
    if (!json_is_number(value) || *out < min || *out > max)
        return wrong(place, "\"%s\" must be a number of seconds from %.7g to %.7g, not %s", name, min, max,
                     shown(value, text));
    return 0;
}

/* The members in the order of suggestions. At its place in the entry lies a text of `size` bytes, or a time
   from `min` to `max`; without a place it has code of its own. */
static const struct {
    const char *name;
    size_t at, size;
    double min, max;
} members[] = {
    {"auto", .at = 0},
    {"name", .at = 0},
    {"command", .at = 0},
    {"device", .at = offsetof(struct device_entry, spec), .size = DEVICE_LIST_SPEC},
    {"count", .at = 0},
    {"idle", .at = 0},
    {"note", .at = offsetof(struct device_entry, note), .size = DEVICE_LIST_NOTE},
    {"why", .at = offsetof(struct device_entry, why), .size = DEVICE_LIST_NOTE},
    {"counting", .at = 0},
    {"idle_s", offsetof(struct device_entry, idle_s), 0, 0, 1e6},
    {"hold_s", offsetof(struct device_entry, hold_s), 0, 0, 1e6},
    {"start_s", offsetof(struct device_entry, start_s), 0, 0.1, 1e6},
    {"heartbeat_s", offsetof(struct device_entry, heartbeat_s), 0, 0, 3600},
    {"lost_s", offsetof(struct device_entry, lost_s), 0, 0.1, 86400},
};

static int member_read(struct device_entry *entry, const char *name, const json_t *value, int *count,
                       const struct entry_place *place)
{
    char text[64];
    struct suggestion meant;
    int i = words_find(name, WORDS_TABLE(members));
    if (i < 0)
        return wrong(
            place,
            "there is no member \"%.63s\"%s there are name, command, device, count, idle, idle_s, hold_s, "
            "start_s, heartbeat_s, lost_s, counting, note and why, or auto alone",
            name, suggest_among(&meant, name, WORDS_TABLE(members)));
    if (members[i].size)
        return text_member(value, name, (char *)entry + members[i].at, members[i].size, place);
    if (members[i].at)
        return time_member(value, name, (double *)((char *)entry + members[i].at), members[i].min,
                           members[i].max, place);
    if (strcmp(name, "command") == 0) {
        entry->command = (char *)json_string_value(value);
        if (!json_string_length(value))
            return wrong(place, "\"command\" must be a text, not %s", shown(value, text));
    } else if (strcmp(name, "idle") == 0) {
        entry->idle = json_parts_is(value, "release") ? DEVICE_IDLE_RELEASE : DEVICE_IDLE_CONTEXT;
        if (entry->idle == DEVICE_IDLE_CONTEXT && !json_parts_is(value, "context"))
            return wrong(place, "\"idle\" must be \"context\" or \"release\", not %s", shown(value, text));
    } else if (strcmp(name, "counting") == 0) {
        entry->counting = json_is_true(value);
        if (!json_is_boolean(value))
            return wrong(place, "\"counting\" must be true or false, not %s", shown(value, text));
    } else if (strcmp(name, "count") == 0) {
        *count = (int)json_integer_value(value);
        if (json_integer_value(value) < 1 || json_integer_value(value) > DEVICE_SET_MOST)
            return wrong(place, "\"count\" must be an integer from 1 to %d, not %s", DEVICE_SET_MOST,
                         shown(value, text));
    }
    return 0; /* the name was read first */
}

static int automatic_read(struct device_list *list, const json_t *object, const struct entry_place *place)
{
    const struct device_entry entry = {.automatic = true};
    struct error why = {0};
    char text[64];
    const json_t *value = json_object_get(object, "auto");
    if (!json_is_true(value))
        return wrong(place, "\"auto\" must be true, not %s", shown(value, text));
    if (json_object_size(object) > 1)
        return wrong(place,
                     "\"auto\" stands for the devices of this machine, and has no other member beside it");
    return entry_add(list, &entry, &why) == 0 ? 0 : wrong(place, "%s", why.text);
}

/* `count` devices of one entry: name-1, name-2 ...; a single one has the name itself. */
static int entries_add(struct device_list *list, const struct device_entry *entry, bool counted, int count,
                       const struct entry_place *place)
{
    for (int i = 1; i <= count; i++) {
        struct device_entry one = *entry;
        struct error why = {0};
        char name[DEVICE_LIST_NAME + 16];
        if (counted)
            snprintf(name, sizeof name, "%s-%d", entry->name, i);
        else
            memcpy(name, entry->name, sizeof entry->name);
        if (strlen(name) >= sizeof one.name)
            return wrong(place, "\"name\" is too long: the devices' names would be as %s", name);
        memcpy(one.name, name, strlen(name) + 1);
        if (entry_add(list, &one, &why) < 0)
            return wrong(place, "%s", why.text);
    }
    return 0;
}

static int entry_read(struct device_list *list, json_t *object, struct entry_place *place)
{
    struct device_entry entry = device_entry_unsaid;
    const char *name;
    json_t *value;
    char text[64];
    int count = 1;
    if (!json_is_object(object))
        return wrong(place, "it must be an object, as {\"name\": \"h200\", \"command\": \"...\"}, not %s",
                     shown(object, text));
    if (json_object_get(object, "auto"))
        return automatic_read(list, object, place);
    if (!(value = json_object_get(object, "name")))
        return wrong(place, "\"name\" is missing: what the device is called, as \"h200\"");
    if (text_member(value, "name", entry.name, sizeof entry.name, place) < 0)
        return -1;
    if (!device_list_name_valid(entry.name))
        return wrong(place, "\"name\": " NAME_RULE ", not %s", shown(value, text));
    strcpy(place->name, entry.name);
    json_object_foreach (object, name, value)
        if (member_read(&entry, name, value, &count, place) < 0)
            return -1;
    if (entry.heartbeat_s > 0 && entry.lost_s >= 0 && entry.lost_s <= 2 * entry.heartbeat_s)
        return wrong(place, "\"lost_s\" must be more than twice \"heartbeat_s\", which is %g, not %g",
                     entry.heartbeat_s, entry.lost_s);
    return entries_add(list, &entry, json_object_get(object, "count"), count, place);
}

static int document_read(struct device_list *list, json_t *document, const char *path, struct error *error)
{
    json_t *devices = json_object_get(document, "devices"), *object;
    size_t index;
    if (!json_is_array(devices) || json_object_size(document) != 1)
        return error_set(
            error, ERROR_INVALID,
            "%s must be an object with the one member \"devices\", a list of them: {\"devices\": "
            "[{\"name\": \"h200\", \"command\": \"...\"}]}",
            path);
    json_array_foreach (devices, index, object) {
        struct entry_place place = {path, (int)index, "", error};
        if (entry_read(list, object, &place) < 0)
            return -1;
    }
    return 0;
}

int device_list_parse(struct device_list *list, const char *text, const char *path, struct error *error)
{
    json_error_t why;
    json_t *document = json_loads(text, JSON_REJECT_DUPLICATES, &why);
    if (!document)
        return error_set(error, ERROR_INVALID, "%s is not JSON: line %d, column %d: %s", path, why.line,
                         why.column, why.text);
    int status = document_read(list, document, path, error);
    json_decref(document);
    return status;
}

void device_list_free(struct device_list *list)
{
    for (int i = 0; i < list->count; i++)
        free(list->entries[i].command);
    list->count = 0;
}
