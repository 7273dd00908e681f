/* Processes that a child left behind. Its process group does not hold those that began a session of their own, so each
   child gets a variable into its environment, which its descendants inherit. */
#ifndef COALESCED_SERVER_DEVICES_DESCENDANTS_H
#define COALESCED_SERVER_DEVICES_DESCENDANTS_H

enum { DESCENDANTS_MARK_BYTES = 96 };

/* A new mark, "NAME=value", unlike any other on this machine. Any thread. */
void descendants_mark(char mark[DESCENDANTS_MARK_BYTES]);

/* This process's environment with the mark in the place of any that it inherited, to be freed, its texts borrowed; NULL: no
   memory. */
char **descendants_environment(char *mark);

/* Kills every process with that mark in the environment that it was started with; waits a moment for each. Those that
   wiped their environment, or belong to another user, are not found. */
void descendants_kill(const char *mark);

#endif
