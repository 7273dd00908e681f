/* What the host has, and that it is asked before memory is taken. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "kernels/device/device.h"
#include "kernels/device/host.h"

static void more_than_there_is_is_refused(void **state)
{
    (void)state;
    struct error error = {0};
    uint64_t all = host_memory_bytes();
    assert_in_range(all, 1 << 20, (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE));
    assert_int_equal(host_memory_check(4096, &error), 0);
    assert_int_equal(host_memory_check(all + 1, &error), -1);
    assert_int_equal(error.kind, ERROR_OUT_OF_MEMORY);
    assert_non_null(strstr(error.text, "host's memory"));
}

static void a_device_that_was_refused_memory_goes_on(void **state)
{
    (void)state;
    const struct device_kind *kind;
    struct device *device;
    struct error error = {0};
    int index, count;
    struct reserved place = {0};
    assert_int_equal(device_find("cpu", &kind, &index, &count, &error), 0);
    assert_int_equal(kind->open(&device, index, &error), 0);
    assert_int_equal(kind->reserve(device, host_memory_bytes() + 1, false, false, &place, &error), -1);
    assert_int_equal(error.kind, ERROR_OUT_OF_MEMORY);
    assert_int_equal(kind->reserve(device, 65536, false, false, &place, &error), 0);
    memset(place.base, 1, 65536);
    kind->close(device);
}

static void a_line_is_found_by_its_beginning(void **state)
{
    (void)state;
    char value[64];
    host_read_line("/proc/self/status", "Pid", value, sizeof value);
    char pid[32];
    snprintf(pid, sizeof pid, "%ld", (long)getpid());
    assert_string_equal(value, pid);
    host_read_line("/proc/self/status", "There is no such line", value, sizeof value);
    assert_string_equal(value, "");
    host_read_line("/nowhere", "Pid", value, sizeof value);
    assert_string_equal(value, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(more_than_there_is_is_refused),
        cmocka_unit_test(a_device_that_was_refused_memory_goes_on),
        cmocka_unit_test(a_line_is_found_by_its_beginning),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
