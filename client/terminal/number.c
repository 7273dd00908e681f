#include "client/terminal/number.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "client/terminal/language.h"

/* A bound further than so many powers of ten from its value is not written in full. */
static const double far_powers = 3;

/* Digits after the point for four in all. */
static int decimals_for(double value)
{
    double size = fabs(value);
    if (!(size > 0) || size >= 1000)
        return 0;
    int before = (int)floor(log10(size)) + 1;
    int decimals = 4 - before;
    return decimals > 9 ? 9 : decimals;
}

void number_text(char text[NUMBER_BYTES], double value)
{
    if (!isfinite(value))
        snprintf(text, NUMBER_BYTES, "%s", language_text("no value"));
    else if (fabs(value) >= 1e15)
        snprintf(text, NUMBER_BYTES, "%.3e", value);
    else
        snprintf(text, NUMBER_BYTES, "%.*f", decimals_for(value), value);
}

/* Digits after the point of a number whose interval is `side` wide on one side: down to the first digit of
   `side`, or to the second when the first is 1, and at most two more than decimals_for(). */
static int decimals_within(double value, double side)
{
    int most = decimals_for(value);
    if (!(side > 0))
        return most;
    int exponent = (int)floor(log10(side));
    int decimals = -exponent + (side / pow(10, exponent) < 2 ? 1 : 0);
    if (decimals < 0)
        decimals = 0;
    return decimals > most + 2 ? most + 2 : decimals;
}

void number_fixed(char text[NUMBER_BYTES], double value, int decimals)
{
    double size = fabs(value);
    bool zero = isfinite(size) && size > 0 && size <= 0.5 * pow(10, -decimals);
    snprintf(text, NUMBER_BYTES, "%.*f", zero ? -(int)floor(log10(size)) : decimals, value);
}

/* The bound of an interval of a value. */
static void bound_text(char text[NUMBER_BYTES], double bound, double value, int decimals)
{
    double least = pow(10, floor(log10(value)) - far_powers), most = pow(10, ceil(log10(value)) + far_powers);
    bool below = bound > 0 && bound<least, above = value> 0 && bound > most;
    if (below || above)
        *text++ = below ? '<' : '>';
    number_fixed(text, below ? least : above ? most : bound, decimals);
}

void number_interval(char text[NUMBER_BYTES], double value, double low, double high, bool ascii)
{
    if (!isfinite(value) || !isfinite(low) || !isfinite(high) || high < low || fabs(value) >= 1e15) {
        number_text(text, value);
        return;
    }
    double below = value - low, above = high - value, wider = fmax(below, above);
    int decimals = decimals_within(value, wider);
    bool even = fabs(above - below) <= 0.05 * wider * (1 + 1e-9); /* of decimal fractions */
    if (even && (wider < value || low <= 0))
        snprintf(text, NUMBER_BYTES, "%.*f %s %.*f", decimals, value, ascii ? "+-" : "±", decimals, wider);
    else {
        char from[NUMBER_BYTES], to[NUMBER_BYTES];
        number_fixed(text, value, decimals);
        bound_text(from, low, value, decimals);
        bound_text(to, high, value, decimals);
        size_t used = strlen(text);
        snprintf(text + used, NUMBER_BYTES - used, language_text(" (%s to %s)"), from, to);
    }
}

void number_duration(char text[NUMBER_BYTES], double seconds)
{
    text[0] = '\0';
    if (!(seconds >= 0))
        return;
    if (seconds < 1)
        snprintf(text, NUMBER_BYTES, language_text("%.1f s"), seconds);
    else if (seconds < 100)
        snprintf(text, NUMBER_BYTES, language_text("%.0f s"), seconds);
    else if (seconds < 6000)
        snprintf(text, NUMBER_BYTES, language_text("%.0f min"), seconds / 60);
    else
        snprintf(text, NUMBER_BYTES, language_text("%.0f h"), seconds / 3600);
}

void number_count(char text[NUMBER_BYTES], long long value)
{
    char digits[32];
    snprintf(digits, sizeof digits, "%lld", value);
    size_t length = strlen(digits), sign = digits[0] == '-', out = 0;
    for (size_t i = 0; i < length; i++) {
        if (i > sign && (length - i) % 3 == 0 && length - sign >= 5)
            text[out++] = ',';
        text[out++] = digits[i];
    }
    text[out] = '\0';
}
