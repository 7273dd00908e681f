/* Sources are compiled in the sandbox: good ones to PTX, wrong ones to errors with their place; what includes files learns
   nothing of them. With each compiler that is installed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "executor/compiler_assembly.h"
#include "ptx/module.h"
#include "tests/unit/support/compiler_process.h"

/* ---- what is right ---- */

static void a_kernel_becomes_ptx_with_its_entry_and_lines(void **state)
{
    struct compilation result;
    (void)state;
    compiler_process_must_compile(compiler_process_good, "shifted", 80, &result);
    assert_non_null(strstr(result.ptx, ".entry shifted("));
    assert_non_null(strstr(result.ptx, "ld.global"));
    assert_non_null(strstr(result.ptx, ".loc\t1 5 "));
    assert_null(strstr(result.ptx, "coalesced_entry"));
    assert_string_equal(result.entry, "shifted");
    assert_int_equal(result.architecture, 80);
    assert_string_equal(result.compiler, sandbox_client_hello(compiler_process.client)->compiler);
    assert_int_equal(result.cubin != NULL, compiler_process_is_nvrtc());
    if (result.cubin)
        assert_memory_equal(result.cubin, "\177ELF", 4);
    struct ptx_problem problem;
    struct ptx_module *module = ptx_module_parse(result.ptx, result.ptx_bytes, &problem);
    if (!module)
        fail_msg("line %d: %s", problem.position.ptx_line, problem.text);
    assert_true(module->file_count > 1 && module->files[1] &&
                strstr(module->files[1], COMPILATION_SOURCE_NAME));
    ptx_module_free(module);
    compilation_free(&result);
}

static void an_architecture_that_is_not_made_becomes_the_nearest_one(void **state)
{
    static const int asked[] = {1, 37, 74, 90, 999};
    const struct sandbox_hello *hello = sandbox_client_hello(compiler_process.client);
    (void)state;
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        struct compilation result;
        char target[32];
        bool made = false;
        compiler_process_must_compile(compiler_process_good, "", asked[i], &result);
        snprintf(target, sizeof target, ".target sm_%d\n", result.architecture);
        assert_non_null(strstr(result.ptx, target));
        for (int k = 0; k < hello->architecture_count; k++)
            made |= hello->architectures[k] == asked[i];
        assert_int_equal(result.architecture == asked[i], made);
        assert_int_equal(result.cubin != NULL, strstr(result.compiler, "NVRTC") != NULL);
        compilation_free(&result);
    }
}

static void an_instance_of_a_template_is_made_where_it_is_asked_for(void **state)
{
    static const char source[] =
        "template <class T, int N> __global__ void scale(T *a) { a[threadIdx.x] *= N; }\n"
        "__global__ void other(int *a) { a[0] = 1; }\n";
    struct compilation result;
    char entry[sizeof result.entry + 16];
    (void)state;
    compiler_process_must_compile(source, "scale<float, 4>", 80, &result);
    assert_string_equal(result.entry, "_Z5scaleIfLi4EEvPT_");
    snprintf(entry, sizeof entry, ".entry %s(", result.entry);
    assert_non_null(strstr(result.ptx, entry));
    compilation_free(&result);
    compiler_process_must_compile(source, "other", 80, &result);
    assert_string_equal(result.entry, "_Z5otherPi");
    compilation_free(&result);
}

