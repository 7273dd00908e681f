/* The columns of a table of a sweep's points. */
#include "server/routes/sweep_page.h"

#include <stdio.h>

#include "api/csv.h"

int sweep_page_columns(const struct sweep_page *page, const char *values, struct summary_table *all,
                       struct columns *columns, char detail[COLUMNS_DETAIL_BYTES])
{
    *all = (struct summary_table){0};
    if (page->view != SWEEP_VIEW_SUMMARY)
        return csv_columns(columns, page->columns, detail);
    snprintf(detail, COLUMNS_DETAIL_BYTES, "there is no memory for a table");
    if (summary_table_make(all, values) < 0)
        return -1;
    return columns_read(columns, page->columns, all->names, all->count, detail);
}

int sweep_page_check(const struct sweep_page *page, const char *values, char detail[COLUMNS_DETAIL_BYTES])
{
    struct summary_table all;
    struct columns columns;
    if (!page->table)
        return 0;
    int status = sweep_page_columns(page, values, &all, &columns, detail);
    summary_table_clear(&all);
    return status;
}
