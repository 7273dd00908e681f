/* The axes of charts with lines. xScale(axis, from, to) places the values of an axis {kind, values} between two
   pixels: {at(value), ticks, breakAt}. Numbers stand where they belong, a few of them with their names; powers by
   logarithm; where a few lie far beyond all others the axis is broken (breakAt, a pixel) and those stand side by side
   behind it; texts stand side by side. yScale(values, top, bottom) is {at, ticks, part}: `part` when it does not begin
   at 0; values beyond its end are drawn at the end. */
import {svg} from "../dom.js";
import {count, digits} from "../format.js";
import {medianOf} from "../table.js";
import {round, text, textWidth} from "./svg.js";
import "../d3.js";

const {scaleLinear} = globalThis.d3;
const TAIL_MOST = 4, TAIL_STEP = 0.09, NAMED_MOST = 8;

const steady = values => {
  const steps = values.slice(1).map((value, i) => value / values[i]);
  return values.length >= 4 && values[0] > 0 && values.at(-1) / values[0] >= 8 &&
    Math.max(...steps) <= 1.6 * Math.min(...steps) && Math.min(...steps) > 1.3;
};

/* How many values at the end lie far beyond the others; 0: none. */
function tailOf(values) {
  for (let tail = 1; tail <= Math.min(TAIL_MOST, Math.floor(values.length * 0.35)); tail++) {
    const last = values[values.length - 1 - tail];
    if (last > 0 && last <= 0.5 * values[values.length - tail] && last <= 0.35 * values.at(-1)) return tail;
  }
  return 0;
}

function sideBySide(values, from, to) {
  const step = (to - from) / Math.max(1, values.length),
        places = new Map(values.map((value, i) => [value, from + step * (i + 0.5)]));
  return {
    at: value => places.get(value),
    ticks: values,
    breakAt: null,
    name: value => String(value ?? "").replace(/(\d)x(?=\d)/g, "$1×")
  };
}

/* The upper end of an axis for these lines, lists of {y, unsure} in the order of the other axis: their greatest value.
   With MANY points or more, outliers are left out, since all others would lie flat at the bottom: those that are
   `unsure` (not stable, or too few runs), FAR times the median of all, and as far above that of the NEAR points on
   either side. */
const MANY = 100, FAR = 4, NEAR = 32;
export function scaleEnd(lines) {
  const far = (y, list) => y > FAR * (medianOf(list.map(one => one.y)) ?? y), all = lines.flat(),
        usual = medianOf(all.map(one => one.y));
  const isOutlier = ({y, unsure}, i, line) => all.length >= MANY && unsure && y > FAR * usual &&
    far(y, line.slice(Math.max(0, i - NEAR), i)) && far(y, line.slice(i + 1, i + 1 + NEAR));
  return lines.flatMap(line => line.filter((...one) => !isOutlier(...one)))
    .reduce((most, {y}) => Math.max(most, y), -Infinity);
}

const numbered = value => Number.isInteger(value) ? count(value) : digits(value);

export function xScale({kind, values}, from, to) {
  if (kind !== "number") return sideBySide(values, from, to);
  if (values.length === 1) return {at: () => (from + to) / 2, ticks: values, breakAt: null, name: numbered};
  if (steady(values)) {
    const scale = globalThis.d3.scaleLog([values[0], values.at(-1)], [from, to]);
    return {at: scale, ticks: values.length < 24 ? values : scale.ticks(6), breakAt: null, name: numbered, log: true};
  }
  const tail = tailOf(values), last = values[values.length - 1 - tail];
  const end = to - tail * TAIL_STEP * (to - from), scale = scaleLinear([values[0], last], [from, end]);
  const step = (to - end) / Math.max(1, tail),
        behind = new Map(values.slice(values.length - tail).map((value, i) => [value, end + step * (i + 1)]));
  const nice = scale.ticks(Math.max(2, Math.min(8, Math.floor((end - from) / 60)))).filter(Number.isInteger);
  return {
    at: value => behind.get(value) ?? scale(value),
    ticks: values.length <= NAMED_MOST ? values : [values[0], ...nice, ...(tail ? [last] : []), ...behind.keys()],
    breakAt: tail ? end + step / 2 : null,
    last,
    scale,
    name: numbered
  };
}

export function yScale(values, top, bottom, {zero = false, height = bottom - top} = {}) {
  const low = Math.min(...values), high = Math.max(...values),
        margin = (high - low || Math.abs(high) * 0.1 || 1) * 0.07;
  const whole = zero || low <= 0.4 * high || low === high;
  const scale = scaleLinear([whole ? Math.min(0, low) : Math.max(0, low - margin), high + margin], [bottom, top]);
  const ticks = scale.ticks(Math.max(2, Math.min(7, Math.floor(height / 34))));
  const step = ticks.length > 1 ? ticks[1] - ticks[0] : 1, places = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  return {
    at: Object.assign(value => Math.max(top, scale(value)), {domain: () => scale.domain()}),
    ticks,
    part: !whole && scale.domain()[0] > 0,
    name: value => places ? value.toFixed(places) : count(value)
  };
}

/* Rules under offsets: light ones every sector, dark ones every line; fewer of them where they would not be told apart.
 */
export function rulesOf(x, [low, high], {sector, line}) {
  const gap = Math.abs((x.scale ?? x.at)(low + sector) - (x.scale ?? x.at)(low)), end = x.last ?? high, rules = [];
  const each = gap >= 6 ? sector : gap * line / sector >= 6 ? line : null;
  if (each)
    for (let at = Math.ceil(low / each) * each; at <= end; at += each) rules.push({at, line: at % line === 0});
  for (const tick of x.breakAt ? x.ticks.filter(one => one > end) : [])
    if (tick % sector === 0) rules.push({at: tick, line: tick % line === 0});
  return rules;
}

/* Names under the axis, as many as find room, first and last before the others. None reaches beyond `edge`, in px. */
export function xTicks(x, y, edge) {
  const taken = [], room = (a, b) => taken.every(([from, to]) => b < from || a > to);
  const unique = [...new Set(x.ticks)],
        order = [unique[0], unique.at(-1), ...(x.last === undefined ? [] : [x.last]), ...unique];
  const drawn = new Map();
  for (const tick of order) {
    const words = x.name(tick), half = textWidth(words, 7.2) / 2 + 5, at = Math.min(x.at(tick), edge - half + 5);
    if (drawn.has(tick) || !room(at - half, at + half)) continue;
    taken.push([at - half, at + half]);
    drawn.set(tick, text(at, y, words, {"text-anchor": "middle", class: "tick"}));
  }
  return [...drawn.values()];
}

export const breakMark = (at, y) =>
  svg("path", {class: "axis", d: `M${round(at - 4)} ${y + 5}l5 -10M${round(at + 1)} ${y + 5}l5 -10`});
