/* Has the tokens of the file in memory, and a thread that reads a changed file: the file may lie on a network
   file system, where a read can block for long. */
#include "server/auth/users.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "base/thread.h"

static const int64_t look_ns = 1000000000;

struct users {
    char *path;
    pthread_t thread;
    struct stat seen; /* of the file, when it was read last; used by users_start() and then by the thread */

    pthread_mutex_t lock; /* guards what follows */
    pthread_cond_t wake;  /* when stopping is set */
    bool stopping;
    struct tokens *tokens;
    uint64_t last_serial;
    unsigned changes;
    struct error wrong; /* of the file as it is now; set by the thread alone */
};

static bool token_same(const struct token *one, const struct token *other)
{
    return one->user.role == other->user.role && strcmp(one->user.name, other->user.name) == 0;
}

/* Logs each token of `from` that `to` lacks. The audit log has requests only, so this is the record of
   changed rights. */
static void changes_log(const struct tokens *from, const struct tokens *to, const char *what)
{
    for (int i = 0; i < from->count; i++) {
        const struct token *token = &from->at[i], *still = tokens_find(to, token->hash);
        if (!still || !token_same(token, still))
            log_info("a token of %s with the role %s was %s", token->user.name, role_name(token->user.role),
                     what);
    }
}

/* Takes ownership of the tokens. */
static void tokens_apply(struct users *users, struct tokens *tokens)
{
    if (!tokens->count)
        log_warning("%s says \"# nobody\": no token is accepted", users->path);
    pthread_mutex_lock(&users->lock);
    struct tokens *old = users->tokens;
    for (int i = 0; i < tokens->count; i++) { /* a token that was in the file before keeps its number */
        struct token *token = &tokens->at[i];
        const struct token *before = old ? tokens_find(old, token->hash) : NULL;
        token->serial = before && token_same(before, token) ? before->serial : ++users->last_serial;
    }
    users->tokens = tokens;
    users->changes++;
    users->wrong = (struct error){0};
    pthread_mutex_unlock(&users->lock);
    if (old) { /* only this thread replaces users->tokens, so reading `tokens` needs no lock */
        changes_log(old, tokens, "removed");
        changes_log(tokens, old, "added");
    }
    tokens_free(old);
}

/* A file without a token may be in the middle of being written, or cut short by a full disk: it must not lock
   everybody out. `running`: the service has users, and reads the file again. */
static int users_read(struct tokens **tokens, const char *path, bool running, struct error *error)
{
    if (tokens_read(tokens, path, error) < 0)
        return -1;
    if ((*tokens)->count || (*tokens)->nobody)
        return 0;
    tokens_free(*tokens);
    if (running)
        return error_set(error, ERROR_INVALID,
                         "%s holds no token; the tokens read before stay valid. Restore the file from a "
                         "copy: if a token is added to the empty file, only that one is valid. To let nobody "
                         "in, write the line \"# nobody\"",
                         path);
    return error_set(error, ERROR_INVALID,
                     "%s holds no token: coalesced token add NAME --role admin --token-file %s; where nobody "
                     "shall come in, the line \"# nobody\" says so",
                     path, path);
}

static void users_reload(struct users *users)
{
    struct tokens *tokens;
    struct error why = {0};
    if (users_read(&tokens, users->path, true, &why) == 0) {
        log_info("%s changed: %d token%s", users->path, tokens->count, tokens->count == 1 ? "" : "s");
        tokens_apply(users, tokens);
        return;
    }
    if (strcmp(users->wrong.text, why.text) != 0) /* an error is logged once, not each second */
        log_error("the users stay as they were: %s", why.text);
    pthread_mutex_lock(&users->lock);
    users->wrong = why;
    pthread_mutex_unlock(&users->lock);
}

static void *users_main(void *arg)
{
    struct users *users = arg;
    bool exists;
    pthread_mutex_lock(&users->lock);
    while (!users->stopping) {
        thread_wait_until(&users->wake, &users->lock, clock_monotonic_ns() + look_ns);
        pthread_mutex_unlock(&users->lock);
        if (file_changed(users->path, &users->seen, &exists))
            users_reload(users);
        pthread_mutex_lock(&users->lock);
    }
    pthread_mutex_unlock(&users->lock);
    return NULL;
}

static void users_free(struct users *users)
{
    pthread_cond_destroy(&users->wake);
    pthread_mutex_destroy(&users->lock);
    tokens_free(users->tokens);
    free(users->path);
    free(users);
}

int users_start(struct users **out, const char *path, struct error *error)
{
    struct tokens *tokens;
    bool exists;
    struct users *users = calloc(1, sizeof *users);
    if (!users)
        return error_set(error, ERROR_MEMORY, "no memory for the users");
    pthread_mutex_init(&users->lock, NULL);
    thread_condition_init(&users->wake);
    if (!(users->path = strdup(path))) {
        error_set(error, ERROR_MEMORY, "no memory for the users");
        goto failed;
    }
    file_changed(path, &users->seen, &exists);
    if (users_read(&tokens, path, false, error) < 0)
        goto failed;
    tokens_apply(users, tokens);
    if (thread_start(&users->thread, "users", users_main, users, error) < 0)
        goto failed;
    *out = users;
    return 0;
failed:
    users_free(users);
    return -1;
}

void users_stop(struct users *users)
{
    if (!users)
        return;
    thread_stop(users->thread, &users->lock, &users->wake, &users->stopping);
    users_free(users);
}

bool users_find(struct users *users, const char *secret, struct user *user, uint64_t *number)
{
    uint8_t hash[TOKEN_HASH_BYTES];
    token_hash(secret, hash);
    pthread_mutex_lock(&users->lock);
    const struct token *token = tokens_find(users->tokens, hash);
    if (token) {
        *user = token->user;
        *number = token->serial;
    }
    pthread_mutex_unlock(&users->lock);
    return token != NULL;
}

bool users_hold(struct users *users, uint64_t number)
{
    bool held = false;
    pthread_mutex_lock(&users->lock);
    for (int i = 0; i < users->tokens->count && !held; i++)
        held = users->tokens->at[i].serial == number;
    pthread_mutex_unlock(&users->lock);
    return held;
}

unsigned users_changes(struct users *users)
{
    pthread_mutex_lock(&users->lock);
    unsigned changes = users->changes;
    pthread_mutex_unlock(&users->lock);
    return changes;
}

bool users_wrong(struct users *users, struct error *why)
{
    pthread_mutex_lock(&users->lock);
    *why = users->wrong;
    pthread_mutex_unlock(&users->lock);
    return why->kind != ERROR_NONE;
}
