/* Explains why a launch takes so long, in English and Chinese: templates filled with a prediction's
   numbers. */
#pragma once

#include "kernels/time/counted.h"
#include "kernels/time/predicted_time.h"

/* The same text in both languages, UTF-8. */
struct reasons {
    char en[768];
    char zh[1024];
};

/* Explains what limits the launch (both where two are close), with the number that limits and its ceiling,
   and what would make something else the limit; or why there is no prediction. */
void reasons_make(const struct time_prediction *prediction, struct reasons *reasons);

/* Explains that there is no prediction because the constants of that device are not known. */
void reasons_no_constants(const char *device, struct reasons *reasons);

/* Explains what a change of one field brings: from "256", to "128". Both predictions apply. */
void reasons_change(const char *field, const char *from, const char *to, const struct time_prediction *now,
                    const struct time_prediction *then, struct reasons *reasons);

/* Explains the decision by counters. */
void reasons_counted(const struct counted_limiter *counted, struct reasons *reasons);
