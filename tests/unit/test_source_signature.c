/* What the text of a source says of its functions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "kernels/source/source_derive.h"

/* How a parameter is read: "in:*f32c" is a pointer to const f32 called in; "?" a type that is not known; "w" one that is only
   written; "{3}" behind a type: structs of three of them. */
static void describe(const struct source_parameter *p, char *text, size_t size)
{
    char type[SOURCE_TYPE_NAME_BYTES] = "?";
    char members[16] = "";
    if (!p->why || p->members)
        source_type_name(p->type, type);
    if (p->members)
        snprintf(members, sizeof members, "{%u}", p->members);
    snprintf(text, size, "%s:%s%s%s%s%s", p->name, p->pointer ? "*" : "", type, members,
             p->constant ? "c" : "", p->only_written ? "w" : "");
}

static void read_all(const char *source, const char *entry, char *text, size_t size)
{
    struct source_signature signature;
    struct error error = {0};
    size_t used = 0;
    text[0] = '\0';
    if (source_signature_read(&signature, source, entry, &error) < 0) {
        snprintf(text, size, "%s", error.text);
        return;
    }
    for (int i = 0; i < signature.parameter_count; i++) {
        char one[96];
        describe(&signature.parameter[i], one, sizeof one);
        used += (size_t)snprintf(text + used, size - used, "%s%s", i ? " " : "", one);
    }
}

