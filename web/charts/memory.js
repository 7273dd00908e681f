/* The memory chart: what a warp asks of memory. For each access 32 lanes above, curves to their words, and the words in
   lines of 128 bytes and sectors of 32: used bytes filled, moved but unused ones hatched, untouched ones pale.

   memory_draw is a pure function of an `explain` answer and its options; memory_moves slides the lanes of a new drawing
   from where those of the one before were. Counts are the service's own. */
import {access_counts, access_uses, counts_sum, lanes_of, lines_of, line_blank, shared_alone, unit_head, unit_words, units_of, waste_of, words_of, LINE} from "./memory_access.js";
import {banks_draw, constants_draw} from "./memory_banks.js";
import {svg} from "../dom.js";
import {curve, curve_path, group_gap, lanes_draw, CURVE} from "./memory_lanes.js";
import {hatch, rect, round, text} from "./svg.js";
import "./words.js";

export const ACCESSES_DRAWN = 8;
const BOX = 29, INSET = 3;

/* Where things stand: the width of the numbers at the right, and of what is left for lines. */
function frame_of(width) {
  const phone = width < 560;
  const numbers = phone ? 0 : 208;
  return {width, phone, numbers, chart: width - numbers - (phone ? 0 : 14), left: phone ? 0 : 4};
}

/* Options: {width, grid: of the launch, say(key, values), number(n), all: every access, shown: how many else, bare: no
   total, before and after: explain of the neighbouring warps}. */
export function memory_draw(explain, options) {
  const frame = frame_of(options.width), stripes = hatch();
  const drawing =
    svg("svg", {class: "memory", width: frame.width, role: "img", "aria-label": memory_sentence(explain, options)});
  drawing.append(stripes.defs);
  const shown = options.all ? explain.accesses : explain.accesses.slice(0, options.shown ?? ACCESSES_DRAWN);
  const context = {...options, frame, fill: stripes.fill, explain, noted: new Set()};
  let y = 2;
  shown.forEach((access, index) => {
    const group =
      svg("g", {class: "access", "data-access": index, "data-transactions": access_counts(access).transactions});
    y = access_draw(group, access, index, y, context);
    drawing.append(group);
  });
  if (!frame.phone && !options.bare) y = total_draw(drawing, y, context);
  drawing.setAttribute("height", round(y));
  drawing.setAttribute("viewBox", `0 0 ${round(frame.width)} ${round(y)}`);
  return drawing;
}

export function access_name(explain, access, say) {
  const of = explain.instructions[access.instruction];
  return {kind: of.kind, what: access_what(of, access, say), instruction: of};
}

function access_what(of, access, say) {
  const array = of.array ?? say(`memory.${of.space}`);
  return access.index ? `${array}[${access.index}]` : array;
}

function access_draw(group, access, index, top, context) {
  const {frame, say} = context, {kind, what, instruction} = access_name(context.explain, access, say);
  let y = top;
  if (index > 0 && !frame.phone) {
    group.append(svg("line", {class: "rule", x1: 0, x2: frame.width, y1: y + 2, y2: y + 2}));
    y += 8;
  } else if (index > 0)
    y += 6;
  const counts = access_counts(access), words = say(`memory.${kind}`) + " " + what;
  const title = svg("text", {class: "name", x: frame.left, y: y + 12}, words);
  if (frame.phone)
    title.append(svg("tspan", {class: "count", dx: 10}, phone_counts(access, instruction, counts, context)));
  group.append(title);
  if (index === 0 && !frame.phone) heads_draw(group, y + 12, context);
  y += 18;
  const lanes = lanes_of(access, instruction);
  const area = {x: frame.left, y, width: frame.chart - frame.left};
  const {space} = instruction;
  const own = {...context, index, lanes, instruction};
  const drawn = space === "shared" ? banks_draw(group, area, own) :
    space === "constant"           ? constants_draw(group, area, own) :
                                     lines_draw(group, access, area, own);
  if (!frame.phone) numbers_draw(group, drawn.middle, access, instruction, counts, context);
  return drawn.bottom + (frame.phone ? 4 : 6);
}

/* How often shared or constant memory has to answer for one access; null for global memory, which counts transactions.
 */
function turns_of(access, instruction) {
  if (instruction.space === "shared") return access.wavefronts;
  return instruction.space === "constant" ? words_of(lanes_of(access, instruction)).length : null;
}

