/* A libnvidia-ml.so.1 without a driver. It does what the file named by $FAKE_NVML says, read anew at each call,
   a line a call's name with the answers of its first, second ... time since init; the last one stays:

     sm_clock 1980 1980 1755       values in the unit of the call
     power !4                      the code of NVML that is returned instead
     throttle 0 0x4                a number's base is told as in C
     slice !3                      what a MIG slice answers when it is asked for its temperature
     processes self,4242 -         process ids; "self" is the caller, "-" nobody, "x70" seventy of them

   A name that is not in the file answers with 0. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { SUCCESS = 0, INSUFFICIENT_SIZE = 7, CALLS = 16 };

/* How often each was called since init. */
static struct {
    const char *name;
    int count;
} calls[CALLS];

static int times(const char *name)
{
    int i = 0;
    while (i < CALLS - 1 && calls[i].name && strcmp(calls[i].name, name) != 0)
        i++;
    calls[i].name = name;
    return calls[i].count++;
}

/* The word that answers now; empty: none. */
static void word_now(const char *name, char word[128])
{
    const char *path = getenv("FAKE_NVML");
    FILE *file = path ? fopen(path, "re") : NULL;
    char line[512];
    int time = times(name);
    word[0] = '\0';
    while (file && fgets(line, sizeof line, file)) {
        char *save, *at = strtok_r(line, " \n", &save);
        if (!at || strcmp(at, name) != 0)
            continue;
        for (int i = 0; i <= time && (at = strtok_r(NULL, " \n", &save)); i++)
            snprintf(word, 128, "%s", at);
    }
    if (file)
        fclose(file);
}

static int answer(const char *name, unsigned long long *value)
{
    char word[128];
    word_now(name, word);
    *value = word[0] == '!' ? 0 : strtoull(word, NULL, 0);
    return word[0] == '!' ? atoi(word + 1) : SUCCESS;
}

static int answer_small(const char *name, unsigned *value)
{
    unsigned long long wide;
    int code = answer(name, &wide);
    *value = (unsigned)wide;
    return code;
}

int nvmlInit_v2(void);
int nvmlInit_v2(void)
{
    unsigned ignored;
    memset(calls, 0, sizeof calls);
    return answer_small("init", &ignored);
}

int nvmlShutdown(void);
int nvmlShutdown(void)
{
    return SUCCESS;
}

const char *nvmlErrorString(int code);
const char *nvmlErrorString(int code)
{
    switch (code) {
    case 3:
        return "Not Supported";
    case 4:
        return "Insufficient Permissions";
    case 6:
        return "Not Found";
    case 9:
        return "Driver Not Loaded";
    case 13:
        return "Function Not Found";
    case 15:
        return "GPU is lost";
    default:
        return "Unknown Error";
    }
}

int nvmlDeviceGetHandleByUUID(const char *uuid, void **device);
int nvmlDeviceGetHandleByUUID(const char *uuid, void **device)
{
    unsigned ignored;
    *device = (void *)uuid;
    return answer_small("handle", &ignored);
}

static const char parent[] = "GPU-00000000-0000-0000-0000-00000000000f";

int nvmlDeviceGetDeviceHandleFromMigDeviceHandle(void *slice, void **device);
int nvmlDeviceGetDeviceHandleFromMigDeviceHandle(void *slice, void **device)
{
    unsigned ignored;
    (void)slice;
    *device = (void *)parent;
    return answer_small("parent", &ignored);
}

int nvmlDeviceGetUUID(void *device, char *uuid, unsigned size);
int nvmlDeviceGetUUID(void *device, char *uuid, unsigned size)
{
    snprintf(uuid, size, "%s", (const char *)device);
    return SUCCESS;
}

/* Handles are uuids. */
static int slice_answers(const void *device)
{
    unsigned ignored;
    return strncmp(device, "MIG-", 4) == 0 ? answer_small("slice", &ignored) : SUCCESS;
}

int nvmlDeviceGetTemperature(void *device, int sensor, unsigned *celsius);
int nvmlDeviceGetTemperature(void *device, int sensor, unsigned *celsius)
{
    int code = slice_answers(device);
    return code ? code : sensor ? 2 : answer_small("temperature", celsius);
}

int nvmlDeviceGetPowerUsage(void *device, unsigned *milliwatt);
int nvmlDeviceGetPowerUsage(void *device, unsigned *milliwatt)
{
    (void)device;
    return answer_small("power", milliwatt);
}

int nvmlDeviceGetClockInfo(void *device, int clock, unsigned *mhz);
int nvmlDeviceGetClockInfo(void *device, int clock, unsigned *mhz)
{
    (void)device;
    return answer_small(clock == 1 ? "sm_clock" : clock == 2 ? "memory_clock" : "?", mhz);
}

int nvmlDeviceGetMaxClockInfo(void *device, int clock, unsigned *mhz);
int nvmlDeviceGetMaxClockInfo(void *device, int clock, unsigned *mhz)
{
    (void)device;
    return answer_small(clock == 1 ? "sm_clock_max" : clock == 2 ? "memory_clock_max" : "?", mhz);
}

/* `hang` seconds pass first: a driver in trouble. */
int nvmlDeviceGetMemoryInfo(void *device, unsigned long long memory[3]);
int nvmlDeviceGetMemoryInfo(void *device, unsigned long long memory[3])
{
    unsigned long long seconds;
    (void)device;
    answer("hang", &seconds);
    nanosleep(&(struct timespec){.tv_sec = (time_t)seconds}, NULL);
    memory[0] = 80ull << 30;
    int code = answer("memory", &memory[2]);
    memory[1] = memory[0] - memory[2];
    return code;
}

int nvmlDeviceGetUtilizationRates(void *device, unsigned percent[2]);
int nvmlDeviceGetUtilizationRates(void *device, unsigned percent[2])
{
    (void)device;
    percent[1] = 0;
    return answer_small("utilisation", &percent[0]);
}

/* This one and the list of processes have the name that is asked for second. */
int nvmlDeviceGetCurrentClocksThrottleReasons(void *device, unsigned long long *bits);
int nvmlDeviceGetCurrentClocksThrottleReasons(void *device, unsigned long long *bits)
{
    (void)device;
    return answer("throttle", bits);
}

struct process {
    unsigned pid;
    unsigned long long used;
    unsigned gpu_instance, compute_instance;
};

int nvmlDeviceGetComputeRunningProcesses_v3(void *device, unsigned *count, struct process *list);
int nvmlDeviceGetComputeRunningProcesses_v3(void *device, unsigned *count, struct process *list)
{
    unsigned room = *count;
    char word[128], *save;
    (void)device;
    word_now("processes", word);
    *count = 0;
    if (word[0] == '!')
        return atoi(word + 1);
    if (strcmp(word, "-") == 0)
        return SUCCESS;
    for (char *at = strtok_r(word, ",", &save); at; at = strtok_r(NULL, ",", &save), ++*count)
        if (*count < room)
            list[*count] = (struct process){.pid = strcmp(at, "self") == 0 ? (unsigned)getpid()
                                                                           : (unsigned)strtoul(at, NULL, 10)};
    /* "x70": so many of them */
    if (word[0] == 'x')
        *count = (unsigned)strtoul(word + 1, NULL, 10);
    return *count > room ? INSUFFICIENT_SIZE : SUCCESS;
}
