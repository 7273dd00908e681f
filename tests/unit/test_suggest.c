#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "api/suggest.h"

static const struct {
    const char *wanted, *names[5], *found;
} cases[] = {
    {"readoffset", {"write_offset", "read_offset", "read_only"}, "read_offset"},
    {"READ_OFFSET", {"write_offset", "read_offset"}, "read_offset"},
    {"raed_offset", {"read_offset_unroll", "read_offset"}, "read_offset"},
    {"read_ofset", {"read_offset"}, "read_offset"},
    {"read-offset", {"read_offset"}, "read_offset"},
    {"ordr", {"dtype", "order"}, "order"},
    {"ofset", {"offset"}, "offset"},
    {"kernle", {"kernel"}, "kernel"},
    {"limit", {"page_token", "page_size"}, "page_size"},
    {"limit", {"page_token"}, NULL},
    {"hot_gbps", {"hot_gops", "hot_effective_gbps"}, "hot_effective_gbps"},
    {"Limit", {"page_size"}, "page_size"},
    {"timeout", {"timeout_s"}, "timeout_s"},
    {"timeout", {"wait"}, "wait"},
    {"warp_drive", {"read_offset", "write_offset", "copy"}, NULL},
    {"f16", {"f32", "f64"}, NULL},
    {"rnu", {"queue", "run"}, "run"},
    {"rn", {"queue", "run"}, "run"},
    {"rn", {"rerun", "kernels"}, NULL},
    {"sho", {"top", "show"}, "show"},
    {"sze", {"load", "size"}, "size"},
    {"blk", {"load", "block", "blocks"}, "block"},
    {"blk", {"block", "blak"}, "blak"},
    {"strd", {"stride"}, "stride"},
    {"lck", {"block"}, NULL},
    {"bk", {"block"}, NULL},
    {"str", {"stride"}, NULL},
    {"size", {"dtype", "size_elements", "size_rows"}, "size_elements"},
    {"siz", {"size_elements"}, NULL},
    {"read_segmnt", {"reuse", "read_segment_cached", "read_segment_uncached"}, "read_segment_cached"},
    {"read_segmnt_cached", {"read_segment_cached", "read_segment_uncached"}, "read_segment_cached"},
    {"read_segmnt_cached", {"read_segment_uncached", "read_segment_cached"}, "read_segment_cached"},
    {"read_segment", {"write_segment", "read_segment_cached"}, "read_segment_cached"},
    {"read_seg", {"read_segment_cached", "read_set"}, "read_set"},
    {"strid", {"strided_by_warp"}, "strided_by_warp"},
    {"stri", {"strided_by_warp"}, NULL},
    {"segment", {"read_segment_cached"}, NULL},
    {"gpu", {"cpu"}, NULL},
    {"sl", {"ls", "slow"}, NULL},
    {"x", {"load"}, NULL},
    {"", {"load", "x"}, NULL},
    {"load", {NULL}, NULL},
    /* Longer than any name is: not compared, nor written beyond the room there is. */
    {"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
     {"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"},
     NULL},
    {"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
     {"baaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"},
     "baaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"},
};

static void the_name_that_was_meant_is_found(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct suggestion meant;
        suggest_begin(&meant, cases[i].wanted);
        for (int k = 0; cases[i].names[k]; k++)
            suggest_consider(&meant, cases[i].names[k]);
        const char *found = meant.found ? meant.found : "nothing", *wanted = cases[i].found;
        if (strcmp(found, wanted ? wanted : "nothing") != 0)
            fail_msg("for %s: %s", cases[i].wanted, found);
        assert_true(wanted ? strstr(suggest_text(&meant), wanted) != NULL
                           : strcmp(suggest_text(&meant), ";") == 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_name_that_was_meant_is_found)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
