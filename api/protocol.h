/* The messages between the server and an executor, in both directions over the executor's standard input and
   output.

   A message is a frame: a header, which is one line of JSON, and for some types a payload, which follows the
   header's newline. The payload's bytes travel as they are: nobody parses and prints a request or a result
   again on its way. A header with a payload begins with {"bytes":N, where N is the payload's length. The
   payload has parts without separators, in the order in which this text names them; the header's member of
   the same name is a part's length.

   executor -> server, the first line, before any context exists:
     {"type":"hello","protocol":5,"newest":5,"build":"...","pid":4711,"counts":true,"devices":2,"device":{facts}}
   server -> executor:
     {"type":"welcome","protocol":5,"heartbeat_s":5,"lost_s":20}
     {"bytes":N,"type":"run","id":"...","device":0,"counting_pid":4712,"request":N1,"counters":N2,"calibration":N3}
     {"bytes":N,"type":"count","id":"...","device":0,"limit_s":30,"experiments":[{"id":"...","request":N1}, ...]}
   executor -> server, during its work and at the end:
     {"type":"progress","id":"...","phase":"check"}
     {"type":"progress","id":"...","phase":"cold","samples":120}
     {"bytes":N,"type":"result","id":"...","result":N1,"cold":N2,"hot":N3}
     {"bytes":N,"type":"counts","id":"...","experiments":[{"id":"...","counters":N1,"no_room":false}, ...]}
     {"bytes":N,"type":"error","id":"...","kind":"cuda_error","detail":"...","result":N1}
   both ways, after heartbeat_s without another message (server: every heartbeat_s):
     {"type":"beat","heard":17}
   executor -> server, after a request to end (SIGTERM):
     {"type":"leaving","why":"SIGTERM","done":false}

   Parts: `request` is the text that experiment_text_write() made and the store has; "device" of the header is
   the number of the device that runs it, whatever the request says. `counters` is of counters_json_pack(),
   `calibration` of calibration_json_write(), `result` a JSON object on one line with the members of
   result_to_json(), `cold` and `hot` are of samples_pack(). A run may lack counters, calibration and
   "counting_pid"; a result its samples; an error its result.

   Versions: a hello names the oldest ("protocol") and the newest version that the executor speaks; both sides
   then speak the newest version that both know. Versions before 5 had no payloads.

   Lease: a welcome with times above 0 gives the executor a lease, so that one which the server cannot reach
   ends by itself. Each side counts the frames that it received, the hello being the first; "heard" is the
   server's count (an executor's beat says 0). By its own clock, the executor lives until lost_s after it sent
   the last frame that the server says it received. By its own clock, the server waits lost_s after it
   received that frame, which was later, before it takes the executor for dead. No clock is compared with
   another, and a delayed beat prolongs nothing. Without a lease the executor sends no beats.

   Leaving: the executor takes no new work and finishes what runs, if there is time. "done": nothing runs, and
   it ends.

   Two executors serve a device: one runs experiments, the other one counts. One of them works at a time. A
   count's id is that of its first experiment, which runs next; the others run after it and share its passes
   where possible. The answer may leave some out: the server asks for those again. What was counted goes to
   the executor that runs the experiment; "counting_pid" is the process of the counting executor while it may
   hold a context. Constants that a calibration lacks are those shipped with the executor's build.

   A result says in correctness.verified whether the output is right, or has the status "not_requested" there. An error has a result only where there
   is one (the output is wrong). The phase "open" means that the context is being created: it is not the
   experiment's time, the next phase ends it, and it occurs once in an executor's life. The phase "lock" means
   that another process of the machine holds a lock that this run needs (executor/machine_lock.h): it is not
   the experiment's time either, the next phase ends it, and it occurs at most twice in a run. Progress is
   sent between samples, never within one. After cuda_error and device_lost the executor exits. The server
   closes the executor's standard input to end it, also in the middle of a run. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "api/samples.h"
#include "base/error.h"
#include "kernels/facts.h"
#include "kernels/stability.h"

enum {
    PROTOCOL_OLDEST = 5, /* the versions that this build speaks */
    PROTOCOL_NEWEST = 5,
    PROTOCOL_LOST_MAX_S = 86400,
    PROTOCOL_HEADER_BYTES = 64 << 10,     /* of a header, at most */
    PROTOCOL_PAYLOAD_BYTES = 1 << 20,     /* of a payload, at most */
    PROTOCOL_COUNTERS_BYTES = 256 << 10,  /* of one experiment's counters, at most */
    PROTOCOL_POINTS = 16,                 /* experiments in a count, at most */
    PROTOCOL_AHEAD = PROTOCOL_POINTS - 1, /* of them behind the first */
    PROTOCOL_AHEAD_BYTES = 256 << 10,     /* of their requests, all together */
};

/* An executor's exit statuses with a meaning. */
enum {
    EXECUTOR_OK = 0,
    EXECUTOR_FAILED = 1,
    EXECUTOR_USAGE = 2,
    EXECUTOR_DEADLINE = 3, /* past its own deadline */
    EXECUTOR_BROKEN = 4,   /* it, or the server, broke the protocol */
    EXECUTOR_LOST = 5,     /* its lease is over */
};

/* The phase of a progress while a context is being created. */
#define PROTOCOL_PHASE_OPEN "open"
/* The phase of a progress while another process of the machine holds a lock that this run needs. */
#define PROTOCOL_PHASE_LOCKED "lock"

