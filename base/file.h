/* Small files that are read whole, and again when they change; the standard streams. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

#include "base/error.h"

/* Is the file another one than *seen says, or gone (*there)? *seen is then as it is now. Look at it before
   it is read, so that a change in between is seen the next time. All zero: it was never seen. */
bool file_changed(const char *path, struct stat *seen, bool *there);

/* The whole text, to be freed. `what` it is, for what is said: "file of tokens". -1: ERROR_INVALID when it
   is no regular file (a pipe is not waited for), when others than its owner and group have one of these
   rights (S_IROTH, S_IWOTH), when it holds a NUL or has `most` bytes or more; ERROR_SYSTEM; ERROR_MEMORY. */
int file_read(char **text, const char *path, const char *what, mode_t refused, size_t most,
              struct error *error);

/* Opens those of descriptors 0 to 2 that were closed, on /dev/null: they would go to the first files that
   are opened, and what is printed into those. Before anything else is opened. */
void file_open_standard(void);
