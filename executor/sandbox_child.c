/* In the child: the way to the seal, its request, its answer. In the parent: what it is sent, what it says, how it ended. */
#include "executor/sandbox_child.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"

enum {
    CHUNK_BYTES = 64 << 10,
    HEAP_ROOM_BYTES = 512 << 10, /* at the end of the parent's heap: what a small request needs */
    HEAP_MAPPED_BYTES = 2 << 20, /* of the heap, from its end, in a child before it begins */
    MMAP_THRESHOLD_BYTES = 128 << 10,
    MAP_FOR_WRITING = 23, /* MADV_POPULATE_WRITE of Linux 5.14 */
};

/* What a child writes begins with one; the answer, or a sentence, follows. */
enum { CHILD_SAYS_ANSWERED = 'A', CHILD_SAYS_STOPPED = 'S', CHILD_SAYS_FAILED = 'F' };
struct child_says {
    uint64_t how, bytes;
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
    struct child_says says = {(uint64_t)how, size};
    write_all(0, (const char *)&says, sizeof says);
    write_all(0, bytes, size);
    _exit(0);
}

static void read_all(int fd, void *bytes, size_t size)
{
    while (size > 0) {
        ssize_t count = read(fd, bytes, size);
        if (count == 0 || (count < 0 && errno != EINTR))
            _exit(1);
        if (count > 0) {
            bytes = (char *)bytes + count;
            size -= (size_t)count;
        }
    }
}

/* Waits for it. */
static char *read_request(uint64_t *bytes)
{
    read_all(0, bytes, sizeof *bytes);
    char *request = malloc(*bytes + 1);
    if (!request)
        _exit(WALL_OUT_OF_MEMORY);
    read_all(0, request, *bytes);
    request[*bytes] = '\0';
    return request;
}

static void reset_signals(void)
{
    sigset_t none;
    for (int number = 1; number < NSIG; number++)
        signal(number, SIG_DFL); /* fails for SIGKILL and SIGSTOP */
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

/* One call in the place of a fault for each page, which together would take longer than all else of a small request. Where it
   fails, each is mapped as it is used. */
static void map_heap(void)
{
    size_t heap = mallinfo2().arena, bytes = heap < HEAP_MAPPED_BYTES ? heap : HEAP_MAPPED_BYTES;
    madvise((char *)sbrk(0) - bytes, bytes, MAP_FOR_WRITING);
}

static int seal(const struct sandbox_kind *kind, struct error *error)
{
    return wall_limit(&kind->limits, error) < 0 ? -1 : wall_seal(error);
}

/* Never returns. It reads what a user sent behind the seal, unless something must be begun with it before. */
static void child_main(const struct sandbox_kind *kind, bool waits, int socket, pid_t parent)
{
    struct buffer answer = {0};
    struct error error = {0};
    uint64_t bytes;
    reset_signals();
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) /* it died before prctl() */
        _exit(1);
    map_heap();
    int status = wall_close_files(socket, &error);
    if (status == 0 && !kind->begin)
        status = seal(kind, &error);
    if (status == 0 && waits && kind->warm_up)
        kind->warm_up(kind->context);
    char *request = read_request(&bytes);
    if (status == 0 && kind->begin)
        status = kind->begin(kind->context, request, bytes, &error) < 0 ? -1 : seal(kind, &error);
    if (status == 0)
        kind->work(kind->context, request, bytes, &answer, &error);
    if (error.kind == ERROR_MEMORY || answer.failed)
        _exit(WALL_OUT_OF_MEMORY);
    if (error.kind != ERROR_NONE)
        say(error.kind == ERROR_INVALID ? CHILD_SAYS_STOPPED : CHILD_SAYS_FAILED, error.text,
            strlen(error.text));
    say(CHILD_SAYS_ANSWERED, answer.data, answer.size);
}

/* ---- in the parent ---- */

void sandbox_child_prepare(void)
{
    wall_prepare();
    mallopt(M_TRIM_THRESHOLD, 2 * HEAP_ROOM_BYTES);
    mallopt(M_MMAP_THRESHOLD, 2 * HEAP_ROOM_BYTES);
    void *volatile room = malloc(HEAP_ROOM_BYTES); /* volatile: else a compiler may leave both calls out */
    free(room);
    mallopt(M_MMAP_THRESHOLD, MMAP_THRESHOLD_BYTES);
}

int sandbox_child_fork(struct sandbox_child *child, const struct sandbox_kind *kind, bool waits,
                       const char **why)
{
    int ends[2];
    *why = "the sandbox has no socket left";
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0)
        return -1;
    pid_t self = getpid(), pid = fork();
    if (pid == 0)
        child_main(kind, waits, ends[1], self);
    close(ends[1]);
    *why = "the sandbox cannot start a process";
    if (pid < 0) {
        close(ends[0]);
        return -1;
    }
    setpgid(pid, pid); /* whoever is first */
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    *child = (struct sandbox_child){.pid = pid, .socket = ends[0], .kind = kind, .until_ns = INT64_MAX};
    return 0;
}

