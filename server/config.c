/* The table of options, and its parser. */
#include "server/config.h"

#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/suggest.h"
#include "base/log.h"
#include "base/words.h"

/* The texts: OPTION_LIST is of words between commas or blanks, OPTION_LINES of lines. A flag of these that is
   repeated adds to its text. */
enum option_type {
    OPTION_TEXT,
    OPTION_LIST,
    OPTION_LINES,
    OPTION_INTEGER,
    OPTION_SECONDS,
    OPTION_DAYS,
    OPTION_BYTES,
    OPTION_SWITCH
};

/* `fallback` is parsed like a given value; an empty one of OPTION_SECONDS becomes -1. */
static const struct config_option {
    const char *flag, *variable, *value, *fallback;
    enum option_type type;
    size_t at;
    double min, max;
    const char *help;
} options[] = {
#define AT(member) offsetof(struct config, member)
    {"--address", "COALESCED_ADDRESS", "ADDR", "127.0.0.1", OPTION_TEXT, AT(address), 0, 0,
     "address to listen on; one that other machines reach needs --token-file or --insecure; none: only "
     "--socket"},
    {"--port", "COALESCED_PORT", "PORT", "8080", OPTION_INTEGER, AT(port), 0, 65535,
     "port to listen on; 0 takes any free one"},
    {"--port-file", "COALESCED_PORT_FILE", "FILE", "", OPTION_TEXT, AT(port_file), 0, 0,
     "write the port to this file once connections are accepted"},
    {"--socket", "COALESCED_SOCKET", "PATH", "", OPTION_TEXT, AT(socket), 0, 0,
     "Unix socket to listen on too"},
    {"--socket-mode", "COALESCED_SOCKET_MODE", "MODE", "", OPTION_TEXT, AT(socket_mode), 0, 0,
     "the socket's mode, who may come in by it; by default 0600, or 0660 with --socket-group"},
    {"--socket-group", "COALESCED_SOCKET_GROUP", "GROUP", "", OPTION_TEXT, AT(socket_group), 0, 0,
     "the socket's group, a name or a number"},
    {"--allow-host", "COALESCED_ALLOW_HOST", "NAME", "", OPTION_LIST, AT(allow_hosts), 0, 0,
     "another name that the service is asked by, without a port; may be repeated. Without tokens a local "
     "address answers to localhost, 127.0.0.0/8 and [::1] alone"},
    {"--allow-origin", "COALESCED_ALLOW_ORIGIN", "ORIGIN", "", OPTION_LIST, AT(allow_origins), 0, 0,
     "let pages of that origin use the service, as https://lab.example; may be repeated"},
    {"--connections-per-address", "COALESCED_CONNECTIONS_PER_ADDRESS", "N", "1024", OPTION_INTEGER,
     AT(connections_per_address), 0, 1e6,
     "connections that one address may have open; 0: as many as all together"},
    {"--data-dir", "COALESCED_DATA_DIR", "DIR", "", OPTION_TEXT, AT(data_dir), 0, 0,
     "where experiments are kept; by default $XDG_STATE_HOME/coalesced or ~/.local/state/coalesced"},
    {"--devices", "COALESCED_DEVICES", "LIST", "", OPTION_TEXT, AT(devices), 0, 0,
     "devices of this machine, as cuda:0,cpu; auto takes all GPUs, or the CPU where there is none, and is "
     "the default where neither of the next two is given"},
    {"--device", "COALESCED_DEVICE", "NAME=COMMAND", "", OPTION_LINES, AT(device_lines), 0, 0,
     "a device by its name and what runs its experiments, as 'far=ssh host coalesced --executor'; may be "
     "repeated, the variable has one a line"},
    {"--devices-file", "COALESCED_DEVICES_FILE", "FILE", "", OPTION_TEXT, AT(devices_file), 0, 0,
     "devices as JSON, read again when it changes and on SIGHUP; docs/devices.md says what may stand in it"},
    {"--default-device", "COALESCED_DEFAULT_DEVICE", "DEVICE", "", OPTION_TEXT, AT(default_device), 0, 0,
     "where a request runs that names no device: a number, a name or any; by default the first of the list"},
    {"--calibrate", "COALESCED_CALIBRATE", "WHEN", "auto", OPTION_TEXT, AT(calibrate), 0, 0,
     "when a GPU's constants are measured: auto, when it has nothing to do and none of its driver and build, "
     "or ask, when somebody asks"},
    {"--source", "COALESCED_SOURCE", "WHAT", "predict", OPTION_TEXT, AT(source), 0, 0,
     "what is done with CUDA source in a request: predict (compiled and executed in a sandbox of this "
     "machine's processor) or off"},
    {"--executor-command", "COALESCED_EXECUTOR_COMMAND", "COMMAND", "/proc/self/exe --executor", OPTION_TEXT,
     AT(executor_command), 0, 0,
     "what runs experiments on devices that have no command of their own: words with '...' or \"...\" around "
     "blanks, no shell"},
    {"--idle-seconds", "COALESCED_IDLE_SECONDS", "S", "", OPTION_SECONDS, AT(idle_s), 0, 1e6,
     "give the device's memory back after so long without work; by default 60, and 10 where that ends a "
     "command of yours"},
    {"--grace-seconds", "COALESCED_GRACE_SECONDS", "S", "5", OPTION_SECONDS, AT(grace_s), 0, 3600,
     "how long a running experiment may still take when the service is stopped"},
    {"--hello-seconds", "COALESCED_HELLO_SECONDS", "S", "", OPTION_SECONDS, AT(hello_s), 0.1, 1e6,
     "how long an executor may take to start; by default 30, and 3600 for a command of yours"},
    {"--lost-seconds", "COALESCED_LOST_SECONDS", "S", "20", OPTION_SECONDS, AT(lost_s), 0, 86400,
     "an executor behind a command of yours is lost when nothing is heard of it for so long, and ends "
     "itself; 0: its pipe's end is what tells"},
    {"--quiet-seconds", "COALESCED_QUIET_SECONDS", "S", "0", OPTION_SECONDS, AT(quiet_s), 0, 60,
     "how long an experiment that does not say waits while somebody else computes on its device or it is too "
     "hot"},
    {"--queue-limit", "COALESCED_QUEUE_LIMIT", "N", "20000", OPTION_INTEGER, AT(queue_limit), 1, 1e6,
     "experiments that may wait"},
    {"--owner-limit", "COALESCED_OWNER_LIMIT", "N", "0", OPTION_INTEGER, AT(owner_limit), 0, 1e6,
     "experiments of one owner that may wait, where there are tokens; 0: half of --queue-limit"},
    {"--owner-seconds", "COALESCED_OWNER_SECONDS", "S", "604800", OPTION_SECONDS, AT(owner_s), 1, 1e9,
     "what the time limits of an owner's waiting experiments may add up to, where there are tokens"},
    {"--owner-kernels", "COALESCED_OWNER_KERNELS", "N", "100", OPTION_INTEGER, AT(owner_kernels), 0, 1e6,
     "kernels of their own that one owner may have stored"},
    {"--share-half-life", "COALESCED_SHARE_HALF_LIFE", "S", "3600", OPTION_SECONDS, AT(half_life_s), 1, 1e9,
     "used device time counts half after so long, when shares of device time are compared"},
    {"--attempts", "COALESCED_ATTEMPTS", "N", "3", OPTION_INTEGER, AT(attempts), 1, 100,
     "how often an experiment is begun whose service or executor is killed"},
    {"--keep-days", "COALESCED_KEEP_DAYS", "D", "0", OPTION_DAYS, AT(keep_days), 0, 1e6,
     "remove what ended longer ago, sweeps as a whole; 0 keeps all"},
    {"--keep-bytes", "COALESCED_KEEP_BYTES", "N", "0", OPTION_BYTES, AT(keep_bytes), 0, 1e18,
     "remove what ended longest ago while the database is larger; as 10G; 0 keeps all"},
    {"--undo-seconds", "COALESCED_UNDO_SECONDS", "S", "600", OPTION_SECONDS, AT(undo_s), 0, 1e7,
     "how long what was removed can be restored, before it is deleted"},
    {"--reserve-bytes", "COALESCED_RESERVE_BYTES", "N", "256M", OPTION_BYTES, AT(reserve_bytes), 0, 1e18,
     "refuse submissions that would leave less of the disk, or of half of it when that is less; 0 refuses "
     "none"},
    {"--token-file", "COALESCED_TOKEN_FILE", "FILE", "", OPTION_TEXT, AT(token_file), 0, 0,
     "who may use the service, a line a token, as coalesced token add writes it"},
    {"--insecure", "COALESCED_INSECURE", NULL, "no", OPTION_SWITCH, AT(insecure), 0, 0,
     "let every machine that reaches the address use the service without a token"},
    {"--instance", "COALESCED_INSTANCE", "ID", "", OPTION_TEXT, AT(instance), 0, 0,
     "a name for this very process, in /readyz and in every reply; by default a random one"},
    {"--threads", "COALESCED_THREADS", "N", "4", OPTION_INTEGER, AT(threads), 1, 64,
     "threads that serve connections"},
    {"--request-seconds", "COALESCED_REQUEST_SECONDS", "S", "30", OPTION_SECONDS, AT(request_s), 1, 3600,
     "how long a request may take to arrive, and a connection may be idle"},
    {"--event-comment-seconds", "COALESCED_EVENT_COMMENT_SECONDS", "S", "15", OPTION_SECONDS, AT(comment_s),
     0.05, 3600,
     "send a comment on a stream of events that had none for so long, so that proxies keep it open"},
    {"--access-log", "COALESCED_ACCESS_LOG", "FILE", "", OPTION_TEXT, AT(access_log), 0, 0,
     "write a line of JSON for each request to this file; - is standard output"},
    {"--audit-log", "COALESCED_AUDIT_LOG", "FILE", "", OPTION_TEXT, AT(audit_log), 0, 0,
     "write a line of JSON for each request that changes something, or was not allowed to; - is standard "
     "output"},
    {"--log-bytes", "COALESCED_LOG_BYTES", "N", "32M", OPTION_BYTES, AT(log_bytes), 0, 1e18,
     "rename the access or audit log to FILE.1, and FILE.1 to FILE.2, where it would become larger; 0: "
     "never"},
    {"--log-files", "COALESCED_LOG_FILES", "N", "4", OPTION_INTEGER, AT(log_files), 1, 1000,
     "keep FILE.1 to FILE.N of each log"},
    {"--log-level", "COALESCED_LOG_LEVEL", "LEVEL", "info", OPTION_TEXT, AT(log_level), 0, 0,
     "error, warning, info or debug"},
    {"--version", NULL, NULL, "no", OPTION_SWITCH, AT(version), 0, 0, "print the version and exit"},
    {"--help", NULL, NULL, "no", OPTION_SWITCH, AT(help), 0, 0, "print this and exit"},
#undef AT
};
enum { OPTIONS = sizeof options / sizeof *options };

