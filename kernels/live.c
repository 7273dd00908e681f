/* Readings by NVML, and of the CPU by /proc. */
#include "kernels/live.h"

#include <ctype.h>
#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/clock.h"

/* ---- the few entries of NVML that are used; its header is not needed to build ---- */

typedef struct nvml_device *nvml_device;

enum { NVML_SUCCESS = 0, NVML_INSUFFICIENT_SIZE = 7, NVML_FUNCTION_NOT_FOUND = 13 };
enum { NVML_CLOCK_SM = 1, NVML_CLOCK_MEMORY = 2 };
enum { NVML_TEMPERATURE_GPU = 0 };
enum { PROCESSES_MAX = 64 };

struct nvml_memory {
    unsigned long long total, available, used;
};

struct nvml_utilisation {
    unsigned gpu, memory;
};

/* An entry of versions 2 and 3 of the call. The first drivers 535 write 32 bytes an entry with version 3:
   so version 2 is called first, and the array has space for the larger entries, of which only the number
   is right. */
struct nvml_process {
    unsigned pid;
    unsigned long long used_bytes;
    unsigned gpu_instance, compute_instance;
};

struct nvml {
    int (*init)(void);
    int (*shutdown)(void);
    const char *(*error_string)(int code);
    int (*by_uuid)(const char *uuid, nvml_device *device);
    int (*temperature)(nvml_device device, int sensor, unsigned *celsius);
    int (*power)(nvml_device device, unsigned *milliwatt);
    int (*clock)(nvml_device device, int clock, unsigned *mhz);
    int (*clock_max)(nvml_device device, int clock, unsigned *mhz);
    int (*memory)(nvml_device device, struct nvml_memory *memory);
    int (*utilisation)(nvml_device device, struct nvml_utilisation *utilisation);
    int (*throttle)(nvml_device device, unsigned long long *bits);
    int (*processes)(nvml_device device, unsigned *count, struct nvml_process *processes);
    int (*parent)(nvml_device slice, nvml_device *device);
    int (*uuid)(nvml_device device, char *uuid, unsigned size);
};

/* Where each quantity comes from; the second name is that of older or newer drivers. */
static const struct symbol {
    size_t at;
    const char *name, *other;
    bool needed;
} symbols[] = {
#define AT(member) offsetof(struct nvml, member)
    {AT(init), "nvmlInit_v2", NULL, true},
    {AT(shutdown), "nvmlShutdown", NULL, true},
    {AT(error_string), "nvmlErrorString", NULL, true},
    {AT(by_uuid), "nvmlDeviceGetHandleByUUID", NULL, true},
    {AT(temperature), "nvmlDeviceGetTemperature", NULL, false},
    {AT(power), "nvmlDeviceGetPowerUsage", NULL, false},
    {AT(clock), "nvmlDeviceGetClockInfo", NULL, false},
    {AT(clock_max), "nvmlDeviceGetMaxClockInfo", NULL, false},
    {AT(memory), "nvmlDeviceGetMemoryInfo", NULL, false},
    {AT(utilisation), "nvmlDeviceGetUtilizationRates", NULL, false},
    {AT(throttle), "nvmlDeviceGetCurrentClocksEventReasons", "nvmlDeviceGetCurrentClocksThrottleReasons",
     false},
    {AT(processes), "nvmlDeviceGetComputeRunningProcesses_v2", "nvmlDeviceGetComputeRunningProcesses_v3",
     false},
    {AT(parent), "nvmlDeviceGetDeviceHandleFromMigDeviceHandle", NULL, false},
    {AT(uuid), "nvmlDeviceGetUUID", NULL, false},
#undef AT
};

struct live {
    void *library;
    bool begun; /* NVML's init succeeded */
    struct nvml nvml;
    nvml_device device;
    nvml_device parent; /* of a MIG slice; NULL: no slice, or NVML does not report it */
    bool cpu;
    char reason[168]; /* why NVML cannot be asked; empty: it can */
};

/* ---- opening ---- */

static void refuse(struct live *live, const char *what, const char *why)
{
    snprintf(live->reason, sizeof live->reason, "%.40s: %.110s", what, why);
}

static bool is_slice(const char *uuid)
{
    return strncmp(uuid, "MIG-", 4) == 0;
}

