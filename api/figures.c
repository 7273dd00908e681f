#include "api/figures.h"

#include <pthread.h>
#include <stdbool.h>
#include <string.h>

#include "base/words.h"
#include "base/json_writer.h"
#include "kernels/kernel.h"

static struct figures figures;
static pthread_once_t made = PTHREAD_ONCE_INIT;

/* Figures with the same path share its slot: `node` is where that ends; NULL: there is no path. */
static void add(const struct figure *figure, struct scan_node *node)
{
    int at = figures.count;
    if (at == FIGURES_MAX)
        return;
    if (node && node->slot < 0)
        node->slot = at;
    figures.slots[at] = node ? node->slot : at;
    figures.all[at] = *figure;
    figures.names[at] = figure->name;
    figures.count++;
    if (figure->path || figure->known)
        figures.run_count = figures.count;
    if (figure->place > 0 && figure->place <= FIGURES_SUMMARY_MAX) {
        figures.summary[figure->place - 1] = at;
        figures.summary_count++;
        if (figure->path && strncmp(figure->path, "result/", 7) == 0)
            scan_add(&figures.summary_paths, figure->path + 7, figure->place - 1);
    }
}

/* Kernels may have parameters of the same name. */
static void add_parameters(const struct figure *row)
{
    struct scan_node *request = scan_add(&figures.paths, "request", -1);
    for (int k = 0; k < suite_count(); k++)
        for (int p = 0; p < suite_at(k)->param_count; p++) {
            struct figure figure = *row;
            figure.name = suite_at(k)->params[p].name;
            if (words_find(figure.name, figures.names, (size_t)figures.count, sizeof *figures.names) < 0)
                add(&figure, scan_add_below(&figures.paths, request, figure.name, strlen(figure.name), -1));
        }
}

static void make(void)
{
    for (const struct figure *row = figure_table; row->name; row++)
        if (strcmp(row->name, FIGURE_PARAMETERS) == 0)
            add_parameters(row);
        else
            add(row, row->path ? scan_add(&figures.paths, row->path, -1) : NULL);
    figures.root = scan_add(&figures.paths, "", -1);
    figures.request = scan_add(&figures.paths, "request", -1);
    figures.result = scan_add(&figures.paths, "result", -1);
    scan_add(&figures.summary_paths, "placement/name", FIGURES_PLACEMENT_SLOT);
    figures.summary_result = scan_add(&figures.summary_paths, "", -1);
    figures.failure = scan_add(&figures.paths, "failure", -1);
}

const struct figures *figures_get(void)
{
    pthread_once(&made, make);
    return &figures;
}

/* ---- GET /v1/columns ---- */

static void figure_json(struct json_writer *json, const struct figure *figure, bool in_runs)
{
    static const char *const types[] = {
        [FIGURE_TEXT] = "text",       [FIGURE_INTEGER] = "integer", [FIGURE_NUMBER] = "number",
        [FIGURE_BOOLEAN] = "boolean", [FIGURE_TIME] = "time",       [FIGURE_JSON] = "json"};
    static const char *const beside[][2] = {
        {"published_arch", "published_arch_"}, {"device_arch", "predicted_"}, {"measured", "measured_"}};
    static const char *const charts[] = {
        [CHART_NONE] = NULL, [CHART_MORE_IS_BETTER] = "more", [CHART_LESS_IS_BETTER] = "less"};
    json_writer_begin_object(json, NULL);
    json_writer_string(json, "name", figure->name);
    json_writer_string(json, "unit", figure->unit);
    json_writer_string(json, "type", types[figure->type]);
    json_writer_begin_object(json, "text");
    json_writer_string(json, "en", figure->text.en);
    json_writer_string(json, "zh", figure->text.zh);
    json_writer_end(json);
    json_writer_begin_array(json, "views");
    if (in_runs)
        json_writer_string(json, NULL, "runs");
    if (figure->place || figure->known == KNOWN_INDEX)
        json_writer_string(json, NULL, "summary");
    json_writer_end(json);
    json_writer_string(json, "better", charts[figure->chart]);
    json_writer_begin_object(json, "beside");
    for (size_t i = 0; i < sizeof beside / sizeof *beside; i++) {
        const struct figure *other = figure_beside(figure, beside[i][1]);
        if (other)
            json_writer_string(json, beside[i][0], other->name);
    }
    json_writer_end(json);
    json_writer_end(json);
}

int figures_json(struct buffer *out)
{
    const struct figures *table = figures_get();
    struct json_writer json = {.out = out};
    json_writer_begin_object(&json, NULL);
    json_writer_begin_array(&json, "columns");
    for (int i = 0; i < table->count; i++)
        figure_json(&json, &table->all[i], i < table->run_count);
    json_writer_end(&json);
    json_writer_end(&json);
    return json_writer_finish(&json);
}
