/* The views, appended to a buffer: for answers that are put together of texts. */
#ifndef COALESCED_API_VIEWS_H
#define COALESCED_API_VIEWS_H

#include "api/device_view.h"
#include "api/sweep_view.h"

#define VIEW_INLINE(name, type, write, end)                                                                  \
    static inline int name(struct buffer *out, const struct type *view)                                      \
    {                                                                                                        \
        struct json_writer json = {.out = out};                                                              \
        write(&json, NULL, view);                                                                            \
        return buffer_text(out, end);                                                                        \
    }
VIEW_INLINE(view_experiment, view_experiment, experiment_view_write, "\n")
VIEW_INLINE(view_accepted, view_experiment, experiment_view_accepted, "\n")
VIEW_INLINE(view_summary, view_experiment, experiment_view_summary, "")
VIEW_INLINE(view_sweep, view_sweep, sweep_view_open, "")
VIEW_INLINE(view_point, view_point, sweep_view_point, "")
VIEW_INLINE(view_device, view_device, device_view_write, "")
VIEW_INLINE(view_queue, view_queue, device_view_queue, "")
#undef VIEW_INLINE

static inline void view_device_of(struct buffer *out, int device, const char *name)
{
    experiment_view_device(&(struct json_writer){.out = out, .separate = true}, device, name);
}

static inline void view_hold(struct buffer *out, const struct view_hold *hold)
{
    device_view_hold(&(struct json_writer){.out = out, .separate = true}, hold);
}

#endif
