#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "client/terminal/plot.h"

static const struct screen plain = {.ascii = true}, braille = {.ascii = false};

static char *draw(const struct plot_series *series, int count, const struct screen *screen)
{
    struct buffer out = {0};
    plot_draw(&(struct plot){.y_name = "GB/s",
                             .x_name = "offset",
                             .series = series,
                             .series_count = count,
                             .columns = 32,
                             .rows = 6},
              screen, &out);
    return buffer_take(&out);
}

static void a_line_of_dots_is_braille(void **state)
{
    (void)state;
    static const struct plot_point rising[] = {{0, 0, NAN, NAN}, {24, 24, NAN, NAN}};
    const struct plot_series series[] = {{"", rising, 2}};
    char *text = draw(series, 1, &braille);
    assert_string_equal(text, "GB/s\n"
                              "   │                       ⢀⣀⠤●\n"
                              "20 ┤                   ⣀⠤⠔⠊⠁\n"
                              "   │              ⣀⡠⠔⠊⠉\n"
                              "10 ┤         ⢀⡠⠔⠒⠉\n"
                              "   │    ⢀⡠⠤⠒⠉⠁\n"
                              " 0 ┤●⠤⠒⠊⠁\n"
                              "   └┴──────────┴──────────┴────\n"
                              "    0         10         20\n"
                              "    offset\n");
    free(text);
}

static void a_plot_has_a_scale_signs_and_intervals(void **state)
{
    (void)state;
    static const struct plot_point up[] = {{0, 10, 8, 12}, {1, 20, NAN, NAN}, {2, 30, NAN, NAN}},
                                   flat[] = {{0, 30, NAN, NAN}, {1, NAN, NAN, NAN}, {2, 15, 14, 16}};
    const struct plot_series series[] = {{"block 128", up, 3}, {"block 256", flat, 3}};
    char *text = draw(series, 2, &plain);
    assert_string_equal(text, "GB/s (part of the scale)\n"
                              "30 +x....                  ...o\n"
                              "   |     ........     ......\n"
                              "20 +            .o......\n"
                              "   |       ......       ......x\n"
                              "   ||......                   |\n"
                              "10 +o\n"
                              "   ++------------+------------+\n"
                              "    0            1            2\n"
                              "    offset\n"
                              "  o block 128  x block 256\n");
    free(text);
}

static void an_interval_beyond_the_scale_of_the_points_is_cut_with_an_arrow(void **state)
{
    (void)state;
    static const struct plot_point wild[] = {{0, 10, 9, 11}, {1, 20, 19, 70000}, {2, 30, 0.001, 31}};
    const struct plot_series series[] = {{"", wild, 3}};
    char *text = draw(series, 1, &plain);
    assert_non_null(strchr(text, '^'));
    assert_null(strstr(text, "50"));
    assert_null(strstr(text, "70"));
    free(text);
}

static void points_nearer_than_their_intervals_are_drawn_with_whole_intervals(void **state)
{
    (void)state;
    static const struct plot_point noise[] = {{0, 10, 5, 15}, {1, 10.4, 5, 16}};
    const struct plot_series series[] = {{"", noise, 2}};
    char *text = draw(series, 1, &plain);
    assert_null(strchr(text, '^'));
    assert_non_null(strstr(text, "15 "));
    free(text);
}

static void nothing_is_drawn_of_no_numbers(void **state)
{
    (void)state;
    static const struct plot_point none[] = {{0, NAN, NAN, NAN}};
    const struct plot_series series[] = {{"", none, 1}};
    assert_null(draw(series, 1, &plain));
}

static void a_single_point_is_drawn(void **state)
{
    (void)state;
    static const struct plot_point one[] = {{3, 7, NAN, NAN}};
    const struct plot_series series[] = {{"", one, 1}};
    char *text = draw(series, 1, &braille);
    assert_non_null(strstr(text, "●"));
    free(text);
}

/* The ticks of the x axis of a plot of two points. */
static char *x_ticks(double from, double to)
{
    const struct plot_point points[] = {{from, 1, NAN, NAN}, {to, 2, NAN, NAN}};
    const struct plot_series series[] = {{"", points, 2}};
    char *text = draw(series, 1, &plain), *end = strrchr(text, 'o');
    while (*end != '\n')
        end--;
    *end = '\0';
    char *ticks = strdup(strrchr(text, '\n') + 1);
    free(text);
    return ticks;
}

static int count_of(const char *text, const char *style, const char *mark)
{
    char wanted[64];
    int count = 0;
    snprintf(wanted, sizeof wanted, "%s%s", style, mark);
    for (const char *at = text; (at = strstr(at, wanted)); at++)
        count++;
    return count;
}

static void a_mark_has_the_colour_of_its_series_where_another_goes_through(void **state)
{
    (void)state;
    static const struct screen coloured = {.color = true};
    static const struct plot_point one[] = {{0, 10, NAN, NAN}, {1, 20, NAN, NAN}, {2, 10, NAN, NAN}},
                                   through[] = {{0, 20, NAN, NAN}, {2, 20, NAN, NAN}},
                                   upright[] = {{1, 15, 10, 25}};
    const struct plot_series series[] = {{"", one, 3}, {"", through, 2}, {"", upright, 1}};
    char *text = draw(series, 3, &coloured);
    assert_int_equal(count_of(text, screen_style(&coloured, STYLE_BETTER), "●"), 3);
    assert_int_equal(count_of(text, "", "●"), 3);
    free(text);
}

static void wide_ranges_of_positive_numbers_go_by_powers(void **state)
{
    (void)state;
    char *powers = x_ticks(1, 1024), *even = x_ticks(0, 1024), *narrow = x_ticks(20, 1024);
    assert_string_equal(powers, "   1         16         256");
    assert_string_equal(even, "   0           500         1000");
    assert_string_equal(narrow, "               500         1000");
    free(powers);
    free(even);
    free(narrow);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_of_dots_is_braille),
        cmocka_unit_test(a_plot_has_a_scale_signs_and_intervals),
        cmocka_unit_test(an_interval_beyond_the_scale_of_the_points_is_cut_with_an_arrow),
        cmocka_unit_test(points_nearer_than_their_intervals_are_drawn_with_whole_intervals),
        cmocka_unit_test(nothing_is_drawn_of_no_numbers),
        cmocka_unit_test(a_single_point_is_drawn),
        cmocka_unit_test(a_mark_has_the_colour_of_its_series_where_another_goes_through),
        cmocka_unit_test(wide_ranges_of_positive_numbers_go_by_powers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
