/* Reads a file as a whole, and opens the standard streams that a process was started without. */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool file_same(const struct stat *one, const struct stat *other)
{
    return one->st_ino == other->st_ino && one->st_dev == other->st_dev && one->st_size == other->st_size &&
           one->st_mode == other->st_mode && one->st_mtim.tv_sec == other->st_mtim.tv_sec &&
           one->st_mtim.tv_nsec == other->st_mtim.tv_nsec && one->st_ctim.tv_sec == other->st_ctim.tv_sec &&
           one->st_ctim.tv_nsec == other->st_ctim.tv_nsec;
}

bool file_changed(const char *path, struct stat *seen, bool *there)
{
    struct stat now = {0};
    *there = stat(path, &now) == 0;
    if (*there && file_same(&now, seen))
        return false;
    int number = errno;
    *seen = *there ? now : (struct stat){0};
    errno = number;
    return true;
}

static int rights_check(FILE *file, const char *path, mode_t refused, struct error *error)
{
    struct stat status;
    if (fstat(fileno(file), &status) < 0)
        return error_set_errno(error, errno, "%s", path);
    if (!S_ISREG(status.st_mode))
        return error_set(error, ERROR_INVALID, "%s is no regular file", path);
    if (!(status.st_mode & refused))
        return 0;
    bool read = refused & S_IROTH;
    return error_set(error, ERROR_INVALID, "%s can be %swritten by everybody on this machine: chmod o-%sw %s",
                     path, read ? "read or " : "", read ? "r" : "", path);
}

int file_read(char **out, const char *path, const char *what, mode_t refused, size_t most,
              struct error *error)
{
    int failed = -1;
    char *text = NULL;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a pipe would be waited for */
    FILE *file = fd >= 0 ? fdopen(fd, "r") : NULL;
    if (!file) {
        error_set_errno(error, errno, "cannot read the %s %s", what, path);
        if (fd >= 0)
            close(fd);
        return -1;
    }
    if (rights_check(file, path, refused, error) < 0)
        goto out;
    if (!(text = malloc(most + 1))) {
        error_set(error, ERROR_MEMORY, "no memory for the %s %s", what, path);
        goto out;
    }
    size_t length = fread(text, 1, most, file);
    text[length] = '\0';
    if (ferror(file))
        error_set_errno(error, errno, "cannot read the %s %s", what, path);
    else if (length == most)
        error_set(error, ERROR_INVALID, "%s is too large for a %s", path, what);
    else if (strlen(text) != length)
        error_set(error, ERROR_INVALID, "%s is no %s: it holds a NUL", path, what);
    else
        failed = 0;
out:
    fclose(file);
    if (failed)
        free(text);
    else
        *out = text;
    return failed;
}

void file_open_standard(void)
{
    int fd;
    do
        fd = open("/dev/null", O_RDWR);
    while (fd >= 0 && fd <= STDERR_FILENO);
    if (fd >= 0)
        close(fd);
}
