/* The data of a sweep's charts, made of its points: linesOf(sweep, choice) for charts/lines.js, mapsOf(...) for
   charts/map.js, relativeOf(...) for what an offset or a stride costs beside what was predicted; each has a sentence.
 */
import {KINDS} from "../charts/lines.js";
import {count, percent} from "../format.js";
import {elementBytes} from "../creation/fields.js";
import {t} from "../words.js";
import {ALL, axisNamed, selected} from "./choice.js";
import {hasEnded, shapeOf} from "./data.js";
import {metricOf, withUnit} from "./metrics.js";
import {namedValue, pointText, valueText} from "./names.js";
import {leastOf} from "./table.js";

const SERIES_MOST = 24;

const failureText = point =>
  `${pointText(point)}: ${t(point.refused ? "sweep.refused" : `state.${point.state}`)}. ${point.failure?.detail ?? ""}`;

export function wordsOf(point, metric) {
  const value = metric.value(point), range = metric.range(point);
  if (value === null) return point.failure ? failureText(point) : `${pointText(point)}: ${t(`state.${point.state}`)}`;
  const interval = range ? `, ${t("sweep.interval", {low: metric.write(range[0]), high: metric.write(range[1])})}` : "";
  return `${pointText(point)}: ${withUnit(metric, value)}${interval}${
    point.asked > 1 ? `, ${t("sweep.of_runs", {n: point.succeeded, words: point.succeeded})}` :
                      ""}${point.stable === false ? `. △ ${t("part.unstable")}` : ""}`;
}

/* How many elements a sector and a line hold, for the marks below an axis of offsets. */
function memoryRules(axis, points) {
  const types = new Set(points.map(point => point.dtype).filter(Boolean));
  if (axis.name !== "offset" || types.size !== 1) return null;
  const bytes = elementBytes([...types][0]);
  return {sector: 32 / bytes, line: 128 / bytes};
}

function seriesOf(points, choice, metric, name, kind) {
  const series = {name, note: "", kind, points: [], predicted: [], published: [], coming: [], refused: []};
  for (const point of points) {
    const x = point.values[choice.x], value = metric.value(point), range = metric.range(point),
          predicted = metric.predicted(point), published = metric.published(point);
    if (value !== null)
      series.points.push({
        x,
        y: value,
        low: range ? range[0] : null,
        high: range ? range[1] : null,
        words: () => wordsOf(point, metric)
      });
    else if (point.failure || point.state === "failed")
      series.refused.push({x, words: () => failureText(point)});
    else if (!hasEnded(point.state))
      series.coming.push(x);
    if (predicted !== null)
      series.predicted.push({
        x,
        y: predicted,
        words: () => `${pointText(point)}: ${t("sweep.predicted", {value: withUnit(metric, predicted)})}`
      });
    if (published !== null)
      series.published.push({
        x,
        y: published,
        words: () => `${pointText(point)}: ${
          t("sweep.published", {value: withUnit(metric, published), arch: point.first.published_arch ?? ""})}`
      });
  }
  for (const list of [series.points, series.predicted, series.published])
    list.sort((a, b) => typeof a.x === "number" ? a.x - b.x : 0);
  if (series.coming.length)
    series.note = t("sweep.to_come", {n: count(series.coming.length), words: series.coming.length});
  return series;
}

const axisDrawn = (sweep, name) => {
  const axis = axisNamed(sweep, name);
  return axis.kind === "shape" ? {...axis, kind: "text"} : axis;
};

