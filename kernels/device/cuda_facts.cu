/* The facts of a GPU, and the meaning of the runtime's error codes. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda_architectures.h"
#include "kernels/device/architecture.h"
#include "kernels/device/cuda_device.h"
#include "kernels/live.h"
#include "kernels/facts.h"

/* The kind of an error, which the server acts upon: after all but the first two the context is unusable. */
static error_kind kind_of(cudaError_t code)
{
    switch (code) {
    case cudaErrorMemoryAllocation:
        return ERROR_OUT_OF_MEMORY;
    case cudaErrorInvalidConfiguration:
    case cudaErrorInvalidValue:
    case cudaErrorLaunchOutOfResources:
        return ERROR_INVALID;
    case cudaErrorNoDevice:
    case cudaErrorDevicesUnavailable:
    case cudaErrorECCUncorrectable:
    case cudaErrorHardwareStackError:
    case cudaErrorSystemNotReady:
        return ERROR_DEVICE_LOST;
    default:
        return ERROR_CUDA;
    }
}

int cuda_device_failed(cudaError_t code, const char *expression, const char *file, int line, error *error)
{
    cudaGetLastError(); /* otherwise the next call would report it again */
    error_set(error, kind_of(code), "%s: %s (%s)", expression, cudaGetErrorString(code),
              cudaGetErrorName(code));
    if (error && !error->where[0])
        snprintf(error->where, sizeof error->where, "%s:%d", file, line);
    return -1;
}

int cuda_device_context(void **context, error *error)
{
    void *function = nullptr;
    cudaDriverEntryPointQueryResult found;
#if CUDART_VERSION >= 12050
    CHECK(cudaGetDriverEntryPointByVersion("cuCtxGetCurrent", &function, 12000, cudaEnableDefault, &found));
#else
    CHECK(cudaGetDriverEntryPoint("cuCtxGetCurrent", &function, cudaEnableDefault, &found));
#endif
    if (found != cudaDriverEntryPointSuccess)
        return error_set(error, ERROR_CUDA, "the driver has no cuCtxGetCurrent");
    int code = ((int (*)(void **))function)(context); /* CUresult: 0 is success */
    return code ? error_set(error, ERROR_CUDA, "cuCtxGetCurrent: code %d of the driver", code) : 0;
}

int cuda_device_count(void)
{
    int count = 0;
    if (cudaGetDeviceCount(&count) != cudaSuccess) {
        cudaGetLastError();
        return 0;
    }
    return count;
}

static void describe_versions(device_facts *facts)
{
    int driver = 0, runtime = 0;
    cudaDriverGetVersion(&driver);
    cudaRuntimeGetVersion(&runtime);
    FILE *file = fopen("/proc/driver/nvidia/version", "re");
    char line[256] = "";
    /* "NVRM version: NVIDIA UNIX ... Module  580.95.05  Release ..." */
    if (file && fgets(line, sizeof line, file)) {
        for (char *at = strtok(line, " \t"); at && !facts->driver[0]; at = strtok(nullptr, " \t"))
            if (strspn(at, "0123456789.") == strlen(at) && strchr(at, '.'))
                snprintf(facts->driver, sizeof facts->driver, "%.24s", at);
    }
    if (file)
        fclose(file);
    size_t used = strlen(facts->driver);
    snprintf(facts->driver + used, sizeof facts->driver - used, "%sCUDA %d.%d", used ? ", " : "",
             driver / 1000, driver % 1000 / 10);
    snprintf(facts->runtime, sizeof facts->runtime, "CUDA %d.%d", runtime / 1000, runtime % 1000 / 10);
}

static int describe_mode(int index, device_facts *facts, error *error)
{
    int mode = 0;
    CHECK(cudaDeviceGetAttribute(&mode, cudaDevAttrComputeMode, index));
    const char *name = mode == cudaComputeModeDefault      ? "default"
                       : mode == cudaComputeModeProhibited ? "prohibited"
                                                           : "exclusive_process";
    snprintf(facts->compute_mode, sizeof facts->compute_mode, "%s", name);
    return 0;
}

