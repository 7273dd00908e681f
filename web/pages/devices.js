/* /ui/devices: all devices, how each is, what it waits for and what the operator says of it. */
import {devicesTable, stateCounts} from "../devices.js";
import {h, redraw, replace} from "../dom.js";
import {count} from "../format.js";
import {atMost, watchLive} from "../live.js";
import {runsOn} from "../waiting.js";
import {t} from "../words.js";
import "../device_words.js";

export const title = () => t("device.all");

export function open(root, params, {announce, signal}) {
  const heading = h("h1", {class: "heading"}, "…"), body = h("div", {});
  let state = {};
  const draw = atMost(1000, () => {
    const {devices, queue, me} = state;
    if (signal.aborted || !devices || !queue) return;
    const states = stateCounts(devices, queue)
                     .map(([state, n]) => t("device.count_state", {n: count(n), state: t(`state.${state}`)}))
                     .join(t("list.comma"));
    const text = t("device.all_are", {n: count(devices.length), words: devices.length, states});
    if (heading.textContent !== text) {
      heading.textContent = text;
      announce(text);
    }
    redraw(body, devicesTable(devices, queue, device => runsOn(queue, device, me)));
  });
  replace(root, h("div", {class: "head"}, heading), h("section", {class: "panel"}, body));
  return watchLive(now => {
    state = now;
    draw();
  }, 0);
}
