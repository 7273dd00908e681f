/* The page's files, embedded when this program was built. */
#ifndef COALESCED_SERVER_HTTP_SITE_H
#define COALESCED_SERVER_HTTP_SITE_H

#include "server/http/route.h"

struct site_file {
    const char *name; /* "app.js", "pages/lab.js": below web/ */
    const char *text;
    const char *tag; /* follows from its bytes */
};

/* Ended by one without a name. Generated. */
extern const struct site_file site_files[];

/* Every address of the page is answered with the same document; which page it is the document's script reads from its
   address. Sends the policy that lets it load nothing but what this service serves. */
enum handled site_answer_page(struct request *request);

/* The file of "/ui/assets/<name>"; 404: there is none of that name. */
enum handled site_answer_file(struct request *request);

#endif
