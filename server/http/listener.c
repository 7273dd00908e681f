/* Binds TCP and Unix sockets and removes stale socket files. */
#include "server/http/listener.h"

#include <arpa/inet.h>
#include <errno.h>
#include <grp.h>
#include <limits.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum { BACKLOG = 4096 };

/* ---- TCP ---- */

union address {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
};

/* Returns the address's size in bytes; 0: the text is not an address. */
static socklen_t address_parse(const char *text, int port, union address *address)
{
    memset(address, 0, sizeof *address);
    if (strcmp(text, "localhost") == 0)
        text = "127.0.0.1";
    if (inet_pton(AF_INET, text, &address->v4.sin_addr) == 1) {
        address->v4.sin_family = AF_INET;
        address->v4.sin_port = htons((uint16_t)port);
        return sizeof address->v4;
    }
    if (inet_pton(AF_INET6, text, &address->v6.sin6_addr) == 1) {
        address->v6.sin6_family = AF_INET6;
        address->v6.sin6_port = htons((uint16_t)port);
        return sizeof address->v6;
    }
    return 0;
}

bool listener_is_local(const char *text)
{
    union address address;
    if (strcmp(text, "none") == 0)
        return true;
    if (!address_parse(text, 0, &address))
        return false;
    if (address.any.sa_family == AF_INET)
        return ntohl(address.v4.sin_addr.s_addr) >> 24 == 127;
    return IN6_IS_ADDR_LOOPBACK(&address.v6.sin6_addr);
}

static int bound_port(int listener, struct error *error)
{
    union address address = {0};
    socklen_t size = sizeof address;
    if (getsockname(listener, &address.any, &size) < 0)
        return error_set_errno(error, errno, "getsockname");
    return ntohs(address.any.sa_family == AF_INET ? address.v4.sin_port : address.v6.sin6_port);
}

int listener_open(const char *text, int *port, struct error *error)
{
    union address address;
    socklen_t size = address_parse(text, *port, &address);
    if (!size)
        return error_set(error, ERROR_INVALID,
                         "%s is not an address to listen on: an IPv4 or IPv6 address in figures is wanted",
                         text);
    int listener = socket(address.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (listener < 0)
        return error_set_errno(error, errno, "socket");
    /* Allows the port while connections of an earlier service are in TIME_WAIT; it does not allow two
       listeners on a port. */
    int yes = 1;
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (bind(listener, &address.any, size) < 0 || listen(listener, BACKLOG) < 0) {
        if (errno == EADDRINUSE)
            error_set(error, ERROR_CONFLICT,
                      "port %d of %s is taken by another program; choose one with --port (0: any free one)",
                      *port, text);
        else
            error_set_errno(error, errno, "cannot listen on %s port %d", text, *port);
        goto failed;
    }
    if ((*port = bound_port(listener, error)) < 0)
        goto failed;
    return listener;
failed:
    close(listener);
    return -1;
}

/* ---- a Unix socket ---- */

enum { MODE_OF_OWNER = 0600, MODE_OF_GROUP = 0660 };

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

/* Removes a socket file of that name on which no program listens. */
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

int listener_unix_open(struct unix_listener *out, const char *path, const char *mode_text,
                       const char *group_text, struct error *error)
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
    /* A client cannot connect before listen(), so none connects before mode and group are set. */
    if (chown(path, (uid_t)-1, group) < 0 || chmod(path, mode) < 0 || lstat(path, &status) < 0 ||
        listen(listener, BACKLOG) < 0) {
        /* EPERM is about the group: the socket's owner may set any mode. */
        error_set_errno(error, errno, "cannot give the socket %s its mode and group%s", path,
                        errno == EPERM ? " (the service's user has to be a member of --socket-group)" : "");
        unlink(path);
        close(listener);
        return -1;
    }
    *out = (struct unix_listener){.listener = listener, .device = status.st_dev, .file = status.st_ino};
    strcpy(out->path, path);
    return 0;
}

void listener_unix_close(struct unix_listener *socket)
{
    struct stat status;
    if (socket->listener < 0)
        return;
    if (lstat(socket->path, &status) == 0 && status.st_dev == socket->device && status.st_ino == socket->file)
        unlink(socket->path);
    close(socket->listener);
    socket->listener = -1;
}
