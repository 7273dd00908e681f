/* What of a point can be drawn: a metric for each column that GET /v1/columns says is worth a chart, and for sums of
   columns. readMetrics(options) asks for them, once; allMetrics() is [{id, unit, less, title(sweep), value(point),
   range(point), predicted(point), published(point), write(value)}], where each of the middle ones may be null;
   metricsOf(sweep) are those that some point has a value of. A value has the unit that is shown: GB/s, µs, per cent. */
import * as api from "../api.js";
import {count, digits, percent} from "../format.js";
import {unitsText} from "../parts.js";
import {language, t} from "../words.js";
import "./words.js";

/* Columns whose sum is worth a chart. Transactions are sectors, or lines and segments on chips that move those. */
const UNITS = ["predicted_gld_unit", "predicted_gst_unit"];
const SUMS = [
  {
    id: "sectors",
    columns: ["measured_gld_transactions", "measured_gst_transactions"],
    whole: true,
    title: ({units}) => [...units].every(unit => unit === "sector") ?
      t("y.sectors") :
      t("y.transactions", {units: unitsText([...units])})
  },
  {
    id: "dram",
    columns: ["measured_dram_read_bytes", "measured_dram_write_bytes"],
    unit: "MB",
    scale: 1e-6,
    title: () => t("y.dram")
  },
];
export const unitsOf = point => UNITS.map(name => point.first[name]).filter(Boolean);
const SHOWN = {
  us: {unit: "µs"},
  ratio: {unit: "%", scale: 100}
};

const number = value => typeof value === "number" && Number.isFinite(value) ? value : null;
const scaled = (value, scale) => value === null ? null : value * scale;
const sum = values =>
  values.some(value => number(value) !== null) ? values.reduce((all, value) => all + (number(value) ?? 0), 0) : null;

/* Published figures of other sizes say nothing of counts and times: `published_off` names them. */
function publishedOf(point, name) {
  const off = point.first.published_off ? JSON.parse(point.first.published_off) : {};
  return name.replace("published_", "") in off ? null : number(point.first[name]);
}

/* The interval of what a time is turned into follows from that of the time. */
function rangeOf(point, name, value, less) {
  const kind = /^(cold|hot)_/.exec(name)?.[1], {median, low, high} = point[kind] ?? {};
  if (value === null || !(number(low) > 0) || number(high) === null || !median) return null;
  return (less ? [low / median, high / median] : [median / high, median / low]).map(part => value * part);
}

/* Only the cold time is predicted; a counted figure has its prediction in a column of its own. */
function predictedOf(point, name) {
  if (name === "cold_median_us") return number(point.predicted);
  if (name === "cold_effective_gbps" && point.cold.gbps && point.predicted)
    return point.cold.gbps * point.cold.median / point.predicted;
  return name.startsWith("measured_") ? number(point.figure(name.replace("measured_", "predicted_"))) : null;
}

const metricMade = metric => ({
  less: true,
  ...metric,
  write: metric.whole   ? count :
    metric.unit === "%" ? value => percent(value / 100, 1).replace(/\u00a0%$/, "") :
                          value => digits(value)
});

function metricOfColumn({name, unit, text, better}) {
  const shown = SHOWN[unit] ?? {unit: unit ?? ""}, scale = shown.scale ?? 1, less = better === "less";
  const value = point => scaled(number(point.figure(name)), scale);
  return metricMade({
    id: name,
    unit: shown.unit,
    less,
    title: () => text[language()],
    value,
    range: point => rangeOf(point, name, value(point), less),
    predicted: point => scaled(predictedOf(point, name), scale),
    published: point =>
      name.startsWith("measured_") ? scaled(publishedOf(point, name.replace("measured_", "published_")), scale) : null
  });
}

const metricOfSum = ({id, columns, title, unit = "", scale = 1, whole = false}) => metricMade({
  id,
  unit,
  whole,
  title,
  value: point => scaled(sum(columns.map(name => point.first[name])), scale),
  range: () => null,
  predicted: point => scaled(sum(columns.map(name => point.first[name.replace("measured_", "predicted_")])), scale),
  published: () => null
});

let metrics = [], columns = null;

export async function readMetrics(options) {
  if (columns) return;
  columns = (await api.get("/v1/columns", options)).columns;
  metrics = [...columns.filter(column => column.better).map(metricOfColumn), ...SUMS.map(metricOfSum)];
}

export const allMetrics = () => metrics;
export const metricOf = id => metrics.find(metric => metric.id === id);
export const metricsOf = sweep => metrics.filter(metric => sweep.has.has(metric.id));

/* The columns of the runs that metrics are made of. */
export function metricColumns() {
  const drawn = columns.filter(({better}) => better).map(({name}) => name);
  const wanted = [...drawn, ...SUMS.flatMap(one => one.columns)];
  const beside =
    wanted.flatMap(name => ["predicted_", "published_"].map(instead => name.replace(/^measured_/, instead)));
  const runs = columns.filter(({name, views}) => views.includes("runs") && [...wanted, ...beside].includes(name));
  return [...runs.map(({name}) => name), ...UNITS];
}

/* "3254 GB/s" */
export const withUnit = (metric, value) =>
  metric.unit ? `${metric.write(value)}\u00a0${metric.unit}` : metric.write(value);
