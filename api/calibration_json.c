#include "api/calibration_json.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "api/text.h"
#include "base/clock.h"

static void constant_write(struct buffer *out, const struct calibration *calibration, int which)
{
    const struct calibration_about *about = calibration_about(which);
    double value = calibration->constant[which].value, spread = calibration->constant[which].spread;
    buffer_text(out, which ? ",{\"name\":" : "{\"name\":");
    text_string(out, about->name);
    buffer_text(out, ",\"value\":");
    text_real(out, isfinite(value) ? value : 0);
    buffer_text(out, ",\"unit\":");
    text_string(out, about->unit);
    buffer_text(out, ",\"spread\":");
    if (spread > 0 && isfinite(spread))
        text_real(out, spread);
    else
        buffer_text(out, "null");
    buffer_format(out, ",\"fitted\":%s,\"text\":", about->fitted ? "true" : "false");
    text_string(out, about->text);
    buffer_text(out, ",\"measured\":");
    text_string(out, about->measured);
    buffer_text(out, "}");
}

int calibration_write(struct buffer *out, const struct calibration *calibration)
{
    char made[CLOCK_TEXT_BYTES];
    clock_text(calibration->made_ms, made);
    buffer_text(out, "{\"name\":");
    text_string(out, calibration->name);
    buffer_text(out, ",\"arch\":");
    text_string(out, calibration->arch);
    buffer_text(out, ",\"driver\":");
    text_string(out, calibration->driver);
    buffer_text(out, ",\"build\":");
    text_string(out, calibration->build);
    buffer_format(out,
                  ",\"made_at\":\"%s\",\"experiments\":%d,\"multiprocessors\":%lu,\"clock_khz\":%lu,"
                  "\"l1_bytes\":%llu,\"constants\":[",
                  made, calibration->experiments, (unsigned long)calibration->sms,
                  (unsigned long)calibration->clock_khz, (unsigned long long)calibration->l1_bytes);
    for (int i = 0; i < CALIBRATION_CONSTANTS; i++)
        constant_write(out, calibration, i);
    return buffer_text(out, "]}");
}

static int text_copy(const json_t *object, const char *name, char *to, size_t room)
{
    const char *text = json_string_value(json_object_get(object, name));
    return text && snprintf(to, room, "%s", text) < (int)room ? 0 : -1;
}

static const json_t *constant_find(const json_t *constants, const char *name)
{
    size_t i;
    const json_t *one;
    json_array_foreach (constants, i, one) {
        const char *its = json_string_value(json_object_get(one, "name"));
        if (its && strcmp(its, name) == 0)
            return one;
    }
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

int calibration_read(struct calibration *calibration, const char *text)
{
    json_t *object = json_loads(text, 0, NULL);
    int status = object_read(calibration, object);
    json_decref(object);
    return status;
}
