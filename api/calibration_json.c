/* Writes and reads the constants of a device, each with its unit and its spread. */
#include "api/calibration_json.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>

#include "api/json_parts.h"
#include "base/clock.h"
#include "base/json_writer.h"

static void write_constant(struct json_writer *json, const struct calibration *calibration, int which)
{
    const struct calibration_about *about = calibration_about(which);
    double value = calibration->constant[which].value, spread = calibration->constant[which].spread;
    json_writer_begin_object(json, NULL);
    json_writer_string(json, "name", about->name);
    json_writer_double(json, "value", isfinite(value) ? value : 0);
    json_writer_string(json, "unit", about->unit);
    json_writer_double(json, "spread", spread > 0 ? spread : NAN);
    json_writer_bool(json, "fitted", about->fitted);
    json_writer_string(json, "text", about->text.en);
    json_writer_string(json, "measured", about->measured.en);
    json_writer_begin_object(json, "zh");
    json_writer_string(json, "text", about->text.zh);
    json_writer_string(json, "measured", about->measured.zh);
    json_writer_end(json);
    json_writer_end(json);
}

void calibration_json_write(struct json_writer *json, const char *key, const struct calibration *calibration)
{
    char made[CLOCK_TEXT_BYTES];
    clock_text(calibration->made_ms, made);
    json_writer_begin_object(json, key);
    json_writer_string(json, "name", calibration->name);
    json_writer_string(json, "arch", calibration->arch);
    json_writer_string(json, "driver", calibration->driver);
    json_writer_string(json, "build", calibration->build);
    json_writer_string(json, "made_at", made);
    json_writer_int(json, "experiments", calibration->experiments);
    json_writer_uint(json, "multiprocessors", calibration->sms);
    json_writer_uint(json, "clock_khz", calibration->clock_khz);
    json_writer_uint(json, "l1_bytes", calibration->l1_bytes);
    if (calibration->memory_bytes)
        json_writer_uint(json, "memory_bytes", calibration->memory_bytes);
    json_writer_begin_array(json, "constants");
    for (int i = 0; i < CALIBRATION_CONSTANTS; i++)
        write_constant(json, calibration, i);
    json_writer_end(json);
    json_writer_end(json);
}

static int text_copy(const json_t *object, const char *name, char *to, size_t size)
{
    const char *text = json_string_value(json_object_get(object, name));
    return text && snprintf(to, size, "%s", text) < (int)size ? 0 : -1;
}

static const json_t *constant_find(const json_t *constants, const char *name)
{
    size_t i;
    const json_t *one;
    json_array_foreach (constants, i, one)
        if (json_parts_is(json_object_get(one, "name"), name))
            return one;
    return NULL;
}

static int object_read(struct calibration *calibration, const json_t *object)
{
    const char *made = json_string_value(json_object_get(object, "made_at"));
    *calibration = (struct calibration){
        .experiments = (int)json_integer_value(json_object_get(object, "experiments")),
        .sms = (uint32_t)json_integer_value(json_object_get(object, "multiprocessors")),
        .clock_khz = (uint32_t)json_integer_value(json_object_get(object, "clock_khz")),
        .l1_bytes = (uint64_t)json_integer_value(json_object_get(object, "l1_bytes")),
        .memory_bytes = (uint64_t)json_integer_value(json_object_get(object, "memory_bytes")),
    };
    if (!calibration->sms || !calibration->clock_khz) /* times are divided by them */
        return -1;
    if (!made || clock_read(made, &calibration->made_ms) < 0 ||
        text_copy(object, "name", calibration->name, sizeof calibration->name) < 0 ||
        text_copy(object, "arch", calibration->arch, sizeof calibration->arch) < 0 ||
        text_copy(object, "driver", calibration->driver, sizeof calibration->driver) < 0 ||
        text_copy(object, "build", calibration->build, sizeof calibration->build) < 0)
        return -1;
    for (int i = 0; i < CALIBRATION_CONSTANTS; i++) {
        const json_t *one = constant_find(json_object_get(object, "constants"), calibration_about(i)->name);
        const json_t *value = json_object_get(one, "value");
        if (!json_is_number(value))
            return -1;
        calibration->constant[i].value = json_number_value(value);
        calibration->constant[i].spread = json_number_value(json_object_get(one, "spread"));
    }
    return 0;
}

int calibration_json_read(struct calibration *calibration, const char *text)
{
    json_t *object = json_loads(text, 0, NULL);
    int status = object_read(calibration, object);
    json_decref(object);
    return status;
}
