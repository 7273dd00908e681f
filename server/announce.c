#include "server/announce.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

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

int announce(const struct config *config, int port, const char *instance, struct error *error)
{
    const char *format = strchr(config->address, ':') ? "http://[%s]:%d" : "http://%s:%d";
    char url[128];
    snprintf(url, sizeof url, format, config->address, port);
    printf("{\"url\":\"%s\",\"port\":%d,\"instance\":\"%s\",\"pid\":%d}\n", url, port, instance,
           (int)getpid());
    fflush(stdout);
    log_info("listening on %s, data in %s", url, config->data_dir);
    notify("READY=1\nSTATUS=Listening on %s", url);
    return config->port_file[0] ? port_file_write(config->port_file, port, error) : 0;
}
