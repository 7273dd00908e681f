/* The standard streams of a process. */
#ifndef COALESCED_BASE_STREAMS_H
#define COALESCED_BASE_STREAMS_H

/* Opens those of descriptors 0 to 2 that were closed, on /dev/null: they would go to the first files that
   are opened, and what is printed into those. Before anything else is opened. */
void streams_open_standard(void);

#endif
