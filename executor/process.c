/* Signals, timers, the out-of-memory score and cores of this process: process.h. */
#include "executor/process.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include "api/protocol.h" /* exit statuses */
#include "base/log.h"

/* MPOL_PREFERRED of <linux/mempolicy.h>; libnuma would be a library for this constant alone. */
enum { POLICY_PREFERRED = 1, NODES_MOST = 1024 };

/* ---- how it ends ---- */

/* Of ssh or srun the server can end the local process alone; this ends the executor behind it. */
static void on_deadline(int number)
{
    static const char text[] = "executor: past its own deadline, ending itself\n";
    (void)number;
    ssize_t written = write(STDERR_FILENO, text, sizeof text - 1);
    (void)written;
    _exit(EXECUTOR_DEADLINE);
}

static void reset_signals(void)
{
    struct sigaction action = {.sa_handler = SIG_DFL};
    sigset_t none;
    for (int number = 1; number < NSIG; number++)
        sigaction(number, &action, NULL); /* fails for SIGKILL and SIGSTOP */
    action.sa_handler = SIG_IGN;          /* a closed pipe is seen by write() */
    sigaction(SIGPIPE, &action, NULL);
    action.sa_handler = on_deadline;
    sigaction(SIGALRM, &action, NULL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

void process_start(void)
{
    pid_t parent = getppid();
    reset_signals();
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    /* A parent that died before prctl() sends no signal. */
    if (getppid() != parent)
        _exit(EXECUTOR_OK);
    /* A machine short of memory loses an experiment, not the service. */
    FILE *score = fopen("/proc/self/oom_score_adj", "we");
    if (score) {
        fputs("900", score);
        fclose(score);
    }
}

void process_deadline(double seconds)
{
    double whole;
    double fraction = modf(seconds, &whole);
    struct itimerval timer = {
        .it_value = {.tv_sec = (time_t)whole, .tv_usec = (suseconds_t)(fraction * 1e6)},
    };
    setitimer(ITIMER_REAL, &timer, NULL);
}

double process_pause_deadline(void)
{
    struct itimerval left = {0}, none = {0};
    setitimer(ITIMER_REAL, &none, &left);
    return (double)left.it_value.tv_sec + (double)left.it_value.tv_usec / 1e6;
}

/* ---- where it runs ---- */

/* The first line of a file in the device's directory of sysfs. */
static bool read_line(const char *sysfs, const char *pci, const char *name, char *line, int size)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/bus/pci/devices/%s/%s", sysfs, pci, name);
    FILE *file = fopen(path, "re");
    bool read = file && fgets(line, size, file);
    if (file)
        fclose(file);
    return read;
}

/* "0-3,8,10-11" */
static void cpus_parse(const char *list, cpu_set_t *set)
{
    CPU_ZERO(set);
    for (char *end; *list; list = *end == ',' ? end + 1 : "") {
        long first = strtol(list, &end, 10), last = first;
        if (end == list)
            return;
        if (*end == '-')
            last = strtol(end + 1, &end, 10);
        for (long cpu = first; cpu >= 0 && cpu <= last && cpu < CPU_SETSIZE; cpu++)
            CPU_SET((size_t)cpu, set);
    }
}

/* Whole ranges only, as many as fit. */
static void cpus_format(const cpu_set_t *set, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (size_t first = 0, next; first < CPU_SETSIZE; first = next + 1) {
        for (next = first; next < CPU_SETSIZE && CPU_ISSET(next, set); next++)
            ;
        char range[32];
        const char *comma = used ? "," : "";
        int length = next - first < 2 ? snprintf(range, sizeof range, "%s%zu", comma, first)
                                      : snprintf(range, sizeof range, "%s%zu-%zu", comma, first, next - 1);
        if (next == first)
            continue;
        if (used + (size_t)length >= size)
            return;
        memcpy(text + used, range, (size_t)length + 1);
        used += (size_t)length;
    }
}

/* All threads, because the driver may have started some. A thread that has ended is no error. */
static bool threads_move(const cpu_set_t *set)
{
    DIR *tasks = opendir("/proc/self/task");
    if (!tasks)
        return sched_setaffinity(0, sizeof *set, set) == 0;
    bool moved = true;
    for (struct dirent *task; (task = readdir(tasks));)
        if (task->d_name[0] != '.')
            moved &= sched_setaffinity((pid_t)atoi(task->d_name), sizeof *set, set) == 0 || errno == ESRCH;
    closedir(tasks);
    return moved;
}

/* Where this is refused, memory still comes from the node of the core that touches it first. */
static void memory_prefer(int node)
{
    unsigned long nodes[NODES_MOST / (8 * sizeof(unsigned long))] = {0};
    size_t bits = 8 * sizeof *nodes;
    if (node >= NODES_MOST)
        return;
    nodes[(size_t)node / bits] = 1ul << (size_t)node % bits;
    syscall(SYS_set_mempolicy, POLICY_PREFERRED, nodes, (unsigned long)NODES_MOST);
}

void process_pin(const char *sysfs, struct device_facts *facts)
{
    char line[1024];
    cpu_set_t local, allowed;
    facts->numa_node = FACTS_NO_NODE;
    facts->cpus[0] = '\0';
    if (!facts->pci[0] || !read_line(sysfs, facts->pci, "numa_node", line, sizeof line))
        return;
    int node = atoi(line);
    if (node < 0 || !read_line(sysfs, facts->pci, "local_cpulist", line, sizeof line))
        return;
    cpus_parse(line, &local);
    if (sched_getaffinity(0, sizeof allowed, &allowed) < 0)
        return;
    CPU_AND(&local, &local, &allowed);
    if (!CPU_COUNT(&local)) {
        log_warning("executor: not pinned: this process may use none of the cores of NUMA node %d", node);
        return;
    }
    if (!threads_move(&local)) {
        log_warning("executor: not pinned to NUMA node %d: %s", node, strerror(errno));
        threads_move(&allowed);
        return;
    }
    memory_prefer(node);
    facts->numa_node = node;
    cpus_format(&local, facts->cpus, sizeof facts->cpus);
}