static int switch_parse(const char *text, bool *value)
{
    enum { YES = 4 };
    static const char *const names[] = {"yes", "true", "1", "on", "no", "false", "0", "off", ""};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(text, names[i]) == 0) {
            *value = i < YES;
            return 0;
        }
    return -1;
}

/* The factor of a unit behind a number of bytes: 1 for none, 0 for an unknown one. */
static double unit_of(const char *text)
{
    static const char units[] = "KMGT";
    const char *unit = *text ? strchr(units, *text) : NULL;
    if (!*text)
        return 1;
    return unit && !text[1] ? ldexp(1, 10 * (int)(unit - units + 1)) : 0;
}

/* `name`: of the flag or variable, for the error. */
static int option_number(const struct config_option *option, const char *name, const char *text,
                         double *value, struct error *error)
{
    static const char *const numbers[] = {
        [OPTION_INTEGER] = "a whole number",
        [OPTION_SECONDS] = "a number of seconds",
        [OPTION_DAYS] = "a number of days",
        [OPTION_BYTES] = "a number of bytes, as 4096, 512M or 10G (K, M, G, T: powers of 1024),",
    };
    char *end;
    errno = 0;
    *value = strtod(text, &end);
    if (option->type == OPTION_BYTES && end > text) {
        *value *= unit_of(end);
        end = unit_of(end) > 0 ? "" : end;
    }
    bool fraction = option->type == OPTION_SECONDS || option->type == OPTION_DAYS;
    bool whole = fraction || *value == floor(*value);
    if (*text && !*end && errno == 0 && whole && *value >= option->min && *value <= option->max)
        return 0;
    return error_set(error, ERROR_INVALID, "%s must be %s from %g to %g, not \"%s\"", name,
                     numbers[option->type], option->min, option->max, text);
}

