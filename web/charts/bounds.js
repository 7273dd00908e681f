/* What a launch would take by each of its bounds alone: a bar each from 0, those that limit in ink; a dashed line at
   the time that is predicted, and a line at the one that was measured. Of the words: boundName(name), explained(texts),
   explainedNodes(time).

   boundsFigure(timeNow, notes) is the drawing with its sentence and its table; notes: what each bound is made of stands
   below its name. timePanel() puts it beside what limits in a sentence: {node, show(time, {device, choice, below})},
   time as /v1/predictions gives it, {status, reason} where it is not known; device: its name, choice and below: nodes,
   which stand beside the title and below the sentence; each may be left out. */
import {h, redraw, replace, svg} from "../dom.js";
import {bandwidth, bytes, count, digits, time as written} from "../format.js";
import {headCell, numberCell, table} from "../parts.js";
import {DICTIONARY, language, noValue, reasonSaid, t, wordsAdd} from "../words.js";
import {figure} from "./figure.js";
import {rect, round, text, textWidth} from "./svg.js";
import "../d3.js";
import "./words.js";

// clang-format off
wordsAdd({
  "bound.one": ["Limited by {one}.", "受限于{one}。"],
  "bound.together": ["Bounds that are close to the largest one add to it, except for block launches, during which the others work: together they come to {us}.", "除线程块启动外（其间其他部分照常工作），接近最大值的各下限会叠加：合计 {us}。"],
  "bound.both": ["Limited by {one}, and {two} is close.", "受限于{one}，{two}也接近。"],
  "bound.fixed": ["{time} are fixed. The rest: {limited}", "固定部分 {time}；其余部分：{limited}"],
  "bound.measured": ["measured {time}", "实测 {time}"],
  "bound.predicted": ["predicted {time}", "预测 {time}"],
  "bound.bytes": ["{bytes} at {rate}", "{bytes}，{rate}"],
  "bound.stays": ["{time} for stores that stay in the L2", "写入后留在 L2 中的数据 {time}"],
  "bound.stays_short": ["{time} in the L2", "留在 L2 的 {time}"],
  "bound.each": ["{n} {what}, {each} each", "{n} {what}，各 {each}"],
  "bound.table": ["Bounds of the time", "时间的各项下限"],
  "bound.name": ["alone", "单独所需"],
  "bound.what": ["made of", "构成"],
  "bound_of.blocks": ["blocks", "个线程块"],
  "bound_of.flits": ["flits", "个流控单元"],
  "bound_of.lines_an_SM": ["lines an SM", "条缓存行（每个 SM）"],
  "bound_of.lines_and_shared_rows_an_SM": ["lines and shared rows an SM", "次缓存行与共享内存访问（每个 SM）"],
  "bound_of.sectors_to_the_SMs": ["sectors to the SMs", "个送回 SM 的扇区"],
  "bound_of.requests_to_one_slice": ["requests to one slice", "个集中到同一 L2 分片的请求"],
  "bound_of.instructions_an_SM": ["instructions an SM", "条指令（每个 SM）"],
  "bound_of.waits_in_a_row": ["waits in a row (a load, its block’s start and instructions)", "次先后等待（含读取、线程块的启动与指令）"],
});
// clang-format on

const {scaleLinear} = globalThis.d3;
const TOGETHER_LEAST = 1.005;

/* The service's sentences, with the units as the page writes them. What stands before the first colon is what limits.
 */
export const explained = texts =>
  (texts?.[language()] ?? "")
    .replace(/(\d) (us|ns|%|[kMGT]?B)(?![a-z])/g, (_, digit, unit) => `${digit}\u00a0${unit === "us" ? "µs" : unit}`)
    .replace(/(?<![.\d])\d{5,}/g, number => count(Number(number)));

/* The bounds that are close to the largest one add to it: what they come to, where that is more. */
function together({predicted_us: all, floor_us: floor, ramp_us: ramp, bounds = []}) {
  const us = all - floor - ramp;
  return us > TOGETHER_LEAST * Math.max(...bounds.map(bound => bound.us)) ?
    [t("punct.space"), t("bound.together", {us: written(us, 3)})] :
    null;
}

export function explainedNodes(time) {
  const [, head, rest] = /^([^:：.。]*[:：])?(.*)$/s.exec(explained(time.explanation));
  return [head && h("strong", {}, head), rest, together(time)];
}
export const boundName = name => t(`bound.${name}`);
const limits = ({limiter, close_second: second}, name) => name === limiter || name === second;

function limiterText({limiter, close_second: second, floor_us: floor, ramp_us: ramp, predicted_us: all}) {
  const limited = second ? t("bound.both", {one: boundName(limiter), two: boundName(second)}) :
                           t("bound.one", {one: boundName(limiter)});
  return floor + ramp > all / 2 ? t("bound.fixed", {time: written(floor + ramp, 3), limited}) : limited;
}

/* "805.3 MB at 4390 GB/s", "131,072 blocks, 0.594 ns each"; null where nothing is counted. For DRAM also the time of
   stores that stay in the L2; `stays` is the key of that text. */
