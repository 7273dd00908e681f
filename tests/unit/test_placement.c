/* Where arrays lie, what it is called, and when it is somewhere else. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "kernels/device/device.h"
#include "kernels/placement.h"

static void a_place_is_kept_until_it_is_too_small_or_a_new_one_is_wanted(void **state)
{
    (void)state;
    static const struct {
        uint64_t bytes;
        bool anew, fresh;
    } steps[] = {
        {65536, false, true},  {4096, false, false}, {65536, false, false}, {1 << 20, false, true},
        {65536, false, false}, {4096, true, true},   {4096, false, false},  {65536, false, true},
        {65536, true, true},   {65536, true, true},  {65536, false, false},
    };
    const struct device_kind *kind;
    struct device *device;
    struct error error = {0};
    int index, count;
    struct reserved before = {0}, place;
    assert_int_equal(device_find("cpu", &kind, &index, &count, &error), 0);
    assert_int_equal(kind->open(&device, index, &error), 0);
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        assert_int_equal(kind->reserve(device, steps[i].bytes, false, steps[i].anew, &place, &error), 0);
        assert_int_equal(place.fresh, steps[i].fresh);
        assert_int_equal(place.allocation, before.allocation + steps[i].fresh);
        assert_true(steps[i].fresh || place.base == before.base);
        assert_int_equal((uintptr_t)place.base % KERNEL_ALIGN_BYTES, 0);
        memset(place.base, 1, steps[i].bytes);
        before = place;
    }
    kind->close(device);
}

static void a_name_is_of_one_process_and_one_allocation(void **state)
{
    (void)state;
    struct reserved first = {.allocation = 1, .fresh = true}, again = {.allocation = 1},
                    second = {.allocation = 2};
    struct placed names[4];
    uint64_t nonce = placement_nonce();
    placement_name(&names[0], nonce, &first);
    placement_name(&names[1], nonce, &again);
    placement_name(&names[2], nonce, &second);
    placement_name(&names[3], placement_nonce(), &first);
    assert_string_equal(names[0].name, names[1].name);
    assert_string_not_equal(names[0].name, names[2].name);
    assert_string_not_equal(names[0].name, names[3].name);
    assert_true(names[0].fresh && !names[1].fresh);
}

static void a_spacer_is_of_random_size_within_its_bounds(void **state)
{
    (void)state;
    uint64_t least = UINT64_MAX, most = 0;
    for (int i = 0; i < 2000; i++) {
        uint64_t bytes = placement_spacer(2 << 20, PLACEMENT_SPACER_LEAST, PLACEMENT_SPACER_MOST);
        assert_int_equal(bytes % (2 << 20), 0);
        least = bytes < least ? bytes : least;
        most = bytes > most ? bytes : most;
    }
    assert_int_equal(least, PLACEMENT_SPACER_LEAST);
    assert_int_equal(most, PLACEMENT_SPACER_MOST);
    assert_int_equal(placement_spacer(4096, 4096, 0), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_place_is_kept_until_it_is_too_small_or_a_new_one_is_wanted),
        cmocka_unit_test(a_name_is_of_one_process_and_one_allocation),
        cmocka_unit_test(a_spacer_is_of_random_size_within_its_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
