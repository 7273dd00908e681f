/* The table of a sweep: a row for each point with a bar relative to the peak (or the sweep's best), failed ones with
   their reason; the runs of a repeated point unfold below it. sweepTable(sweep, choiceNow, chosen) gives {node,
   update()}; chosen: of bulk/chosen.js; chartTable(...) is the table of one chart. */
import {link} from "../api.js";
import {h, tip} from "../dom.js";
import {bandwidth, count, digits, percent} from "../format.js";
import {barOf, cell, failedWords, headCell, numberCell, unstableMark, withInterval} from "../parts.js";
import {windowed} from "../windowed.js";
import {DICTIONARY, failureDetail, noValue, reasonSaid, t, term} from "../words.js";
import {KINDS} from "../charts/painter.js";
import {metricOf} from "./metrics.js";
import {pointText, valueText} from "./names.js";
import {isSure} from "./sure.js";
import "./words.js";
import "../charts/words.js";

/* The state of a point that was cancelled or removed. Neither is a failure, and some of its runs may be measured. */
function goneCell({state, asked, succeeded, failure}) {
  const words = `– ${
    succeeded && asked > 1 ? t(`table.${state}_after`, {n: count(succeeded), of: count(asked)}) : t(`state.${state}`)}`;
  return cell(tip(h("span", {class: "quiet"}, words), reasonSaid(failure?.detail) ?? words));
}

function stateCell(point, {paused, unwritten, running} = {}) {
  const failed =
    point.runs.find(run => run.failure_kind !== null && run.failure_kind !== "cancelled" && run.state !== "removed");
  if (point.refused || failed) {
    const words = `✕ ${point.refused ? t("sweep.refused") : failedWords(failed.failure_kind)}`;
    return cell(tip(h("span", {class: "warn cut"}, words), reasonSaid(failed && failureDetail(failed)) ?? words));
  }
  if (point.state === "cancelled" || point.state === "removed") return goneCell(point);
  if (point.state === "succeeded")
    return cell(
      point.stable === null ? t(point.verified ? "sweep.as_reference" : "state.succeeded") :
        point.stable        ? t("sweep.is_measured") :
        isSure(point)       ? tip(h("span", {}, t("sweep.is_varied")), t("sweep.varied", {n: count(point.succeeded)})) :
                              unstableMark());
  if (unwritten && !running && point.state === "running") return cell(t("state.unwritten"));
  const waits = paused ? "state.drained" : "sweep.waits";
  return cell(
    h(point.state === "running" ? "strong" : "span", {class: point.state === "running" ? null : "quiet"},
      t(point.state === "queued" ? waits : `state.${point.state}`)));
}

function reasonCells(point, span) {
  return h(
    "td", {colspan: String(span), class: "reason"},
    h("span", {class: "cut quiet"}, reasonSaid(point.failure?.detail) ?? t(`state.${point.state}`)));
}

/* Of a percentage, with as many places in each row. */
const tenths = value => percent(value / 100, 1).replace(/^(\d+)(?=\u00a0)/, "$1.0");

/* The lower efficiency of loads and stores. */
export function leastOf({load, store}) {
  const known = [load, store].filter(one => typeof one === "number");
  return known.length ? Math.min(...known) : null;
}

/* The mark of an unstable point beside its value. Only phones show it: there the column of states is off screen. */
const phoneMark = point => point.state === "succeeded" && !isSure(point) && point.stable === false &&
  h("span", {class: "phone warn", "aria-hidden": "true"}, " △");