enum message_type {
    MESSAGE_HELLO,
    MESSAGE_WELCOME,
    MESSAGE_BEAT,
    MESSAGE_LEAVING,
    MESSAGE_RUN,
    MESSAGE_COUNT,
    MESSAGE_PROGRESS,
    MESSAGE_RESULT,
    MESSAGE_COUNTS,
    MESSAGE_ERROR
};

/* The bytes of one message, borrowed from the buffer that they stand in. */
struct protocol_frame {
    const char *header; /* without its newline; not ended by NUL */
    size_t header_bytes;
    const char *payload;
    size_t payload_bytes; /* 0: none */
};

/* Finds the first frame in `data`. Returns how many bytes it has, newline included; 0: it is not whole yet;
   -1: it is longer than the limits allow. */
ssize_t protocol_frame_find(struct protocol_frame *frame, const char *data, size_t size);

/* The same with a limit of its own on the payload: for other protocols made of such frames. */
ssize_t protocol_frame_find_within(struct protocol_frame *frame, const char *data, size_t size,
                                   size_t payload_most);

/* Experiments to be counted together, in the order in which they will run. Free with
   protocol_ahead_free(). */
struct ahead {
    int count;
    struct {
        char id[64];
        char *request; /* JSON object, owned */
    } at[PROTOCOL_POINTS];
};

void protocol_ahead_free(struct ahead *ahead);

/* What was counted. Free with protocol_counts_free(). */
struct counts {
    int count;
    struct {
        char id[64];
        char *counters; /* as counters_json_pack() writes it, owned; of the server's, not looked at */
        bool no_room;   /* not counted, because the device's memory was full */
    } at[PROTOCOL_POINTS];
};

void protocol_counts_free(struct counts *counts);

/* One message. Free with protocol_message_free(). */
struct message {
    enum message_type type;
    char id[64];                        /* of those that are about an experiment; else empty */
    char phase[32];                     /* progress */
    int sample_count;                   /* progress: samples of the phase so far; negative: not said */
    int protocol;                       /* hello: the newest version that both know; welcome */
    double heartbeat_s;                 /* welcome; 0: no lease */
    double lost_s;                      /* welcome, with heartbeat_s */
    int64_t heard;                      /* beat */
    char why[64];                       /* leaving */
    bool done;                          /* leaving: nothing runs any more */
    char build[64];                     /* hello: the commit that the executor was built from */
    int devices;                        /* hello: how many devices an executor of this kind sees */
    bool can_count;                     /* hello: the device has hardware counters */
    int64_t pid;                        /* hello: the executor's process on its machine; 0: not said */
    int64_t counting_pid;               /* run: the counting executor's process; 0: none */
    int device;                         /* run, count: the number of the device that it runs on */
    double limit_s;                     /* count: how long it may take */
    struct device_facts facts;          /* hello */
    struct error failure;               /* error */
    char *request;                      /* run; owned */
    char *result;                       /* result; error: perhaps; a JSON object on one line, owned */
    char *counters;                     /* run: or NULL; owned */
    char *calibration;                  /* run: or NULL; owned */
    struct samples samples;             /* result: those to be stored; owned */
    bool verified;                      /* result, error: the result says that its output is right, */
    bool unchecked;                     /* or that nobody asked for a check */
    struct stability_summary stability; /* result, error: of the result */
    struct ahead ahead;                 /* count */
    struct counts counts;               /* counts */
};

/* Understands a frame. 0; or -1 with nothing to free: ERROR_INVALID; ERROR_CONFLICT: a hello of protocol
   versions that this build does not know; ERROR_MEMORY. */
int protocol_parse(struct message *message, const struct protocol_frame *frame, struct error *error);

/* The same of a header alone, which ends with NUL. */
int protocol_parse_header(struct message *message, const char *header, struct error *error);

void protocol_message_free(struct message *message);

/* As it stands in "type". Static. */
const char *protocol_type_name(enum message_type type);

/* What goes to the executor together with a request. */
struct run_along {
    const char *counters;    /* of counters_json_pack(); NULL: nothing was counted */
    const char *calibration; /* of calibration_json_write(); NULL: the device has made none */
    int64_t counting_pid;    /* 0: none */
};

/* Each returns a whole frame, to be freed with buffer_free(); `failed` is set when there was no memory. Texts
   are not looked at. pid 0: not said; sample_count 0: not said; along, samples and an error's result may be
   NULL. */
struct buffer protocol_write_hello(int devices, bool can_count, int64_t pid,
                                   const struct device_facts *facts);
struct buffer protocol_write_welcome(int protocol, double heartbeat_s, double lost_s);
struct buffer protocol_write_beat(int64_t heard);
struct buffer protocol_write_leaving(const char *why, bool done);
struct buffer protocol_write_run(const char *id, int device, const char *request,
                                 const struct run_along *along);
struct buffer protocol_write_count(const struct ahead *experiments, int device, double limit_s);
struct buffer protocol_write_progress(const char *id, const char *phase, unsigned sample_count);
struct buffer protocol_write_result(const char *id, const char *result, const struct samples *samples);
struct buffer protocol_write_counts(const char *id, const struct counts *counts);
struct buffer protocol_write_error(const char *id, const struct error *failure, const char *result);
