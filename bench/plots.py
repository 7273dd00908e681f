#!/usr/bin/env python3
"""The plots of docs/lessons.md, from the tables in bench/results/lessons_h200.

    bench/plots.py                  draws docs/plots/*.svg
    bench/plots.py --take FOLDER    first takes the tables of `bench/proof.py --only lessons --lessons FOLDER`,
                                    every row, but only the columns of KEPT that say something"""
import argparse
import csv
import json
import pathlib

from chart import bar_chart, line_chart

ROOT = pathlib.Path(__file__).parents[1]
TABLES = ROOT / "bench/results/lessons_h200"
PLOTS = ROOT / "docs/plots"
KEPT = ["kernel", "dtype", "size_elements", "block_x", "block_y", "load", "tile", "meet", "stride", "phases", "width",
        "chains", "steps", "offset", "unroll", "values", "bounds", "order", "how", "shared_bytes", "cold_median_us", "hot_median_us",
        "cold_effective_gbps", "registers_per_thread", "local_bytes_per_thread", "theoretical_occupancy",
        "measured_achieved_occupancy", "measured_gld_requests", "predicted_gld_transactions", "measured_gld_transactions",
        "predicted_gst_transactions", "measured_gst_transactions", "measured_gld_efficiency_pct",
        "measured_gst_efficiency_pct", "measured_dram_read_bytes", "measured_l1_hit_rate_pct", "measured_l2_hit_rate_pct",
        "predicted_shared_load_bank_conflicts", "predicted_shared_store_bank_conflicts", "measured_shared_bank_conflicts",
        "measured_as_predicted", "hot_gops", "hot_ns_per_operation"]


def take(folder):
    TABLES.mkdir(parents=True, exist_ok=True)
    for path in sorted(folder.glob("*.csv")):
        with path.open(newline="") as file:
            rows = list(csv.DictReader(file))
        kept = [name for name in KEPT if any(row[name] not in ("", "0", "0.0") for row in rows)]
        with (TABLES / path.name).open("w", newline="") as file:
            writer = csv.DictWriter(file, kept, extrasaction="ignore", lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)


def table(name):
    with (TABLES / f"{name}.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def published(recipe):
    found = json.loads((ROOT / f"api/recipes/{recipe}.json").read_text())["published"]
    return [dict(zip(found["columns"], row)) for row in found["rows"]]


def shape(row):
    return f"{row['block_x']}x{row['block_y']}"


def group(rows, series, x, y, scale=1):
    """({series name: [y, in the order of x]}, names of x) of rows, both in the order in which they come."""
    names, found = list(dict.fromkeys(x(row) for row in rows)), {}
    for row in rows:
        found.setdefault(series(row), dict.fromkeys(names))[x(row)] = float(row[y]) * scale
    return names, {name: list(values.values()) for name, values in found.items()}


def offsets(path):
    names, series = group(table("offsets"), lambda row: row["kernel"], lambda row: row["offset"], "cold_median_us")
    line_chart(path, "Offsets: time by shift, NVIDIA H200 (the axis begins at 240 µs)", "offset (elements of 4 bytes)",
               "cold median (µs)", names, series, 240, 250)


def unrolling(path):
    names, series = group(table("unrolling"), lambda row: f"{row['unroll']} a thread", lambda row: row["block_x"],
                          "cold_effective_gbps")
    line_chart(path, "Unrolling: bandwidth by block size, NVIDIA H200", "threads a block", "effective bandwidth (GB/s)",
               names, series)


def layouts(path):
    names, series = group(table("layouts"), lambda row: row["kernel"], lambda row: row["block_x"], "cold_effective_gbps")
    bar_chart(path, "Layouts: bandwidth by block size, NVIDIA H200", "threads a block", "effective bandwidth (GB/s)",
              names, series)


def block_sizes(path):
    ours = {int(row["block_x"]): float(row["cold_median_us"]) for row in table("blocks")}
    theirs = {row["block"]: row["elapsed_ms"] for row in published("vector_add_blocks")}
    line_chart(path, "Block sizes: time over the best block's, vector_add", "threads a block", "time / best time",
               list(ours), {"H200, measured": [time / min(ours.values()) for time in ours.values()],
                            "K80, published": [theirs[block] / min(theirs.values()) for block in ours]})


def block_shapes(path):
    names, series = group(table("blocks_row"), lambda row: f"{row['order']} order", shape, "cold_median_us")
    bar_chart(path, "Block shapes: an 8192 x 8192 add in row and column order, NVIDIA H200", "block (x by y threads)",
              "cold median (µs)", names, series)


def occupancy(path):
    rows = table("occupancy")[::-1]
    names, series = group(rows, lambda row: {"read_offset": "1 a thread"}.get(row["kernel"], "4 a thread"),
                          lambda row: row["theoretical_occupancy"], "cold_effective_gbps")
    line_chart(path, "Occupancy: bandwidth with ever more warps, NVIDIA H200", "theoretical occupancy",
               "effective bandwidth (GB/s)", names, series)


def latency_by_footprint(path):
    rows = table("latency_by_footprint")
    sizes = [int(row["size_elements"]) * 4 // 1024 for row in rows]
    names = [f"{size}K" if size < 1024 else f"{size >> 10}M" if size < 1 << 20 else f"{size >> 20}G" for size in sizes]
    line_chart(path, "Latency: time a dependent load, NVIDIA H200", "footprint (bytes)", "ns a load", names, {
        "cold": [float(row["cold_median_us"]) * 1e3 / int(row["steps"]) for row in rows],
        "hot": [float(row["hot_ns_per_operation"]) for row in rows]})


def latency_hiding(path):
    rows = [row for row in table("latency_hiding")[::-1] if row["dtype"] == "f32"]
    names, series = group(rows, lambda row: f"{row['chains']} chain{'s' * (row['chains'] != '1')}",
                          lambda row: row["theoretical_occupancy"], "hot_gops", 1e-3)
    line_chart(path, "Latency hiding: additions (f32) by warps and by chains, NVIDIA H200", "theoretical occupancy",
               "10¹² additions a second", names, dict(reversed(series.items())))


def transpose(path):
    names, series = group(table("transpose"), lambda row: row["how"], shape, "cold_median_us")
    bar_chart(path, "Transpose: five ways at four block shapes, 8192 x 8192, NVIDIA H200", "block (x by y threads)",
              "cold median (µs)", names, series)


def bank_strides(path):
    names, series = group(table("bank_strides"), lambda row: row["kernel"], lambda row: row["stride"], "cold_median_us")
    bar_chart(path, "Banks: time by stride in shared memory, NVIDIA H200", "stride (words of 4 bytes)", "cold median (µs)",
              names, series)


DRAWN = [offsets, unrolling, layouts, block_sizes, block_shapes, occupancy, latency_by_footprint, latency_hiding, transpose,
         bank_strides]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--take", type=pathlib.Path, metavar="FOLDER", help="folder of the service's own tables")
    arguments = parser.parse_args()
    if arguments.take:
        take(arguments.take)
    PLOTS.mkdir(parents=True, exist_ok=True)
    for draw in DRAWN:
        draw(PLOTS / f"{draw.__name__}.svg")


if __name__ == "__main__":
    main()