/* The columns for which some point has a value. */
function columnsOf(sweep, kindOf) {
  const has = id => sweep.has.has(id), top = sweep.peak ?? (sweep.bestOf(isSure) || sweep.bestOf());
  const isOver = gbps => !sweep.peak && gbps > top; /* of a point that is not sure, and sets no scale */
  const value = (id, point) => {
    const metric = metricOf(id), one = metric.value(point);
    return numberCell(one === null ? noValue() : metric.write(one));
  };
  const outline = point => isSure(point) ? "" : "outline";
  const predicted = metricOf("sectors").predicted, counted = metricOf("sectors").value;
  /* Counters count sectors: lines and segments are not compared with them. */
  const inSectors = [...sweep.units].every(unit => unit === "sector");
  return [
    has("cold_median_us") && {
      head: headCell([term("cold"), t("table.time")], true),
      cell: point => numberCell(withInterval(point.cold.median, point.cold.low, point.cold.high), phoneMark(point))
    },
    has("limiter") && {
      head: headCell(t("table.predicted"), true),
      cell: point => numberCell(point.predicted === null ? noValue() : digits(point.predicted))
    },
    has("limiter") && {
      head: headCell(t("table.limiter")),
      cell: point =>
        cell(point.limiter && `bound.${point.limiter}` in DICTIONARY ? t(`bound.${point.limiter}`) : noValue())
    },
    has("cold_effective_gbps") && {
      head: headCell("GB/s", true),
      cell: point => numberCell(point.cold.gbps === null ? noValue() : digits(point.cold.gbps), phoneMark(point))
    },
    has("cold_effective_gbps") && top > 0 && {
      head: headCell(
        t(sweep.peak               ? "lab.of_peak" :
            isOver(sweep.bestOf()) ? "table.of_sure" :
                                     "table.of_best",
          {peak: bandwidth(top)})),
      cell: point =>
        h("td", {class: "bars bar-only"},
          point.cold.gbps !== null &&
            barOf(point.cold.gbps / top, `${kindOf(point)} ${outline(point)} ${isOver(point.cold.gbps) ? "over" : ""}`))
    },
    has("cold_of_peak") && {
      head: headCell(metricOf("cold_of_peak").title(sweep), true),
      cell: point => numberCell(point.cold.ofPeak === null ? noValue() : percent(point.cold.ofPeak, 1))
    },
    has("hot_median_us") && {
      head: headCell([term("hot"), t("table.time")], true),
      cell: point => numberCell(withInterval(point.hot.median, point.hot.low, point.hot.high))
    },
    has("hot_ns_per_operation") &&
      {head: headCell([term("hot"), `, ${t("table.ns")}`], true), cell: point => value("hot_ns_per_operation", point)},
    has("hot_gops") && {head: headCell([term("hot"), ", Gop/s"], true), cell: point => value("hot_gops", point)},
    (has("measured_gld_efficiency_pct") || has("measured_gst_efficiency_pct")) && {
      head: headCell(term("least_efficiency"), true),
      cell: point => {
        const known = leastOf(point.efficiency.counted), of = known ?? leastOf(point.efficiency.predicted);
        return numberCell(
          of === null ? noValue() :
                        [tenths(of), known === null && h("span", {class: "quiet"}, ` ${t("table.by_model")}`)]);
      }
    },
    has("counted") && {head: headCell(t("table.sectors"), true), cell: point => value("sectors", point)},
    has("counted") && {
      head: headCell(t("counts.predicted"), true),
      cell: point => numberCell(
        counted(point) === null || predicted(point) === null || !inSectors ? noValue() :
          counted(point) === predicted(point)                              ? h("span", {class: "agree"}, "=") :
                                                tip(h("span", {}, "≠"), count(predicted(point))))
    },
    has("l1") && {
      head: headCell(t("table.l1"), true),
      cell: point => numberCell(
        typeof point.first.measured_l1_hit_rate_pct === "number" ?
          percent(point.first.measured_l1_hit_rate_pct / 100, 1) :
          noValue())
    },
    sweep.head.repeat > 1 &&
      {head: headCell(t("table.runs"), true), cell: point => numberCell(`${point.succeeded} / ${point.asked}`)},
  ].filter(Boolean);
}

const keyOf = point => `${point.index} ${point.values.device ?? ""}`; /* the parts of a point differ in their device */

