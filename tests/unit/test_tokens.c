#include <fcntl.h>
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

#include "server/auth/users.h"
#include "server/auth/token_command.h"
#include "server/auth/tokens.h"
#include "tests/unit/support/scratch.h"

/* SHA-256 of "abc" and of the empty text (FIPS 180-2, appendix B). */
#define ABC "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
#define NOTHING "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

static char folder[SCRATCH_BYTES], path[SCRATCH_BYTES + 16];

static int setup(void **state)
{
    (void)state;
    scratch_make(folder);
    snprintf(path, sizeof path, "%s/tokens", folder);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    scratch_remove(folder);
    return 0;
}

static void file_write(const char *text, mode_t mode)
{
    FILE *file = fopen(path, "we");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fchmod(fileno(file), mode), 0);
    fclose(file);
}

static char *file_text(void)
{
    static char text[8192];
    FILE *file = fopen(path, "re");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    return text;
}

static const struct token *token_of(const struct tokens *tokens, const char *secret)
{
    uint8_t hash[TOKEN_HASH_BYTES];
    token_hash(secret, hash);
    return tokens_find(tokens, hash);
}

static void a_hash_is_sha_256_and_reads_as_it_is_written(void **state)
{
    (void)state;
    uint8_t hash[TOKEN_HASH_BYTES], read[TOKEN_HASH_BYTES];
    char text[TOKEN_HASH_TEXT_BYTES];
    token_hash("abc", hash);
    token_hash_write(hash, text);
    assert_string_equal(text, ABC);
    assert_true(token_hash_read(text, read));
    assert_memory_equal(read, hash, sizeof hash);
    static const char *const others[] = {"",
                                         "sha256:",
                                         "sha256:abc",
                                         ABC "0",
                                         "SHA256:ba",
                                         &ABC[7],
                                         "sha512:" NOTHING,
                                         ABC " text",
                                         "$6$salt$something",
                                         "a-bare-token-as-they-were-before-there-were-names"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_false(token_hash_read(others[i], read));
    snprintf(text, sizeof text, "%s", ABC);
    text[10] = 'g';
    assert_false(token_hash_read(text, read));
}

static void a_secret_that_is_made_can_be_presented_and_is_another_one_each_time(void **state)
{
    (void)state;
    char one[SECRET_BYTES], other[SECRET_BYTES];
    struct error error = {0};
    assert_int_equal(token_secret_make(one, &error), 0);
    assert_int_equal(token_secret_make(other, &error), 0);
    assert_string_not_equal(one, other);
    assert_int_equal(strlen(one), SECRET_BYTES - 1);
    assert_memory_equal(one, "coal_", 5);
    assert_int_equal(token_secret_check(one, &error), 0);
}

static void a_secret_that_is_too_short_or_cannot_be_presented_is_refused(void **state)
{
    (void)state;
    char longest[SECRET_MAX + 2];
    memset(longest, 'x', sizeof longest);
    longest[SECRET_MAX + 1] = '\0';
    const char *const wrong[] = {
        "", "x", "fifteen-letters", "a blank in a token", "a-t\xc3\xb6ken-0123456789", longest};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct error error = {0};
        assert_int_equal(token_secret_check(wrong[i], &error), -1);
        assert_int_equal(error.kind, ERROR_INVALID);
    }
    longest[SECRET_MAX] = '\0';
    assert_int_equal(token_secret_check(longest, NULL), 0);
    assert_int_equal(token_secret_check("sixteen-letters-", NULL), 0);
}

static void each_line_is_a_person_with_a_role(void **state)
{
    (void)state;
    struct tokens *tokens;
    struct error error = {0};
    file_write("# a comment\n\n  ada admin " ABC " 2026-01-02T03:04:05Z\r\n\tada\tread\t" NOTHING, 0600);
    assert_int_equal(tokens_read(&tokens, path, &error), 0);
    assert_int_equal(tokens->count, 2);
    const struct token *token = token_of(tokens, "abc");
    assert_string_equal(token->user.name, "ada");
    assert_int_equal(token->user.role, ROLE_ADMIN);
    assert_string_equal(token->added, "2026-01-02T03:04:05Z");
    assert_int_equal(token->line, 3);
    assert_int_equal(token_of(tokens, "")->user.role, ROLE_READ);
    assert_null(token_of(tokens, "abd"));
    assert_null(token_of(tokens, ABC));
    tokens_free(tokens);
}

