/* SHA-256 against the examples of FIPS 180-4. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/digest.h"

static void test_the_examples_of_the_standard(void **state)
{
    char hex[DIGEST_HEX_BYTES];
    (void)state;
    digest_hex("abc", 3, hex);
    assert_string_equal(hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    digest_hex("", 0, hex);
    assert_string_equal(hex, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_the_examples_of_the_standard)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
