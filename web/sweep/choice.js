/* What is drawn of a sweep: {view: "lines" or "map", x, series, y, at: {axis: value}}. choiceOf(sweep, query) takes it
   from the address where that says something the sweep has, else what suits it; queryOf(choice, sweep) is what to write
   there. selected(sweep, choice) are the points. */
import {metricsOf} from "./metrics.js";

const LINES_MOST = 12, DEVICES_MOST = 3;

/* Of devices, where they are no axis of the drawing. */
export const ALL = "";

const axisNamed = (sweep, name) => sweep.axes.find(axis => axis.name === name);
/* Devices tell points apart by colour, as far as there are colours. */
const many = sweep =>
  sweep.axes.filter(axis => axis.values.length > 1 && !(axis.factor && axis.values.length > DEVICES_MOST));

/* A shape can only be a map; the axis with most numbers is the one to go along. */
function usual(sweep) {
  const axes = many(sweep),
        shape = axes.find(axis => axis.kind === "shape" && axis.values.some(value => /x/.test(value)));
  if (shape && axes.every(axis => axis === shape || axis.kind !== "number" || axis.values.length < shape.values.length))
    return {view: "map", x: shape.name, series: axes.find(axis => axis !== shape)?.name ?? ""};
  const numbers = axes.filter(axis => axis.kind === "number").sort((a, b) => b.values.length - a.values.length);
  const x =
    numbers.find(axis => axis.name === "offset" || axis.name === "stride") ?? numbers[0] ?? axes[0] ?? sweep.axes[0];
  const rest = axes.filter(axis => axis !== x)
                 .sort((a, b) => Boolean(a.factor) - Boolean(b.factor) || a.values.length - b.values.length);
  const series = rest.find(axis => axis.name === "kernel") ?? rest[0];
  return {
    view: series && series.values.length > LINES_MOST ? "map" : "lines",
    x: x?.name ?? "",
    series: series?.name ?? ""
  };
}

export function choiceOf(sweep, query) {
  const metrics = metricsOf(sweep), first = usual(sweep);
  const x = axisNamed(sweep, query.get("x")) ? query.get("x") : first.x;
  const asked = query.get("series");
  const series = asked === "none"          ? "" :
    axisNamed(sweep, asked) && asked !== x ? asked :
    first.series !== x                     ? first.series :
    first.x !== x                          ? first.x :
                                             "";
  const wanted = [query.get("y"), "hot_ns_per_operation", "cold_effective_gbps", metrics[0]?.id];
  const y = wanted.map(id => metrics.find(metric => metric.id === id)).find(Boolean);
  const at = {};
  for (const axis of sweep.axes.filter(one => one.values.length > 1))
    if (axis.name !== x && axis.name !== series)
      at[axis.name] = axis.values.find(value => String(value) === query.get(`at.${axis.name}`)) ??
        (axis.factor ? ALL : axis.values[0]);
  const view = ["lines", "map"].includes(query.get("view")) && canBeMap(sweep, x, series) ? query.get("view") :
    canBeMap(sweep, x, series) ? first.x === x ? first.view : "lines" :
                                 "lines";
  return {view, x, series, y: y?.id ?? "", at};
}

export function canBeMap(sweep, x, series) {
  const axis = axisNamed(sweep, x);
  return Boolean(axis) && (axis.kind === "shape" || Boolean(series));
}

export const changed = (choice, name, value) => ({
  view: choice.view,
  x: choice.x,
  series: choice.series || "none",
  y: choice.y,
  ...Object.fromEntries(Object.entries(choice.at).map(([axis, one]) => [`at.${axis}`, one])),
  [name]: value
});

export const selected = (sweep, choice) => sweep.rows.filter(
  point => Object.entries(choice.at).every(([name, value]) => value === ALL || point.values[name] === value));
export {axisNamed};
