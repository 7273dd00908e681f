/* Secrets by getrandom(), their hashes by nettle. */
#include "server/auth/secret.h"

#include <errno.h>
#include <nettle/base16.h>
#include <nettle/base64.h>
#include <nettle/sha2.h>
#include <string.h>
#include <sys/random.h>

static const char secret_prefix[] = "coal_", hash_prefix[] = "sha256:";

int secret_make(char secret[SECRET_BYTES], struct error *error)
{
    uint8_t random[32];
    char text[BASE64_ENCODE_RAW_LENGTH(sizeof random)];
    if (getrandom(random, sizeof random, 0) != sizeof random)
        return error_set_errno(error, errno, "no random bytes for a secret");
    struct base64_encode_ctx encoder;
    base64url_encode_init(&encoder);
    size_t length = base64_encode_update(&encoder, text, sizeof random, random);
    base64_encode_final(&encoder, text + length);
    size_t prefix = strlen(secret_prefix);
    memcpy(secret, secret_prefix, prefix);
    memcpy(secret + prefix, text, SECRET_BYTES - 1 - prefix); /* without the padding */
    secret[SECRET_BYTES - 1] = '\0';
    explicit_bzero(random, sizeof random);
    explicit_bzero(text, sizeof text);
    return 0;
}

int secret_check(const char *secret, struct error *error)
{
    static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~+/=";
    size_t length = strlen(secret);
    if (length < SECRET_MIN || length > SECRET_MAX)
        return error_set(error, ERROR_INVALID, "a token has %d to %d characters, this one has %zu",
                         SECRET_MIN, SECRET_MAX, length);
    if (strspn(secret, allowed) < length)
        return error_set(error, ERROR_INVALID, "a token is made of letters, digits and -._~+/= only");
    return 0;
}

void secret_hash(const char *secret, uint8_t hash[SECRET_HASH_BYTES])
{
    struct sha256_ctx sha;
    sha256_init(&sha);
    sha256_update(&sha, strlen(secret), (const uint8_t *)secret);
    sha256_digest(&sha, SECRET_HASH_BYTES, hash);
}

void secret_hash_write(const uint8_t hash[SECRET_HASH_BYTES], char text[SECRET_HASH_TEXT_BYTES])
{
    size_t prefix = strlen(hash_prefix);
    memcpy(text, hash_prefix, prefix);
    base16_encode_update(text + prefix, SECRET_HASH_BYTES, hash);
    text[SECRET_HASH_TEXT_BYTES - 1] = '\0';
}

bool secret_hash_read(const char *text, uint8_t hash[SECRET_HASH_BYTES])
{
    static const char digits[] = "0123456789abcdefABCDEF";
    size_t prefix = strlen(hash_prefix), length = SECRET_HASH_BYTES, wanted = length + length;
    if (strncmp(text, hash_prefix, prefix) != 0 || strlen(text) != SECRET_HASH_TEXT_BYTES - 1 ||
        strspn(text + prefix, digits) != wanted)
        return false;
    struct base16_decode_ctx decoder;
    base16_decode_init(&decoder);
    return base16_decode_update(&decoder, &length, hash, wanted, text + prefix) &&
           base16_decode_final(&decoder) && length == SECRET_HASH_BYTES;
}
