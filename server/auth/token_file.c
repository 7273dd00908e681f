/* Replaces the token file while its directory is locked. */
#include "server/auth/token_file.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/buffer.h"
#include "server/auth/tokens.h"

static const char first_lines[] =
    "# Who may use coalesced: NAME ROLE HASH ADDED. Changed with `coalesced token`, or by "
    "hand; the service sees it within seconds.\n";

/* A change in progress. */
struct change {
    char path[PATH_MAX]; /* of the file itself, if a link was given */
    int directory;       /* its descriptor, locked; -1: not yet */
    bool exists;
    struct stat status; /* of the file; only if `exists` */
    char *text;         /* of the file, before the change */
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
    if (!realpath(path, change->path) &&
        snprintf(change->path, sizeof change->path, "%s", path) >= (int)sizeof change->path)
        return error_set(error, ERROR_INVALID, "%s is too long a name", path);
    if (directory_lock(change, error) < 0)
        return -1;
    change->exists = stat(change->path, &change->status) == 0;
    if (!change->exists && errno != ENOENT)
        return error_set_errno(error, errno, "%s", change->path);
    if (change->exists && !S_ISREG(change->status.st_mode))
        return error_set(error, ERROR_INVALID, "%s is no file that could be replaced", change->path);
    if (change->exists && tokens_load(&change->text, change->path, error) < 0)
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
    if (change->exists && fchown(fd, old->st_uid, old->st_gid) < 0)
        failed = error_set_errno(error, errno,
                                 "cannot give %s the owner of the old one (run this as its owner or as root)",
                                 new_path);
    else if ((change->exists && fchmod(fd, old->st_mode & 0777) < 0) ||
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
    if (new_file_write(change, new_path, error) < 0) {
        unlink(new_path);
        return -1;
    }
    if (rename(new_path, change->path) < 0) {
        error_set_errno(error, errno, "cannot replace %s", change->path);
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
        buffer_text(&change->changed, first_lines);
    buffer_format(&change->changed, "%s %s %s %s\n", user->name, role_name(user->role), digest, added);
}

int token_file_add(const char *path, const struct user *user, const char *secret, struct error *error)
{
    struct change change;
    uint8_t hash[TOKEN_HASH_BYTES];
    int failed = -1;
    if (!user_name_valid(user->name))
        return error_set(error, ERROR_INVALID, USER_NAME_RULE);
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
        if (!change.exists)
            removed = error_set(error, ERROR_NOT_FOUND, "there is no %s", path);
        else if (removed == 0)
            removed = error_set(error, ERROR_NOT_FOUND, "%s has no token of %s", path, name);
        else if (change_commit(&change, error) < 0)
            removed = -1;
    }
    change_end(&change);
    return removed;
}
