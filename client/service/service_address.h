/* The address of the service, and the token for it. */
#ifndef COALESCED_CLIENT_SERVICE_SERVICE_ADDRESS_H
#define COALESCED_CLIENT_SERVICE_SERVICE_ADDRESS_H

#include "base/error.h"

struct screen;

/* Reads "http://host:port", "host:port" or "unix:/path": *url without a slash at its end, *unix_path of a
   socket or NULL; both are freed by the caller. -1 with ERROR_INVALID or ERROR_MEMORY. */
int service_address_read(const char *text, char **url, char **unix_path, struct error *error);

/* The header "Authorization: Bearer ..." from the first line of a file, freed by the caller. Warns when
   other users can read the file. NULL with an error. */
char *service_address_authorization(const char *path, struct screen *screen, struct error *error);

#endif
