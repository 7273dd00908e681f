/* Machine code as the compiler wrote it: instructions whose meaning is known from the PTX that they were made of,
   a whole file, and files that are damaged. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ptx/cubin.h"

static const char *const kinds[] = {
    [MACHINE_OTHER] = "barrier", [MACHINE_LOAD] = "load",           [MACHINE_STORE] = "store",
    [MACHINE_ATOMIC] = "atomic", [MACHINE_REDUCTION] = "reduction", [MACHINE_SWAP] = "swap",
    [MACHINE_COPY] = "copy"};
static const char *const spaces[] = {
    [MACHINE_NOWHERE] = "nowhere", [MACHINE_GENERIC] = "generic", [MACHINE_GLOBAL] = "global",
    [MACHINE_SHARED] = "shared",   [MACHINE_LOCAL] = "local",     [MACHINE_CONSTANT] = "constant"};
static const char *const caches[] = {[MACHINE_CACHE_DEFAULT] = "default",
                                     [MACHINE_CACHE_NC] = "nc",
                                     [MACHINE_CACHE_CA] = "ca",
                                     [MACHINE_CACHE_CG] = "cg",
                                     [MACHINE_CACHE_CS] = "cs",
                                     [MACHINE_CACHE_LU] = "lu",
                                     [MACHINE_CACHE_CV] = "cv"};

/* words.tsv: architecture, a statement of PTX, what it is, the bytes of the instruction that ptxas made of it. */
static void each_instruction_means_what_its_ptx_says(void **state)
{
    char line[512];
    int count = 0;
    FILE *file = fopen(TESTS_DIR "/cubins/words.tsv", "re");
    (void)state;
    assert_non_null(file);
    while (fgets(line, sizeof line, file)) {
        char ptx[256], kind[16], space[16], cache[16], hex[40], said[512], expected[512];
        int arch;
        unsigned bytes;
        assert_int_equal(sscanf(line, "%d\t%255[^\t]\t%15s\t%15s\t%u\t%15s\t%39s", &arch, ptx, kind, space,
                                &bytes, cache, hex),
                         7);
        uint8_t word[MACHINE_WORD_BYTES];
        for (int i = 0; i < MACHINE_WORD_BYTES; i++)
            assert_int_equal(sscanf(hex + 2 * i, "%2hhx", &word[i]), 1);
        struct machine_word read = machine_word_read(word, 0, arch);
        snprintf(expected, sizeof expected, "sm_%d %s: %s %s %u %s", arch, ptx, kind, space, bytes, cache);
        snprintf(said, sizeof said, "sm_%d %s: %s %s %u %s", arch, ptx, kinds[read.kind], spaces[read.space],
                 read.bytes, caches[read.cache]);
        assert_string_equal(said, expected);
        if (strcmp(kind, "barrier") == 0)
            assert_int_equal(read.flow, MACHINE_BARRIER);
        count++;
    }
    fclose(file);
    assert_true(count > 250);
}

/* The file, ended by a NUL, to be freed; NULL. */
static char *whole_file(const char *path, size_t *count)
{
    FILE *file = fopen(path, "re");
    char *bytes = file ? calloc(1, 1 << 20) : NULL;
    *count = bytes ? fread(bytes, 1, (1 << 20) - 1, file) : 0;
    if (file)
        fclose(file);
    return bytes;
}

struct fixture {
    char *bytes, *ptx;
    size_t count;
    struct cubin *cubin;
};

static int fixture_read(void **state)
{
    static struct fixture fixture;
    struct error error = {0};
    size_t ptx_bytes;
    *state = &fixture;
    fixture.bytes = whole_file(TESTS_DIR "/cubins/tiled.cubin", &fixture.count);
    fixture.ptx = whole_file(TESTS_DIR "/cubins/tiled.ptx", &ptx_bytes);
    return fixture.bytes && fixture.ptx ? cubin_read(&fixture.cubin, fixture.bytes, fixture.count, &error)
                                        : -1;
}

static int fixture_free(void **state)
{
    struct fixture *fixture = *state;
    free(fixture->bytes);
    free(fixture->ptx);
    cubin_free(fixture->cubin);
    return 0;
}

static void a_kernel_is_found_with_its_registers_and_its_memory(void **state)
{
    struct fixture *fixture = *state;
    const struct cubin_entry *tiled = cubin_entry_find(fixture->cubin, "tiled");
    assert_int_equal(fixture->cubin->arch, 90);
    assert_int_equal(fixture->cubin->count, 3);
    assert_null(cubin_entry_find(fixture->cubin, "tile"));
    assert_non_null(tiled);
    /* What ptxas -v says. */
    assert_int_equal(tiled->registers, 32);
    assert_int_equal(tiled->shared_bytes, 2 * 16 * 16 * 4);
    assert_int_equal(tiled->local_bytes, 0);
    assert_true(tiled->has_ptx_lines);
    assert_int_equal(cubin_entry_find(fixture->cubin, "atomics")->shared_bytes, 4);
    assert_int_equal(cubin_entry_find(fixture->cubin, "triangle")->shared_bytes, 0);
}

/* The text of that line, without its number's line end. */
static const char *line_at(const char *text, unsigned line, char *out, size_t bytes)
{
    for (; line > 1 && text; line--)
        text = strchr(text, '\n') ? strchr(text, '\n') + 1 : NULL;
    snprintf(out, bytes, "%.*s", text ? (int)strcspn(text, "\n") : 0, text ? text : "");
    return out;
}

