/* /ui/devices/{name}: how the device is and was while this page was open, its limits and peaks, and the roofline with
 * what ran on it. */
import {deviceNotes, deviceState, heldBy, heldText, productOf, readings, slowed} from "../devices.js";
import {calibrationPanel} from "../charts/calibration.js";
import {figure} from "../charts/figure.js";
import {history} from "../charts/history.js";
import {roofline} from "../charts/roofline.js";
import {h, redraw, replace} from "../dom.js";
import {bytes, count, digits, duration, percent, shape} from "../format.js";
import {watchLive} from "../live.js";
import {button, cell, experimentLink, headCell, numberCell, panel, stateMark, table} from "../parts.js";
import {rowsOf} from "../table.js";
import {noValue, reasonSaid, t, term} from "../words.js";
import "../device_words.js";

const READ_MS = 5000, KEPT_MS = 30 * 60000, LEAST_MS = 60000, POINTS = 200;
const LINES = [
  ["sm_clock_mhz", "device.sm_clock", "MHz", "sm_clock_max_mhz"],
  ["memory_clock_mhz", "device.memory_clock", "MHz", "memory_clock_max_mhz"],
  ["temperature_c", "device.heat", "°C", null], ["power_w", "device.power", "W", null]
];

/* Of each device since the window was opened; also while another page of it is shown. */
const histories = new Map();

export const title = ({name}) => name;

function remember(device) {
  const live = device.live?.status === "measured" ? device.live : {};
  const kept = histories.get(device.index) ?? [], at = Date.now();
  kept.push({at, live, held: slowed(device).length > 0});
  histories.set(device.index, kept.filter(one => one.at > at - KEPT_MS));
}

/* Spans of readings in which the clocks were held down. */
function heldSpans(kept) {
  const spans = [];
  for (const [i, one] of kept.entries())
    if (one.held && kept[i - 1]?.held)
      spans.at(-1).to = one.at;
    else if (one.held)
      spans.push({from: one.at, to: one.at});
  return spans;
}

const fact = (name, value) => h("div", {}, h("dt", {}, name), h("dd", {}, value ?? noValue(t("device.no_fact"))));
const known = (value, f) => value === null || value === undefined ? null : f(value);

function facts(device) {
  return h(
    "dl", {class: "facts"}, fact(t("device.idle"), t(`device.idle_${device.idle}`)),
    fact(t("device.build"), device.executor_build && h("code", {}, device.executor_build)),
    fact(t("device.arch"), device.arch),
    fact(t("device.driver"), device.driver && `${device.driver}${device.runtime ? `, ${device.runtime}` : ""}`),
    fact(t("device.multiprocessors"), known(device.multiprocessors, count)),
    fact(t("device.memory_size"), known(device.memory_bytes, bytes)),
    fact(t(device.backend === "cpu" ? "device.last_cache" : "device.l2"), known(device.l2_bytes, bytes)),
    fact(t("device.highest_clock"), known(device.clock_khz, khz => `${count(khz / 1000)}\u00a0MHz`)),
    fact(t("device.memory_clock"), known(device.memory_clock_khz, khz => `${count(khz / 1000)}\u00a0MHz`)),
    fact(t("device.bus"), known(device.memory_bus_bits, bits => `${count(bits)}\u00a0bit`)),
    fact(t("device.threads_block"), known(device.max_threads_per_block, count)),
    fact(t("device.threads_sm"), known(device.max_threads_per_multiprocessor, count)),
    fact(t("device.max_block"), known(device.max_block, shape)),
    fact(t("device.registers"), known(device.registers_per_multiprocessor, count)),
    fact(t("device.shared"), known(device.shared_bytes_per_multiprocessor, bytes)),
    fact(t("device.runs"), known(device.status.runs, count)),
    fact(t("device.failures"), known(device.status.failures, count)),
    fact("uuid", device.uuid && h("code", {}, device.uuid)));
}

function peak(name, value, figureOf) {
  const inputs = value?.inputs ? Object.entries(value.inputs)
                                   .map(
                                     ([key, one]) => `${key.replaceAll("_", " ")} ${
                                       typeof one !== "number" ? one :
                                         Number.isInteger(one) ? count(one) :
                                                                 digits(one)}`)
                                   .join(", ") :
                                 null;
  return h(
    "div", {class: "peak"}, h("dt", {}, name),
    h("dd", {},
      value?.formula ?
        [
          h("strong", {}, figureOf(value)),
          h("span", {class: "note"}, value.formula.replaceAll("_", " ").replaceAll(" x ", " × "), h("br"), inputs)
        ] :
        typeof value === "number" ? h("strong", {}, digits(value, 3)) :
                                    noValue(value?.reason ?? t("device.no_fact"))));
}