static const struct {
    const char *source, *entry, *parameters;
} cases[] = {
    {"__global__ void f(const float *in, float *out, unsigned n) { out[n] = in[n]; }", "",
     "in:*f32c out:*f32w n:u32"},
    {"extern \"C\" __global__ void f(float const * __restrict__ in, float *const out, int n) {}", "",
     "in:*f32c out:*f32 n:i32"},
    {"struct P { float x, y, z; }; __global__ void f(const P *in, struct P *out, int n) { out[n].x = "
     "in[n].x; }",
     "", "in:*f32{3}c out:*f32{3}w n:i32"},
    {"typedef struct { double v[4]; double w; } P; __global__ void f(P *a) { a[0].w++; }", "", "a:*f64{5}"},
    {"typedef struct point { float4 a; float4 b; } P; __global__ void f(P *a, point *b) {}", "",
     "a:*f32x4{2} b:*f32x4{2}"},
    {"struct P { float x; int y; }; __global__ void f(P *a) {}", "", "a:*?"},
    {"struct P { float x; }; __global__ void f(P a, P *b, P **c) {}", "", "a:? b:*f32{1} c:*?"},
    {"struct alignas(16) P { float x, y, z; }; __global__ void f(P *a) {}", "", "a:*?"},
    {"struct __align__(16) P { float x, y, z; }; __global__ void f(P *a) {}", "", "a:*?"},
    {"struct P { alignas(8) float x; float y; }; __global__ void f(P *a) {}", "", "a:*?"},
    {"struct P { float x; } __attribute__((aligned(16))); __global__ void f(P *a) {}", "", "a:*?"},
    {"typedef struct P { float x; } P; typedef struct { float x, y; } __attribute__((aligned(16))) Q; "
     "__global__ void f(P *a, Q *b) {}",
     "", "a:*f32{1} b:*?"},
    {"struct P : Q { float x; }; __global__ void f(P *a) {}", "", "a:*?"},
    {"struct P { float x; P *next; }; __global__ void f(P *a) {}", "", "a:*?"},
    {"struct P { P a[2]; }; __global__ void f(P *a) {}", "", "a:*?"},
    {"struct P { int x : 3; }; __global__ void f(P *a) {}", "", "a:*?"},
    {"struct P { float x = 1; }; __global__ void f(P *a) {}", "", "a:*?"},
    {"struct P { float at(int); float x; }; __global__ void f(P *a) {}", "", "a:*?"},
    {"struct P { float v[2][2]; }; __global__ void f(P *a) {}", "", "a:*?"},
    {"#define K 3\nstruct P { float v[K]; }; __global__ void f(P *a) {}", "", "a:*?"},
    {"struct P { static float x; float y; }; __global__ void f(P *a) {}", "", "a:*?"},
    {"struct P { float x[100000]; }; __global__ void f(P *a) {}", "", "a:*?"},
    {"struct P {}; __global__ void f(P *a) {}", "", "a:*?"},
    {"#ifdef D\nstruct P { double x; };\n#else\nstruct P { float x; };\n#endif\n__global__ void f(P *a) {}",
     "", "a:*?"},
    {"struct P { float x, y", "", "there is no __global__ function in the source"},
    {"__global__ void f() {}", "", ""},
    {"__global__ void f(void) {}", "", ""},
    {"__global__ void __launch_bounds__(256, 2) f(int n) {}", "", "n:i32"},
    {"__launch_bounds__(256) __global__ static void f(int n);", "", "n:i32"},
    {"__global__ __attribute__((noinline)) void f(int n) {}", "", "n:i32"},
    {"__global__ [[maybe_unused]] void f([[maybe_unused]] int n) {}", "", "n:i32"},
    {"void __global__ f(int n) {}", "", "n:i32"},
    {"// __global__ void no(int a) {}\n/* __global__ void no(int a) {} */ const char *s = \"__global__ void "
     "no(\";\n"
     "__global__ void f(int /* , int m */ n // , int k\n) {}",
     "", "n:i32"},
    {"const char *s = R\"x(__global__ void no(int a) {})x\"; char c = '\"'; __global__ void f(int n) {}", "",
     "n:i32"},
    {"#define N 5 /* __global__ void no(\n*/\n#define REAL float\n__global__ void f(REAL *a, const REAL x) "
     "{}",
     "", "a:*f32 x:f32c"},
    {"#define LONG \\\n  unsigned long long\n__global__ void f(LONG n) {}", "", "n:u64"},
    {"#define RESTRICT __restrict__\n#define NOTHING\n__global__ void f(NOTHING float *RESTRICT a) {}", "",
     "a:*f32"},
    {"typedef unsigned int word;\nusing real = double;\n__global__ void f(word n, real *x) {}", "",
     "n:u32 x:*f64"},
    {"typedef a b; typedef b a;\n__global__ void f(a n) {}", "", "n:?"},
    {"__global__ void f(unsigned long long int n, unsigned char c, std::size_t s, long) {}", "",
     "n:u64 c:u8 s:u64 :i64"},
    {"__global__ void f(float a[], const int b[16], float (*c)[8], int d[][4]) {}", "",
     "a:*f32 b:*i32c c:*f32 d:*i32"},
    {"__global__ void f(float4 v, const uchar4 *p, __half *h, __nv_bfloat16 b, dim3 d) {}", "",
     "v:f32x4 p:*u8x4c h:*f16 b:bf16 d:u32x3"},
    {"__global__ void f(float **rows, int &r, void *p, struct point s, float (*g)(float), Array<int, 3> t) "
     "{}",
     "", "rows:*? r:? p:*? s:? g:*? t:?"},
    {"__global__ void f(int n = 5, float x = g(1, 2)) {}", "", "n:i32 x:f32"},
    {"template <typename T, int N> __global__ void f(T *a, const T *b, T c) {}", "f<float, 4>",
     "a:*f32 b:*f32c c:f32"},
    {"template <class T = float> __global__ void f(T *a) {}", "f< unsigned int >", "a:*u32"},
    {"template <typename T> struct s { T t; }; __global__ void f(int n) {}", "", "n:i32"},
    {"template <typename T> __device__ T g(T t) { return t; } __global__ void f(int n) {}", "", "n:i32"},
    {"__global__ void f(int a); __global__ void g(int b) {} __global__ void f(int a) {}", "f", "a:i32"},
    {"namespace x { __global__ void f(int a) {} }", "x::f", "a:i32"},
    {"__global__ void f(int a) {} __global__ void g(int b) {}", "g", "b:i32"},
    {"__global__ void f(float *a, float *b, float *c, float *d) { a[0] = b[0]; b[1] += 1; c[2] == 3; x.d[1] "
     "= 2; }",
     "", "a:*f32w b:*f32 c:*f32 d:*f32"},
    {"__global__ void f(float *a, float *b) { a[i[b[0]]] = 1; a[2] = 3; }", "", "a:*f32w b:*f32"},
};

static void test_parameters(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[512];
        read_all(cases[i].source, cases[i].entry, text, sizeof text);
        if (strcmp(text, cases[i].parameters) != 0)
            fail_msg("%s\nis read as\n%s\nnot\n%s", cases[i].source, text, cases[i].parameters);
    }
}

static const struct {
    const char *source, *entry, *word;
} wrong[] = {
    {"", "", "no __global__ function in the source"},
    {"__device__ void f(int n) {}", "", "no __global__ function in the source"},
    {"__global__ void f(int n) {} __global__ void g() {}", "", "several __global__ functions: f, g"},
    {"__global__ void f(int n) {}", "h", "no __global__ function \"h\"; there are: f"},
    {"template <typename T> __global__ void f(T n) {}", "", "\"f<float>\""},
    {"__global__ void f(int n", "", "no __global__ function"},
    {"__global__", "", "no __global__ function"},
    {"__global__ f)(int)", "", "no __global__ function"},
    {"__global__ void f(int (((((", "", "no __global__ function"},
    {"/* __global__ void f(int n) {}", "", "no __global__ function"},
    {"__global__ void KERNEL(f)(int n) {}", "f", "no __global__ function \"f\""},
};

