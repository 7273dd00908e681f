/* The warm parent of sandbox.h: has children forked and asked, watches the clock, and passes their answers on. */
#include "executor/sandbox.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/words.h"
#include "executor/sandbox_child.h"

enum {
    CHUNK_BYTES = 64 << 10,
    PLACES = SANDBOX_CHILDREN + 1, /* for children: one that waits is beside those that work */
};

struct sandbox_parent {
    const struct sandbox *sandbox;
    int ended; /* a signalfd for SIGCHLD */
    struct buffer in;
    struct sandbox_child children[PLACES];
    int running;                        /* without the one that waits */
    const struct sandbox_kind *waiting; /* the kind of work that one waits for; NULL: nothing was asked yet */
};

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

/* The child that waits for a request of this kind; NULL: there is none. */
static struct sandbox_child *find_waiting(struct sandbox_parent *parent, const struct sandbox_kind *kind)
{
    for (struct sandbox_child *child = parent->children; child < parent->children + PLACES; child++)
        if (child->pid && !child->asked && child->kind == kind)
            return child;
    return NULL;
}

static struct sandbox_child *fork_one(struct sandbox_parent *parent, const struct sandbox_kind *kind,
                                      bool waits, const char **why)
{
    struct sandbox_child *child = parent->children;
    while (child->pid)
        child++;
    return sandbox_child_fork(child, kind, waits, why) == 0 ? child : NULL;
}

static int child_start(struct sandbox_parent *parent, const struct sandbox_message *request,
                       struct error *error)
{
    const struct sandbox *sandbox = parent->sandbox;
    int kind = words_find(request->kind, sandbox->kinds, (size_t)sandbox->kind_count, sizeof *sandbox->kinds);
    const char *why;
    if (kind < 0)
        return refuse(parent, request->id, "the sandbox does not do this kind of work", error);
    struct sandbox_child *child = find_waiting(parent, &sandbox->kinds[kind]);
    if (!child && !(child = fork_one(parent, &sandbox->kinds[kind], false, &why)))
        return refuse(parent, request->id, why, error);
    sandbox_child_ask(child, request);
    parent->running++;
    if (!parent->waiting)
        parent->waiting = child->kind;
    return 0;
}

/* One waits for the next request, of the kind that came first: who starts a sandbox asks it for one kind alone, as a rule. */
static void keep_one_waiting(struct sandbox_parent *parent)
{
    const char *why;
    if (parent->waiting && !find_waiting(parent, parent->waiting))
        fork_one(parent, parent->waiting, true, &why);
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

/* Answers for those that have said all or have ended, and frees the places of the latter. */
static int settle(struct sandbox_parent *parent, struct error *error)
{
    int status = 0;
    for (struct sandbox_child *child = parent->children; child < parent->children + PLACES; child++) {
        bool ended = sandbox_child_ended(child), all = child->pid && sandbox_child_said_all(child);
        if (child->asked && !child->answered && (ended || all)) {
            if (status == 0)
                status = write_answer(parent, sandbox_child_answer(child), error);
            child->answered = true;
            if (!ended)
                kill(-child->pid, SIGKILL); /* it has nothing more to do */
        }
        if (!ended)
            continue;
        parent->running -= child->asked;
        if (!child
                 ->asked) /* the next one is forked at the next request: else one that cannot live is forked for ever */
            parent->waiting = NULL;
        sandbox_child_clear(child);
    }
    return status;
}

/* Ends those whose time is over; returns how long poll() may wait, in ms. */
static int watch_clock(struct sandbox_parent *parent)
{
    int64_t now = clock_monotonic_ns(), next_ns = INT64_MAX;
    for (struct sandbox_child *child = parent->children; child < parent->children + PLACES; child++) {
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
    struct pollfd ready[2 + PLACES] = {
        {.fd = parent->in.size <= 2 * SANDBOX_PAYLOAD_BYTES ? parent->sandbox->in : -1, .events = POLLIN},
        {.fd = parent->ended, .events = POLLIN},
    };
    for (int i = 0; i < PLACES; i++) {
        const struct sandbox_child *child = &parent->children[i];
        ready[2 + i] = (struct pollfd){.fd = child->pid ? child->socket : -1,
                                       .events = child->request.size ? POLLIN | POLLOUT : POLLIN};
    }
    if (poll(ready, 2 + PLACES, watch_clock(parent)) < 0)
        return errno == EINTR ? 1 : error_set_errno(error, errno, "the sandbox cannot wait");
    for (int i = 0; i < PLACES; i++) {
        if (ready[2 + i].revents & POLLOUT)
            sandbox_child_write(&parent->children[i]);
        if (ready[2 + i].revents & ~POLLOUT)
            sandbox_child_read(&parent->children[i]);
    }
    if (ready[1].revents) {
        struct signalfd_siginfo which;
        ssize_t count = read(parent->ended, &which, sizeof which);
        (void)count;
    }
    if (settle(parent, error) < 0)
        return -1;
    int more = ready[0].revents ? read_input(parent, error) : 1;
    if (more > 0 && take_requests(parent, error) < 0)
        return -1;
    keep_one_waiting(parent);
    return more;
}

int sandbox_serve(const struct sandbox *sandbox, struct error *error)
{
    struct sandbox_parent parent = {.sandbox = sandbox};
    sigset_t ends;
    sigemptyset(&ends);
    sigaddset(&ends, SIGCHLD);
    sigprocmask(SIG_BLOCK, &ends, NULL);
    signal(SIGPIPE, SIG_IGN);
    sandbox_child_prepare();
    parent.ended = signalfd(-1, &ends, SFD_CLOEXEC | SFD_NONBLOCK);
    if (parent.ended < 0)
        return error_set_errno(error, errno, "the sandbox cannot wait for its children");
    int more;
    do
        more = serve_once(&parent, error);
    while (more > 0);
    for (int i = 0; i < PLACES; i++)
        sandbox_child_clear(&parent.children[i]);
    buffer_free(&parent.in);
    close(parent.ended);
    return more;
}
