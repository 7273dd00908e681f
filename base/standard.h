/* Standard input, output and error. */
#ifndef COALESCED_BASE_STANDARD_H
#define COALESCED_BASE_STANDARD_H

/* Descriptors 0 to 2 that were closed would go to the first files that are opened, and what is printed into those: makes
   them /dev/null instead. Before anything is opened. */
void standard_open(void);

#endif