/* Where no figure is: nothing is touched, or the architecture's requests are not counted. */
const nothing_words = access => access.sectors?.length ? "memory.not_counted" : "memory.no_sectors";

function phone_counts(access, instruction, counts, {say, number}) {
  const turns = turns_of(access, instruction);
  if (turns !== null) return say("memory.turns", {n: number(turns)});
  if (counts.efficiency === null) return say(nothing_words(access));
  const n = number(counts.transactions);
  return say("memory.brief", {what: unit_words(instruction, n, {say}), percent: percent(counts.efficiency)});
}

function columns_of({frame}) {
  return [frame.width - 152, frame.width - 86, frame.width - 2];
}

function heads_draw(group, y, context) {
  const heads = shared_alone(context) ?
    [context.say("memory.requests"), context.say("memory.head_turns"), context.say("memory.head_conflicts")] :
    [context.say("memory.requests"), unit_head(context), context.say("memory.efficiency")];
  columns_of(context).forEach((x, k) => group.append(text(x, y, heads[k], {class: "head", "text-anchor": "end"})));
}

/* A percentage, rounded to a whole number unless it is an exact half. What is below 100 is not shown as 100, nor what
   is above 0 as 0. */
export function percent(value) {
  const whole = Math.round(value);
  if ((whole === 100 && value < 100) || (whole === 0 && value > 0))
    return `${value.toFixed(1) === "100.0" ? "99.9" : value.toFixed(1)} %`;
  return `${Number.isInteger(2 * value) ? value : whole} %`;
}

function numbers_draw(group, y, access, instruction, counts, context) {
  const [first, second, third] = columns_of(context), {say, number} = context;
  const put = (x, above, below, tone = "") => {
    group.append(text(x, y + 2, above, {class: `number ${tone}`, "text-anchor": "end"}));
    if (below) group.append(text(x, y + 17, below, {class: "note", "text-anchor": "end"}));
  };
  put(first, number(counts.requests));
  const turns = turns_of(access, instruction), alone = shared_alone(context);
  if (alone) put(second, number(turns));
  if (alone) return put(third, number(access.bank_conflicts), "", access.bank_conflicts > 0 ? "low" : "");
  if (turns !== null)
    return put(
      third, say("memory.turns", {n: number(turns)}),
      instruction.space === "shared" ? say("memory.conflicts", {n: number(access.bank_conflicts)}) :
                                       say("memory.more_turns", {n: number(turns - 1)}),
      (access.bank_conflicts ?? turns - 1) > 0 ? "low" : "");
  if (counts.efficiency === null) return put(third, say(nothing_words(access)));
  const unit = units_of(context).length > 1 ? `${say(`memory.units.${instruction.unit}`)}, ` : "";
  put(second, number(counts.transactions), `${unit}${number(counts.moved_bytes)} B`);
  put(
    third, percent(counts.efficiency), say("memory.used_bytes", {n: number(counts.used_bytes)}),
    counts.efficiency < 100 ? "low" : "");
}

function total_draw(drawing, top, context) {
  const {explain, say, number, frame} = context, [first, second, third] = columns_of(context);
  const sum = counts_sum(explain.accesses.map(access_counts)), group = svg("g", {class: "total"}), y = top + 20;
  const {accesses_left_out: left, accesses: {length: listed}} = explain;
  const name =
    left > 0 ? say("memory.total_part", {n: number(listed), of: number(listed + left)}) : say("memory.total");
  group.append(
    svg("line", {class: "rule strong", x1: 0, x2: frame.width, y1: top + 2, y2: top + 2}),
    text(frame.left, y, name, {class: "name plain"}),
    text(first, y, number(sum.requests), {class: "number", "text-anchor": "end"}));
  if (sum.efficiency !== null)
    group.append(
      text(
        frame.chart - 4, y, say("memory.total_bytes", {used: number(sum.used_bytes), moved: number(sum.moved_bytes)}),
        {class: "note", "text-anchor": "end"}),
      /* Counts in different units are not added. */
      text(
        second, y, units_of(context).length > 1 ? "" : number(sum.transactions),
        {class: "number", "text-anchor": "end"}),
      text(third, y, percent(sum.efficiency), {class: "number", "text-anchor": "end"}));
  drawing.append(group);
  return y + 8;
}

