/* What bodies are made with: the cache of documents, the worker pool, compression. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sched.h>
#include <stdatomic.h>
#include <zlib.h>
#include <cmocka.h>

#include "server/http/document_cache.h"
#include "base/clock.h"
#include "server/http/http_state.h"
#include "server/http/reply.h"
#include "server/http/worker_pool.h"

/* One with that many bytes, put under its tag, made of what was read at that age; the caller keeps no
   reference. */
static void put_made_at(struct document_cache *cache, const char *key, size_t size, unsigned long age)
{
    char *bytes = calloc(1, size);
    struct document *document = document_new(bytes, size, false, key);
    assert_non_null(document);
    document_cache_put(cache, key, document, age);
    document_release(document);
}

static void put(struct document_cache *cache, const char *key, size_t size)
{
    put_made_at(cache, key, size, document_cache_age(cache));
}

static bool has(struct document_cache *cache, const char *key)
{
    struct document *document = document_cache_get(cache, key);
    if (document) {
        assert_string_equal(document->tag, key);
        document_release(document);
    }
    return document != NULL;
}

static void the_cache_drops_what_was_not_asked_for_the_longest(void **state)
{
    (void)state;
    struct document_cache *cache = document_cache_new(108 << 10);
    for (int i = 0; i < 9; i++) {
        char key[16];
        snprintf(key, sizeof key, "%d", i);
        put(cache, key, 10 << 10);
        assert_true(has(cache, "0"));
    }
    assert_true(has(cache, "1"));
    put(cache, "9", 10 << 10);
    assert_true(has(cache, "0") && has(cache, "1") && has(cache, "9"));
    assert_false(has(cache, "2"));
    assert_true(has(cache, "3"));
    put(cache, "large", 20 << 10);
    assert_false(has(cache, "large"));
    document_cache_free(cache);
}

static void what_is_invalidated_is_gone_in_every_form(void **state)
{
    (void)state;
    struct document_cache *cache = document_cache_new(100 << 10);
    put(cache, "/a json", 100);
    put(cache, "/a json gzip", 100);
    put(cache, "/ab json", 100);
    unsigned long age = document_cache_age(cache);
    document_cache_invalidate(cache, "/a");
    assert_false(has(cache, "/a json") || has(cache, "/a json gzip"));
    assert_true(has(cache, "/ab json"));
    put_made_at(cache, "/a json", 100, age); /* of what was read before it was invalidated */
    assert_false(has(cache, "/a json"));
    put(cache, "/a json", 100);
    assert_true(has(cache, "/a json"));
    document_cache_free(cache);
}

static void a_document_in_use_outlives_its_eviction(void **state)
{
    (void)state;
    struct document_cache *cache = document_cache_new(16 << 10);
    put(cache, "used", 1 << 10);
    struct document *document = document_cache_get(cache, "used");
    for (int i = 0; i < 50; i++) {
        char key[16];
        snprintf(key, sizeof key, "%d", i);
        put(cache, key, 1 << 10);
    }
    assert_false(has(cache, "used"));
    document_cache_free(cache);
    assert_string_equal(document->tag, "used");
    document_release(document);
}

struct client_task {
    struct worker_task task;
    struct worker_pool *worker_pool;
    atomic_int *ended;
    char name, *written;
    int left;
};

static void client_task_run(struct worker_task *task)
{
    struct client_task *self = (struct client_task *)task;
    self->written[strlen(self->written)] = self->name;
    if (--self->left)
        worker_pool_add(self->worker_pool, &self->task);
    else
        atomic_fetch_add(self->ended, 1);
}

static atomic_bool gate_open;

/* Holds the only thread until all others are there. */
static void gate_run(struct worker_task *task)
{
    (void)task;
    while (!atomic_load(&gate_open))
        sched_yield();
}

