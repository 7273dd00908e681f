/* What is drawn of a sweep: {view: "lines", "panels" or "map", x, series, y, at: {axis: value}, hide: the values of
   `series` that are not drawn, as texts, zoom and rows: [from, to] of x, and of a map's rows, or null, name: what the
   reader calls it}. choiceOf(sweep,
   query) takes it from the address where that names what the sweep has, else it chooses; changed(choice, name, value)
   is the address of another choice; pathOf(id, query) is the page of another sweep, with the same picture;
   selected(sweep, choice) are the points that are drawn. */
import {count} from "../format.js";
import {t} from "../words.js";
import {metricsOf} from "./metrics.js";

const LINES_MOST = 12, DEVICES_MOST = 3;

/* The value for points of all devices, where the device is no axis of the drawing. */
export const ALL = "";

const axisNamed = (sweep, name) => sweep.axes.find(axis => axis.name === name);
/* Axes to draw along. Devices are one as long as they are few. */
const many = sweep =>
  sweep.axes.filter(axis => axis.values.length > 1 && !(axis.factor && axis.values.length > DEVICES_MOST));

/* The choice without an address: shapes as a map, else lines along the axis with the most numbers. */
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
  const views = viewsOf(sweep, x, series),
        view = views.includes(query.get("view")) ? query.get("view") :
    views.includes("map") && first.x === x       ? first.view :
                                                   "lines";
  const hide = query.get("hide")?.split(",") ?? [];
  return {
    view,
    x,
    series,
    y: y?.id ?? "",
    at,
    hide,
    zoom: rangeOf(query, "zoom"),
    rows: rangeOf(query, "rows"),
    name: query.get("name") ?? ""
  };
}

/* "3..17" */
function rangeOf(query, name) {
  const [from, to] = (query.get(name) ?? "").split("..").map(Number);
  return from < to ? [from, to] : null;
}

/* What the axes can be drawn as. */
export function viewsOf(sweep, x, series) {
  const axis = axisNamed(sweep, x);
  return ["lines", series && "panels", axis && (axis.kind === "shape" || series) && "map"].filter(Boolean);
}

const rangeText = range => range ? range.join("..") : null;

/* The address of the choice with other values: texts, or null for none. */
export const changed = (choice, values) => ({
  view: choice.view,
  x: choice.x,
  series: choice.series || "none",
  y: choice.y,
  hide: choice.hide.join(",") || null,
  zoom: rangeText(choice.zoom),
  rows: rangeText(choice.rows),
  name: choice.name || null,
  ...Object.fromEntries(Object.entries(choice.at).map(([axis, one]) => [`at.${axis}`, one])),
  ...values
});

/* The part of the axes that is drawn, as "offset 1–8, block 64–256". */
export function partText({axes}, {view, x, zoom, series, rows}) {
  const range = (name, part) => {
    const {values} = axes.find(axis => axis.name === name) ?? {}, ends = part ?? (values && [values[0], values.at(-1)]);
    return ends && `${name} ${ends.map(end => typeof end === "number" ? count(end) : end).join("–")}`;
  };
  return [range(x, zoom), view === "map" && range(series, rows)].filter(Boolean).join(t("list.comma"));
}

/* The page of another sweep with the same picture, without what is of this sweep alone. */
export function pathOf(id, query) {
  const same = new URLSearchParams(query);
  for (const name of ["zoom", "rows", "name"]) same.delete(name);
  return `sweeps/${id}${same.size ? `?${same}` : ""}`;
}

export const selected = (sweep, choice) => sweep.rows.filter(
  point => Object.entries(choice.at).every(([name, value]) => value === ALL || point.values[name] === value));
export {axisNamed};