/* What kernels use, in one source. */
static void device_code_has_what_it_needs(void **state)
{
    static const char source[] =
        "#include <stdio.h>\n#include <stdint.h>\n#include <cuda_runtime.h>\n"
        "struct pair { float a, b; };\n"
        "__constant__ float table[4] = {1, 2, 3, 4};\n"
        "__device__ int counter;\n"
        "static int helper(int a) { return a * 3; }\n" /* without __device__ */
        "extern \"C\" __global__ void __launch_bounds__(256) f(const float4 *__restrict__ in, float4 *out,\n"
        "    unsigned *h, double *d, uint64_t *big, pair p, unsigned n) {\n"
        "  extern __shared__ float dynamic[];\n  __shared__ float s[256];\n"
        "  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;\n"
        "  if (i >= n) return;\n"
        "  float4 v = __ldg(&in[i]);\n  s[threadIdx.x] = v.x;\n  dynamic[threadIdx.x] = p.a;\n  "
        "__syncthreads();\n"
        "  v.y = s[255 - threadIdx.x] + table[i & 3] + dynamic[0];\n"
        "  v.z = __shfl_xor_sync(0xffffffffu, v.z, 1) + __shfl_down_sync(0xffffffffu, v.w, 2);\n"
        "  v.w = sinf(v.x) + expf(v.y) + powf(v.z, 2.5f) + sqrtf(v.x) + fmaxf(v.x, p.b) + rsqrtf(2.0f);\n"
        "  if (__any_sync(0xffffffffu, v.x > 1)) atomicAdd(&h[i & 31], __popc(__ballot_sync(0xffffffffu, v.x "
        "> 2)));\n"
        "  atomicAdd(&counter, 1); atomicMax(&h[3], i); atomicCAS(&h[4], 1u, 2u);\n"
        "  d[i] = sin(d[i]) + exp(d[i]) + fma(d[i], 2.0, 1.0) + min(helper(i), 5);\n"
        "  out[i] = make_float4(v.x, v.y, v.z, v.w);\n  big[i] = i; __threadfence(); __syncwarp();\n"
        "  dim3 shape = gridDim; h[7] = shape.x;\n"
        "  v.x = fminf(v.x, INFINITY); v.y = v.x > FLT_MAX ? NAN : (float)M_PI; h[8] = INT_MAX;\n"
        "  asm volatile(\"{ .reg .pred p; setp.ne.u32 p, %0, 0; }\" :: \"r\"(i));\n"
        "}\n";
    struct compilation result;
    (void)state;
    compiler_process_must_compile(source, "f", 80, &result);
    static const char *const wanted[] = {".entry f(", "bar.sync", "shfl.sync", "vote.sync",
                                         "atom",      ".shared",  ".const"};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        if (!strstr(result.ptx, wanted[i]))
            fail_msg("no %s in its PTX", wanted[i]);
    compilation_free(&result);
}

static void headers_of_the_toolkit_come_from_memory(void **state)
{
    static const char source[] =
        "#include <cuda_fp16.h>\n#include \"cuda_bf16.h\"\n"
        "extern \"C\" __global__ void f(__half *a) { a[threadIdx.x] = __float2half(1.0f); }\n";
    struct compilation result;
    (void)state;
    if (!compiler_process_is_nvrtc() || access("/usr/local/cuda/include/cuda_fp16.h", R_OK) < 0) {
        print_message("without NVRTC and its headers: they are refused, which is tested\n");
        compiler_process_must_fail(source, &result);
        assert_non_null(strstr(result.faults[0].text, "may include"));
    } else {
        compiler_process_must_compile(source, "f", 80, &result);
        assert_non_null(strstr(result.ptx, ".entry f("));
    }
    compilation_free(&result);
}

/* ---- what is wrong ---- */

