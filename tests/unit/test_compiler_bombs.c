/* Sources that would take all time and memory end with a sentence, spoilt ones with an answer, and the sandbox serves on.
   With each compiler that is installed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/support/compiler_process.h"

/* `text` so many times, between two others; to be freed. */
static char *repeat(const char *before, const char *text, int times, const char *after)
{
    struct buffer whole = {0};
    buffer_text(&whole, before);
    for (int i = 0; i < times; i++)
        buffer_text(&whole, text);
    buffer_text(&whole, after);
    assert_false(whole.failed);
    return whole.data;
}

#define END_OF_SOURCE "__global__ void f(int *a) { a[0] = 1; }\n"

/* Ends with a fault or a sentence; not with a sandbox that failed, and not well but in the rows that say so. */
static void bomb(const char *name, const char *source, bool may_compile)
{
    struct compilation result;
    struct error error = {0};
    if (compiler_process_ask(source, "", 80, &result, &error) == 0) {
        if (result.ok && !may_compile)
            fail_msg("%s compiles", name);
        compilation_free(&result);
    } else if (error.kind != ERROR_INVALID || !strstr(error.text, "the compiler "))
        fail_msg("%s: %s", name, error.text);
    else
        print_message("%s: %s\n", name, error.text);
    compiler_process_still_serves();
}

