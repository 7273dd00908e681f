/* Changes the token file while its directory is locked; parses the arguments of `coalesced token`. */
#include "server/auth/token_command.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <libgen.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/words.h"

/* ---- changes of the file ---- */

/* A change in progress. */
struct change {
    char path[PATH_MAX]; /* of the file itself, if a link was given */
    int directory;       /* its descriptor, locked; -1: not yet */
    char *text;          /* of the file, before the change; NULL: there is none */
    struct stat status;  /* of the file */
    struct tokens *tokens;
    struct buffer changed;
};

static void change_end(struct change *change)
{
    buffer_free(&change->changed);
    tokens_free(change->tokens);
    free(change->text);
    if (change->directory >= 0)
        close(change->directory);
}

/* The directory is locked and not the file, because the file is replaced. */
static int directory_lock(struct change *change, struct error *error)
{
    char copy[PATH_MAX];
    memcpy(copy, change->path, sizeof copy);
    change->directory = open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (change->directory < 0)
        return error_set_errno(error, errno, "cannot open the directory of %s", change->path);
    while (flock(change->directory, LOCK_EX) < 0)
        if (errno != EINTR)
            return error_set_errno(error, errno, "cannot lock the directory of %s", change->path);
    return 0;
}

/* Locks and reads the file. change_end() is due in either case. */
static int change_begin(struct change *change, const char *path, struct error *error)
{
    *change = (struct change){.directory = -1};
    if (tokens_path_check(path, error) < 0)
        return -1;
    if (!realpath(path, change->path) &&
        snprintf(change->path, sizeof change->path, "%s", path) >= (int)sizeof change->path)
        return error_set(error, ERROR_INVALID, "%s is too long a name", path);
    if (directory_lock(change, error) < 0)
        return -1;
    bool exists = stat(change->path, &change->status) == 0;
    if (!exists && errno != ENOENT)
        return error_set_errno(error, errno, "%s", change->path);
    if (exists && !S_ISREG(change->status.st_mode))
        return error_set(error, ERROR_INVALID, "%s is no file that could be replaced", change->path);
    if (exists && tokens_load(&change->text, change->path, error) < 0)
        return -1;
    return tokens_parse(&change->tokens, change->text ? change->text : "", change->path, error);
}

/* Gives the new file the owner and mode of the old one, so that the service can still read it. */
static int new_file_write(const struct change *change, const char *new_path, struct error *error)
{
    unlink(new_path); /* left by a change that was interrupted */
    int fd = open(new_path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0)
        return error_set_errno(error, errno, "cannot write %s", new_path);
    const struct stat *old = &change->status;
    int failed = 0;
    if (change->text && fchown(fd, old->st_uid, old->st_gid) < 0)
        failed = error_set_errno(error, errno,
                                 "cannot give %s the owner of the old one (run this as its owner or as root)",
                                 new_path);
    else if ((change->text && fchmod(fd, old->st_mode & 0777) < 0) ||
             dprintf(fd, "%s", change->changed.data) < 0 || fsync(fd) < 0)
        failed = error_set_errno(error, errno, "cannot write %s", new_path);
    if (close(fd) < 0 && !failed)
        failed = error_set_errno(error, errno, "cannot write %s", new_path);
    return failed;
}

static int change_commit(struct change *change, struct error *error)
{
    char new_path[PATH_MAX];
    if (change->changed.failed)
        return error_set(error, ERROR_MEMORY, "no memory for %s", change->path);
    if (change->changed.size >= TOKENS_FILE_BYTES)
        return error_set(error, ERROR_INVALID,
                         "%s would be larger than %d bytes, which nobody could read again", change->path,
                         TOKENS_FILE_BYTES);
    if (snprintf(new_path, sizeof new_path, "%s.new", change->path) >= (int)sizeof new_path)
        return error_set(error, ERROR_INVALID, "%s is too long a name", change->path);
    int failed = new_file_write(change, new_path, error);
    if (!failed && rename(new_path, change->path) < 0)
        failed = error_set_errno(error, errno, "cannot replace %s", change->path);
    if (failed) {
        unlink(new_path);
        return -1;
    }
    if (fsync(change->directory) < 0)
        return error_set_errno(error, errno, "%s is changed, but a power cut may undo it", change->path);
    return 0;
}

/* Copies the text without the lines of that name (NULL: none) and without `# nobody`, which the caller
   decides anew, and ends its last line. Returns how many lines the name had. */
static int lines_keep(struct change *change, const char *name)
{
    int line = 1, next = 0, removed = 0;
    for (const char *at = change->text; at && *at; line++) {
        size_t length = strcspn(at, "\n");
        length += at[length] == '\n';
        while (next < change->tokens->count && change->tokens->at[next].line < line)
            next++;
        const struct token *token = next < change->tokens->count ? &change->tokens->at[next] : NULL;
        if (name && token && token->line == line && strcmp(token->user.name, name) == 0)
            removed++;
        else if (!tokens_line_is_nobody(at))
            buffer_append(&change->changed, at, length);
        at += length;
    }
    if (change->changed.size && change->changed.data[change->changed.size - 1] != '\n')
        buffer_text(&change->changed, "\n");
    return removed;
}