static void a_line_that_is_none_is_named_with_what_would_be_right(void **state)
{
    (void)state;
    static const struct {
        const char *text, *said[2];
    } cases[] = {
        {"ada run " ABC "\na-token-0123456789abcdef\n", {"line 2", "coalesced token add"}},
        {ABC "\n", {"line 1", "coalesced token add"}},
        {"ada run\n", {"line 1", "2 words"}},
        {"ada run " ABC " then more\n", {"line 1", "5 words"}},
        {"ada runs " ABC "\n", {"line 1", "admin"}},
        {"ada run secret\n", {"line 1", "64 hexadecimal digits"}},
        {"\xc3\xb6 run " ABC "\n", {"line 1", "letters"}},
        {".ada run " ABC "\n", {"line 1", "letter or digit"}},
        {"a23456789012345678901234567890123 run " ABC "\n", {"line 1", "32"}},
        {"ada run " ABC " 2026-01-02T03:04:05Z-and-so-on-and-so-on\n", {"line 1", "time"}},
        {"ada run " ABC "\nbob run " ABC "\n", {"line 2", "line 1"}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct tokens *tokens = NULL;
        struct error error = {0};
        assert_int_equal(tokens_parse(&tokens, cases[i].text, "the file", &error), -1);
        assert_int_equal(error.kind, ERROR_INVALID);
        for (int k = 0; k < 2; k++)
            if (!strstr(error.text, cases[i].said[k]))
                fail_msg("\"%s\" is not in: %s", cases[i].said[k], error.text);
        assert_null(strstr(error.text, "a-token-0123456789abcdef"));
        assert_null(tokens);
    }
}

static void a_file_that_everybody_may_read_or_write_is_refused(void **state)
{
    (void)state;
    static const mode_t modes[] = {0644, 0604, 0602, 0666};
    struct tokens *tokens = NULL;
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        struct error error = {0};
        file_write("ada run " ABC "\n", modes[i]);
        assert_int_equal(tokens_read(&tokens, path, &error), -1);
        assert_int_equal(error.kind, ERROR_INVALID);
        /* The group keeps its right: the service may have the file through it alone. */
        assert_non_null(strstr(error.text, "chmod o-rw "));
    }
    chmod(path, 0640);
    assert_int_equal(tokens_read(&tokens, path, NULL), 0);
    tokens_free(tokens);
}

static void a_file_that_is_not_there_is_said(void **state)
{
    (void)state;
    struct tokens *tokens = NULL;
    struct error error = {0};
    assert_int_equal(tokens_read(&tokens, path, &error), -1);
    assert_int_equal(error.kind, ERROR_SYSTEM);
    assert_non_null(strstr(error.text, path));
}

static void add(const char *name, enum role role, const char *secret)
{
    struct user user = {.role = role};
    struct error error = {0};
    snprintf(user.name, sizeof user.name, "%s", name);
    if (token_file_add(path, &user, secret, &error) < 0)
        fail_msg("%s", error.text);
}

static void what_is_added_opens_until_it_is_revoked(void **state)
{
    (void)state;
    struct tokens *tokens;
    struct stat status;
    struct error error = {0};
    add("ada", ROLE_ADMIN, "the-secret-of-ada-1");
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0600);
    assert_int_equal(chmod(path, 0640), 0);
    add("bob", ROLE_RUN, "the-secret-of-bob-1");
    add("ada", ROLE_READ, "the-secret-of-ada-2");
    assert_null(strstr(file_text(), "the-secret"));
    assert_int_equal(tokens_read(&tokens, path, &error), 0);
    assert_int_equal(token_of(tokens, "the-secret-of-ada-2")->user.role, ROLE_READ);
    tokens_free(tokens);
    assert_int_equal(token_file_add(path, &(struct user){"eve", ROLE_RUN}, "the-secret-of-bob-1", &error),
                     -1);
    assert_int_equal(error.kind, ERROR_CONFLICT);

    assert_int_equal(token_file_revoke(path, "ada", NULL), 2);
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0640);
    assert_int_equal(tokens_read(&tokens, path, NULL), 0);
    assert_int_equal(tokens->count, 1);
    assert_null(token_of(tokens, "the-secret-of-ada-1"));
    assert_string_equal(token_of(tokens, "the-secret-of-bob-1")->user.name, "bob");
    tokens_free(tokens);
    error = (struct error){0};
    assert_int_equal(token_file_revoke(path, "ada", &error), -1);
    assert_int_equal(error.kind, ERROR_NOT_FOUND);
}

