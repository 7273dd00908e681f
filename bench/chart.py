"""Line charts and bar charts as small SVG files, with nothing but Python. Each function returns the file's text."""
import math
from xml.sax.saxutils import escape

WIDTH, HEIGHT = 720, 400
LEFT, RIGHT, TOP, BOTTOM = 74, 150, 48, 62  # margins; the legend stands in the right one
COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#000000", "#e69f00"]  # told apart by colour-blind readers too


def short(number):
    return f"{number:.6g}"


def ticks(low, high, about=6):
    """Round numbers from low to high."""
    rough = (high - low) / about
    power = 10 ** math.floor(math.log10(rough))
    step = next(power * factor for factor in (1, 2, 2.5, 5, 10) if power * factor >= rough)
    first = math.ceil(low / step - 1e-9)
    return [round(index * step, 10) for index in range(first, math.floor(high / step + 1e-9) + 1)]


def text(x, y, words, anchor="middle", more=""):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{more}>{escape(str(words))}</text>'


def line(x1, y1, x2, y2, colour="#d0d0d0"):
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}"/>'


def frame(title, x_label, y_label, low, high):
    """What both kinds share, and the function from a value to its height on the page."""
    bottom, right = HEIGHT - BOTTOM, WIDTH - RIGHT

    def at(value):
        return bottom - (value - low) / (high - low) * (bottom - TOP)

    # White, whatever the page behind it: the letters are dark.
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}"'
             ' font-family="sans-serif" font-size="13" fill="#222">',
             f"<title>{escape(title)}</title>", f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>',
             text(16, 26, title, "start", ' font-size="15" font-weight="bold"')]
    for value in ticks(low, high):
        parts.append(line(LEFT, at(value), right, at(value)))
        parts.append(text(LEFT - 8, at(value) + 4, short(value), "end"))
    parts.append(line(LEFT, bottom, right, bottom, "#222"))
    middle = (TOP + bottom) / 2
    parts.append(text(20, middle, y_label, more=f' transform="rotate(-90 20 {middle:.1f})"'))
    parts.append(text((LEFT + right) / 2, HEIGHT - 14, x_label))
    return parts, at


def legend(parts, names):
    if len(names) < 2:
        return
    for index, name in enumerate(names):
        y = TOP + 12 + 22 * index
        parts.append(f'<rect x="{WIDTH - RIGHT + 14}" y="{y - 10}" width="12" height="12" fill="{COLOURS[index]}"/>')
        parts.append(text(WIDTH - RIGHT + 32, y, name, "start"))


def slot(index, count):
    """Middle of one of so many equal shares of the x axis, and a share's width."""
    share = (WIDTH - LEFT - RIGHT) / count
    return LEFT + share * (index + 0.5), share


def line_chart(title, x_label, y_label, names_x, series, low=0, high=None):
    """series: {name: a value or None for each of names_x}. The x axis has equal steps, one a name."""
    high = high or 1.08 * max(value for row in series.values() for value in row if value is not None)
    parts, at = frame(title, x_label, y_label, low, high)
    for index, name in enumerate(names_x):
        x, _ = slot(index, len(names_x))
        parts.append(line(x, HEIGHT - BOTTOM, x, HEIGHT - BOTTOM + 5, "#222"))
        parts.append(text(x, HEIGHT - BOTTOM + 20, name, more=' font-size="11"' if len(names_x) > 13 else ""))
    for number, row in enumerate(series.values()):
        points = [(slot(index, len(row))[0], at(value)) for index, value in enumerate(row) if value is not None]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        parts.append(f'<polyline points="{path}" fill="none" stroke="{COLOURS[number]}" stroke-width="2"/>')
        parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="{COLOURS[number]}"/>' for x, y in points]
    legend(parts, list(series))
    return "\n".join([*parts, "</svg>", ""])


def bar_chart(title, x_label, y_label, names_x, series):
    """series: {name: a value for each of names_x}. Bars begin at zero."""
    parts, at = frame(title, x_label, y_label, 0, 1.08 * max(max(row) for row in series.values()))
    for index, name in enumerate(names_x):
        x, share = slot(index, len(names_x))
        wide = 0.8 * share / len(series)
        for number, row in enumerate(series.values()):
            left, y = x - 0.4 * share + number * wide, at(row[index])
            parts.append(f'<rect x="{left:.1f}" y="{y:.1f}" width="{wide - 1:.1f}" height="{HEIGHT - BOTTOM - y:.1f}"'
                         f' fill="{COLOURS[number]}"/>')
        parts.append(text(x, HEIGHT - BOTTOM + 20, name))
    legend(parts, list(series))
    return "\n".join([*parts, "</svg>", ""])
