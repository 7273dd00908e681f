/* One check for each type of parameter. */
#include "kernels/kernel_param.h"

#include <string.h>

double kernel_param_number(int64_t value)
{
    double number;
    memcpy(&number, &value, sizeof number);
    return number;
}

int64_t kernel_param_value(double number)
{
    int64_t value;
    memcpy(&value, &number, sizeof value);
    return value;
}

static void check_number(const struct kernel_param *param, int64_t value, const char *pointer,
                         struct problems *problems)
{
    double number = kernel_param_number(value), min = kernel_param_number(param->min),
           max = kernel_param_number(param->max);
    if (!(number >= min && number <= max))
        problem_add(problems, pointer, "must be from %g to %g, is %g", min, max, number);
}

static void check_unsigned(const struct kernel_param *param, int64_t value, const char *pointer,
                           struct problems *problems)
{
    if ((uint64_t)value < (uint64_t)param->min || (uint64_t)value > (uint64_t)param->max)
        problem_add(problems, pointer, "must be from %llu to %llu, is %llu", (unsigned long long)param->min,
                    (unsigned long long)param->max, (unsigned long long)value);
}

static void check_integer(const struct kernel_param *param, int64_t value, const uint64_t *size,
                          const char *pointer, struct problems *problems)
{
    bool by_size = param->max == PARAM_MAX_IS_SIZE;
    int64_t max = !by_size ? param->max : size ? (int64_t)*size : INT64_MAX;
    if (value < param->min)
        problem_add(problems, pointer, "must be at least %lld, is %lld", (long long)param->min,
                    (long long)value);
    else if (value > max)
        problem_add(problems, pointer,
                    by_size ? "must not exceed the size, %lld elements; is %lld"
                            : "must be at most %lld, is %lld",
                    (long long)max, (long long)value);
    else if (param->power_of_two && (value & (value - 1)))
        problem_add(problems, pointer, "must be a power of two from %lld to %lld, is %lld",
                    (long long)param->min, (long long)max, (long long)value);
}

void kernel_param_check(const struct kernel_param *param, int64_t value, const uint64_t *size,
                        const char *pointer, struct problems *problems)
{
    if (param->type == PARAM_NUMBER)
        check_number(param, value, pointer, problems);
    else if (param->type == PARAM_UNSIGNED)
        check_unsigned(param, value, pointer, problems);
    else
        check_integer(param, value, size, pointer, problems);
}
