/* An executor without a device, for pool.py: each experiment takes 5 ms and no processor, and its result is as long as a real
   one's. */
#include <errno.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "executor/channel.h"

enum { TAKES_NS = 5000000 };

static const char result[] =
    "{\"device\": {\"index\": 0, \"backend\": \"cpu\", \"name\": \"Fake device\", \"uuid\": \"fake\","
    " \"arch\": \"fake\", \"driver\": \"0\", \"runtime\": \"0\"}, \"launch\": {\"grid\": null, \"bloc"
    "k\": [256, 1, 1], \"registers_per_thread\": null, \"local_bytes_per_thread\": null, \"shared_byt"
    "es_per_block\": null}, \"timing\": {\"cold\": {\"samples\": 31, \"discarded\": 0, \"launches_per"
    "_sample\": 1, \"min_us\": 1.5, \"p25_us\": 1.6, \"median_us\": 1.7, \"p75_us\": 1.8, \"max_us\":"
    " 2.5, \"mean_us\": 1.71, \"stddev_us\": 0.1, \"ci95_us\": [1.69, 1.72], \"noise\": 0.008, \"stop"
    "\": \"noise\"}, \"hot\": {\"samples\": 31, \"discarded\": 0, \"launches_per_sample\": 1, \"min_u"
    "s\": 1.5, \"p25_us\": 1.6, \"median_us\": 1.7, \"p75_us\": 1.8, \"max_us\": 2.5, \"mean_us\": 1."
    "71, \"stddev_us\": 0.1, \"ci95_us\": [1.69, 1.72], \"noise\": 0.008, \"stop\": \"noise\"}, \"flo"
    "or_us\": 0.5, \"near_floor\": false, \"tick_us\": 0.02}, \"bandwidth\": {\"requested_bytes\": {"
    "\"load\": 8, \"store\": 4}, \"cold\": {\"effective_gbps\": 1.0, \"best_gbps\": 1.1, \"of_peak\":"
    " null, \"above_peak\": false}, \"hot\": {\"effective_gbps\": 1.0, \"best_gbps\": 1.1, \"of_peak"
    "\": null, \"above_peak\": false}, \"peak_gbps\": null, \"peak_source\": \"there is none\", \"wor"
    "king_set_bytes\": 12, \"fits_in_l2\": true}, \"correctness\": {\"verified\": true, \"elements_ch"
    "ecked\": 1, \"mismatches\": 0, \"max_abs_error\": 0.0, \"first_mismatch\": null}, \"stability\":"
    " {\"stable\": true, \"reasons\": []}, \"counters\": {\"status\": \"not_requested\", \"reason\": "
    "\"a fake has none\"}, \"provenance\": {\"version\": \"0\", \"commit\": \"fake\", \"kernel_sha256"
    "\": \"0000000000000000000000000000000000000000000000000000000000000000\"}}";

static struct channel *channel;

static void hello(void)
{
    struct device_facts facts = {
        .backend = "cpu",
        .name = "Fake device",
        .uuid = "pool",
        .arch = "fake",
        .driver = "0",
        .runtime = "0",
        .multiprocessors = 2,
        .warp_size = 32,
        .max_threads_per_block = 1024,
        .max_threads_per_multiprocessor = 2048,
        .max_block = {1024, 1024, 64},
        .max_grid = {2147483647, 65535, 65535},
        .registers_per_multiprocessor = 65536,
        .registers_per_block = 65536,
        .shared_bytes_per_multiprocessor = 233472,
        .shared_bytes_per_block = 49152,
        .memory_bytes = 1ull << 30,
        .l2_bytes = 1 << 20,
        .clock_khz = 1000000,
        .compute_mode = "default",
        .peak_source = "there is none",
    };
    channel_write(channel, protocol_write_hello(1, false, getpid(), &facts));
}

int main(void)
{
    if (channel_open(&channel, 0, NULL) < 0)
        return 1;
    hello();
    for (;;) {
        struct message *message = channel_read(channel);
        struct timespec left = {.tv_nsec = TAKES_NS};
        channel_write(channel, protocol_write_progress(message->id, "check", 0));
        while (nanosleep(&left, &left) < 0 && errno == EINTR)
            ;
        channel_write(channel, protocol_write_result(message->id, result, NULL));
        channel_end(channel);
        protocol_message_free(message);
        free(message);
    }
}