/* `between`: separates the text from the present one, to which it is appended; NULL: it replaces that. */
static int text_set(char **at, const char *text, const char *between, struct error *error)
{
    char *copy = NULL;
    bool adds = between && *at && **at;
    if (asprintf(&copy, "%s%s%s", adds ? *at : "", adds ? between : "", text) < 0)
        return error_set(error, ERROR_MEMORY, "no memory for options");
    free(*at);
    *at = copy;
    return 0;
}

/* `append`: to the text that the same flag set before. */
static int option_set(struct config *config, const struct config_option *option, const char *name,
                      const char *text, bool append, struct error *error)
{
    void *at = (char *)config + option->at;
    double number = 0;
    if (option->type <= OPTION_LINES) {
        const char *between = option->type == OPTION_LIST ? "," : option->type == OPTION_LINES ? "\n" : NULL;
        return text_set(at, text, append ? between : NULL, error);
    }
    if (option->type == OPTION_SECONDS && !*text && text == option->fallback) {
        *(double *)at = -1;
        return 0;
    }
    if (option->type == OPTION_SWITCH) {
        if (switch_parse(text, at) < 0)
            return error_set(error, ERROR_INVALID, "%s must be yes or no, not \"%s\"", name, text);
        return 0;
    }
    if (option_number(option, name, text, &number, error) < 0)
        return -1;
    if (option->type == OPTION_INTEGER)
        *(int *)at = (int)number;
    else if (option->type == OPTION_BYTES)
        *(int64_t *)at = (int64_t)number;
    else
        *(double *)at = number;
    return 0;
}

