"""Line charts, bar charts and a scatter as SVG files, drawn by matplotlib. Needs python3-matplotlib."""
import matplotlib

matplotlib.use("svg")
from matplotlib import pyplot

COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#000000", "#e69f00"]  # told apart by colour-blind readers too
pyplot.rcParams.update({
    "svg.fonttype": "none", "svg.hashsalt": "coalesced",  # text stays text; the same figures make the same file
    "font.family": "sans-serif", "axes.prop_cycle": pyplot.cycler(color=COLOURS), "axes.axisbelow": True,
    "axes.spines.top": False, "axes.spines.right": False, "axes.titlelocation": "left",
})


def axes_of(title, x_label, y_label, size=(9, 5)):
    figure, axes = pyplot.subplots(figsize=size)
    axes.set(xlabel=x_label, ylabel=y_label)
    axes.set_title(title, fontweight="bold", fontsize=11)
    axes.grid(axis="y", color="#d0d0d0", linewidth=0.8)
    return figure, axes


def save(figure, path):
    if len(figure.axes[0].get_legend_handles_labels()[1]) > 1:
        figure.axes[0].legend(loc="upper left", bbox_to_anchor=(1, 1), frameon=False)
    figure.savefig(path, bbox_inches="tight", metadata={"Date": None, "Creator": None})
    pyplot.close(figure)


def line_chart(path, title, x_label, y_label, names_x, series, low=0, high=None):
    """series: {name: a value or None for each of names_x}. The x axis has equal steps, one a name."""
    figure, axes = axes_of(title, x_label, y_label)
    for name, row in series.items():
        points = [(index, value) for index, value in enumerate(row) if value is not None]
        axes.plot(*zip(*points), marker="o", markersize=4, label=name)
    axes.set_xticks(range(len(names_x)), names_x, fontsize=8 if len(names_x) > 13 else None)
    axes.set_ylim(low, high)
    save(figure, path)


def bar_chart(path, title, x_label, y_label, names_x, series):
    """series: {name: a value for each of names_x}. Bars begin at zero."""
    figure, axes = axes_of(title, x_label, y_label)
    width = 0.8 / len(series)
    for number, (name, row) in enumerate(series.items()):
        axes.bar([index - 0.4 + (number + 0.5) * width for index in range(len(names_x))], row, width, label=name)
    axes.set_xticks(range(len(names_x)), names_x)
    save(figure, path)


def scatter_chart(path, title, x_label, y_label, series):
    """series: {name: [(x, y), ...]}, both on logarithmic scales; on the line both are the same."""
    figure, axes = axes_of(title, x_label, y_label, size=(6.5, 6.5))
    values = [value for points in series.values() for point in points for value in point]
    axes.plot([min(values), max(values)], [min(values), max(values)], color="#888888", linewidth=1)
    for name, points in series.items():
        axes.plot(*zip(*points), linestyle="none", marker="o", markersize=3, alpha=0.6, label=name)
    axes.set(xscale="log", yscale="log")
    save(figure, path)
