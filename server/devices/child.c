/* Start, pipes, frames and end of a child process: child.h. */
#include "server/devices/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/spawn.h"
#include "server/devices/descendants.h"

enum { CHUNK_BYTES = 65536, TAIL_BYTES = 2048, LOG_LINE_BYTES = 512 };
static const double term_s = 2, kill_s = 5;

struct child {
    char name[96];
    bool whole; /* its end is also that of all processes with its mark */
    char mark[DESCENDANTS_MARK_BYTES];
    pid_t pid;
    int pidfd;            /* -1: an old kernel, where its pipes alone show its end */
    int to, from, errors; /* -1: closed */
    bool reaped;
    int sent;   /* the last signal that was sent to it; 0: none */
    int status; /* as waitpid() has it, once reaped */
    struct buffer out, in;
    size_t taken;       /* bytes of `in` that the caller has had */
    struct buffer said; /* the last bytes of standard error */
    size_t logged;      /* of them */
};

/* ---- its start ---- */

static void shut(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

static int pipe_open(int *from, int *to)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) < 0)
        return -1;
    *from = ends[0];
    *to = ends[1];
    return 0;
}

int child_start(struct child **out, const char *name, const char *const *argv, bool whole,
                struct error *error)
{
    int standard[3] = {-1, -1, -1};
    struct child *child = calloc(1, sizeof *child);
    if (!child)
        return error_set(error, ERROR_MEMORY, "no memory for an executor");
    child->whole = whole;
    child->to = child->from = child->errors = child->pidfd = -1;
    snprintf(child->name, sizeof child->name, "%s", name);
    descendants_mark(child->mark);
    char **environment = descendants_environment(child->mark);
    int number = !environment ? ENOMEM : 0;
    if (!number &&
        (pipe_open(&standard[0], &child->to) < 0 || pipe_open(&child->from, &standard[1]) < 0 ||
         pipe_open(&child->errors, &standard[2]) < 0 || fcntl(child->to, F_SETFL, O_NONBLOCK) < 0 ||
         fcntl(child->from, F_SETFL, O_NONBLOCK) < 0 || fcntl(child->errors, F_SETFL, O_NONBLOCK) < 0))
        number = errno;
    if (!number)
        number = spawn_start(&child->pid, argv, environment, standard);
    free(environment);
    for (int i = 0; i < 3; i++)
        shut(&standard[i]);
    if (number) {
        child_free(child);
        return error_set_errno(error, number, "cannot start %s", argv[0]);
    }
    child->pidfd = (int)syscall(SYS_pidfd_open, child->pid, 0);
    *out = child;
    return 0;
}

void child_free(struct child *child)
{
    if (!child)
        return;
    shut(&child->to);
    shut(&child->from);
    shut(&child->errors);
    shut(&child->pidfd);
    buffer_free(&child->out);
    buffer_free(&child->in);
    buffer_free(&child->said);
    free(child);
}

pid_t child_pid(const struct child *child)
{
    return child->pid;
}

/* ---- its messages ---- */

static int flush(struct child *child)
{
    while (child->to >= 0 && child->out.size) {
        ssize_t count = write(child->to, child->out.data, child->out.size);
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0 && errno == EAGAIN)
            return 0;
        if (count < 0) {
            shut(&child->to);
            return -1;
        }
        buffer_consume(&child->out, (size_t)count);
    }
    return child->to >= 0 ? 0 : -1;
}

int child_send(struct child *child, const struct buffer *frame)
{
    return frame->failed || buffer_append(&child->out, frame->data, frame->size) < 0 ? -1 : flush(child);
}

/* What is there now, up to one chunk. 1: something came; 0: nothing now; -1: the end, and *fd is closed. */
static int read_some(int *fd, char chunk[CHUNK_BYTES], size_t *count)
{
    ssize_t got;
    if (*fd < 0)
        return -1;
    do
        got = read(*fd, chunk, CHUNK_BYTES);
    while (got < 0 && errno == EINTR);
    if (got > 0) {
        *count = (size_t)got;
        return 1;
    }
    if (got < 0 && errno == EAGAIN)
        return 0;
    shut(fd);
    return -1;
}

/* Standard error goes to the log, line by line; an unending line in pieces. Its last bytes stay. */
static void log_said(struct child *child)
{
    struct buffer *said = &child->said;
    while (child->logged < said->size) {
        const char *line = said->data + child->logged, *end = memchr(line, '\n', said->size - child->logged);
        size_t length = end ? (size_t)(end - line) : said->size - child->logged;
        if (!end && length < LOG_LINE_BYTES)
            break;
        log_debug("%s: %.*s", child->name, (int)(length < LOG_LINE_BYTES ? length : LOG_LINE_BYTES), line);
        child->logged += end ? length + 1 : length;
    }
    size_t old = said->size > TAIL_BYTES ? said->size - TAIL_BYTES : 0;
    buffer_consume(said, old < child->logged ? old : child->logged);
    child->logged -= old < child->logged ? old : child->logged;
}

static void listen_to_errors(struct child *child)
{
    char chunk[CHUNK_BYTES];
    size_t count;
    /* A few chunks at a time: a child that never stops must not delay its deadline. */
    for (int i = 0; i < 4 && read_some(&child->errors, chunk, &count) > 0; i++) {
        buffer_append(&child->said, chunk, count);
        log_said(child);
    }
}