/* Reads argv[*index], and the next argument if that is its value. `given`: the flags that came before. */
static int flag_read(struct config *config, int argc, char *const *argv, int *index, bool given[OPTIONS],
                     struct error *error)
{
    const char *word = strcmp(argv[*index], "-h") == 0 ? "--help" : argv[*index];
    struct suggestion meant;
    size_t length = strcspn(word, "=");
    for (int i = 0; i < OPTIONS; i++) {
        const struct config_option *option = &options[i];
        if (strlen(option->flag) != length || strncmp(option->flag, word, length) != 0)
            continue;
        const char *value = word[length] ? word + length + 1 : NULL;
        bool again = given[i];
        given[i] = true;
        if (option->type == OPTION_SWITCH)
            return option_set(config, option, option->flag, value ? value : "yes", false, error);
        if (!value && *index + 1 >= argc)
            return error_set(error, ERROR_INVALID, "%s wants a value: %s %s", option->flag, option->flag,
                             option->value);
        return option_set(config, option, option->flag, value ? value : argv[++*index], again, error);
    }
    if (word[0] != '-')
        return error_set(
            error, ERROR_INVALID,
            "there is no command %s: the commands are token, backup and restore; --help says more", word);
    return error_set(error, ERROR_INVALID, "there is no option %s%s --help lists them", word,
                     suggest_among(&meant, word, WORDS_TABLE(options)));
}

char *config_data_dir(struct error *error)
{
    const char *named = getenv("COALESCED_DATA_DIR"), *state = getenv("XDG_STATE_HOME");
    bool given = state && state[0] == '/';
    const char *parent = named && named[0] ? named : given ? state : getenv("HOME");
    const char *below = parent == named ? "" : given ? "/coalesced" : "/.local/state/coalesced";
    char *directory = NULL;
    if (!parent || !parent[0])
        error_set(error, ERROR_INVALID, "where are experiments kept? Give --data-dir, or set HOME");
    else if (asprintf(&directory, "%s%s", parent, below) < 0) {
        directory = NULL;
        error_set(error, ERROR_MEMORY, "no memory for the data directory's name");
    }
    return directory;
}

/* Without a token file there is one owner, so owners have no limits. */
static void owners_default(struct config *config)
{
    if (!config->token_file[0]) {
        config->owner_limit = 0;
        config->owner_s = 0;
    } else if (!config->owner_limit) {
        config->owner_limit = (config->queue_limit + 1) / 2;
    }
}

