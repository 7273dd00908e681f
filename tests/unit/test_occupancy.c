#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "kernels/model/occupancy.h"

static struct occupancy compute(const char *arch, struct occupancy_question question)
{
    struct occupancy occupancy;
    struct error error = {0};
    assert_non_null(arch_find(arch));
    assert_int_equal(occupancy_compute(arch_find(arch), &question, &occupancy, &error), 0);
    return occupancy;
}

static unsigned bit(enum occupancy_limit limit)
{
    return 1u << limit;
}

/* A line of the fixture: what make_occupancy_fixture.c asked, and what cuda_occupancy.h answered. */
struct answer {
    char arch[16];
    struct occupancy_question question;
    int blocks, by_threads, by_registers, by_shared, by_barriers; /* -1: no limit */
    unsigned limits;                                              /* as cuda_occupancy.h numbers them */
};

static int read_answer(const char *line, struct answer *a)
{
    unsigned threads, registers, barriers;
    unsigned long long shared;
    int fields = sscanf(line, "%15[^,],%u,%u,%llu,%u,%d,%u,%d,%d,%d,%d", a->arch, &threads, &registers,
                        &shared, &barriers, &a->blocks, &a->limits, &a->by_threads, &a->by_registers,
                        &a->by_shared, &a->by_barriers);
    a->question = (struct occupancy_question){.threads_per_block = threads,
                                              .registers_per_thread = registers,
                                              .shared_bytes_per_block = shared,
                                              .barriers_per_block = barriers};
    return fields == 11 ? 0 : -1;
}

/* The bits of enum cudaOccLimitingFactor_enum: warps 1, registers 2, shared memory 4, blocks 8, barriers 16.
   Where barriers allow less than the rest, it goes on naming what would have been next: left out here. */
static unsigned limits_of_nvidia(const struct answer *a)
{
    const struct {
        enum occupancy_limit limit;
        int blocks;
    } order[] = {{OCCUPANCY_THREADS, a->by_threads},
                 {OCCUPANCY_REGISTERS, a->by_registers},
                 {OCCUPANCY_SHARED, a->by_shared},
                 {OCCUPANCY_BLOCKS, (int)arch_find(a->arch)->blocks_per_sm},
                 {OCCUPANCY_BARRIERS, a->by_barriers}};
    unsigned set = 0;
    for (size_t i = 0; i < sizeof order / sizeof *order; i++)
        if (a->limits & (1u << i) && order[i].blocks == a->blocks)
            set |= bit(order[i].limit);
    return set;
}

static int answers_agree(const struct answer *a, const struct occupancy *o)
{
    return (int)o->blocks_per_sm == a->blocks && o->limited_by == limits_of_nvidia(a) &&
           (int)o->blocks_by[OCCUPANCY_THREADS] == a->by_threads &&
           (int)o->blocks_by[OCCUPANCY_REGISTERS] == a->by_registers &&
           (int)o->blocks_by[OCCUPANCY_SHARED] == a->by_shared &&
           (int)o->blocks_by[OCCUPANCY_BARRIERS] == a->by_barriers;
}

static void occupancy_equals_cuda_occupancy_on_ten_thousand_configurations(void **state)
{
    (void)state;
    FILE *file = fopen(TESTS_DIR "/model/occupancy_fixture.csv", "r");
    assert_non_null(file);
    char line[256];
    int compared = 0;
    assert_non_null(fgets(line, sizeof line, file)); /* the header */
    while (fgets(line, sizeof line, file)) {
        struct answer answer;
        if (read_answer(line, &answer))
            fail_msg("not a line of the fixture: %s", line);
        struct occupancy occupancy = compute(answer.arch, answer.question);
        if (!answers_agree(&answer, &occupancy))
            fail_msg("%u blocks, limits %x for %s", occupancy.blocks_per_sm, occupancy.limited_by, line);
        compared++;
    }
    fclose(file);
    assert_true(compared >= 10000);
}

