/* The options of the service: one table of flags, COALESCED_* variables and defaults. A flag overrides its
   variable, a variable the default. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"

/* Texts are owned; free them with config_free(). */
struct config {
    char *address; /* "none": no TCP */
    int port;
    char *socket, *socket_mode, *socket_group; /* empty: none */
    char *allow_hosts, *allow_origins;         /* words between commas or blanks */
    int connections_per_address;
    char *port_file; /* empty: none */
    char *data_dir;
    char *devices;        /* "auto", or a list as "cuda:0,cpu"; empty: none */
    char *device_lines;   /* "NAME=COMMAND" lines; empty: none */
    char *devices_file;   /* empty: none */
    char *calibrate;      /* "auto" or "ask" */
    char *source;         /* "predict" or "off" */
    char *default_device; /* a number, a name or "any"; empty: the first of the list */
    char *executor_command;
    double idle_s, hello_s; /* negative: not given */
    double lost_s;
    double grace_s, quiet_s;
    int queue_limit, attempts;
    int owner_kernels;
    int owner_limit; /* as owner_s 0 without a token file, where there is one owner */
    double owner_s, half_life_s;
    double keep_days;                  /* 0: no limit */
    int64_t keep_bytes, reserve_bytes; /* 0: none */
    double undo_s;                     /* what was removed can be restored for so long */
    char *token_file;                  /* empty: none */
    bool insecure;
    char *instance; /* empty: a random one */
    int threads;
    double request_s, comment_s;
    char *access_log, *audit_log; /* empty: none */
    int64_t log_bytes;            /* 0: no limit */
    int log_files;
    char *log_level;
    bool help, version;
};

/* Reads the variables and then the flags. 0, or -1 with ERROR_INVALID naming the flag or variable, or
   ERROR_MEMORY. config_free() is due in either case. */
int config_read(struct config *config, int argc, char *const *argv, struct error *error);
void config_free(struct config *config);

/* The data directory without the option: $COALESCED_DATA_DIR, or the default. To be freed. NULL:
   ERROR_INVALID (neither that nor HOME is set) or ERROR_MEMORY. */
char *config_data_dir(struct error *error);

/* Prints the text of --help. */
void config_help(FILE *out);

/* Logs a warning for each environment variable that begins with COALESCED_ and looks like a mistyped option. Other unknown
   ones may belong to another program, as COALESCED_URL belongs to the command. */
void config_warn_variables(void);

/* Applies --log-level. */
int config_set_log_level(const struct config *config, struct error *error);