static void test_what_cannot_be_read_is_told(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char text[512];
        read_all(wrong[i].source, wrong[i].entry, text, sizeof text);
        if (!strstr(text, wrong[i].word))
            fail_msg("%s: %s", wrong[i].source, text);
    }
}

static void test_the_line_is_that_of_the_name(void **state)
{
    struct source_signature signature;
    (void)state;
    assert_int_equal(
        source_signature_read(&signature, "// one\n/* two\n */\n__global__ void\nf(int n) {}", "", NULL), 0);
    assert_int_equal(signature.line, 5);
    assert_string_equal(signature.entry, "f");
}

/* A function of so many parameters, or in so many brackets, takes no stack and no time of more than the text's length. */
static void test_long_texts_are_bounded(void **state)
{
    static char source[65536 + 1];
    static const char begin[] = "__global__ void f(";
    static const char *const rests[] = {"(",  "<",         "int a,",        "[[", "{", "*",
                                        "a ", "template<", "#define a b\n", "\"", "'", "\\\n"};
    char text[512];
    (void)state;
    for (size_t i = 0; i < sizeof rests / sizeof *rests; i++) {
        size_t used = (size_t)snprintf(source, sizeof source, "%s", begin);
        while (used + strlen(rests[i]) < sizeof source)
            used += (size_t)snprintf(source + used, sizeof source - used, "%s", rests[i]);
        read_all(source, "", text, sizeof text);
        memcpy(source + sizeof source - 7, "n) {}", 6);
        read_all(source, "", text, sizeof text);
        read_all(source + sizeof begin - 1, "f", text, sizeof text);
    }
}

static void test_constants_have_types(void **state)
{
    static const char source[] =
        "#define K 5\n__constant__ float filter[K * K]; __constant__ __align__(16) float4 v = {1};\n"
        "static __device__ __constant__ const unsigned table[] = {1, 2}; __constant__ point p;";
    struct source_type type;
    (void)state;
    assert_true(source_signature_constant(source, "filter", &type) && type.base == SOURCE_F32 &&
                type.width == 1);
    assert_true(source_signature_constant(source, "v", &type) && type.base == SOURCE_F32 && type.width == 4);
    assert_true(source_signature_constant(source, "table", &type) && type.base == SOURCE_U32);
    assert_false(source_signature_constant(source, "p", &type));
    assert_false(source_signature_constant(source, "K", &type));
}

/* ---- deriving ---- */

static int derive(const char *source, struct source_draft *draft, struct problems *problems)
{
    struct source_signature signature;
    *draft = (struct source_draft){0};
    *problems = (struct problems){0};
    assert_int_equal(source_signature_read(&signature, source, "", NULL), 0);
    return source_derive_arguments(&signature, draft, problems);
}

static void test_arguments_are_derived(void **state)
{
    static struct source_draft draft;
    struct problems problems = {0};
    (void)state;
    assert_int_equal(derive("__global__ void f(const float *in, double *out, int *sum, unsigned n, float a) "
                            "{ out[n] = in[n]; sum[0] += 1; }",
                            &draft, &problems),
                     0);
    assert_int_equal(draft.argument_count, 5);
    assert_int_equal(draft.argument[0].role, BUFFER_INPUT);
    assert_string_equal(draft.argument[0].elements, "size");
    assert_int_equal(draft.argument[1].role, BUFFER_OUTPUT);
    assert_int_equal(draft.argument[2].role, BUFFER_ACCUMULATED);
    assert_int_equal(draft.argument[3].value, SOURCE_VALUE_SIZE);
    assert_int_equal(draft.argument[4].value, SOURCE_VALUE_GIVEN);
    assert_false(draft.argument[4].fallback.real);
}

static void test_what_cannot_be_derived_is_asked_for_by_name(void **state)
{
    static struct source_draft draft;
    struct problems problems = {0};
    (void)state;
    assert_int_equal(
        derive("__global__ void f(const float *in, point p, int, float n) {}", &draft, &problems), -1);
    assert_int_equal(problems.count, 3);
    assert_non_null(strstr(problems.at[0].detail, "\"in\""));
    assert_non_null(strstr(problems.at[1].detail, "\"p\""));
    assert_non_null(strstr(problems.at[1].detail, "point p"));
    assert_non_null(strstr(problems.at[2].detail, "parameter 3"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parameters),
        cmocka_unit_test(test_what_cannot_be_read_is_told),
        cmocka_unit_test(test_the_line_is_that_of_the_name),
        cmocka_unit_test(test_long_texts_are_bounded),
        cmocka_unit_test(test_constants_have_types),
        cmocka_unit_test(test_arguments_are_derived),
        cmocka_unit_test(test_what_cannot_be_derived_is_asked_for_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
