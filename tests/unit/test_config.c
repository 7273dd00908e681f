#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/words.h"
#include "server/config.h"

static const char *const variables[] = {"COALESCED_PORT",     "COALESCED_INSECURE",     "COALESCED_ADDRESS",
                                        "COALESCED_DATA_DIR", "COALESCED_IDLE_SECONDS", "XDG_STATE_HOME"};

/* No test sees what another one, or whoever runs them, has set. */
static int clear_environment(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
        unsetenv(variables[i]);
    setenv("HOME", "/home/somebody", 1);
    return 0;
}

enum { WORDS = 8 };

/* Reads a list of words ended by NULL. */
static int read_words(struct config *config, char *const words[WORDS], struct error *error)
{
    char *argv[WORDS + 1] = {"coalesced"};
    int argc = 1;
    for (; words[argc - 1]; argc++)
        argv[argc] = words[argc - 1];
    *error = (struct error){0};
    return config_read(config, argc, argv, error);
}

static void nothing_given_gives_the_defaults(void **state)
{
    (void)state;
    struct config config;
    struct error error;
    assert_int_equal(read_words(&config, (char *[WORDS]){NULL}, &error), 0);
    assert_string_equal(config.address, "127.0.0.1");
    assert_int_equal(config.port, 8080);
    assert_string_equal(config.devices, "auto");
    assert_string_equal(config.executor_command, "/proc/self/exe --executor");
    assert_true(config.idle_s < 0 && config.hello_s < 0 && config.grace_s == 5 && config.quiet_s == 0);
    assert_false(config.insecure || config.help || config.version);
    assert_string_equal(config.data_dir, "/home/somebody/.local/state/coalesced");
    config_free(&config);
}

static void a_list_is_added_to_by_its_flag_and_replaced_by_the_first(void **state)
{
    (void)state;
    struct config config;
    struct error error;
    setenv("COALESCED_ALLOW_HOST", "one, two", 1);
    assert_int_equal(read_words(&config, (char *[WORDS]){NULL}, &error), 0);
    assert_string_equal(config.allow_hosts, "one, two");
    config_free(&config);
    assert_int_equal(read_words(&config,
                                (char *[WORDS]){"--allow-host", "a", "--allow-host=b,c", "--port", "1", NULL},
                                &error),
                     0);
    assert_string_equal(config.allow_hosts, "a,b,c");
    assert_string_equal(config.allow_origins, "");
    config_free(&config);
    unsetenv("COALESCED_ALLOW_HOST");
}

/* A device's command has commas and blanks; and the list of the machine's own is no default beside another
   one. */
static void devices_are_given_one_by_one_or_in_a_file(void **state)
{
    (void)state;
    static const struct {
        char *words[WORDS];
        const char *devices, *lines, *file;
    } cases[] = {
        {{"--devices", "cpu"}, "cpu", "", ""},
        {{"--device", "a=ssh a, b", "--device=b=x"}, "", "a=ssh a, b\nb=x", ""},
        {{"--devices-file", "list"}, "", "", "list"},
        {{"--devices", "auto", "--device", "a=b"}, "auto", "a=b", ""},
    };
    struct config config;
    struct error error;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(read_words(&config, cases[i].words, &error), 0);
        assert_string_equal(config.devices, cases[i].devices);
        assert_string_equal(config.device_lines, cases[i].lines);
        assert_string_equal(config.devices_file, cases[i].file);
        config_free(&config);
    }
}

/* docs/operating.md promises it. */
static void a_variable_is_named_as_its_flag(void **state)
{
    (void)state;
    char *text = NULL, *next = NULL, variable[64], flag[64];
    size_t size;
    int seen = 0;
    FILE *help = open_memstream(&text, &size);
    assert_non_null(help);
    config_help(help);
    fclose(help);
    for (char *line = strtok_r(text, "\n", &next); line; line = strtok_r(NULL, "\n", &next)) {
        const char *open = strstr(line, "(COALESCED_");
        if (sscanf(line, "  --%63s", flag) != 1 || !open)
            continue;
        assert_int_equal(sscanf(open, "(COALESCED_%63[A-Z_])", variable), 1);
        for (char *at = flag; *at; at++)
            *at = (char)(*at == '-' ? '_' : toupper((unsigned char)*at));
        assert_string_equal(variable, flag);
        seen++;
    }
    assert_true(seen > 30);
    free(text);
}

static void bytes_have_units(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t bytes;
    } cases[] = {{"0", 0},          {"4096", 4096},      {"2K", 2048},
                 {"1.5M", 3 << 19}, {"10G", 10LL << 30}, {"1T", 1LL << 40}};
    struct config config;
    struct error error;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *words[WORDS] = {"--keep-bytes", (char *)(uintptr_t)cases[i].text, "--keep-days", "0.5"};
        assert_int_equal(read_words(&config, words, &error), 0);
        assert_int_equal(config.keep_bytes, cases[i].bytes);
        assert_int_equal(config.reserve_bytes, 256 << 20);
        assert_true(config.keep_days == 0.5);
        config_free(&config);
    }
}

static void the_state_directory_of_the_user_is_followed(void **state)
{
    (void)state;
    struct config config;
    struct error error;
    setenv("XDG_STATE_HOME", "/state", 1);
    assert_int_equal(read_words(&config, (char *[WORDS]){NULL}, &error), 0);
    assert_string_equal(config.data_dir, "/state/coalesced");
    config_free(&config);
    assert_int_equal(read_words(&config, (char *[WORDS]){"--data-dir", "", NULL}, &error), -1);
    assert_string_equal(error.text, "--data-dir needs the name of a directory");
    config_free(&config);
    unsetenv("HOME");
    unsetenv("XDG_STATE_HOME");
    assert_int_equal(read_words(&config, (char *[WORDS]){NULL}, &error), -1);
    assert_non_null(strstr(error.text, "--data-dir"));
    config_free(&config);
}

