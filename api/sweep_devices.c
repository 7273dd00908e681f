/* Chooses one device for all experiments that must share one. */
#include "api/sweep_devices.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How many of the group's experiments can be run where: "0 (h200-1) 12, 1 (small) 8". */
static void group_tell(const struct device_set *sets, const int *groups, int count, int group,
                       const struct device_offers *offers, char *text, size_t size)
{
    text[0] = '\0';
    for (int i = 0; i < offers->count; i++) {
        size_t used = strlen(text);
        int fit = 0;
        for (int e = 0; e < count; e++)
            fit += groups[e] == group && device_set_has(&sets[e], offers->at[i].number);
        if (fit && used + 20 < size)
            snprintf(text + used, size - used, "%s%d (%.20s) %d", used ? ", " : "", offers->at[i].number,
                     offers->at[i].name, fit);
    }
}

int sweep_devices_keep(struct device_set *sets, const int *groups, int count, int choices,
                       const struct device_offers *offers, struct problems *problems)
{
    struct device_set *common = malloc((size_t)choices * sizeof *common);
    int before = problems->count;
    if (!common)
        return -1;
    memset(common, 0xff, (size_t)choices * sizeof *common);
    for (int i = 0; i < count; i++)
        common[groups[i]] = device_set_both(&common[groups[i]], &sets[i]);
    for (int i = 0; i < count; i++) {
        const struct device_set *set = &common[groups[i]];
        char where[64] = "#/device", counts[120];
        if (device_set_count(set))
            continue;
        group_tell(sets, groups, count, groups[i], offers, counts, sizeof counts);
        if (choices > 1)
            snprintf(where, sizeof where, "#/device/%d", groups[i]);
        problem_add(
            problems, where,
            "no one device fits all points; it is so many on %s. \"spread\": true lets each go where it fits",
            counts);
        break;
    }
    for (int i = 0; i < count; i++)
        sets[i] = choices > 1 ? device_set_of(device_set_next(&common[groups[i]], 0)) : common[groups[i]];
    free(common);
    return problems->count == before ? 0 : -1;
}