/* cudaDeviceProp lost its clocks in CUDA 13; attributes have them in every version. */
static int describe_clocks(int index, device_facts *facts, error *error)
{
    int clock = 0, memory_clock = 0, bus = 0;
    CHECK(cudaDeviceGetAttribute(&clock, cudaDevAttrClockRate, index));
    CHECK(cudaDeviceGetAttribute(&memory_clock, cudaDevAttrMemoryClockRate, index));
    CHECK(cudaDeviceGetAttribute(&bus, cudaDevAttrGlobalMemoryBusWidth, index));
    facts->clock_khz = (uint32_t)clock;
    facts->memory_clock_khz = (uint32_t)memory_clock;
    facts->memory_bus_bits = (uint32_t)bus;
    facts->peak_gbps = facts_peak_bandwidth_gbps(facts->memory_clock_khz, facts->memory_bus_bits, 1);
    snprintf(facts->peak_source, sizeof facts->peak_source, "2 x memory clock x bus width");
    if (facts->peak_gbps <= 0)
        snprintf(facts->peak_source, sizeof facts->peak_source,
                 "the driver does not tell the memory's clock or bus width");
    return 0;
}

/* The runtime reports sixteen bytes, of a device or of a slice; only the name tells which. */
static void uuid_text(const cudaDeviceProp &p, char uuid[CUDA_UUID_SIZE])
{
    const unsigned char *u = (const unsigned char *)p.uuid.bytes;
    snprintf(uuid, CUDA_UUID_SIZE, "%s-%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x",
             strstr(p.name, " MIG ") ? "MIG" : "GPU", u[0], u[1], u[2], u[3], u[4], u[5], u[6], u[7], u[8],
             u[9], u[10], u[11], u[12], u[13], u[14], u[15]);
}

int cuda_device_uuid(int index, char uuid[CUDA_UUID_SIZE], error *error)
{
    cudaDeviceProp p;
    CHECK(cudaGetDeviceProperties(&p, index));
    uuid_text(p, uuid);
    return 0;
}

/* Asks the driver without making a context. */
static void describe_pci(int index, device_facts *facts)
{
    if (cudaDeviceGetPCIBusId(facts->pci, sizeof facts->pci, index) != cudaSuccess) {
        cudaGetLastError();
        facts->pci[0] = '\0';
    }
    for (char *at = facts->pci; *at; at++)
        *at = (char)tolower((unsigned char)*at); /* as sysfs writes it */
}

/* "NVIDIA H200 MIG 1g.18gb": a slice is named by its profile. */
static void describe_slice(device_facts *facts)
{
    const char *slice = strstr(facts->name, " MIG ");
    const char *visible = getenv("CUDA_VISIBLE_DEVICES");
    snprintf(facts->visible, sizeof facts->visible, "%s", visible ? visible : "");
    if (!slice)
        return;
    snprintf(facts->mig, sizeof facts->mig, "%.31s", slice + strlen(" MIG "));
    live *live = live_open(facts->uuid);
    live_parent(live, facts->mig_parent, sizeof facts->mig_parent);
    live_close(live);
}

int cuda_device_describe(int index, device_facts *facts, error *error)
{
    cudaDeviceProp p;
    *facts = {};
    facts->numa_node = FACTS_NO_NODE;
    CHECK(cudaGetDeviceProperties(&p, index));
    if (architecture_check(CUDA_ARCHITECTURES, p.major, p.minor, error) < 0)
        return -1;
    snprintf(facts->backend, sizeof facts->backend, "cuda");
    snprintf(facts->name, sizeof facts->name, "%.127s", p.name);
    uuid_text(p, facts->uuid);
    snprintf(facts->arch, sizeof facts->arch, "sm_%d%d", p.major, p.minor);
    describe_pci(index, facts);
    describe_slice(facts);
    describe_versions(facts);
    facts->multiprocessors = (uint32_t)p.multiProcessorCount;
    facts->warp_size = (uint32_t)p.warpSize;
    facts->max_threads_per_block = (uint32_t)p.maxThreadsPerBlock;
    facts->max_threads_per_multiprocessor = (uint32_t)p.maxThreadsPerMultiProcessor;
    for (int i = 0; i < 3; i++) {
        facts->max_block[i] = (uint32_t)p.maxThreadsDim[i];
        facts->max_grid[i] = (uint32_t)p.maxGridSize[i];
    }
    facts->registers_per_multiprocessor = (uint32_t)p.regsPerMultiprocessor;
    facts->registers_per_block = (uint32_t)p.regsPerBlock;
    facts->shared_bytes_per_multiprocessor = p.sharedMemPerMultiprocessor;
    facts->shared_bytes_per_block = p.sharedMemPerBlock;
    facts->shared_bytes_per_block_optin = p.sharedMemPerBlockOptin;
    facts->memory_bytes = p.totalGlobalMem;
    facts->l2_bytes = (uint64_t)p.l2CacheSize;
    return describe_clocks(index, facts, error) < 0 ? -1 : describe_mode(index, facts, error);
}
