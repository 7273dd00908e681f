/* Packs samples as differences of picoseconds, unpacks them, and writes them. */
#include "api/samples.h"

#include <jansson.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "api/json_parts.h"

/* Picoseconds in a microsecond; an upper bound of a sample, in microseconds. */
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
        int64_t change = now - before;
        put(out, change < 0 ? (uint64_t)(-2 * change - 1) : (uint64_t)(2 * change));
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

/* What the result says of the series, and the samples themselves. */
static int write_series(struct json_writer *json, const char *name, const json_t *timing,
                        const struct buffer *packed)
{
    struct series series;
    if (samples_unpack(&series, packed->data, packed->size) < 0)
        return -1;
    const json_t *figures = json_object_get(timing, name);
    json_writer_begin_object(json, name);
    json_writer_int(json, "discarded", json_integer_value(json_object_get(figures, "discarded")));
    json_writer_int(json, "launches_per_sample",
                    json_integer_value(json_object_get(figures, "launches_per_sample")));
    json_writer_begin_array(json, "rounds");
    for (unsigned i = 0; i < series.rounds; i++)
        json_writer_uint(json, NULL, series.round_end[i] - (i ? series.round_end[i - 1] : 0));
    json_writer_end(json);
    json_writer_begin_array(json, "samples_us");
    for (unsigned i = 0; i < series.count; i++)
        json_writer_double(json, NULL, series.us[i]);
    json_writer_end(json);
    json_writer_end(json);
    free(series.us);
    return 0;
}

int samples_view(struct buffer *out, const char *id, const char *result, const struct samples *samples)
{
    struct json_writer json = {.out = out};
    json_t *object = json_loads(result, JSON_REJECT_DUPLICATES, NULL);
    const json_t *timing = json_object_get(object, "timing");
    json_writer_begin_object(&json, NULL);
    json_writer_string(&json, "experiment", id);
    json_writer_string(&json, "unit", "us");
    json_parts_tree(&json, "placement", json_object_get(object, "placement"));
    bool written = write_series(&json, "cold", timing, &samples->cold) == 0 &&
                   write_series(&json, "hot", timing, &samples->hot) == 0;
    json_writer_end(&json);
    json_decref(object);
    return written && json_writer_finish(&json) == 0 ? buffer_text(out, "\n") : -1;
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
        json_writer_double(&(struct json_writer){.out = out}, NULL, series.us[i]);
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
