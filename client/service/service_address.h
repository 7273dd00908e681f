/* Where the service is, and with whose token. */
#ifndef COALESCED_CLIENT_SERVICE_SERVICE_ADDRESS_H
#define COALESCED_CLIENT_SERVICE_SERVICE_ADDRESS_H

#include "base/error.h"

struct screen;

/* Of "http://host:port", "host:port" or "unix:/path": the address without a slash at its end, and the socket's path or
   NULL; both to be freed. -1 with ERROR_INVALID or ERROR_MEMORY. */
int service_address_read(const char *text, char **url, char **unix_path, struct error *error);

/* The header "Authorization: Bearer ..." from the first line of a file, to be freed. Warns when others can read the file.
   NULL with an error. */
char *service_address_authorization(const char *path, struct screen *screen, struct error *error);

#endif
