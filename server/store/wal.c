#include "server/store/wal.h"

#include <sqlite3.h>
#include <string.h>

enum { HEADER_BYTES = 32, FRAME_HEADER_BYTES = 24, INDEX_REGION_BYTES = 32768, INDEX_VERSION = 3007000 };

/* The beginning of the index, in the machine's byte order. */
struct index_header {
    uint32_t version, unused, change;
    uint8_t is_set, big_endian_checksums;
    uint16_t page_bytes; /* 1: 65536 */
    uint32_t frames, pages, checksum[2], salts[2], header_checksum[2];
};

_Static_assert(sizeof(struct index_header) == 48, "as the format has it");

int wal_end_read(sqlite3 *db, struct wal_end *end, struct error *error)
{
    sqlite3_file *file = NULL;
    void volatile *index = NULL;
    struct index_header header;
    int status = sqlite3_file_control(db, "main", SQLITE_FCNTL_FILE_POINTER, &file);
    if (status == SQLITE_OK && file->pMethods->iVersion >= 2)
        status = file->pMethods->xShmMap(file, 0, INDEX_REGION_BYTES, 0, &index);
    if (status != SQLITE_OK || !index)
        return error_set(error, ERROR_STORE, "the index of the write-ahead log cannot be read: %s",
                         sqlite3_errstr(status));
    /* Nobody changes it while this connection may write. */
    memcpy(&header, (const void *)index, sizeof header);
    if (header.version != INDEX_VERSION || !header.is_set)
        return error_set(error, ERROR_STORE, "the index of the write-ahead log is of another version (%u)",
                         header.version);
    *end = (struct wal_end){.frames = header.frames,
                            .page_bytes = header.page_bytes == 1 ? 65536 : header.page_bytes,
                            .salts = {header.salts[0], header.salts[1]}};
    return 0;
}

int wal_cut(sqlite3 *db, const struct wal_end *end, struct error *error)
{
    sqlite3_file *log = NULL;
    sqlite3_int64 size = 0;
    sqlite3_int64 wanted =
        HEADER_BYTES + (sqlite3_int64)end->frames * (FRAME_HEADER_BYTES + (sqlite3_int64)end->page_bytes);
    int status = sqlite3_file_control(db, "main", SQLITE_FCNTL_JOURNAL_POINTER, &log);
    if (status == SQLITE_OK && !log->pMethods)
        status = SQLITE_CANTOPEN;
    if (status == SQLITE_OK)
        status = log->pMethods->xFileSize(log, &size);
    /* A file that is short already may be so in the page cache alone: a sync that failed may have dropped the change, and the
       next one succeeds without it. A size that changes again is written again, and takes no room. */
    sqlite3_int64 kept = size < wanted ? size : wanted;
    if (status == SQLITE_OK && size == kept)
        status = log->pMethods->xTruncate(log, kept + 1);
    if (status == SQLITE_OK)
        status = log->pMethods->xTruncate(log, kept);
    if (status == SQLITE_OK)
        status = log->pMethods->xSync(log, SQLITE_SYNC_NORMAL);
    if (status == SQLITE_OK)
        return 0;
    return error_set(error, ERROR_STORE, "the write-ahead log cannot be cut: %s", sqlite3_errstr(status));
}

/* A commit that begins the log anew and fails then leaves it without frames. */
bool wal_commit_absent(const struct wal_end *before, const struct wal_end *now)
{
    return now->frames == 0 ||
           (now->frames == before->frames && memcmp(now->salts, before->salts, sizeof now->salts) == 0);
}
