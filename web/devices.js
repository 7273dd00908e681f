/* How devices are, as the lab, the queue and their own pages show them.

   deviceState(device, queue) is a name for stateMark(); stateCounts(devices, queue) of how many it is which;
   deviceLink(device) its name, as the operator calls it; productOf(device) what it is; readings(device) the rows of its
   clocks, temperature and power; slowed(device) the reasons that hold its clocks down against its will; heldBy(queue,
   index) who paused it, or the queue, and heldText() of that a sentence; blockedBy(queue) why nothing begins on any
   device, or null; refusalBox(queue, said) why nothing can be submitted; deviceNotes(device) a box of what is to be
   known first, or null; devicesTable(devices, queue, now, act) a row each, with what it does now(device) and what one
   may do with it, act(device). */
import {link} from "./api.js";
import {h} from "./dom.js";
import {count} from "./format.js";
import {barOf, cell, headCell, headUnseen, numberCell, stateMark, table} from "./parts.js";
import {noValue, reasonSaid, t} from "./words.js";

const AGAINST_ITS_WILL = ["sw_power_cap", "hw_slowdown", "sw_thermal", "hw_thermal", "hw_power_brake"];
const HOTTEST_C = 100; /* of the bar alone */

export function slowed(device) {
  const reasons = device.live?.throttle_reasons;
  return Array.isArray(reasons) ? reasons.filter(reason => AGAINST_ITS_WILL.includes(reason)) : [];
}

export const queueOf = (queue, index) => queue?.devices.find(one => one.device === index);

export function heldBy(queue, index) {
  const own = queueOf(queue, index);
  return own?.paused ? {...own, both: queue.paused} : queue?.paused ? queue : null;
}

export function blockedBy(queue) {
  const reasons = queue?.devices.map(one => one.waits_for) ?? [];
  if (!reasons.length || !reasons.every(Boolean)) return null;
  return [...new Set(reasons)].map(reasonSaid).join(t("punct.semicolon"));
}

/* A box that says why nothing can be submitted; null if submissions are accepted, or if the heading `said` already
   gives the reason. */
export function refusalBox(queue, said) {
  const why = reasonSaid(queue.refuses);
  return why && !said.includes(why) ?
    h("p", {class: "box warn-box"}, why.replace(/^./, letter => letter.toUpperCase())) :
    null;
}

export const heldText = held => held.both ?
  t("lab.both_paused", {by: held.paused_by ? t("lab.hold_by", {who: held.paused_by}) : ""}) :
  t(`lab.${held.devices ? "queue_" : ""}paused${held.paused_by ? "_by" : ""}`, {who: held.paused_by});

export function deviceState(device, queue) {
  if (!device.in_list) return "gone";
  if (device.readiness === "unhealthy") return "unhealthy";
  const runs = Boolean(queueOf(queue, device.index)?.running);
  if (!runs && heldBy(queue, device.index)) return "drained"; /* what runs goes on to its end */
  if (device.readiness !== "ready") return device.readiness;
  if (slowed(device).length) return "throttled";
  return runs ? "measuring" : "idle";
}

/* Of how many devices that is the state: [[state, count]]. */
export function stateCounts(devices, queue) {
  const counts = new Map();
  for (const state of devices.map(device => deviceState(device, queue)))
    counts.set(state, (counts.get(state) ?? 0) + 1);
  return [...counts];
}

export const deviceLink = ({device_name: name}) =>
  h("a", {href: link(`devices/${name}`), class: "row-link", data: {key: `device ${name}`}}, name);

export const productOf = device => device.backend === "cpu" ?
  t("device.cpu", {name: device.name ?? "CPU", n: device.multiprocessors ?? "?"}) :
  device.name ?? t("device.not_yet");

/* A reading is a number, or an object that says why there is none. */
function reading(name, value, most, unit, warn) {
  const known = typeof value === "number";
  const bar = !known ? h("span", {class: "bar unknown", "aria-hidden": "true"}) :
    most             ? barOf(value / most, warn ? "warn" : "ink") :
                       null;
  const reason = value?.reason ?? t("device.not_told");
  const text = known ? [h("strong", {}, count(value)), unit(value, most)] : noValue(reason);
  return h(
    "div", {class: "reading"}, h("dt", {}, name),
    h("dd", {}, h("span", {class: "track"}, bar), h("span", {class: warn ? "warn" : null}, text)));
}

const ofMost = (value, most) =>
  h("span", {class: "quiet"}, typeof most === "number" ? ` ${t("device.of")} ${count(most)}\u00a0MHz` : "\u00a0MHz");
const plainUnit = unit => () => h("span", {class: "quiet"}, `\u00a0${unit}`);

export function readings(device) {
  const live = device.live?.status === "measured" ? device.live : {};
  const missing = device.live?.status === "unavailable" ? {reason: device.live.reason} : null;
  const of = name => live[name] ?? missing;
  const most = name => typeof live[name] === "number" ? live[name] : null;
  const held = slowed(device);
  return h(
    "dl", {class: "readings"},
    reading(t("device.sm_clock"), of("sm_clock_mhz"), most("sm_clock_max_mhz"), ofMost, held.length),
    reading(t("device.memory_clock"), of("memory_clock_mhz"), most("memory_clock_max_mhz"), ofMost),
    reading(
      t("device.heat"), of("temperature_c"), HOTTEST_C, plainUnit("°C"),
      held.some(reason => reason.includes("thermal"))),
    reading(t("device.power"), of("power_w"), null, plainUnit("W"), held.includes("sw_power_cap")));
}

export const throttledText = device => slowed(device).map(reason => t(`device.slow_${reason}`)).join(t("punct.space"));

export function deviceNotes(device) {
  const {reason} = device.status, held = slowed(device),
        box = (warn, ...text) => h("div", {class: warn ? "box warn-box" : "box"}, text);
  if (!device.in_list) return box(false, t("device.gone_text"));
  if (device.readiness === "unhealthy") return box(true, reason);
  if (device.readiness === "starting") return box(false, reason ?? t("device.starting_text"));
  if (device.readiness === "away") return box(false, t("device.away_text"));
  return held.length ?
    box(true, h("strong", {}, throttledText(device)), h("div", {class: "note"}, t("device.slow_then"))) :
    null;
}

/* ---- many of them ---- */

export const DRAWN_MOST = 8; /* beyond, a row each */

const noteOf = (device, held) => [held && device.in_list && heldText(held), device.note].filter(Boolean).join(". ");

export function devicesTable(devices, queue, now, act) {
  return table(
    t("device.all"),
    [
      headCell(t("device.name")), h("th", {scope: "col", class: "spare"}, t("device.what")), headCell(t("lists.state")),
      headCell(t("device.does")), headCell(t("queue.waiting"), true),
      h("th", {scope: "col", class: "spare"}, t("lab.note")), act && headUnseen(t("lists.acts"))
    ].filter(Boolean),
    devices.map(
      device =>
        h("tr", {}, h("th", {scope: "row"}, deviceLink(device)), h("td", {class: "spare"}, productOf(device)),
          cell(stateMark(deviceState(device, queue))),
          cell(
            device.readiness === "ready" ? now(device) : h("span", {class: "quiet"}, reasonSaid(device.status.reason))),
          numberCell(count(queueOf(queue, device.index)?.queued ?? 0)),
          h("td", {class: "spare quiet"}, noteOf(device, heldBy(queue, device.index))),
          act && h("td", {class: "number act"}, act(device)))));
}
