#include "server/store/location.h"

#include <errno.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

void location_note(struct location *location, sqlite3 *db, const char *path)
{
    /* Where the path is a link, the log is beside what it leads to. */
    const char *name = sqlite3_db_filename(db, "main");
    snprintf(location->files[0].path, PATH_MAX, "%s", path);
    snprintf(location->files[1].path, PATH_MAX, "%s", name ? sqlite3_filename_wal(name) : "");
    snprintf(location->files[2].path, PATH_MAX, "%s-shm", name ? name : "");
    for (int i = 0; i < LOCATION_FILES; i++) {
        struct stat status = {0};
        if (stat(location->files[i].path, &status) < 0)
            continue;
        location->files[i].device = status.st_dev;
        location->files[i].inode = status.st_ino;
    }
}

int location_check(const struct location *location, int count, struct error *error)
{
    for (int i = 0; i < count; i++) {
        struct stat status = {0};
        if (!location->files[i].inode)
            continue;
        int found = stat(location->files[i].path, &status);
        if (found == 0 && status.st_dev == location->files[i].device &&
            status.st_ino == location->files[i].inode)
            continue;
        return error_set(error, ERROR_STORE,
                         "%.200s %s (%s): put back the file that the service opened, or restart the service",
                         location->files[i].path, found < 0 ? "cannot be found" : "is another file",
                         found < 0 ? strerror(errno) : "moved or replaced while the service runs");
    }
    return 0;
}
