/* The warm parent of sandbox.h: forks, watches the clock, reaps, and says how each child ended. */
#include "executor/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/words.h"

enum { CHUNK_BYTES = 64 << 10 };

/* The first byte of what a child writes; the rest is the answer, or a sentence. */
enum { CHILD_SAYS_ANSWERED = 'A', CHILD_SAYS_STOPPED = 'S', CHILD_SAYS_FAILED = 'F' };

struct sandbox_child {
    pid_t pid; /* 0: this place is free */
    int pipe;  /* -1: read to its end */
    int64_t id, until_ns;
    const struct sandbox_kind *kind;
    struct buffer said;
    bool late, flooded;
    int status; /* of wait4() */
    struct rusage usage;
};

struct sandbox_parent {
    const struct sandbox *sandbox;
    int ended; /* a signalfd for SIGCHLD */
    struct buffer in;
    struct sandbox_child children[SANDBOX_CHILDREN];
    int running;
};

/* ---- in the child ---- */

static void write_all(int fd, const char *bytes, size_t size)
{
    while (size > 0) {
        ssize_t count = write(fd, bytes, size);
        if (count < 0 && errno != EINTR)
            _exit(1);
        if (count > 0) {
            bytes += count;
            size -= (size_t)count;
        }
    }
}

static void say(char how, const char *bytes, size_t size)
{
    write_all(0, &how, 1);
    write_all(0, bytes, size);
    _exit(0);
}

static void reset_signals(void)
{
    sigset_t none;
    for (int number = 1; number < NSIG; number++)
        signal(number, SIG_DFL); /* fails for SIGKILL and SIGSTOP */
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Never returns. `request` is the parent's memory, of which the child has a copy. */
static void child_main(const struct sandbox_kind *kind, const struct sandbox_message *request, int pipe,
                       pid_t parent)
{
    struct buffer answer = {0};
    struct error error = {0};
    reset_signals();
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) /* it died before prctl() */
        _exit(1);
    if (wall_close_files(pipe, &error) == 0 &&
        (!kind->begin || kind->begin(kind->context, request->payload, request->payload_bytes, &error) == 0) &&
        wall_limit(&kind->limits, &error) == 0 && wall_seal(&error) == 0)
        kind->work(kind->context, request->payload, request->payload_bytes, &answer, &error);
    if (error.kind == ERROR_MEMORY || answer.failed)
        _exit(WALL_OUT_OF_MEMORY);
    if (error.kind != ERROR_NONE)
        say(error.kind == ERROR_INVALID ? CHILD_SAYS_STOPPED : CHILD_SAYS_FAILED, error.text,
            strlen(error.text));
    say(CHILD_SAYS_ANSWERED, answer.data, answer.size);
}

/* ---- how a child ended ---- */

/* A sentence about an end without an answer. */
static void describe_end(const struct sandbox_child *child, char *text, size_t size)
{
    const struct sandbox_kind *kind = child->kind;
    const struct wall_limits *limits = &kind->limits;
    int exited = WIFEXITED(child->status) ? WEXITSTATUS(child->status) : 0;
    int killed = WIFSIGNALED(child->status) ? WTERMSIG(child->status) : 0;
    const char *tried = wall_forbidden(exited);
    bool spent = child->usage.ru_utime.tv_sec + child->usage.ru_stime.tv_sec >= limits->processor_s;
    if (child->late)
        snprintf(text, size, "%s took more than %g s", kind->subject, kind->wall_s);
    else if (child->flooded)
        snprintf(text, size, "%s answered with more than %d MB", kind->subject, SANDBOX_PAYLOAD_BYTES >> 20);
    else if (killed == SIGXCPU || (killed && spent))
        snprintf(text, size, "%s took more than %u s of processor time", kind->subject, limits->processor_s);
    else if (exited == WALL_OUT_OF_MEMORY)
        snprintf(text, size, "%s needed more than %llu MB of memory", kind->subject,
                 (unsigned long long)(limits->memory_bytes >> 20));
    else if (exited == WALL_OUT_OF_STACK)
        snprintf(text, size, "%s needed too much stack: what was sent is nested too deeply", kind->subject);
    else if (tried)
        snprintf(text, size, "%s was stopped: it tried to %s", kind->subject, tried);
    else if (killed == SIGSYS)
        snprintf(text, size, "%s was stopped: it tried what a sealed process may not do", kind->subject);
    else if (killed)
        snprintf(text, size, "%s crashed (%s)", kind->subject, strsignal(killed));
    else
        snprintf(text, size, "%s ended without an answer (status %d)", kind->subject, exited);
}

