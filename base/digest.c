/* nettle's SHA-256. */
#include "base/digest.h"

#include <nettle/base16.h>
#include <nettle/sha2.h>

void digest_make(const void *bytes, size_t size, uint8_t digest[DIGEST_BYTES])
{
    struct sha256_ctx sha;
    sha256_init(&sha);
    sha256_update(&sha, size, bytes);
    sha256_digest(&sha, DIGEST_BYTES, digest);
}

void digest_hex(const void *bytes, size_t size, char hex[DIGEST_HEX_BYTES])
{
    uint8_t digest[DIGEST_BYTES];
    digest_make(bytes, size, digest);
    base16_encode_update(hex, DIGEST_BYTES, digest);
    hex[DIGEST_HEX_BYTES - 1] = '\0';
}
