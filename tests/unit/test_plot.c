#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "client/terminal/plot_axis.h"
#include "client/terminal/canvas.h"
#include "client/terminal/plot.h"

static const struct screen plain = {.ascii = true}, braille = {.ascii = false};

static void a_line_of_dots_is_braille(void **state)
{
    (void)state;
    struct canvas *canvas = canvas_new(2, 1);
    struct buffer out = {0};
    canvas_line(canvas, 0, 3, 3, 0, STYLE_NONE, '.');
    canvas_row(canvas, 0, &braille, &out);
    /* Rising: dots 7 and 6 in the first character, 2 and 4 in the second. */
    assert_string_equal(out.data, "⡠⠊");
    buffer_free(&out);
    canvas_row(canvas, 0, &plain, &out);
    assert_string_equal(out.data, "..");
    buffer_free(&out);
    canvas_free(canvas);
    assert_null(canvas_new(0, 1));
}

static void what_is_outside_is_left_out(void **state)
{
    (void)state;
    struct canvas *canvas = canvas_new(1, 1);
    struct buffer out = {0};
    canvas_line(canvas, -5, 0, 9, 0, STYLE_NONE, '.');
    canvas_mark(canvas, 99, 99, STYLE_NONE, "x");
    canvas_row(canvas, 0, &braille, &out);
    assert_string_equal(out.data, "⠉");
    buffer_free(&out);
    canvas_free(canvas);
}

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

static void wide_ranges_of_positive_numbers_go_by_powers(void **state)
{
    (void)state;
    struct plot_axis axis = {1, 1024, false, true};
    plot_axis_choose_scale(&axis);
    assert_true(axis.powers);
    assert_int_equal(plot_axis_position(&axis, 32, 100), 50);
    double ticks[12];
    assert_int_equal(plot_axis_ticks(&axis, 5, ticks, 12), 6);
    assert_true(ticks[1] == 4 && ticks[5] == 1024);
    axis = (struct plot_axis){0, 1024, false, true};
    plot_axis_choose_scale(&axis);
    assert_false(axis.powers);
    assert_int_equal(plot_axis_position(&axis, 512, 100), 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_of_dots_is_braille),
        cmocka_unit_test(what_is_outside_is_left_out),
        cmocka_unit_test(a_plot_has_a_scale_signs_and_intervals),
        cmocka_unit_test(nothing_is_drawn_of_no_numbers),
        cmocka_unit_test(a_single_point_is_drawn),
        cmocka_unit_test(wide_ranges_of_positive_numbers_go_by_powers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
