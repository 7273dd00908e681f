/* Where an executor moves to, by a sysfs that is made up. Each case in a process of its own: what is
   pinned stays so. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "executor/process.h"
#include "tests/unit/support/scratch.h"

static const char pci[] = "0000:1a:00.0";

static void make_device(const char *directory, const char *node, const char *cpus)
{
    char command[SCRATCH_BYTES * 4 + 200];
    snprintf(command, sizeof command,
             "rm -rf %1$s/bus; mkdir -p %1$s/bus/pci/devices/%2$s && cd %1$s/bus/pci/devices/%2$s && "
             "echo '%3$s' > numa_node && echo '%4$s' > local_cpulist",
             directory, pci, node, cpus);
    assert_int_equal(system(command), 0);
}

/* Exit status 0: it is as said. */
static bool as_said_in_child(const char *sysfs, const char *at, int node, const char *cpus, int count)
{
    int status;
    pid_t child = fork();
    if (child == 0) {
        struct device_facts facts = {0};
        cpu_set_t set;
        snprintf(facts.pci, sizeof facts.pci, "%s", at);
        process_pin(sysfs, &facts);
        sched_getaffinity(0, sizeof set, &set);
        bool right = facts.numa_node == node && strcmp(facts.cpus, cpus) == 0 && CPU_COUNT(&set) == count;
        if (!right)
            fprintf(stderr, "node %d, cpus \"%s\", %d in use\n", facts.numa_node, facts.cpus,
                    CPU_COUNT(&set));
        _exit(!right);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static void it_is_where_its_gpu_is_as_far_as_it_may(void **state)
{
    char directory[SCRATCH_BYTES], first[16], list[64];
    cpu_set_t before;
    int one = 0;
    (void)state;
    assert_int_equal(sched_getaffinity(0, sizeof before, &before), 0);
    while (!CPU_ISSET((size_t)one, &before))
        one++;
    int all = CPU_COUNT(&before);
    snprintf(first, sizeof first, "%d", one);
    snprintf(list, sizeof list, "%d,1000-1022", one); /* more than this process may use */
    const struct {
        const char *pci, *node, *cpus, *pinned;
        int on, count;
    } cases[] = {
        {pci, "0", first, first, 0, 1},
        {pci, "1", list, first, 1, 1},
        {pci, "-1", first, "", FACTS_NO_NODE, all},      /* a machine of one node */
        {pci, "1", "1000-1022", "", FACTS_NO_NODE, all}, /* a cpuset that excludes the node */
        {pci, "1", "", "", FACTS_NO_NODE, all},          /* a node of memory alone */
        {pci, "rubbish", "rubbish", "", FACTS_NO_NODE, all},
        {"0000:ff:00.0", "0", first, "", FACTS_NO_NODE, all}, /* not in this sysfs */
        {"", "0", first, "", FACTS_NO_NODE, all},             /* no PCI device */
    };
    scratch_make(directory);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        make_device(directory, cases[i].node, cases[i].cpus);
        if (!as_said_in_child(directory, cases[i].pci, cases[i].on, cases[i].pinned, cases[i].count))
            fail_msg("case %zu", i);
    }
    scratch_remove(directory);
    assert_true(as_said_in_child("/nonexistent", pci, FACTS_NO_NODE, "", all));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(it_is_where_its_gpu_is_as_far_as_it_may)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