static void a_change_leaves_comments_and_a_broken_file_as_they_are(void **state)
{
    (void)state;
    struct error error = {0};
    file_write("# bob\n\nbob run " ABC "\n# the end", 0600);
    add("ada", ROLE_RUN, "the-secret-of-ada-1");
    assert_int_equal(token_file_revoke(path, "bob", NULL), 1);
    const char before[] = "# bob\n\n# the end\nada run sha256:";
    assert_memory_equal(file_text(), before, sizeof before - 1);
    file_write("a-bare-token-0123456789\n", 0600);
    assert_int_equal(token_file_add(path, &(struct user){"eve", ROLE_RUN}, "the-secret-of-eve-1", &error),
                     -1);
    assert_string_equal(file_text(), "a-bare-token-0123456789\n");
}

static void a_file_is_not_made_larger_than_can_be_read(void **state)
{
    static char text[TOKENS_FILE_BYTES];
    struct error error = {0};
    (void)state;
    memset(text, '#', sizeof text - 100);
    file_write(text, 0600);
    assert_int_equal(token_file_add(path, &(struct user){"eve", ROLE_RUN}, "the-secret-of-eve-1", &error),
                     -1);
    assert_non_null(strstr(error.text, "larger"));
    struct stat status;
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_size, sizeof text - 100);
}

static void wait_for_change(struct users *users, unsigned before)
{
    for (int i = 0; i < 1000 && users_changes(users) == before; i++)
        usleep(20000);
    assert_int_not_equal(users_changes(users), before);
}

static void a_change_of_the_file_is_taken_up_and_a_wrong_one_is_not(void **state)
{
    (void)state;
    struct users *users;
    struct user user;
    struct error error = {0};
    uint64_t ada, bob, again;
    add("ada", ROLE_RUN, "the-secret-of-ada-1");
    assert_int_equal(users_start(&users, path, &error), 0);
    assert_true(users_find(users, "the-secret-of-ada-1", &user, &ada));
    assert_false(users_find(users, "the-secret-of-bob-1", &user, &bob));

    unsigned changes = users_changes(users);
    add("bob", ROLE_READ, "the-secret-of-bob-1");
    wait_for_change(users, changes);
    assert_true(users_find(users, "the-secret-of-bob-1", &user, &bob));
    assert_string_equal(user.name, "bob");
    assert_true(users_hold(users, ada) && users_hold(users, bob) && ada != bob);

    file_write("ada\n", 0600);
    for (int i = 0; i < 1000 && !users_wrong(users, &error); i++)
        usleep(20000);
    assert_non_null(strstr(error.text, "line 1"));
    assert_true(users_hold(users, ada) && users_hold(users, bob));

    changes = users_changes(users);
    assert_int_equal(unlink(path), 0);
    add("ada", ROLE_ADMIN, "the-secret-of-ada-1");
    wait_for_change(users, changes);
    assert_false(users_wrong(users, &error));
    assert_true(users_find(users, "the-secret-of-ada-1", &user, &again));
    assert_int_equal(user.role, ROLE_ADMIN);
    assert_int_not_equal(again, ada); /* it was another role's */
    assert_false(users_hold(users, ada) || users_hold(users, bob));
    users_stop(users);
}