static void open_nvml(struct live *live, const char *uuid)
{
    const char *name = getenv("COALESCED_NVML_LIBRARY");
    live->library = dlopen(name && name[0] ? name : "libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!live->library) {
        const char *why = dlerror();
        refuse(live, "NVML cannot be opened", why ? why : "no reason was given");
        return;
    }
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
        void *symbol = dlsym(live->library, symbols[i].name);
        if (!symbol && symbols[i].other)
            symbol = dlsym(live->library, symbols[i].other);
        memcpy((char *)&live->nvml + symbols[i].at, &symbol, sizeof symbol);
        if (!symbol && symbols[i].needed) {
            refuse(live, "this NVML lacks", symbols[i].name);
            return;
        }
    }
    int code = live->nvml.init();
    live->begun = code == NVML_SUCCESS;
    if (!live->begun)
        refuse(live, "NVML does not start", live->nvml.error_string(code));
    else if ((code = live->nvml.by_uuid(uuid, &live->device)) != NVML_SUCCESS)
        refuse(live, "NVML does not find the device", live->nvml.error_string(code));
    else if (is_slice(uuid) &&
             (!live->nvml.parent || live->nvml.parent(live->device, &live->parent) != NVML_SUCCESS))
        live->parent = NULL;
}

void live_parent(const struct live *live, char *uuid, unsigned size)
{
    if (!live || !live->parent || !live->nvml.uuid ||
        live->nvml.uuid(live->parent, uuid, size) != NVML_SUCCESS)
        uuid[0] = '\0';
}

void live_cpu_uuid(char *uuid, int size)
{
    struct utsname system = {0};
    uname(&system);
    snprintf(uuid, (size_t)size, "CPU-%.50s", system.nodename);
    for (char *at = uuid; *at; at++)
        if (!isalnum((unsigned char)*at))
            *at = '-';
}

struct live *live_open(const char *uuid)
{
    char here[64];
    struct live *live = calloc(1, sizeof *live);
    if (!live)
        return NULL;
    live_cpu_uuid(here, sizeof here);
    live->cpu = strcmp(uuid, here) == 0;
    if (strncmp(uuid, "GPU-", 4) == 0 || is_slice(uuid))
        open_nvml(live, uuid);
    else if (!live->cpu)
        refuse(live, "nothing here tells about the device", uuid);
    return live;
}

void live_close(struct live *live)
{
    if (!live)
        return;
    if (live->begun)
        live->nvml.shutdown();
    if (live->library)
        dlclose(live->library);
    free(live);
}

/* ---- reading a GPU ---- */

#define CALL(live, entry, ...)                                                                               \
    ((live)->nvml.entry ? (live)->nvml.entry((live)->device, __VA_ARGS__) : NVML_FUNCTION_NOT_FOUND)

/* A call that returns one number, of a sensor or a clock. */
static int ask_kind(const struct live *live, int (*call)(nvml_device, int, unsigned *), int kind,
                    double *value)
{
    unsigned number = 0;
    int code = call ? call(live->device, kind, &number) : NVML_FUNCTION_NOT_FOUND;
    *value = number;
    return code;
}

/* Asks for one quantity, in its unit. Returns NVML's code. */
static int ask(const struct live *live, enum live_quantity quantity, double *value)
{
    struct nvml_memory memory = {0};
    struct nvml_utilisation utilisation = {0};
    unsigned milliwatt = 0;
    unsigned long long bits = 0;
    int code = NVML_FUNCTION_NOT_FOUND;
    switch (quantity) {
    case LIVE_TEMPERATURE:
        return ask_kind(live, live->nvml.temperature, NVML_TEMPERATURE_GPU, value);
    case LIVE_SM_CLOCK:
        return ask_kind(live, live->nvml.clock, NVML_CLOCK_SM, value);
    case LIVE_MEMORY_CLOCK:
        return ask_kind(live, live->nvml.clock, NVML_CLOCK_MEMORY, value);
    case LIVE_SM_CLOCK_MAX:
        return ask_kind(live, live->nvml.clock_max, NVML_CLOCK_SM, value);
    case LIVE_MEMORY_CLOCK_MAX:
        return ask_kind(live, live->nvml.clock_max, NVML_CLOCK_MEMORY, value);
    case LIVE_POWER:
        code = CALL(live, power, &milliwatt);
        *value = milliwatt / 1e3;
        return code;
    case LIVE_MEMORY_USED:
        code = CALL(live, memory, &memory);
        *value = (double)memory.used;
        return code;
    case LIVE_UTILISATION:
        code = CALL(live, utilisation, &utilisation);
        *value = utilisation.gpu;
        return code;
    case LIVE_THROTTLE:
        code = CALL(live, throttle, &bits);
        *value = (double)bits;
        return code;
    default:
        return code;
    }
}