/* Lines side by side while they are wide enough to show words; else each line a column of its four sectors. */
function lines_draw(group, access, area, context) {
  const counted = lines_of(access), lines = counted.lines.slice();
  if (lines.length === 1) lines.push(line_blank(lines[0].address + LINE));
  const strip = area.width / 2 - 3;
  const lanes = lanes_draw(
    group, context.lanes, {...area, x: area.x + INSET, width: strip - 2 * INSET, room: area.width - strip}, context);
  const gap_of = k => k === 0 ? 0 : lines[k].address === lines[k - 1].address + LINE ? 5 : 20;
  const gaps = lines.reduce((sum, _, k) => sum + gap_of(k), 0);
  const wide = lines.length === 0 ? 0 : Math.min((area.width - gaps) / lines.length, strip);
  const places = new Map(), tall = wide < 66;
  const geometry = {top: lanes.bottom + CURVE + (tall ? 10 : 0), places, words: words_of(context.lanes)};
  const bottom = lines.length === 0 ? geometry.top :
    tall                            ? columns_draw(group, access, lines, area, geometry, context) :
                                      row_draw(group, access, lines, area, {...geometry, wide, gap_of}, context);
  const first = group.querySelector(".line-frame, .column-frame");
  for (const lane of context.lanes) {
    const place = places.get(lane.address);
    if (place)
      curve(group, lanes.middles[lane.lane], place.x, lanes.bottom + 1, place.y - 1, `${context.index}:${lane.lane}`);
  }
  if (first) group.querySelectorAll(".curve").forEach(path => group.insertBefore(path, first));
  let end = bottom;
  if (counted.left_out > 0) {
    group.append(
      text(area.x, end + 13, context.say("memory.left_out", {n: context.number(counted.left_out)}), {class: "note"}));
    end += 18;
  }
  return {middle: geometry.top + BOX / 2, bottom: end};
}

function row_draw(group, access, lines, area, geometry, context) {
  const y = geometry.top, {frame} = context;
  let x = area.x;
  lines.forEach((line, k) => {
    const gap = geometry.gap_of(k), untouched = line.sectors.every(sector => !sector.touched);
    if (gap > 10) group.append(text(x + gap / 2, y + BOX / 2 + 4, "⋯", {class: "note", "text-anchor": "middle"}));
    x += gap;
    group.append(rect(x, y, geometry.wide, BOX, {class: untouched ? "line-frame untouched" : "line-frame", rx: 3}));
    const inner = geometry.wide - 2 * INSET, space = group_gap(inner), sector_width = (inner - 3 * space) / 4;
    line.at = {x: x + INSET, y: y + INSET, sector_width, step: sector_width + space};
    line.sectors.forEach(
      (sector, s) => sector_draw(
        group, sector, {x: line.at.x + s * line.at.step, y: line.at.y, width: sector_width, height: BOX - 2 * INSET},
        context));
    x += geometry.wide;
  });
  words_draw(group, lines, geometry, BOX - 2 * INSET, (line, address) => {
    const byte = address - line.address;
    return {
      x: line.at.x + Math.floor(byte / 32) * line.at.step + byte % 32 * line.at.sector_width / 32,
      y: line.at.y,
      per_byte: line.at.sector_width / 32,
      top: y
    };
  });
  if (frame.phone) return y + BOX + 2;
  return labels_draw(group, access, lines, geometry, context);
}

function sector_draw(group, sector, box, context) {
  group.append(rect(box.x, box.y, box.width, box.height, {class: sector.touched ? "sector touched" : "sector"}));
  for (const run of sector.runs)
    if (!run.used)
      group.append(rect(
        box.x + run.from * box.width / 32, box.y, (run.to - run.from) * box.width / 32, box.height,
        {fill: context.fill, class: "unused"}));
}

/* Every distinct word as a bar of its own, a hair apart from the next where there is room. */
function words_draw(group, lines, geometry, height, place_of) {
  const by_address = new Map(lines.map(line => [line.address, line]));
  for (const word of geometry.words) {
    const line = by_address.get(word.address - word.address % LINE);
    if (!line) continue;
    const at = place_of(line, word.address), width = word.bytes * at.per_byte;
    group.append(rect(
      at.x + (width > 3.5 ? 0.5 : 0), at.y, width > 3.5 ? width - 1 : Math.max(width, 0.8), height,
      {class: "used", "data-lanes": word.lanes.length}));
    geometry.places.set(word.address, {x: at.x + width / 2, y: at.top});
  }
}

