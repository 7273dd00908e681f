/* Opens and closes the peer, and sets the access to it. */
#include "kernels/device/cuda_peer.h"

#include <string.h>

#include "kernels/device/cuda_device.h"
#include "kernels/device/kernel_entry.h"

int cuda_peer_index(const char *uuid)
{
    for (int i = 0, count = cuda_device_count(); i < count; i++) {
        char found[CUDA_UUID_SIZE];
        if (cuda_device_uuid(i, found, nullptr) == 0 && strcmp(found, uuid) == 0)
            return i;
    }
    return -1;
}

static int access_set(cuda_peer *peer, int own, bool access, error *error)
{
    int possible = 0;
    if (peer->access == access)
        return 0;
    CHECK(cudaDeviceCanAccessPeer(&possible, own, peer->index));
    if (access && !possible)
        return error_set(
            error, ERROR_UNAVAILABLE,
            "access from this device to the peer's memory is not possible here "
            "(cudaDeviceCanAccessPeer says so); peer_copy works without: \"access\": \"disabled\"");
    CHECK(access ? cudaDeviceEnablePeerAccess(peer->index, 0) : cudaDeviceDisablePeerAccess(peer->index));
    peer->access = access;
    return 0;
}

static int open_parts(cuda_peer *peer, int own, error *error)
{
    cuda_current current(peer->index, own);
    CHECK(cudaStreamCreateWithFlags(&peer->stream, cudaStreamNonBlocking));
    CHECK(cudaMalloc((void **)&peer->found, sizeof *peer->found));
    return 0;
}

int cuda_peer_open(cuda_peer *peer, int own, int index, bool access, error *error)
{
    peer->index = index;
    if (!peer->open) {
        peer->open = true;
        if (open_parts(peer, own, error) < 0) {
            cuda_peer_close(peer, own);
            return -1;
        }
    }
    return access_set(peer, own, access, error);
}

void cuda_peer_close(cuda_peer *peer, int own)
{
    if (!peer->open)
        return;
    if (peer->access)
        cudaDeviceDisablePeerAccess(peer->index);
    {
        cuda_current current(peer->index, own);
        cudaFree(peer->found);
        if (peer->stream)
            cudaStreamDestroy(peer->stream);
    }
    *peer = {};
}
