#include "client/service/service_address.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "client/terminal/screen.h"

enum { TOKEN_MAX = 1024 };

int service_address_read(const char *text, char **url, char **unix_path, struct error *error)
{
    *url = *unix_path = NULL;
    if (strncmp(text, "unix:", 5) == 0) {
        const char *path = text + 5;
        if (*path != '/')
            return error_set(error, ERROR_INVALID, "\"%s\" is no address: a socket is unix:/its/path", text);
        *unix_path = strdup(path);
        *url = strdup("http://localhost");
    } else {
        bool whole = strstr(text, "://") != NULL;
        if (whole && strncmp(text, "http://", 7) != 0 && strncmp(text, "https://", 8) != 0)
            return error_set(error, ERROR_INVALID,
                             "\"%s\" is no address: http://host:port, https://host or unix:/path", text);
        if (!*text || asprintf(url, "%s%s", whole ? "" : "http://", text) < 0)
            return error_set(error, ERROR_INVALID, "\"%s\" is no address: http://host:port or unix:/path",
                             text);
        for (size_t end = strlen(*url); end > 0 && (*url)[end - 1] == '/'; end--)
            (*url)[end - 1] = '\0';
    }
    if (*url && (strncmp(text, "unix:", 5) != 0 || *unix_path))
        return 0;
    return error_set(error, ERROR_MEMORY, "no memory");
}

char *service_address_authorization(const char *path, struct screen *screen, struct error *error)
{
    char line[TOKEN_MAX + 2], *header = NULL;
    struct stat about;
    FILE *file = fopen(path, "re");
    if (!file) {
        error_set_errno(error, errno, "the token file %s", path);
        return NULL;
    }
    if (fstat(fileno(file), &about) == 0 && S_ISREG(about.st_mode) && (about.st_mode & (S_IRWXG | S_IRWXO)))
        screen_remark(screen, "others may read the token file %s: chmod 600 it", path);
    if (!fgets(line, sizeof line, file))
        line[0] = '\0';
    fclose(file);
    line[strcspn(line, "\r\n")] = '\0';
    if (!*line || line[strcspn(line, " \t")] || strlen(line) > TOKEN_MAX)
        error_set(error, ERROR_INVALID, "the first line of the token file %s is no token", path);
    else if (asprintf(&header, "Authorization: Bearer %s", line) < 0)
        error_set(error, ERROR_MEMORY, "no memory");
    explicit_bzero(line, sizeof line);
    return header;
}
