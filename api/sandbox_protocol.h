/* The messages between the server and `coalesced --sandbox`, over the latter's standard input and output. They are
   frames as those of protocol.h, with payloads up to SANDBOX_PAYLOAD_BYTES:

   sandbox -> server, the first frame:
     {"type":"hello","compiler":"NVRTC 13.0","architectures":[75,80,90],"seccomp":true,"landlock":7,"reason":""}
   server -> sandbox:
     {"bytes":N,"type":"request","id":17,"kind":"compile"}                    payload: a request of that kind
   sandbox -> server, for each request, in any order:
     {"bytes":N,"type":"answer","id":17,"ended":"answered","detail":""}       payload: the answer, of that kind
     {"type":"answer","id":17,"ended":"stopped","detail":"the compiler took more than 5 s of processor time"}

   "stopped": by a limit, or because it tried what a sealed process may not: what was sent is the cause. "failed":
   the sandbox could not do it, whatever was sent. The server closes the sandbox's standard input to end it.

   An answer's payload was written by a process that read what a user sent. Whoever reads it treats it as the
   user's. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "api/protocol.h"
#include "base/buffer.h"
#include "base/error.h"

enum {
    SANDBOX_PAYLOAD_BYTES = 32 << 20, /* of a request or an answer, at most */
    SANDBOX_ARCHITECTURES = 64,
    SANDBOX_KIND_BYTES = 32,
};

enum sandbox_message_type { SANDBOX_HELLO, SANDBOX_REQUEST, SANDBOX_ANSWER };

enum sandbox_ended { SANDBOX_ANSWERED, SANDBOX_STOPPED, SANDBOX_FAILED };

struct sandbox_hello {
    char compiler[64]; /* "NVRTC 13.0"; empty: there is none, or it only executes */
    int architectures[SANDBOX_ARCHITECTURES], architecture_count; /* 90 is sm_90; ascending */
    bool seccomp;
    int landlock;     /* the version of the kernel's interface; 0: it has none */
    char reason[256]; /* why there is no compiler; empty where there is one or none is needed */
};

struct sandbox_message {
    enum sandbox_message_type type;
    int64_t id;                    /* request, answer */
    char kind[SANDBOX_KIND_BYTES]; /* request */
    enum sandbox_ended ended;      /* answer */
    char detail[512];              /* answer */
    const char *payload;           /* request, answer; borrowed from the frame */
    size_t payload_bytes;
    struct sandbox_hello hello;
};

/* Understands a frame. 0; -1: ERROR_INVALID. Nothing is to be freed. */
int sandbox_protocol_read(struct sandbox_message *message, const struct protocol_frame *frame,
                          struct error *error);

/* Each returns a whole frame, to be freed with buffer_free(); `failed` is set when there was no memory. */
struct buffer sandbox_protocol_write_hello(const struct sandbox_hello *hello);
struct buffer sandbox_protocol_write_request(int64_t id, const char *kind, const char *payload,
                                             size_t payload_bytes);
struct buffer sandbox_protocol_write_answer(int64_t id, enum sandbox_ended ended, const char *detail,
                                            const char *payload, size_t payload_bytes);