static void set_reason(struct live_value *value, const char *reason)
{
    snprintf(value->reason, sizeof value->reason, "%.86s", reason);
}

static void read_others(const struct live *live, struct live_own own, struct live_value *value)
{
    struct nvml_process processes[2 * PROCESSES_MAX];
    unsigned count = PROCESSES_MAX, ours = (own.pid[0] != 0) + (own.pid[1] != 0), found = 0;
    int code = CALL(live, processes, &count, processes);
    if (code != NVML_SUCCESS && code != NVML_INSUFFICIENT_SIZE) {
        set_reason(value, live->nvml.error_string(code));
        return;
    }
    if (ours && !count) {
        set_reason(value, "the driver lists no process here, not even this service's own");
        return;
    }
    /* When the list is too long, NVML reports its length alone. */
    for (unsigned i = 0; i < count && code == NVML_SUCCESS; i++)
        for (int k = 0; k < 2; k++)
            found += own.pid[k] && processes[i].pid == (uint64_t)own.pid[k];
    if (!found)
        found = ours < count
                    ? ours
                    : count; /* the own processes are in the list under the numbers of another namespace */
    *value = (struct live_value){.known = true, .value = count - found};
}

static void read_gpu(const struct live *live, unsigned wanted, struct live_own own,
                     struct live_reading *reading)
{
    for (enum live_quantity q = 0; q < LIVE_OTHERS; q++) {
        struct live_value *value = &reading->of[q];
        if (!(wanted & LIVE_BIT(q)))
            continue;
        int code = ask(live, q, &value->value);
        if (code != NVML_SUCCESS && live->parent) {
            const struct live parent = {.nvml = live->nvml, .device = live->parent};
            value->of_parent = ask(&parent, q, &value->value) == NVML_SUCCESS;
        }
        value->known = code == NVML_SUCCESS || value->of_parent;
        if (!value->known)
            set_reason(value, live->nvml.error_string(code));
    }
    if (wanted & LIVE_BIT(LIVE_OTHERS))
        read_others(live, own, &reading->of[LIVE_OTHERS]);
}

/* ---- reading the CPU ---- */

/* The machine's memory that a new program could not get. */
static bool memory_used(double *bytes)
{
    FILE *file = fopen("/proc/meminfo", "re");
    char line[128];
    double total = -1, available = -1;
    while (file && fgets(line, sizeof line, file)) {
        sscanf(line, "MemTotal: %lf", &total);
        sscanf(line, "MemAvailable: %lf", &available);
    }
    if (file)
        fclose(file);
    *bytes = (total - available) * 1024;
    return total >= 0 && available >= 0;
}

static void read_cpu(unsigned wanted, struct live_reading *reading)
{
    for (int q = 0; q < LIVE_QUANTITIES; q++)
        if (wanted & LIVE_BIT(q))
            set_reason(&reading->of[q], "not read for a CPU");
    struct live_value used = {.known = true};
    if (wanted & LIVE_BIT(LIVE_MEMORY_USED) && memory_used(&used.value))
        reading->of[LIVE_MEMORY_USED] = used;
}

/* ---- either ---- */

void live_read(struct live *live, unsigned wanted, struct live_own own, struct live_reading *reading)
{
    *reading = (struct live_reading){.at_ns = clock_monotonic_ns()};
    if (!live || live->reason[0]) {
        snprintf(reading->reason, sizeof reading->reason, "%s",
                 live ? live->reason : "no memory to ask with");
        return;
    }
    reading->measured = true;
    if (live->cpu)
        read_cpu(wanted, reading);
    else
        read_gpu(live, wanted, own, reading);
    reading->took_us = (double)(clock_monotonic_ns() - reading->at_ns) / 1e3;
}

bool live_known(const struct live_reading *reading)
{
    for (int q = 0; q < LIVE_QUANTITIES; q++)
        if (reading->of[q].known)
            return true;
    return false;
}

const char *live_reason(const struct live_reading *reading)
{
    const char *reason = reading->reason;
    for (int q = 0; q < LIVE_QUANTITIES && !reason[0]; q++)
        reason = reading->of[q].reason;
    return reason[0] ? reason : "it was not read";
}

const char *live_throttle_name(int bit)
{
    static const char *const names[] = {
        "idle",       "application_clocks", "sw_power_cap",   "hw_slowdown",    "sync_boost",
        "sw_thermal", "hw_thermal",         "hw_power_brake", "display_clocks",
    };
    return bit >= 0 && bit < (int)(sizeof names / sizeof *names) ? names[bit] : NULL;
}
