/* The list of all tables of routes: a new resource is a line here and in route_table.h. */
#include "server/routes/route_table.h"

#include <stddef.h>

const struct route *const route_table[] = {
    calibration_routes,
    comparison_routes,
    device_routes,
    event_routes,
    experiment_routes,
    health_routes,
    kernel_routes,
    prediction_routes,
    queue_routes,
    recipe_routes,
    sweep_routes,
    ui_routes,
    NULL,
};
