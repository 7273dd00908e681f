/* A directory for one test. */
#pragma once

enum { SCRATCH_BYTES = 256 };

/* Makes an empty one in TMPDIR or /tmp and writes its path; aborts when it cannot. */
void scratch_make(char path[SCRATCH_BYTES]);

/* Removes it with all that is in it. */
void scratch_remove(const char *path);
