/* Finds CUPTI and its functions, and turns its errors into text. */
#ifdef COALESCED_HAVE_CUPTI
#include "kernels/device/counters_cupti.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include <string>

static const char *const remedy_library =
    "install the CUPTI of the CUDA toolkit, 12.6 or newer, or name its library in COALESCED_CUPTI_LIBRARY";
static const char *const remedy_permission =
    "run the service as root or with CAP_SYS_ADMIN (CAP_PERFMON from driver 565 on), or load the driver with "
    "NVreg_RestrictProfilingToAdminUsers=0";
static const char *const remedy_busy =
    "end the other profiler (Nsight, DCGM's profiling, another coalesced); with none, see to the permission: "
    "docs/operating.md, Counters";
static const char *const remedy_hardware = "none: this GPU does not let its counters be read as it is set up";
static const char *const remedy_other = "see docs/operating.md, Counters";

static const char *remedy_of(CUptiResult code)
{
    switch (code) {
    case CUPTI_ERROR_INSUFFICIENT_PRIVILEGES:
    case CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES:
        return remedy_permission;
    case CUPTI_ERROR_HARDWARE_BUSY:
    case CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED:
    case CUPTI_ERROR_OLD_PROFILER_API_INITIALIZED:
        return remedy_busy;
    case CUPTI_ERROR_NOT_SUPPORTED:
    case CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED:
    case CUPTI_ERROR_CONFIDENTIAL_COMPUTING_NOT_SUPPORTED:
    case CUPTI_ERROR_CMP_DEVICE_NOT_SUPPORTED:
    case CUPTI_ERROR_MIG_DEVICE_NOT_SUPPORTED:
    case CUPTI_ERROR_SLI_DEVICE_NOT_SUPPORTED:
    case CUPTI_ERROR_WSL_DEVICE_NOT_SUPPORTED:
        return remedy_hardware;
    default:
        return remedy_other;
    }
}

bool cupti_ok(const cupti &lib, CUptiResult code, const char *step, cupti_refusal *why)
{
    const char *text = nullptr;
    if (code == CUPTI_SUCCESS)
        return true;
    lib.cuptiGetResultString(code, &text);
    snprintf(why->reason, sizeof why->reason, "CUPTI refused %s: %s", step, text ? text : "no reason given");
    why->remedy = remedy_of(code);
    return false;
}

/* CUPTI opens its other libraries by bare names, which are found only in the loader's path: those in its own
   folder are opened here first, and stay open. */
static void open_siblings(void *function)
{
    Dl_info info;
    if (!dladdr(function, &info) || !info.dli_fname)
        return;
    std::string folder(info.dli_fname);
    folder.erase(folder.rfind('/') + 1);
    if (folder.empty())
        return;
    for (const char *name : {"libnvperf_host.so", "libnvperf_target.so"})
        dlopen((folder + name).c_str(), RTLD_LAZY | RTLD_LOCAL);
}

/* Opens the first library that can be opened; else returns the loader's message for the first. */
static void *open_library(std::string *said)
{
    static const char *const places[] = {
        "libcupti.so.13",
        "libcupti.so.12",
        "libcupti.so",
        "/usr/local/cuda/lib64/libcupti.so",
        "/usr/local/cuda/lib64/libcupti.so.13",
        "/usr/local/cuda/lib64/libcupti.so.12",
        "/usr/local/cuda/extras/CUPTI/lib64/libcupti.so",
    };
    const char *wanted = getenv("COALESCED_CUPTI_LIBRARY");
    void *library = nullptr;
    if (wanted && *wanted) {
        library = dlopen(wanted, RTLD_NOW | RTLD_LOCAL);
        if (!library)
            *said = dlerror();
        return library;
    }
    for (const char *place : places) {
        library = dlopen(place, RTLD_NOW | RTLD_LOCAL);
        if (library)
            break;
        const char *text = dlerror();
        if (said->empty())
            *said = text;
    }
    return library;
}

bool cupti_open(cupti *lib, cupti_refusal *why)
{
    std::string said;
    if (lib->library)
        return true;
    void *library = open_library(&said);
    if (!library) {
        snprintf(why->reason, sizeof why->reason, "CUPTI cannot be opened: %s", said.c_str());
        why->remedy = remedy_library;
        return false;
    }
#define X(name)                                                                                              \
    lib->name = (decltype(lib->name))dlsym(library, #name);                                                  \
    if (!lib->name) {                                                                                        \
        snprintf(why->reason, sizeof why->reason, "the CUPTI found here has no %s: it is too old", #name);   \
        why->remedy = remedy_library;                                                                        \
        return false;                                                                                        \
    }
    CUPTI_FUNCTIONS(X)
#undef X
    open_siblings((void *)lib->cuptiProfilerHostInitialize);
    lib->library = library;
    return true;
}
#endif
