/* Preloaded into the service: while the file $FAILING_DISK.read is there, its database cannot be read;
   while $FAILING_DISK.write is there, the disk is full; while $FAILING_DISK.space is there, the disk says
   that it has as many free bytes as that file says. */
#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <sys/types.h>
#include <unistd.h>

ssize_t pread64(int file, void *bytes, size_t count, off64_t offset);
ssize_t pwrite64(int file, const void *bytes, size_t count, off64_t offset);

static bool fails(int file, const char *how)
{
    const char *prefix = getenv("FAILING_DISK");
    char path[4096], name[64];
    if (!prefix || snprintf(path, sizeof path, "%s.%s", prefix, how) >= (int)sizeof path ||
        access(path, F_OK) != 0)
        return false;
    snprintf(name, sizeof name, "/proc/self/fd/%d", file);
    ssize_t length = readlink(name, path, sizeof path - 1);
    path[length > 0 ? length : 0] = '\0';
    return strstr(path, "coalesced.db");
}

ssize_t pread64(int file, void *bytes, size_t count, off64_t offset)
{
    ssize_t (*next)(int, void *, size_t, off64_t) = dlsym(RTLD_NEXT, "pread64");
    if (fails(file, "read")) {
        errno = EIO;
        return -1;
    }
    return next(file, bytes, count, offset);
}

ssize_t pwrite64(int file, const void *bytes, size_t count, off64_t offset)
{
    ssize_t (*next)(int, const void *, size_t, off64_t) = dlsym(RTLD_NEXT, "pwrite64");
    if (fails(file, "write")) {
        errno = ENOSPC;
        return -1;
    }
    return next(file, bytes, count, offset);
}

int fstatvfs(int file, struct statvfs *disk)
{
    int (*next)(int, struct statvfs *) = dlsym(RTLD_NEXT, "fstatvfs");
    int status = next(file, disk);
    const char *prefix = getenv("FAILING_DISK");
    char path[4096], text[32] = "";
    if (status < 0 || !prefix || snprintf(path, sizeof path, "%s.space", prefix) >= (int)sizeof path)
        return status;
    FILE *space = fopen(path, "r");
    if (space && fgets(text, sizeof text, space))
        disk->f_bavail = strtoull(text, NULL, 10) / disk->f_frsize;
    if (space)
        fclose(space);
    return status;
}
