#include "server/routes/list_filter.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"

/* label=key or label=key:value */
static bool label_take(const char *text, struct list_filter *asked)
{
    size_t length = strcspn(text, ":");
    if (!length || length >= sizeof asked->label)
        return false;
    memcpy(asked->label, text, length);
    asked->filter.label = asked->label;
    if (!text[length])
        return true;
    asked->filter.label_value = asked->label_value;
    return (size_t)snprintf(asked->label_value, sizeof asked->label_value, "%s", text + length + 1) <
           sizeof asked->label_value;
}

static bool uuid_take(const char *uuid, struct list_filter *asked)
{
    if (!uuid[0] || strlen(uuid) >= sizeof asked->device_uuid || strpbrk(uuid, "\"\\"))
        return false;
    snprintf(asked->device_uuid, sizeof asked->device_uuid, "%s", uuid);
    asked->filter.device_uuid = asked->device_uuid;
    return true;
}

const char *list_filter_read(const struct request *request, struct list_filter *asked)
{
    const char *owner = request_query(request, "owner"), *label = request_query(request, "label");
    const char *uuid = request_query(request, "device_uuid");
    const char *since = request_query(request, "since"), *until = request_query(request, "until");
    *asked = (struct list_filter){.filter = {.state = -1, .device = -1}};
    if (owner && !user_name_valid(owner))
        return "owner must be a name: " USER_NAME_RULE;
    if (owner)
        asked->filter.owner = memcpy(asked->owner, owner, strlen(owner) + 1);
    if (label && !label_take(label, asked))
        return "label must be a label's name, or name:value";
    if (uuid && !uuid_take(uuid, asked))
        return "device_uuid must be a device's, as /v1/devices tells it";
    if (since && clock_read(since, &asked->filter.since_ms) < 0)
        return "since must be a time as in 2026-02-03T04:05:06Z, or a date as in 2026-02-03";
    if (until && clock_read(until, &asked->filter.until_ms) < 0)
        return "until must be a time as in 2026-02-03T04:05:06Z, or a date as in 2026-02-03";
    return NULL;
}
