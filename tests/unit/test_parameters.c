#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "client/parameters/parameters.h"
#include "client/terminal/number.h"

static const struct {
    const char *words[4];
    bool axes;
    const char *request; /* NULL: refused, and then what is said has this in it: */
    const char *said;
} cases[] = {
    {{"offset=11", "load=ca"}, false, "{\"offset\":11,\"load\":\"ca\"}", NULL},
    {{"offset=-3", "timeout_s=0.5"}, false, "{\"offset\":-3,\"timeout_s\":0.5}", NULL},
    {{"size=2^26"}, false, "{\"size\":67108864}", NULL},
    {{"size=1<<20", "offset=3 << 2"}, false, "{\"size\":1048576,\"offset\":12}", NULL},
    {{"size=1<<20x2"}, false, "{\"size\":[1048576,2]}", NULL},
    {{"size=1<<64"}, false, NULL, "beyond a signed integer of 64 bits"},
    {{"size=64Mi", "stride=2k"}, false, "{\"size\":67108864,\"stride\":2000}", NULL},
    {{"size=8Kix8Ki"}, false, "{\"size\":[8192,8192]}", NULL},
    {{"size=2^13x2^13"}, false, "{\"size\":[8192,8192]}", NULL},
    {{"block=32x8"}, false, "{\"block\":[32,8]}", NULL},
    {{"block=32x8"}, true, "{\"block\":[[32,8]]}", NULL},
    {{"block=32x8,16x16x1,256"}, true, "{\"block\":[[32,8],[16,16,1],256]}", NULL},
    {{"offset=0..4,32"}, true, "{\"offset\":[0,1,2,3,4,32]}", NULL},
    {{"offset=-2..1"}, true, "{\"offset\":[-2,-1,0,1]}", NULL},
    {{"offset=0..100 step 32"}, true, "{\"offset\":[0,32,64,96]}", NULL},
    {{"size=1..64 by x4"}, true, "{\"size\":[1,4,16,64]}", NULL},
    {{"size=2^3..2^5 by x2"}, true, "{\"size\":[8,16,32]}", NULL},
    {{"offset=5..5"}, true, "{\"offset\":[5]}", NULL},
    {{"dtype=f32,f64"}, true, "{\"dtype\":[\"f32\",\"f64\"]}", NULL},
    {{"grid=null"}, false, "{\"grid\":null}", NULL},
    {{"label.who=ada", "label.n=1", "labels.a.b=x,y"},
     false,
     "{\"labels\":{\"who\":\"ada\",\"n\":\"1\",\"a.b\":\"x,y\"}}",
     NULL},
    {{"label.empty="}, false, "{\"labels\":{\"empty\":\"\"}}", NULL},
    {{"counters=on"}, false, "{\"counters\":true}", NULL},
    {{"counters=off", "load=on"}, false, "{\"counters\":false,\"load\":\"on\"}", NULL},
    {{"debug=true"}, false, "{\"debug\":true}", NULL},
    {{"counters=shared_bank_conflicts"}, false, "{\"counters\":[\"shared_bank_conflicts\"]}", NULL},
    {{"arch=sm_90"}, false, "{\"arch\":[\"sm_90\"]}", NULL},
    {{"measure.noise=1e-3", "measure.keep_samples=on"},
     false,
     "{\"measure\":{\"noise\":0.001,\"keep_samples\":true}}",
     NULL},
    {{"load=32xa", "how=2..b"}, false, NULL, "is no range"},
    {{"load=32xa"}, false, "{\"load\":\"32xa\"}", NULL},
    {{"offset"}, false, NULL, "\"offset\" is not name=value"},
    {{"=1"}, false, NULL, "\"=1\" is not name=value"},
    {{"offset="}, false, NULL, "offset has no value"},
    {{"offset=1", "offset=2"}, false, NULL, "offset is given twice"},
    {{"label.a=1", "label.a=2"}, false, NULL, "labels.a is given twice"},
    {{"measure=1", "measure.noise=1"}, false, NULL, "measure is given twice"},
    {{"offset=1,,2"}, true, NULL, "has an empty value"},
    {{"offset=1,"}, true, NULL, "has an empty value"},
    {{"offset=4..1"}, true, NULL, "ends before it begins"},
    {{"offset=0..10 step 0"}, true, NULL, "the step of"},
    {{"offset=0..10 by x2"}, true, NULL, "begins at 1 or more"},
    {{"offset=1..10 by x1"}, true, NULL, "begins at 1 or more"},
    {{"offset=1..10 often"}, true, NULL, "is no range"},
    {{"offset=0..100000"}, true, NULL, "more than 10000 values"},
    {{"size=2^64"}, false, NULL, "beyond a signed integer of 64 bits"},
    {{"size=99999999999999999999"}, false, NULL, "beyond a signed integer of 64 bits"},
    {{"size=9223372036854775807..9223372036854775807"}, true, "{\"size\":[9223372036854775807]}", NULL},
    {{"label.a=\xff"}, false, NULL, "no UTF-8"},
};

static void words_become_the_request_that_they_stand_for(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct error error = {0};
        json_t *request = json_object();
        int count = 0;
        while (count < 4 && cases[i].words[count])
            count++;
        int status = parameters_add(request, cases[i].words, count, cases[i].axes, &error);
        char *text = json_dumps(request, JSON_COMPACT);
        if (cases[i].request) {
            assert_int_equal(status, 0);
            assert_string_equal(text, cases[i].request);
        } else {
            assert_int_equal(status, -1);
            if (!strstr(error.text, cases[i].said))
                fail_msg("%s: %s", cases[i].words[0], error.text);
        }
        free(text);
        json_decref(request);
    }
}

static void numbers_have_no_digit_below_their_interval(void **state)
{
    (void)state;
    /* The page's are the same: tests/browser/test_result_page.py. */
    static const struct {
        double value, low, high;
        const char *text;
    } shown[] = {
        {2.842347, 2.8411, 2.8436, "2.8423 +- 0.0013"},
        {68.1234, 67, 69.2, "68.1 +- 1.1"},
        {247.42, 247.41, 247.9, "247.4 (247.4 to 247.9)"},
        {1.7, 1.7, 1.7, "1.700 +- 0.000"},
        {3254.2, 3100, 3400, "3254 (3100 to 3400)"},
        {3252.2, 3100, 3400, "3252 +- 152"},
        {680, 468.6, 988.7, "680 (469 to 989)"},
        {0, 0, 0, "0 +- 0"},
        {345, 100, 800, "345 (100 to 800)"}, /* "345 +- 455" would be less than no time */
    };
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++) {
        char text[NUMBER_BYTES];
        number_interval(text, shown[i].value, shown[i].low, shown[i].high, true);
        assert_string_equal(text, shown[i].text);
    }
    char text[NUMBER_BYTES];
    number_count(text, 20971516);
    assert_string_equal(text, "20,971,516");
    number_count(text, 8191);
    assert_string_equal(text, "8191");
    number_count(text, -12345);
    assert_string_equal(text, "-12,345");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_become_the_request_that_they_stand_for),
        cmocka_unit_test(numbers_have_no_digit_below_their_interval),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
