/* Preloaded into the service: its disk and its clock do what another process says while it runs. That one
   maps the file $STEERED_CONTROL, which holds a struct control, and this maps the same. Only files under
   $STEERED_FOLDER fail. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/time.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

enum fault {
    FAULT_NONE,
    FAULT_FULL,
    FAULT_WRITE,
    FAULT_SYNC,
    FAULT_READ,
    FAULT_NEARLY_FULL,
    FAULT_INDEX,     /* no room for a longer index of the write-ahead log: a file whose name ends in -shm */
    FAULT_READ_ONLY, /* whatever changes a file */
    FAULT_ROOM,      /* files may grow by control.room_bytes together */
    FAULTS
};

enum call { CALL_READ, CALL_WRITE, CALL_TRUNCATE, CALL_SYNC, CALL_SPACE, CALLS };

/* The error of a call under a fault; 0: it is made as it is. */
static const int errors[FAULTS][CALLS] = {
    [FAULT_FULL] = {[CALL_WRITE] = ENOSPC},
    [FAULT_WRITE] = {[CALL_WRITE] = EIO, [CALL_TRUNCATE] = EIO},
    [FAULT_SYNC] = {[CALL_SYNC] = EIO},
    [FAULT_READ] = {[CALL_READ] = EIO},
    [FAULT_NEARLY_FULL] = {[CALL_SPACE] = ENOSPC},
    [FAULT_INDEX] = {[CALL_WRITE] = ENOSPC},
    [FAULT_ROOM] = {[CALL_WRITE] = ENOSPC},
    [FAULT_READ_ONLY] = {[CALL_WRITE] = EROFS, [CALL_TRUNCATE] = EROFS, [CALL_SYNC] = EROFS},
};

struct control {
    int32_t fault;
    int32_t after; /* the fault that the first failure is followed by; FAULT_NONE: the same goes on */
    int64_t clock_shift_ns;
    int64_t room_bytes;
    int64_t failed[FAULTS]; /* calls that were made to fail, by what they failed from */
    int64_t passes;         /* calls that would fail and are made first */
};

static struct control steady; /* until a file is mapped, and where none can be */
static struct control *control = &steady;
static char folder[4096];

