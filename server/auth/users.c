#include "server/auth/users.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "server/auth/tokens.h"

static const int64_t second_ns = 1000000000;

struct users {
    char *path;
    struct stat seen;    /* the file as it was when it was last read; only for the thread */
    struct error missed; /* the last that was said of it, so that it is said once; only for the thread */
    pthread_t thread;
    pthread_mutex_t lock; /* guards what follows */
    pthread_cond_t end;
    struct tokens *tokens;
    uint64_t serials; /* given so far */
    unsigned changes;
    struct error wrong; /* with the file as it is now */
    bool ended;
};

static bool token_same(const struct token *one, const struct token *other)
{
    return one->user.role == other->user.role && strcmp(one->user.name, other->user.name) == 0;
}

/* With the lock held: numbers the tokens; those that were there before keep theirs. */
static void serials_give(struct users *users, struct tokens *tokens)
{
    for (int i = 0; i < tokens->count; i++) {
        struct token *token = &tokens->at[i];
        const struct token *before = users->tokens ? tokens_find(users->tokens, token->hash) : NULL;
        token->serial = before && token_same(before, token) ? before->serial : ++users->serials;
    }
}

/* Who is told by name: the audit log knows no other trace of whom a file let in. */
static void changes_tell(const struct tokens *from, const struct tokens *to, const char *what)
{
    for (int i = 0; i < from->count; i++) {
        const struct token *token = &from->at[i], *still = tokens_find(to, token->hash);
        if (!still || !token_same(token, still))
            log_info("a token of %s with the role %s was %s", token->user.name, role_name(token->user.role),
                     what);
    }
}

static void tokens_take(struct users *users, struct tokens *tokens)
{
    pthread_mutex_lock(&users->lock);
    serials_give(users, tokens);
    struct tokens *old = users->tokens;
    users->tokens = tokens;
    users->changes++;
    users->wrong = (struct error){0};
    pthread_mutex_unlock(&users->lock);
    if (old) { /* no other thread replaces them, so `tokens` may be read without the lock */
        changes_tell(old, tokens, "removed");
        changes_tell(tokens, old, "added");
    }
    tokens_free(old);
}

static void wrong_set(struct users *users, const struct error *why)
{
    if (strcmp(users->missed.text, why->text) != 0)
        log_error("the people stay as they were: %s", why->text);
    users->missed = *why;
    pthread_mutex_lock(&users->lock);
    users->wrong = *why;
    pthread_mutex_unlock(&users->lock);
}

static void nobody_tell(const char *path)
{
    log_warning("%s says \"# nobody\": nobody may come in", path);
}

/* A file without a token is taken for one that is being written, or was cut to nothing by a disk that is full: it must not
   lock everybody out. */
static int users_read(struct tokens **tokens, const char *path, struct error *error)
{
    if (tokens_read(tokens, path, error) < 0)
        return -1;
    if ((*tokens)->count || (*tokens)->nobody)
        return 0;
    tokens_free(*tokens);
    return error_set(error, ERROR_INVALID,
                     "%s holds no token: coalesced token add NAME --role admin --token-file %s; where nobody "
                     "shall come in, the line \"# nobody\" says so",
                     path, path);
}

static void users_look(struct users *users)
{
    struct tokens *tokens;
    struct error why = {0};
    bool there;
    if (!file_changed(users->path, &users->seen, &there))
        return;
    if (!there)
        error_set_errno(&why, errno, "cannot read the file of tokens %s", users->path);
    if (!there || users_read(&tokens, users->path, &why) < 0) {
        wrong_set(users, &why);
        return;
    }
    users->missed = (struct error){0};
    if (tokens->count)
        log_info("%s changed: %d token%s", users->path, tokens->count, tokens->count == 1 ? "" : "s");
    else
        nobody_tell(users->path);
    tokens_take(users, tokens);
}

static void *users_main(void *arg)
{
    struct users *users = arg;
    pthread_mutex_lock(&users->lock);
    while (!users->ended) {
        int64_t next = clock_monotonic_ns() + second_ns;
        struct timespec until = {.tv_sec = next / second_ns, .tv_nsec = next % second_ns};
        if (pthread_cond_timedwait(&users->end, &users->lock, &until) != ETIMEDOUT)
            continue;
        pthread_mutex_unlock(&users->lock);
        users_look(users);
        pthread_mutex_lock(&users->lock);
    }
    pthread_mutex_unlock(&users->lock);
    return NULL;
}

static void users_free(struct users *users)
{
    pthread_cond_destroy(&users->end);
    pthread_mutex_destroy(&users->lock);
    tokens_free(users->tokens);
    free(users->path);
    free(users);
}

static struct users *users_new(const char *path)
{
    struct users *users = calloc(1, sizeof *users);
    if (!users)
        return NULL;
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_mutex_init(&users->lock, NULL);
    pthread_cond_init(&users->end, &monotonic);
    pthread_condattr_destroy(&monotonic);
    users->path = strdup(path);
    return users;
}

int users_start(struct users **out, const char *path, struct error *error)
{
    struct tokens *tokens;
    struct users *users = users_new(path);
    if (!users)
        return error_set(error, ERROR_MEMORY, "no memory for the people");
    if (!users->path) {
        error_set(error, ERROR_MEMORY, "no memory for the people");
        goto failed;
    }
    bool there;
    file_changed(path, &users->seen, &there);
    if (users_read(&tokens, path, error) < 0)
        goto failed;
    if (!tokens->count)
        nobody_tell(path);
    tokens_take(users, tokens);
    int status = pthread_create(&users->thread, NULL, users_main, users);
    if (status) {
        error_set_errno(error, status, "cannot start the thread that looks at %s", path);
        goto failed;
    }
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
    pthread_mutex_lock(&users->lock);
    users->ended = true;
    pthread_cond_signal(&users->end);
    pthread_mutex_unlock(&users->lock);
    pthread_join(users->thread, NULL);
    users_free(users);
}

bool users_find(struct users *users, const char *secret, struct user *user, uint64_t *number)
{
    uint8_t hash[SECRET_HASH_BYTES];
    secret_hash(secret, hash);
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
