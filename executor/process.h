/* What the executor asks of the kernel for its own process. It ends, should its server lose it: with its parent,
   first of all processes when memory is short, and at its own deadline. It runs on the cores and in the memory
   of its GPU's NUMA node: from other nodes, a launch takes longer to enqueue and a copy is slower. */
#pragma once

#include "kernels/facts.h"

/* Resets all signals, asks for SIGKILL when the parent's thread that started this process ends, and makes
   this process the first victim of the out-of-memory killer. Before any thread is started. */
void process_start(void);

/* Ends the process after so many seconds, whatever it does then; 0: no deadline. */
void process_deadline(double seconds);

/* Stops that clock. Returns the seconds that were left, for process_deadline(); 0: there was no deadline. */
double process_pause_deadline(void);

/* Moves all threads of the process to those cores of the node of the device at facts->pci that the process
   may use, and makes that node's memory preferred for the calling thread and the threads that it starts.
   Fills in facts->numa_node and facts->cpus; they say that nothing is pinned where there is no node, or none
   of its cores may be used (which is logged). `sysfs`: "/sys". Before the context is created. */
void process_pin(const char *sysfs, struct device_facts *facts);
