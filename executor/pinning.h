/* The process on the cores and the memory of its GPU's NUMA node: from the others, enqueueing a launch takes longer and a
   copy is slower. */
#ifndef COALESCED_EXECUTOR_PINNING_H
#define COALESCED_EXECUTOR_PINNING_H

#include "kernels/facts.h"

/* Moves the process, all threads that it has, to the cores of the node of the device at facts->pci, as far as it is allowed
   to use them; prefers that node's memory for what the calling thread and the threads that it starts touch first. Fills in
   facts->numa_node and facts->cpus; where there is no node, or none of its cores is allowed, which is logged, they say that
   nothing is pinned. `sysfs`: "/sys". Before the context and what it allocates. */
void pinning_pin(const char *sysfs, struct device_facts *facts);

#endif