/* Every row of `facts` in the published occupancy rules; a limit of 0: not stated. */
static void the_facts_of_the_programming_guide_hold(void **state)
{
    (void)state;
    static const struct {
        const char *arch;
        uint32_t threads, registers, blocks_per_sm, warps_per_sm, warps_at_most;
        unsigned limited_by;
    } facts[] = {
        {"sm_12", 512, 16, 2, 32, 32, 0},
        {"sm_12", 512, 17, 1, 16, 32, 1u << OCCUPANCY_REGISTERS},
        {"sm_20", 128, 0, 8, 32, 48, 1u << OCCUPANCY_BLOCKS},
        {"sm_37", 64, 0, 16, 32, 64, 1u << OCCUPANCY_BLOCKS},
        {"sm_37", 32, 0, 16, 16, 64, 1u << OCCUPANCY_BLOCKS},
    };
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
        struct occupancy o = compute(facts[i].arch, (struct occupancy_question){
                                                        .threads_per_block = facts[i].threads,
                                                        .registers_per_thread = facts[i].registers,
                                                    });
        assert_int_equal(o.blocks_per_sm, facts[i].blocks_per_sm);
        assert_int_equal(o.warps_per_sm, facts[i].warps_per_sm);
        assert_int_equal(arch_find(facts[i].arch)->warps_per_sm, facts[i].warps_at_most);
        assert_true(fabs(o.theoretical - (double)facts[i].warps_per_sm / facts[i].warps_at_most) < 1e-12);
        if (facts[i].limited_by)
            assert_int_equal(o.limited_by, facts[i].limited_by);
    }
}

/* By hand, for what cuda_occupancy.h does not cover any more. */
static void before_sm_30_registers_are_handed_out_by_other_units(void **state)
{
    (void)state;
    static const struct {
        const char *arch;
        uint32_t threads, registers, blocks_per_sm;
    } cases[] = {
        {"sm_12", 128, 20, 6},                        /* 4 x 32 x 20 = 2560 = 5 x 512; 16384 / 2560 = 6.4 */
        {"sm_12", 128, 21, 5},                        /* 2688, as 3072; 5.3 */
        {"sm_12", 160, 16, 5},                        /* 5 warps count as 6: 3072; with 5 it would be 6.4 */
        {"sm_13", 160, 16, 5}, {"sm_10", 128, 20, 3}, /* 2560 = 10 x 256; 8192 / 2560 = 3.2 */
        {"sm_11", 96, 16, 4},                         /* 3 warps count as 4: 2048; with 3 it would be 5.3 */
        {"sm_20", 608, 25, 2}, /* 800, as 832 = 13 x 64: 19 warps in each half; 38 / 19 */
        {"sm_20", 608, 27, 1}, /* 864, as 896: 18 in each half; 36 / 19 */
        {"sm_20", 32, 63, 8},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct occupancy o = compute(cases[i].arch, (struct occupancy_question){
                                                        .threads_per_block = cases[i].threads,
                                                        .registers_per_thread = cases[i].registers,
                                                    });
        assert_int_equal(o.blocks_per_sm, cases[i].blocks_per_sm);
    }
}