static void an_access_leads_to_its_line_of_ptx(void **state)
{
    struct fixture *fixture = *state;
    char text[256];
    int found = 0;
    for (size_t e = 0; e < fixture->cubin->count; e++) {
        const struct cubin_entry *entry = &fixture->cubin->entries[e];
        for (size_t i = 0; i < entry->count; i++) {
            const struct machine_word *word = &entry->code[i].word;
            if (word->space != MACHINE_GLOBAL || (word->kind != MACHINE_LOAD && word->kind != MACHINE_STORE))
                continue;
            line_at(fixture->ptx, entry->code[i].ptx_line, text, sizeof text);
            assert_non_null(strstr(text, word->kind == MACHINE_LOAD ? "ld.global" : "st.global"));
            assert_true(entry->code[i].source_line > 0);
            found++;
        }
    }
    assert_true(found >= 10);
}

static void lanes_that_part_meet_behind_a_meeting_point(void **state)
{
    struct fixture *fixture = *state;
    const struct cubin_entry *entry = cubin_entry_find(fixture->cubin, "atomics");
    int branches = 0, begins = 0;
    for (size_t i = 0; i < entry->count; i++) {
        const struct cubin_instruction *one = &entry->code[i];
        if (one->word.flow == MACHINE_BRANCH) {
            assert_in_range(one->target, 0, entry->count - 1);
            branches++;
        }
        if (one->word.flow == MACHINE_MEET_BEGIN) {
            assert_in_range(one->target, i + 1, entry->count - 1);
            assert_int_equal(entry->code[one->target - 1].word.flow, MACHINE_MEET);
            begins++;
        }
    }
    assert_true(branches > 0 && begins > 0);
}

static void a_file_cut_off_anywhere_is_refused_or_read(void **state)
{
    struct fixture *fixture = *state;
    for (size_t count = 0; count < fixture->count; count += count < 64 ? 1 : 149) {
        struct error error = {0};
        struct cubin *cubin;
        char *cut = malloc(count + 1); /* of its own, so that a sanitizer sees its end */
        assert_non_null(cut);
        memcpy(cut, fixture->bytes, count);
        if (cubin_read(&cubin, cut, count, &error) < 0) {
            assert_true(error.kind == ERROR_INVALID && error.text[0] && !cubin);
        }
        cubin_free(cubin);
        free(cut);
    }
}

static void a_file_with_any_byte_changed_is_refused_or_read(void **state)
{
    struct fixture *fixture = *state;
    char *copy = malloc(fixture->count);
    int refused = 0;
    assert_non_null(copy);
    for (size_t at = 0; at < fixture->count; at += at % 11 + 1) {
        struct error error = {0};
        struct cubin *cubin;
        memcpy(copy, fixture->bytes, fixture->count);
        copy[at] = (char)(copy[at] ^ (at % 2 ? 0xff : 0x80));
        if (cubin_read(&cubin, copy, fixture->count, &error) < 0)
            refused++;
        cubin_free(cubin);
    }
    free(copy);
    assert_true(refused > 20);
}

/* The first row of the table of sections describes none and its bytes are not read, whatever stands there. */
static void each_section_may_stand_in_the_first_row(void **state)
{
    enum { TABLE_AT = 40, ROWS_AT = 60, ROW_BYTES = 64 };
    struct fixture *fixture = *state;
    char *copy = malloc(fixture->count);
    uint64_t table;
    int refused = 0;
    assert_non_null(copy);
    memcpy(&table, fixture->bytes + TABLE_AT, sizeof table);
    assert_true(fixture->bytes[ROWS_AT] > 20);
    for (int row = 1; row < fixture->bytes[ROWS_AT]; row++) {
        struct error error = {0};
        struct cubin *cubin;
        memcpy(copy, fixture->bytes, fixture->count);
        memcpy(copy + table, copy + table + row * ROW_BYTES, ROW_BYTES);
        if (cubin_read(&cubin, copy, fixture->count, &error) < 0)
            refused++;
        cubin_free(cubin);
    }
    free(copy);
    assert_int_equal(refused, 2); /* the symbols and their names */
}

static void what_is_no_cubin_is_refused_by_name(void **state)
{
    struct fixture *fixture = *state;
    struct error error = {0};
    struct cubin *cubin;
    assert_int_equal(cubin_read(&cubin, "PTX", 3, &error), -1);
    assert_non_null(strstr(error.text, "no machine code"));
    char *copy = malloc(fixture->count);
    assert_non_null(copy);
    memcpy(copy, fixture->bytes, fixture->count);
    copy[49] = 70; /* the architecture */
    error_clear(&error);
    assert_int_equal(cubin_read(&cubin, copy, fixture->count, &error), -1);
    assert_non_null(strstr(error.text, "sm_70"));
    free(copy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_instruction_means_what_its_ptx_says),
        cmocka_unit_test(a_kernel_is_found_with_its_registers_and_its_memory),
        cmocka_unit_test(an_access_leads_to_its_line_of_ptx),
        cmocka_unit_test(lanes_that_part_meet_behind_a_meeting_point),
        cmocka_unit_test(a_file_cut_off_anywhere_is_refused_or_read),
        cmocka_unit_test(a_file_with_any_byte_changed_is_refused_or_read),
        cmocka_unit_test(each_section_may_stand_in_the_first_row),
        cmocka_unit_test(what_is_no_cubin_is_refused_by_name),
    };
    return cmocka_run_group_tests(tests, fixture_read, fixture_free);
}
