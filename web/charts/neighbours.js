/* Two neighbouring warps and what they ask of memory between them: the one's lanes above, the other's below, the words
   in their lines between. A sector that both ask for is framed; what moved and neither uses is hatched. Everything
   follows from two `explain` answers. */
import {svg} from "../dom.js";
import {t, wordsAdd} from "../words.js";
import {lanes_of, mask_runs, words_of, LINE, SECTOR} from "./memory_access.js";
import {curve_path, group_gap} from "./memory_lanes.js";
import {hatch, rect, round, text} from "./svg.js";

// clang-format off
wordsAdd({
  "lessons.neighbours": ["A warp asks for {a} sectors and the next one for {b}; {twice} of them {twice|is|are} asked for twice.", "一个线程束请求 {a} 个扇区，下一个请求 {b} 个；其中 {twice} 个被请求两次。"],
  "lessons.warp_one": ["warp 1, 32 lanes", "线程束 1，32 个通道"],
  "lessons.warp_two": ["warp 2, the next 32", "线程束 2，后面的 32 个"],
  "lessons.twice": ["asked for twice", "请求了两次"],
});
// clang-format on

const LANES = 24, CURVE = 44, BOX = 32, INSET = 3, GAP = 3;

/* Sectors of both: address → {one, two, used: 32 of true}. */
function sectors_of(accesses) {
  const all = new Map();
  accesses.forEach((access, k) => access.sectors.forEach(sector => {
    if (!all.has(sector.address)) all.set(sector.address, {asked: [false, false], used: Array(SECTOR).fill(false)});
    const own = all.get(sector.address);
    own.asked[k] = true;
    for (const run of mask_runs(sector.used_mask))
      if (run.used) own.used.fill(true, run.from, run.to);
  }));
  return all;
}

export function neighbours_twice(accesses) {
  return [...sectors_of(accesses).values()].filter(sector => sector.asked[0] && sector.asked[1]).length;
}

/* `explains`: of a warp and the next one; `at`: which of their accesses; `lines`: how many lines are drawn, whatever is
 * asked for. */
export function neighbours_draw(explains, {at, lines, width}) {
  const accesses = explains.map(explain => explain.accesses[at]), sectors = sectors_of(accesses), stripes = hatch();
  const first = Math.min(...sectors.keys()), begin = first - first % LINE, wide = (width - (lines - 1) * GAP) / lines;
  const inner = wide - 2 * INSET, gap = group_gap(inner), sector_width = (inner - 3 * gap) / 4, top = LANES + CURVE;
  const x_of = address => {
    const line = Math.floor((address - begin) / LINE), byte = (address - begin) % LINE,
          sector = Math.floor(byte / SECTOR);
    return line * (wide + GAP) + INSET + sector * (sector_width + gap) + byte % SECTOR * sector_width / SECTOR;
  };
  const height = 2 * (LANES + CURVE) + BOX;
  const drawing = svg(
    "svg", {
      class: "neighbours",
      width,
      height,
      role: "img",
      "aria-label":
        t("lessons.neighbours",
          {a: accesses[0].sectors.length, b: accesses[1].sectors.length, twice: neighbours_twice(accesses)})
    },
    stripes.defs);
  for (let line = 0; line < lines; line++) {
    const x = line * (wide + GAP);
    drawing.append(rect(x, top, wide, BOX, {class: "line-frame", rx: 3}));
    for (let k = 0; k < LINE / SECTOR; k++) {
      const address = begin + line * LINE + k * SECTOR, sector = sectors.get(address), left = x_of(address);
      drawing.append(
        rect(left, top + INSET, sector_width, BOX - 2 * INSET, {class: sector ? "sector touched" : "sector"}));
      sector?.used.forEach((used, byte) => {
        if (!used && byte % 4 === 0)
          drawing.append(rect(
            left + byte * sector_width / SECTOR, top + INSET, sector_width / 8, BOX - 2 * INSET,
            {fill: stripes.fill, class: "unused"}));
      });
    }
  }
  explains.forEach(
    (explain, k) => warp_draw(
      drawing, lanes_of(accesses[k], explain.instructions[accesses[k].instruction]),
      {k, top, wide, inner, gap, x_of, sector_width}));
  const shared = [...sectors].filter(([, sector]) => sector.asked[0] && sector.asked[1]);
  if (shared.length) {
    const from = x_of(shared[0][0]) - 2, to = x_of(shared.at(-1)[0]) + sector_width + 2, middle = (from + to) / 2;
    drawing.append(
      rect(from, top - 1, to - from, BOX + 2, {class: "twice", rx: 2}),
      svg("line", {class: "tick-strong", x1: round(middle), x2: round(middle), y1: top + BOX + 2, y2: top + BOX + 13}),
      text(middle, top + BOX + 25, t("lessons.twice"), {class: "strong halo", "text-anchor": "middle"}));
  }
  return drawing;
}

/* Its lanes stand where its words lie when nothing is shifted: over a line of their own. */
function warp_draw(drawing, lanes, {k, top, wide, inner, gap, x_of, sector_width}) {
  const kind = k === 0 ? "one" : "two", start = k * (wide + GAP) + INSET, pitch = (inner - 3 * gap) / 32;
  const y = k === 0 ? LANES - 8 : top + BOX + CURVE, edge = k === 0 ? top - 1 : top + BOX + 1;
  for (const lane of lanes) {
    const x = start + lane.lane * pitch + Math.floor(lane.lane / 8) * gap;
    drawing.append(rect(x + 0.4, y, Math.max(1.2, pitch - (pitch > 4 ? 1.2 : 0.5)), 8, {class: `lane ${kind}`, rx: 1}));
    const middle = x + pitch / 2, to = x_of(lane.address) + lane.bytes * sector_width / SECTOR / 2;
    drawing.append(svg("path", {
      class: `curve ${kind}`,
      d: k === 0 ? curve_path(middle, to, y + 9, edge) : curve_path(to, middle, edge, y - 1)
    }));
  }
  for (const word of words_of(lanes)) {
    const word_width = word.bytes * sector_width / SECTOR;
    drawing.append(rect(
      x_of(word.address) + (word_width > 3.5 ? 0.5 : 0.2), top + INSET,
      Math.max(0.8, word_width - (word_width > 3.5 ? 1 : 0.4)), BOX - 2 * INSET, {class: `used ${kind}`}));
  }
  const end = k === 0 ? start : start + inner;
  drawing.append(text(
    end, k === 0 ? y - 5 : y + 21, t(k === 0 ? "lessons.warp_one" : "lessons.warp_two"),
    {class: `strong ${kind}`, "text-anchor": k === 0 ? "start" : "end"}));
}
