#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "server/http/admission/tokens.h"

/* Reads a file of that text and mode. */
static int read_text(struct tokens **tokens, const char *text, mode_t mode, struct error *error)
{
    char path[] = "/tmp/coalesced-tokens-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    fchmod(fd, mode);
    close(fd);
    *error = (struct error){0};
    *tokens = NULL;
    int failed = tokens_read(tokens, path, error);
    unlink(path);
    return failed;
}

static void the_tokens_of_the_file_are_allowed_and_nothing_else(void **state)
{
    (void)state;
    struct tokens *tokens;
    struct error error;
    assert_int_equal(read_text(&tokens, "# a comment\n\n  first-token-0123456789 \r\nsecond-token-0123456789",
                               0600, &error),
                     0);
    assert_true(tokens_allow(tokens, "first-token-0123456789"));
    assert_true(tokens_allow(tokens, "second-token-0123456789"));
    static const char *const others[] = {
        "",
        "f",
        "first-token-012345678",
        "first-token-01234567890",
        "First-token-0123456789",
        " first-token-0123456789",
        "# a comment",
        "first-token-0123456789\nsecond-token-0123456789",
    };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_false(tokens_allow(tokens, others[i]));
    char longest[5000];
    memset(longest, 'x', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    assert_false(tokens_allow(tokens, longest));
    tokens_free(tokens);
}

static void many_tokens_are_kept(void **state)
{
    (void)state;
    char text[100 * 32] = "", token[32];
    struct tokens *tokens;
    struct error error;
    for (int i = 0; i < 100; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "a-token-of-number-%d\n", i);
    assert_int_equal(read_text(&tokens, text, 0600, &error), 0);
    for (int i = 0; i < 100; i++) {
        snprintf(token, sizeof token, "a-token-of-number-%d", i);
        assert_true(tokens_allow(tokens, token));
    }
    assert_false(tokens_allow(tokens, "a-token-of-number-100"));
    tokens_free(tokens);
}

static void a_file_that_everybody_may_read_or_write_is_refused(void **state)
{
    (void)state;
    static const mode_t modes[] = {0644, 0604, 0602, 0666};
    struct tokens *tokens;
    struct error error;
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        assert_int_equal(read_text(&tokens, "a-token-0123456789\n", modes[i], &error), -1);
        assert_int_equal(error.kind, ERROR_INVALID);
        assert_non_null(strstr(error.text, "chmod 600"));
        assert_null(tokens);
    }
    assert_int_equal(read_text(&tokens, "a-token-0123456789\n", 0640, &error), 0);
    tokens_free(tokens);
}

static void a_line_that_can_be_no_token_is_named(void **state)
{
    (void)state;
    static const struct {
        const char *text, *said;
    } cases[] = {
        {"", "no token"},
        {"# only a comment\n", "no token"},
        {"a-token-0123456789\ntwo words\n", "line 2"},
        {"a\ttab-0123456789\n", "line 1"},
        {"quote\"0123456789abcdef\n", "line 1"},
        {"t\xc3\xb6ken-0123456789\n", "line 1"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct tokens *tokens;
        struct error error;
        assert_int_equal(read_text(&tokens, cases[i].text, 0600, &error), -1);
        assert_int_equal(error.kind, ERROR_INVALID);
        assert_non_null(strstr(error.text, cases[i].said));
    }
}

static void a_file_that_is_not_there_is_said(void **state)
{
    (void)state;
    struct tokens *tokens = NULL;
    struct error error = {0};
    assert_int_equal(tokens_read(&tokens, "/nonexistent/tokens", &error), -1);
    assert_int_equal(error.kind, ERROR_SYSTEM);
    assert_non_null(strstr(error.text, "/nonexistent/tokens"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_tokens_of_the_file_are_allowed_and_nothing_else),
        cmocka_unit_test(many_tokens_are_kept),
        cmocka_unit_test(a_file_that_everybody_may_read_or_write_is_refused),
        cmocka_unit_test(a_line_that_can_be_no_token_is_named),
        cmocka_unit_test(a_file_that_is_not_there_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
