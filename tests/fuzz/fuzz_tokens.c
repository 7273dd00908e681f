/* The file of tokens: whatever it holds, it is read or rejected with a reason, and only a line of it is a token. */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "server/http/admission/tokens.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int file = -1;
static char path[64];

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    log_set_level(LOG_ERROR);
    file = memfd_create("tokens", MFD_CLOEXEC);
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    return file < 0 || fchmod(file, 0600) < 0 ? -1 : 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tokens *tokens = NULL;
    struct error error = {0};
    if (ftruncate(file, 0) < 0 || pwrite(file, data, size, 0) != (ssize_t)size)
        return 0;
    if (tokens_read(&tokens, path, &error) < 0) {
        if (error.kind == ERROR_NONE || !error.text[0])
            abort();
        return 0;
    }
    char *text = strndup((const char *)data, size);
    if (tokens_allow(tokens, "") || tokens_allow(tokens, "no-line-of-any-file-has-this!"))
        abort();
    /* Each line that begins with a token's character is one. */
    for (char *rest = text, *line; rest && (line = strsep(&rest, "\n"));) {
        line[strcspn(line, " \t\r")] = '\0';
        if (line[0] && line[0] != '#' && strlen(text) == strnlen(text, size) &&
            memchr(data, 0, size) == NULL && !tokens_allow(tokens, line))
            abort();
    }
    free(text);
    tokens_free(tokens);
    return 0;
}
