/* The figures of an experiment, each described once: its name, its unit, what it is and how to get it. The
   tables (CSV), the summary of a sweep's points, GET /v1/columns and with it the page and the command are
   made from this one table. */
#pragma once

#include "base/buffer.h"
#include "api/scan.h"

enum figure_type { FIGURE_TEXT, FIGURE_INTEGER, FIGURE_NUMBER, FIGURE_BOOLEAN, FIGURE_TIME, FIGURE_JSON };

/* What the server knows of an experiment besides its texts (csv.c writes it). Where it knows nothing, the
   cell is what lies at the figure's path. */
enum figure_known {
    KNOWN_NOTHING,
    KNOWN_INDEX,
    KNOWN_ID,
    KNOWN_STATE,
    KNOWN_SIZE_ELEMENTS,
    KNOWN_SIZE_ROWS,
    KNOWN_SIZE_COLUMNS,
    KNOWN_DEVICE,
    KNOWN_DEVICE_ALIAS,
    KNOWN_ATTEMPT,
    KNOWN_SUBMITTED_AT,
    KNOWN_STARTED_AT,
    KNOWN_FINISHED_AT,
    KNOWN_OWNER,
    KNOWN_SWEEP,
    KNOWN_REPEAT_INDEX,
    KNOWN_FAILURE_KIND,
    KNOWN_FAILURE_DETAIL,
    KNOWN_FAILURE_DETAIL_ZH,
    KNOWN_NOTES
};

/* How the runs of a point make one value in the summary (point_summary.c does it). */
enum figure_sum {
    SUM_NONE,
    SUM_MEDIAN,    /* a time in us: the median over the runs */
    SUM_LOW,       /* the lower end of that median's 95 % interval */
    SUM_HIGH,      /* the upper end */
    SUM_AT_MEDIAN, /* a rate at the median time */
    SUM_LAST,      /* of the last run that has it */
    SUM_REFERENCE, /* of the point's reference, which all runs share */
    SUM_NOTES,     /* of the published table, which all points share */
    SUM_ALL,       /* a boolean: whether it is true in all runs that succeeded */
    SUM_STATE,     /* the others are counted over the runs */
    SUM_RUNS,
    SUM_SUCCEEDED,
    SUM_PLACEMENTS,
    SUM_DEVICE,
    SUM_DEVICE_ALIAS
};

/* Whether the page offers to draw it, and which values are good. */
enum figure_chart { CHART_NONE, CHART_MORE_IS_BETTER, CHART_LESS_IS_BETTER };

/* In English and Chinese; static. */
struct figure_text {
    const char *en, *zh;
};

/* All texts are static. A figure with neither a path nor something known is in the summary alone. */
struct figure {
    const char *name; /* of the column; ends with the unit */
    const char *unit; /* "us", "GB/s", "ratio" (0 to 1), ...; NULL: none */
    enum figure_type type;
    const char *path; /* in an experiment's texts: "request/block/0", "result/timing/floor_us"; NULL: none */
    struct figure_text text;
    struct figure_text
        head; /* the short title in a table of the command, above cold and hot rows; NULL: text */
    enum figure_known known;
    enum figure_chart chart;
    int place; /* of its column in the summary, from 1, behind the axes; 0: it is not there */
    enum figure_sum sum;
    const char
        *measured; /* of a published figure: the column that it is measured in; NULL: figure_beside() */
};

/* The table as it is written; a row without a name ends it, one whose name is FIGURE_PARAMETERS stands for
   the parameters of all kernels. */
extern const struct figure figure_table[];
#define FIGURE_PARAMETERS "*"

/* Of a published figure, "published_gld_transactions", the figure that it is compared with: what the model
   predicts for the published chip ("published_arch_") or for this device ("predicted_"), or what was measured
   here ("measured_"). The names follow from its own, unless the table says otherwise. A time may be in
   another unit: us for ms. NULL: there is none. Any thread. */
const struct figure *figure_beside(const struct figure *published, const char *prefix);
#define FIGURE_PUBLISHED "published_"

enum { FIGURES_MAX = 256, FIGURES_SUMMARY_MAX = 64, FIGURES_PLACEMENT_SLOT = FIGURES_SUMMARY_MAX };

/* All figures in the table's order: a column's place in struct columns is an index of this list. */
struct figures {
    struct figure all[FIGURES_MAX];
    int slots[FIGURES_MAX]; /* by figure: where scan_text() puts the value at its path */
    int count, run_count;   /* the first run_count are in the view runs, the others in the summary alone */
    const char *names[FIGURES_MAX];
    int summary[FIGURES_SUMMARY_MAX], summary_count; /* indices of the summary's figures, in its order */
    struct scan_paths paths;
    const struct scan_node *root, *request, *result, *failure; /* where the texts begin in `paths` */
    /* In a result: of the summary's figures, whose slots are their places - 1, and of the placement's
       name. */
    struct scan_paths summary_paths;
    const struct scan_node *summary_result;
};

/* Made by the first call; any thread. */
const struct figures *figures_get(void);

/* Appends what GET /v1/columns answers. 0, or -1: no memory. */
int figures_json(struct buffer *out);