/* Under each line where it begins; under the first access what is what; then who else wants what this warp does not. */
function labels_draw(group, access, lines, geometry, context) {
  const {say, explain, number} = context, of = explain.instructions[access.instruction], y = geometry.top + BOX + 14;
  lines.forEach((line, k) => {
    const x = line.at.x - INSET, right = x + geometry.wide;
    if (line.address % of.element_bytes === 0)
      group.append(text(x + 2, y, `${of.array}[${line.address / of.element_bytes}]`, {class: "address"}));
    if (context.index > 0 || geometry.wide < 210) return;
    const untouched = line.sectors.filter(sector => !sector.touched).length;
    const note = k === 0             ? say("memory.one_line") :
      untouched > 0 && untouched < 4 ? say("memory.untouched", {n: number(untouched)}) :
                                       "";
    group.append(text(right - 2, y, note, {class: "note", "text-anchor": "end"}));
  });
  return brackets_draw(group, access, lines, of, y, context) + 2;
}

/* About: Chinese signs are as wide as they are high. */
const words_width = words => [...words].reduce((sum, sign) => sum + (sign > "\u2e80" ? 11.5 : 6.1), 0);

function brackets_draw(group, access, lines, of, y, context) {
  const {say, number, noted, before, after, explain} = context, waste = waste_of(access),
                                            index = explain.accesses.indexOf(access);
  const shape = waste.map(stretch => `${stretch.from % LINE}+${stretch.to - stretch.from}`).join(",");
  if (waste.length === 0 || waste.length > 2 || noted.has(shape)) return y;
  noted.add(shape);
  let taken = 0, lower = 0;
  for (const [k, stretch] of waste.entries()) {
    const line = lines.find(one => one.address === stretch.from - stretch.from % LINE);
    if (!line) continue;
    const at = byte => line.at.x + Math.min(3, Math.floor(byte / 32)) * line.at.step +
      (byte - 32 * Math.min(3, Math.floor(byte / 32))) * line.at.sector_width / 32;
    const x0 = at(stretch.from - line.address),
          x1 = Math.min(at(Math.min(stretch.to - line.address, LINE)), line.at.x + 4 * line.at.step);
    const all = stretch.to - stretch.from, used = access_uses(before?.accesses[index], stretch, of.access_bytes),
          used_after = access_uses(after?.accesses[index], stretch, of.access_bytes);
    /* A stretch that a neighbouring warp uses only in part gets no label. */
    const whose = used === all ? "before" :
      used_after === all       ? "after" :
      used || used_after       ? null :
      before || after          ? "nobody" :
                                 null;
    const n = (stretch.to - stretch.from) / of.element_bytes,
          what = Number.isInteger(n) ? say("memory.words", {n: number(n)}) : `${stretch.to - stretch.from} B`;
    group.append(svg("path", {class: "bracket", d: `M${round(x0 + 0.5)} ${y + 4}v5H${round(x1 - 0.5)}v-5`}));
    const words = whose ? say(`memory.${whose}`, {what}) : what, long = words_width(words),
          end = x0 + long > context.frame.chart;
    const left = end ? x1 - long : x0;
    if (left < taken) lower = 15;
    taken = left + long + 8;
    group.append(text(end ? x1 : x0, y + 23 + lower, words, {class: "whose", "text-anchor": end ? "end" : null}));
  }
  return y + 26 + lower;
}

