/* The words of a command, with those that are put behind it. */
#ifndef COALESCED_SERVER_DEVICES_ARGV_H
#define COALESCED_SERVER_DEVICES_ARGV_H

/* A copy of both, each ended by NULL, texts too; `more` NULL: none. To be freed with argv_free(). NULL: no memory. */
const char **argv_join(const char *const *words, const char *const *more);

/* NULL is allowed. */
void argv_free(const char **argv);

#endif
