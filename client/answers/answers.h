/* Documents of the service as text for a terminal, each in the file of its kind, and the exit statuses that
   follow from them (client/manual/command_table.h). */
#pragma once

#include <jansson.h>
#include <stdbool.h>

#include "client/terminal/language.h"
#include "client/terminal/screen.h"

/* An experiment: its state, times, bandwidth, prediction, occupancy and stability. The status is EXIT_FAILED
   when it failed, was cancelled or its output is wrong; EXIT_UNSTABLE when `strict` and it is not stable. */
void answers_print_result(const json_t *experiment, const struct screen *screen);
int answers_result_status(const json_t *experiment, bool strict);

/* A sweep with all points, of the view runs or the view summary, as a table; the status as of a result,
   over all points. */
void answers_print_sweep(const json_t *sweep, const struct screen *screen);
int answers_sweep_status(const json_t *sweep, bool strict);

/* Of a recipe's sweep: what was published, predicted for that chip, predicted for this device and measured
   here, with marks and notes. Nothing where nothing was published. */
void answers_print_published(const json_t *sweep, const struct screen *screen);

/* What the service says in that member of a failure, a fault or a prediction ("detail", "note"), in the language of the locale;
   "" where it is missing. Borrowed from `row`, or in `reason`. */
const char *answers_said(const json_t *row, const char *member, char reason[LANGUAGE_REASON_BYTES]);

/* Why the counts of a prediction are not exact, in the language of the locale, static. NULL: they are exact, or the
   prediction is of a source, and its listing says why. */
const char *answers_inexact(const json_t *prediction);

/* Whether this is the name of a kernel that a user brought: "src-82964f4647c0". */
bool answers_kernel_is_own(const char *name);

/* "sector", "line", ...: so many of a unit of transactions, as a reader names them. Static, or `unit`. */
const char *answers_unit_words(const char *unit, size_t count);

/* "shared memory": what limits an occupancy, by its name in "limited_by". Static, or `limit`. */
const char *answers_limit_words(const char *limit);

/* In a sweep that is spread over devices: adds the device's name to the values of each point, as one more
   axis of the table and the plot. */
void answers_name_devices(json_t *sweep);

/* A sweep's points as a plot. x, y: of --x and --y; NULL: chosen here. Prints nothing when fewer than two
   points have a number. */
void answers_plot_sweep(const json_t *sweep, const struct screen *screen, const char *x, const char *y);

/* The raw samples of an experiment that was submitted with measure.keep_samples: how many, their least,
   median and most, and each of them in the order in which it was taken. */
void answers_print_samples(const json_t *document, const struct screen *screen);

/* A comparison: what differs between the sides, then a verdict for each point. The status is EXIT_WORSE when
   a point is worse, EXIT_CANNOT_TELL when a point has no verdict or there is no point. */
void answers_print_comparison(const json_t *comparison, const struct screen *screen);
int answers_comparison_status(const json_t *comparison);

/* Of a comparison without a point on both sides: the fields of the request that keep them apart, and how to compare
   all the same. Nothing where a side has no point. */
void answers_print_apart(const json_t *comparison, const struct screen *screen);

/* The response of POST /v1/predictions with "explain": the sectors that one warp accesses as a drawing, and
   the sums for each instruction. */
void answers_print_explanation(const json_t *answer, const struct screen *screen);

/* Of a source kernel's prediction: the source with what each line costs in a margin; `only`: that line alone, 0: all.
   Nothing where the prediction, one of the answer's, has no lines. */
void answers_print_source(const json_t *answer, const json_t *prediction, const char *source, int only,
                          const struct screen *screen);

/* Faults of a source, the `errors` of a problem document or the `notes` of an answer, a line each, as a compiler prints
   them: "kernel.cu:7:12: error: ...", and below it the line of `source` unless that is NULL. */
void answers_print_faults(const json_t *rows, const char *file, const char *source, bool notes,
                          const struct screen *screen);

/* Of an experiment whose PTX was interpreted: its faults, what came of the comparison with its reference, and its outputs. Its
   members "file" (what the source is called), "source" and
   "of_reference" (its faults are) are the caller's, and may be missing. False: it is another one, and
   nothing was printed. */
bool answers_print_outputs(const json_t *experiment, const struct screen *screen);
bool answers_is_interpreted(const json_t *experiment);

/* That no fault was found, and how far it was looked for: of an answer to "check". */
void answers_print_check(const json_t *answer, const char *file);

/* A line with the size, block and grid of a request. NULL prints nothing. */
void answers_print_launch(const json_t *request);

/* A line: the occupancy of a kernel on an architecture, and what limits it. NULL prints nothing. */
void answers_print_limits(const json_t *occupancy);

/* The response of GET /v1/occupancy: a line an architecture; of a single one also its staircases over registers, shared
   memory and threads. */
void answers_print_occupancy(const json_t *answer, const struct screen *screen);

/* The member `time` of a prediction (the time, a bar for each bound, the explanation, and the effect of
   single changes of the request; or why there is no value), and of a result (the limiter, the error of the
   prediction, the explanation, and whether the counters agree). NULL prints nothing. */
void answers_print_time(const json_t *time, const struct screen *screen);
void answers_print_result_time(const json_t *time, const struct screen *screen);