const peaks = device =>
  h("dl", {class: "peaks"},
    peak(t("device.peak_bandwidth"), device.peak_bandwidth, ({gbps}) => `${digits(gbps)}\u00a0GB/s`),
    peak(t("device.peak_single"), device.peak_single_precision, ({gflops}) => `${digits(gflops / 1000)}\u00a0Tflop/s`),
    peak(t("device.balance"), device.balance_flops_per_byte));

const missing = reason =>
  h("div", {class: "missing"}, h("strong", {}, t("no_value")), t("punct.colon"),
    reasonSaid(reason) ?? t("device.not_told"));

/* Why none of its readings is a number. */
const unreadOf = ({backend, live}) => live?.reason ?? LINES.map(([name]) => live?.[name]?.reason).find(Boolean) ??
  (backend === "cpu" ? "not read for a CPU" : null);

/* ---- over time ---- */

function historyFigure(device) {
  const series = () => LINES.map(([name, word, unit, most]) => {
    const kept = histories.get(device().index) ?? [];
    const limit = most && kept.findLast(one => typeof one.live[most] === "number")?.live[most];
    return {name: t(word), unit, most: limit ?? null, values: kept.map(({at, live}) => ({at, value: live[name]}))};
  });
  const ago = s => s < 1 ? t("queue.now") : t("device.ago", {time: duration(s)});
  return figure({
    label: () => t("device.history_label", {
      text: series()
              .map(({name, unit, values}) => {
                const last = values.at(-1)?.value;
                return typeof last === "number" ? `${name} ${count(last)} ${unit}` :
                                                  `${name}${t("punct.colon")}${t("no_value")}`;
              })
              .join(", ")
    }),
    draw: width => {
      const kept = histories.get(device().index) ?? [], to = Date.now();
      return history(
        width, series(), {from: Math.min(kept[0]?.at ?? to, to - LEAST_MS), to, marks: heldSpans(kept), ago});
    },
    table: () => table(
      t("device.history"),
      [
        headCell(t("device.when")), ...LINES.map(([, word, unit]) => headCell(`${t(word)}, ${unit}`, true)),
        headCell(t("state.throttled"))
      ],
      (histories.get(device().index) ?? [])
        .slice(-60)
        .reverse()
        .map(
          ({at, live, held}) => h(
            "tr", {}, h("th", {scope: "row"}, new Date(at).toLocaleTimeString()),
            LINES.map(
              ([name]) => numberCell(typeof live[name] === "number" ? count(live[name]) : noValue(live[name]?.reason))),
            cell(held ? "△" : "")))),
  });
}

/* ---- the roofline ---- */

async function pointsRead(api, name, signal) {
  const rows = rowsOf(await api.text(
    `/v1/experiments?device=${name}&state=succeeded&kernel=ilp_chain&page_size=${POINTS}`,
    {signal, headers: {Accept: "text/csv"}}));
  return rows.filter(row => row.operations && row.hot_gops)
    .map(row => {
      const moved =
        (row.requested_load_bytes ?? 0) + (row.requested_store_bytes ?? 0) + (row.requested_atomic_bytes ?? 0);
      return {
        id: row.id,
        name: `${row.kernel}${row.chains ? ` ${row.chains}` : ""}`,
        x: row.operations / moved,
        y: row.hot_gops,
        stable: row.stable
      };
    })
    .filter(point => Number.isFinite(point.x) && point.x > 0);
}

