#include "api/samples.h"

#include <jansson.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "api/json.h"

/* In a microsecond; and what is more than the longest sample. */
static const double picoseconds = 1e6, most_us = 1e12;

void samples_free(struct samples *samples)
{
    buffer_free(&samples->cold);
    buffer_free(&samples->hot);
    *samples = (struct samples){0};
}

int samples_copy(struct samples *to, const struct samples *from)
{
    *to = (struct samples){0};
    if (buffer_append(&to->cold, from->cold.data, from->cold.size) == 0 &&
        buffer_append(&to->hot, from->hot.data, from->hot.size) == 0)
        return 0;
    samples_free(to);
    return -1;
}

/* ---- packing ---- */

static void put(struct buffer *out, uint64_t value)
{
    char bytes[10];
    size_t count = 0;
    do {
        bytes[count] = (char)((value & 0x7f) | (value > 0x7f ? 0x80 : 0));
        value >>= 7;
        count++;
    } while (value);
    buffer_append(out, bytes, count);
}

static bool get(const char **at, const char *end, uint64_t *value)
{
    *value = 0;
    for (unsigned shift = 0; *at < end && shift < 64; shift += 7) {
        unsigned char byte = (unsigned char)*(*at)++;
        *value |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80))
            return true;
    }
    return false;
}

int samples_pack(struct buffer *out, const struct series *series)
{
    int64_t before = 0;
    put(out, series->rounds);
    for (unsigned i = 0; i < series->rounds; i++)
        put(out, series->round_end[i] - (i ? series->round_end[i - 1] : 0));
    for (unsigned i = 0; i < series->count; i++) {
        int64_t now = (int64_t)llround(fmin(series->us[i], most_us) * picoseconds);
        int64_t more = now - before;
        put(out, more < 0 ? (uint64_t)(-2 * more - 1) : (uint64_t)(2 * more));
        before = now;
    }
    return out->failed ? -1 : 0;
}

static bool rounds_read(struct series *series, const char **at, const char *end)
{
    uint64_t value;
    if (!get(at, end, &value) || value > SERIES_ROUNDS_MAX)
        return false;
    series->rounds = (unsigned)value;
    for (unsigned i = 0; i < series->rounds; i++) {
        if (!get(at, end, &value) || value > SERIES_SAMPLES_MAX - series->count)
            return false;
        series->count += (unsigned)value;
        series->round_end[i] = series->count;
    }
    return true;
}

int samples_unpack(struct series *series, const char *bytes, size_t size)
{
    const char *end = bytes + size;
    uint64_t value;
    int64_t now = 0;
    *series = (struct series){0};
    if (!rounds_read(series, &bytes, end))
        return -1;
    series->capacity = series->count;
    series->us = malloc(series->count * sizeof *series->us + 1);
    for (unsigned i = 0; series->us && i < series->count; i++) {
        if (!get(&bytes, end, &value) || value > 2 * (uint64_t)(most_us * picoseconds))
            goto damaged;
        now += (int64_t)(value >> 1) ^ -(int64_t)(value & 1);
        if (now < 0 || now > (int64_t)(most_us * picoseconds))
            goto damaged;
        series->us[i] = (double)now / picoseconds;
    }
    if (series->us && bytes == end)
        return 0;
damaged:
    free(series->us);
    *series = (struct series){0};
    return -1;
}

bool samples_valid(const char *bytes, size_t size)
{
    struct series series;
    bool valid = samples_unpack(&series, bytes, size) == 0;
    free(series.us);
    return valid;
}

/* ---- the answers ---- */

static void write_us(struct buffer *out, double us)
{
    buffer_format(out, "%.6f", us);
    while (out->size && out->data[out->size - 1] == '0' && out->data[out->size - 2] != '.')
        out->data[--out->size] = '\0';
}

/* What the result tells of them, then themselves. */
static int write_series(struct buffer *out, const char *name, const json_t *timing,
                        const struct buffer *packed)
{
    struct series series;
    if (samples_unpack(&series, packed->data, packed->size) < 0)
        return -1;
    const json_t *told = json_object_get(timing, name);
    buffer_format(out, ",\"%s\":{\"discarded\":%lld,\"launches_per_sample\":%lld,\"rounds\":[", name,
                  (long long)json_integer_value(json_object_get(told, "discarded")),
                  (long long)json_integer_value(json_object_get(told, "launches_per_sample")));
    for (unsigned i = 0; i < series.rounds; i++)
        buffer_format(out, "%s%u", i ? "," : "", series.round_end[i] - (i ? series.round_end[i - 1] : 0));
    buffer_text(out, "],\"samples_us\":[");
    for (unsigned i = 0; i < series.count; i++) {
        buffer_text(out, i ? "," : "");
        write_us(out, series.us[i]);
    }
    free(series.us);
    return buffer_text(out, "]}");
}

int samples_view(struct buffer *out, const char *id, const char *result, const struct samples *samples)
{
    json_t *object = json_loads(result, JSON_REJECT_DUPLICATES, NULL);
    const json_t *timing = json_object_get(object, "timing");
    char *placement = json_dumps(json_object_get(object, "placement"), API_JSON_FLAGS | JSON_ENCODE_ANY);
    buffer_format(out, "{\"experiment\":\"%s\",\"unit\":\"us\",\"placement\":", id);
    buffer_text(out, placement ? placement : "null");
    int failed = write_series(out, "cold", timing, &samples->cold) < 0 ||
                 write_series(out, "hot", timing, &samples->hot) < 0;
    free(placement);
    json_decref(object);
    return failed ? -1 : buffer_text(out, "}\n");
}

static int table_rows(struct buffer *out, const char *name, const struct buffer *packed)
{
    struct series series;
    if (samples_unpack(&series, packed->data, packed->size) < 0)
        return -1;
    for (unsigned i = 0, round = 0; i < series.count; i++) {
        while (i >= series.round_end[round])
            round++;
        buffer_format(out, "%s,%u,%u,", name, round, i);
        write_us(out, series.us[i]);
        buffer_text(out, "\r\n");
    }
    free(series.us);
    return out->failed ? -1 : 0;
}

int samples_table(struct buffer *out, const struct samples *samples)
{
    buffer_text(out, "time,round,index,us\r\n");
    return table_rows(out, "cold", &samples->cold) < 0 ? -1 : table_rows(out, "hot", &samples->hot);
}