static void bombs_end_and_the_next_source_is_compiled(void **state)
{
    static const struct {
        const char *name, *source;
    } rows[] = {
        {"instances of a template", "template <int A, int B> struct t { static const int v = t<A - 1, 2 * "
                                    "B>::v + t<A - 1, 2 * B + 1>::v; };\n"
                                    "template <int B> struct t<0, B> { static const int v = 1; };\n"
                                    "__global__ void f(int *a) { a[0] = t<22, 0>::v; }\n"},
        {"recursion of a template", "template <int N> struct t { static const int v = t<N + 1>::v; };\n"
                                    "__global__ void f(int *a) { a[0] = t<0>::v; }\n"},
        {"tokens", "#define a0 1 +\n#define a1 a0 a0 a0 a0 a0 a0 a0 a0\n#define a2 a1 a1 a1 a1 a1 a1 a1 a1\n"
                   "#define a3 a2 a2 a2 a2 a2 a2 a2 a2\n#define a4 a3 a3 a3 a3 a3 a3 a3 a3\n#define a5 a4 a4 "
                   "a4 a4 a4 a4 a4 a4\n"
                   "#define a6 a5 a5 a5 a5 a5 a5 a5 a5\n#define a7 a6 a6 a6 a6 a6 a6 a6 a6\n#define a8 a7 a7 "
                   "a7 a7 a7 a7 a7 a7\n"
                   "#define a9 a8 a8 a8 a8 a8 a8 a8 a8\n#define aa a9 a9 a9 a9 a9 a9 a9 a9\n"
                   "__global__ void f(int *a) { a[0] = aa 1; }\n"},
        {"statements of a macro",
         "#define a0 a[i] += i * a[i + 1]; i++;\n#define a1 a0 a0 a0 a0 a0 a0 a0 a0 a0 a0\n"
         "#define a2 a1 a1 a1 a1 a1 a1 a1 a1 a1 a1\n#define a3 a2 a2 a2 a2 a2 a2 a2 a2 a2 a2\n"
         "#define a4 a3 a3 a3 a3 a3 a3 a3 a3 a3 a3\n#define a5 a4 a4 a4 a4 a4 a4 a4 a4 a4 a4\n"
         "#define a6 a5 a5 a5 a5 a5 a5 a5 a5 a5 a5\n#define a7 a6 a6 a6 a6 a6 a6 a6 a6 a6 a6\n"
         "__global__ void f(int *a) { int i = threadIdx.x; a7 }\n"},
        {"an array that is initialised",
         "__device__ char big[1 << 30] = {1};\n__global__ void f(int *a) { a[0] = big[a[1]]; }\n"},
        {"a constant that is computed",
         "constexpr long f(long n) { long s = 0; for (long i = 0; i < n; i++) s += i * i ^ s; return s; }\n"
         "__global__ void k(long *a) { constexpr long v = f(1000000000000); a[0] = v; }\n"},
        {"a loop that is unrolled",
         "__global__ void f(int *a) {\n#pragma unroll\n for (int i = 0; i < 1000000; i++)\n#pragma unroll\n"
         "  for (int k = 0; k < 1000; k++) a[i * 7 + k] += a[k * 5 + i] * i;\n}\n"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        bomb(rows[i].name, rows[i].source, i >= 4);
}

static void deep_and_wide_sources_end_too(void **state)
{
    static const struct {
        const char *name, *before, *text, *after;
        int times;
    } rows[] = {
        {"nested ifs", "__global__ void f(int *a) { int i = a[0];\n", "if(a[i])", "i++; a[0] = i; }\n", 7000},
        {"nested brackets", "__global__ void f(int *a) { a[0] = ", "(", "1; }\n", 60000},
        {"nested blocks", "__global__ void f(int *a) {", "{", "}", 60000},
        {"nested types", "template <class T> struct t {}; typedef ", "t<", "int", 30000},
        {"pointers", "__global__ void f(int ", "*", "a) { }", 60000},
        {"nested #ifs", "", "#if 1\n", END_OF_SOURCE, 10000},
        {"backslashes", "", "\\\n", END_OF_SOURCE, 30000},
        {"quotes", "", "\"", END_OF_SOURCE, 60001},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *source = repeat(rows[i].before, rows[i].text, rows[i].times, rows[i].after);
        bomb(rows[i].name, source, true);
        free(source);
    }
}

/* An array of that size in the device's memory costs nothing to compile: who uses the PTX looks at its sizes. */
static void a_source_of_any_size_is_answered(void **state)
{
    struct compilation result;
    struct error error = {0};
    char *largest =
        repeat("/* ", "x", COMPILATION_SOURCE_BYTES - 3 - 3 - (int)strlen(compiler_process_good), " */");
    char *whole = repeat(largest, compiler_process_good, 1, ""), *longer = repeat(whole, " ", 1, "");
    (void)state;
    assert_int_equal(strlen(whole), COMPILATION_SOURCE_BYTES);
    compiler_process_must_compile(whole, "", 80, &result);
    compilation_free(&result);
    assert_int_equal(compiler_process_ask(longer, "", 80, &result, &error), -1);
    assert_int_equal(error.kind, ERROR_INVALID);
    assert_int_equal(compiler_process_ask("", "", 80, &result, &error), 0);
    compilation_free(&result);
    free(largest);
    free(whole);
    free(longer);
}

static void forty_compilations_leave_nothing_behind(void **state)
{
    struct compilation result;
    (void)state;
    for (int i = 0; i < 5; i++)
        compiler_process_still_serves();
    sandbox_process_rest(compiler_process.pid);
    int descriptors = sandbox_process_descriptors(compiler_process.pid);
    long kib = sandbox_process_memory(compiler_process.pid);
    for (int i = 0; i < 40; i++)
        if (i % 10)
            compiler_process_still_serves();
        else {
            compiler_process_must_fail("#include \"/etc/passwd\"\n", &result);
            compilation_free(&result);
        }
    sandbox_process_rest(compiler_process.pid);
    assert_int_equal(sandbox_process_descriptors(compiler_process.pid), descriptors);
    long more = sandbox_process_memory(compiler_process.pid) - kib;
    if (more > 1000)
        fail_msg("%ld KiB more after 40 compilations", more);
}

/* ---- sources that are spoilt ---- */

static uint32_t draw(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*seed >> 33);
}

/* Changes some bytes, copies or drops a stretch, or puts in a piece that means something. */
static void spoil(char *source, size_t room, uint64_t *seed)
{
    static const char *const pieces[] = {"#include \"/etc/passwd\"\n",
                                         "__has_include(</etc/passwd>)",
                                         "template<int N>",
                                         "asm(\".include \\\"/etc/passwd\\\"\");",
                                         "constexpr ",
                                         "#define f f f\n",
                                         "{{{{{{{{",
                                         "\"",
                                         "*/",
                                         "\\\n",
                                         "__shared__ ",
                                         "[1ull<<40]",
                                         "#line 0\n",
                                         "\xff\xfe",
                                         "#embed \"/etc/passwd\"\n",
                                         "_Pragma(\"once\")"};
    size_t size = strlen(source);
    for (uint32_t turns = draw(seed) % 2 + 1; turns > 0 && size > 2; turns--) {
        size_t at = draw(seed) % size, count = draw(seed) % 20 % (size - at);
        const char *piece = pieces[draw(seed) % (sizeof pieces / sizeof *pieces)];
        uint32_t how = draw(seed) % 4;
        if (how == 0)
            source[at] = (char)(draw(seed) % 255 + 1);
        else if (how == 1)
            memmove(source + at, source + at + count, size - at - count + 1);
        else if (how == 2 && size + strlen(piece) < room) {
            memmove(source + at + strlen(piece), source + at, size - at + 1);
            memcpy(source + at, piece, strlen(piece));
        } else
            memcpy(source + at, source + draw(seed) % (size - count), count);
        size = strlen(source);
    }
}

/* What one thread does with spoilt sources, and found. */
struct fuzzing {
    pthread_t thread;
    uint64_t seed;
    int count, compiled, stopped;
    char wrong[5000]; /* empty: nothing */
};

static void fuzz_one(struct fuzzing *fuzzing, int number)
{
    char source[4096];
    struct compilation result;
    struct error error = {0};
    strcpy(source, "/* Reads an element and writes it, as a first kernel does; n is their number, the rest "
                   "is known. */\n");
    strcat(source, compiler_process_good);
    for (int k = number % 3; k >= 0; k--)
        spoil(source, sizeof source, &fuzzing->seed);
    if (compiler_process_ask(source, number % 5 ? "" : "shifted", 80, &result, &error) < 0) {
        fuzzing->stopped++;
        if (error.kind != ERROR_INVALID)
            snprintf(fuzzing->wrong, sizeof fuzzing->wrong, "%s: %s", error.text, source);
        return;
    }
    fuzzing->compiled += result.ok;
    if (strstr(result.log, "root:") || (result.ptx && strstr(result.ptx, "root:")))
        snprintf(fuzzing->wrong, sizeof fuzzing->wrong, "this reads a file: %s", source);
    compilation_free(&result);
}

static void *fuzz(void *arg)
{
    struct fuzzing *fuzzing = arg;
    for (int i = 0; i < fuzzing->count && !fuzzing->wrong[0]; i++)
        fuzz_one(fuzzing, i);
    return NULL;
}

/* COALESCED_FUZZ_SOURCES: how many. */
static void spoilt_sources_are_answered_and_learn_nothing(void **state)
{
    enum { THREADS = 2 };
    const char *wanted = getenv("COALESCED_FUZZ_SOURCES");
    int count = wanted ? atoi(wanted) : 40, compiled = 0, stopped = 0;
    static struct fuzzing work[THREADS];
    (void)state;
    for (int i = 0; i < THREADS; i++) {
        work[i] = (struct fuzzing){.seed = (uint64_t)i + 26, .count = count / THREADS};
        assert_int_equal(pthread_create(&work[i].thread, NULL, fuzz, &work[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(work[i].thread, NULL);
        compiled += work[i].compiled;
        stopped += work[i].stopped;
    }
    for (int i = 0; i < THREADS; i++)
        if (work[i].wrong[0])
            fail_msg("%s", work[i].wrong);
    print_message("of %d spoilt sources %d compiled, %d were stopped\n", count, compiled, stopped);
    assert_in_range(compiled, 1, count - 1);
    compiler_process_still_serves();
    sandbox_process_rest(compiler_process.pid);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bombs_end_and_the_next_source_is_compiled),
        cmocka_unit_test(deep_and_wide_sources_end_too),
        cmocka_unit_test(a_source_of_any_size_is_answered),
        cmocka_unit_test(forty_compilations_leave_nothing_behind),
        cmocka_unit_test(spoilt_sources_are_answered_and_learn_nothing),
    };
    return compiler_process_run(tests, 1);
}
