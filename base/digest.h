/* SHA-256, for what must not have the digest of anything else. */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum { DIGEST_BYTES = 32, DIGEST_HEX_BYTES = 2 * DIGEST_BYTES + 1 };

void digest_make(const void *bytes, size_t size, uint8_t digest[DIGEST_BYTES]);

/* The same in lower-case hexadecimal digits, ended by NUL. */
void digest_hex(const void *bytes, size_t size, char hex[DIGEST_HEX_BYTES]);
