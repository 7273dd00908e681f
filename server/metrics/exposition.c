#include "server/metrics/exposition.h"

#include <stdio.h>

void exposition_family(struct buffer *out, const char *name, const char *type, const char *help)
{
    buffer_format(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

void exposition_sample(struct buffer *out, const char *name, const char *labels, double value)
{
    bool some = labels && labels[0];
    /* 15 digits: every count below 10^15 is whole, and 0.1 is not 0.10000000000000001. */
    buffer_format(out, "%s%s%s%s %.15g\n", name, some ? "{" : "", some ? labels : "", some ? "}" : "", value);
}

void exposition_single(struct buffer *out, const char *name, const char *type, const char *help, double value)
{
    exposition_family(out, name, type, help);
    exposition_sample(out, name, NULL, value);
}

void exposition_label(char *to, size_t size, const char *name, const char *value)
{
    size_t used = (size_t)snprintf(to, size, "%s=\"", name);
    for (; *value && used + 4 < size; value++) {
        if (*value == '\\' || *value == '"' || *value == '\n')
            to[used++] = '\\';
        to[used++] = *value;
        if (*value == '\n')
            to[used - 1] = 'n';
    }
    snprintf(to + used, size - used, "\"");
}