function roofPanel(device, points) {
  const gbps = device.peak_bandwidth?.gbps, gflops = device.peak_single_precision?.gflops;
  if (!gbps || !gflops) {
    const reason = device.peak_bandwidth?.reason ?? device.peak_single_precision?.reason ?? t("device.no_fact");
    return panel(t("device.roofline"), null, missing(reason));
  }
  const drawn = figure({
    label: () =>
      t("device.roof_label",
        {n: count(points.length), words: points.length, gbps: digits(gbps), tflops: digits(gflops / 1000)}),
    draw: width => roofline(width, {gbps, gflops, points}),
    table: () => table(
      t("device.roofline"),
      [
        headCell(t("lab.experiment")), headCell(t("device.roof_x"), true), headCell(t("device.roof_y"), true),
        headCell(t("device.of_roof"), true)
      ],
      points.map(
        point =>
          h("tr", {}, h("th", {scope: "row"}, experimentLink(point.id, point.name)), numberCell(digits(point.x)),
            numberCell(digits(point.y)), numberCell(percent(point.y / Math.min(gflops, point.x * gbps), 1))))),
  });
  return panel(
    t("device.roofline"),
    points.length ? t("device.roof_points", {n: count(points.length), words: points.length}) : t("device.roof_none"),
    drawn.node);
}

/* ---- the page ---- */

function headingOf(device, queue) {
  const state = deviceState(device, queue);
  if (state === "drained" && heldBy(queue, device.index) === queue) return heldText(queue);
  return t(
    `device.is_${state}`,
    {name: device.device_name, ...(state === "unhealthy" && {reason: device.status.reason ?? ""})});
}

export async function open(root, {name}, {api, announce, signal}) {
  let device = await api.get(`/v1/devices/${name}`, {signal}), live = {}, at = Date.now();
  remember(device);
  const heading = h("h1", {class: "heading"}), act = h("div", {}), now = h("div", {}),
        age = h("span", {class: "quiet"});
  const points = await pointsRead(api, device.device_name, signal).catch(() => []);
  const over = historyFigure(() => device),
        calibration = calibrationPanel(api, device.device_name, signal, device.backend === "cuda");

  function draw() {
    if (signal.aborted) return;
    const text = headingOf(device, live.queue);
    if (heading.textContent !== text) {
      heading.textContent = text;
      announce(text);
    }
    const held = heldBy(live.queue, device.index), all = held && held === live.queue;
    calibration.show(live.me);
    redraw(
      act,
      live.me?.role === "admin" && live.queue &&
        button(
          t(all    ? "queue.resume_all" :
              held ? "queue.resume_device" :
                     "queue.drain"),
          async () => {
            await api.post(all ? "/v1/queue/resume" : `/v1/devices/${device.device_name}/${held ? "resume" : "drain"}`);
          },
          {key: "hold"}));
    redraw(
      now, h("p", {class: "row"}, stateMark(deviceState(device, live.queue))),
      held && device.in_list && h("p", {class: "box"}, heldText(held)), deviceNotes(device),
      device.readiness === "ready" && readings(device));
    const seconds = (device.live?.age_s ?? 0) + (Date.now() - at) / 1000;
    age.textContent = device.live?.status === "measured" ? t("device.age", {time: duration(seconds)}) : "";
  }

  /* What is known of it is another where an executor came or went. */
  let built = null;
  const factsPlace = h("div", {});
  function build() {
    built = device.readiness;
    const readable = device.live?.status === "measured" && LINES.some(([one]) => typeof device.live[one] === "number");
    replace(
      root,
      h("div", {class: "head"},
        h("div", {}, heading,
          h("p", {class: "lead-line"}, [productOf(device), device.note].filter(Boolean).join(t("punct.stop")))),
        act),
      h("div", {class: "grid"},
        h("section", {class: "panel span-4"}, h("header", {}, h("h2", {}, t("device.now")), age), now),
        h("section", {class: "panel span-8"},
          h("header", {}, h("h2", {}, t("device.history")), h("span", {class: "quiet"}, t("device.history_since"))),
          readable ? over.node : missing(unreadOf(device))),
        h("div", {class: "span-12"}, roofPanel(device, points)), calibration.node,
        h("section", {class: "panel span-5"}, h("header", {}, h("h2", {}, term("peak", "Peaks"))), peaks(device)),
        h("section", {class: "panel span-7"}, h("header", {}, h("h2", {}, t("device.limits"))), factsPlace)));
    replace(factsPlace, facts(device));
  }

  build();
  const read = async () => {
    if (document.hidden) return;
    device = await api.get(`/v1/devices/${name}`, {signal});
    at = Date.now();
    remember(device);
    if (device.readiness !== built) build();
    redraw(factsPlace, facts(device));
    over.update();
    draw();
  };
  const timers = [setInterval(() => read().catch(() => {}), READ_MS), setInterval(draw, 1000)];
  const stop = watchLive(state => {
    live = state;
    draw();
  });
  return () => {
    timers.forEach(clearInterval);
    stop();
  };
}