export function sweepTable(sweep, choiceNow, chosen) {
  const open = new Set();
  let columns = [], items = [];
  const kindOf = point => {
    const {series} = choiceNow(), axis = sweep.axes.find(one => one.name === series);
    return axis && axis.values.length <= KINDS.length ?
      `kind-${KINDS[axis.values.indexOf(point.values[series])] ?? "measured"}` :
      "";
  };
  const named = () => {
    const several = sweep.axes.filter(axis => axis.values.length > 1);
    return several.length ? several : sweep.axes;
  };
  const nameCells = point => named().map((axis, i) => {
    const value = valueText(point.values[axis.name]),
          shown = i === 0 && point.id ? h("a", {class: "row-link", href: link(`experiments/${point.id}`)},
                                          axis.kind === "text" ? h("code", {}, value) : value) :
      axis.kind === "text" ? h("code", {}, value) :
                             value;
    const unfold = i === 0 && point.asked > 1 &&
      h("button", {
                    type: "button",
                    class: "plain unfold",
                    "aria-expanded": String(open.has(keyOf(point))),
                    "aria-label": t("table.unfold"),
                    data: {key: `unfold ${keyOf(point)}`},
                    onclick: () => {
                      open.has(keyOf(point)) ? open.delete(keyOf(point)) : open.add(keyOf(point));
                      update();
                    }
                   },
        open.has(keyOf(point)) ? "▾" : "▸");
    return h(
      i === 0 ? "th" : "td", {scope: i === 0 ? "row" : null, class: axis.kind === "number" ? "number" : null}, unfold,
      shown);
  });
  function runRow({point, run, nth}) {
    const ended = run.state === "succeeded";
    return h(
      "tr", {class: "run"}, h("td", {class: "choose"}),
      h("td", {colspan: String(Math.max(1, named().length))},
        run.id ? h("a", {class: "row-link", href: link(`experiments/${run.id}`)}, t("table.run", {n: nth + 1})) :
                 t("table.run", {n: nth + 1})),
      h("td", {colspan: String(columns.length)},
        ended ?
          [
            run.cold_median_us !== null && `${digits(run.cold_median_us)}\u00a0µs`,
            run.cold_effective_gbps !== null && t("punct.comma") + bandwidth(run.cold_effective_gbps),
            run.placement && h("span", {class: "quiet"}, t("punct.comma") + t("table.placement", {name: run.placement}))
          ] :
          reasonSaid(failureDetail(run)) ?? ""),
      stateCell(
        {
          ...point,
          state: run.state,
          stable: run.stable,
          runs: [run],
          asked: 1,
          refused: false,
          failure: run.failure_kind === null || run.state === "removed" ?
            null :
            {kind: run.failure_kind, detail: failureDetail(run)}
        },
        sweep.head));
  }
  const rowOf = item => {
    if (item.run) return runRow(item);
    const {point} = item,
          gone = point.cold.median === null && point.figure("hot_ns_per_operation") === null &&
      (point.state !== "succeeded" || leastOf(point.efficiency.predicted) === null);
    return h(
      "tr", {class: [gone && "unmeasured", chosen.has(point) && "chosen"].filter(Boolean).join(" ") || null},
      chosen.boxOf(point), nameCells(point),
      gone && (point.failure || point.state === "cancelled" || point.state === "removed") ?
        reasonCells(point, columns.length) :
        gone ? h("td", {colspan: String(columns.length)}) :
               columns.map(column => column.cell(point)),
      stateCell(point, sweep.head));
  };
  const all = windowed({
    caption: t("table.caption"),
    heads: () =>
      [chosen.allBox(), ...named().map(axis => headCell(axis.name, axis.kind === "number")),
       ...(columns.length ? columns.map(column => column.head) : [h("td", {})]), headCell(t("lists.state"))],
    rowOf,
    className: "sweep-table"
  });
  function update() {
    columns = columnsOf(sweep, kindOf);
    chosen.offer(sweep.rows, keyOf, pointText);
    items = sweep.rows.flatMap(
      point => [{point}, ...(open.has(keyOf(point)) ? point.runs.map((run, nth) => ({point, run, nth})) : [])]);
    all.update(items);
  }
  return {node: all.node, update};
}

/* The table of one chart: the points, the value, its interval, and what was predicted and published. */
export function chartTable(sweep, specNow) {
  const heads = () => {
    const {metric} = specNow();
    return [
      ...sweep.axes.map(axis => headCell(axis.name, axis.kind === "number")),
      headCell(`${metric.title(sweep)}${metric.unit ? t("punct.comma") + metric.unit : ""}`, true),
      headCell(t("table.interval"), true), headCell(t("counts.predicted"), true),
      headCell(t("sweep.published_word"), true)
    ];
  };
  const rowOf = point => {
    const {metric} = specNow(), write = value => value === null ? noValue(point.failure?.detail) : metric.write(value),
          range = metric.range(point);
    return h(
      "tr", {},
      sweep.axes.map(
        (axis, i) =>
          h(i ? "td" : "th", {scope: i ? null : "row", class: axis.kind === "number" ? "number" : null},
            valueText(point.values[axis.name]))),
      numberCell(write(metric.value(point))),
      numberCell(range ? `${metric.write(range[0])} ${t("interval.to")} ${metric.write(range[1])}` : noValue()),
      numberCell(write(metric.predicted(point))), numberCell(write(metric.published(point))));
  };
  const all = windowed({caption: t("chart.table"), heads, rowOf});
  return {node: all.node, update: () => all.update(specNow().points)};
}