__attribute__((constructor)) static void control_map(void)
{
    const char *path = getenv("STEERED_CONTROL"), *under = getenv("STEERED_FOLDER");
    int file = path && under && realpath(under, folder) ? open(path, O_RDWR | O_CLOEXEC) : -1;
    if (file < 0)
        return;
    void *mapped = mmap(NULL, sizeof *control, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (mapped != MAP_FAILED)
        control = mapped;
}

static bool ends_in(const char *path, const char *end)
{
    size_t length = strlen(path), wanted = strlen(end);
    return length >= wanted && strcmp(path + length - wanted, end) == 0;
}

/* Is there room for the file to become as long as that? */
static bool has_room(int file, off64_t end)
{
    struct stat status;
    if (fstat(file, &status) < 0 || end <= status.st_size)
        return true;
    int64_t grows = end - status.st_size;
    if (__atomic_load_n(&control->room_bytes, __ATOMIC_RELAXED) < grows)
        return false;
    __atomic_fetch_sub(&control->room_bytes, grows, __ATOMIC_RELAXED);
    return true;
}

/* The error of this call on that file, or 0: it is to be made as it is. `end`: of what it writes. */
static int failure(int file, enum call call, off64_t end)
{
    enum fault fault = (enum fault)__atomic_load_n(&control->fault, __ATOMIC_RELAXED);
    if (!errors[fault][call])
        return 0;
    char name[64], path[4096];
    snprintf(name, sizeof name, "/proc/self/fd/%d", file);
    ssize_t length = readlink(name, path, sizeof path - 1);
    size_t prefix = strlen(folder);
    if (length <= (ssize_t)prefix || memcmp(path, folder, prefix) != 0 || path[prefix] != '/')
        return 0;
    path[length] = '\0';
    if ((fault == FAULT_INDEX && !ends_in(path, "-shm")) || (fault == FAULT_ROOM && has_room(file, end)))
        return 0;
    if (__atomic_load_n(&control->passes, __ATOMIC_RELAXED) > 0 &&
        __atomic_fetch_sub(&control->passes, 1, __ATOMIC_RELAXED) > 0)
        return 0;
    __atomic_fetch_add(&control->failed[fault], 1, __ATOMIC_RELAXED);
    enum fault after = (enum fault)__atomic_exchange_n(&control->after, FAULT_NONE, __ATOMIC_RELAXED);
    if (after != FAULT_NONE)
        __atomic_store_n(&control->fault, after, __ATOMIC_RELAXED);
    return errors[fault][call];
}

/* The library's own function of that name, looked up by whichever thread needs it first. */
static void *library_function(void **cached, const char *name)
{
    void *function = __atomic_load_n(cached, __ATOMIC_ACQUIRE);
    if (!function) {
        function = dlsym(RTLD_NEXT, name);
        __atomic_store_n(cached, function, __ATOMIC_RELEASE);
    }
    return function;
}

/* Defines the function of the C library anew: it fails as the present fault says, or is what it was. */
#define STEERED(type, name, call, end, parameters, ...)                                                      \
    type name parameters;                                                                                    \
    type name parameters                                                                                     \
    {                                                                                                        \
        static void *cached;                                                                                 \
        type(*next) parameters;                                                                              \
        int number = failure(file, call, end);                                                               \
        *(void **)&next = library_function(&cached, #name);                                                  \
        if (!number)                                                                                         \
            return next(__VA_ARGS__);                                                                        \
        errno = number;                                                                                      \
        return -1;                                                                                           \
    }

STEERED(ssize_t, read, CALL_READ, 0, (int file, void *bytes, size_t count), file, bytes, count)
STEERED(ssize_t, pread, CALL_READ, 0, (int file, void *bytes, size_t count, off_t at), file, bytes, count, at)
STEERED(ssize_t, pread64, CALL_READ, 0, (int file, void *bytes, size_t count, off64_t at), file, bytes, count,
        at)
STEERED(ssize_t, write, CALL_WRITE, lseek64(file, 0, SEEK_CUR) + (off64_t)count,
        (int file, const void *bytes, size_t count), file, bytes, count)
STEERED(ssize_t, pwrite, CALL_WRITE, at + (off64_t)count,
        (int file, const void *bytes, size_t count, off_t at), file, bytes, count, at)
STEERED(ssize_t, pwrite64, CALL_WRITE, at + (off64_t)count,
        (int file, const void *bytes, size_t count, off64_t at), file, bytes, count, at)
STEERED(int, fallocate, CALL_WRITE, at + count, (int file, int how, off_t at, off_t count), file, how, at,
        count)
STEERED(int, fallocate64, CALL_WRITE, at + count, (int file, int how, off64_t at, off64_t count), file, how,
        at, count)
STEERED(int, ftruncate, CALL_TRUNCATE, 0, (int file, off_t size), file, size)
STEERED(int, ftruncate64, CALL_TRUNCATE, 0, (int file, off64_t size), file, size)
STEERED(int, fsync, CALL_SYNC, 0, (int file), file)
STEERED(int, fdatasync, CALL_SYNC, 0, (int file), file)

/* Nothing of it fails, but what is free is kept for others. */
int fstatvfs(int file, struct statvfs *disk)
{
    static void *cached;
    int (*next)(int, struct statvfs *);
    *(void **)&next = library_function(&cached, "fstatvfs");
    int status = next(file, disk);
    if (status == 0 && failure(file, CALL_SPACE, 0))
        disk->f_bavail = 0;
    return status;
}

/* ---- the clock: only the one that may jump ---- */

static void shifted(struct timespec *now)
{
    int64_t ns = now->tv_nsec + __atomic_load_n(&control->clock_shift_ns, __ATOMIC_RELAXED);
    now->tv_sec += ns / 1000000000;
    now->tv_nsec = ns % 1000000000;
    if (now->tv_nsec < 0) {
        now->tv_nsec += 1000000000;
        now->tv_sec--;
    }
}

int clock_gettime(clockid_t clock, struct timespec *now)
{
    static void *cached;
    int (*next)(clockid_t, struct timespec *);
    *(void **)&next = library_function(&cached, "clock_gettime");
    int status = next(clock, now);
    if (status == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE))
        shifted(now);
    return status;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone)
{
    struct timespec precise;
    (void)zone;
    clock_gettime(CLOCK_REALTIME, &precise);
    now->tv_sec = precise.tv_sec;
    now->tv_usec = precise.tv_nsec / 1000;
    return 0;
}

time_t time(time_t *out)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (out)
        *out = now.tv_sec;
    return now.tv_sec;
}
