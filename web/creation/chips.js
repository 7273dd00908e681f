/* What chips make of a launch: all its loads, or all its stores, on three architectures, each to be chosen. */
import {h, redraw} from "../dom.js";
import {bytes, count, percent} from "../format.js";
import {language, reasonSaid, t, term} from "../words.js";
import {architectureName} from "../charts/architectures.js";
import "./words.js";

/* A pattern of stripes cannot be had from a stylesheet in a bar that is a box, so the rest of a bar is a box of class
 * waste. */
function chipBar(moved, efficiency, most) {
  const used = h("i", {class: "used", style: {width: `${100 * moved * efficiency / most}%`}}),
        waste = h("i", {class: "hatch", style: {width: `${100 * moved * (1 - efficiency) / most}%`}});
  return h("div", {class: "chip-bar"}, used, waste, h("span", {class: "note"}, bytes(moved)));
}

/* chipsPanel({onChips}): onChips(k, arch) gets what is chosen in row k. */
export function chipsPanel({onChips}) {
  const title = h("h2", {}), rows = h("div", {class: "chips"}),
        side = h("div", {class: "segments small", role: "group", "aria-label": t("chips.side")});
  const node = h("section", {class: "panel chips-panel"}, h("header", {}, title, side), rows);
  let chosen = null, last = null;

  function choose(name) {
    chosen = name;
    if (last) show(...last);
  }

  function chip(row, k, predictions, archs, own, most, what) {
    const select =
      h("select", {
        class: "chip-name",
        "aria-label": t("chips.choose", {n: count(k + 1)}),
        data: {key: `chip ${k}`, of: row.arch},
        value: row.arch,
        onchange: ({target}) => onChips(k, target.value)
      },
        archs.map(
          arch => h(
            "option", {value: arch}, architectureName(arch) === arch ? arch : `${architectureName(arch)} (${arch})`)));
    const shown =
      h("span", {class: row.arch === own ? "chip-label own" : "chip-label"}, architectureName(row.arch),
        h("span", {class: "note mono"}, row.arch), select);
    if (row.status)
      return h("div", {class: "chip"}, shown, h("p", {class: "note chip-missing"}, reasonSaid(row.reason)));
    const efficiency = row[`${what}_efficiency_pct`], unit = row[`${what}_unit`];
    if (efficiency === null)
      return h("div", {class: "chip"}, shown, h("p", {class: "note chip-missing"}, reasonSaid(row[`${what}_reason`])));
    return h(
      "div", {class: "chip"}, shown, h("span", {class: "note chip-unit"}, t(`chips.unit.${unit}`)),
      chipBar(row[`${what}_moved_bytes`], efficiency / 100, most),
      h("span", {class: "number chip-count"}, count(row[`${what}_transactions`]),
        h("span", {class: "narrow note"}, ` ${t("chips.transactions")}, ${bytes(row[`${what}_moved_bytes`])}`)),
      h("b", {class: "number chip-percent"}, percent(efficiency / 100)));
  }

  function show(predictions, archs, own) {
    last = [predictions, archs, own];
    const made = predictions.filter(row => !row.status), has = name => made.some(row => row[`${name}_requests`] > 0);
    const sides = ["gld", "gst"].filter(has);
    const lowest = name => Math.min(...made.map(row => row[`${name}_efficiency_pct`] ?? 101));
    const what = sides.includes(chosen)                   ? chosen :
      sides.length === 2 && lowest("gst") < lowest("gld") ? "gst" :
                                                            sides[0] ?? "gld";
    title.textContent = t(what === "gld" ? "chips.loads" : "chips.stores");
    redraw(
      side,
      sides.length === 2 &&
        sides.map(
          name =>
            h("button", {
              type: "button",
              "aria-pressed": String(name === what),
              data: {key: `side ${name}`},
              onclick: () => choose(name)
            },
              t(name === "gld" ? "chips.load" : "chips.store"))));
    side.hidden = sides.length < 2;
    const most = Math.max(1, ...made.map(row => row[`${what}_moved_bytes`]));
    const head =
      h("div", {class: "chip chip-head note"},
        h("span", {class: "chip-count number"}, term("transaction", "transactions")),
        h("span", {class: "chip-percent number"}, term("efficiency")));
    const notes = new Set(made.map(row => language() === "zh" && row.zh?.note || reasonSaid(row.note)).filter(Boolean));
    redraw(
      rows, head, predictions.map((row, k) => chip(row, k, predictions, archs, own, most, what)),
      [...notes].map(note => h("p", {class: "note"}, "△ ", note)));
  }
  return {node, show};
}
