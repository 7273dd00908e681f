/* The names of counters: ours, and what the true CUPTI's lists of chips make of them, which takes no
   device. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "kernels/device/counters_chips.h"
#include "tests/unit/support/sanitized.h"

static const struct counters_wanted all = {.on = true};

static const struct counter *named(const struct counters *counters, const char *name)
{
    for (int i = 0; i < counters->count; i++)
        if (strcmp(counters->at[i].name, name) == 0)
            return &counters->at[i];
    fail_msg("no %s", name);
    return NULL;
}

static void a_name_is_letters_digits_underscores_and_dots(void **state)
{
    (void)state;
    char longest[COUNTERS_NAME_BYTES + 1];
    memset(longest, 'a', sizeof longest);
    longest[COUNTERS_NAME_BYTES] = '\0';
    assert_false(counters_name_valid(longest));
    longest[COUNTERS_NAME_BYTES - 1] = '\0';
    assert_true(counters_name_valid(longest));
    assert_true(counters_name_valid("l1tex__t_bytes.sum.per_second"));
    assert_false(counters_name_valid(""));
    assert_false(counters_name_valid("a b"));
    assert_false(counters_name_valid("a\"b"));
    assert_false(counters_name_valid("../x"));
}

static void bank_conflicts_come_with_shared_memory_or_by_name(void **state)
{
    (void)state;
    struct counters counters;
    struct counters_wanted wanted = all;
    wanted.shared = true;
    counters_begin(&counters, &wanted);
    assert_string_equal(counters.at[17].name, "shared_bank_conflicts");
    wanted =
        (struct counters_wanted){.on = true, .count = 2, .name = {"shared_bank_conflicts", "gld_requests"}};
    counters_begin(&counters, &wanted);
    assert_int_equal(counters.count, 18);
    assert_false(counters.at[17].named);
    wanted = (struct counters_wanted){.on = true, .shared = true, .count = 1, .name = {"local_load_bytes"}};
    counters_begin(&counters, &wanted);
    assert_int_equal(counters.count, 19);
    assert_string_equal(counters.at[18].name, "local_load_bytes");
}

/* What is known to be otherwise: boards whose memory is the machine's have no DRAM counters of their own. */
static const struct {
    const char *chip;
    bool refused, no_dram;
    unsigned passes;
} known[] = {
    {.chip = "GV11B", .refused = true}, {.chip = "GA10B", .no_dram = true},
    {.chip = "GB10B", .no_dram = true}, {.chip = "GB20B", .no_dram = true},
    {.chip = "GV100", .passes = 7},
};

static void chip_has_all(const char *chip)
{
    struct counters counters;
    struct error error = {0};
    bool refused = false, no_dram = false;
    unsigned passes = 4;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(chip, known[i].chip) == 0) {
            refused = known[i].refused;
            no_dram = known[i].no_dram;
            passes = known[i].passes ? known[i].passes : passes;
        }
    if (counters_chips_plan(chip, &all, &counters, &error) < 0) {
        print_message("%s: %s\n", chip, error.text);
        assert_true(refused);
        return;
    }
    for (int i = 0; i < counters.count; i++)
        if (!*counters.at[i].metric && !(no_dram && strncmp(counters.at[i].name, "dram_", 5) == 0))
            fail_msg("%s: %s: %s", chip, counters.at[i].name, counters.at[i].reason);
    print_message("%s: %u passes%s\n", chip, counters.passes, no_dram ? ", no DRAM" : "");
    assert_in_range(counters.passes, 1, passes);
}

/* The true library is opened in a way that sanitizers refuse. */
static int chips(const char *const **names, int *count)
{
    struct error error = {.text = "not under a sanitizer"};
    if (!SANITIZED) {
        error = (struct error){0};
        if (counters_chips(names, count, &error) == 0)
            return 0;
    }
    print_message("skipped: no CUPTI here: %s\n", error.text);
    return -1;
}

static void the_default_set_takes_four_passes_from_turing_on(void **state)
{
    (void)state;
    const char *const *names = NULL;
    int count = 0, found = 0;
    if (chips(&names, &count) < 0)
        skip();
    for (int i = 0; i < count; i++) {
        chip_has_all(names[i]);
        found += strcmp(names[i], "GH100") == 0;
    }
    assert_int_equal(found, 1);
}

static void the_chip_says_which_names_it_has(void **state)
{
    (void)state;
    struct counters counters;
    struct error error = {0};
    const struct counters_wanted wanted = {.on = true,
                                           .count = 5,
                                           .name = {"sm__cycles_active.avg", "smsp__inst_executed",
                                                    "sm__nonsense.sum", "local_load_bytes",
                                                    "local_store_bytes"}};
    const char *const *names;
    int count;
    if (chips(&names, &count) < 0)
        skip();
    assert_int_equal(counters_chips_plan("GH100", &wanted, &counters, &error), 0);
    assert_string_equal(named(&counters, "sm__cycles_active.avg")->metric, "sm__cycles_active.avg");
    assert_non_null(strstr(named(&counters, "smsp__inst_executed")->reason, ".sum"));
    assert_non_null(strstr(named(&counters, "sm__nonsense.sum")->reason, "GH100 has no"));
    assert_string_equal(named(&counters, "gld_requests")->reason, "");
    assert_string_equal(named(&counters, "local_load_bytes")->reason, "");
    assert_string_equal(named(&counters, "local_store_bytes")->reason, "");
    error = (struct error){0};
    assert_int_equal(counters_chips_plan("XX999", &wanted, &counters, &error), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_name_is_letters_digits_underscores_and_dots),
        cmocka_unit_test(bank_conflicts_come_with_shared_memory_or_by_name),
        cmocka_unit_test(the_default_set_takes_four_passes_from_turing_on),
        cmocka_unit_test(the_chip_says_which_names_it_has),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
