#include "tests/unit/support/compiler_process.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "executor/sandbox_main.h"

static const double patience_s = 600;

/* The compiler under test, as --compiler says it; and what --processor-s says. */
static const char *compiler;
static char processor_s[16];
struct sandbox_process compiler_process;

static int run_sandbox(void *arg)
{
    char *argv[] = {"coalesced", "--sandbox", "--compiler", arg, "--processor-s", processor_s, NULL};
    return sandbox_main(6, argv);
}

static int start(void **state)
{
    (void)state;
    sandbox_process_start(&compiler_process, run_sandbox, (void *)compiler);
    return 0;
}

static int stop(void **state)
{
    (void)state;
    return sandbox_process_stop(&compiler_process);
}

bool compiler_process_is_nvrtc(void)
{
    return strcmp(compiler, "nvrtc") == 0;
}

/* 0: *result is to be freed; -1: stopped, as *error says. */
int compiler_process_ask(const char *source, const char *entry, int architecture, struct compilation *result,
                         struct error *error)
{
    struct compilation_request request = {.source = (char *)source, .architecture = architecture};
    struct buffer answer = {0};
    snprintf(request.entry, sizeof request.entry, "%s", entry);
    struct buffer bytes = compilation_write_request(&request);
    assert_false(bytes.failed);
    int status = sandbox_client_ask(compiler_process.client, COMPILATION_KIND, bytes.data, bytes.size,
                                    patience_s, &answer, error);
    if (status == 0 && compilation_read(result, answer.data, answer.size, error) < 0)
        fail_msg("an answer that cannot be read: %s", error->text);
    buffer_free(&bytes);
    buffer_free(&answer);
    return status;
}

void compiler_process_must_compile(const char *source, const char *entry, int architecture,
                                   struct compilation *result)
{
    struct error error = {0};
    if (compiler_process_ask(source, entry, architecture, result, &error) < 0)
        fail_msg("%s: %s", source, error.text);
    if (!result->ok)
        fail_msg("%s: line %u: %s", source, result->faults[0].line, result->faults[0].text);
}

void compiler_process_must_fail(const char *source, struct compilation *result)
{
    struct error error = {0};
    if (compiler_process_ask(source, "", 80, result, &error) < 0)
        fail_msg("%s: %s", source, error.text);
    if (result->ok)
        fail_msg("it compiles: %s", source);
    assert_true(result->fault_count > 0);
}

const char compiler_process_good[] =
    "extern \"C\" __global__ void shifted(const float *in, float *out, unsigned n)\n"
    "{\n"
    "    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "    if (i < n)\n"
    "        out[i] = in[i] + 1;\n"
    "}\n";

void compiler_process_still_serves(void)
{
    struct compilation result;
    compiler_process_must_compile(compiler_process_good, "", 80, &result);
    compilation_free(&result);
}

/* True: it is there and works. */
static bool is_there(const char *option)
{
    compiler = option;
    start(NULL);
    const struct sandbox_hello *hello = sandbox_client_hello(compiler_process.client);
    bool there = hello->compiler[0];
    printf("%s: %s\n", option, there ? hello->compiler : hello->reason);
    stop(NULL);
    return there;
}

int compiler_process_run_all(const struct CMUnitTest *tests, size_t count, int seconds)
{
    static const char *const options[] = {"nvrtc", "clang"};
    int failed = 0, compilers = 0;
    snprintf(processor_s, sizeof processor_s, "%d", seconds);
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        if (!is_there(options[i]))
            continue;
        compilers++;
        failed += _cmocka_run_group_tests(options[i], tests, count, start, stop);
    }
    if (!compilers)
        fprintf(stderr, "there is neither NVRTC nor clang: install clang\n");
    return compilers ? failed : 1;
}
