/* The answer to who asks for an experiment's raw samples. */
#ifndef COALESCED_SERVER_ROUTES_ANSWER_SAMPLES_H
#define COALESCED_SERVER_ROUTES_ANSWER_SAMPLES_H

#include "server/http/route.h"

/* Of the experiment that the path names, as request_type() says. */
enum handled reply_samples(struct request *request);

#endif
