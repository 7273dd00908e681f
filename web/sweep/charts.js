/* The data of a sweep's charts, made of its points: linesOf(sweep, choice) for charts/lines.js, mapsOf(...) for
   charts/map.js, relativeOf(...) for what an offset or a stride costs beside what was predicted; each has a sentence.
 */
import {OVERLAID_MOST, styleOf} from "../charts/lines.js";
import {count, percent} from "../format.js";
import {elementBytes} from "../creation/values.js";
import {reasonSaid, t} from "../words.js";
import {ALL, axisNamed, selected} from "./choice.js";
import {hasEnded, shapeOf} from "./data.js";
import {metricOf, withUnit} from "./metrics.js";
import {namedValue, pointText, valueText} from "./names.js";
import {alike, concluded, isSure, namesOf, RUNS_LEAST, sentenceOf} from "./sure.js";
import {leastOf} from "./table.js";
import "./words.js";

const PANELS_MOST = 24, SENTENCES_MOST = 8, LEGEND_MOST = 48;

const failedAs = point => t(point.refused ? "sweep.refused" : `state.${point.state}`);
const failureText = point => `${pointText(point)}${t("punct.colon")}${failedAs(point)}${t("punct.stop")}${
  reasonSaid(point.failure?.detail) ?? ""}`;

export function wordsOf(point, metric) {
  const value = metric.value(point), range = metric.range(point);
  if (value === null)
    return point.failure ? failureText(point) : `${pointText(point)}${t("punct.colon")}${t(`state.${point.state}`)}`;
  const interval = range ? `${t("punct.comma")}${
                             t(point.placements === 1 || point.asked === 1 ? "sweep.interval_here" : "sweep.interval",
                               {low: metric.write(range[0]), high: metric.write(range[1])})}` :
                           "";
  return `${pointText(point)}${t("punct.colon")}${withUnit(metric, value)}${interval}${
    point.asked > 1 ? `${t("punct.comma")}${t("sweep.of_runs", {n: point.succeeded, words: point.succeeded})}` : ""}${
    isSure(point) ? "" : `. △ ${point.stable === false ? t("part.unstable") : t("sweep.few_runs", {n: RUNS_LEAST})}`}`;
}

/* How many elements a sector and a line hold, for the marks below an axis of offsets. */
function memoryRules(axis, points) {
  const types = new Set(points.map(point => point.dtype).filter(Boolean));
  if (axis.name !== "offset" || types.size !== 1) return null;
  const bytes = elementBytes([...types][0]);
  return {sector: 32 / bytes, line: 128 / bytes};
}

const emptySeries = rest =>
  ({note: "", points: [], predicted: [], published: [], coming: [], refused: [], without: [], ...rest});

