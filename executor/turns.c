#include "executor/turns.h"

#include <errno.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/error.h"
#include "base/log.h"
#include "executor/device_lock.h"

/* True: it had to wait, or is to be waited for. */
static bool is_taken(int fd)
{
    return flock(fd, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK;
}

static void take(struct turns *turns, enum turn turn, const char *name, bool *told)
{
    struct error error = {0};
    char path[PATH_MAX];
    if (!turns->directory || turns->held[turn])
        return;
    int fd = device_lock_open(turns->directory, name, turn == TURN_HOST_LINK ? "" : ".run", path, &error);
    if (fd < 0) {
        log_warning("executor: %s: no turn is waited for", error.text);
        return;
    }
    if (is_taken(fd)) {
        if (turns->waits && !*told)
            turns->waits(turns->arg);
        *told = true;
        while (flock(fd, LOCK_EX) < 0 && errno == EINTR)
            ;
    }
    turns->held[turn] = fd;
}

void turns_take(struct turns *turns, const char *peer, bool host_link)
{
    bool told = false;
    bool peer_first = peer[0] && strcmp(peer, turns->uuid) < 0;
    if (peer_first)
        take(turns, TURN_PEER, peer, &told);
    take(turns, TURN_DEVICE, turns->uuid, &told);
    if (peer[0] && !peer_first && strcmp(peer, turns->uuid) != 0)
        take(turns, TURN_PEER, peer, &told);
    if (host_link)
        take(turns, TURN_HOST_LINK, "host-link", &told);
}

void turns_take_host_link(struct turns *turns)
{
    bool told = false;
    take(turns, TURN_HOST_LINK, "host-link", &told);
}

void turns_give(struct turns *turns)
{
    for (int i = TURNS - 1; i >= 0; i--) {
        if (turns->held[i])
            close(turns->held[i]); /* and with it the lock */
        turns->held[i] = 0;
    }
}
