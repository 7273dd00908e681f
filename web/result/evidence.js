/* The panels under a result's headline, in the order of doubt: times, bytes, predicted beside counted, occupancy, the
 * device, where it is from. */
import {get, link, resolve, ROOT, token} from "../api.js";
import {h} from "../dom.js";
import {between, bytes, count, digits, duration, moment, percent} from "../format.js";
import {language, noValue, reasonSaid, t, term} from "../words.js";
import {deviceLink} from "../devices.js";
import {spanPanel as panel, unitsText} from "../parts.js";
import {architectureName} from "../charts/architectures.js";
import {fit} from "../charts/fit.js";
import {partsDraw} from "../charts/parts.js";
import {staircasesAsk, staircasesDraw} from "../charts/staircase.js";
import {stripDraw} from "../charts/strip.js";
import "./words.js";
import "../charts/words.js";

const measured = part => part && !part.status;
const facts = rows => h(
  "dl", {class: "result-facts"}, rows.filter(Boolean).map(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]));
const said = part =>
  noValue([part?.reason, part?.remedy].filter(Boolean).map(reasonSaid).join(language() === "zh" ? "，" : " "));

const beyondSamples = ({ci95_us: interval, min_us: least, max_us: most}) =>
  Number.isFinite(interval?.[0]) && (interval[0] < least || interval[1] > most);

export function timesPanel(result, span, signal) {
  const {timing} = result;
  if (!measured(timing)) return {node: panel(span, t("times.title"), null, h("p", {}, said(timing)))};
  const kinds = ["cold", "hot"]
                  .filter(kind => measured(timing[kind]) && timing[kind].median_us !== null)
                  .map(name => ({name, timing: timing[name], samples: null}));
  const drawn = fit(width => kinds.length ? stripDraw(kinds, width) : null);
  if (result.samples?.kept)
    get(`/v1/experiments/${result.id}/samples`, {signal}).then(kept => {
      for (const kind of kinds) kind.samples = kept[kind.name].samples_us;
      drawn.redraw();
    }, () => {});
  const first = kinds[0]?.timing, limit = result.request.measure?.noise;
  const note = first && first.noise !== null ? t("times.note", {
    n: first.samples,
    kind: t(`strip.${kinds[0].name}`),
    noise: percent(first.noise, 2),
    limit: percent(limit ?? 0.01)
  }) :
                                               null;
  const head = ["", "samples", "min_us", "p25_us", "median_us", "p75_us", "max_us", "mean_us", "stddev_us"];
  const row = ({name, timing: one}) =>
    h("tr", {}, h("th", {scope: "row"}, term(name)),
      head.slice(1).map(
        key =>
          h("td", {class: "number"},
            one[key] === null   ? noValue() :
              key === "samples" ? count(one[key]) :
                                  digits(one[key]))));
  const table =
    h("details", {}, h("summary", {}, t("chart.table")),
      h("div", {class: "scroll", tabindex: "0", role: "group", "aria-label": t("times.title")},
        h("table", {},
          h("thead", {},
            h("tr", {},
              head.map(key => key ? h("th", {scope: "col", class: "number"}, t(`times.${key}`)) : h("td", {})))),
          h("tbody", {}, kinds.map(row)))));
  const more =
    [
      timing.near_floor && t("times.near_floor", {us: digits(timing.floor_us)}),
      first?.interval_of === "placement" && kinds.some(({timing: {ci95_us}}) => Number.isFinite(ci95_us?.[0])) &&
        t("times.placement"),
      ...kinds.filter(({timing: one}) => beyondSamples(one))
        .map(({name}) => t("times.wide", {kind: t(`strip.${name}`)}))
    ].filter(Boolean)
      .join(t("punct.space"));
  return {
    node: panel(
      span, t(result.samples?.kept ? "times.title_samples" : "times.title"), note, drawn.node,
      more && h("p", {class: "note"}, more), table),
    close: drawn.close
  };
}

const mega = value => digits(value / 1e6);

