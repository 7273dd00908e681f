/* A line of the protocol, from an executor that may be any program: parsed or refused with a reason. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "api/protocol.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct message message;
    struct error error = {0};
    if (message_parse(&message, (const char *)data, size, &error) == 0)
        message_free(&message);
    else if (error.kind == ERROR_NONE || !error.text[0])
        abort();
    return 0;
}
