/* The right end of the top bar: the device and its clock, or how many measure; what waits, whose token it is. */
import {forgetToken, link, token} from "./api.js";
import {h, redraw} from "./dom.js";
import {deviceState} from "./devices.js";
import {count} from "./format.js";
import {watchLive} from "./live.js";
import {SIGNS} from "./parts.js";
import {t} from "./words.js";

let ending = () => {};

/* Whose token it is and what it may do; a press asks before it is forgotten, which it is in all tabs. */
function owner(me, asking, ask) {
  if (!me) return null;
  if (!token()) return h("span", {class: "owner"}, t("shell.nobody"));
  const press = (key, words, f) => h("button", {type: "button", class: "plain owner", data: {key}, onclick: f}, words);
  if (!asking)
    return press("owner", [me.name, h("span", {class: "quiet"}, ` ${t(`role.${me.role}`)}`)], () => ask(true));
  const forget = () => {
    forgetToken();
    location.reload();
  };
  const closeByKey = event => {
    if (event.key === "Escape") ask(false);
  };
  return h(
    "span", {class: "confirm", role: "group", "aria-label": t("shell.token_forget"), onkeydown: closeByKey},
    t("shell.token_forget"), press("forget", t("shell.token_yes"), forget),
    press("keep", t("shell.token_no"), () => ask(false)));
}

/* "NVIDIA H200" is "H200" here. */
function deviceShort(device, queue) {
  const live = device.live?.status === "measured" ? device.live : {};
  const reading = (value, unit) =>
    typeof value === "number" ? h("span", {class: "clock"}, `${count(value)}\u00a0${unit}`) : null;
  const state = deviceState(device, queue);
  return h(
    "a", {href: link(`devices/${device.device_name}`), class: `short ${state}`},
    h("span", {"aria-hidden": "true"}, SIGNS[state]), h("span", {class: "unseen"}, t(`state.${state}`)), " ",
    (device.name ?? t("device.unknown")).replace(/^(NVIDIA|AMD|Intel) /, ""), reading(live.temperature_c, "°C"),
    reading(live.sm_clock_mhz, "MHz"));
}

export function topState() {
  ending();
  const device = h("span", {}), waiting = h("a", {href: link("queue")}), who = h("span", {});
  let mine = null, asking = false;
  const ownerDraw = () => redraw(who, owner(mine, asking, ask));
  const ask = on => {
    asking = on;
    ownerDraw();
    who.querySelector(`[data-key="${on ? "keep" : "owner"}"]`)?.focus();
  };
  ending = watchLive(({devices, queue, me}) => {
    redraw(
      device,
      devices?.length > 0 && queue &&
        (devices.length > 1 ?
           h("a", {href: link("devices")}, t("shell.devices", {n: count(queue.running), of: count(devices.length)})) :
           deviceShort(devices[0], queue)));
    redraw(waiting, queue && [
      h("span", {class: "phone"}, t("queue.title"), t("punct.colon")),
      queue.queued ? t("shell.waiting", {n: count(queue.queued)}) : t("shell.nothing_waits")
    ]);
    mine = me;
    ownerDraw();
  });
  return h("div", {class: "state"}, device, waiting, who);
}
