#include "client/terminal/plot_axis.h"

#include <math.h>
#include <stdio.h>

#include "client/terminal/number.h"

void plot_axis_include(struct plot_axis *axis, double value)
{
    if (!isfinite(value))
        return;
    axis->least = fmin(axis->least, value);
    axis->most = fmax(axis->most, value);
    axis->whole = axis->whole && value == floor(value);
}

void plot_axis_pad(struct plot_axis *axis)
{
    double margin = axis->most > axis->least ? (axis->most - axis->least) * 0.06 : fabs(axis->most) * 0.05;
    if (!(margin > 0))
        margin = 1;
    bool positive = axis->least >= 0;
    axis->least -= margin;
    axis->most += margin;
    if (positive && axis->least < axis->most * 0.1)
        axis->least = 0;
}

void plot_axis_choose_scale(struct plot_axis *axis)
{
    if (axis->most <= axis->least) {
        axis->least -= 1;
        axis->most += 1;
    }
    axis->powers = axis->least > 0 && axis->most / axis->least >= 64;
}

int plot_axis_position(const struct plot_axis *axis, double value, int last)
{
    double from = axis->least, to = axis->most;
    if (axis->powers) {
        from = log2(from);
        to = log2(to);
        value = log2(value);
    }
    double position = (value - from) / (to - from) * last;
    return position < 0 ? 0 : position > last ? last : (int)lround(position);
}

static int power_ticks(const struct plot_axis *axis, int wanted, double *ticks, int capacity)
{
    double first = ceil(log2(axis->least) - 1e-9), last = floor(log2(axis->most) + 1e-9);
    double step = fmax(1, ceil((last - first) / wanted));
    int count = 0;
    for (double at = first; at <= last && count < capacity; at += step)
        ticks[count++] = exp2(at);
    return count;
}

int plot_axis_ticks(const struct plot_axis *axis, int wanted, double *ticks, int capacity)
{
    if (axis->powers)
        return power_ticks(axis, wanted, ticks, capacity);
    double raw = (axis->most - axis->least) / wanted, power = pow(10, floor(log10(raw))), step = power;
    static const double rounds[] = {1, 2, 5, 10};
    for (int i = 0; i < 4; i++) {
        step = rounds[i] * power;
        if (step >= raw * 0.999)
            break;
    }
    if (axis->whole && step < 1)
        step = 1;
    int count = 0;
    for (double at = ceil(axis->least / step - 1e-9);
         at * step <= axis->most + step * 1e-9 && count < capacity; at++)
        ticks[count++] = at * step;
    return count;
}

void plot_axis_label(char *text, double value)
{
    double whole = log2(value);
    if (value >= 1024 && whole == floor(whole))
        snprintf(text, NUMBER_BYTES, "2^%.0f", whole);
    else
        snprintf(text, NUMBER_BYTES, "%.6g", value + 0.0);
}
