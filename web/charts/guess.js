/* The scale of a guess: an axis, the guess as a triangle, what was measured as filled marks, what was published as
   diamonds. Marks are {kind: guess | shipped | own | own unsure | published, value, range (a bar), words}; one off the
   scale stands at its end, with an arrow. */
import {svg} from "../dom.js";
import {round, text} from "./svg.js";

export const GUESS_MARGIN = 9;
const AXIS = 52, ROW = 17;

const wordsWidth = words => [...words].reduce((sum, sign) => sum + (sign > "\u2e80" ? 12 : 7), 0);

/* Each label on the first row where it covers no other; its x stays within the drawing. */
function rowsOf(marks, at, width) {
  const taken = [];
  return [...marks].sort((a, b) => a.value - b.value).map(mark => {
    const half = wordsWidth(mark.words) / 2 + 5, x = Math.max(half - 4, Math.min(width - half + 4, at(mark.value)));
    let row = 0;
    while (taken.some(other => other.row === row && Math.abs(other.x - x) < other.half + half)) row++;
    taken.push({row, x, half});
    return {...mark, row, x, at: at(mark.value)};
  });
}

function shape(mark, at) {
  const x = round(mark.at);
  if (mark.kind === "guess") return svg("path", {class: "guess", d: `M${x} ${AXIS - 1}l-7 -11h14z`});
  if (mark.kind === "published")
    return svg("path", {class: "published", d: `M${x} ${AXIS - 5.5}l5.5 5.5l-5.5 5.5l-5.5 -5.5z`});
  const dot = svg("circle", {class: mark.kind, cx: x, cy: AXIS, r: 5.5});
  return mark.range ?
    svg("g", {}, svg("path", {class: "own-range", d: `M${at(mark.range[0])} ${AXIS}H${at(mark.range[1])}`}), dot) :
    dot;
}

export function guess_draw({min, max, ticks, unit}, marks, width) {
  const inner = width - 2 * GUESS_MARGIN, clamp = value => Math.max(min, Math.min(max, value));
  const at = value => GUESS_MARGIN + (clamp(value) - min) / (max - min) * inner;
  const told = marks.map(
    mark =>
      ({...mark,
        words: mark.value < min ? `← ${mark.words}` :
          mark.value > max ? `${mark.words} →` :
                             mark.words}));
  const above = rowsOf(told.filter(mark => mark.kind !== "published"), at, width),
        below = rowsOf(told.filter(mark => mark.kind === "published"), at, width);
  const lift = Math.max(0, ...above.map(mark => mark.row - 1)) * ROW,
        depth = below.length ? Math.max(...below.map(mark => mark.row)) + 1 : 0;
  const height = AXIS + 26 + (depth ? 10 + depth * ROW : 0) + lift;
  const drawing =
    svg("svg", {class: "guess-scale", width, height, viewBox: `0 ${- lift} ${width} ${height}`, "aria-hidden": "true"});
  drawing.append(svg("line", {class: "axis", x1: GUESS_MARGIN, x2: width - GUESS_MARGIN, y1: AXIS, y2: AXIS}));
  const axisUnit = unit === "×" ? "×" : unit ? `\u00a0${unit}` : "";
  ticks.forEach(
    (tick, k) => drawing.append(
      svg("line", {
        class: "axis",
        x1: round(at(tick)),
        x2: round(at(tick)),
        y1: AXIS - (k === 0 || k === ticks.length - 1 ? 5 : 0),
        y2: AXIS + 5
      }),
      text(
        at(tick), AXIS + 20, String(tick).replace("-", "−") + (k === ticks.length - 1 ? axisUnit : ""),
        {class: "small", "text-anchor": "middle"})));
  for (const mark of below)
    drawing.append(
      svg("path", {class: "leader", d: `M${round(mark.at)} ${AXIS + 26}V${AXIS + 26 + mark.row * ROW + 6}`}),
      text(mark.x, AXIS + 44 + mark.row * ROW, mark.words, {class: "small halo-page", "text-anchor": "middle"}));
  for (const mark of above)
    drawing.append(
      text(mark.x, AXIS - 19 - mark.row * ROW, mark.words, {class: `label ${mark.kind}`, "text-anchor": "middle"}));
  drawing.append(...[...below, ...above].map(mark => shape(mark, value => round(at(value)))));
  return drawing;
}
