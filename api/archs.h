/* "arch" of a request: one architecture or a list of them, by any of the names that product.h knows. */
#ifndef COALESCED_API_ARCHS_H
#define COALESCED_API_ARCHS_H

#include <jansson.h>

#include "kernels/experiment.h"

/* Names of architectures that the model knows, in the order asked for; with NULL all that form their requests by whole
   warps. What is wrong is told at "#/arch". New reference; NULL: no memory. */
json_t *archs_read(const json_t *asked, struct problems *problems);

/* One of them by such a name. NULL: `detail` says that there is none, which was perhaps meant, and which are known. */
enum { ARCHS_DETAIL_BYTES = 224 };
const char *archs_find(const char *name, char detail[ARCHS_DETAIL_BYTES]);

#endif