const SIDES = ["gld_unit", "gst_unit"], inSectors = unit => (unit ?? "sector") === "sector";

/* The bytes that move for the warps, {load, store, source}, and the units that they move in: counters count sectors,
   the model in the units of the chip. */
function movedOf({bandwidth: {sector_bytes: sectors}, prediction}) {
  const units = SIDES.map(name => prediction?.[name]);
  if (!measured(sectors) || sectors.source === "counters" || units.every(inSectors))
    return {moved: sectors, units: unitsText([])};
  const {gld_moved_bytes: load, gst_moved_bytes: store} = prediction;
  return {moved: {...sectors, load, store}, units: unitsText(units)};
}

export function bytesPanel(result) {
  if (!measured(result.bandwidth)) return null;                 // nothing ran on hardware
  const none = {status: "unavailable", reason: t("no_value")};  // of a result that an older version made
  const {requested_bytes: asked, dram_bytes: dram = none} = result.bandwidth, atomic = asked.atomic ?? 0;
  const {moved: sectors = none, units} = movedOf(result);
  const row = (name, values) => ({
    name: t(`bytes.${name}`, {units}),
    note: t(`bytes.${name}_note`),
    parts: values.map(([kind, value, word]) => ({kind, value, words: word && `${t(`bytes.${word}`)} ${mega(value)}`})),
    total: bytes(values.reduce((sum, [, value]) => sum + value, 0))
  });
  const missing = (name, part) => ({name: t(`bytes.${name}`, {units}), note: t(`bytes.${name}_note`), missing: part});
  const extra = measured(sectors) ? Math.max(0, sectors.load - asked.load) : 0,
        more = measured(sectors) ? Math.max(0, sectors.store - asked.store) : 0;
  const rows = [
    row("requested", [["load", asked.load, "load"], ["store", asked.store, "store"], ["atomic", atomic, "atomic"]]),
    measured(sectors) ?
      row(
        "units", [["load", sectors.load - extra], ["waste", extra], ["store", sectors.store - more], ["waste", more]]) :
      missing("units", sectors),
    measured(dram) ? row("dram", [["load", dram.read, "read"], ["store", dram.write, "written"]]) :
                     missing("dram", dram)
  ];
  const sentence =
    rows.map(one => `${one.name}${t("punct.colon")}${one.total ?? t("no_value")}`).join(t("punct.semicolon"));
  const drawn = fit(width => partsDraw(rows, width, sentence));
  const notes = [
    measured(sectors) && t(sectors.source === "counters" ? "bytes.counted" : "bytes.predicted", {units}),
    extra + more > 0 && t("bytes.waste", {bytes: bytes(extra + more), units}),
    result.counters?.l1_hit_rate_pct !== undefined && t("bytes.hits", {
      l1: percent(result.counters.l1_hit_rate_pct / 100, 1),
      l2: result.counters.l2_hit_rate_pct === undefined ? t("no_value") :
                                                          percent(result.counters.l2_hit_rate_pct / 100, 1)
    }),
    !measured(sectors) && t("bytes.sectors_missing", {why: reasonSaid(sectors.reason)}),
    !measured(dram) && t("bytes.dram_missing", {why: reasonSaid(dram.reason)}),
    result.bandwidth.fits_in_l2 && t("bytes.fits")
  ];
  return {
    node: panel(
      5, t("bytes.title"), t("bytes.unit"), drawn.node,
      h("p", {class: "note"}, notes.filter(Boolean).join(t("punct.space")))),
    close: drawn.close
  };
}

/* Predicted name, counted name, words. */
const COUNTS = [
  ["gld_requests", "gld_requests", "load_requests"], ["gld_transactions", "gld_transactions", "load_transactions"],
  ["gst_requests", "gst_requests", "store_requests"], ["gst_transactions", "gst_transactions", "store_transactions"],
  ["gld_efficiency_pct", "gld_efficiency_pct", "load_efficiency"],
  ["gst_efficiency_pct", "gst_efficiency_pct", "store_efficiency"],
  ["shared_load_bank_conflicts", "shared_bank_conflicts", "conflicts"]
];

