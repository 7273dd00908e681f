#include "server/devices/argv.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static int count_of(const char *const *words)
{
    int count = 0;
    while (words && words[count])
        count++;
    return count;
}

const char **argv_join(const char *const *words, const char *const *more)
{
    int first = count_of(words), count = first + count_of(more);
    const char **argv = calloc((size_t)count + 1, sizeof *argv);
    for (int i = 0; argv && i < count; i++)
        if (!(argv[i] = strdup(i < first ? words[i] : more[i - first]))) {
            argv_free(argv);
            return NULL;
        }
    return argv;
}

void argv_free(const char **argv)
{
    for (int i = 0; argv && argv[i]; i++)
        free((char *)argv[i]);
    free((void *)argv);
}