function madeOf({name, amount, unit, ceiling, us}, {dram_stays_us: kept}, stays) {
  if (name === "dram" && kept > 0)
    return [
      amount > 0 && t("bound.bytes", {bytes: bytes(amount), rate: bandwidth(amount / (us - kept) / 1e3)}),
      t(stays, {time: written(kept, 3)})
    ].filter(Boolean)
      .join(t("punct.semicolon"));
  if (!ceiling || !amount) return null;
  if (unit === "bytes") return t("bound.bytes", {bytes: bytes(amount), rate: bandwidth(ceiling / 1e3)});
  const key = `bound_of.${unit.replaceAll(" ", "_")}`, each = 1 / ceiling, what = key in DICTIONARY ? t(key) : unit;
  return t("bound.each", {
    n: amount < 1e4 ? digits(amount) : count(amount),
    what,
    each: each < 1e-3 ? `${digits(each * 1e6, 3)}\u00a0ps` : written(each, 3)
  });
}

function boundsDraw(time, width, notes) {
  const wide = width >= 430, row = notes && wide ? 34 : 24, names = time.bounds.map(one => boundName(one.name)),
        made = time.bounds.map(one => madeOf(one, time, "bound.stays_short"));
  const label = 12 +
    Math.max(
      ...names.map(name => textWidth(name, 7)), ...(notes && wide ? made.map(one => textWidth(one ?? "", 6)) : []));
  const marks = [[time.measured_us, "measured"], [time.predicted_us, "predicted"]].filter(([us]) => us),
        top = marks.length * 16 + 4, bottom = top + row * time.bounds.length;
  const most = Math.max(...marks.map(([us]) => us), ...time.bounds.map(one => one.us)),
        at = scaleLinear([0, most], [label, width - 8]);
  const drawing = svg("svg", {class: "bounds", width, height: bottom + (notes ? 22 : 2)});
  if (notes)
    for (const tick of at.ticks(Math.max(2, Math.floor((width - label) / 80))))
      drawing.append(
        svg("line", {class: "rule", x1: round(at(tick)), x2: round(at(tick)), y1: top, y2: bottom}),
        text(
          at(tick), bottom + 15, Number.isInteger(tick) ? count(tick) : String(tick),
          {class: "small", "text-anchor": "middle"}));
  if (notes) drawing.append(text(label - 10, bottom + 15, "µs", {class: "small", "text-anchor": "end"}));
  time.bounds.forEach((one, k) => {
    const y = top + k * row, length = at(one.us) - label, binds = limits(time, one.name),
          words = one.us ? written(one.us, 3) : "0", within = length > textWidth(words) + 16;
    drawing.append(
      text(0, y + (notes && wide ? 14 : 15), names[k], {class: binds ? "strong" : ""}),
      rect(
        label, y + 5, Math.max(one.us ? 1 : 0, length), row - 12 > 16 ? 18 : 13, {class: binds ? "binds" : "allows"}),
      text(
        within ? label + length - 7 : label + length + 7, y + (row > 24 ? 18 : 16), words,
        {class: `${binds ? "strong" : ""} ${within ? "within" : "halo"}`, "text-anchor": within ? "end" : "start"}));
    if (notes && wide && made[k]) drawing.append(text(0, y + 28, made[k], {class: "small"}));
  });
  marks.forEach(([us, name], k) => {
    const x = round(at(us)), words = t(`bound.${name}`, {time: written(us, name === "predicted" ? 3 : 4)}),
          room = x - textWidth(words) > label * 0.4;
    drawing.append(
      svg("line", {class: `at ${name}`, x1: x, x2: x, y1: k * 16 + 2, y2: bottom}),
      text(
        room ? x - 6 : x + 6, k * 16 + 12, words,
        {class: `strong halo ${name}`, "text-anchor": room ? "end" : "start"}));
  });
  return drawing;
}

const boundsTable = time => table(
  t("bound.table"), [headCell(t("bound.name")), headCell(t("bound.what")), headCell("µs", true)],
  time.bounds.map(
    one =>
      h("tr", {}, h("th", {scope: "row"}, boundName(one.name)),
        h("td", {}, madeOf(one, time, "bound.stays") ?? noValue()),
        numberCell(limits(time, one.name) ? h("strong", {}, digits(one.us)) : digits(one.us)))));

export function boundsFigure(timeNow, notes) {
  return figure({
    draw: width => boundsDraw(timeNow(), width, notes),
    table: () => boundsTable(timeNow()),
    label: () => {
      const time = timeNow();
      return `${limiterText(time)} ${t("bound.predicted", {time: written(time.predicted_us, 3)})}${
        t("punct.semicolon")}${
        time.bounds.map(one => `${boundName(one.name)} ${written(one.us, 3)}`).join(t("punct.comma"))}`;
    }
  });
}

export function timePanel() {
  const title = h("h2", {}), aside = h("span", {class: "note"}), line = h("p", {class: "why"}), more = h("div", {});
  let time = null;
  const figure = boundsFigure(() => time, false);
  const node =
    h("section", {class: "panel", hidden: true}, h("header", {}, title, aside),
      h("div", {class: "predicted-parts"}, figure.node, h("div", {}, line, more)));
  return {
    node,
    show(made, {device, choice = null, below = null}) {
      const known = !made.status;
      time = made;
      node.hidden = false;
      figure.node.hidden = !known;
      replace(title, t("time.title"), known && ` ${written(time.predicted_us, 3)}`);
      redraw(aside, device && t("time.as", {device}), choice && [" ", choice]);
      replace(line, time.explanation ? explainedNodes(time) : reasonSaid(time.reason));
      replace(more, below);
      if (known) figure.update();
    }
  };
}
