/* Sends the datagram that systemd waits for. */
#include "base/notify.h"

#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/log.h"

/* The length of the address; 0: there is none, or it has a form that is not known. A name that begins with
   "@" is one of the abstract namespace. */
static socklen_t address_of(const char *name, struct sockaddr_un *address)
{
    size_t length = name ? strlen(name) : 0;
    if (length < 2 || length >= sizeof address->sun_path || (name[0] != '/' && name[0] != '@'))
        return 0;
    *address = (struct sockaddr_un){.sun_family = AF_UNIX};
    memcpy(address->sun_path, name, length);
    if (name[0] == '@')
        address->sun_path[0] = '\0';
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length);
}

void notify(const char *format, ...)
{
    struct sockaddr_un address;
    socklen_t length = address_of(getenv("NOTIFY_SOCKET"), &address);
    char text[1024];
    if (!length)
        return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0 || sendto(fd, text, strlen(text), MSG_NOSIGNAL, (struct sockaddr *)&address, length) < 0)
        log_debug("cannot write to $NOTIFY_SOCKET: %s", strerror(errno));
    if (fd >= 0)
        close(fd);
}
