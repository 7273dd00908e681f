#include "server/store/labels.h"

#include <stdbool.h>
#include <string.h>

const char *labels_find(const char *request, int *length)
{
    static const char member[] = "\"labels\":";
    const char *labels = strstr(request, member);
    if (!labels)
        return NULL;
    labels += sizeof member - 1;
    labels += strspn(labels, " ");
    if (labels[0] != '{' || labels[1] == '}')
        return NULL;
    bool quoted = false;
    const char *at = labels;
    for (; *at && (quoted || *at != '}'); at++) {
        if (*at == '"')
            quoted = !quoted;
        else if (quoted && *at == '\\' && at[1])
            at++;
    }
    *length = (int)(at - labels) + (*at == '}');
    return labels;
}
