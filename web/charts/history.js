/* Readings over time, one below the other with one axis: history(width, series, bounds). A series is {name, unit,
   values: [{at, value}], most (or null)}; `marks` are spans {from, to} in which the clocks were held down, hatched.
   `from`, `to` and `at` are Date.now(). */
import {svg} from "../dom.js";
import {count} from "../format.js";
import {t} from "../words.js";
import {through} from "./svg.js";
import "../d3.js";

const ROW = 72, TOP = 14, LEFT = 44, RIGHT = 52, BOTTOM = 22;

const {scaleLinear, range} = globalThis.d3;

const STEPS_S = [15, 60, 300, 600];
const stepOf = ms => 1000 * (STEPS_S.find(step => ms / 1000 / step <= 5) ?? STEPS_S.at(-1));

function rowOf({name, unit, values, most}, index, x, width, from) {
  const top = TOP + index * ROW, base = top + ROW - 22;
  const known = values.filter(({value}) => typeof value === "number");
  const high = Math.max(0, ...known.map(({value}) => value));
  const y = scaleLinear([0, Math.max(most ?? 0, high * 1.05) || 1], [base, top + 8]);
  const last = known.at(-1);
  const path = list => through(list.map(({at, value}) => typeof value === "number" ? [x(at), y(value)] : null));
  return svg(
    "g", {}, svg("line", {class: "base", x1: LEFT, x2: width - RIGHT, y1: base, y2: base}),
    svg("text", {x: 0, y: top, class: "name"}, name, svg("tspan", {class: "unit"}, ` ${unit}`)),
    !known.length && svg("text", {x: LEFT, y: base - 8, class: "unit"}, t("no_value")),
    svg("text", {x: LEFT - 6, y: base + 4, "text-anchor": "end"}, "0"),
    most && svg("text", {x: LEFT - 6, y: y(most) + 4, "text-anchor": "end"}, count(most)),
    most && svg("line", {class: "most", x1: LEFT, x2: width - RIGHT, y1: y(most), y2: y(most)}),
    known.length > 0 && svg("path", {class: "line", d: path(values.filter(({at}) => at >= from))}),
    last && svg("circle", {class: "dot", cx: x(last.at), cy: y(last.value), r: 3}),
    last && svg("text", {class: "last", x: x(last.at) + 8, y: y(last.value) + 4}, count(last.value)));
}

export function history(width, series, {from, to, marks, ago}) {
  const x = scaleLinear([from - to, 0], [LEFT, width - RIGHT]), height = TOP + series.length * ROW + BOTTOM;
  const ticks = range(0, from - to - 1, -stepOf(to - from));
  return svg(
    "svg", {class: "history", width, height},
    svg(
      "defs", {},
      svg(
        "pattern", {id: "held", width: 6, height: 6, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)"},
        svg("rect", {width: 2, height: 6, class: "waste"}))),
    marks.map(mark => svg("rect", {
                x: x(mark.from - to),
                y: TOP,
                width: Math.max(2, x(mark.to - to) - x(mark.from - to)),
                height: series.length * ROW - 16,
                fill: "url(#held)",
                opacity: 0.5
              })),
    series.map((one, i) => rowOf(one, i, at => x(at - to), width, from)),
    ticks.map(
      tick =>
        svg("text", {x: x(tick), y: height - 4, "text-anchor": tick === 0 ? "end" : "middle"}, ago(-tick / 1000))));
}
