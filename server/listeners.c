/* Opens and closes the listening sockets and the logs of requests, and removes stale socket files. */
#include "server/listeners.h"

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

#include "base/json_writer.h"
#include "base/log.h"
#include "base/notify.h"
#include "server/config.h"
#include "server/http/log_writer.h"
#include "server/http/origin_check.h"
#include "server/store/data_directory.h"

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

int listener_check_address(const char *text, struct error *error)
{
    union address address;
    if (strcmp(text, "none") == 0 || address_parse(text, 0, &address))
        return 0;
    return error_set(error, ERROR_INVALID,
                     "--address must be an IPv4 or IPv6 address in figures, localhost or none, not \"%s\"",
                     text);
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
    if (bind(listener, &address.any, size) < 0 || listen(listener, BACKLOG) < 0 ||
        getsockname(listener, &address.any, &size) < 0) {
        if (errno == EADDRINUSE)
            error_set(error, ERROR_CONFLICT,
                      "port %d of %s is taken by another program; choose one with --port (0: any free one)",
                      *port, text);
        else
            error_set_errno(error, errno, "cannot listen on %s port %d", text, *port);
        close(listener);
        return -1;
    }
    *port = ntohs(address.any.sa_family == AF_INET ? address.v4.sin_port : address.v6.sin6_port);
    return listener;
}

/* ---- a Unix socket ---- */

