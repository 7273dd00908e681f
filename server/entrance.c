#include "server/entrance.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "server/config.h"
#include "server/http/admission/door.h"
#include "server/http/listening/listen.h"
#include "server/http/http.h"
#include "server/http/log/journal.h"
#include "server/store/store.h"

/* Whoever reaches the address could use the devices, so an open one is never an accident. */
static int openness_check(const struct config *config, bool tokens, struct error *error)
{
    if (tokens || listen_is_local(config->address))
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

/* Both in one place are one journal: two would write into each other's lines where a pipe takes a part of them. */
static int logs_open(struct entrance *entrance, const struct config *config, struct error *error)
{
    const struct log_limits limits = {
        .bytes = config->log_bytes, .kept = config->log_files, .room = log_room, .room_arg = config};
    if (config->access_log[0] && journal_open(&entrance->access_log, config->access_log, &limits, error) < 0)
        return -1;
    if (config->audit_log[0] && strcmp(config->audit_log, config->access_log) == 0) {
        entrance->audit_log = entrance->access_log;
        return 0;
    }
    return config->audit_log[0] ? journal_open(&entrance->audit_log, config->audit_log, &limits, error) : 0;
}

static int listeners_open(struct entrance *entrance, const struct config *config, struct error *error)
{
    bool tcp = strcmp(config->address, "none") != 0;
    if (!tcp && !config->socket[0])
        return error_set(error, ERROR_INVALID, "--address none leaves no way in: give --socket");
    if (!tcp && config->port_file[0])
        return error_set(error, ERROR_INVALID, "--port-file: with --address none there is no port");
    if (tcp) {
        entrance->port = config->port;
        if ((entrance->listener = listen_open(config->address, &entrance->port, error)) < 0)
            return -1;
    }
    if (!config->socket[0])
        return 0;
    return unix_open(&entrance->socket, config->socket, config->socket_mode, config->socket_group, error);
}

int entrance_open(struct entrance *entrance, const struct config *config, bool tokens, struct error *error)
{
    *entrance = (struct entrance){.listener = -1, .socket.listener = -1};
    /* Where a token is asked for, a page has none, whatever it calls this machine. */
    bool guarded = !tokens && listen_is_local(config->address);
    if (openness_check(config, tokens, error) < 0 ||
        door_new(&entrance->door, config->allow_hosts, config->allow_origins, guarded, error) < 0 ||
        listeners_open(entrance, config, error) < 0)
        return -1;
    return logs_open(entrance, config, error);
}

void entrance_use(const struct entrance *entrance, struct http_config *config)
{
    config->listeners[0] = entrance->listener;
    config->listeners[1] = entrance->socket.listener;
    config->door = entrance->door;
    config->access_log = entrance->access_log;
    config->audit_log = entrance->audit_log;
}

void entrance_close(struct entrance *entrance)
{
    if (entrance->listener >= 0)
        close(entrance->listener);
    unix_close(&entrance->socket);
    if (entrance->audit_log != entrance->access_log)
        journal_close(entrance->audit_log);
    journal_close(entrance->access_log);
    door_free(entrance->door);
}
