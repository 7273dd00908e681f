/* Pins the process to the cores and the memory of its GPU's NUMA node: from other nodes, a launch takes
   longer to enqueue and a copy is slower. */
#ifndef COALESCED_EXECUTOR_PINNING_H
#define COALESCED_EXECUTOR_PINNING_H

#include "kernels/facts.h"

/* Moves all threads of the process to those cores of the node of the device at facts->pci that the process
   may use, and makes that node's memory preferred for the calling thread and the threads that it starts.
   Fills in facts->numa_node and facts->cpus; they say that nothing is pinned where there is no node, or none
   of its cores may be used (which is logged). `sysfs`: "/sys". To be called before the context is created. */
void pinning_pin(const char *sysfs, struct device_facts *facts);

#endif
