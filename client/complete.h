/* `coalesce --complete WORD ...`: what the last of the words may become, one a line, a text behind a tab where there is
   one. The service is asked for kernels, parameters, recipes and ids; when it does not answer at once there are none. */
#ifndef COALESCED_CLIENT_COMPLETE_H
#define COALESCED_CLIENT_COMPLETE_H

/* words: those behind the program's name up to the cursor, the last one empty when a new one begins. Returns 0. */
int complete(int count, char **words);

#endif