static struct buffer answer_of(const struct sandbox_child *child)
{
    const struct buffer *said = &child->said;
    char text[sizeof((struct sandbox_message *)0)->detail];
    bool whole = !child->late && !child->flooded && !said->failed && said->size > 0 &&
                 WIFEXITED(child->status) && WEXITSTATUS(child->status) == 0;
    if (whole && said->data[0] == CHILD_SAYS_ANSWERED)
        return sandbox_protocol_write_answer(child->id, SANDBOX_ANSWERED, "", said->data + 1, said->size - 1);
    if (whole)
        snprintf(text, sizeof text / 3, "%s",
                 said->data + 1); /* the JSON writer may make three bytes of one */
    else
        describe_end(child, text, sizeof text);
    return sandbox_protocol_write_answer(
        child->id, whole && said->data[0] == CHILD_SAYS_FAILED ? SANDBOX_FAILED : SANDBOX_STOPPED, text, NULL,
        0);
}

/* ---- the parent ---- */

static int write_answer(const struct sandbox_parent *parent, struct buffer frame, struct error *error)
{
    size_t done = 0;
    while (!frame.failed && done < frame.size) {
        ssize_t count = write(parent->sandbox->out, frame.data + done, frame.size - done);
        if (count < 0 && errno != EINTR)
            break;
        done += count > 0 ? (size_t)count : 0;
    }
    bool whole = !frame.failed && done == frame.size;
    buffer_free(&frame);
    return whole ? 0 : error_set(error, ERROR_SYSTEM, "the sandbox cannot write its answer");
}

static int refuse(const struct sandbox_parent *parent, int64_t id, const char *why, struct error *error)
{
    return write_answer(parent, sandbox_protocol_write_answer(id, SANDBOX_FAILED, why, NULL, 0), error);
}

static int child_start(struct sandbox_parent *parent, const struct sandbox_message *request,
                       struct error *error)
{
    const struct sandbox *sandbox = parent->sandbox;
    int kind = words_find(request->kind, sandbox->kinds, (size_t)sandbox->kind_count, sizeof *sandbox->kinds);
    int ends[2];
    if (kind < 0)
        return refuse(parent, request->id, "the sandbox does not do this kind of work", error);
    if (pipe2(ends, O_CLOEXEC) < 0)
        return refuse(parent, request->id, "the sandbox has no pipe left", error);
    pid_t self = getpid(), pid = fork();
    if (pid == 0)
        child_main(&sandbox->kinds[kind], request, ends[1], self);
    close(ends[1]);
    if (pid < 0) {
        close(ends[0]);
        return refuse(parent, request->id, "the sandbox cannot start a process", error);
    }
    setpgid(pid, pid); /* whoever is first */
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    struct sandbox_child *child = parent->children;
    while (child->pid)
        child++;
    *child = (struct sandbox_child){
        .pid = pid,
        .pipe = ends[0],
        .id = request->id,
        .until_ns = clock_after_ns(sandbox->kinds[kind].wall_s),
        .kind = &sandbox->kinds[kind],
    };
    parent->running++;
    return 0;
}

/* Starts what waits, as far as there is room. */
static int take_requests(struct sandbox_parent *parent, struct error *error)
{
    struct protocol_frame frame;
    size_t done = 0;
    ssize_t bytes = 0;
    int status = 0;
    while (status == 0 && parent->running < parent->sandbox->children &&
           (bytes = protocol_frame_find_within(&frame, parent->in.data + done, parent->in.size - done,
                                               SANDBOX_PAYLOAD_BYTES)) > 0) {
        struct sandbox_message message;
        status = sandbox_protocol_read(&message, &frame, error);
        if (status == 0 && message.type != SANDBOX_REQUEST)
            status = error_set(error, ERROR_INVALID, "the sandbox was sent what is no request");
        if (status == 0)
            status = child_start(parent, &message, error);
        done += (size_t)bytes;
    }
    buffer_consume(&parent->in, done);
    return bytes < 0 ? error_set(error, ERROR_INVALID, "the sandbox was sent a frame that is too long")
                     : status;
}

static void child_read(struct sandbox_child *child)
{
    char chunk[CHUNK_BYTES];
    ssize_t count;
    while (child->pipe >= 0 &&
           ((count = read(child->pipe, chunk, sizeof chunk)) > 0 || errno != EAGAIN || !count)) {
        if (count < 0 && errno == EINTR)
            continue;
        child->flooded |= count > 0 && child->said.size + (size_t)count > SANDBOX_PAYLOAD_BYTES;
        if (count <= 0 || child->flooded || buffer_append(&child->said, chunk, (size_t)count) < 0) {
            close(child->pipe);
            child->pipe = -1;
        }
    }
    if (child->flooded)
        kill(-child->pid, SIGKILL);
}

