/* The secret that a user presents, and what is kept of it. What secret_make() makes has 256 random bits: nobody can try
   them all, nor a list of likely ones, against a hash. So a plain SHA-256 protects it as well as the slow hashes that
   passwords need, and costs a request a microsecond. A secret that somebody thought of has no such protection; therefore
   short ones are refused. */
#ifndef COALESCED_SERVER_AUTH_SECRET_H
#define COALESCED_SERVER_AUTH_SECRET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum {
    SECRET_BYTES = 5 + 43 + 1, /* "coal_", 32 bytes as base64url, NUL */
    SECRET_MIN = 16,           /* characters of one that is taken */
    SECRET_MAX = 255,
    SECRET_HASH_BYTES = 32,
    SECRET_HASH_TEXT_BYTES = 7 + 64 + 1 /* "sha256:", in hexadecimal, NUL */
};

/* -1: ERROR_SYSTEM, the system has no random bytes. */
int secret_make(char secret[SECRET_BYTES], struct error *error);

/* Can it be one? -1: ERROR_INVALID, its length or a character that a header cannot hold (RFC 6750, 2.1). */
int secret_check(const char *secret, struct error *error);

void secret_hash(const char *secret, uint8_t hash[SECRET_HASH_BYTES]);

/* As it stands in the file: "sha256:" and 64 hexadecimal digits. False: the text is none. */
void secret_hash_write(const uint8_t hash[SECRET_HASH_BYTES], char text[SECRET_HASH_TEXT_BYTES]);
bool secret_hash_read(const char *text, uint8_t hash[SECRET_HASH_BYTES]);

#endif
