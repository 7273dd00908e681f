#!/usr/bin/env python3
"""Draws the pictures of a warp over segments in docs/lessons.md, out of what a service explains.

  scripts/draw_warps.py http://127.0.0.1:8080 [--out docs/plots/warps]

Above the 32 lanes, below what moves for the warp's first access, in the chip's own unit (sectors, lines or segments), with the bytes that
are asked for; four sectors of a line stand together, and the untouched ones of a line too where there is room. Light or dark as the
reader's screen is."""
import argparse
import collections
import json
import pathlib
import urllib.request

HERE = pathlib.Path(__file__).resolve().parents[1]
# A name each, and whose warp it is; on an sm_90 unless it says otherwise.
PICTURES = {
    "aligned": {"kernel": "read_offset", "offset": 0, "size": 65536},
    "shifted": {"kernel": "read_offset", "offset": 11, "size": 65536},
    "shifted_lines": {"kernel": "read_offset", "offset": 11, "size": 65536, "arch": "sm_20"},
    "permuted": {"kernel": "lane_pattern", "pattern": "permuted", "size": 65536},
    "same_word": {"kernel": "lane_pattern", "pattern": "same_word", "size": 65536},
    "scattered": {"kernel": "lane_pattern", "pattern": "scattered", "size": 65536},
    "structures": {"kernel": "aos", "size": 65536},
    "row_16": {"kernel": "sum_matrix_2d", "order": "row", "size": [64, 64], "block": [16, 16]},
    "column_32": {"kernel": "sum_matrix_2d", "order": "column", "size": [64, 64], "block": [32, 16]},
    "column_16": {"kernel": "sum_matrix_2d", "order": "column", "size": [64, 64], "block": [16, 16]},
}
SECTOR, LINE = 32, 128
WIDTH, LANES_Y, SEGMENTS_Y, CELL, HEIGHT = 720, 28, 96, 18, 152
MOST_WHOLE_LINES = 4
STYLE = ("text{font:12px sans-serif;fill:#333}.lane{fill:#cfe3f3;stroke:#0072b2}.way{stroke:#0072b2;stroke-width:.7;opacity:.75}"
         ".segment{fill:none;stroke:#888}.used{fill:#0072b2}.moved{fill:#e8b07a}"
         "@media(prefers-color-scheme:dark){text{fill:#ddd}.lane{fill:#12354f;stroke:#56b4e9}.way{stroke:#56b4e9}.used{fill:#56b4e9}.moved{fill:#8a5a2b}}")


def explained(url, request):
    body = json.dumps({"arch": "sm_90", **request, "explain": {"block": 0, "warp": 0}}).encode()
    asked = urllib.request.Request(f"{url}/v1/predictions", body, {"Content-Type": "application/json"})
    with urllib.request.urlopen(asked, timeout=30) as answer:
        return json.load(answer)["explain"]


def runs(mask):
    """The bytes that are asked for, as (first, how many), of a sector's mask: its lowest bit is its first byte."""
    bits, start = int(mask, 16), None
    for byte in range(33):
        used = byte < 32 and bits >> byte & 1
        if used and start is None:
            start = byte
        elif not used and start is not None:
            yield start, byte - start
            start = None


def sectors_of(transaction):
    return range(transaction["address"], transaction["address"] + transaction["bytes"], SECTOR)


def sums(used, pieces):
    """"32 B × 5: 128 / 160 B = 80 %", of pieces as (bytes, how many)."""
    moved = sum(size * count for size, count in pieces)
    return f'{", ".join(f"{size} B × {count}" for size, count in pieces)}: {used} / {moved} B = {100 * used / moved:.4g} %'


def places(access):
    """Where the left edge of each drawn sector lies, by its address, and how wide a sector is."""
    lines, touched = access["lines"], [address for transaction in access["transactions"] for address in sectors_of(transaction)]
    whole = len(lines) <= MOST_WHOLE_LINES
    groups = [[line + 32 * k for k in range(4) if whole or line + 32 * k in touched] for line in lines]
    gap = 12 if whole else 4
    width = min(64.0, (WIDTH - 40 - gap * (len(groups) - 1)) / sum(map(len, groups)))
    left = (WIDTH - width * sum(map(len, groups)) - gap * (len(groups) - 1)) / 2
    at = {}
    for group in groups:
        for address in group:
            at[address] = left
            left += width
        left += gap
    return at, width


def picture(explain):
    access = explain["accesses"][0]
    at, width = places(access)
    sectors = {sector["address"]: sector for sector in access["sectors"]}
    lane_width = (WIDTH - 40) / 32
    used = sum(sector["used_bytes"] for sector in sectors.values())
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}"><style>{STYLE}</style>']
    lane_of = [(lane, address) for lane, address in enumerate(access["addresses"]) if address is not None]
    for lane, address in lane_of:
        x, sector = 20 + (lane + .5) * lane_width, address // 32 * 32
        to = at[sector] + (address - sector + 2) / 32 * width
        parts.append(f'<path class="way" d="M{x:.1f} {LANES_Y + CELL}L{to:.1f} {SEGMENTS_Y}"/>')
    for lane in range(32):
        parts.append(f'<rect class="lane" x="{20 + lane * lane_width:.1f}" y="{LANES_Y}" width="{lane_width:.1f}" height="{CELL}"/>')
    for transaction in access["transactions"]:
        x, wide = at[transaction["address"]], transaction["bytes"] / SECTOR * width
        parts.append(f'<rect class="moved" x="{x:.1f}" y="{SEGMENTS_Y}" width="{wide:.1f}" height="{CELL}"/>')
        for address in sectors_of(transaction):
            for first, count in runs(sectors[address]["used_mask"]) if address in sectors else ():
                parts.append(f'<rect class="used" x="{at[address] + first / 32 * width:.1f}" y="{SEGMENTS_Y}" width="{count / 32 * width:.1f}" height="{CELL}"/>')
    moved = {address for transaction in access["transactions"] for address in sectors_of(transaction)}
    outlines = [(at[one["address"]], one["bytes"] / SECTOR * width) for one in access["transactions"]]
    for x, wide in sorted(outlines + [(x, width) for address, x in at.items() if address not in moved]):
        parts.append(f'<rect class="segment" x="{x:.1f}" y="{SEGMENTS_Y}" width="{wide:.1f}" height="{CELL}"/>')
    sizes = sorted(collections.Counter(one["bytes"] for one in access["transactions"]).items())
    told = sums(used, sizes) + (f'   ·   {sums(used, [(LINE, len(access["lines"]))])}' if sizes == [(SECTOR, len(moved))] else "")
    parts.append(f'<text x="20" y="18">0</text><text x="{WIDTH - 20}" y="18" text-anchor="end">31</text>')
    parts.append(f'<text x="{WIDTH / 2}" y="18" text-anchor="middle">{access.get("index") or "A[…]"}</text>')
    parts.append(f'<text x="{WIDTH / 2}" y="{HEIGHT - 14}" text-anchor="middle">{told}</text></svg>\n')
    return "\n".join(parts)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("url")
    parser.add_argument("--out", type=pathlib.Path, default=HERE / "docs" / "plots" / "warps")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    for name, request in PICTURES.items():
        (options.out / f"{name}.svg").write_text(picture(explained(options.url, request)))


if __name__ == "__main__":
    main()