/* counting: a node about counting, where nothing was counted. */
export function countsPanel(result, counting) {
  const {prediction, counters} = result, made = measured(prediction),
                     counted = measured(counters) || counters?.status === "measured";
  const value = (from, name, why) => from?.[name] === undefined || from[name] === null ? noValue(why) :
    name.endsWith("_pct")                                                              ? percent(from[name] / 100, 2) :
                                                                                         count(from[name]);
  const rows =
    COUNTS
      .filter(
        ([predicted]) => !made || prediction[predicted] ||
          predicted.startsWith("g") && prediction[predicted] !== null &&
            prediction[`${predicted.slice(0, 3)}_requests`] > 0)
      .map(([predicted, name, words]) => {
        const unit = prediction?.[`${predicted.slice(0, 3)}_unit`];
        /* Counters count sectors: lines and segments are not compared with them. */
        const comparable = !predicted.startsWith("g") || predicted.endsWith("_requests") || inSectors(unit);
        const both =
          comparable && made && counted && prediction[predicted] !== undefined && counters[name] !== undefined;
        const same = both &&
          (name.endsWith("_pct") ? Math.abs(prediction[predicted] - counters[name]) < 0.01 :
                                   prediction[predicted] === counters[name]);
        return {
          both,
          same,
          node: h(
            "tr", {}, h("th", {scope: "row"}, t(`counts.${words}`, {units: unitsText([unit])})),
            h("td", {class: "number"}, made ? value(prediction, predicted) : said(prediction)),
            h("td", {class: "sign"}, both ? (same ? "=" : "≠") : ""),
            h("td", {class: "counted"}, counted ? value(counters, name, counters.unavailable?.[name]) : said(counters)))
        };
      });
  const compared = rows.filter(row => row.both), agree = compared.length > 0 && compared.every(row => row.same);
  const title = !counted ? "counts.title_predicted" :
    agree                ? "counts.title_agree" :
    compared.length      ? "counts.title_differ" :
                           "counts.title_counted";
  const note = counted ? t("counts.note", {n: counters.passes}) : null;
  const below =
    [
      prediction?.note, made && !prediction.exact && t("counts.sampled"), !counted && counters?.reason,
      !counted && counters?.remedy, counters?.against_prediction?.reason
    ].filter(Boolean)
      .map(reasonSaid)
      .join(" · ");
  return {
    node: panel(
      5, t(title), note,
      h("table", {},
        h("thead", {},
          h("tr", {}, h("td", {}), h("th", {class: "number"}, t("counts.predicted")), h("td", {}),
            h("th", {class: "counted"}, t("counts.counted")))),
        h("tbody", {}, rows.map(row => row.node))),
      below && h("p", {class: "note below"}, below), !counted && counting)
  };
}

export function occupancyResult(result, signal) {
  const {occupancy, counters, launch} = result, has = measured(occupancy), achieved = counters?.achieved_occupancy;
  const bar = (name, part, value, why) =>
    [h("span", {}, t(name)),
     part === undefined ? h("span", {class: "bar unknown"}) :
                          h("span", {class: "bar tall"}, h("i", {class: value, style: {width: `${100 * part}%`}})),
     h("b", {class: "number"}, part === undefined ? noValue(why) : percent(part, 1))];
  if (!has) return {node: panel(4, t("result.occupancy"), null, h("p", {}, said(occupancy)))};
  const waves =
    occupancy.waves && t("occ.waves", {n: count(occupancy.waves), percent: percent(occupancy.last_wave_fill)});
  const registers = launch?.registers_per_thread ? t("occ.registers", {n: launch.registers_per_thread}) : null;
  const spill = launch?.local_bytes_per_thread > 0 ? t("occ.spill", {n: launch.local_bytes_per_thread}) : null;
  let stairs = null;
  const drawn = fit(width => stairs && staircasesDraw(stairs, width));
  staircasesAsk(occupancy, signal).then(answer => {
    stairs = answer;
    drawn.redraw();
  });
  return {
    node: panel(
      4, [term("occupancy"), h("span", {class: "quiet"}, ` ${architectureName(occupancy.arch)}`)], t("occ.note", {
        n: occupancy.blocks_per_sm,
        limits: occupancy.limited_by.map(name => t(`occupancy.${name}`)).join(t("list.comma"))
      }),
      h("div", {class: "occ"}, bar("occ.theoretical", occupancy.theoretical, "grey"),
        bar("occ.achieved", achieved, "", counters?.reason ?? counters?.unavailable?.achieved_occupancy)),
      h("p", {class: "note"}, [registers, spill, waves].filter(Boolean).join(t("punct.semicolon"))), drawn.node),
    close: drawn.close
  };
}

