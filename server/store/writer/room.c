#include "server/store/writer/room.h"

#include <sys/statvfs.h>

#include "base/clock.h"
#include "base/log.h"

enum {
    EXPERIMENT_BYTES = 8192, /* with its result and its index entries */
    LOOK_MS = 200,           /* between two looks at the file system */
};

int64_t room_reserve(int64_t reserve_bytes, int64_t total_bytes)
{
    return reserve_bytes < total_bytes / 2 ? reserve_bytes : total_bytes / 2;
}

int room_take(struct room *room, int experiments, struct error *error)
{
    if (!room->reserve_bytes)
        return 0;
    int64_t now_ns = clock_monotonic_ns();
    if (!room->looked_ns || now_ns - room->looked_ns > LOOK_MS * 1000000LL) {
        struct statvfs disk;
        if (fstatvfs(room->file, &disk) < 0 || !disk.f_blocks)
            return 0; /* nobody knows: then the write itself tells */
        room->looked_ns = now_ns;
        room->free_bytes = (int64_t)disk.f_bavail * (int64_t)disk.f_frsize -
                           room_reserve(room->reserve_bytes, (int64_t)disk.f_blocks * (int64_t)disk.f_frsize);
    }
    int64_t wanted = (int64_t)experiments * EXPERIMENT_BYTES;
    bool refusing = room->free_bytes < EXPERIMENT_BYTES;
    if (refusing && !room->refusing)
        log_warning("store: the disk is nearly full: submissions are refused");
    else if (!refusing && room->refusing)
        log_info("store: submissions are taken again");
    room->refusing = refusing;
    if (room->free_bytes < wanted)
        return error_set(
            error, ERROR_STORAGE,
            "the disk of the data directory is nearly full: %lld bytes are missing, beside those"
            " that --reserve-bytes keeps free for what runs and waits already; what has ended can be"
            " removed (DELETE with ?remove=true, --keep-days, --keep-bytes)",
            (long long)(wanted - room->free_bytes));
    room->free_bytes -= wanted;
    return 0;
}
