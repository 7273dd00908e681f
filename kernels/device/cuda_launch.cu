/* Launch attributes, textures, streams beside a stream, and the part of the L2 that is set aside. */
#include "kernels/device/cuda_launch.h"

#include "kernels/suite/suite.h"

/* Dynamic shared memory that a launch gets without opting in to more, bytes. */
static const uint64_t shared_unasked = 48 * 1024;

static uint64_t attribute_of_device(cudaDeviceAttr what)
{
    int device = 0, value = 0;
    if (cudaGetDevice(&device) != cudaSuccess || cudaDeviceGetAttribute(&value, what, device) != cudaSuccess)
        return 0;
    return (uint64_t)value;
}

cuda_launching::cuda_launching(const run *r, const shape &grid, cudaStream_t stream) : config_{}, attribute_{}
{
    const shape &block = r->domain.block;
    config_.gridDim = dim3((unsigned)grid.x, (unsigned)grid.y, (unsigned)grid.z);
    config_.blockDim = dim3((unsigned)block.x, (unsigned)block.y, (unsigned)block.z);
    config_.dynamicSmemBytes = r->shared_bytes;
    config_.stream = stream;
    config_.attrs = attribute_;
}

void cuda_launching::in_clusters(uint64_t blocks)
{
    cudaLaunchAttribute &attribute = attribute_[config_.numAttrs++];
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim = {(unsigned)blocks, 1, 1};
}

void cuda_launching::keep(const run *r, int buffer)
{
    uint64_t room = attribute_of_device(cudaDevAttrMaxPersistingL2CacheSize);
    uint64_t most = attribute_of_device(cudaDevAttrMaxAccessPolicyWindowSize);
    uint64_t bytes = run_buffer_bytes(r, buffer) < most ? run_buffer_bytes(r, buffer) : most;
    cudaLaunchAttribute &attribute = attribute_[config_.numAttrs++];
    attribute.id = cudaLaunchAttributeAccessPolicyWindow;
    cudaAccessPolicyWindow &window = attribute.val.accessPolicyWindow;
    window.base_ptr = r->buffer[buffer];
    window.num_bytes = bytes;
    window.hitRatio = bytes > room ? (float)room / (float)bytes : 1.0f;
    window.hitProp = cudaAccessPropertyPersisting;
    window.missProp = cudaAccessPropertyStreaming;
}

int cuda_launching::go(const void *symbol, void **arguments)
{
    if (config_.dynamicSmemBytes > shared_unasked)
        if (cudaError_t code = cudaFuncSetAttribute(symbol, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                                    (int)config_.dynamicSmemBytes))
            return (int)code;
    return (int)cudaLaunchKernelExC(&config_, symbol, arguments);
}

int cuda_launch_copy_part(const run *r, int from, int to, uint64_t begin, uint64_t end, cudaStream_t stream)
{
    uint64_t each = kernel_element_bytes(r->kernel, from, r->dtype);
    return (int)cudaMemcpyAsync((char *)r->buffer[to] + begin * each, (char *)r->buffer[from] + begin * each,
                                (end - begin) * each, cudaMemcpyDefault, stream);
}

/* ---- textures ---- */

static struct {
    const void *at;
    uint64_t elements;
    dtype type;
    cudaTextureObject_t texture;
} bound;

int cuda_launch_texture(const run *r, cudaTextureObject_t *texture)
{
    if (bound.texture && bound.at == r->buffer[0] && bound.elements == r->elements[0] &&
        bound.type == r->dtype) {
        *texture = bound.texture;
        return 0;
    }
    if (bound.texture)
        cudaDestroyTextureObject(bound.texture);
    bound = {r->buffer[0], r->elements[0], r->dtype, 0};
    cudaResourceDesc resource = {};
    cudaTextureDesc description = {};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = r->buffer[0];
    resource.res.linear.desc =
        r->dtype == DTYPE_F32 ? cudaCreateChannelDesc<float>() : cudaCreateChannelDesc<int>();
    resource.res.linear.sizeInBytes = run_buffer_bytes(r, 0);
    description.readMode = cudaReadModeElementType;
    cudaError_t code = cudaCreateTextureObject(&bound.texture, &resource, &description, nullptr);
    if (code != cudaSuccess)
        bound.texture = 0;
    *texture = bound.texture;
    return (int)code;
}

/* ---- streams ---- */

/* Made once in a process: making a stream takes longer than most launches. */
static struct {
    cudaStream_t stream;
    cudaEvent_t done;
} side[STREAMS_MOST];
static cudaEvent_t forked;

static int sides_make(int count)
{
    cudaError_t code = cudaSuccess;
    if (!forked)
        code = cudaEventCreateWithFlags(&forked, cudaEventDisableTiming);
    for (int k = 0; k < count && code == cudaSuccess; k++) {
        if (!side[k].stream)
            code = cudaStreamCreateWithFlags(&side[k].stream, cudaStreamNonBlocking);
        if (code == cudaSuccess && !side[k].done)
            code = cudaEventCreateWithFlags(&side[k].done, cudaEventDisableTiming);
    }
    return (int)code;
}

int cuda_fork::begin(cudaStream_t from, int streams)
{
    if (int code = sides_make(streams))
        return code;
    if (cudaError_t code = cudaEventRecord(forked, from))
        return (int)code;
    for (; streams_ < streams; streams_++)
        if (cudaError_t code = cudaStreamWaitEvent(side[streams_].stream, forked, 0))
            return (int)code;
    return 0;
}

cudaStream_t cuda_fork::stream(int turn) const
{
    return side[turn % streams_].stream;
}

int cuda_fork::end(cudaStream_t to)
{
    int failed = 0;
    for (int k = 0; k < streams_;
         k++) { /* all of them, even when one fails: a capture must be joined completely */
        int code = (int)cudaEventRecord(side[k].done, side[k].stream);
        code = code ? code : (int)cudaStreamWaitEvent(to, side[k].done, 0);
        failed = failed ? failed : code;
    }
    return failed;
}

/* ---- the L2 ---- */

static uint64_t set_aside; /* bytes */

int cuda_launch_release_l2(void)
{
    return set_aside ? (int)cudaCtxResetPersistingL2Cache() : 0;
}

int cuda_launch_set_l2_aside(const run *r)
{
    int buffer = r->kernel->l2_persisting(&r->domain);
    uint64_t wanted = 0, most = attribute_of_device(cudaDevAttrMaxPersistingL2CacheSize);
    if (buffer >= 0 && !most)
        return (int)cudaErrorNotSupported;
    if (buffer >= 0)
        wanted = run_buffer_bytes(r, buffer) < most ? run_buffer_bytes(r, buffer) : most;
    if (wanted == set_aside)
        return 0;
    int code = cuda_launch_release_l2();
    code = code ? code : (int)cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, wanted);
    set_aside = code ? 0 : wanted;
    return code;
}
