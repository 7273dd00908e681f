#include "server/store/disk_reserve.h"

#include <sys/statvfs.h>

#include "base/clock.h"
#include "base/log.h"

enum {
    EXPERIMENT_BYTES = 8192, /* with its result and its index entries */
    LOOK_MS = 200,           /* between two looks at the file system */
    LOG_HEADROOM_PART = 4,   /* logs leave that part of the reserve free beside it, for submissions */
};

int64_t disk_reserve_bytes(int64_t reserve_bytes, int64_t total_bytes)
{
    return reserve_bytes < total_bytes / 2 ? reserve_bytes : total_bytes / 2;
}

/* Sets *reserve, and *free_bytes to what is free beyond it. False: the file system does not say. */
static bool file_system_read(int file, int64_t reserve_bytes, int64_t *free_bytes, int64_t *reserve)
{
    struct statvfs disk;
    if (fstatvfs(file, &disk) < 0 || !disk.f_blocks)
        return false;
    *reserve = disk_reserve_bytes(reserve_bytes, (int64_t)disk.f_blocks * (int64_t)disk.f_frsize);
    *free_bytes = (int64_t)disk.f_bavail * (int64_t)disk.f_frsize - *reserve;
    return true;
}

int64_t disk_reserve_log_bytes(int file, int64_t reserve_bytes)
{
    int64_t free_bytes, reserve;
    if (!reserve_bytes || !file_system_read(file, reserve_bytes, &free_bytes, &reserve))
        return INT64_MAX;
    return free_bytes - reserve / LOG_HEADROOM_PART;
}

int disk_reserve_take(struct disk_reserve *reserve, int experiments, struct error *error)
{
    if (!reserve->reserve_bytes)
        return 0;
    int64_t now_ns = clock_monotonic_ns();
    if (!reserve->looked_ns || now_ns - reserve->looked_ns > LOOK_MS * 1000000LL) {
        int64_t reserved;
        if (!file_system_read(reserve->file, reserve->reserve_bytes, &reserve->free_bytes, &reserved))
            return 0; /* the write itself fails then */
        reserve->looked_ns = now_ns;
    }
    int64_t wanted = (int64_t)experiments * EXPERIMENT_BYTES;
    bool refusing = reserve->free_bytes < EXPERIMENT_BYTES;
    if (refusing && !reserve->refusing)
        log_warning("store: the disk is nearly full: submissions are refused");
    else if (!refusing && reserve->refusing)
        log_info("store: submissions are taken again");
    reserve->refusing = refusing;
    if (reserve->free_bytes < wanted)
        return error_set(
            error, ERROR_STORAGE,
            "the disk of the data directory is nearly full: %lld bytes are missing, beside those"
            " that --reserve-bytes keeps free for what runs and waits already; what has ended can be"
            " removed (DELETE with ?remove=true, --keep-days, --keep-bytes)",
            (long long)(wanted - reserve->free_bytes));
    reserve->free_bytes -= wanted;
    return 0;
}
