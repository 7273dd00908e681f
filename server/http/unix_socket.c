#include "server/http/unix_socket.h"

#include <errno.h>
#include <grp.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum { BACKLOG = 4096, MODE_OF_OWNER = 0600, MODE_OF_GROUP = 0660 };

static int mode_read(const char *text, bool grouped, mode_t *mode, struct error *error)
{
    size_t length = strlen(text);
    *mode = grouped ? MODE_OF_GROUP : MODE_OF_OWNER;
    if (!length)
        return 0;
    if (length > 4 || strspn(text, "01234567") != length || strtoul(text, NULL, 8) > 0777)
        return error_set(error, ERROR_INVALID, "--socket-mode must be octal figures as 0660, not \"%s\"",
                         text);
    *mode = (mode_t)strtoul(text, NULL, 8);
    return 0;
}

static int group_read(const char *text, gid_t *group, struct error *error)
{
    *group = (gid_t)-1;
    if (!text[0])
        return 0;
    const struct group *named = getgrnam(text);
    char *end;
    unsigned long number = strtoul(text, &end, 10);
    if (!named && (*end || number >= UINT_MAX))
        return error_set(error, ERROR_INVALID, "--socket-group: there is no group \"%s\"", text);
    *group = named ? named->gr_gid : (gid_t)number;
    return 0;
}

/* Makes way for a socket of that name. */
static int path_clear(const struct sockaddr_un *address, struct error *error)
{
    struct stat status;
    if (lstat(address->sun_path, &status) < 0)
        return 0; /* bind() says what else is wrong */
    if (!S_ISSOCK(status.st_mode))
        return error_set(error, ERROR_CONFLICT, "%s is there and is no socket; choose another --socket",
                         address->sun_path);
    int probe = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (probe < 0)
        return error_set_errno(error, errno, "socket");
    int failed = connect(probe, (const struct sockaddr *)address, sizeof *address) < 0 ? errno : 0;
    close(probe);
    if (failed != ECONNREFUSED && failed != ENOENT)
        return error_set(error, ERROR_CONFLICT, "another program listens on %s; choose another --socket",
                         address->sun_path);
    unlink(address->sun_path);
    return 0;
}

int unix_socket_open(struct unix_socket *out, const char *path, const char *mode_text, const char *group_text,
                     struct error *error)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    struct stat status;
    mode_t mode;
    gid_t group;
    out->listener = -1;
    if (strlen(path) >= sizeof address.sun_path)
        return error_set(error, ERROR_INVALID, "--socket: a path of at most %zu bytes is wanted, %s has %zu",
                         sizeof address.sun_path - 1, path, strlen(path));
    strcpy(address.sun_path, path);
    if (mode_read(mode_text, group_text[0] != '\0', &mode, error) < 0 ||
        group_read(group_text, &group, error) < 0 || path_clear(&address, error) < 0)
        return -1;
    int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (listener < 0)
        return error_set_errno(error, errno, "socket");
    if (bind(listener, (const struct sockaddr *)&address, sizeof address) < 0) {
        error_set_errno(error, errno, "cannot make the socket %s", path);
        close(listener);
        return -1;
    }
    /* Nobody can connect before it listens, so nobody comes in before mode and group are right. */
    if (chown(path, (uid_t)-1, group) < 0 || chmod(path, mode) < 0 || lstat(path, &status) < 0 ||
        listen(listener, BACKLOG) < 0) {
        /* What is not permitted is the group: the socket's owner may set any mode. */
        error_set_errno(error, errno, "cannot give the socket %s its mode and group%s", path,
                        errno == EPERM ? " (the service's user has to be a member of --socket-group)" : "");
        unlink(path);
        close(listener);
        return -1;
    }
    *out = (struct unix_socket){.listener = listener, .device = status.st_dev, .file = status.st_ino};
    strcpy(out->path, path);
    return 0;
}

void unix_socket_close(struct unix_socket *socket)
{
    struct stat status;
    if (socket->listener < 0)
        return;
    if (lstat(socket->path, &status) == 0 && status.st_dev == socket->device && status.st_ino == socket->file)
        unlink(socket->path);
    close(socket->listener);
    socket->listener = -1;
}
