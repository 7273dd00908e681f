#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/clock.h"
#include "base/hash.h"
#include "server/store/id.h"

enum { THREADS = 4, EACH = 20000 };

static void ids_go_up_even_within_one_millisecond(void **state)
{
    (void)state;
    char before[ID_BYTES], id[ID_BYTES];
    id_next(before);
    for (int i = 0; i < 100000; i++) {
        id_next(id);
        assert_true(strcmp(before, id) < 0);
        memcpy(before, id, sizeof before);
    }
}

static void an_id_begins_with_its_time(void **state)
{
    (void)state;
    static const char alphabet[] = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
    char id[ID_BYTES];
    id_next(id);
    int64_t time_ms = 0;
    for (int i = 0; i < 10; i++)
        time_ms = time_ms * 32 + (strchr(alphabet, id[i]) - alphabet);
    int64_t off_ms = clock_wall_ms() - time_ms;
    assert_in_range(off_ms + 5000, 0, 10000);
}

static void *take_ids(void *arg)
{
    char(*ids)[ID_BYTES] = arg;
    for (int i = 0; i < EACH; i++)
        id_next(ids[i]);
    return NULL;
}

static int ids_compare(const void *a, const void *b)
{
    return strcmp(a, b);
}

static void ids_of_several_threads_are_unique(void **state)
{
    (void)state;
    static char ids[THREADS * EACH][ID_BYTES];
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, take_ids, ids[i * EACH]);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    qsort(ids, THREADS * EACH, ID_BYTES, ids_compare);
    for (int i = 1; i < THREADS * EACH; i++)
        assert_string_not_equal(ids[i - 1], ids[i]);
}

static void what_is_not_formed_like_an_id_is_not_one(void **state)
{
    (void)state;
    static const char *const bad[] = {"",
                                      "01ARZ3NDEKTSV4RRFFQ69G5FA",   /* too short */
                                      "01ARZ3NDEKTSV4RRFFQ69G5FAVX", /* too long */
                                      "01ARZ3NDEKTSV4RRFFQ69G5FAI",  /* I, L, O and U are no digits */
                                      "01arz3ndektsv4rrffq69g5fav",  /* nor are small letters */
                                      "81ARZ3NDEKTSV4RRFFQ69G5FAV",  /* more than 128 bits */
                                      "01ARZ3NDEKTSV4RRFFQ69G5FA\n",
                                      "../../../../../etc/passwd"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(id_valid(bad[i]));
    assert_false(id_valid(NULL));
    assert_true(id_valid("01ARZ3NDEKTSV4RRFFQ69G5FAV"));
    char id[ID_BYTES];
    id_next(id);
    assert_true(id_valid(id));
}

static void an_id_says_when_it_was_given(void **state)
{
    (void)state;
    char id[ID_BYTES];
    int64_t before_ms = clock_wall_ms();
    id_next(id);
    assert_in_range(id_ms(id), before_ms, clock_wall_ms());
    assert_int_equal(id_ms("01ARZ3NDEKTSV4RRFFQ69G5FAV"), 1469922850259);
    id_least(1469922850259, id);
    assert_string_equal(id, "01ARZ3NDEK0000000000000000");
}

static void hashes_of_neighbours_spread(void **state)
{
    (void)state;
    enum { BUCKETS = 64, IDS = 6400 };
    int counts[BUCKETS] = {0};
    for (int i = 0; i < IDS; i++) {
        char id[ID_BYTES];
        id_next(id);
        counts[hash_text(id) % BUCKETS]++;
    }
    for (int i = 0; i < BUCKETS; i++)
        assert_in_range(counts[i], 50, 150);
}

/* The last one: it takes this process into the future. */
static void ids_go_on_after_one_from_the_future(void **state)
{
    (void)state;
    char id[ID_BYTES], again[ID_BYTES];
    id_start_after("not an id");
    id_start_after("7ZZZZZZZZZZZZZZZZZZZZZZZZ0");
    id_next(id);
    assert_string_equal(id, "7ZZZZZZZZZZZZZZZZZZZZZZZZ1");
    id_start_after("01ARZ3NDEKTSV4RRFFQ69G5FAV");
    id_next(again);
    assert_true(strcmp(id, again) < 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ids_go_up_even_within_one_millisecond),
        cmocka_unit_test(an_id_begins_with_its_time),
        cmocka_unit_test(ids_of_several_threads_are_unique),
        cmocka_unit_test(what_is_not_formed_like_an_id_is_not_one),
        cmocka_unit_test(an_id_says_when_it_was_given),
        cmocka_unit_test(hashes_of_neighbours_spread),
        cmocka_unit_test(ids_go_on_after_one_from_the_future),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
