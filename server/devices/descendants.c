/* Finds marked processes in /proc: descendants.h. */
#include "server/devices/descendants.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/clock.h"

static const char name[] = "COALESCED_CHILD=";

/* Rounds, because a process may fork while others are killed. */
enum { ROUNDS = 10, ENVIRONMENT_BYTES = 1 << 20, DIES_WITHIN_MS = 1000 };

void descendants_mark(char mark[DESCENDANTS_MARK_BYTES])
{
    static atomic_uint next;
    snprintf(mark, DESCENDANTS_MARK_BYTES, "%s%ld-%lld-%u", name, (long)getpid(),
             (long long)clock_monotonic_ns(), atomic_fetch_add(&next, 1));
}

char **descendants_environment(char *mark)
{
    size_t count = 0, used = 0;
    while (environ[count])
        count++;
    char **own = calloc(count + 2, sizeof *own);
    if (!own)
        return NULL;
    own[used++] = mark;
    for (size_t i = 0; i < count; i++)
        if (strncmp(environ[i], name, sizeof name - 1) != 0)
            own[used++] = environ[i];
    return own;
}

/* The environment that the process was started with; empty for one that is gone, a zombie or another
   user's. */
static void environment_read(int directory, const char *pid, struct buffer *out)
{
    char path[64], chunk[16384];
    snprintf(path, sizeof path, "%.32s/environ", pid);
    int fd = openat(directory, path, O_RDONLY | O_CLOEXEC);
    for (ssize_t count;
         fd >= 0 && out->size < ENVIRONMENT_BYTES && (count = read(fd, chunk, sizeof chunk)) > 0;)
        buffer_append(out, chunk, (size_t)count);
    if (fd >= 0)
        close(fd);
}

static bool is_marked(int directory, const char *pid, const char *mark)
{
    struct buffer texts = {0};
    size_t length = strlen(mark) + 1; /* and its NUL */
    bool found = false;
    environment_read(directory, pid, &texts);
    for (size_t at = 0; !found && at + length <= texts.size;) {
        const char *text = texts.data + at, *end = memchr(text, '\0', texts.size - at);
        found = memcmp(text, mark, length) == 0;
        at = end ? (size_t)(end - texts.data) + 1 : texts.size;
    }
    buffer_free(&texts);
    return found;
}

/* By a descriptor, because the number may be given to another process meanwhile. */
static bool kill_marked(int directory, const char *pid, const char *mark)
{
    int fd = (int)syscall(SYS_pidfd_open, (pid_t)atol(pid), 0);
    bool marked = fd >= 0 && is_marked(directory, pid, mark);
    if (marked && syscall(SYS_pidfd_send_signal, fd, SIGKILL, NULL, 0) == 0)
        poll(&(struct pollfd){.fd = fd, .events = POLLIN}, 1, DIES_WITHIN_MS);
    if (fd >= 0)
        close(fd);
    return marked;
}

void descendants_kill(const char *mark)
{
    bool found = true;
    for (int round = 0; found && round < ROUNDS; round++) {
        DIR *directory = opendir("/proc");
        found = false;
        for (struct dirent *entry; directory && (entry = readdir(directory));)
            if (isdigit((unsigned char)entry->d_name[0]))
                found |= kill_marked(dirfd(directory), entry->d_name, mark);
        if (directory)
            closedir(directory);
    }
}
