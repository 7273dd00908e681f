/* The Chinese of refusals: by the format that made the English. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "api/problem.h"

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

static void test_what_has_no_translation_stays(void **state)
{
    (void)state;
    char text[64];
    assert_false(problem_zh("cudaErrorLaunchFailure: unspecified", text, sizeof text));
    assert_string_equal(text, "cudaErrorLaunchFailure: unspecified");
    assert_false(problem_zh("", text, sizeof text));
    assert_string_equal(text, "");
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
        cmocka_unit_test(test_what_has_no_translation_stays),
        cmocka_unit_test(test_it_is_cut_between_characters),
        cmocka_unit_test(test_hostile_words_cost_little),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
