/* The tables of routes, one a resource: each stands on top of the file of its name and ends with an empty
   route. */
#ifndef COALESCED_SERVER_ROUTES_ROUTE_TABLE_H
#define COALESCED_SERVER_ROUTES_ROUTE_TABLE_H

#include "server/http/route.h"

extern const struct route calibration_routes[], comparison_routes[], device_routes[], event_routes[],
    experiment_routes[], health_routes[], kernel_routes[], prediction_routes[], queue_routes[],
    recipe_routes[], sweep_routes[], ui_routes[];

/* All of them, ended by NULL, for http_config.routes. */
extern const struct route *const route_table[];

#endif
