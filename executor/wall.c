/* Limits, Landlock and seccomp filters of wall.h. */
#include "executor/wall.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/words.h"

/* ---- Landlock ---- */

/* Of <linux/landlock.h>, whose older versions lack some: libc has no functions for it, and the numbers are the same
   on every architecture. */
enum {
    SYSCALL_CREATE_RULESET = 444,
    SYSCALL_ADD_RULE = 445,
    SYSCALL_RESTRICT_SELF = 446,
    RULESET_VERSION = 1, /* flag */
    RULE_PATH_BENEATH = 1,
    RIGHT_EXECUTE = 1 << 0,
    RIGHT_READ_FILE = 1 << 2,
};

struct landlock_rights {
    uint64_t files, network, scoped;
};

struct landlock_path {
    uint64_t rights;
    int32_t fd;
} __attribute__((packed));

/* What each version of the interface can forbid. */
static const struct {
    struct landlock_rights rights;
    size_t bytes; /* of the struct that this version knows */
} landlock_versions[] = {
    {{(1 << 13) - 1, 0, 0}, 8},  {{(1 << 14) - 1, 0, 0}, 8},  {{(1 << 15) - 1, 0, 0}, 8},
    {{(1 << 15) - 1, 3, 0}, 16}, {{(1 << 16) - 1, 3, 0}, 16}, {{(1 << 16) - 1, 3, 3}, 24},
};
/* A call may reach so far beyond the end of the stack. */
enum { STACK_GUARD_BYTES = 1 << 20 };
enum { LANDLOCK_VERSIONS = sizeof landlock_versions / sizeof *landlock_versions };

static int landlock_version(void)
{
    long version = syscall(SYSCALL_CREATE_RULESET, NULL, (size_t)0, RULESET_VERSION);
    return version > 0 ? (int)version : 0;
}

/* Adds a right to a file that is there; a path that is not there needs none. */
static int landlock_allow(int ruleset, const char *path)
{
    struct landlock_path rule = {RIGHT_EXECUTE | RIGHT_READ_FILE, open(path, O_PATH | O_CLOEXEC)};
    if (rule.fd < 0)
        return errno == ENOENT ? 0 : -1;
    long added = syscall(SYSCALL_ADD_RULE, ruleset, RULE_PATH_BENEATH, &rule, 0);
    close(rule.fd);
    return added < 0 ? -1 : 0;
}

/* Files and connections that are open stay usable. 0; -1: with errno, ENOSYS or EOPNOTSUPP without Landlock. */
static int landlock_restrict(const char *const *paths)
{
    int version = landlock_version();
    if (!version) {
        errno = ENOSYS;
        return -1;
    }
    size_t known = (size_t)(version < LANDLOCK_VERSIONS ? version : LANDLOCK_VERSIONS) - 1;
    int ruleset = (int)syscall(SYSCALL_CREATE_RULESET, &landlock_versions[known].rights,
                               landlock_versions[known].bytes, 0);
    if (ruleset < 0)
        return -1;
    long status = 0;
    for (; *paths && status == 0; paths++)
        status = landlock_allow(ruleset, *paths);
    if (status == 0)
        status = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (status == 0)
        status = syscall(SYSCALL_RESTRICT_SELF, ruleset, 0);
    close(ruleset);
    return status < 0 ? -1 : 0;
}

void wall_parts_read(struct wall_parts *parts)
{
    /* With a null pointer the kernel refuses for another reason (EFAULT) where it knows filters. */
    bool knows = prctl(PR_SET_SECCOMP, 2 /* SECCOMP_MODE_FILTER */, NULL, 0, 0) < 0 && errno == EFAULT;
    *parts = (struct wall_parts){.seccomp = knows, .landlock = landlock_version()};
}

/* ---- seccomp ---- */

