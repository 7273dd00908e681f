/* The secret that a user presents, and its hash, which is stored. A secret of secret_make() has 256 random
   bits, which cannot be guessed; so a plain SHA-256 protects it as well as the slow hashes that passwords
   need, and takes a microsecond of a request. A secret that somebody invented has no such protection, so
   short ones are refused. */
#ifndef COALESCED_SERVER_AUTH_SECRET_H
#define COALESCED_SERVER_AUTH_SECRET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum {
    SECRET_BYTES = 5 + 43 + 1, /* "coal_", 32 bytes as base64url, NUL */
    SECRET_MIN = 16,           /* characters */
    SECRET_MAX = 255,
    SECRET_HASH_BYTES = 32,
    SECRET_HASH_TEXT_BYTES = 7 + 64 + 1 /* "sha256:", in hexadecimal, NUL */
};

/* Makes a secret. -1: ERROR_SYSTEM, no random bytes. */
int secret_make(char secret[SECRET_BYTES], struct error *error);

/* Checks the form of a secret. -1: ERROR_INVALID, its length or a character that a header cannot contain (RFC
   6750, 2.1). */
int secret_check(const char *secret, struct error *error);

void secret_hash(const char *secret, uint8_t hash[SECRET_HASH_BYTES]);

/* The hash as it is written in the file: "sha256:" and 64 hexadecimal digits. False: the text has another
   form. */
void secret_hash_write(const uint8_t hash[SECRET_HASH_BYTES], char text[SECRET_HASH_TEXT_BYTES]);
bool secret_hash_read(const char *text, uint8_t hash[SECRET_HASH_BYTES]);

#endif