/* Each line a column, its sectors from top to bottom, 32 lines a row. */
function columns_draw(group, access, lines, area, geometry, context) {
  const rows = Math.ceil(lines.length / 32), across = Math.ceil(lines.length / rows),
        pitch = Math.min(44, area.width / across);
  const height = 8, step = 10, tall = 4 * step + 2, width = pitch - Math.max(2, pitch * 0.14);
  lines.forEach((line, k) => {
    const x = area.x + k % across * pitch, y = geometry.top + Math.floor(k / across) * (tall + 12);
    group.append(rect(x, y, width, tall, {class: "column-frame", rx: 2}));
    line.at = {x: x + 2, y: y + 2, width: width - 4, top: y};
    line.sectors.forEach(
      (sector, s) => sector_draw(group, sector, {x: x + 2, y: y + 2 + s * step, width: width - 4, height}, context));
  });
  words_draw(group, lines, geometry, height, (line, address) => {
    const byte = address - line.address;
    return {
      x: line.at.x + byte % 32 * line.at.width / 32,
      y: line.at.y + Math.floor(byte / 32) * step,
      per_byte: line.at.width / 32,
      top: line.at.top
    };
  });
  const bottom = geometry.top + rows * (tall + 12) - 12, of = context.explain.instructions[access.instruction];
  if (context.frame.phone) return bottom + 2;
  const ends = lines.length > 1 ? [lines[0], lines[lines.length - 1]] : [lines[0]];
  const label = ends
                  .map(
                    line => line.address % of.element_bytes === 0 ? `${of.array}[${line.address / of.element_bytes}]` :
                                                                    `${line.address} B`)
                  .join(" … ");
  group.append(
    text(area.x, bottom + 14, label, {class: "address"}),
    text(
      area.x + across * pitch, bottom + 14, context.say("memory.columns", {n: context.number(lines.length)}),
      {class: "note", "text-anchor": "end"}));
  return bottom + 18;
}

/* The warp's place in the launch, from 0 on: blocks along x, then y, then z. `grid` is the launch's. */
export function warp_number(explain, grid) {
  const [x, y, z] = explain.block, [across, down] = grid;
  return (x + across * (y + down * z)) * explain.warps_per_block + explain.warp;
}

/* One sentence that says what the drawing shows. */
export function memory_sentence(explain, {say, number, grid}) {
  const parts = explain.accesses.slice(0, ACCESSES_DRAWN).map(access => {
    const {kind, what, instruction} = access_name(explain, access, say), counts = access_counts(access);
    const values = {
      what: `${say(`memory.${kind}`)} ${what}`,
      lanes: counts.lanes,
      n: unit_words(instruction, number(counts.transactions), {say})
    };
    const turns = turns_of(access, instruction);
    if (turns !== null) return say("memory.say_shared", {...values, turns: number(turns)});
    return counts.efficiency === null ? say("memory.say_none", values) :
                                        say("memory.say_access", {...values, percent: percent(counts.efficiency)});
  });
  return say("memory.say", {
    warp: number(warp_number(explain, grid) + 1),
    warps: number(explain.warps),
    parts: parts.join(say("punct.semicolon"))
  });
}

export const hasBanks = explain => explain.accesses.some(access => access.banks);

/* The table under it: a row an access, its name first. The last two columns are of shared memory, where there is any.
 */
export function memory_rows(explain, {say, number}) {
  const none = say("no_value"), banks = hasBanks(explain);
  return explain.accesses.map(access => {
    const {kind, what, instruction} = access_name(explain, access, say), counts = access_counts(access),
                       global = instruction.space === "global";
    const name = `${say(`memory.${kind}`)} ${what}`;
    return [
      name, number(counts.lanes), number(counts.requests),
      ...(
        global ?
          [
            unit_words(instruction, number(counts.transactions), {say}), number(access.sectors.length),
            number(access.lines.length), number(counts.used_bytes), number(counts.moved_bytes),
            counts.efficiency === null ? none : percent(counts.efficiency)
          ] :
          [none, none, none, none, none, none]),
      ...(banks ? [access.wavefronts, access.bank_conflicts].map(n => n === undefined ? none : number(n)) : [])
    ];
  });
}

/* Slides the curves of `next` from where those of `previous` ended; nothing for who wants no motion. */
export function memory_moves(previous, next, milliseconds = 120) {
  if (!previous || matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  const ends =
    new Map([...previous.querySelectorAll("[data-curve]")].map(path => [path.dataset.curve, Number(path.dataset.to)]));
  const moving = [...next.querySelectorAll("[data-curve]")].filter(
    path => ends.has(path.dataset.curve) && ends.get(path.dataset.curve) !== Number(path.dataset.to));
  if (moving.length === 0) return;
  const begun = performance.now();
  const frame = now => {
    const part = Math.min(1, Math.max(0, (now - begun) / milliseconds));
    for (const path of moving) {
      const {curve: key, from, to, top, bottom} = path.dataset;
      path.setAttribute(
        "d",
        curve_path(Number(from), ends.get(key) + (Number(to) - ends.get(key)) * part, Number(top), Number(bottom)));
    }
    /* At first it is not in the page yet. */
    if (part < 1 && (now === begun || next.isConnected)) requestAnimationFrame(frame);
  };
  frame(begun);
}
