/* Sets of metrics of a chip, ready to be counted. This half of CUPTI needs no device. */
#pragma once

#include <string>
#include <vector>

#include "kernels/counters.h"
#include "kernels/device/counters_cupti.h"

struct chip {
    const cupti *lib;
    std::string name;
    const uint8_t *availability; /* of the device; NULL: all that the chip has */
};

struct plan {
    const cupti *lib = nullptr;
    std::string key;
    std::vector<std::string> metric, reason; /* of each counter; no metric: its reason */
    std::vector<const char *> metrics;       /* the metrics that the chip has */
    CUpti_Profiler_Host_Object *host = nullptr;
    std::vector<uint8_t> config, image; /* image: the counts; the session allocates it */
    size_t passes = 0, ranges = 0;      /* ranges: the capacity of launches in a pass; 0: not known yet */

    plan() = default;
    plan(const plan &) = delete;
    ~plan() { host_free(); }
    void host_free();
};

/* Makes the plan of the counters that counters_begin() made. Metrics that the chip lacks do not fail the
   others. False: refused. */
bool counters_plan_make(const chip &chip, const counters &wanted, plan *made, cupti_refusal *why);

/* Copies metrics, reasons and the number of passes to the counters. */
void counters_plan_copy(const plan &made, counters *out);