static void errors_have_line_column_and_text(void **state)
{
    static const struct {
        const char *source;
        unsigned line, column;
        const char *says;
    } rows[] = {
        {"__global__ void f(float *a)\n{\n    a[0] = missing;\n}\n", 3, 12, "missing"},
        {"__global__ void f(float *a)\n{\n\tfoo(a);\n}\n", 3, 2, "foo"},
        {"#include \"/etc/passwd\"\n", 1, 0, "may include"},
        {"#error \"no compiler_process_good\"\n", 1, 2, "no compiler_process_good"},
        {"__global__ void f(float *a) {\n asm(\".loc 1 7 7;\");\n a[0] = 1; }\n", 2, 0, ".loc"},
        {"__global__ void f(float *a) {\n asm volatile(\"{ .include \\\"/etc/passwd\\\"\\n }\"); a[0] = 1; "
         "}\n",
         2, 0, ".include"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct compilation result;
        compiler_process_must_fail(rows[i].source, &result);
        const struct compilation_fault *fault = &result.faults[0];
        if (fault->line != rows[i].line || (rows[i].column && fault->column != rows[i].column) ||
            !strstr(fault->text, rows[i].says))
            fail_msg("%s: line %u, column %u: %s", rows[i].source, fault->line, fault->column, fault->text);
        compilation_free(&result);
    }
    compiler_process_still_serves();
}

static void an_entry_that_is_not_there_is_told(void **state)
{
    struct compilation result;
    struct error error = {0};
    (void)state;
    assert_int_equal(compiler_process_ask(compiler_process_good, "missing<int>", 80, &result, &error), 0);
    assert_false(result.ok);
    assert_int_equal(result.faults[0].line, 0);
    assert_non_null(strstr(result.faults[0].text, "missing"));
    compilation_free(&result);
}

/* What stands in files that are there, or whether they are, is in no answer: whatever is tried says the same of a file that
   is there and of one that is not. */
static void sources_learn_nothing_of_files(void **state)
{
    static const char *const forms[] = {
        "#include \"%s\"\n",
        "#include <%s>\n",
        "#inc\\\nlude \"%s\"\n",
        "%%:include \"%s\"\n",
        "#define name \"%s\"\n#include name\n",
        "#include_next \"%s\"\n",
        "#import \"%s\"\n",
        "#if __has_include(\"%s\")\n#error it is there\n#else\n#error it is not there\n#endif\n",
        "#if __has_include_next(<%s>)\n#error it is there\n#else\n#error it is not there\n#endif\n",
        "const unsigned char text[] = {\n#embed \"%s\"\n};\n",
        "#if __has_embed(\"%s\")\n#error it is there\n#else\n#error it is not there\n#endif\n",
        "__global__ void f() { asm volatile(\".include \\\"%s\\\"\"); }\n",
        "asm(\".incbin \\\"%s\\\"\");\n__global__ void f() { asm volatile(\".incbin \\\"%s\\\"\"); }\n",
        "#pragma GCC dependency \"%s\"\n#error end\n",
        "#pragma comment(lib, \"%s\")\n#error end\n",
        "_Pragma(\"push_macro(\\\"%s\\\")\")\n#error end\n",
        "# 1 \"%s\"\n#error end\n",
    };
    /* Of one length, so that marks below a line stand alike. */
    static const char *const paths[] = {"/etc/passwd", "/etc/passwx"};
    (void)state;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        char *logs[2];
        for (int k = 0; k < 2; k++) {
            char source[512];
            struct compilation result;
            snprintf(source, sizeof source, forms[i], paths[k], paths[k]);
            compiler_process_must_fail(source, &result);
            if (strstr(result.log, "root:") || (result.ptx && strstr(result.ptx, "root:")))
                fail_msg("%s: %s", source, result.log);
            logs[k] = strdup(result.log);
            compilation_free(&result);
            for (char *name; (name = strstr(logs[k], paths[k]));)
                memset(name, '.', strlen(paths[k]));
        }
        if (strcmp(logs[0], logs[1]) != 0)
            fail_msg("%s: \"%s\" of a file that is there, \"%s\" of one that is not", forms[i], logs[0],
                     logs[1]);
        free(logs[0]);
        free(logs[1]);
    }
    compiler_process_still_serves();
}

static void directives_in_assembly_are_found(void **state)
{
    static const struct {
        const char *ptx, *name;
    } rows[] = {
        {".version 8.0\n.loc 1 3 4\n// begin inline asm\n{ .reg .pred p; l: mov.u32 a, b; }\n// end inline "
         "asm\n",
         NULL},
        {".loc 1 3 4\n// begin inline asm\nmov.u32 a, b; .loc 1 9 9\n// end inline asm\n", ".loc"},
        {".loc 1 3 4\n// begin inline asm\n/* */ .include \"a\"\n// end inline asm\n", ".include"},
        {".loc 1 3 4\n// begin inline asm\nl: .global .u32 a;\n// end inline asm\n", ".global"},
        {".loc 1 3 4\n// begin inline asm\n{.shared .b32 a;}\n// end inline asm\n", ".shared"},
        {".loc 1 3 4\n// begin inline asm\nmov.u32 a, b;\n// end inline asm\n// end inline asm\n",
         "// end inline asm"},
        {".loc 1 3 4\n// begin inline asm\n// begin inline asm\n", "// begin inline asm"},
        {".loc 1 3 4\n mov.u32 a, b; .INCLUDE \"a\"", ".INCLUDE"},
        {".loc 1 3 4\n// .include \"a\"\n/* .include */ .global .b8 a[4] = \".include\";\n", NULL},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct compiler_directive found;
        if (compiler_assembly_find(rows[i].ptx, &found) != (rows[i].name != NULL))
            fail_msg("%s: \"%s\"", rows[i].ptx, found.name);
        if (rows[i].name) {
            assert_string_equal(found.name, rows[i].name);
            assert_int_equal(found.line, 3);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_kernel_becomes_ptx_with_its_entry_and_lines),
        cmocka_unit_test(an_architecture_that_is_not_made_becomes_the_nearest_one),
        cmocka_unit_test(an_instance_of_a_template_is_made_where_it_is_asked_for),
        cmocka_unit_test(device_code_has_what_it_needs),
        cmocka_unit_test(headers_of_the_toolkit_come_from_memory),
        cmocka_unit_test(errors_have_line_column_and_text),
        cmocka_unit_test(an_entry_that_is_not_there_is_told),
        cmocka_unit_test(sources_learn_nothing_of_files),
        cmocka_unit_test(directives_in_assembly_are_found),
    };
    return compiler_process_run(tests, 20);
}
