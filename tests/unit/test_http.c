/* What server/http decides on texts alone: header fields, paths, addresses; and what api/ writes by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <jansson.h>
#include <cmocka.h>

#include "api/problem.h"
#include "server/http/admission.h"
#include "server/http/header_field.h"
#include "server/listeners.h"
#include "server/http/request.h"
#include "server/http/route.h"

static void accept_is_read_as_rfc_9110_says(void **state)
{
    (void)state;
    static const struct {
        const char *accept;
        bool allowed;
    } cases[] = {
        {NULL, true},
        {"", true},
        {"  ", true},
        {"*/*", true},
        {"application/json", true},
        {"APPLICATION/JSON", true},
        {"application/*", true},
        {"text/html", false},
        {"text/*", false},
        {"text/html, application/json", true},
        {"text/html,*/*;q=0.1", true},
        {"*/*;q=0", false},
        {"*/*, application/json;q=0", false},
        {"application/json;q=0, */*", false},
        {"application/*;q=0, application/json", true},
        {"application/json;charset=utf-8", true},
        {"application/json ; q=0.0", false},
        {"application/jsonp", false},
        {"application", false},
        {";;;,,,", false},
        {"application/json;q", true},
        {"application/json;v=1;q=0", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if ((header_field_quality(cases[i].accept, "application/json") > 0) != cases[i].allowed)
            fail_msg("Accept: %s", cases[i].accept);
}