function seriesOf(points, choice, metric, name, style) {
  const series = emptySeries({name, ...style});
  for (const point of points) {
    const x = point.values[choice.x], value = metric.value(point), range = metric.range(point),
          predicted = metric.predicted(point), published = metric.published(point);
    if (value !== null)
      series.points.push({
        x,
        y: value,
        low: range ? range[0] : null,
        high: range ? range[1] : null,
        unsure: !isSure(point),
        point,
        range,
        words: () => wordsOf(point, metric)
      });
    else if (point.failure || point.state === "failed")
      series.refused.push({x, as: failedAs(point), words: () => failureText(point)});
    else if (!hasEnded(point.state))
      series.coming.push(x);
    else
      series.without.push(x);
    if (predicted !== null)
      series.predicted.push({
        x,
        y: predicted,
        words: () =>
          `${pointText(point)}${t("punct.colon")}${t("sweep.predicted", {value: withUnit(metric, predicted)})}`
      });
    if (published !== null)
      series.published.push({
        x,
        y: published,
        words: () => `${pointText(point)}${t("punct.colon")}${
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

/* The points in the part of the axis that is drawn. */
const within = (zoom, value) => !zoom || value >= zoom[0] && value <= zoom[1];

/* The values of an axis that are drawn: those in the part that is zoomed to, without any whose points were all
   refused. */
function valuesDrawn(sweep, {name, values}, zoom) {
  const ran = new Set(sweep.points.filter(point => point && !point.refused).map(point => point.values[name])),
        some = ran.size && sweep.points.every(Boolean) ? values.filter(value => ran.has(value)) : values;
  return some.filter(value => within(zoom, value));
}

/* What stands at a place of the axis: a line for each series. */
function columnWords(metric, axis) {
  return (value, series) => {
    const lines = series.flatMap(one => {
      const at = one.points.find(point => point.x === value);
      if (!at) return [];
      const range = at.range ? ` (${metric.write(at.range[0])} ${t("interval.to")} ${metric.write(at.range[1])})` : "";
      return [`${one.name ? one.name + t("punct.colon") : ""}${withUnit(metric, at.y)}${range}${
        at.point && !isSure(at.point) ? " △" : ""}`];
    });
    return lines.length ? [namedValue(axis.name, value), ...lines].join("\n") : null;
  };
}

export function linesOf(sweep, choice) {
  const metric = metricOf(choice.y), axis = axisDrawn(sweep, choice.x), panels = choice.view === "panels",
        points = selected(sweep, choice).filter(point => within(choice.zoom, point.values[choice.x])),
        split = choice.series ? axisNamed(sweep, choice.series) : null;
  const byValue = new Map(split?.values.map(value => [value, []]));
  if (split)
    for (const point of points) byValue.get(point.values[split.name])?.push(point);
  const groups =
    split ? [...byValue].map(([value, list]) => [value, namedValue(split.name, value), list]) : [["", "", points]];
  const asked = groups.filter(([, , list]) => list.length)
                  .map(([value, name, list], i) => ({key: String(value), name, list, style: styleOf(i)}));
  const shown = asked.filter(one => !choice.hide.includes(one.key)),
        drawn = shown.slice(0, panels ? PANELS_MOST : OVERLAID_MOST);
  const series = drawn.map(
    one => ({...seriesOf(one.list, choice, metric, one.name, one.style), scattered: choice.at.device === ALL}));
  return {
    series,
    panels,
    labels: false,
    /* Panels need none, but what is hidden can be shown again. */
    legend: split && (!panels || shown.length < asked.length) ?
      asked.map(({key, name, style}) => ({key, name, ...style, shown: drawn.some(one => one.key === key)}))
        .filter(({shown}, i) => shown || i < LEGEND_MOST) :
      [],
    left_out: shown.length - drawn.length,
    nothing: t(asked.length && !shown.length ? "sweep.all_hidden" : "sweep.nothing_yet"),
    axis: {...axis, values: valuesDrawn(sweep, axis, choice.zoom)},
    unit: metric.unit || metric.title(sweep),
    write: metric.write,
    rules: memoryRules(axisNamed(sweep, choice.x), points),
    columnWords: columnWords(metric, axis),
    metric,
    points: points.filter(point => !split || !choice.hide.includes(String(point.values[split.name]))),
    running: sweep.running,
    ranged: series.some(one => one.points.some(point => point.low !== null)),
    unsure: series.some(one => one.points.some(point => point.unsure)),
    crossed: [...new Set(series.flatMap(one => one.refused.map(point => point.as)))],
    hasPredicted: series.some(one => one.predicted.length),
    hasPublished: series.some(one => one.published.length)
  };
}

/* Returns write(value), by which values without an interval are compared; undefined for others. */
const writtenOf = (write, value, range) => value === null || range ? undefined : write(value);

const entriesOf = (points, write) =>
  points.map(({point, y, range}) => ({point, value: y, range, written: writtenOf(write, y, range)}));

const writeOf = metric => value => withUnit(metric, value);

/* No run makes a prediction surer. */
const knownOf = spec => spec.predicted ? () => true : isSure;

/* How many more runs of each point may tell what the charts cannot; 0: none, or not yet known. */
export const moreRuns = (spec, relative) => Math.max(
  relative?.more ?? 0,
  ...(
    spec.maps ? spec.maps.map(({cells}) => cells.filter(cell => cell.value !== null)) :
                spec.series.map(one => entriesOf(one.points, writeOf(spec.metric))))
    .map(entries => concluded(entries, spec.metric.less, knownOf(spec)).more));

/* A sentence for each series. */
export function linesSentence(spec, choice) {
  const {metric} = spec, less = metric.less,
        all = concluded(entriesOf(spec.series.flatMap(one => one.points), writeOf(metric)), less);
  if (all.all && !all.best) return sentenceOf(all);
  let told = true;
  const sentences = spec.series.filter(one => one.points.length).map(one => {
    const found = concluded(entriesOf(one.points, writeOf(metric)), less),
          at = ({point}) => valueText(point.values[choice.x]), say = (best, worst) => {
            if (alike(best, worst) && one.points.length > 1)
              return t("map.all_one", {value: withUnit(metric, best.value)});
            if (one.points.length === 1) return `${withUnit(metric, best.value)}.`;
            const apart = less ? worst.value / best.value - 1 : 1 - worst.value / best.value;
            return t(less ? "sweep.least" : "sweep.most", {
              best: withUnit(metric, best.value),
              worst: withUnit(metric, worst.value),
              x: choice.x,
              at_best: namesOf([best, ...found.same_best], at),
              at_worst: namesOf([worst, ...found.same_worst], at),
              apart: percent(apart)
            });
          };
    told &&= found.apart || !found.best;
    return (one.name ? one.name + t("punct.colon") : "") +
      sentenceOf(found, say, ({point}) => namedValue(choice.x, point.values[choice.x]));
  });
  const rest = sentences.length - SENTENCES_MOST;
  return [
    spec.running && sentences.length > 0 && t("sweep.so_far"), ...sentences.slice(0, SENTENCES_MOST),
    rest > 0 && t("sweep.more_series", {n: count(rest)}), !told && t("sure.compare"),
    !sentences.length && (spec.hasPredicted ? t("sweep.only_predicted") : spec.nothing),
    spec.left_out > 0 && t("sweep.left_out", {n: count(spec.left_out)})
  ].filter(Boolean);
}

/* ---- relative to the first offset or stride ---- */

function relativeMetric(cold, base, published, at) {
  return {
    unit: "%",
    title: () => `${t("sweep.measured")} (${at} = 100 %)`,
    value: point => cold.value(point) === null ? null : cold.value(point) / base * 100,
    range: point => cold.range(point)?.map(one => one / base * 100) ?? null,
    predicted: point => leastOf(point.efficiency.predicted),
    published,
    write: value => percent(value / 100, 1).replace(/\u00a0%$/, "")
  };
}

/* Of the first series that is shown; null: the axis is neither offset nor stride, or the points are of several devices.
 */
export function relativeOf(sweep, choice) {
  const axis = axisNamed(sweep, choice.x);
  if (
    axis?.kind !== "number" || !["offset", "stride"].includes(axis.name) || axis.values.length < 3 ||
    choice.view !== "lines" || choice.at.device === ALL)
    return null;
  const split = choice.series ? axisNamed(sweep, choice.series) : null;
  const all = selected(sweep, choice), of = value => all.filter(point => point.values[split.name] === value),
        series = split?.values.find(value => !choice.hide.includes(String(value)) && of(value).length),
        points = split ? of(series) : all;
  const cold = metricOf("cold_effective_gbps"),
        first = points.find(point => point.values[axis.name] === axis.values[0]), base = first && cold.value(first);
  if (!base) return null;
  const published = ({first: {published_elapsed_ms: elapsed}}) =>
    elapsed && first.first.published_elapsed_ms ? first.first.published_elapsed_ms / elapsed * 100 : null;
  const metric = relativeMetric(cold, base, published, `${axis.name} ${valueText(axis.values[0])}`);
  const measured = emptySeries({name: t("sweep.measured"), kind: "measured"}),
        model = emptySeries({name: t("sweep.predicted_efficiency"), kind: "waste"});
  const drawn = points.filter(one => within(choice.zoom, one.values[axis.name]))
                  .sort((a, b) => a.values[axis.name] - b.values[axis.name]);
  for (const point of drawn) {
    const x = point.values[axis.name], value = metric.value(point), predicted = metric.predicted(point),
          range = metric.range(point);
    if (value !== null)
      measured.points.push({
        x,
        y: value,
        low: range ? range[0] : null,
        high: range ? range[1] : null,
        unsure: !isSure(point),
        point,
        range,
        words: `${namedValue(axis.name, x)}${t("punct.colon")}${percent(value / 100, 1)}`
      });
    if (predicted !== null)
      model.predicted.push({
        x,
        y: predicted,
        words:
          `${namedValue(axis.name, x)}${t("punct.colon")}${t("sweep.predicted", {value: percent(predicted / 100, 1)})}`
      });
    if (published(point) !== null)
      model.published.push({
        x,
        y: published(point),
        words: `${namedValue(axis.name, x)}${t("punct.colon")}${
          t("sweep.published", {value: percent(published(point) / 100, 1), arch: point.first.published_arch ?? ""})}`
      });
  }
  if (!measured.points.length || !model.predicted.some(({y}) => y < 99.995)) return null;
  /* Where the first is not sure, nothing that is relative to it is. */
  const write = value => percent(value / 100, 1);
  const entries = entriesOf(measured.points, write),
        told = isSure(first) ? entries : entries.filter(({point}) => !isSure(point));
  const found = concluded(told, false), reference = entries.find(({point}) => point === first);
  /* The loss is relative to the first point. When that one is the slowest, it is compared with the slowest of the
   * others. */
  const least = found.worst &&
    told.filter(one => one !== reference && isSure(one.point))
      .reduce((one, other) => !one || other.value < one.value ? other : one, null),
        loss = least && reference ? concluded([reference, least], false, isSure, told) : found;
  const more = Math.max(found.more, loss.more),
        lost = loss.best && loss.apart ? Math.max(0, 1 - found.worst.value / 100) : null,
        feared = 1 - model.predicted.reduce((least, point) => Math.min(least, point.y), Infinity) / 100;
  measured.note = lost > 0 ? t("sweep.at_most_lost", {percent: percent(lost, 1)}) : "";
  return {
    series: [measured, model],
    axis: {...axisDrawn(sweep, axis.name), values: valuesDrawn(sweep, axis, choice.zoom)},
    unit: t("sweep.relative_unit", {name: axis.name, value: valueText(axis.values[0])}),
    write,
    columnWords: columnWords({write, unit: ""}, axis),
    rules: memoryRules(axis, points),
    stems: 100,
    metric,
    points: drawn,
    whose: split ? namedValue(split.name, series) : "",
    more,
    height: 270,
    sentence:
      `${t("sweep.relative_feared", {feared: percent(Math.ceil(feared * 1000 - 0.05) / 1000, 1)})}${t("punct.space")}${
        sentenceOf(
          {
            ...found,
            best: loss.best,
            apart: lost !== null,
            rivals: lost === null ? loss.rivals : [],
            worst_rivals: [],
            by_chance: loss.by_chance,
            ahead: null,
            single: false,
            more: 0
          },
          () => t("sweep.relative_lost", {lost: percent(lost, 1)}),
          ({point}) => namedValue(axis.name, point.values[axis.name]))}`,
    hasPublished: model.published.length > 0
  };
}

/* ---- maps ---- */

function stateOf(point) {
  return point.refused ? "refused" : point.failure || point.state === "failed" ? "failed" : point.state;
}

export function mapsOf(sweep, choice) {
  const metric = metricOf(choice.y), axis = axisNamed(sweep, choice.x),
        split = choice.series ? axisNamed(sweep, choice.series) : null, shapes = axis.kind === "shape";
  const placeOf = point => {
    const [column, row = 1] =
      shapes ? shapeOf(point.values[axis.name]) : [point.values[axis.name], point.values[split.name]];
    return [column, row];
  };
  const points = selected(sweep, choice).filter(point => {
    const [column, row] = placeOf(point);
    return within(choice.zoom, column) && within(choice.rows, row);
  });
  const predicted = points.every(point => metric.value(point) === null);
  const cellOf = point => {
    const [column, row] = placeOf(point), value = predicted ? metric.predicted(point) : metric.value(point),
                   range = predicted ? null : metric.range(point);
    return {
      column,
      row,
      value,
      range,
      written: writtenOf(writeOf(metric), value, range),
      point,
      unsure: !predicted && !isSure(point),
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
  const ranged = (values, range) => values.filter(value => within(range, value));
  return {
    maps,
    metric,
    points,
    predicted,
    running: sweep.running,
    write: metric.write,
    unit: metric.unit,
    less: metric.less,
    columns: shapes ? unique("column") : ranged(axis.values, choice.zoom),
    rows: shapes ? unique("row") : ranged(split.values, choice.rows),
    name: valueText,
    numbers: shapes || [axis, split].every(one => one.kind === "number"),
    columnName: shapes ? t("map.columns", {name: axis.name}) : axis.name,
    rowName: shapes ? t("map.rows") : split.name,
    shapes
  };
}

export function mapSentence(spec) {
  const at = ({column, row}) => spec.shapes ?
    `${valueText(column)}\u00a0×\u00a0${valueText(row)}` :
    `${spec.columnName} ${valueText(column)}, ${spec.rowName} ${valueText(row)}`;
  let told = true;
  const sentences = spec.maps.flatMap(({name, cells}) => {
    const known = cells.filter(cell => cell.value !== null);
    if (!known.length) return [];
    const found = concluded(known, spec.less, knownOf(spec));
    told &&= found.apart || !found.best;
    const said = sentenceOf(
      found,
      (best, worst) =>
        alike(best, worst) ? t("map.all_one", {value: withUnit(spec.metric, best.value)}) : t("map.sentence", {
          best: withUnit(spec.metric, best.value),
          at_best: namesOf([best, ...found.same_best], at),
          worst: withUnit(spec.metric, worst.value),
          at_worst: namesOf([worst, ...found.same_worst], at)
        }),
      at);
    return [name ? `${name}${t("punct.colon")}${said}` : said];
  });
  if (!sentences.length) return t(spec.running ? "sweep.nothing_yet" : "sweep.nothing_measured");
  const first = spec.predicted ? t("sweep.only_predicted") : spec.running ? t("sweep.so_far") : null;
  return [first, ...sentences, !told && t("sure.compare")].filter(Boolean);
}