static void tasks_of_clients_alternate(void **state)
{
    (void)state;
    struct error error = {0};
    struct worker_pool *worker_pool;
    char written[32] = "";
    atomic_int ended = 0;
    struct worker_task gate = {.run = gate_run, .client = 99};
    struct client_task tasks[3];
    assert_int_equal(worker_pool_start(&worker_pool, 1, &error), 0);
    worker_pool_add(worker_pool, &gate);
    for (int i = 0; i < 3; i++) {
        tasks[i] = (struct client_task){{.run = client_task_run, .client = (uint64_t)i},
                                        worker_pool,
                                        &ended,
                                        (char)('a' + i),
                                        written,
                                        4};
        worker_pool_add(worker_pool, &tasks[i].task);
    }
    atomic_store(&gate_open, true);
    while (atomic_load(&ended) < 3)
        sched_yield();
    worker_pool_stop(worker_pool);
    assert_string_equal(written, "abcabcabcabc");
}

/* One thread; a client with three long tasks, then others with one each. */
static void clients_alternate_however_many_tasks_one_has(void **state)
{
    (void)state;
    struct error error = {0};
    struct worker_pool *worker_pool;
    char written[32] = "";
    atomic_int ended = 0;
    struct worker_task gate = {.run = gate_run, .client = 99};
    struct client_task tasks[5];
    atomic_store(&gate_open, false);
    assert_int_equal(worker_pool_start(&worker_pool, 1, &error), 0);
    worker_pool_add(worker_pool, &gate);
    for (int i = 0; i < 5; i++) {
        tasks[i] = (struct client_task){{.run = client_task_run, .client = i < 3 ? 1 : (uint64_t)i},
                                        worker_pool,
                                        &ended,
                                        (char)('a' + i),
                                        written,
                                        2};
        worker_pool_add(worker_pool, &tasks[i].task);
    }
    atomic_store(&gate_open, true);
    while (atomic_load(&ended) < 5)
        sched_yield();
    worker_pool_stop(worker_pool);
    assert_string_equal(written, "adebdecabc");
}

static atomic_int blocked, quick;

static void blocked_run(struct worker_task *task)
{
    atomic_fetch_add(&blocked, 1);
    gate_run(task);
}

static void quick_run(struct worker_task *task)
{
    (void)task;
    atomic_fetch_add(&quick, 1);
}

/* Of tens of thousands that wait none is looked at for another one that comes: with a list this takes
   seconds. */