void sandbox_child_write(struct sandbox_child *child)
{
    ssize_t count = 0;
    while (child->request.size &&
           (count = send(child->socket, child->request.data, child->request.size, MSG_NOSIGNAL)) > 0)
        buffer_consume(&child->request, (size_t)count);
    if (count < 0 && errno != EAGAIN && errno != EINTR) /* it has ended, and is reaped */
        buffer_free(&child->request);
}

void sandbox_child_ask(struct sandbox_child *child, const struct sandbox_message *request)
{
    uint64_t bytes = request->payload_bytes;
    child->asked = true;
    child->id = request->id;
    child->until_ns = clock_after_ns(child->kind->wall_s);
    buffer_append(&child->request, &bytes, sizeof bytes);
    buffer_append(&child->request, request->payload, bytes);
    if (child->request.failed)
        kill(-child->pid, SIGKILL);
    sandbox_child_write(child);
}

void sandbox_child_read(struct sandbox_child *child)
{
    char chunk[CHUNK_BYTES];
    ssize_t count;
    while (child->socket >= 0 &&
           ((count = read(child->socket, chunk, sizeof chunk)) > 0 || errno != EAGAIN || !count)) {
        if (count < 0 && errno == EINTR)
            continue;
        child->flooded |= count > 0 && child->said.size + (size_t)count > SANDBOX_PAYLOAD_BYTES;
        if (count <= 0 || child->flooded || buffer_append(&child->said, chunk, (size_t)count) < 0) {
            close(child->socket);
            child->socket = -1;
        }
    }
    if (child->flooded)
        kill(-child->pid, SIGKILL);
}

bool sandbox_child_said_all(const struct sandbox_child *child)
{
    struct child_says says;
    if (!child->asked || child->late || child->flooded || child->said.failed ||
        child->said.size < sizeof says)
        return false;
    memcpy(&says, child->said.data, sizeof says);
    return child->said.size - sizeof says == says.bytes;
}

bool sandbox_child_ended(struct sandbox_child *child)
{
    siginfo_t ended = {0};
    if (!child->pid || waitid(P_PID, (id_t)child->pid, &ended, WEXITED | WNOHANG | WNOWAIT) < 0 ||
        !ended.si_pid)
        return false;
    kill(-child->pid, SIGKILL); /* a program that it started; while its number is nobody else's */
    sandbox_child_read(child);
    wait4(child->pid, &child->status, 0, &child->usage);
    child->ended = true;
    return true;
}

/* A sentence about an end without an answer. */
static void describe_end(const struct sandbox_child *child, char *text, size_t size)
{
    const struct sandbox_kind *kind = child->kind;
    const struct wall_limits *limits = &kind->limits;
    int exited = WIFEXITED(child->status) ? WEXITSTATUS(child->status) : 0;
    int killed = WIFSIGNALED(child->status) ? WTERMSIG(child->status) : 0;
    const char *tried = wall_forbidden(exited);
    bool spent = child->usage.ru_utime.tv_sec + child->usage.ru_stime.tv_sec >= limits->processor_s;
    const char *hint = kind->hint ? kind->hint : "";
    if (child->late)
        snprintf(text, size, "%s took more than %g s%s", kind->subject, kind->wall_s, hint);
    else if (child->flooded)
        snprintf(text, size, "%s answered with more than %d MB", kind->subject, SANDBOX_PAYLOAD_BYTES >> 20);
    else if (killed == SIGXCPU || (killed && spent))
        snprintf(text, size, "%s took more than %u s of processor time%s", kind->subject, limits->processor_s,
                 hint);
    else if (exited == WALL_OUT_OF_MEMORY)
        snprintf(text, size, "%s needed more than %llu MB of memory%s", kind->subject,
                 (unsigned long long)(limits->memory_bytes >> 20), hint);
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

struct buffer sandbox_child_answer(const struct sandbox_child *child)
{
    char text[sizeof((struct sandbox_message *)0)->detail];
    const char *said = child->said.data + sizeof(struct child_says);
    struct child_says says = {0};
    if (sandbox_child_said_all(child))
        memcpy(&says, child->said.data, sizeof says);
    if (says.how == CHILD_SAYS_ANSWERED)
        return sandbox_protocol_write_answer(child->id, SANDBOX_ANSWERED, "", said, says.bytes);
    if (says.how) /* the JSON writer may make three bytes of one */
        snprintf(text, sizeof text / 3, "%.*s", (int)(says.bytes < sizeof text ? says.bytes : sizeof text),
                 said);
    else
        describe_end(child, text, sizeof text);
    return sandbox_protocol_write_answer(
        child->id, says.how == CHILD_SAYS_FAILED ? SANDBOX_FAILED : SANDBOX_STOPPED, text, NULL, 0);
}

void sandbox_child_clear(struct sandbox_child *child)
{
    if (child->pid && !child->ended) {
        kill(-child->pid, SIGKILL);
        waitpid(child->pid, NULL, 0);
    }
    if (child->pid && child->socket >= 0)
        close(child->socket);
    buffer_free(&child->request);
    buffer_free(&child->said);
    *child = (struct sandbox_child){.pid = 0};
}
