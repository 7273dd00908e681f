/* "device" of a request: a number, a name, "any", or an object of what it must be. */
#pragma once

#include "api/device_offer.h"
#include "base/error.h"
#include "kernels/experiment.h"

struct json_t;

/* Reads it; what is wrong is added under `pointer` ("#/device"), and the choice is any device then. */
void device_choice_read(struct device_choice *choice, const struct json_t *value, const char *pointer,
                        struct problems *problems);

/* Reads "peer", the other device of a kernel of two: a number or a name. */
void device_choice_read_peer(struct device_choice *peer, const struct json_t *value, const char *pointer,
                             struct problems *problems);

/* Reads a number, a name or "any" from an option, a path or a query. False: it can be none of these. */
bool device_choice_parse(struct device_choice *choice, const char *text);

/* Reads --default-device, where empty means the first device of the list. 0, or -1: ERROR_INVALID. */
int device_choice_check_default(const char *text, struct error *error);

/* The request names no device: whatever fits may be chosen. */
bool device_choice_open(const struct device_choice *choice);

/* Puts the default into a request that names no device: "any" where `spread` is true in it, else the
   device that `text` (--default-device; NULL or empty: none) names, else `first`, the number of the list's
   first device (-1: "any"). 0, or -1: no memory. */
int device_choice_default(struct json_t *request, const char *text, int first);

/* The same of a request with a kernel that a user brings, which runs where PTX is interpreted: where the default is another
   device, and some device of the list is a CPU, any CPU, {"arch": "cpu"}. */
int device_choice_default_source(struct json_t *request, const char *text, int first,
                                 const struct device_offers *offers);