static void line_add(struct change *change, const struct user *user, const uint8_t hash[TOKEN_HASH_BYTES])
{
    char digest[TOKEN_HASH_TEXT_BYTES], added[TOKEN_ADDED_BYTES];
    time_t now = time(NULL);
    struct tm utc;
    token_hash_write(hash, digest);
    strftime(added, sizeof added, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
    if (change->text)
        lines_keep(change, NULL);
    else
        buffer_text(&change->changed, "# Who may use coalesced: NAME ROLE HASH ADDED. Changed with "
                                      "`coalesced token`, or by hand; the service sees it within seconds.\n");
    buffer_format(&change->changed, "%s %s %s %s\n", user->name, role_name(user->role), digest, added);
}

int token_file_add(const char *path, const struct user *user, const char *secret, struct error *error)
{
    struct change change;
    uint8_t hash[TOKEN_HASH_BYTES];
    int failed = -1;
    if (!user_name_addable(user->name))
        return error_set(error, ERROR_INVALID, USER_NAME_RULE "; " USER_NAME_RESERVED);
    if (token_secret_check(secret, error) < 0)
        return -1;
    token_hash(secret, hash);
    if (change_begin(&change, path, error) == 0) {
        const struct token *same = tokens_find(change.tokens, hash);
        line_add(&change, user, hash);
        if (same)
            error_set(error, ERROR_CONFLICT, "%s has this token already, in line %d: it is %s's", path,
                      same->line, same->user.name);
        else
            failed = change_commit(&change, error);
    }
    change_end(&change);
    return failed;
}

int token_file_revoke(const char *path, const char *name, struct error *error)
{
    struct change change;
    int removed = -1;
    if (change_begin(&change, path, error) == 0) {
        removed = lines_keep(&change, name);
        if (removed == change.tokens->count)
            buffer_text(&change.changed, "# nobody\n");
        if (!change.text)
            removed = error_set(error, ERROR_NOT_FOUND, "there is no %s", path);
        else if (removed == 0)
            removed = error_set(error, ERROR_NOT_FOUND, "%s has no token of %s", path, name);
        else if (change_commit(&change, error) < 0)
            removed = -1;
    }
    change_end(&change);
    return removed;
}

/* ---- the command ---- */

enum { DONE = 0, FAILED = 1, WRONG = 2 };

static const char help[] =
    "coalesced token: who may use a service, and what they may do\n\n"
    "usage: coalesced token add NAME --role ROLE [--secret-stdin] [--token-file FILE]\n"
    "       coalesced token list [--token-file FILE]\n"
    "       coalesced token revoke NAME [--token-file FILE]\n\n"
    "  --role ROLE\n"
    "        admin    everything, with anybody's experiments\n"
    "        run      submit; cancel and remove what is its own; read everything\n"
    "        read     read everything\n"
    "        metrics  read /metrics, for a program that gathers them\n"
    "  --secret-stdin\n"
    "        take a token that is in use from standard input instead of making one\n"
    "  --token-file FILE  (COALESCED_TOKEN_FILE)\n"
    "        the file; add makes it where there is none. It holds no token, only hashes\n\n"
    "add prints the token, once and alone on standard output. A name may have several tokens, so that one\n"
    "can be replaced while the old one still works; revoke removes all of a name. A running service\n"
    "follows within seconds.\n\n"
    "examples:\n"
    "  coalesced token add ada --role admin --token-file /etc/coalesced/tokens\n"
    "  coalesced token add bob --role run --token-file tokens > bob.token\n"
    "  coalesced token add eve --role read --token-file tokens --secret-stdin < old.token\n"
    "  coalesced token list --token-file tokens\n"
    "  coalesced token revoke bob --token-file tokens\n";

struct token_arguments {
    const char *action, *name, *role, *path;
    bool from_stdin, help;
};

__attribute__((format(printf, 1, 2))) static int wrong(const char *format, ...)
{
    va_list arguments;
    fputs("coalesced token: ", stderr);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputs("\n  coalesced token --help says more.\n", stderr);
    return WRONG;
}

static int failed(const struct error *error)
{
    fprintf(stderr, "coalesced token: %s\n", error->text);
    return FAILED;
}

/* Reads the first line of standard input. */
static int secret_read(char *secret, size_t size, struct error *error)
{
    if (!fgets(secret, (int)size, stdin))
        return error_set(error, ERROR_INVALID, "there is no token on standard input");
    secret[strcspn(secret, "\r\n")] = '\0';
    return token_secret_check(secret, error);
}

/* Prints to standard error that the name has several tokens now, or that the file has no token of anybody else. */
static void tell_others(const struct token_arguments *asked)
{
    struct tokens *tokens = NULL;
    int count = 0;
    if (tokens_read(&tokens, asked->path, NULL) < 0)
        return;
    for (int i = 0; i < tokens->count; i++)
        count += strcmp(tokens->at[i].user.name, asked->name) == 0;
    if (tokens->count == 1)
        fprintf(stderr, "No other token is in that file.\n");
    tokens_free(tokens);
    if (count > 1)
        fprintf(stderr, "%s has %d tokens now, each with its own role: revoke removes all of them.\n",
                asked->name, count);
}

static int run_add(const struct token_arguments *asked)
{
    struct error error = {0};
    struct user user = {.role = ROLE_METRICS};
    char secret[SECRET_MAX + 3]; /* one character too many, the newline and the NUL */
    int role = asked->role ? role_of(asked->role) : -1;
    if (role < 0)
        return wrong("%s",
                     asked->role ? "--role must be metrics, read, run or admin" : "add wants --role ROLE");
    if (!user_name_addable(asked->name))
        return wrong(USER_NAME_RULE "; " USER_NAME_RESERVED);
    user.role = (enum role)role;
    snprintf(user.name, sizeof user.name, "%s", asked->name);
    int status =
        asked->from_stdin ? secret_read(secret, sizeof secret, &error) : token_secret_make(secret, &error);
    if (status == 0)
        status = token_file_add(asked->path, &user, secret, &error);
    if (status == 0 && !asked->from_stdin && (puts(secret) < 0 || fflush(stdout) != 0))
        status = error_set(&error, ERROR_SYSTEM,
                           "the token could not be printed: revoke %s, and add it again", user.name);
    explicit_bzero(secret, sizeof secret);
    if (status < 0)
        return failed(&error);
    fprintf(stderr, "%s is in %s, with the role %s.%s\n", user.name, asked->path, asked->role,
            asked->from_stdin ? "" : " The token is shown this once; the file has only its hash.");
    tell_others(asked);
    return DONE;
}

static int run_list(const struct token_arguments *asked)
{
    struct error error = {0};
    struct tokens *tokens;
    if (tokens_read(&tokens, asked->path, &error) < 0)
        return failed(&error);
    for (int i = 0; i < tokens->count; i++) {
        const struct token *token = &tokens->at[i];
        printf("%-32s %-8s %s\n", token->user.name, role_name(token->user.role),
               token->added[0] ? token->added : "-");
    }
    tokens_free(tokens);
    return fflush(stdout) == 0 ? DONE : FAILED;
}

static int run_revoke(const struct token_arguments *asked)
{
    struct error error = {0};
    int removed = token_file_revoke(asked->path, asked->name, &error);
    if (removed < 0)
        return failed(&error);
    fprintf(stderr, "%d %s of %s removed from %s\n", removed, removed == 1 ? "token" : "tokens", asked->name,
            asked->path);
    struct tokens *left = NULL;
    if (tokens_read(&left, asked->path, NULL) == 0 && left->count == 0)
        fputs("it was the last one: the file says \"# nobody\", so nobody may come in\n", stderr);
    tokens_free(left);
    return DONE;
}

static const struct action {
    const char *name;
    bool named; /* needs a NAME */
    int (*run)(const struct token_arguments *asked);
} actions[] = {{"add", true, run_add}, {"list", false, run_list}, {"revoke", true, run_revoke}};

/* DONE, or WRONG after a message. */
static int asked_read(struct token_arguments *asked, int argc, char **argv)
{
    static const struct option options[] = {{"role", required_argument, NULL, 'r'},
                                            {"token-file", required_argument, NULL, 't'},
                                            {"secret-stdin", no_argument, NULL, 's'},
                                            {"help", no_argument, NULL, 'h'},
                                            {0}};
    opterr = 0;
    for (int option; (option = getopt_long(argc, argv, ":h", options, NULL)) != -1;)
        switch (option) {
        case 'r':
            asked->role = optarg;
            break;
        case 't':
            asked->path = optarg;
            break;
        case 's':
            asked->from_stdin = true;
            break;
        case 'h':
            asked->help = true;
            break;
        case ':':
            return wrong("%s wants a value", argv[optind - 1]);
        default:
            return wrong("there is no option %s", argv[optind - 1]);
        }
    if (optind < argc)
        asked->action = argv[optind++];
    if (optind < argc)
        asked->name = argv[optind++];
    if (optind < argc)
        return wrong("\"%s\" is one word too many", argv[optind]);
    return DONE;
}

int token_command(int argc, char **argv)
{
    struct token_arguments asked = {.path = getenv("COALESCED_TOKEN_FILE")};
    if (asked_read(&asked, argc, argv) != DONE)
        return WRONG;
    if (asked.help) {
        fputs(help, stdout);
        return DONE;
    }
    int found = words_find(asked.action, WORDS_TABLE(actions));
    if (found < 0)
        return wrong(asked.action ? "there is no action %s: use add, list or revoke"
                                  : "use add, list or revoke",
                     asked.action);
    const struct action *action = &actions[found];
    if (action->named != (asked.name != NULL))
        return wrong(action->named ? "%s wants a NAME" : "%s takes no NAME", action->name);
    if ((asked.role || asked.from_stdin) && action->run != run_add)
        return wrong("%s takes neither --role nor --secret-stdin", action->name);
    if (!asked.path || !asked.path[0])
        return wrong("which file? Give --token-file FILE, or set COALESCED_TOKEN_FILE");
    return action->run(&asked);
}