static int mode_read(const char *text, bool grouped, mode_t *mode, struct error *error)
{
    size_t length = strlen(text);
    *mode = grouped ? 0660 : 0600;
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

static int unix_open(struct listeners *listeners, struct error *error)
{
    const struct config *config = listeners->config;
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const char *path = config->socket;
    struct stat status;
    mode_t mode;
    gid_t group;
    if (strlen(path) >= sizeof address.sun_path)
        return error_set(error, ERROR_INVALID, "--socket: a path of at most %zu bytes is wanted, %s has %zu",
                         sizeof address.sun_path - 1, path, strlen(path));
    strcpy(address.sun_path, path);
    if (mode_read(config->socket_mode, config->socket_group[0], &mode, error) < 0 ||
        group_read(config->socket_group, &group, error) < 0 || path_clear(&address, error) < 0)
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
    listeners->http.listeners[1] = listener;
    listeners->device = status.st_dev;
    listeners->file = status.st_ino;
    return 0;
}

/* ---- all that the options name ---- */

/* An address that other machines reach, without tokens, must be asked for. */
static int openness_check(const struct config *config, bool tokens, struct error *error)
{
    if (tokens || listener_is_local(config->address))
        return 0;
    if (config->insecure) {
        log_warning("%s is open to everybody who reaches it: --insecure was given", config->address);
        return 0;
    }
    return error_set(
        error, ERROR_INVALID,
        "%s can be reached from other machines: give --token-file, or --insecure to let everybody in",
        config->address);
}

/* How many bytes the logs may take of the disk: on the data's disk not what is reserved for experiments. */
static int64_t log_budget(const void *arg, int file)
{
    const struct config *config = arg;
    struct stat log, data;
    bool shared = fstat(file, &log) == 0 && stat(config->data_dir, &data) == 0 && log.st_dev == data.st_dev;
    return shared ? disk_reserve_log_bytes(file, config->reserve_bytes) : INT64_MAX;
}

/* Two logs in one file share a writer: a pipe may take a part of a line, so that two writers would mix their
   lines. */
static int logs_open(struct listeners *listeners, struct error *error)
{
    const struct config *config = listeners->config;
    struct http_config *http = &listeners->http;
    const struct log_limits limits = {
        .bytes = config->log_bytes, .files = config->log_files, .budget = log_budget, .budget_arg = config};
    if (config->access_log[0] && log_writer_open(&http->access_log, config->access_log, &limits, error) < 0)
        return -1;
    if (config->audit_log[0] && strcmp(config->audit_log, config->access_log) == 0) {
        http->audit_log = http->access_log;
        return 0;
    }
    return config->audit_log[0] ? log_writer_open(&http->audit_log, config->audit_log, &limits, error) : 0;
}

static int sockets_open(struct listeners *listeners, struct error *error)
{
    const struct config *config = listeners->config;
    int *listener = &listeners->http.listeners[0];
    bool tcp = strcmp(config->address, "none") != 0;
    if (!tcp && !config->socket[0])
        return error_set(error, ERROR_INVALID, "--address none needs --socket: nothing would listen");
    mode_t mode;
    gid_t group;
    /* Checked without --socket too, where neither is used. */
    if (mode_read(config->socket_mode, false, &mode, error) < 0 ||
        group_read(config->socket_group, &group, error) < 0)
        return -1;
    if (!tcp && config->port_file[0])
        return error_set(error, ERROR_INVALID, "--port-file: with --address none there is no port");
    if (tcp) {
        listeners->port = config->port;
        if ((*listener = listener_open(config->address, &listeners->port, error)) < 0)
            return -1;
    }
    return config->socket[0] ? unix_open(listeners, error) : 0;
}

int listeners_open(struct listeners *listeners, const struct config *config, bool tokens, struct error *error)
{
    listeners->config = config;
    /* With tokens no guard is needed: a page of another site has none, by whatever name it reaches this
       machine. */
    bool guarded = !tokens && listener_is_local(config->address);
    if (openness_check(config, tokens, error) < 0 ||
        origin_check_new(&listeners->origin_check, config->allow_hosts, config->allow_origins, guarded,
                         error) < 0)
        return -1;
    listeners->http.origin_check = listeners->origin_check;
    return sockets_open(listeners, error) < 0 ? -1 : logs_open(listeners, error);
}

/* Writes another file and renames it, so that a program that waits for the file never reads a part of it. */
static int port_file_write(const char *path, int port, struct error *error)
{
    char unfinished[4096];
    snprintf(unfinished, sizeof unfinished, "%s.new", path);
    FILE *file = fopen(unfinished, "we");
    bool written = file && fprintf(file, "%d\n", port) > 0;
    if ((file && fclose(file) != 0) || !written || rename(unfinished, path) < 0)
        return error_set_errno(error, errno, "cannot write the port to %s", path);
    return 0;
}

int listeners_announce(struct listeners *listeners, const char *instance, struct error *error)
{
    const struct config *config = listeners->config;
    int port = listeners->port;
    const char *format = strchr(config->address, ':') ? "http://[%s]:%d" : "http://%s:%d";
    struct buffer line = {0};
    struct json_writer json = {.out = &line};
    char url[128] = "";
    if (listeners->announced)
        return 0;
    listeners->announced = true;
    if (config->port_file[0] && port_file_write(config->port_file, port, error) < 0)
        return -1;
    if (port)
        snprintf(url, sizeof url, format, config->address, port);
    json_writer_begin_object(&json, NULL);
    json_writer_string(&json, "url", port ? url : NULL);
    json_writer_int(&json, "port", port);
    json_writer_name(&json, "socket", config->socket);
    json_writer_string(&json, "instance", instance);
    json_writer_int(&json, "pid", getpid());
    json_writer_end(&json);
    buffer_text(&line, "\n");
    if (line.failed)
        error_set(error, ERROR_MEMORY, "no memory for the announcement");
    else
        fputs(line.data, stdout);
    fflush(stdout);
    buffer_free(&line);
    if (error->kind != ERROR_NONE)
        return -1;
    const char *between = port && config->socket[0] ? " and " : "";
    log_info("listening on %s%s%s, data in %s", url, between, config->socket, config->data_dir);
    notify("READY=1\nSTATUS=Listening on %s%s%s", url, between, config->socket);
    return 0;
}

void listeners_close(struct listeners *listeners)
{
    const struct http_config *http = &listeners->http;
    struct stat status;
    if (http->listeners[1] > 0 && lstat(listeners->config->socket, &status) == 0 &&
        status.st_dev == listeners->device && status.st_ino == listeners->file)
        unlink(listeners->config->socket);
    for (int i = 0; i < HTTP_LISTENERS; i++)
        if (http->listeners[i] > 0)
            close(http->listeners[i]);
    if (http->audit_log != http->access_log)
        log_writer_close(http->audit_log);
    log_writer_close(http->access_log);
    origin_check_free(listeners->origin_check);
}