/* What work on memory needs; counted with strace over NVRTC 13, and what libc's malloc and abort() call. */
static const int allowed[] = {
    SCMP_SYS(brk),
    SCMP_SYS(munmap),
    SCMP_SYS(mremap),
    SCMP_SYS(madvise),
    SCMP_SYS(read),
    SCMP_SYS(write),
    SCMP_SYS(lseek),
    SCMP_SYS(close),
    SCMP_SYS(fstat),
    SCMP_SYS(futex),
    SCMP_SYS(getpid),
    SCMP_SYS(gettid),
    SCMP_SYS(getcwd),
    SCMP_SYS(clock_gettime),
    SCMP_SYS(sysinfo),
    SCMP_SYS(getrandom),
    SCMP_SYS(getrusage),
    SCMP_SYS(sched_yield),
    SCMP_SYS(sched_get_priority_max),
    SCMP_SYS(sched_get_priority_min),
    SCMP_SYS(rt_sigaction),
    SCMP_SYS(rt_sigprocmask),
    SCMP_SYS(rt_sigreturn),
    SCMP_SYS(wait4),
    SCMP_SYS(tgkill), /* abort() */
    SCMP_SYS(exit),
    SCMP_SYS(exit_group),
};

/* What no work has a reason for: it is told, and ends the process. What stands in no list fails with EACCES. */
static const struct {
    int call;
    int what; /* index into forbidden */
} told[] = {
    {SCMP_SYS(socket), 0},
    {SCMP_SYS(socketpair), 0},
    {SCMP_SYS(connect), 0},
    {SCMP_SYS(bind), 0},
    {SCMP_SYS(sendto), 0},
    {SCMP_SYS(sendmsg), 0},
    {SCMP_SYS(clone), 1},
    {SCMP_SYS(clone3), 1},
    {SCMP_SYS(fork), 1},
    {SCMP_SYS(vfork), 1},
    {SCMP_SYS(execve), 1},
    {SCMP_SYS(execveat), 1},
    {SCMP_SYS(kill), 2},
    {SCMP_SYS(tkill), 2},
    {SCMP_SYS(rt_sigqueueinfo), 2},
    {SCMP_SYS(rt_tgsigqueueinfo), 2},
    {SCMP_SYS(pidfd_send_signal), 2},
    {SCMP_SYS(ptrace), 3},
    {SCMP_SYS(process_vm_readv), 3},
    {SCMP_SYS(process_vm_writev), 3},
    {SCMP_SYS(pidfd_open), 3},
    {SCMP_SYS(pidfd_getfd), 3},
    {SCMP_SYS(mount), 4},
    {SCMP_SYS(unshare), 4},
    {SCMP_SYS(setns), 4},
    {SCMP_SYS(chroot), 4},
    {SCMP_SYS(bpf), 4},
    {SCMP_SYS(io_uring_setup), 4},
    {SCMP_SYS(perf_event_open), 4},
    {SCMP_SYS(keyctl), 4},
};
static const char *const forbidden[] = {
    "open a connection", "start a process", "signal a process", "look into a process", "change the system",
};
enum { FORBIDDEN = sizeof forbidden / sizeof *forbidden };

const char *wall_forbidden(int status)
{
    return status >= WALL_FORBIDDEN && status < WALL_FORBIDDEN + FORBIDDEN
               ? forbidden[status - WALL_FORBIDDEN]
               : NULL;
}

static void on_forbidden(int number, siginfo_t *info, void *context)
{
    (void)number;
    (void)context;
    for (size_t i = 0; i < sizeof told / sizeof *told; i++)
        if (told[i].call == info->si_syscall)
            _exit(WALL_FORBIDDEN + told[i].what);
    _exit(WALL_FORBIDDEN + FORBIDDEN - 1);
}

/* Calls that are allowed with some arguments only. Returns 0 or a negative errno. tgkill() is limited by own_signals_only(). */
static int allow_by_arguments(scmp_filter_ctx filter, bool executable)
{
    int status = 0;
    /* Its own limits may be read, and nobody's changed. */
    status |= seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(prlimit64), 2, SCMP_A0(SCMP_CMP_EQ, 0),
                               SCMP_A2(SCMP_CMP_EQ, 0));
    status |= seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(getrlimit), 0);
    static const int mapping[] = {SCMP_SYS(mmap), SCMP_SYS(mprotect)};
    for (size_t i = 0; i < sizeof mapping / sizeof *mapping; i++)
        status |= executable ? seccomp_rule_add(filter, SCMP_ACT_ALLOW, mapping[i], 0)
                             : seccomp_rule_add(filter, SCMP_ACT_ALLOW, mapping[i], 1,
                                                SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0));
    return status;
}

