#include "server/listeners.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "server/config.h"
#include "server/http/origin_check.h"
#include "server/http/listener.h"
#include "server/http/http.h"
#include "server/http/log_writer.h"
#include "server/store/store.h"

/* Whoever reaches the address could use the devices, so an open one is never an accident. */
static int openness_check(const struct config *config, bool tokens, struct error *error)
{
    if (tokens || listener_is_local(config->address))
        return 0;
    if (config->insecure) {
        log_warning("%s is open to whoever reaches it: --insecure was given", config->address);
        return 0;
    }
    return error_set(
        error, ERROR_INVALID,
        "%s can be reached from other machines: give --token-file, or --insecure to let everybody in",
        config->address);
}

/* What of the disk is the logs': where it is the data's, not what is kept free for experiments. */
static int64_t log_room(const void *arg, int file)
{
    const struct config *config = arg;
    struct stat log, data;
    bool shared = fstat(file, &log) == 0 && stat(config->data_dir, &data) == 0 && log.st_dev == data.st_dev;
    return shared ? store_log_budget_bytes(file, config->reserve_bytes) : INT64_MAX;
}

/* Both in one place are one log writer: two would write into each other's lines where a pipe takes a part of them. */
static int logs_open(struct listeners *listeners, const struct config *config, struct error *error)
{
    const struct log_limits limits = {
        .bytes = config->log_bytes, .kept = config->log_files, .room = log_room, .room_arg = config};
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
        return error_set(error, ERROR_INVALID, "--address none leaves no way in: give --socket");
    if (!tcp && config->port_file[0])
        return error_set(error, ERROR_INVALID, "--port-file: with --address none there is no port");
    if (tcp) {
        listeners->port = config->port;
        if ((listeners->listener = listener_open(config->address, &listeners->port, error)) < 0)
            return -1;
    }
    if (!config->socket[0])
        return 0;
    return unix_socket_open(&listeners->socket, config->socket, config->socket_mode, config->socket_group,
                            error);
}

int listeners_open(struct listeners *listeners, const struct config *config, bool tokens, struct error *error)
{
    *listeners = (struct listeners){.listener = -1, .socket.listener = -1};
    /* Where a token is asked for, a page has none, whatever it calls this machine. */
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
    config->listeners[0] = listeners->listener;
    config->listeners[1] = listeners->socket.listener;
    config->origin_check = listeners->origin_check;
    config->access_log = listeners->access_log;
    config->audit_log = listeners->audit_log;
}

void listeners_close(struct listeners *listeners)
{
    if (listeners->listener >= 0)
        close(listeners->listener);
    unix_socket_close(&listeners->socket);
    if (listeners->audit_log != listeners->access_log)
        log_writer_close(listeners->audit_log);
    log_writer_close(listeners->access_log);
    origin_check_free(listeners->origin_check);
}