static void a_file_that_is_cut_to_nothing_changes_nothing_until_it_says_nobody(void **state)
{
    (void)state;
    static const char *const cut[] = {"", "# Who may use coalesced: NAME"};
    struct users *users;
    struct user user;
    uint64_t ada;
    struct error error = {0};
    add("ada", ROLE_RUN, "the-secret-of-ada-1");
    assert_int_equal(users_start(&users, path, &error), 0);
    assert_true(users_find(users, "the-secret-of-ada-1", &user, &ada));
    unsigned changes = users_changes(users);
    for (size_t i = 0; i < sizeof cut / sizeof *cut; i++) {
        file_write(cut[i], 0600);
        for (int tries = 0; tries < 1000 && !users_wrong(users, &error); tries++)
            usleep(20000);
        assert_non_null(strstr(error.text, "no token"));
        assert_non_null(strstr(error.text, "# nobody"));
        assert_true(users_hold(users, ada));
        assert_int_equal(users_changes(users), changes);
    }
    file_write("# nobody\n", 0600);
    wait_for_change(users, changes);
    assert_false(users_hold(users, ada) || users_wrong(users, &error));
    users_stop(users);
}

static void the_line_nobody_is_the_word_alone_in_a_comment(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool nobody;
    } cases[] = {
        {"# nobody\n", true},
        {"#nobody", true},
        {"# a comment\n \t#  nobody \r\n# another\n", true},
        {"", false},
        {"# nobody knows\n", false},
        {"# nobod", false},
        {"## nobody\n", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct tokens *tokens;
        assert_int_equal(tokens_parse(&tokens, cases[i].text, "the file", NULL), 0);
        if (tokens->nobody != cases[i].nobody)
            fail_msg("%s", cases[i].text);
        tokens_free(tokens);
    }
}

static void the_last_one_to_be_revoked_leaves_the_line_nobody(void **state)
{
    (void)state;
    struct users *users;
    struct error error = {0};
    add("ada", ROLE_RUN, "the-secret-of-ada-1");
    assert_int_equal(users_start(&users, path, &error), 0);
    unsigned changes = users_changes(users);
    assert_int_equal(token_file_revoke(path, "ada", &error), 1);
    wait_for_change(users, changes);
    users_stop(users);
    char *text;
    assert_int_equal(tokens_load(&text, path, &error), 0);
    assert_non_null(strstr(text, "\n# nobody\n"));
    free(text);
    add("bob", ROLE_RUN, "the-secret-of-bob-1");
    assert_int_equal(tokens_load(&text, path, &error), 0);
    assert_null(strstr(text, "nobody"));
    assert_memory_equal(text, "# Who may use coalesced", 23);
    free(text);
}

static void a_file_without_a_token_opens_no_service_unless_it_says_nobody(void **state)
{
    (void)state;
    struct users *users = NULL;
    struct user user;
    uint64_t token;
    struct error error = {0};
    file_write("# only a comment\n", 0600);
    assert_int_equal(users_start(&users, path, &error), -1);
    assert_non_null(strstr(error.text, "no token"));
    assert_non_null(strstr(error.text, "# nobody"));
    error_clear(&error);
    file_write("# nobody\n", 0600);
    assert_int_equal(users_start(&users, path, &error), 0);
    unsigned changes = users_changes(users);
    add("ada", ROLE_ADMIN, "the-secret-of-ada-1");
    wait_for_change(users, changes);
    assert_true(users_find(users, "the-secret-of-ada-1", &user, &token));
    users_stop(users);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(a_hash_is_sha_256_and_reads_as_it_is_written),
        TEST(a_secret_that_is_made_can_be_presented_and_is_another_one_each_time),
        TEST(a_secret_that_is_too_short_or_cannot_be_presented_is_refused),
        TEST(each_line_is_a_person_with_a_role),
        TEST(a_line_that_is_none_is_named_with_what_would_be_right),
        TEST(a_file_that_everybody_may_read_or_write_is_refused),
        TEST(a_file_that_is_not_there_is_said),
        TEST(what_is_added_opens_until_it_is_revoked),
        TEST(a_change_leaves_comments_and_a_broken_file_as_they_are),
        TEST(a_file_is_not_made_larger_than_can_be_read),
        TEST(a_change_of_the_file_is_taken_up_and_a_wrong_one_is_not),
        TEST(a_file_that_is_cut_to_nothing_changes_nothing_until_it_says_nobody),
        TEST(the_line_nobody_is_the_word_alone_in_a_comment),
        TEST(the_last_one_to_be_revoked_leaves_the_line_nobody),
        TEST(a_file_without_a_token_opens_no_service_unless_it_says_nobody),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