const range = values => {
  const all = [...new Set(values)];
  return all.length === 1 ? count(all[0]) :
                            t("device.range", {from: count(Math.min(...all)), to: count(Math.max(...all))});
};
const reading = (part, write) => part && part.status ? said(part) : part === undefined ? noValue() : write(part);

export function devicePanel(result) {
  const {live, waited_s: waited} = result.stability ?? {};
  const rows = live?.status === "measured" ?
    [
      [t("device.clocks"), reading(live.sm_clock_mhz, values => t("device.clock", {mhz: range(values)}))],
      [t("device.memory"), reading(live.memory_clock_mhz, values => t("device.clock", {mhz: range(values)}))],
      [t("device.temperature"), reading(live.temperature_c, value => `${value}\u00a0°C`)],
      [
        term("throttled"),
        reading(live.throttle_reasons, values => values.length ? values.join(", ") : t("device.none"))
      ],
      [t("device.others"), reading(live.other_processes, value => value === 0 ? t("device.none") : count(value))]
    ] :
    [[t("device.readings"), said(live)]];
  if (waited > 0) rows.push([t("device.waited"), duration(waited)]);
  return {
    node: panel(
      4, t("device.title"), null, facts([[t("device.name"), [deviceLink(result), ", ", result.device.name]], ...rows]))
  };
}

export function provenancePanel(result, copyText) {
  const {provenance: from, device, placement} = result;
  const curl = `curl -s ${token() ? '-H "Authorization: Bearer $TOKEN" ' : ""}${ROOT.href}v1/experiments/${result.id}`;
  const times = result.started_at && result.finished_at ? t("from.times", {
    waited: between(result.submitted_at, result.started_at),
    ran: between(result.started_at, result.finished_at),
    when: moment(result.finished_at, language())
  }) :
                                                          null;
  const node =
    panel(4, t("from.title"), null, facts([
            [t("from.experiment"), h("span", {class: "mono"}, result.id)],
            result.links?.sweep &&
              [t("from.sweep"), h("a", {href: link(result.links.sweep.replace(/^\/v1\//, ""))}, t("from.of_sweep"))],
            from &&
              [
                t("from.kernel"),
                h("span", {class: "mono", title: from.kernel_sha256}, `sha256 ${from.kernel_sha256.slice(0, 12)}…`)
              ],
            device && [t("from.driver"), device.driver],
            from && [t("from.commit"), h("span", {class: "mono"}, `${from.version} ${from.commit}`)],
            placement && [t("from.placement"), h("span", {class: "mono"}, placement.name)],
            result.owner && [t("from.owner"), result.owner], times && [t("from.time"), times]
          ]));
  node.querySelector("header").append(
    h("span", {}, h("a", {class: "note", href: resolve(`/v1/experiments/${result.id}`), target: "_blank"}, "JSON"), " ",
      h("button", {
        type: "button",
        class: "plain note",
        onclick: event => copyText(curl).then(
          () => {
            event.target.textContent = t("copy.done");
          },
          () => {})
      },
        t("from.curl"))));
  return {node};
}