/* Calls of the loader and of a program's start, on files that Landlock allows. Landlock does not hide which files there
   are: what looks at a file by its name is not here. */
static const int allowed_program[] = {
    SCMP_SYS(execve),      SCMP_SYS(open),       SCMP_SYS(openat),          SCMP_SYS(pread64),
    SCMP_SYS(rseq),        SCMP_SYS(arch_prctl), SCMP_SYS(set_tid_address), SCMP_SYS(set_robust_list),
    SCMP_SYS(sigaltstack),
};

/* fstat() of newer C libraries: of an open file only, by the flag that says so. */
static int allow_fstat(scmp_filter_ctx filter)
{
    return seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(newfstatat), 2,
                            SCMP_A0(SCMP_CMP_NE, (scmp_datum_t)(uint32_t)AT_FDCWD),
                            SCMP_A3(SCMP_CMP_EQ, AT_EMPTY_PATH));
}

/* Filters as the kernel takes them: for work in this process, and for a program that is started. */
static struct filter_code {
    struct sock_filter code[1024];
    unsigned short count; /* 0: not made yet */
} filter_codes[2];

/* Through a pipe, which has room for it: a file is what a process with limits may not write. */
static int filter_export(scmp_filter_ctx filter, struct filter_code *made)
{
    int ends[2];
    ssize_t bytes = -1;
    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) < 0)
        return -1;
    if (seccomp_export_bpf(filter, ends[1]) == 0)
        bytes = read(ends[0], made->code, sizeof made->code);
    close(ends[0]);
    close(ends[1]);
    bool whole = bytes > 0 && bytes < (ssize_t)sizeof made->code;
    made->count = whole ? (unsigned short)((size_t)bytes / sizeof *made->code) : 0;
    return whole ? 0 : -1;
}

static int filter_make(bool program)
{
    struct filter_code *made = &filter_codes[program];
    if (made->count)
        return 0;
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ERRNO(EACCES));
    if (!filter)
        return -1;
    int status = allow_by_arguments(filter, program) | allow_fstat(filter);
    for (size_t i = 0; i < sizeof allowed / sizeof *allowed; i++)
        status |= seccomp_rule_add(filter, SCMP_ACT_ALLOW, allowed[i], 0);
    for (size_t i = 0; program && i < sizeof allowed_program / sizeof *allowed_program; i++)
        status |= seccomp_rule_add(filter, SCMP_ACT_ALLOW, allowed_program[i], 0);
    for (size_t i = 0; i < sizeof told / sizeof *told; i++)
        if (!program || told[i].call != SCMP_SYS(execve))
            status |=
                seccomp_rule_add(filter, program ? SCMP_ACT_KILL_PROCESS : SCMP_ACT_TRAP, told[i].call, 0);
    if (status == 0)
        status = filter_export(filter, made);
    seccomp_release(filter);
    return status == 0 ? 0 : -1;
}

static int filter_load(struct sock_filter *code, unsigned short count)
{
    return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &(struct sock_fprog){count, code});
}

/* A filter beside the other one, which is the same for all processes: this one has the number of the process in it. */
static int own_signals_only(void)
{
    enum { LOW_HALF = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? 4 : 0 }; /* a process's number has 32 bits */
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_tgkill, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0]) + LOW_HALF),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)getpid(), 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EACCES),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    return filter_load(code, sizeof code / sizeof *code);
}

static int seccomp_restrict(bool program)
{
    struct filter_code *made = &filter_codes[program];
    bool ready = filter_make(program) == 0 && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0;
    return ready && own_signals_only() == 0 ? filter_load(made->code, made->count) : -1;
}

/* ---- what is called ---- */

void wall_prepare(void)
{
    filter_make(false);
    filter_make(true);
}

int wall_close_files(int keep, struct error *error)
{
    if (keep != 0 && dup2(keep, 0) < 0)
        return error_set_errno(error, errno, "cannot close files");
    closefrom(1);
    return 0;
}