static void prefer_is_read_as_rfc_7240_says(void **state)
{
    (void)state;
    static const struct {
        const char *prefer;
        int seconds;
    } cases[] = {
        {"wait=10", 10},
        {"respond-async, wait=10", 10},
        {"wait=10, respond-async", 10},
        {"wait=10;x=y", 10},
        {"Wait=0", 0},
        {"wait = 1", 1},
        {"wait\t=\"2\" ; x", 2},
        {"x, wait =3 , y", 3},
        {"waits=3", -1},
        {"wait =", -1},
        {"wait=\"7\"", 7},
        {"wait=99999999999999999999", 86400},
        {"wait", -1},
        {"wait=", -1},
        {"wait=-1", -1},
        {"wait=soon", -1},
        {"wait=1x", -1},
        {"await=3", -1},
        {"", -1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(header_field_prefer_wait(cases[i].prefer), cases[i].seconds);
}

static void entity_tags_are_found_in_a_list(void **state)
{
    (void)state;
    assert_true(header_field_names_tag("\"a\"", "\"a\""));
    assert_true(header_field_names_tag("W/\"a\"", "\"a\""));
    assert_true(header_field_names_tag("\"b\" , W/\"a\"", "\"a\""));
    assert_true(header_field_names_tag("*", "\"a\""));
    assert_false(header_field_names_tag("\"b\"", "\"a\""));
    assert_false(header_field_names_tag("a", "\"a\""));
    assert_false(header_field_names_tag("", "\"a\""));
}

static void a_coding_is_taken_that_is_named(void **state)
{
    (void)state;
    static const struct {
        const char *accept_encoding;
        bool named;
    } cases[] = {
        {"gzip", true},
        {"GZIP", true},
        {"deflate, gzip;q=0.5", true},
        {"*", true},
        {"br, *;q=0.1", true},
        {"gzip;q=0", false},
        {"gzip;q=0, *", false},
        {"*, gzip;q=0.0", false},
        {"*;q=0", false},
        {"identity", false},
        {"gzippy", false},
        {"", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (header_field_names_coding(cases[i].accept_encoding, "gzip") != cases[i].named)
            fail_msg("Accept-Encoding: %s", cases[i].accept_encoding);
}

static void a_body_that_finds_no_memory_is_rejected(void **state)
{
    (void)state;
    struct request request = {0};
    assert_int_equal(admission_body(&request, "half", 4), 0);
    assert_false(request.rejected);
    request.body.failed = true; /* as a failed allocation leaves it */
    assert_int_equal(admission_body(&request, " of it", 6), 0);
    assert_true(request.rejected);
    assert_int_equal(request.rejection, PROBLEM_UNAVAILABLE);
    assert_int_equal(admission_body(&request, " and more", 9), 0);
    assert_null(request.body.data);
}

static void a_bearer_token_is_taken_out(void **state)
{
    (void)state;
    assert_string_equal(header_field_bearer("Bearer abc"), "abc");
    assert_string_equal(header_field_bearer("bearer   abc"), "abc");
    assert_null(header_field_bearer("Basic abc"));
    assert_null(header_field_bearer("Bearer"));
    assert_null(header_field_bearer(""));
}

static void content_types_have_parameters(void **state)
{
    (void)state;
    assert_true(header_field_is_type("application/json", "application/json"));
    assert_true(header_field_is_type(" Application/JSON ;charset=utf-8", "application/json"));
    assert_false(header_field_is_type("application/json-patch+json", "application/json"));
    assert_false(header_field_is_type("", "application/json"));
}

static void a_target_is_decoded(void **state)
{
    (void)state;
    static const struct {
        const char *text, *wanted;
        bool sound;
    } cases[] = {
        {"", "", true},
        {"/v1/x", "/v1/x", true},
        {"%61%4a%4A%7e", "aJJ~", true},
        {"%2541", "%41", true},
        {"h%C3%A9", "h\xc3\xa9", true},
        {"a%", "a%", false},
        {"a%4", "a%4", false},
        {"a%zz", "a%zz", false},
        {"a%4g%41", "a%4gA", false},
        {"a%00b", "a%00b", false},
        {"%ff", "\xff", false},
        {"%c3", "\xc3", false},
        {"\xff", "\xff", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[32];
        bool sound = true;
        strcpy(text, cases[i].text);
        assert_int_equal(request_target_decode(text, &sound), strlen(cases[i].wanted));
        assert_string_equal(text, cases[i].wanted);
        assert_int_equal(sound, cases[i].sound);
    }
}

static const struct route things[] = {
    {.method = "GET", .pattern = "/v1/things"}, {.method = "POST", .pattern = "/v1/things"}, {0}};
static const struct route thing[] = {{.method = "GET", .pattern = "/v1/things/{id}"},
                                     {.method = "DELETE", .pattern = "/v1/things/{id}/part"},
                                     {0}};
static const struct route *const tables[] = {things, thing, NULL};

static void a_path_leads_to_its_route(void **state)
{
    (void)state;
    static const struct {
        const char *method, *path;
        const struct route *route;
        const char *param, *allow;
    } cases[] = {
        {"GET", "/v1/things", &things[0], "", "GET, HEAD, POST"},
        {"HEAD", "/v1/things", &things[0], "", "GET, HEAD, POST"},
        {"POST", "/v1/things", &things[1], "", "GET, HEAD, POST"},
        {"PUT", "/v1/things", NULL, "", "GET, HEAD, POST"},
        {"GET", "/v1/things/7", &thing[0], "7", "GET, HEAD"},
        {"DELETE", "/v1/things/7/part", &thing[1], "7", "DELETE"},
        {"GET", "/v1/things/", NULL, "", ""},
        {"GET", "/v1/things/7/", NULL, "", ""},
        {"GET", "/v1/thing", NULL, "", ""},
        {"GET", "/v1/thingses", NULL, "", ""},
        {"GET", "", NULL, "", ""},
        {"GET", "/v1/things/xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", NULL, "",
         ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct route_match match;
        route_find(tables, cases[i].method, cases[i].path, &match);
        assert_ptr_equal(match.route, cases[i].route);
        assert_string_equal(match.param, cases[i].param);
        assert_string_equal(match.allow, cases[i].allow);
    }
}

static void only_addresses_of_this_machine_are_local(void **state)
{
    (void)state;
    static const char *const local[] = {"127.0.0.1", "127.1.2.3", "::1", "localhost"};
    static const char *const open[] = {"0.0.0.0",          "::",          "192.0.2.1", "10.0.0.1",
                                       "::ffff:192.0.2.1", "example.org", ""};
    for (size_t i = 0; i < sizeof local / sizeof *local; i++)
        assert_true(listener_is_local(local[i]));
    for (size_t i = 0; i < sizeof open / sizeof *open; i++)
        assert_false(listener_is_local(open[i]));
}

static void a_taken_port_and_a_wrong_address_are_said(void **state)
{
    (void)state;
    struct error error = {0};
    int port = 0;
    int first = listener_open("127.0.0.1", &port, &error);
    assert_true(first >= 0 && port > 0);
    assert_int_equal(listener_open("127.0.0.1", &port, &error), -1);
    assert_int_equal(error.kind, ERROR_CONFLICT);
    error_clear(&error);
    assert_int_equal(listener_open("example.org", &port, &error), -1);
    assert_int_equal(error.kind, ERROR_INVALID);
}

static void every_kind_of_error_has_a_status(void **state)
{
    (void)state;
    static const struct {
        enum error_kind kind;
        unsigned status;
    } cases[] = {
        {ERROR_INVALID, 422}, {ERROR_NOT_FOUND, 404},   {ERROR_CONFLICT, 409},
        {ERROR_FULL, 429},    {ERROR_UNAVAILABLE, 503}, {ERROR_MEMORY, 503},
        {ERROR_STORE, 503},   {ERROR_SYSTEM, 500},      {ERROR_NONE, 500},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(problem_status(problem_type_of(cases[i].kind)), cases[i].status);
}

static void a_problem_is_json_whatever_was_said(void **state)
{
    (void)state;
    struct problems fields = {0};
    struct buffer out = {0};
    for (int i = 0; i < EXPERIMENT_PROBLEMS + 3; i++)
        problem_add(&fields, "#/\"", "\xff %d", i);
    assert_int_equal(
        problem_write(&out, PROBLEM_INVALID, "it \"said\"\n\xfe", "/v1/\xff", &fields, NULL, PROBLEM_ENGLISH),
        0);
    json_t *document = json_loads(out.data, JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(document);
    assert_int_equal(json_integer_value(json_object_get(document, "status")), 422);
    assert_int_equal(json_array_size(json_object_get(document, "errors")), EXPERIMENT_PROBLEMS);
    json_decref(document);
    buffer_free(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accept_is_read_as_rfc_9110_says),
        cmocka_unit_test(prefer_is_read_as_rfc_7240_says),
        cmocka_unit_test(entity_tags_are_found_in_a_list),
        cmocka_unit_test(a_coding_is_taken_that_is_named),
        cmocka_unit_test(a_body_that_finds_no_memory_is_rejected),
        cmocka_unit_test(a_bearer_token_is_taken_out),
        cmocka_unit_test(content_types_have_parameters),
        cmocka_unit_test(a_target_is_decoded),
        cmocka_unit_test(a_path_leads_to_its_route),
        cmocka_unit_test(only_addresses_of_this_machine_are_local),
        cmocka_unit_test(a_taken_port_and_a_wrong_address_are_said),
        cmocka_unit_test(every_kind_of_error_has_a_status),
        cmocka_unit_test(a_problem_is_json_whatever_was_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