/* 16 bytes and the parameters of each block, of 16 KB, in units of 512: 1.x. */
static void parameters_of_1x_lie_in_shared_memory(void **state)
{
    (void)state;
    static const struct {
        const char *arch;
        uint64_t shared_bytes;
        uint32_t parameter_bytes, blocks_by_shared;
    } cases[] = {
        {"sm_12", 2048, 0, 6}, /* 2064, as 2560; without the 16 bytes it would be 8 */
        {"sm_12", 496, 0, 32},
        {"sm_12", 496, 1, 16},
        {"sm_10", 16384 - 16 - 24, 24, 1},
        {"sm_10", 16384 - 16 - 24, 25, 0},
        {"sm_13", UINT64_MAX, 256, 0},
        {"sm_20", 49152, 256, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct occupancy o = compute(
            cases[i].arch, (struct occupancy_question){.threads_per_block = 32,
                                                       .shared_bytes_per_block = cases[i].shared_bytes,
                                                       .parameter_bytes = cases[i].parameter_bytes});
        assert_int_equal(o.blocks_by[OCCUPANCY_SHARED], cases[i].blocks_by_shared);
    }
}

/* Every value of the figure, one by one, is in the step that says what it gives. */
static void a_staircase_has_every_value_in_its_step(void **state)
{
    (void)state;
    for (int i = 0; i < arch_count(); i++)
        for (int axis = 0; axis < OCCUPANCY_AXES; axis++) {
            const struct arch *arch = arch_at(i);
            struct occupancy_question asked = {
                .threads_per_block = 192, .registers_per_thread = 18, .shared_bytes_per_block = 1000};
            struct occupancy_step steps[OCCUPANCY_STEPS];
            int count = occupancy_staircase(arch, &asked, (enum occupancy_axis)axis, steps), at = 0;
            assert_in_range(count, 2, OCCUPANCY_STEPS - 1);
            assert_true(steps[count - 1].to == (axis == OCCUPANCY_BY_REGISTERS ? arch->registers.per_thread
                                                : axis == OCCUPANCY_BY_SHARED  ? arch->shared.per_block_bytes
                                                                               : arch->threads_per_block));
            for (uint64_t value = steps[0].from; value <= steps[count - 1].to;
                 value += axis == OCCUPANCY_BY_SHARED ? 4 : 1) {
                while (value > steps[at].to)
                    at++;
                if (axis == OCCUPANCY_BY_REGISTERS)
                    asked.registers_per_thread = (uint32_t)value;
                else if (axis == OCCUPANCY_BY_SHARED)
                    asked.shared_bytes_per_block = value;
                else
                    asked.threads_per_block = (uint32_t)value;
                struct occupancy o = compute(arch->name, asked);
                assert_true(value >= steps[at].from);
                assert_int_equal(o.blocks_per_sm, steps[at].blocks_per_sm);
                assert_int_equal(o.warps_per_sm, steps[at].warps_per_sm);
            }
        }
    struct occupancy_question none = {0};
    struct occupancy_step steps[OCCUPANCY_STEPS];
    assert_int_equal(occupancy_staircase(arch_find("sm_90"), &none, OCCUPANCY_BY_SHARED, steps), 0);
}

/* Block 512 on sm_12: the post's 16 and 17 registers. A value beyond what a thread may have lies behind the last step. */
static void thresholds_are_the_steps_beside_the_value_asked(void **state)
{
    (void)state;
    const struct arch *arch = arch_find("sm_12");
    struct occupancy_question question = {.threads_per_block = 512, .registers_per_thread = 16};
    struct occupancy_step steps[OCCUPANCY_STEPS];
    int count = occupancy_staircase(arch, &question, OCCUPANCY_BY_REGISTERS, steps);
    struct occupancy_thresholds at = occupancy_thresholds(&question, OCCUPANCY_BY_REGISTERS, steps, count);
    assert_null(at.more);
    assert_int_equal(at.fewer->from, 17);
    assert_int_equal(at.fewer->blocks_per_sm, 1);
    question.registers_per_thread = 17;
    at = occupancy_thresholds(&question, OCCUPANCY_BY_REGISTERS, steps, count);
    assert_int_equal(at.more->to, 16);
    assert_int_equal(at.more->blocks_per_sm, 2);
    assert_int_equal(at.fewer->from, 33);
    assert_int_equal(at.fewer->blocks_per_sm, 0);
    question.registers_per_thread = 200;
    at = occupancy_thresholds(&question, OCCUPANCY_BY_REGISTERS, steps, count);
    assert_int_equal(at.more->to, 32);
    assert_null(at.fewer);
}

/* Every row of `latency` there: sm_1x is sm_12 and sm_10 here; L/4, L, 2L instructions; for sm_30 the rule, which the
   notes put above the wording. */
static void the_latencies_of_the_programming_guide_need_its_warps(void **state)
{
    (void)state;
    static const struct {
        const char *arch;
        uint32_t latency_cycles;
        uint64_t instructions, warps;
    } rows[] = {
        {"sm_10", 22, 6, 6},   {"sm_12", 22, 6, 6},   {"sm_20", 22, 22, 22},
        {"sm_21", 22, 44, 22}, {"sm_30", 11, 88, 44},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct arch *arch = arch_find(rows[i].arch);
        assert_int_equal(arch->register_latency_cycles, rows[i].latency_cycles);
        assert_int_equal(occupancy_instructions_to_hide(arch, rows[i].latency_cycles), rows[i].instructions);
        assert_int_equal(occupancy_warps_to_hide(arch, rows[i].latency_cycles, 1), rows[i].warps);
        assert_int_equal(occupancy_warps_to_hide(arch, rows[i].latency_cycles, 2), (rows[i].warps + 1) / 2);
    }
    const struct arch *sm_90 = arch_find("sm_90");
    assert_int_equal(occupancy_warps_to_hide(sm_90, 4, 1), 16);
    assert_int_equal(occupancy_warps_to_hide(sm_90, 600, 1),
                     2400); /* more than there are: no warps hide it */
    assert_int_equal(occupancy_warps_to_hide(sm_90, 0, 1), 0);
    assert_int_equal(occupancy_warps_to_hide(sm_90, 4, 0), 16);
    assert_int_equal(occupancy_warps_to_hide(sm_90, UINT32_MAX, 1), 4ull * UINT32_MAX);
}

static void what_cannot_launch_has_no_blocks_and_names_the_limit(void **state)
{
    (void)state;
    static const struct {
        const char *arch;
        struct occupancy_question question;
        unsigned limited_by;
    } cases[] = {
        {"sm_90", {.threads_per_block = 2048, .registers_per_thread = 16}, 1u << OCCUPANCY_THREADS},
        {"sm_12", {.threads_per_block = 513}, 1u << OCCUPANCY_THREADS},
        {"sm_90", {.threads_per_block = 32, .registers_per_thread = 256}, 1u << OCCUPANCY_REGISTERS},
        {"sm_30", {.threads_per_block = 32, .registers_per_thread = 64}, 1u << OCCUPANCY_REGISTERS},
        {"sm_20", {.threads_per_block = 32, .registers_per_thread = 64}, 1u << OCCUPANCY_REGISTERS},
        {"sm_12", {.threads_per_block = 32, .registers_per_thread = 125}, 1u << OCCUPANCY_REGISTERS},
        {"sm_12", {.threads_per_block = 512, .registers_per_thread = 33}, 1u << OCCUPANCY_REGISTERS},
        {"sm_90", {.threads_per_block = 1024, .registers_per_thread = 65}, 1u << OCCUPANCY_REGISTERS},
        {"sm_90", {.threads_per_block = 32, .shared_bytes_per_block = 232449}, 1u << OCCUPANCY_SHARED},
        {"sm_20", {.threads_per_block = 32, .shared_bytes_per_block = 49153}, 1u << OCCUPANCY_SHARED},
        {"sm_90", {.threads_per_block = 32, .shared_bytes_per_block = UINT64_MAX}, 1u << OCCUPANCY_SHARED},
        {"sm_90", {.threads_per_block = 32, .barriers_per_block = 17}, 1u << OCCUPANCY_BARRIERS},
        {"sm_90",
         {.threads_per_block = UINT32_MAX, .registers_per_thread = UINT32_MAX},
         1u << OCCUPANCY_THREADS | 1u << OCCUPANCY_REGISTERS},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct occupancy_question question = cases[i].question;
        question.grid_blocks = 100;
        question.sms = 10;
        struct occupancy o = compute(cases[i].arch, question);
        assert_int_equal(o.blocks_per_sm, 0);
        assert_int_equal(o.warps_per_sm, 0);
        assert_true(o.theoretical == 0);
        assert_int_equal(o.waves, 0);
        assert_true(o.last_wave_fill == 0);
        assert_int_equal(o.limited_by, cases[i].limited_by);
    }
}

static void a_block_without_threads_is_no_question(void **state)
{
    (void)state;
    struct occupancy_question question = {.registers_per_thread = 16};
    struct occupancy occupancy;
    struct error error = {0};
    assert_int_equal(occupancy_compute(arch_find("sm_90"), &question, &occupancy, &error), -1);
    assert_int_equal(error.kind, ERROR_INVALID);
}

static void waves_are_counted_and_the_last_one_is_measured(void **state)
{
    (void)state;
    /* 512 threads: 4 blocks an SM; 132 SMs: 528 blocks a wave. */
    static const struct {
        uint64_t grid_blocks;
        uint32_t sms;
        uint64_t waves;
        double fill;
    } cases[] = {
        {1, 132, 1, 1 / 528.0},
        {528, 132, 1, 1},
        {529, 132, 2, 1 / 528.0},
        {32768, 132, 63, 32.0 / 528},
        {0, 132, 0, 0},
        {528, 0, 0, 0},
        {1ull << 62, 132, (1ull << 62) / 528 + 1, (double)((1ull << 62) % 528) / 528},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct occupancy o = compute("sm_90", (struct occupancy_question){
                                                  .threads_per_block = 512,
                                                  .registers_per_thread = 12,
                                                  .grid_blocks = cases[i].grid_blocks,
                                                  .sms = cases[i].sms,
                                              });
        assert_int_equal(o.blocks_per_sm, 4);
        assert_true(o.theoretical == 1);
        assert_int_equal(o.limited_by, bit(OCCUPANCY_THREADS));
        assert_true(o.waves == cases[i].waves);
        assert_true(fabs(o.last_wave_fill - cases[i].fill) < 1e-12);
    }
}

static void every_architecture_is_found_by_its_name_and_is_sane(void **state)
{
    (void)state;
    assert_null(arch_find("sm_1x"));
    assert_null(arch_find(""));
    for (int i = 0; i < arch_count(); i++) {
        const struct arch *arch = arch_at(i);
        assert_ptr_equal(arch_find(arch->name), arch);
        assert_true(arch->registers.per_block <= arch->registers.per_sm);
        uint32_t beside = arch->shared.parameters ? 0 : arch->shared.reserved_bytes;
        assert_true(arch->shared.per_block_bytes + beside <= arch->shared.per_sm_bytes);
        assert_int_equal(arch->shared.per_block_bytes % arch->shared.unit_bytes, 0);
        assert_true(arch->access.l1 == ARCH_L1_NEVER || arch->access.l1_bytes > 0);
        /* A full block of threads with few registers fits everywhere. */
        struct occupancy o = compute(arch->name, (struct occupancy_question){
                                                     .threads_per_block = arch->threads_per_block,
                                                     .registers_per_thread = 16,
                                                 });
        assert_true(o.blocks_per_sm >= 1 && o.theoretical > 0.5 && o.theoretical <= 1);
    }
}

static void limits_are_named_as_the_service_names_them(void **state)
{
    (void)state;
    assert_string_equal(occupancy_limit_name(OCCUPANCY_THREADS), "threads");
    assert_string_equal(occupancy_limit_name(OCCUPANCY_BLOCKS), "blocks");
    assert_string_equal(occupancy_limit_name(OCCUPANCY_REGISTERS), "registers");
    assert_string_equal(occupancy_limit_name(OCCUPANCY_SHARED), "shared_memory");
    assert_string_equal(occupancy_limit_name(OCCUPANCY_BARRIERS), "barriers");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(occupancy_equals_cuda_occupancy_on_ten_thousand_configurations),
        cmocka_unit_test(the_facts_of_the_programming_guide_hold),
        cmocka_unit_test(before_sm_30_registers_are_handed_out_by_other_units),
        cmocka_unit_test(parameters_of_1x_lie_in_shared_memory),
        cmocka_unit_test(a_staircase_has_every_value_in_its_step),
        cmocka_unit_test(thresholds_are_the_steps_beside_the_value_asked),
        cmocka_unit_test(the_latencies_of_the_programming_guide_need_its_warps),
        cmocka_unit_test(what_cannot_launch_has_no_blocks_and_names_the_limit),
        cmocka_unit_test(a_block_without_threads_is_no_question),
        cmocka_unit_test(waves_are_counted_and_the_last_one_is_measured),
        cmocka_unit_test(every_architecture_is_found_by_its_name_and_is_sane),
        cmocka_unit_test(limits_are_named_as_the_service_names_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