/* Reaps it, when it has ended; then there is an answer to be written. */
static bool child_ended(struct sandbox_child *child)
{
    siginfo_t ended = {0};
    if (!child->pid || waitid(P_PID, (id_t)child->pid, &ended, WEXITED | WNOHANG | WNOWAIT) < 0 ||
        !ended.si_pid)
        return false;
    kill(-child->pid, SIGKILL); /* a program that it started; while its number is nobody else's */
    child_read(child);
    wait4(child->pid, &child->status, 0, &child->usage);
    if (child->pipe >= 0)
        close(child->pipe);
    child->pipe = -1;
    return true;
}

static int reap(struct sandbox_parent *parent, struct error *error)
{
    int status = 0;
    for (struct sandbox_child *child = parent->children; child < parent->children + SANDBOX_CHILDREN;
         child++) {
        if (!child_ended(child))
            continue;
        if (status == 0)
            status = write_answer(parent, answer_of(child), error);
        buffer_free(&child->said);
        child->pid = 0;
        parent->running--;
    }
    return status;
}

/* Ends those whose time is over; returns how long poll() may wait, in ms. */
static int watch_clock(struct sandbox_parent *parent)
{
    int64_t now = clock_monotonic_ns(), next_ns = INT64_MAX;
    for (struct sandbox_child *child = parent->children; child < parent->children + SANDBOX_CHILDREN;
         child++) {
        if (!child->pid || child->late)
            continue;
        if (now >= child->until_ns) {
            child->late = true;
            kill(-child->pid, SIGKILL);
        } else if (child->until_ns < next_ns)
            next_ns = child->until_ns;
    }
    return next_ns == INT64_MAX ? -1 : (int)((next_ns - now) / 1000000) + 1;
}

/* 1: go on; 0: the end of the input; -1. */
static int read_input(struct sandbox_parent *parent, struct error *error)
{
    char chunk[CHUNK_BYTES];
    ssize_t count = read(parent->sandbox->in, chunk, sizeof chunk);
    if (count < 0)
        return errno == EINTR || errno == EAGAIN ? 1
                                                 : error_set_errno(error, errno, "the sandbox cannot read");
    if (count == 0)
        return 0;
    return buffer_append(&parent->in, chunk, (size_t)count) == 0
               ? 1
               : error_set(error, ERROR_MEMORY, "the sandbox has no memory for a request");
}

/* Waits for what comes first. As read_input(). */
static int serve_once(struct sandbox_parent *parent, struct error *error)
{
    struct pollfd ready[2 + SANDBOX_CHILDREN] = {
        {.fd = parent->in.size <= 2 * SANDBOX_PAYLOAD_BYTES ? parent->sandbox->in : -1, .events = POLLIN},
        {.fd = parent->ended, .events = POLLIN},
    };
    for (int i = 0; i < SANDBOX_CHILDREN; i++)
        ready[2 + i] = (struct pollfd){parent->children[i].pid ? parent->children[i].pipe : -1, POLLIN, 0};
    if (poll(ready, 2 + SANDBOX_CHILDREN, watch_clock(parent)) < 0)
        return errno == EINTR ? 1 : error_set_errno(error, errno, "the sandbox cannot wait");
    for (int i = 0; i < SANDBOX_CHILDREN; i++)
        if (ready[2 + i].revents)
            child_read(&parent->children[i]);
    if (ready[1].revents) {
        struct signalfd_siginfo which;
        ssize_t count = read(parent->ended, &which, sizeof which);
        (void)count;
    }
    if (reap(parent, error) < 0)
        return -1;
    int more = ready[0].revents ? read_input(parent, error) : 1;
    return more > 0 && take_requests(parent, error) < 0 ? -1 : more;
}

static void end_children(struct sandbox_parent *parent)
{
    for (struct sandbox_child *child = parent->children; child < parent->children + SANDBOX_CHILDREN;
         child++) {
        if (!child->pid)
            continue;
        kill(-child->pid, SIGKILL);
        waitpid(child->pid, NULL, 0);
        if (child->pipe >= 0)
            close(child->pipe);
        buffer_free(&child->said);
    }
}

int sandbox_serve(const struct sandbox *sandbox, struct error *error)
{
    struct sandbox_parent parent = {.sandbox = sandbox};
    sigset_t ends;
    sigemptyset(&ends);
    sigaddset(&ends, SIGCHLD);
    sigprocmask(SIG_BLOCK, &ends, NULL);
    signal(SIGPIPE, SIG_IGN);
    wall_prepare();
    parent.ended = signalfd(-1, &ends, SFD_CLOEXEC | SFD_NONBLOCK);
    if (parent.ended < 0)
        return error_set_errno(error, errno, "the sandbox cannot wait for its children");
    int more;
    do
        more = serve_once(&parent, error);
    while (more > 0);
    end_children(&parent);
    buffer_free(&parent.in);
    close(parent.ended);
    return more;
}