static void a_variable_wins_over_the_default_and_a_flag_over_both(void **state)
{
    (void)state;
    struct config config;
    struct error error;
    setenv("COALESCED_PORT", "9000", 1);
    setenv("COALESCED_INSECURE", "yes", 1);
    setenv("COALESCED_IDLE_SECONDS", "0.5", 1);
    assert_int_equal(read_words(&config, (char *[WORDS]){"--address", "0.0.0.0", NULL}, &error), 0);
    assert_int_equal(config.port, 9000);
    assert_true(config.insecure && config.idle_s == 0.5);
    assert_string_equal(config.address, "0.0.0.0");
    config_free(&config);
    assert_int_equal(read_words(&config, (char *[WORDS]){"--port=9001", "--insecure=no", NULL}, &error), 0);
    assert_int_equal(config.port, 9001);
    assert_false(config.insecure);
    config_free(&config);
}

static void what_is_wrong_is_named(void **state)
{
    (void)state;
    static const struct {
        char *words[WORDS];
        const char *said;
    } cases[] = {
        {{"--prot", "1"}, "--prot"},
        {{"--port"}, "--port wants a value"},
        {{"--port", "65536"}, "from 0 to 65535"},
        {{"--port", "1.5"}, "whole number"},
        {{"--port", ""}, "--port"},
        {{"--port", "8080x"}, "8080x"},
        {{"--port", "nan"}, "nan"},
        {{"--grace-seconds", "-1"}, "--grace-seconds"},
        {{"--keep-days", "-1"}, "number of days"},
        {{"--keep-bytes", "10X"}, "10G"},
        {{"--keep-bytes", "10GB"}, "10GB"},
        {{"--keep-bytes", "G"}, "number of bytes"},
        {{"--reserve-bytes", "1.5"}, "--reserve-bytes"},
        {{"--insecure=maybe"}, "maybe"},
        {{"--calibrate", "often"}, "auto or ask"},
        {{"--por=1"}, "--por"},
        {{"start"}, "start"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct config config;
        struct error error;
        assert_int_equal(read_words(&config, cases[i].words, &error), -1);
        assert_int_equal(error.kind, ERROR_INVALID);
        if (!strstr(error.text, cases[i].said))
            fail_msg("\"%s\" does not say \"%s\"", error.text, cases[i].said);
        config_free(&config);
    }
}

static void a_wrong_variable_is_named(void **state)
{
    (void)state;
    struct config config;
    struct error error;
    setenv("COALESCED_PORT", "eighty", 1);
    assert_int_equal(read_words(&config, (char *[WORDS]){NULL}, &error), -1);
    assert_non_null(strstr(error.text, "COALESCED_PORT"));
    config_free(&config);
}

static void words_are_split_as_quotes_say(void **state)
{
    (void)state;
    static const struct {
        const char *text, *separators;
        const char *words[WORDS];
    } cases[] = {
        {"one", " ", {"one"}},
        {"  one\t two  ", " \t", {"one", "two"}},
        {"ssh host 'a b' \"c d\"", " ", {"ssh", "host", "a b", "c d"}},
        {"a'b c'd", " ", {"ab cd"}},
        {"'it''s'", " ", {"its"}},
        {"\"it's\" '' x", " ", {"it's", "", "x"}},
        {"$HOME `x` \\ *", " ", {"$HOME", "`x`", "\\", "*"}},
        {"cuda:0, cpu", ", ", {"cuda:0", "cpu"}},
        {"a,,b,", ",", {"a", "b"}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char **words;
        struct error error = {0};
        assert_int_equal(words_split(&words, cases[i].text, cases[i].separators, &error), 0);
        size_t count = 0;
        for (; cases[i].words[count]; count++)
            assert_string_equal(words[count], cases[i].words[count]);
        assert_null(words[count]);
        words_free(words);
    }
}

static void no_word_or_an_open_quote_is_refused(void **state)
{
    (void)state;
    static const char *const texts[] = {"", "   ", "a 'b", "\"", "'a\" b"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char **words = NULL;
        struct error error = {0};
        assert_int_equal(words_split(&words, texts[i], " ", &error), -1);
        assert_int_equal(error.kind, ERROR_INVALID);
        assert_null(words);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(nothing_given_gives_the_defaults, clear_environment),
        cmocka_unit_test_setup(a_list_is_added_to_by_its_flag_and_replaced_by_the_first, clear_environment),
        cmocka_unit_test_setup(devices_are_given_one_by_one_or_in_a_file, clear_environment),
        cmocka_unit_test(a_variable_is_named_as_its_flag),
        cmocka_unit_test_setup(bytes_have_units, clear_environment),
        cmocka_unit_test_setup(the_state_directory_of_the_user_is_followed, clear_environment),
        cmocka_unit_test_setup(a_variable_wins_over_the_default_and_a_flag_over_both, clear_environment),
        cmocka_unit_test_setup(what_is_wrong_is_named, clear_environment),
        cmocka_unit_test_setup(a_wrong_variable_is_named, clear_environment),
        cmocka_unit_test(words_are_split_as_quotes_say),
        cmocka_unit_test(no_word_or_an_open_quote_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
