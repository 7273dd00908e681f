/* Reads the query parameters that several endpoints take. */
#include "server/routes/query.h"

#include <assert.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "server/http/header_field.h"

#define BAD_TOKEN "page_token must be the next_page_token of the page before"

static const char *page_size_read(const struct request *request, int *size)
{
    const char *text = request_query(request, "page_size");
    static_assert(QUERY_PAGE_SIZE_MAX == 500, "the sentence names it");
    if (text && !header_field_number(text, 1, QUERY_PAGE_SIZE_MAX, size))
        return "page_size must be a number from 1 to 500";
    return NULL;
}

/* ---- lists ---- */

/* Copies a parameter to `to`, where *field then points; false: it is too long to name anything. */
static bool text_read(const struct request *request, const char *name, char *to, size_t size,
                      const char **field)
{
    const char *text = request_query(request, name);
    if (!text)
        return true;
    *field = to;
    return (size_t)snprintf(to, size, "%s", text) < size;
}

/* label=name or label=name:value; no name has a "=", so name=value is refused. */
static bool label_read(const char *text, struct query_list *list)
{
    size_t length = strcspn(text, ":=");
    if (!length || length >= sizeof list->label)
        return false;
    memcpy(list->label, text, length);
    list->filter.label = list->label;
    if (!text[length])
        return true;
    list->filter.label_value = list->label_value;
    return (size_t)snprintf(list->label_value, sizeof list->label_value, "%s", text + length + 1) <
           sizeof list->label_value;
}

static const char *state_read(const struct request *request, bool sweeps, int *state)
{
    const char *text = request_query(request, "state");
    if (!text)
        return NULL;
    *state = sweeps ? sweep_state_of(text) : job_state_of(text);
    if (*state >= 0)
        return NULL;
    return sweeps ? "state must be running, succeeded, finished or cancelled"
                  : "state must be queued, running, succeeded, failed or cancelled";
}

/* What only a list of experiments may be asked for. */
static const char *experiments_read(const struct request *request, struct query_list *list)
{
    struct store_filter *filter = &list->filter;
    const char *device = request_query(request, "device");
    if (!text_read(request, "kernel", list->kernel, sizeof list->kernel, &filter->kernel))
        return "kernel must be the name of a kernel";
    if (device && !header_field_number(device, 0, 999999999, &filter->device) &&
        (filter->device = service_find_device(service_of(request)->devices, device)) < 0)
        return "device must be the number of a device, or its name, as GET /v1/devices lists them";
    if (!text_read(request, "sweep", list->sweep, sizeof list->sweep, &filter->sweep) ||
        (filter->sweep && !id_valid(filter->sweep)))
        return "sweep must be the id of a sweep";
    return NULL;
}

const char *query_person(const struct request *request, const char *name)
{
    const char *text = request_query(request, name), *own = request_user(request)->name;
    return !text || strcmp(text, USER_NAME_ASKER) != 0 ? text : own[0] ? own : OWNER_NOBODY;
}

const char *query_list(const struct request *request, bool sweeps, int size, struct query_list *list)
{
    struct store_filter *filter = &list->filter;
    const char *label = request_query(request, "label"), *token = request_query(request, "page_token");
    const char *since = request_query(request, "since"), *until = request_query(request, "until");
    *list = (struct query_list){.filter = {.state = -1, .device = -1}, .size = size};
    const char *owner = query_person(request, "owner");
    if (owner && !user_name_or_nobody(owner))
        return "owner must be \"me\", a name, or " OWNER_NOBODY ": " USER_NAME_RULE;
    if (owner) {
        snprintf(list->owner, sizeof list->owner, "%s", owner);
        filter->owner = user_name_stored(list->owner);
    }
    if (label && !label_read(label, list))
        return "label must be a label's name, name:value or name=value";
    if (!text_read(request, "without_label", list->without_label, sizeof list->without_label,
                   &filter->without_label) ||
        (filter->without_label && (!filter->without_label[0] || strpbrk(filter->without_label, ":="))))
        return "without_label must be a label's name";
    if (!text_read(request, "device_uuid", list->device_uuid, sizeof list->device_uuid,
                   &filter->device_uuid) ||
        (filter->device_uuid && (!filter->device_uuid[0] || strpbrk(filter->device_uuid, "\"\\"))))
        return "device_uuid must be a device's, as /v1/devices tells it";
    if (since && clock_read(since, &filter->since_ms) < 0)
        return "since must be a time as in 2026-02-03T04:05:06Z, or a date as in 2026-02-03";
    if (until && clock_read(until, &filter->until_ms) < 0)
        return "until must be a time as in 2026-02-03T04:05:06Z, or a date as in 2026-02-03";
    if (token && !id_valid(token))
        return BAD_TOKEN;
    if (token)
        memcpy(list->token, token, sizeof list->token);
    const char *wrong = page_size_read(request, &list->size);
    if (!wrong)
        wrong = state_read(request, sweeps, &filter->state);
    return wrong ? wrong : experiments_read(request, list);
}

/* ---- a sweep's points ---- */

const char *query_sweep_page(const struct request *request, bool table, struct sweep_page *page)
{
    const char *token = request_query(request, "page_token"), *view = request_query(request, "view");
    *page = (struct sweep_page){.size = table ? INT_MAX : QUERY_PAGE_SIZE,
                                .table = table,
                                .columns = request_query(request, "columns")};
    const char *wrong = page_size_read(request, &page->size);
    if (wrong)
        return wrong;
    if (token && !header_field_number(token, 0, 999999999, &page->from))
        return BAD_TOKEN;
    if (view && strcmp(view, "runs") != 0 && strcmp(view, "summary") != 0)
        return "view must be runs or summary";
    if (view)
        page->view = view[0] == 'r' ? SWEEP_VIEW_RUNS : SWEEP_VIEW_SUMMARY;
    if (page->columns && !table)
        return "columns are a table's: ask for one with Accept: text/csv, or at /v1/sweeps/{id}.csv";
    return NULL;
}

const char *query_wait(const struct request *request, int *wait_s)
{
    const char *text = request_query(request, "wait");
    *wait_s = text ? 0 : request_prefer_wait(request);
    if (!text)
        return NULL;
    if (!text[0] || text[strspn(text, "0123456789")])
        return "wait must be a number of seconds";
    unsigned long seconds = strtoul(text, NULL, 10); /* ULONG_MAX where it does not fit */
    *wait_s = seconds < REQUEST_WAIT_MAX_S ? (int)seconds : REQUEST_WAIT_MAX_S;
    return NULL;
}
