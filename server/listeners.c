/* Opens and closes the listening sockets and the logs of requests. */
#include "server/listeners.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json_writer.h"
#include "base/log.h"
#include "base/notify.h"
#include "server/config.h"
#include "server/http/http.h"
#include "server/http/log_writer.h"
#include "server/http/origin_check.h"
#include "server/store/data_directory.h"

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
static int logs_open(struct listeners *listeners, const struct config *config, struct error *error)
{
    const struct log_limits limits = {
        .bytes = config->log_bytes, .files = config->log_files, .budget = log_budget, .budget_arg = config};
    if (config->access_log[0] &&
        log_writer_open(&listeners->access_log, config->access_log, &limits, error) < 0)
        return -1;
    if (config->audit_log[0] && strcmp(config->audit_log, config->access_log) == 0) {
        listeners->audit_log = listeners->access_log;
        return 0;
    }
    return config->audit_log[0] ? log_writer_open(&listeners->audit_log, config->audit_log, &limits, error)
                                : 0;
}

static int sockets_open(struct listeners *listeners, const struct config *config, struct error *error)
{
    bool tcp = strcmp(config->address, "none") != 0;
    if (!tcp && !config->socket[0])
        return error_set(error, ERROR_INVALID, "--address none needs --socket: nothing would listen");
    if (!tcp && config->port_file[0])
        return error_set(error, ERROR_INVALID, "--port-file: with --address none there is no port");
    if (tcp) {
        listeners->port = config->port;
        if ((listeners->tcp = listener_open(config->address, &listeners->port, error)) < 0)
            return -1;
    }
    if (!config->socket[0])
        return 0;
    return listener_unix_open(&listeners->unix_listener, config->socket, config->socket_mode,
                              config->socket_group, error);
}

int listeners_open(struct listeners *listeners, const struct config *config, bool tokens, struct error *error)
{
    *listeners = (struct listeners){.tcp = -1, .unix_listener.listener = -1};
    /* With tokens no guard is needed: a page of another site has none, by whatever name it reaches this
       machine. */
    bool guarded = !tokens && listener_is_local(config->address);
    if (openness_check(config, tokens, error) < 0 ||
        origin_check_new(&listeners->origin_check, config->allow_hosts, config->allow_origins, guarded,
                         error) < 0 ||
        sockets_open(listeners, config, error) < 0)
        return -1;
    return logs_open(listeners, config, error);
}

void listeners_use(const struct listeners *listeners, struct http_config *config)
{
    config->listeners[0] = listeners->tcp;
    config->listeners[1] = listeners->unix_listener.listener;
    config->origin_check = listeners->origin_check;
    config->access_log = listeners->access_log;
    config->audit_log = listeners->audit_log;
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

int listeners_announce(const struct listeners *listeners, const struct config *config, const char *instance,
                       struct error *error)
{
    int port = listeners->port;
    const char *format = strchr(config->address, ':') ? "http://[%s]:%d" : "http://%s:%d";
    struct buffer line = {0};
    struct json_writer json = {.out = &line};
    char url[128] = "";
    if (port)
        snprintf(url, sizeof url, format, config->address, port);
    json_writer_begin_object(&json, NULL);
    json_writer_string(&json, "url", port ? url : NULL);
    json_writer_int(&json, "port", port);
    json_writer_string(&json, "socket", config->socket[0] ? config->socket : NULL);
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
    return config->port_file[0] ? port_file_write(config->port_file, port, error) : 0;
}

void listeners_close(struct listeners *listeners)
{
    if (listeners->tcp >= 0)
        close(listeners->tcp);
    listener_unix_close(&listeners->unix_listener);
    if (listeners->audit_log != listeners->access_log)
        log_writer_close(listeners->audit_log);
    log_writer_close(listeners->access_log);
    origin_check_free(listeners->origin_check);
}