static void a_client_is_found_at_once(void **state)
{
    (void)state;
    enum { CLIENTS = 40000 };
    struct worker_pool *worker_pool;
    struct error error = {0};
    struct worker_task gate = {.run = gate_run, .client = CLIENTS},
                       *tasks = calloc(2 * CLIENTS, sizeof *tasks);
    atomic_store(&gate_open, false);
    assert_non_null(tasks);
    assert_int_equal(worker_pool_start(&worker_pool, 1, &error), 0);
    worker_pool_add(worker_pool, &gate);
    int64_t began_ns = clock_thread_ns();
    for (int i = 0; i < 2 * CLIENTS; i++) {
        tasks[i] = (struct worker_task){.run = quick_run, .client = (uint64_t)(i % CLIENTS)};
        worker_pool_add(worker_pool, &tasks[i]);
    }
    assert_in_range(clock_thread_ns() - began_ns, 0, 1500000000);
    atomic_store(&gate_open, true);
    worker_pool_stop(worker_pool);
    free(tasks);
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
static void a_busy_lane_gives_memory_back(void **state)
{
    (void)state;
    skip(); /* a sanitizer keeps what is freed */
}
#else
static long resident_bytes(void)
{
    long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%*d %ld", &pages), 1);
    fclose(file);
    return pages * sysconf(_SC_PAGESIZE);
}

enum { PIECES = 32768, PIECE_BYTES = 2000 };
static void *pieces[PIECES];

struct endless {
    struct worker_task task;
    struct worker_pool *worker_pool;
};

/* There is always one more, until the gate is open. */
static void endless_run(struct worker_task *task)
{
    struct endless *endless = (struct endless *)task;
    usleep(1000);
    if (!atomic_load(&gate_open))
        worker_pool_add(endless->worker_pool, task);
}

/* All are freed but the last one, so that the library keeps the others. */
static void allocating_run(struct worker_task *task)
{
    (void)task;
    for (int i = 0; i < PIECES; i++)
        if ((pieces[i] = malloc(PIECE_BYTES)))
            memset(pieces[i], 1, PIECE_BYTES);
    for (int i = 0; i < PIECES - 1; i++)
        free(pieces[i]);
    atomic_fetch_add(&quick, 1);
}

static void a_busy_lane_gives_memory_back(void **state)
{
    (void)state;
    struct error error = {0};
    struct worker_pool *worker_pool;
    struct worker_task allocating = {.run = allocating_run, .client = 2};
    struct endless endless = {.task = {.run = endless_run, .client = 1}};
    atomic_store(&quick, 0);
    atomic_store(&gate_open, false);
    assert_int_equal(worker_pool_start(&worker_pool, 2, &error), 0);
    long before = resident_bytes();
    endless.worker_pool = worker_pool;
    worker_pool_add(worker_pool, &endless.task);
    worker_pool_add(worker_pool, &allocating);
    while (!atomic_load(&quick))
        sched_yield();
    int64_t limit_ns = clock_monotonic_ns() + 20000000000;
    while (resident_bytes() > before + PIECES * PIECE_BYTES / 4 && clock_monotonic_ns() < limit_ns)
        usleep(10000);
    assert_in_range(resident_bytes(), 0, before + PIECES * PIECE_BYTES / 4);
    atomic_store(&gate_open, true);
    worker_pool_stop(worker_pool);
    free(pieces[PIECES - 1]);
}
#endif

static void a_client_has_at_most_half_of_the_pools_threads(void **state)
{
    (void)state;
    struct error error = {0};
    struct worker_pool *worker_pool;
    struct worker_task slow[8], other = {.run = quick_run, .client = 2};
    atomic_store(&gate_open, false);
    atomic_store(&quick, 0);
    assert_int_equal(worker_pool_start(&worker_pool, 4, &error), 0);
    for (int i = 0; i < 8; i++) {
        slow[i] = (struct worker_task){.run = blocked_run, .client = 1};
        worker_pool_add(worker_pool, &slow[i]);
    }
    while (atomic_load(&blocked) < 2)
        sched_yield();
    for (int i = 0; i < 100; i++) { /* by whichever thread is free */
        worker_pool_add(worker_pool, &other);
        while (atomic_load(&quick) <= i)
            sched_yield();
    }
    assert_int_equal(atomic_load(&blocked), 2);
    atomic_store(&gate_open, true);
    worker_pool_stop(worker_pool);
    assert_int_equal(atomic_load(&blocked), 8);
}

static void what_is_compressed_comes_back(void **state)
{
    (void)state;
    static const struct route routes[] = {{.flags = ROUTE_SLOW}, {.flags = ROUTE_SLOW | ROUTE_CACHED}};
    struct buffer in = {0}, packed[2] = {{0}};
    for (int i = 0; i < 2000; i++)
        buffer_format(&in, "%d,succeeded,read_offset\n", i);
    for (int i = 0; i < 2; i++) {
        const struct request request = {.gzip = true, .match = {.route = &routes[i]}};
        struct buffer *out = &packed[i];
        buffer_append(out, in.data, in.size);
        assert_true(reply_compress(&request, out));
        assert_true(out->size < in.size / 2);
        unsigned char *back = malloc(in.size + 1);
        z_stream stream = {.next_in = (unsigned char *)out->data,
                           .avail_in = (unsigned)out->size,
                           .next_out = back,
                           .avail_out = (unsigned)in.size + 1};
        assert_int_equal(inflateInit2(&stream, 31), Z_OK);
        assert_int_equal(inflate(&stream, Z_FINISH), Z_STREAM_END);
        assert_int_equal(stream.total_out, in.size);
        assert_memory_equal(back, in.data, in.size);
        inflateEnd(&stream);
        free(back);
    }
    buffer_free(&in);
    buffer_free(&packed[0]);
    buffer_free(&packed[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_cache_drops_what_was_not_asked_for_the_longest),
        cmocka_unit_test(what_is_invalidated_is_gone_in_every_form),
        cmocka_unit_test(a_document_in_use_outlives_its_eviction),
        cmocka_unit_test(tasks_of_clients_alternate),
        cmocka_unit_test(clients_alternate_however_many_tasks_one_has),
        cmocka_unit_test(a_client_is_found_at_once),
        cmocka_unit_test(a_busy_lane_gives_memory_back),
        cmocka_unit_test(a_client_has_at_most_half_of_the_pools_threads),
        cmocka_unit_test(what_is_compressed_comes_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
