/* Ranges of types, as values of a parameter. */
#include "kernels/source/source_param.h"

#include <float.h>
#include <stdio.h>

#include "kernels/kernel_param.h"

/* The range of a scalar type, as values of its parameter. */
static void param_range(struct kernel_param *param, enum source_base base)
{
    static const double most_real[SOURCE_BASES] = {[SOURCE_F16] = 65504,
                                                   [SOURCE_BF16] = 3.3895313892515355e38,
                                                   [SOURCE_F32] = FLT_MAX,
                                                   [SOURCE_F64] = DBL_MAX};
    unsigned bits = 8 * source_type_component_bytes(base);
    if (source_type_is_real(base)) {
        param->type = PARAM_NUMBER;
        param->min = kernel_param_value(-most_real[base]);
        param->max = kernel_param_value(most_real[base]);
    } else if (source_type_is_signed(base)) {
        param->type = PARAM_INTEGER;
        param->max = INT64_MAX >> (64 - bits);
        param->min = -param->max - 1;
    } else {
        param->type = bits == 64 ? PARAM_UNSIGNED : PARAM_INTEGER;
        param->max = (int64_t)(UINT64_MAX >> (64 - bits));
    }
}

static int64_t fallback_of(const struct source_argument *a, enum param_type type)
{
    const struct source_number *number = &a->fallback;
    if (type == PARAM_NUMBER)
        return kernel_param_value(number->real ? number->value : (double)number->whole);
    return number->whole;
}

void source_param_make(struct kernel_param *param, const struct source_argument *argument, unsigned component,
                       char name[SOURCE_PARAM_NAME_BYTES])
{
    static const struct text_pair text = {"value of a scalar argument", "标量参数的值"};
    const char letter[] = {"xyzw"[component % 4], '\0'};
    bool vector = argument->type.width > 1;
    snprintf(name, SOURCE_PARAM_NAME_BYTES, "%s%s%s", argument->name, vector ? "." : "",
             vector ? letter : "");
    *param = (struct kernel_param){.name = name, .unit = "", .text = text};
    param_range(param, argument->type.base);
    param->fallback = fallback_of(argument, param->type);
}
