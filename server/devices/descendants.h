/* Processes that a child left behind. Those that began a session of their own are not in its process group,
   so each child has a mark in its environment, which its descendants inherit. */
#pragma once

enum { DESCENDANTS_MARK_BYTES = 96 };

/* A new mark, "NAME=value", unique on this machine. Any thread. */
void descendants_mark(char mark[DESCENDANTS_MARK_BYTES]);

/* This process's environment with the mark in place of an inherited one, to be freed, its texts borrowed.
   NULL: no memory. */
char **descendants_environment(char *mark);

/* Kills every process that was started with that mark in its environment, and waits a moment for each.
   Processes that cleared their environment, or belong to another user, are not found. */
void descendants_kill(const char *mark);
