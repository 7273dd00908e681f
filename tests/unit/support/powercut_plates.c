#include "tests/unit/support/powercut_plates.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/support/vfs_powercut.h"

enum { SECTOR_BYTES = 512 };

static SLIST_HEAD(, plate) plates = SLIST_HEAD_INITIALIZER(plates);

static void *need(void *memory)
{
    if (!memory)
        abort();
    return memory;
}

static void bytes_write(struct buffer *file, size_t offset, const char *bytes, size_t size)
{
    static const char zeros[SECTOR_BYTES];
    while (file->size < offset)
        buffer_append(file, zeros, offset - file->size < sizeof zeros ? offset - file->size : sizeof zeros);
    size_t over = file->size - offset < size ? file->size - offset : size;
    if (over)
        memcpy(file->data + offset, bytes, over);
    buffer_append(file, bytes + over, size - over);
}

static void bytes_truncate(struct buffer *file, size_t size)
{
    if (file->size > size)
        file->size = size;
}

void plate_note(struct plate *plate, size_t offset, const void *bytes, size_t size, bool truncates)
{
    struct unsynced *write = need(malloc(sizeof *write + size));
    *write = (struct unsynced){.offset = offset, .size = size, .truncates = truncates};
    if (size)
        memcpy(write->bytes, bytes, size);
    STAILQ_INSERT_TAIL(&plate->writes, write, entries);
}

void plate_drop(struct plate *plate)
{
    for (struct unsynced *write; (write = STAILQ_FIRST(&plate->writes));) {
        STAILQ_REMOVE_HEAD(&plate->writes, entries);
        free(write);
    }
}

void plate_sync(struct plate *plate)
{
    struct unsynced *write;
    STAILQ_FOREACH (write, &plate->writes, entries)
        if (write->truncates)
            bytes_truncate(&plate->synced, write->offset);
        else
            bytes_write(&plate->synced, write->offset, write->bytes, write->size);
    plate_drop(plate);
}

void plate_remove(const char *path)
{
    struct plate *plate;
    SLIST_FOREACH (plate, &plates, entries)
        if (!path || strcmp(plate->path, path) == 0)
            break;
    if (!plate)
        return;
    SLIST_REMOVE(&plates, plate, plate, entries);
    plate_drop(plate);
    buffer_free(&plate->synced);
    free(plate);
}

struct plate *plate_of(const char *path, bool is_log)
{
    struct plate *plate;
    SLIST_FOREACH (plate, &plates, entries)
        if (strcmp(plate->path, path) == 0)
            return plate;
    plate = need(calloc(1, sizeof *plate + strlen(path) + 1));
    memcpy(plate->path, path, strlen(path) + 1);
    STAILQ_INIT(&plate->writes);
    plate->is_log = is_log;
    FILE *file = fopen(path, "rb");
    char bytes[4096];
    for (size_t size; file && (size = fread(bytes, 1, sizeof bytes, file)) > 0;)
        buffer_append(&plate->synced, bytes, size);
    if (file)
        fclose(file);
    SLIST_INSERT_HEAD(&plates, plate, entries);
    return plate;
}

/* ---- the image ---- */

static unsigned dice(unsigned *seed, unsigned sides)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (*seed >> 8) % sides;
}

static void image_begin_only(struct buffer *image, const struct plate *plate, unsigned *seed)
{
    unsigned count = 0;
    struct unsynced *write;
    STAILQ_FOREACH (write, &plate->writes, entries)
        count++;
    unsigned left = count ? dice(seed, count + 1) : 0;
    STAILQ_FOREACH (write, &plate->writes, entries) {
        if (!left)
            break;
        size_t size = left-- == 1 && write->size ? dice(seed, (unsigned)write->size + 1) : write->size;
        if (write->truncates)
            bytes_truncate(image, write->offset);
        else
            bytes_write(image, write->offset, write->bytes, size);
    }
}

static void image_any_sectors(struct buffer *image, const struct plate *plate, unsigned *seed)
{
    struct unsynced *write;
    STAILQ_FOREACH (write, &plate->writes, entries) {
        if (write->truncates && dice(seed, 2))
            bytes_truncate(image, write->offset);
        for (size_t from = 0; from < write->size;) {
            size_t size = SECTOR_BYTES - (write->offset + from) % SECTOR_BYTES;
            size = size < write->size - from ? size : write->size - from;
            if (dice(seed, 2))
                bytes_write(image, write->offset + from, write->bytes + from, size);
            from += size;
        }
    }
}

static void image_all(struct buffer *image, const struct plate *plate)
{
    struct unsynced *write;
    STAILQ_FOREACH (write, &plate->writes, entries)
        if (write->truncates)
            bytes_truncate(image, write->offset);
        else
            bytes_write(image, write->offset, write->bytes, write->size);
}

static int image_write(const struct plate *plate, const char *to, unsigned *seed, unsigned mode)
{
    struct buffer image = {0};
    buffer_append(&image, plate->synced.data, plate->synced.size);
    if (mode == POWERCUT_KILL)
        image_all(&image, plate);
    else if (mode == 1)
        image_begin_only(&image, plate, seed);
    else if (mode == 2)
        image_any_sectors(&image, plate, seed);
    char path[4096];
    snprintf(path, sizeof path, "%s%s", to, strrchr(plate->path, '/'));
    FILE *file = fopen(path, "wb");
    bool good = file && fwrite(image.data, 1, image.size, file) == image.size;
    if (file && fclose(file) != 0)
        good = false;
    buffer_free(&image);
    return good ? 0 : -1;
}

int plates_image(const char *from, const char *to, unsigned seed)
{
    int status = 0;
    unsigned mode = seed == POWERCUT_KILL ? seed : seed % 3;
    size_t length = strlen(from);
    struct plate *plate;
    SLIST_FOREACH (plate, &plates, entries)
        if (!plate->is_removed && strncmp(plate->path, from, length) == 0 && plate->path[length] == '/')
            status |= image_write(plate, to, &seed, mode);
    return status;
}

void plates_forget(void)
{
    while (!SLIST_EMPTY(&plates))
        plate_remove(NULL);
}