export function linesOf(sweep, choice) {
  const metric = metricOf(choice.y), points = selected(sweep, choice),
        split = choice.series ? axisNamed(sweep, choice.series) : null;
  const groups = split ?
    split.values.map(
      value => [namedValue(split.name, value), points.filter(point => point.values[split.name] === value)]) :
    [["", points]];
  const asked = groups.filter(([, list]) => list.length), drawn = asked.slice(0, SERIES_MOST);
  const series = drawn.map(
    ([name, list], i) =>
      ({...seriesOf(list, choice, metric, name, KINDS[i] ?? "measured"), scattered: choice.at.device === ALL}));
  return {
    series,
    left_out: asked.length - drawn.length,
    axis: axisDrawn(sweep, choice.x),
    unit: metric.unit || metric.title(sweep),
    write: metric.write,
    rules: memoryRules(axisNamed(sweep, choice.x), points),
    metric,
    points,
    ranged: series.some(one => one.points.some(point => point.low !== null)),
    hasPredicted: series.some(one => one.predicted.length),
    hasPublished: series.some(one => one.published.length)
  };
}

export function linesSentence(spec, choice) {
  const sentences = spec.series.filter(one => one.points.length).map(one => {
    const best = one.points.reduce((a, b) => (spec.metric.less ? b.y < a.y : b.y > a.y) ? b : a),
          worst = one.points.reduce((a, b) => (spec.metric.less ? b.y > a.y : b.y < a.y) ? b : a);
    const name = one.name ? `${one.name}: ` : "";
    if (best.y === worst.y && one.points.length > 1)
      return name + t("map.all_one", {value: withUnit(spec.metric, best.y)});
    if (one.points.length === 1) return `${name}${withUnit(spec.metric, best.y)}.`;
    const apart = spec.metric.less ? worst.y / best.y - 1 : 1 - worst.y / best.y;
    return name + t(spec.metric.less ? "sweep.least" : "sweep.most", {
             best: withUnit(spec.metric, best.y),
             worst: withUnit(spec.metric, worst.y),
             x: choice.x,
             at_best: valueText(best.x),
             at_worst: valueText(worst.x),
             apart: percent(apart, apart < 0.1 ? 1 : 0)
           });
  });
  const more = spec.left_out ? ` ${t("sweep.left_out", {n: count(spec.left_out)})}` : "";
  return (sentences.length ? sentences.slice(0, 3).join(" ") +
              (sentences.length > 3 ? ` ${t("sweep.more_series", {n: count(sentences.length - 3)})}` : "") :
                                      t(spec.hasPredicted ? "sweep.only_predicted" : "sweep.nothing_yet")) +
    more;
}

/* ---- relative to the first offset or stride ---- */

/* Of the first series; null: the axis is neither offset nor stride, or the points are of several devices. */
export function relativeOf(sweep, choice) {
  const axis = axisNamed(sweep, choice.x);
  if (
    axis?.kind !== "number" || !["offset", "stride"].includes(axis.name) || axis.values.length < 3 ||
    choice.view !== "lines" || choice.at.device === ALL)
    return null;
  const split = choice.series ? axisNamed(sweep, choice.series) : null;
  const points = selected(sweep, choice).filter(point => !split || point.values[split.name] === split.values[0]);
  const cold = metricOf("cold_effective_gbps"),
        first = points.find(point => point.values[axis.name] === axis.values[0]), base = first && cold.value(first);
  if (!base) return null;
  const measured = {
    name: t("sweep.measured"),
    note: "",
    kind: "measured",
    points: [],
    predicted: [],
    published: [],
    coming: [],
    refused: []
  };
  const model = {
    name: t("sweep.predicted_efficiency"),
    note: "",
    kind: "waste",
    points: [],
    predicted: [],
    published: [],
    coming: [],
    refused: []
  };
  const baseTime = first.first.published_elapsed_ms;
  for (const point of points) {
    const x = point.values[axis.name], value = cold.value(point), predicted = leastOf(point.efficiency.predicted),
          elapsed = point.first.published_elapsed_ms, range = cold.range(point);
    if (value !== null)
      measured.points.push({
        x,
        y: value / base * 100,
        low: range ? range[0] / base * 100 : null,
        high: range ? range[1] / base * 100 : null,
        words: `${namedValue(axis.name, x)}: ${percent(value / base, 1)}`
      });
    if (predicted !== null && predicted < 99.995)
      model.predicted.push({
        x,
        y: predicted,
        words: `${namedValue(axis.name, x)}: ${t("sweep.predicted", {value: percent(predicted / 100, 1)})}`
      });
    if (elapsed && baseTime)
      model.published.push({
        x,
        y: baseTime / elapsed * 100,
        words: `${namedValue(axis.name, x)}: ${
          t("sweep.published", {value: percent(baseTime / elapsed, 1), arch: point.first.published_arch ?? ""})}`
      });
  }
  if (!measured.points.length || !model.predicted.length) return null;
  const lost = 1 - Math.min(...measured.points.map(point => point.y)) / 100,
        feared = 1 - Math.min(...model.predicted.map(point => point.y)) / 100;
  measured.note = lost > 0 ? t("sweep.at_most_lost", {percent: percent(lost, 1)}) : "";
  return {
    series: [measured, model],
    axis: axisDrawn(sweep, axis.name),
    unit: t("sweep.relative_unit", {name: axis.name, value: valueText(axis.values[0])}),
    write: value => percent(value / 100, 1),
    rules: memoryRules(axis, points),
    stems: true,
    whose: split ? valueText(split.values[0]) : "",
    height: 270,
    sentence: t("sweep.relative_sentence", {feared: percent(feared, 0), lost: percent(Math.max(0, lost), 1)}),
    hasPublished: model.published.length > 0
  };
}

