/* /ui/devices/{name}: the constants that a device's times are predicted from, where they come from, and a button to ask
   for new ones.

   calibrationPanel(api, name, signal, able) gives {node, show(me)}; the node is empty until the service has answered.
   able: the device can be calibrated. */
import {link} from "../api.js";
import {h, redraw} from "../dom.js";
import {digits, moment} from "../format.js";
import {button, cell, headCell, numberCell, panel, table} from "../parts.js";
import {DICTIONARY, language, noValue, reasonSaid, t} from "../words.js";
import "../device_words.js";

const READ_MS = 5000;

/* The texts of a constant, in the reader's language where the service has it. */
const inLanguage = one => language() === "zh" && one.zh ? one.zh : one;
const nameOf = one => `constant.${one.name}` in DICTIONARY ? t(`constant.${one.name}`) : inLanguage(one).text;

const constantsTable = constants => table(
  t("calibration.title"),
  [
    headCell(t("calibration.constant")), headCell(t("calibration.value"), true), headCell(t("calibration.unit")),
    headCell(t("calibration.spread"), true), headCell(t("calibration.by"))
  ],
  constants.map(
    one =>
      h("tr", {}, h("th", {scope: "row"}, nameOf(one)), numberCell(digits(one.value)),
        cell(one.unit === "1" ? "" : one.unit.replace(/^us$/, "µs")),
        numberCell(one.spread === null ? noValue(t("calibration.given")) : `${digits(100 * one.spread, 2)}\u00a0%`),
        cell(h("span", {class: "quiet"}, inLanguage(one).measured)))));

export function calibrationPanel(api, name, signal, able) {
  const node = h("div", {class: "span-12"}), path = `/v1/devices/${name}/calibration`;
  let told = null, me = null, timer = null;

  function draw() {
    if (!told) return;
    const {state, reason, failure, sweep, calibration: made} = told;
    const from = made && t(Date.parse(made.made_at) > 0 ? "calibration.from" : "calibration.from_shipped", {
                   device: made.name,
                   n: made.experiments,
                   when: moment(made.made_at, language()),
                   driver: made.driver,
                   build: made.build
                 });
    redraw(
      node,
      panel(
        t("calibration.title"), t(`calibration.${state}`),
        h("p", {class: "note"},
          [from, reasonSaid(reason), failure && t("calibration.failed", {why: failure})].filter(Boolean).join(
            t("punct.space")),
          " ", sweep && h("a", {href: link(`sweeps/${sweep}`)}, t("calibration.sweep"))),
        made && constantsTable(made.constants),
        able && state !== "running" && me?.role === "admin" &&
          h("p", {class: "row"}, button(t(made ? "calibration.again" : "calibration.make"), async () => {
              told = await api.post(path);
              draw();
              wait();
            }, {key: "calibrate"}))));
  }

  const read = async () => {
    told = await api.get(path, {signal}).catch(() => null);
    draw();
    wait();
  };
  const wait = () => {
    clearTimeout(timer);
    if (told && able && told.state !== "made" && !signal.aborted) timer = setTimeout(read, READ_MS);
  };
  read();
  return {
    node,
    show(who) {
      if (who !== me) {
        me = who;
        draw();
      }
    }
  };
}
