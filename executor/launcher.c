/* Reads the launch, executes it, and answers its counts: all within the sealed process. */
#include "executor/launcher.h"

#include "api/explain_json.h"
#include "api/launch_request.h"
#include "api/run_request.h"
#include "kernels/source/source_count.h"
#include "kernels/source/source_run.h"

static const struct wall_limits limits = {
    .memory_bytes = UINT64_C(1) << 30,
    .processor_s = 12,
};
static const double wall_s = 25;

static int count(const struct launch_request *request, const struct experiment *experiment,
                 struct buffer *answer, struct error *error)
{
    struct source_count count;
    struct explain listed = {
        .block = {request->block[0], request->block[1], request->block[2]},
        .warp = request->warp,
        .line = request->line,
        .times_max = EXPLAIN_TIMES_MAX,
        .accesses_max = EXPLAIN_ACCESSES_MAX,
    };
    if (source_count_make(experiment, &request->code, request->explained ? &listed : NULL, request->check,
                          request->seconds, &count, error) < 0)
        return -1;
    source_count_pack(&count, answer);
    source_count_free(&count);
    return answer->failed ? error_set(error, ERROR_MEMORY, "no memory for the counts") : 0;
}

static int work(void *context, const char *bytes, size_t size, struct buffer *answer, struct error *error)
{
    struct launch_request request;
    struct experiment experiment;
    (void)context;
    if (launch_request_read(&request, bytes, size, error) < 0)
        return -1;
    struct source_kernel *kernel = launch_request_experiment(&request, &experiment, error);
    int status = kernel ? count(&request, &experiment, answer, error) : -1;
    source_kernel_free(kernel);
    launch_request_free(&request);
    return status;
}

/* A small launch of our own, executed thread by thread and in boxes. */
static void warm_up(void *context)
{
    static const char *const requests[] = {"{\"size\": 64, \"block\": 64, \"grid\": 1}",
                                           "{\"size\": 4194304, \"block\": 256, \"grid\": 16384}"};
    static const char definition[] =
        "{\"source\": \"__global__ void warm(float *out, unsigned n) { out[n] = 1; }\", \"entry\": \"warm\", "
        "\"arguments\": [{\"name\": \"out\", \"type\": \"f32\", \"elements\": \"size\", \"role\": "
        "\"output\"}, "
        "{\"name\": \"n\", \"type\": \"u32\", \"value\": \"size\"}]}";
    static const char ptx[] = ".version 7.0\n.target sm_75\n.address_size 64\n"
                              ".visible .entry warm(.param .u64 out, .param .u32 n)\n"
                              "{\n"
                              ".reg .pred %p<2>;\n.reg .b32 %r<7>;\n.reg .b64 %d<5>;\n"
                              "ld.param.u64 %d1, [out];\n"
                              "ld.param.u32 %r1, [n];\n"
                              "mov.u32 %r2, %ctaid.x;\n"
                              "mov.u32 %r3, %ntid.x;\n"
                              "mov.u32 %r4, %tid.x;\n"
                              "mad.lo.s32 %r5, %r2, %r3, %r4;\n"
                              "setp.ge.u32 %p1, %r5, %r1;\n"
                              "@%p1 bra $end;\n"
                              "cvta.to.global.u64 %d2, %d1;\n"
                              "mul.wide.u32 %d3, %r5, 4;\n"
                              "add.s64 %d4, %d2, %d3;\n"
                              "mov.u32 %r6, 1065353216;\n"
                              "st.global.u32 [%d4], %r6;\n"
                              "$end:\n"
                              "ret;\n"
                              "}\n";
    for (size_t i = 0; i < sizeof requests / sizeof *requests; i++) {
        struct launch_request request = {
            .definition = definition,
            .request = requests[i],
            .code = {.symbol = "warm", .ptx = ptx, .ptx_bytes = sizeof ptx - 1},
            .seconds = 1,
        };
        struct buffer bytes = launch_request_write(&request), answer = {0};
        struct error ignored = {0};
        work(context, bytes.data, bytes.size, &answer, &ignored);
        buffer_free(&bytes);
        buffer_free(&answer);
    }
}

/* ---- runs ---- */

static const struct wall_limits run_limits = {
    .memory_bytes = UINT64_C(1) << 30,
    .processor_s = 130,
};
static const double run_wall_s = 140;

static int execute(const struct launch_request *request, struct source_run *run,
                   struct source_kernel **kernel, struct error *error)
{
    struct experiment experiment;
    *kernel = launch_request_experiment(request, &experiment, error);
    return *kernel ? source_run_make(run, &experiment, &request->code, request->seconds, error) : -1;
}

/* The reference is executed only where the kernel has no fault. */
static int run_both(const struct run_request *request, struct buffer *answer, struct error *error)
{
    struct source_run run = {.failed = false}, reference = {.failed = false};
    struct source_kernel *kernel = NULL, *other = NULL;
    struct json_writer json = {.out = answer};
    int status = execute(&request->kernel, &run, &kernel, error);
    bool two = status == 0 && request->has_reference && !run.failed && run.complete;
    if (two)
        status = execute(&request->reference, &reference, &other, error);
    if (status == 0)
        run_request_answer(&json, request, &run, two ? &reference : NULL);
    if (status == 0 && json_writer_finish(&json) < 0)
        status = error_set(error, ERROR_MEMORY, "no memory for the outputs");
    source_run_free(&run);
    source_run_free(&reference);
    source_kernel_free(kernel);
    source_kernel_free(other);
    return status;
}

static int run_work(void *context, const char *bytes, size_t size, struct buffer *answer, struct error *error)
{
    struct run_request request;
    (void)context;
    if (run_request_read(&request, bytes, size, error) < 0)
        return -1;
    int status = run_both(&request, answer, error);
    run_request_free(&request);
    return status;
}

void launcher_run_kind(struct sandbox_kind *kind)
{
    *kind = (struct sandbox_kind){
        .name = RUN_REQUEST_KIND,
        .subject = "the kernel",
        .hint = ": does a loop not end?",
        .limits = run_limits,
        .wall_s = run_wall_s,
        .work = run_work,
    };
}

void launcher_kind(struct sandbox_kind *kind)
{
    *kind = (struct sandbox_kind){
        .name = LAUNCH_REQUEST_KIND,
        .subject = "the kernel",
        .hint = ": does a loop not end?",
        .limits = limits,
        .wall_s = wall_s,
        .warm_up = warm_up,
        .work = work,
    };
}
