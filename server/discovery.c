#include "server/discovery.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "api/text.h"
#include "base/buffer.h"
#include "base/log.h"
#include "base/notify.h"
#include "server/config.h"

/* Written under another name and renamed, so that whoever waits for the file never reads half of it. */
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

int discovery_announce(const struct config *config, int port, const char *instance, struct error *error)
{
    const char *format = strchr(config->address, ':') ? "http://[%s]:%d" : "http://%s:%d";
    struct buffer line = {0};
    char url[128] = "";
    if (port)
        snprintf(url, sizeof url, format, config->address, port);
    buffer_text(&line, "{\"url\":");
    text_string(&line, port ? url : NULL);
    buffer_format(&line, ",\"port\":%d,\"socket\":", port);
    text_string(&line, config->socket[0] ? config->socket : NULL);
    buffer_format(&line, ",\"instance\":\"%s\",\"pid\":%d}\n", instance, (int)getpid());
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
