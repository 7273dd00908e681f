/* What a kernel's time depends on, read off its machine code: the numbers are those that scripts/machine_code, which
   reads the suite's kernels, says of the same file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/time/code_reader.h"

static struct cubin *fixture;

static int file_read(struct cubin **cubin, const char *name)
{
    struct error error = {0};
    FILE *file = fopen(name, "re");
    char *bytes = calloc(1, 1 << 20);
    if (!file || !bytes)
        return -1;
    size_t count = fread(bytes, 1, 1 << 20, file);
    fclose(file);
    int result = cubin_read(cubin, bytes, count, &error);
    free(bytes);
    return result;
}

static int fixture_read(void **state)
{
    (void)state;
    return file_read(&fixture, TESTS_DIR "/cubins/tiled.cubin");
}

static int fixture_free(void **state)
{
    (void)state;
    cubin_free(fixture);
    return 0;
}

static struct code read_kernel(const char *name)
{
    struct code code;
    struct error error = {0};
    assert_int_equal(code_reader_read(&code, cubin_entry_find(fixture, name), &error), 0);
    return code;
}

static void assert_pass(const struct code_pass *pass, struct code_pass expected)
{
    assert_int_equal(pass->iterations, expected.iterations);
    assert_int_equal(pass->instructions, expected.instructions);
    assert_int_equal(pass->waits, expected.waits);
    assert_int_equal(pass->cycles, expected.cycles);
    assert_int_equal(pass->doubles, expected.doubles);
}

static void the_pieces_of_an_unrolled_loop_are_found(void **state)
{
    (void)state;
    struct code code = read_kernel("tiled");
    assert_int_equal(code.registers, 32);
    assert_int_equal(code.instructions, 45);
    assert_int_equal(code.cycles, 180);
    assert_int_equal(code.loop_loads, 2);
    assert_int_equal(code.loop_barriers, 2);
    assert_int_equal(code.longer_iterations, 4);
    assert_int_equal(code.longer_instructions, 2);
    assert_int_equal(code.longer_cycles, 13);
    assert_int_equal(code.passes, 3);
    assert_pass(&code.pass[0], (struct code_pass){4, 177, 4, 564, 0});
    assert_pass(&code.pass[1], (struct code_pass){2, 90, 2, 279, 0});
    assert_pass(&code.pass[2], (struct code_pass){1, 42, 1, 124, 0});
}

static void straight_code_is_counted_besides_its_loop(void **state)
{
    (void)state;
    struct code code = read_kernel("triangle");
    assert_int_equal(code.instructions, 31);
    assert_int_equal(code.waits, 1);
    assert_int_equal(code.loads, 1);
    assert_int_equal(code.passes, 3);
    assert_pass(&code.pass[0], (struct code_pass){4, 18, 1, 27, 0});
    code = read_kernel("atomics");
    assert_int_equal(code.instructions, 27);
    assert_int_equal(code.barriers, 2);
    assert_pass(&code.pass[0], (struct code_pass){1, 6, 0, 76, 0});
}

/* The counts are those of smsp__inst_executed on an H200, a warp (bench/results/division_h200.json); of the division of
   64-bit integers it executed 44, as its operands had fewer than 32 bits. */
static void functions_for_unusual_operands_of_floats_are_not_called(void **state)
{
    static const struct expected {
        const char *name;
        uint32_t instructions, doubles;
    } expected[] = {
        {"divide_f32", 27, 0}, {"divide_f64", 34, 8}, {"roots_f32", 37, 0}, {"divide_s64", 114, 0}};
    struct cubin *cubin;
    (void)state;
    assert_int_equal(file_read(&cubin, TESTS_DIR "/cubins/division.cubin"), 0);
    for (int i = 0; i < 4; i++) {
        struct code code;
        struct error error = {0};
        assert_int_equal(code_reader_read(&code, cubin_entry_find(cubin, expected[i].name), &error), 0);
        assert_int_equal(code.instructions, expected[i].instructions);
        assert_int_equal(code.doubles, expected[i].doubles);
    }
    cubin_free(cubin);
}

/* Code by hand: what a user may bring, and the suite has not. */
static struct code read_words(const struct machine_word *words, size_t count, int branch, int target,
                              int *result, struct error *error)
{
    struct cubin_instruction code[8] = {0};
    struct code read;
    for (size_t i = 0; i < count; i++)
        code[i] = (struct cubin_instruction){.word = words[i], .target = (int)i == branch ? target : -1};
    struct cubin_entry entry = {.name = "k", .code = code, .count = count};
    *result = code_reader_read(&read, &entry, error);
    return read;
}

#define PLAIN .predicate = MACHINE_ALWAYS, .always = true, .sets = 7, .lends = 7, .stall = 1

static void spills_are_counted_and_in_a_loop_refused(void **state)
{
    static const struct machine_word words[] = {
        {PLAIN, .kind = MACHINE_STORE, .space = MACHINE_LOCAL, .bytes = 16},
        {PLAIN, .kind = MACHINE_LOAD, .space = MACHINE_LOCAL, .bytes = 4},
        {.flow = MACHINE_BRANCH, .sets = 7, .lends = 7, .stall = 1},
        {PLAIN, .flow = MACHINE_EXIT},
    };
    int result;
    struct error error = {0};
    (void)state;
    struct code code = read_words(words, 4, 2, 3, &result, &error);
    assert_int_equal(result, 0);
    assert_int_equal(code.local_store_bytes, 16);
    assert_int_equal(code.local_load_bytes, 4);
    read_words(words, 4, 2, 0, &result, &error);
    assert_int_equal(result, -1);
    assert_non_null(strstr(error.text, "a loop uses local memory"));
}

static void recursion_ends(void **state)
{
    static const struct machine_word words[] = {
        {PLAIN, .flow = MACHINE_CALL, .has_target = true},
        {PLAIN, .flow = MACHINE_EXIT},
    };
    int result;
    struct error error = {0};
    (void)state;
    read_words(words, 2, 0, 0, &result, &error);
    assert_int_equal(result, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_pieces_of_an_unrolled_loop_are_found),
        cmocka_unit_test(straight_code_is_counted_besides_its_loop),
        cmocka_unit_test(functions_for_unusual_operands_of_floats_are_not_called),
        cmocka_unit_test(spills_are_counted_and_in_a_loop_refused),
        cmocka_unit_test(recursion_ends),
    };
    return cmocka_run_group_tests(tests, fixture_read, fixture_free);
}
