/* Reads /proc/self and the data directory. */
#include "server/metrics/process_metrics.h"

#include <dirent.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "server/metrics/exposition.h"

enum { START_FIELD = 22 }; /* of /proc/self/stat, counted from 1 */

static double cpu_seconds(void)
{
    struct timespec used = {0};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    return (double)used.tv_sec + (double)used.tv_nsec / 1e9;
}

static double start_s; /* since 1970; 0: unknown */

/* Field 2 is a name that may contain blanks and brackets, so fields are counted behind its last bracket. */
static void start_read(void)
{
    char text[1024];
    unsigned long long ticks = 0;
    FILE *file = fopen("/proc/self/stat", "re");
    size_t length = file ? fread(text, 1, sizeof text - 1, file) : 0;
    if (file)
        fclose(file);
    text[length] = '\0';
    const char *at = strrchr(text, ')');
    for (int field = 2; at && field < START_FIELD; field++)
        at = strchr(at + 1, ' ');
    if (!at || sscanf(at, " %llu", &ticks) != 1)
        return;
    struct timespec now, up;
    clock_gettime(CLOCK_REALTIME, &now);
    clock_gettime(CLOCK_BOOTTIME, &up);
    double booted = (double)(now.tv_sec - up.tv_sec) + (double)(now.tv_nsec - up.tv_nsec) / 1e9;
    start_s = booted + (double)ticks / (double)sysconf(_SC_CLK_TCK);
}

/* Since Linux 6.2 the directory's size is the number of files; before, the entries are counted. */
static double open_files(void)
{
    struct stat status;
    if (stat("/proc/self/fd", &status) == 0 && status.st_size > 0)
        return (double)status.st_size;
    DIR *directory = opendir("/proc/self/fd");
    double count = -3; /* ".", ".." and the directory's own descriptor */
    while (directory && readdir(directory))
        count++;
    if (directory)
        closedir(directory);
    return count;
}

static void memory_write(struct buffer *out)
{
    unsigned long long total = 0, resident = 0;
    double page = (double)sysconf(_SC_PAGESIZE);
    FILE *file = fopen("/proc/self/statm", "re");
    int found = file ? fscanf(file, "%llu %llu", &total, &resident) : 0;
    if (file)
        fclose(file);
    if (found != 2)
        return;
    exposition_single(out, "process_resident_memory_bytes", "gauge", "Memory that is in use.",
                      (double)resident * page);
    exposition_single(out, "process_virtual_memory_bytes", "gauge", "Addresses that are in use.",
                      (double)total * page);
}

void process_metrics_write(struct buffer *out)
{
    /* Read once, so that later changes of the clocks do not change it. */
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    struct rlimit files;
    pthread_once(&once, start_read);
    exposition_single(out, "process_cpu_seconds_total", "counter",
                      "Processor time of the service, without its executors.", cpu_seconds());
    memory_write(out);
    exposition_single(out, "process_open_fds", "gauge", "Open files, connections included.", open_files());
    if (getrlimit(RLIMIT_NOFILE, &files) == 0)
        exposition_single(out, "process_max_fds", "gauge", "The limit on open files.",
                          (double)files.rlim_cur);
    if (start_s > 0)
        exposition_single(out, "process_start_time_seconds", "gauge",
                          "When the service started, in seconds since 1970.", start_s);
}

/* 0 if the file does not exist. */
static double file_bytes(const char *directory, const char *file)
{
    char path[4096];
    struct stat status;
    snprintf(path, sizeof path, "%s/%s", directory, file);
    return stat(path, &status) == 0 ? (double)status.st_size : 0;
}

void process_metrics_storage_write(struct buffer *out, const char *data_dir)
{
    struct statvfs disk;
    exposition_family(out, "coalesced_store_bytes", "gauge", "Size of the database and of its log.");
    exposition_sample(out, "coalesced_store_bytes", "file=\"database\"",
                      file_bytes(data_dir, "coalesced.db"));
    exposition_sample(out, "coalesced_store_bytes", "file=\"wal\"", file_bytes(data_dir, "coalesced.db-wal"));
    if (statvfs(data_dir, &disk) < 0)
        return;
    exposition_single(out, "coalesced_data_directory_free_bytes", "gauge",
                      "What the service may still write into its data directory.",
                      (double)disk.f_bavail * (double)disk.f_frsize);
    exposition_single(out, "coalesced_data_directory_size_bytes", "gauge",
                      "Size of the file system of the data directory.",
                      (double)disk.f_blocks * (double)disk.f_frsize);
}