static bool has_ended(struct child *child)
{
    siginfo_t info = {0};
    return child->reaped ||
           (waitid(P_PID, (id_t)child->pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid);
}

static int poll_ms(int64_t until_ns)
{
    int64_t left = until_ns - clock_monotonic_ns();
    return left <= 0 ? 0 : left > (int64_t)3600e9 ? 3600000 : (int)((left + 999999) / 1000000);
}

enum child_event child_next(struct child *child, int wake_fd, int64_t until_ns, struct protocol_frame *frame)
{
    char chunk[CHUNK_BYTES];
    size_t count;
    uint64_t woken;
    int came = 0;
    for (;;) {
        buffer_consume(&child->in, child->taken);
        ssize_t bytes = protocol_frame_find(frame, child->in.data, child->in.size);
        child->taken = bytes > 0 ? (size_t)bytes : 0;
        if (bytes || child->in.failed)
            return bytes > 0 && !child->in.failed ? CHILD_FRAME : CHILD_FLOOD;
        if (came > 0 && poll_ms(until_ns) == 0) /* also while the child writes without end */
            return CHILD_QUIET;
        bool ended = has_ended(child); /* before the read, so that none of its output is missed */
        listen_to_errors(child);
        came = read_some(&child->from, chunk, &count);
        if (came > 0)
            buffer_append(&child->in, chunk, count);
        if (came < 0 || (came == 0 && ended))
            return CHILD_ENDED;
        if (came > 0)
            continue;
        struct pollfd polled[] = {
            {.fd = child->from, .events = POLLIN},
            {.fd = child->errors, .events = POLLIN},
            {.fd = child->out.size ? child->to : -1, .events = POLLOUT},
            {.fd = child->pidfd, .events = POLLIN},
            {.fd = wake_fd, .events = POLLIN},
        };
        int ready = poll(polled, sizeof polled / sizeof polled[0], poll_ms(until_ns));
        if (ready > 0 && polled[2].revents)
            flush(child); /* a child that reads no more is ended at its deadline */
        if (ready > 0 && polled[4].revents && read(wake_fd, &woken, sizeof woken) > 0)
            return CHILD_WOKEN;
        if (poll_ms(until_ns) == 0)
            return CHILD_QUIET;
    }
}

/* ---- its end ---- */

static void reap(struct child *child)
{
    /* Before it is reaped, its number, and so the group's, cannot be given to another process. */
    kill(-child->pid, SIGKILL);
    while (waitpid(child->pid, &child->status, 0) < 0 && errno == EINTR)
        ;
    child->reaped = true;
    if (child->whole)
        descendants_kill(child->mark);
    listen_to_errors(child);
}

/* True: it has ended and was reaped. */
static bool reap_within(struct child *child, double seconds)
{
    int64_t until_ns = clock_after_ns(seconds);
    while (!has_ended(child)) {
        int left = poll_ms(until_ns);
        if (left == 0)
            return false;
        struct pollfd polled = {.fd = child->pidfd, .events = POLLIN};
        poll(&polled, 1, child->pidfd >= 0 || left < 10 ? left : 10);
    }
    if (!child->reaped)
        reap(child);
    return true;
}

int child_end(struct child *child, double patience_s)
{
    shut(&child->to);
    if (reap_within(child, child->sent ? 0 : patience_s))
        return 0;
    if (child->sent)
        return -1;
    kill(-child->pid, child->sent = SIGTERM);
    if (reap_within(child, term_s))
        return 0;
    kill(-child->pid, child->sent = SIGKILL);
    return reap_within(child, kill_s) ? 0 : -1;
}

void child_last_said(const struct child *child, char said[CHILD_SAID_BYTES])
{
    size_t length = child->said.size;
    while (length > 0 && strchr(" \n\r\t", child->said.data[length - 1]))
        length--;
    size_t begin = length >= CHILD_SAID_BYTES ? length - CHILD_SAID_BYTES + 1 : 0;
    length -= begin;
    if (length)
        memcpy(said, child->said.data + begin, length);
    for (size_t i = 0; i < length; i++)
        if (said[i] != '\n' && (said[i] < ' ' || said[i] > '~'))
            said[i] = ' ';
    said[length] = '\0';
}

void child_exit(const struct child *child, struct child_exit *ended)
{
    static const char crashes[] = {SIGSEGV, SIGABRT, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGSYS, 0};
    bool signaled = WIFSIGNALED(child->status);
    int code = WEXITSTATUS(child->status), own_signal = WTERMSIG(child->status);
    int number = signaled ? own_signal : code >= 128 ? code - 128 : 0; /* launchers add 128 */
    char said[CHILD_SAID_BYTES];
    child_last_said(child, said);
    const char *before = said[0] ? "; it said: " : "";
    for (char *at; (at = strchr(said, '\n'));)
        *at = ' ';
    ended->killed = !child->sent && (number == SIGKILL || number == SIGTERM);
    ended->crashed =
        number ? strchr(crashes, number) != NULL : code == EXECUTOR_DEADLINE || code == EXECUTOR_BROKEN;
    if (signaled)
        snprintf(ended->text, sizeof ended->text, "killed by SIG%s%s%s%s", sigabbrev_np(own_signal),
                 child->sent == own_signal ? " from the service" : "", before, said);
    else
        snprintf(ended->text, sizeof ended->text, "exit status %d%s%s", code, before, said);
}
