/* Finds marked processes in /proc: descendants.h. */
#include "server/devices/descendants.h"

#include <ctype.h>
#include <dirent.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"

static const char name[] = "COALESCED_CHILD=";

/* Rounds, because a process may fork while others are killed. */
enum { ROUNDS = 10, DIES_WITHIN_MS = 1000 };

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

/* By the environment that the process was started with; it is empty for one that is gone, a zombie or another
   user's. */
static bool is_marked(const char *pid, const char *mark)
{
    char path[64], *text = NULL;
    size_t size = 0;
    bool found = false;
    snprintf(path, sizeof path, "/proc/%.32s/environ", pid);
    FILE *file = fopen(path, "re");
    while (!found && file && getdelim(&text, &size, '\0', file) > 0)
        found = strcmp(text, mark) == 0;
    free(text);
    if (file)
        fclose(file);
    return found;
}

/* By a descriptor, because the number may be given to another process meanwhile. */
static bool kill_marked(const char *pid, const char *mark)
{
    int fd = (int)syscall(SYS_pidfd_open, (pid_t)atol(pid), 0);
    bool marked = fd >= 0 && is_marked(pid, mark);
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
                found |= kill_marked(entry->d_name, mark);
        if (directory)
            closedir(directory);
    }
}
