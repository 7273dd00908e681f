#include "tests/unit/support/vfs_powercut.h"

#include <fcntl.h>
#include <pthread.h>
#include <sqlite3.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/support/powercut_plates.h"

struct handle {
    sqlite3_file base;
    struct plate *plate; /* NULL: a file that a power cut may as well lose */
    bool lying;
    sqlite3_file real; /* with as many bytes behind it as the real VFS wants */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards all below, and makes an image one moment */
static bool is_full, is_frozen;
static struct powercut_fault fault;
static long log_syncs;
static sqlite3_vfs *real_vfs;

int powercut_image(const char *from, const char *to, unsigned seed)
{
    pthread_mutex_lock(&lock);
    int status = plates_image(from, to, seed);
    pthread_mutex_unlock(&lock);
    return status;
}

/* ---- the VFS ---- */

static sqlite3_file *real_of(sqlite3_file *file)
{
    return &((struct handle *)file)->real;
}

static int file_close(sqlite3_file *file)
{
    return real_of(file)->pMethods->xClose(real_of(file));
}

static int file_read(sqlite3_file *file, void *bytes, int size, sqlite3_int64 offset)
{
    return real_of(file)->pMethods->xRead(real_of(file), bytes, size, offset);
}

/* With the lock held: true when the file may become as long as that. */
static bool growth_take(sqlite3_file *file, sqlite3_int64 end)
{
    sqlite3_int64 size = 0;
    if (!fault.full || real_of(file)->pMethods->xFileSize(real_of(file), &size) != SQLITE_OK)
        return true;
    long grows = end > size ? (long)(end - size) : 0;
    if (grows > fault.room_bytes)
        return false;
    fault.room_bytes -= grows;
    return true;
}

static int file_write(sqlite3_file *file, const void *bytes, int size, sqlite3_int64 offset)
{
    struct plate *plate = ((struct handle *)file)->plate;
    pthread_mutex_lock(&lock);
    int status = SQLITE_IOERR_WRITE;
    if (is_full || !growth_take(file, offset + size))
        status = SQLITE_FULL;
    else if (!is_frozen)
        status = real_of(file)->pMethods->xWrite(real_of(file), bytes, size, offset);
    if (status == SQLITE_OK && plate)
        plate_note(plate, (size_t)offset, bytes, (size_t)size, false);
    pthread_mutex_unlock(&lock);
    return status;
}

/* A truncation that changes nothing is nothing to sync. */
static int file_truncate(sqlite3_file *file, sqlite3_int64 size)
{
    struct plate *plate = ((struct handle *)file)->plate;
    sqlite3_int64 before = -1;
    pthread_mutex_lock(&lock);
    int status = SQLITE_IOERR_TRUNCATE;
    real_of(file)->pMethods->xFileSize(real_of(file), &before);
    if (!is_frozen)
        status = real_of(file)->pMethods->xTruncate(real_of(file), size);
    if (status == SQLITE_OK && plate && size != before)
        plate_note(plate, (size_t)size, NULL, 0, true);
    pthread_mutex_unlock(&lock);
    return status;
}

/* With the lock held: what happens to a log with its next sync. False: the sync fails. */
static bool log_sync(struct plate *log)
{
    log_syncs++;
    if (fault.removes_log) {
        log->is_removed = unlink(log->path) == 0;
        fault.removes_log = false;
    }
    if (!fault.drops_cut || STAILQ_EMPTY(&log->writes) || !STAILQ_FIRST(&log->writes)->truncates)
        return true;
    fault.drops_cut = false;
    plate_drop(log);
    return false;
}

/* The real file is not synced: no power is really cut. */
static int file_sync(sqlite3_file *file, int flags)
{
    struct handle *handle = (struct handle *)file;
    (void)flags;
    pthread_mutex_lock(&lock);
    is_frozen |= fault.freezes;
    bool fails = (handle->plate && handle->plate->is_log && !log_sync(handle->plate)) || is_frozen;
    int status = fails ? SQLITE_IOERR_FSYNC : SQLITE_OK;
    if (handle->plate && !handle->lying && !fails)
        plate_sync(handle->plate);
    pthread_mutex_unlock(&lock);
    return status;
}

static int file_size(sqlite3_file *file, sqlite3_int64 *size)
{
    return real_of(file)->pMethods->xFileSize(real_of(file), size);
}

static int file_lock(sqlite3_file *file, int level)
{
    return real_of(file)->pMethods->xLock(real_of(file), level);
}

static int file_unlock(sqlite3_file *file, int level)
{
    return real_of(file)->pMethods->xUnlock(real_of(file), level);
}

static int file_check_lock(sqlite3_file *file, int *held)
{
    return real_of(file)->pMethods->xCheckReservedLock(real_of(file), held);
}

static int file_control(sqlite3_file *file, int which, void *arg)
{
    return real_of(file)->pMethods->xFileControl(real_of(file), which, arg);
}

static int file_sector_size(sqlite3_file *file)
{
    return real_of(file)->pMethods->xSectorSize(real_of(file));
}

static int file_traits(sqlite3_file *file)
{
    return real_of(file)->pMethods->xDeviceCharacteristics(real_of(file));
}

static int file_shm_map(sqlite3_file *file, int page, int size, int extend, void volatile **memory)
{
    pthread_mutex_lock(&lock);
    int status = real_of(file)->pMethods->xShmMap(real_of(file), page, size, 0, memory);
    if (status == SQLITE_OK && !*memory && extend) {
        if (fault.index_fixed || (fault.full && fault.room_bytes < size))
            status = SQLITE_IOERR_SHMSIZE;
        else
            status = real_of(file)->pMethods->xShmMap(real_of(file), page, size, extend, memory);
    }
    pthread_mutex_unlock(&lock);
    return status;
}

static int file_shm_lock(sqlite3_file *file, int offset, int count, int flags)
{
    return real_of(file)->pMethods->xShmLock(real_of(file), offset, count, flags);
}

static void file_shm_barrier(sqlite3_file *file)
{
    real_of(file)->pMethods->xShmBarrier(real_of(file));
}

static int file_shm_unmap(sqlite3_file *file, int remove)
{
    return real_of(file)->pMethods->xShmUnmap(real_of(file), remove);
}

static const sqlite3_io_methods methods = {
    .iVersion = 2,
    .xClose = file_close,
    .xRead = file_read,
    .xWrite = file_write,
    .xTruncate = file_truncate,
    .xSync = file_sync,
    .xFileSize = file_size,
    .xLock = file_lock,
    .xUnlock = file_unlock,
    .xCheckReservedLock = file_check_lock,
    .xFileControl = file_control,
    .xSectorSize = file_sector_size,
    .xDeviceCharacteristics = file_traits,
    .xShmMap = file_shm_map,
    .xShmLock = file_shm_lock,
    .xShmBarrier = file_shm_barrier,
    .xShmUnmap = file_shm_unmap,
};

static int vfs_open(sqlite3_vfs *vfs, const char *path, sqlite3_file *file, int flags, int *given)
{
    struct handle *handle = (struct handle *)file;
    int kept = SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_WAL | SQLITE_OPEN_MAIN_JOURNAL;
    handle->base.pMethods = NULL;
    handle->plate = NULL;
    handle->lying = strcmp(vfs->zName, POWERCUT_LYING) == 0;
    pthread_mutex_lock(&lock);
    if (path && flags & kept)
        handle->plate = plate_of(path, flags & SQLITE_OPEN_WAL);
    pthread_mutex_unlock(&lock);
    int status = real_vfs->xOpen(real_vfs, path, &handle->real, flags, given);
    if (handle->real.pMethods)
        handle->base.pMethods = &methods;
    return status;
}

static int vfs_delete(sqlite3_vfs *vfs, const char *path, int sync_directory)
{
    (void)vfs;
    pthread_mutex_lock(&lock);
    plate_remove(path);
    int status = real_vfs->xDelete(real_vfs, path, sync_directory);
    pthread_mutex_unlock(&lock);
    return status;
}

void powercut_register(void)
{
    static sqlite3_vfs honest, lying;
    if (real_vfs)
        return;
    real_vfs = sqlite3_vfs_find(NULL);
    honest = *real_vfs;
    honest.szOsFile = (int)sizeof(struct handle) + real_vfs->szOsFile;
    honest.zName = POWERCUT_HONEST;
    honest.xOpen = vfs_open;
    honest.xDelete = vfs_delete;
    lying = honest;
    lying.zName = POWERCUT_LYING;
    sqlite3_vfs_register(&honest, 0);
    sqlite3_vfs_register(&lying, 0);
}

void powercut_fill(bool full)
{
    pthread_mutex_lock(&lock);
    is_full = full;
    pthread_mutex_unlock(&lock);
}

void powercut_fail(const struct powercut_fault *wanted)
{
    pthread_mutex_lock(&lock);
    fault = wanted ? *wanted : (struct powercut_fault){0};
    is_frozen = false;
    pthread_mutex_unlock(&lock);
}

long powercut_log_syncs(void)
{
    pthread_mutex_lock(&lock);
    long count = log_syncs;
    pthread_mutex_unlock(&lock);
    return count;
}

void powercut_forget(void)
{
    pthread_mutex_lock(&lock);
    plates_forget();
    pthread_mutex_unlock(&lock);
}