/* ---- maps ---- */

function stateOf(point) {
  return point.refused ? "refused" : point.failure || point.state === "failed" ? "failed" : point.state;
}

export function mapsOf(sweep, choice) {
  const metric = metricOf(choice.y), points = selected(sweep, choice), axis = axisNamed(sweep, choice.x),
        split = choice.series ? axisNamed(sweep, choice.series) : null, shapes = axis.kind === "shape";
  const cellOf = point => {
    const at = shapes ? shapeOf(point.values[axis.name]) : [point.values[axis.name], point.values[split.name]];
    return {
      column: shapes ? at[0] : valueText(at[0]),
      row: shapes ? at[1] ?? 1 : valueText(at[1]),
      value: metric.value(point),
      state: stateOf(point),
      words: () => wordsOf(point, metric)
    };
  };
  const groups = shapes && split ?
    split.values.map(
      value =>
        ({name: namedValue(split.name, value), list: points.filter(point => point.values[split.name] === value)})) :
    [{name: "", list: points}];
  const maps = groups.filter(({list}) => list.length).map(({name, list}) => ({name, cells: list.map(cellOf)}));
  const unique = key => [...new Set(maps.flatMap(map => map.cells.map(cell => cell[key])))].sort((a, b) => a - b);
  return {
    maps,
    metric,
    points,
    write: metric.write,
    unit: metric.unit,
    less: metric.less,
    columns: shapes ? unique("column") : axis.values.map(valueText),
    rows: shapes ? unique("row") : split.values.map(valueText),
    columnName: shapes ? t("map.columns", {name: axis.name}) : axis.name,
    rowName: shapes ? t("map.rows") : split.name,
    shapes
  };
}

export function mapSentence(spec) {
  const better = (a, b) => spec.less ? a.value < b.value : a.value > b.value;
  const sentences =
    spec.maps
      .map(map => {
        const known = map.cells.filter(cell => cell.value !== null);
        if (!known.length) return "";
        const best = known.reduce((a, b) => better(b, a) ? b : a), worst = known.reduce((a, b) => better(a, b) ? b : a),
              name = map.name ? `${map.name}: ` : "", at = cell => `${cell.column}\u00a0×\u00a0${cell.row}`;
        if (best.value === worst.value) return `${name}${t("map.all_one", {value: withUnit(spec.metric, best.value)})}`;
        return name + t("map.sentence", {
                 best: withUnit(spec.metric, best.value),
                 at_best: at(best),
                 worst: withUnit(spec.metric, worst.value),
                 at_worst: at(worst)
               });
      })
      .filter(Boolean);
  return sentences.join(" ") || t("sweep.nothing_yet");
}
