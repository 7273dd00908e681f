/* The Chinese of refusals: by the format that made the English. */
#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "api/problem.h"
#include "ptx/launch.h"

static void assert_zh(const char *english, const char *chinese)
{
    char text[1024];
    problem_zh(english, text, sizeof text);
    assert_string_equal(text, chinese);
}

static void test_arguments_are_carried_over(void **state)
{
    (void)state;
    assert_zh("must be at least 1, is -5", "不能小于 1，现为 -5");
    assert_zh("must be an integer, is \"a, is b\"", "须为整数，现为\"a, is b\"");
    assert_zh("must be an integer, is \"4M\" (write 4000000, or 4194304 in powers of 1024)",
              "须为整数，现为\"4M\"（请写 4000000，按 1024 进位则写 4194304）");
    assert_zh("at most 1024 threads in x on NVIDIA H200, is 2048",
              "NVIDIA H200 上 x 方向至多 1024 个线程，现为 2048");
}

static void test_an_argument_may_be_a_sentence(void **state)
{
    (void)state;
    assert_zh("#/size: must be at least 1, is 0", "#/size：不能小于 1，现为 0");
    assert_zh("#/kernel: there is no kernel \"cpy\": did you mean \"copy\"? GET /v1/kernels lists them",
              "#/kernel：没有内核 \"cpy\"：是否指 \"copy\"？GET /v1/kernels 列出全部");
    assert_zh("must be an object, is an array", "须为对象，现为数组");
}

static void test_names_in_a_row_have_chinese_between_them(void **state)
{
    (void)state;
    assert_zh("unknown field; noise, max_seconds and host_timer are known",
              "未知字段；已知的有 noise、max_seconds 和 host_timer");
    assert_zh("must be one of cg, ca or cs, is \"a, b\"", "必须是 cg、ca 或 cs 之一，现为 \"a, b\"");
    assert_zh("the model knows no zz; it knows sm_80 sm_90", "模型没有 zz；它支持 sm_80 sm_90");
    assert_zh("the model knows no sm_9 (K80); it knows sm_37", "模型没有 sm_9（K80）；它支持 sm_37");
    assert_zh("the model knows no sm_09: did you mean \"sm_90\"? it knows sm_90",
              "模型没有 sm_09：是否指 \"sm_90\"？它支持 sm_90");
}

static void test_what_has_no_translation_stays(void **state)
{
    (void)state;
    char text[64];
    assert_false(problem_zh("cudaErrorLaunchFailure: unspecified", text, sizeof text));
    assert_string_equal(text, "cudaErrorLaunchFailure: unspecified");
    assert_false(problem_zh("", text, sizeof text));
    assert_string_equal(text, "");
}

static void test_every_fault_has_its_sentence(void **state)
{
    (void)state;
    static const char *const elements[] = {"in", NULL};
    for (int kind = 0; kind < PTX_FAULT_KINDS; kind++)
        for (int variant = 0; variant < 16; variant++) {
            struct ptx_fault fault = {
                .kind = (enum ptx_fault_kind)kind,
                .at = {.thread = {5, 0, 0}, .block = {4095, 0, 0}, .position = {.ptx_line = 9, .line = 7}},
                .other = {.thread = {37, 0, 0}, .block = {1, 2, 3}, .position = {.ptx_line = 12, .line = 8}},
                .name = elements[variant & 1],
                .index = 1048576,
                .elements = 1048576,
                .bytes = 4,
                .space = variant & 2 ? PTX_GLOBAL : PTX_SHARED,
                .access = (enum ptx_access_kind)(variant & 2 ? 1 : 0),
                .other_access = (enum ptx_access_kind)1,
                .note = (variant & 4) && (kind == PTX_FAULT_RACE || kind == PTX_FAULT_RACE_OF_BLOCKS),
                .has_other = (variant & 8) != 0,
            };
            char english[512], chinese[1024];
            ptx_fault_text(&fault, english, sizeof english);
            if (!problem_zh(english, chinese, sizeof chinese))
                fail_msg("no Chinese of \"%s\"", english);
            for (const char *at = chinese; *at; at++) /* what is left of English is the array's name */
                if (isalpha((unsigned char)at[0]) && isalpha((unsigned char)at[1]) &&
                    isalpha((unsigned char)at[2]) && strncmp(at, "trap", 4) != 0)
                    fail_msg("\"%s\" is partly English: %s", chinese, english);
                else if (strncmp(at, "trap", 4) == 0)
                    at += 3;
        }
    assert_zh(
        "line 7: in[1048576] is loaded by thread (0, 5, 0) of block (4095, 0, 0); in has 1048576 elements",
        "第 7 行：块 (4095, 0, 0) 的线程 (0, 5, 0) 读取 in[1048576]；in 只有 1048576 个元素");
}

static void test_it_is_cut_between_characters(void **state)
{
    (void)state;
    char text[8];
    assert_true(problem_zh("Not now", text, sizeof text)); /* 暂时不行: 12 bytes */
    assert_string_equal(text, "暂时");
}

/* A client's words may be long and look like formats: the work stays bounded. */
static void test_hostile_words_cost_little(void **state)
{
    (void)state;
    char english[600], text[1024];
    memset(english, ';', sizeof english - 1);
    english[sizeof english - 1] = '\0';
    problem_zh(english, text, sizeof text);
    assert_true(strlen(text) > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arguments_are_carried_over),
        cmocka_unit_test(test_an_argument_may_be_a_sentence),
        cmocka_unit_test(test_names_in_a_row_have_chinese_between_them),
        cmocka_unit_test(test_what_has_no_translation_stays),
        cmocka_unit_test(test_every_fault_has_its_sentence),
        cmocka_unit_test(test_it_is_cut_between_characters),
        cmocka_unit_test(test_hostile_words_cost_little),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
