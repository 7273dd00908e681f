/* What goes back when something is wrong: RFC 9457 documents, and the one table from an error's kind to an
   HTTP status. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/json_writer.h"
#include "kernels/experiment.h"

#define PROBLEM_MEDIA_TYPE "application/problem+json"

enum problem_type {
    PROBLEM_MALFORMED,      /* 400: not JSON, or a query that means nothing */
    PROBLEM_UNAUTHORIZED,   /* 401 */
    PROBLEM_ORIGIN,         /* 403: a page of another origin */
    PROBLEM_FORBIDDEN,      /* 403: not for who asks */
    PROBLEM_NOT_FOUND,      /* 404 */
    PROBLEM_METHOD,         /* 405 */
    PROBLEM_NOT_ACCEPTABLE, /* 406 */
    PROBLEM_CONFLICT,       /* 409 */
    PROBLEM_TOO_LARGE,      /* 413 */
    PROBLEM_MEDIA,          /* 415 */
    PROBLEM_MISDIRECTED,    /* 421: a Host that is not answered to */
    PROBLEM_INVALID,        /* 422: fields of a request */
    PROBLEM_KEY_REUSED,     /* 422: an idempotency key with another body */
    PROBLEM_TOO_MANY,       /* 429 */
    PROBLEM_INTERNAL,       /* 500 */
    PROBLEM_UNAVAILABLE,    /* 503 */
    PROBLEM_UNCERTAIN,      /* 503: it may have been done */
    PROBLEM_STORAGE,        /* 507 */
    PROBLEM_TYPES
};

/* Its HTTP status. */
unsigned problem_status(enum problem_type type);

/* The problem that an error of that kind becomes in an answer. */
enum problem_type problem_type_of(enum error_kind kind);

/* Writes `parent`, "/" and the name, with what a JSON pointer and a URI fragment must not hold escaped;
   cut where it does not fit. */
void problem_pointer(char *pointer, size_t size, const char *parent, const char *name);

/* Adds `text` to what is said of that field of the request, and of what is within it. */
void problem_extend(struct problems *problems, const char *field, const char *text);

/* Copies what is wrong with an object that is that member of the request ("reference"), with pointers to where it stands. */
void problem_add_within(struct problems *problems, const char *member, const struct problems *inner);

enum problem_language { PROBLEM_ENGLISH, PROBLEM_CHINESE };

/* Appends the document: type, title, status, detail, instance (the path asked for; NULL: none) and, when
   `fields` is not NULL, errors: [{pointer, detail}], and, when `taken` is not NULL, request: this JSON text, the request as
   it was understood, which the errors are of. Texts are given in English, and written in that
   language as far as problem_zh() knows them. 0, or -1: no memory. */
int problem_write(struct buffer *out, enum problem_type type, const char *detail, const char *instance,
                  const struct problems *fields, const char *taken, enum problem_language language);

/* Writes such a list alone. */
void problem_write_fields(struct json_writer *json, const char *key, const struct problems *fields,
                          enum problem_language language);

/* Writes the member `key` and, where there is Chinese for it, "zh": {key}: of what is stored or is no problem of a request, and
   so is read in either language. */
void problem_write_text(struct json_writer *json, const char *key, const char *english);

/* ---- Chinese (problem_zh.c): the finished English sentence is translated by the format that made it ---- */

/* Writes the Chinese for `english` (UTF-8, cut between characters where it does not fit in `size` bytes).
   A sentence without a translation is copied as it is, and the result is false. Any thread. */
bool problem_zh(const char *english, char *chinese, size_t size);
