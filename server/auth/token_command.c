/* Parses the arguments of `coalesced token` and changes or prints the file. */
#include "server/auth/token_command.h"

#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/auth/token_file.h"
#include "server/auth/tokens.h"

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
    "add prints the token, once and alone on standard output. A name may have several tokens, so that one "
    "can be\n"
    "replaced while the old one still works; revoke removes all of a name. A running service follows within "
    "seconds.\n\n"
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
    fprintf(stderr, "\n\n%s", help);
    return WRONG;
}

static int failed(const struct error *error)
{
    fprintf(stderr, "coalesced token: %s\n", error->text);
    return FAILED;
}

/* ---- actions ---- */

/* Reads the first line of standard input. */
static int secret_read(char *secret, size_t size, struct error *error)
{
    if (!fgets(secret, (int)size, stdin))
        return error_set(error, ERROR_INVALID, "there is no token on standard input");
    secret[strcspn(secret, "\r\n")] = '\0';
    return token_secret_check(secret, error);
}

static int add(const struct token_arguments *asked)
{
    struct error error = {0};
    struct user user = {.role = ROLE_METRICS};
    char secret[SECRET_MAX + 3]; /* one character too many, the newline and the NUL */
    int role = asked->role ? role_of(asked->role) : -1;
    if (role < 0)
        return wrong("%s",
                     asked->role ? "--role must be metrics, read, run or admin" : "add wants --role ROLE");
    if (!user_name_valid(asked->name))
        return wrong(USER_NAME_RULE);
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
    return DONE;
}

static int list(const struct token_arguments *asked)
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

static int revoke(const struct token_arguments *asked)
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
} actions[] = {{"add", true, add}, {"list", false, list}, {"revoke", true, revoke}};
enum { ACTIONS = sizeof actions / sizeof *actions };

/* ---- arguments ---- */

/* DONE, or WRONG after a message. */
static int asked_read(struct token_arguments *asked, int argc, char **argv)
{
    static const struct option options[] = {{"role", required_argument, NULL, 'r'},
                                            {"token-file", required_argument, NULL, 't'},
                                            {"secret-stdin", no_argument, NULL, 's'},
                                            {"help", no_argument, NULL, 'h'},
                                            {0}};
    const char **words[] = {&asked->action, &asked->name};
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
    for (size_t i = 0; i < sizeof words / sizeof *words && optind < argc; i++)
        *words[i] = argv[optind++];
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
    const struct action *action = NULL;
    for (int i = 0; asked.action && i < ACTIONS; i++)
        if (strcmp(asked.action, actions[i].name) == 0)
            action = &actions[i];
    if (!action)
        return wrong("add, list or revoke is wanted");
    if (action->named != (asked.name != NULL))
        return wrong(action->named ? "%s wants a NAME" : "%s takes no NAME", action->name);
    if ((asked.role || asked.from_stdin) && action->run != add)
        return wrong("%s takes neither --role nor --secret-stdin", action->name);
    if (!asked.path || !asked.path[0])
        return wrong("which file? Give --token-file FILE, or set COALESCED_TOKEN_FILE");
    return action->run(&asked);
}
