/* Opens the standard streams that a process was started without. */
#include "base/streams.h"

#include <fcntl.h>
#include <unistd.h>

void streams_open_standard(void)
{
    int fd;
    do
        fd = open("/dev/null", O_RDWR);
    while (fd >= 0 && fd <= STDERR_FILENO);
    if (fd >= 0)
        close(fd);
}