/* What this process has mapped now, in bytes; 0: not known. */
static uint64_t mapped_bytes(void)
{
    char text[64] = "";
    int file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    if (read(file, text, sizeof text - 1) < 0)
        text[0] = '\0';
    close(file);
    return strtoull(text, NULL, 10) * (uint64_t)sysconf(_SC_PAGESIZE);
}

int wall_limit(const struct wall_limits *limits, struct error *error)
{
    uint64_t mapped = mapped_bytes();
    const struct {
        int resource;
        rlim_t soft, hard;
    } rows[] = {
        {RLIMIT_AS, mapped + limits->memory_bytes, mapped + limits->memory_bytes},
        {RLIMIT_CPU, limits->processor_s, limits->processor_s + 1},
        {RLIMIT_FSIZE, limits->file_bytes, limits->file_bytes},
        {RLIMIT_CORE, 0, 0},
        {RLIMIT_MEMLOCK, 0, 0},
        {RLIMIT_MSGQUEUE, 0, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (setrlimit(rows[i].resource, &(struct rlimit){rows[i].soft, rows[i].hard}) < 0)
            return error_set_errno(error, errno, "cannot set limit %d", rows[i].resource);
    if (!mapped || prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) < 0)
        return error_set(error, ERROR_SYSTEM, "cannot limit this process");
    return 0;
}

/* The main thread's stack, from its lowest address that may be used to one near its begin. */
static uintptr_t stack_end, stack_begin;

/* A crash is told apart from an end for want of memory: then no more can be had now; and from a stack that is full: what is
   mapped of a stack does not fault. */
static void on_crash(int number, siginfo_t *info, void *context)
{
    uintptr_t place = (uintptr_t)info->si_addr;
    (void)context;
    if (number == SIGSEGV && place >= stack_end && place < stack_begin)
        _exit(WALL_OUT_OF_STACK);
    if (mmap(NULL, 64 << 20, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0) == MAP_FAILED)
        _exit(WALL_OUT_OF_MEMORY);
    raise(number); /* its default action is taken after this handler returns */
}

/* Handlers that say how this process ends; for a stack that is full they have one of their own. */
static int handle_signals(void)
{
    static char space[64 << 10];
    struct sigaction crash = {.sa_sigaction = on_crash, .sa_flags = SA_ONSTACK | SA_RESETHAND | SA_SIGINFO};
    struct sigaction told_of = {.sa_sigaction = on_forbidden, .sa_flags = SA_ONSTACK | SA_SIGINFO};
    stack_t stack = {.ss_sp = space, .ss_size = sizeof space};
    struct rlimit room = {0};
    getrlimit(RLIMIT_STACK, &room);
    stack_begin = (uintptr_t)__builtin_frame_address(0);
    stack_end =
        room.rlim_cur < stack_begin / 2 ? stack_begin - room.rlim_cur - STACK_GUARD_BYTES : stack_begin;
    return sigaltstack(&stack, NULL) < 0 || sigaction(SIGSEGV, &crash, NULL) < 0 ||
                   sigaction(SIGBUS, &crash, NULL) < 0 || sigaction(SIGABRT, &crash, NULL) < 0 ||
                   sigaction(SIGSYS, &told_of, NULL) < 0
               ? -1
               : 0;
}

int wall_seal(struct error *error)
{
    static const char *const no_paths[] = {NULL};
    if (landlock_restrict(no_paths) < 0 && errno != ENOSYS && errno != EOPNOTSUPP)
        return error_set_errno(error, errno, "Landlock refuses");
    if (handle_signals() < 0 || seccomp_restrict(false) < 0)
        return error_set(error, ERROR_UNAVAILABLE, "the kernel takes no filter of system calls (seccomp)");
    return 0;
}

int wall_seal_program(const char *const *paths, struct error *error)
{
    if (landlock_restrict(paths) < 0)
        return error_set(error, ERROR_UNAVAILABLE, "the kernel has no Landlock, or refuses it");
    if (seccomp_restrict(true) < 0)
        return error_set(error, ERROR_UNAVAILABLE, "the kernel takes no filter of system calls (seccomp)");
    return 0;
}
