/* A frame of the protocol, from an executor that may be any program: parsed or refused with a reason. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "api/protocol.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct message message;
    struct protocol_frame frame;
    struct error error = {0};
    if (protocol_frame_find(&frame, (const char *)data, size) <= 0)
        return 0;
    if (protocol_parse(&message, &frame, &error) == 0)
        protocol_message_free(&message);
    else if (error.kind == ERROR_NONE || !error.text[0])
        abort();
    return 0;
}