int config_read(struct config *config, int argc, char *const *argv, struct error *error)
{
    bool given[OPTIONS] = {false};
    *config = (struct config){0};
    for (int i = 0; i < OPTIONS; i++) {
        const struct config_option *option = &options[i];
        if (option_set(config, option, option->flag, option->fallback, false, error) < 0)
            return -1;
        const char *value = option->variable ? getenv(option->variable) : NULL;
        if (value && option_set(config, option, option->variable, value, false, error) < 0)
            return -1;
    }
    for (int i = 1; i < argc; i++)
        if (flag_read(config, argc, argv, &i, given, error) < 0)
            return -1;
    for (int i = 0; i < OPTIONS; i++)
        if (given[i] && strcmp(options[i].flag, "--data-dir") == 0 && !config->data_dir[0])
            return error_set(error, ERROR_INVALID, "--data-dir needs the name of a directory");
    if (strcmp(config->source, "predict") != 0 && strcmp(config->source, "off") != 0)
        return error_set(error, ERROR_INVALID, "--source must be predict or off, not \"%s\"", config->source);
    if (strcmp(config->calibrate, "auto") != 0 && strcmp(config->calibrate, "ask") != 0)
        return error_set(error, ERROR_INVALID, "--calibrate must be auto or ask, not \"%s\"",
                         config->calibrate);
    owners_default(config);
    if (!config->devices[0] && !config->device_lines[0] && !config->devices_file[0] &&
        text_set(&config->devices, "auto", NULL, error) < 0)
        return -1;
    if (config->data_dir[0] || config->help || config->version)
        return 0;
    free(config->data_dir);
    config->data_dir = config_data_dir(error);
    return config->data_dir ? 0 : -1;
}

void config_warn_variables(void)
{
    static const char ours[] = "COALESCED_";
    for (char **entry = environ; *entry; entry++) {
        struct suggestion meant;
        char name[SUGGEST_NAME_MAX + 1];
        bool known = false;
        if (strncmp(*entry, ours, strlen(ours)) != 0)
            continue;
        const char *given = *entry + strlen(ours);
        snprintf(name, sizeof name, "%.*s", (int)strcspn(given, "="), given);
        suggest_begin(&meant, name);
        for (int i = 0; i < OPTIONS; i++)
            if (options[i].variable) {
                known = known || strcmp(name, options[i].variable + strlen(ours)) == 0;
                suggest_consider(&meant, options[i].variable + strlen(ours));
            }
        if (!known && meant.found)
            log_warning("there is no variable %s%s: did you mean %s%s?", ours, name, ours, meant.found);
    }
}

void config_free(struct config *config)
{
    for (int i = 0; i < OPTIONS; i++)
        if (options[i].type <= OPTION_LINES)
            free(*(char **)((char *)config + options[i].at));
    *config = (struct config){0};
}

void config_help(FILE *out)
{
    fputs("coalesced: memory experiments on a shared GPU, over HTTP\n\n"
          "usage: coalesced [options]\n"
          "       coalesced --executor ...    runs experiments for a service, over its standard input and "
          "output; has a --help of its own\n\n"
          "Each option may also be given by the variable named beside it.\n\n",
          out);
    for (int i = 0; i < OPTIONS; i++) {
        const struct config_option *option = &options[i];
        fprintf(out, "  %s%s%s", option->flag, option->value ? " " : "", option->value ? option->value : "");
        if (option->variable)
            fprintf(out, "  (%s)", option->variable);
        fprintf(out, "\n        %s", option->help);
        if (option->fallback[0] && option->type != OPTION_SWITCH)
            fprintf(out, " [%s]", option->fallback);
        fputs("\n", out);
    }
}

int config_set_log_level(const struct config *config, struct error *error)
{
    static const char *const names[] = {
        [LOG_ERROR] = "error", [LOG_WARNING] = "warning", [LOG_INFO] = "info", [LOG_DEBUG] = "debug"};
    int level = words_find(config->log_level, WORDS_TABLE(names));
    if (level >= 0) {
        log_set_level((enum log_level)level);
        return 0;
    }
    return error_set(error, ERROR_INVALID, "--log-level must be error, warning, info or debug, not \"%s\"",
                     config->log_level);
}
