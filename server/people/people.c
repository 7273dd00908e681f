#include "server/people/people.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "server/people/tokens.h"

static const int64_t second_ns = 1000000000;

struct people {
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
    return one->person.role == other->person.role && strcmp(one->person.name, other->person.name) == 0;
}

/* With the lock held: numbers the tokens; those that were there before keep theirs. */
static void serials_give(struct people *people, struct tokens *tokens)
{
    for (int i = 0; i < tokens->count; i++) {
        struct token *token = &tokens->at[i];
        const struct token *before = people->tokens ? tokens_find(people->tokens, token->hash) : NULL;
        token->serial = before && token_same(before, token) ? before->serial : ++people->serials;
    }
}

/* Who is told by name: the audit log knows no other trace of whom a file let in. */
static void changes_tell(const struct tokens *from, const struct tokens *to, const char *what)
{
    for (int i = 0; i < from->count; i++) {
        const struct token *token = &from->at[i], *still = tokens_find(to, token->hash);
        if (!still || !token_same(token, still))
            log_info("a token of %s with the role %s was %s", token->person.name,
                     role_name(token->person.role), what);
    }
}

static void tokens_take(struct people *people, struct tokens *tokens)
{
    pthread_mutex_lock(&people->lock);
    serials_give(people, tokens);
    struct tokens *old = people->tokens;
    people->tokens = tokens;
    people->changes++;
    people->wrong = (struct error){0};
    pthread_mutex_unlock(&people->lock);
    if (old) { /* no other thread replaces them, so `tokens` may be read without the lock */
        changes_tell(old, tokens, "removed");
        changes_tell(tokens, old, "added");
    }
    tokens_free(old);
}

static void wrong_set(struct people *people, const struct error *why)
{
    if (strcmp(people->missed.text, why->text) != 0)
        log_error("the people stay as they were: %s", why->text);
    people->missed = *why;
    pthread_mutex_lock(&people->lock);
    people->wrong = *why;
    pthread_mutex_unlock(&people->lock);
}

static void nobody_tell(const char *path)
{
    log_warning("%s says \"# nobody\": nobody may come in", path);
}

/* A file without a token is taken for one that is being written, or was cut to nothing by a disk that is full: it must not
   lock everybody out. */
static int people_read(struct tokens **tokens, const char *path, struct error *error)
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

static void people_look(struct people *people)
{
    struct tokens *tokens;
    struct error why = {0};
    bool there;
    if (!file_changed(people->path, &people->seen, &there))
        return;
    if (!there)
        error_set_errno(&why, errno, "cannot read the file of tokens %s", people->path);
    if (!there || people_read(&tokens, people->path, &why) < 0) {
        wrong_set(people, &why);
        return;
    }
    people->missed = (struct error){0};
    if (tokens->count)
        log_info("%s changed: %d token%s", people->path, tokens->count, tokens->count == 1 ? "" : "s");
    else
        nobody_tell(people->path);
    tokens_take(people, tokens);
}

static void *people_main(void *arg)
{
    struct people *people = arg;
    pthread_mutex_lock(&people->lock);
    while (!people->ended) {
        int64_t next = clock_monotonic_ns() + second_ns;
        struct timespec until = {.tv_sec = next / second_ns, .tv_nsec = next % second_ns};
        if (pthread_cond_timedwait(&people->end, &people->lock, &until) != ETIMEDOUT)
            continue;
        pthread_mutex_unlock(&people->lock);
        people_look(people);
        pthread_mutex_lock(&people->lock);
    }
    pthread_mutex_unlock(&people->lock);
    return NULL;
}

static void people_free(struct people *people)
{
    pthread_cond_destroy(&people->end);
    pthread_mutex_destroy(&people->lock);
    tokens_free(people->tokens);
    free(people->path);
    free(people);
}

static struct people *people_new(const char *path)
{
    struct people *people = calloc(1, sizeof *people);
    if (!people)
        return NULL;
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_mutex_init(&people->lock, NULL);
    pthread_cond_init(&people->end, &monotonic);
    pthread_condattr_destroy(&monotonic);
    people->path = strdup(path);
    return people;
}

int people_start(struct people **out, const char *path, struct error *error)
{
    struct tokens *tokens;
    struct people *people = people_new(path);
    if (!people)
        return error_set(error, ERROR_MEMORY, "no memory for the people");
    if (!people->path) {
        error_set(error, ERROR_MEMORY, "no memory for the people");
        goto failed;
    }
    bool there;
    file_changed(path, &people->seen, &there);
    if (people_read(&tokens, path, error) < 0)
        goto failed;
    if (!tokens->count)
        nobody_tell(path);
    tokens_take(people, tokens);
    int status = pthread_create(&people->thread, NULL, people_main, people);
    if (status) {
        error_set_errno(error, status, "cannot start the thread that looks at %s", path);
        goto failed;
    }
    *out = people;
    return 0;
failed:
    people_free(people);
    return -1;
}

void people_stop(struct people *people)
{
    if (!people)
        return;
    pthread_mutex_lock(&people->lock);
    people->ended = true;
    pthread_cond_signal(&people->end);
    pthread_mutex_unlock(&people->lock);
    pthread_join(people->thread, NULL);
    people_free(people);
}

bool people_find(struct people *people, const char *secret, struct person *person, uint64_t *number)
{
    uint8_t hash[SECRET_HASH_BYTES];
    secret_hash(secret, hash);
    pthread_mutex_lock(&people->lock);
    const struct token *token = tokens_find(people->tokens, hash);
    if (token) {
        *person = token->person;
        *number = token->serial;
    }
    pthread_mutex_unlock(&people->lock);
    return token != NULL;
}

bool people_hold(struct people *people, uint64_t number)
{
    bool held = false;
    pthread_mutex_lock(&people->lock);
    for (int i = 0; i < people->tokens->count && !held; i++)
        held = people->tokens->at[i].serial == number;
    pthread_mutex_unlock(&people->lock);
    return held;
}

unsigned people_changes(struct people *people)
{
    pthread_mutex_lock(&people->lock);
    unsigned changes = people->changes;
    pthread_mutex_unlock(&people->lock);
    return changes;
}

bool people_wrong(struct people *people, struct error *why)
{
    pthread_mutex_lock(&people->lock);
    *why = people->wrong;
    pthread_mutex_unlock(&people->lock);
    return why->kind != ERROR_NONE;
}
