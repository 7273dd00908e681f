#include "tests/unit/support/sandbox_attempts.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

struct sandbox_attempts_shared *sandbox_attempts_shared;

/* What is tried in the sealed process: the result of a call. */
static long open_file(void)
{
    return open("/etc/passwd", O_RDONLY);
}

static long look_at_file(void)
{
    struct stat seen;
    return stat("/etc/passwd", &seen);
}

static long make_code(void)
{
    return (long)mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static long raise_limit(void)
{
    return setrlimit(RLIMIT_CPU, &(struct rlimit){RLIM_INFINITY, RLIM_INFINITY});
}

static long limit_parent(void)
{
    return prlimit(getppid(), RLIMIT_CPU, &(struct rlimit){1, 1}, NULL);
}

static long count_descriptors(void)
{
    struct stat seen;
    long count = 0;
    for (int fd = 0; fd < 4096; fd++)
        count += syscall(SYS_fstat, fd, &seen) == 0;
    return count;
}

static long connect_out(void)
{
    return socket(AF_INET, SOCK_STREAM, 0);
}
static long start_process(void)
{
    return fork();
}
static long run_program(void)
{
    return execl("/bin/true", "true", NULL);
}
static long signal_parent(void)
{
    return kill(getppid(), SIGKILL);
}
static long signal_parent_thread(void)
{
    return syscall(SYS_tgkill, getppid(), getppid(), SIGKILL);
}
static long trace_parent(void)
{
    return ptrace(PTRACE_ATTACH, 1, NULL, NULL);
}
static long crash(void)
{
    return raise(SIGSEGV);
}

static long nest(volatile int depth)
{
    volatile char room[4096];
    room[depth % 4096] = 1;
    return depth < 0 ? room[0] : nest(depth + 1) + room[depth % 4096];
}

static long call_deeply(void)
{
    return nest(0);
}

static long give_up(void)
{
    abort();
}

static long spin(void)
{
    for (volatile int i = 0; i < 2;)
        i = !i;
    return 0;
}

static long close_and_spin(void)
{
    close(0);
    return spin();
}

static long wait_for_ever(void)
{
    for (int word = 0; word == 0;)
        syscall(SYS_futex, &word, FUTEX_WAIT, 0, NULL, NULL, 0);
    return 0;
}

/* Uses all the memory that there is, and crashes at the lack of more. */
static long eat_memory(void)
{
    while (mmap(NULL, 16 << 20, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0) != MAP_FAILED)
        ;
    abort();
}

static long hold(void)
{
    atomic_store(&sandbox_attempts_shared->pid, getpid());
    atomic_fetch_add(&sandbox_attempts_shared->begun, 1);
    while (!atomic_load(&sandbox_attempts_shared->release))
        sched_yield();
    return 1;
}

/* How many do so at the same time. */
static long meet(void)
{
    int now = atomic_fetch_add(&sandbox_attempts_shared->at_work, 1) + 1,
        most = atomic_load(&sandbox_attempts_shared->most);
    while (now > most && !atomic_compare_exchange_weak(&sandbox_attempts_shared->most, &most, now))
        ;
    for (volatile int i = 0; i < 2000000;)
        i = i + 1;
    atomic_fetch_sub(&sandbox_attempts_shared->at_work, 1);
    return 1;
}

/* One thing that is tried: answers the call's result, or minus errno, and the request. */
struct attempt {
    const char *name;
    long (*call)(void);
    unsigned processor_s; /* 0: enough */
    double wall_s;
};

static int try_call(void *context, const char *request, size_t bytes, struct buffer *answer,
                    struct error *error)
{
    const struct attempt *attempt = context;
    (void)error;
    long result = attempt->call();
    buffer_format(answer, "%ld ", result < 0 ? -errno : result);
    return buffer_append(answer, request, bytes);
}

static int echo(void *context, const char *request, size_t bytes, struct buffer *answer, struct error *error)
{
    (void)context;
    (void)error;
    return buffer_append(answer, request, bytes);
}

static int flood(void *context, const char *request, size_t bytes, struct buffer *answer, struct error *error)
{
    static char megabyte[1 << 20];
    (void)context;
    (void)request;
    (void)bytes;
    (void)error;
    for (int i = 0; i < 40; i++)
        buffer_append(answer, megabyte, sizeof megabyte);
    return 0;
}

/* Fails as the request says: a kind of error. */
static void warm_up(void *context)
{
    (void)context;
    atomic_fetch_add(&sandbox_attempts_shared->warm, 1);
}

static int fail_so(void *context, const char *request, size_t bytes, struct buffer *answer,
                   struct error *error)
{
    (void)context;
    (void)bytes;
    (void)answer;
    return error_set(error, (enum error_kind)atoi(request), "line 7 is at fault");
}

static struct attempt attempts[] = {
    {"open_file", open_file, 0, 0},
    {"look_at_file", look_at_file, 0, 0},
    {"make_code", make_code, 0, 0},
    {"raise_limit", raise_limit, 0, 0},
    {"limit_parent", limit_parent, 0, 0},
    {"count_descriptors", count_descriptors, 0, 0},
    {"connect_out", connect_out, 0, 0},
    {"start_process", start_process, 0, 0},
    {"run_program", run_program, 0, 0},
    {"signal_parent", signal_parent, 0, 0},
    {"signal_parent_thread", signal_parent_thread, 0, 0},
    {"trace_parent", trace_parent, 0, 0},
    {"crash", crash, 0, 0},
    {"give_up", give_up, 0, 0},
    {"call_deeply", call_deeply, 0, 0},
    {"spin", spin, 1, 0},
    {"close_and_spin", close_and_spin, 1, 0},
    {"wait_for_ever", wait_for_ever, 0, 0.5},
    {"eat_memory", eat_memory, 0, 0},
    {"hold", hold, 0, 0},
    {"meet", meet, 0, 0},
};
enum { ATTEMPTS = sizeof attempts / sizeof *attempts };
_Static_assert(ATTEMPTS + 3 == SANDBOX_ATTEMPTS_KINDS, "all are listed");

void sandbox_attempts_list(struct sandbox_kind kinds[SANDBOX_ATTEMPTS_KINDS])
{
    const struct wall_limits limits = {.memory_bytes = 512 << 20, .processor_s = 60};
    for (int i = 0; i < SANDBOX_ATTEMPTS_KINDS; i++)
        kinds[i] = (struct sandbox_kind){.subject = "the work", .limits = limits, .wall_s = 250};
    for (int i = 0; i < ATTEMPTS; i++) {
        kinds[i].name = attempts[i].name;
        kinds[i].context = &attempts[i];
        kinds[i].work = try_call;
        if (attempts[i].processor_s)
            kinds[i].limits.processor_s = attempts[i].processor_s;
        if (attempts[i].wall_s > 0)
            kinds[i].wall_s = attempts[i].wall_s;
    }
    kinds[ATTEMPTS].name = "echo";
    kinds[ATTEMPTS].work = echo;
    kinds[ATTEMPTS].warm_up = warm_up;
    kinds[ATTEMPTS + 1].name = "flood";
    kinds[ATTEMPTS + 1].work = flood;
    kinds[ATTEMPTS + 2].name = "fail_so";
    kinds[ATTEMPTS + 2].work = fail_so;
}
