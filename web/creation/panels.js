/* Beside the form: what chips make of it, what fits a multiprocessor, and the same to be typed. */
import {h, replace} from "../dom.js";
import {bytes, count, percent} from "../format.js";
import {noValue, t, term} from "../words.js";
import {architectureName} from "../charts/architectures.js";
import {occupancyBars, occupancyMissing} from "../charts/occupancy.js";
import {staircasesAsk, staircasesDraw} from "../charts/staircase.js";

/* A pattern of stripes cannot be had from a stylesheet in a bar that is a box, so the rest of a bar is a box of class
 * waste. */
function chipBar(moved, efficiency, most) {
  const used = h("i", {class: "used", style: {width: `${100 * moved * efficiency / most}%`}}),
        waste = h("i", {class: "hatch", style: {width: `${100 * moved * (1 - efficiency) / most}%`}});
  return h("div", {class: "chip-bar"}, used, waste, h("span", {class: "note"}, bytes(moved)));
}

/* chipsPanel({onChips}): three architectures, each to be chosen. */
export function chipsPanel({onChips}) {
  const title = h("h2", {}), rows = h("div", {class: "chips"}),
        side = h("div", {class: "segments small", role: "group", "aria-label": t("chips.side")});
  const node = h("section", {class: "panel"}, h("header", {}, title, side), rows);
  let chosen = null, last = null;

  function choose(name) {
    chosen = name;
    if (last) show(...last);
  }

  function chip(row, k, predictions, archs, own, most, what) {
    const select = h(
      "select",
      {class: "chip-name", "aria-label": t("chips.choose"), value: row.arch, onchange: () => onChips(k, select.value)},
      archs.map(
        arch =>
          h("option", {value: arch}, architectureName(arch) === arch ? arch : `${architectureName(arch)} (${arch})`)));
    const shown =
      h("span", {class: row.arch === own ? "chip-label own" : "chip-label"}, architectureName(row.arch),
        h("span", {class: "note mono"}, row.arch), select);
    if (row.status) return h("div", {class: "chip"}, shown, h("p", {class: "note chip-missing"}, row.reason));
    const efficiency = row[`${what}_efficiency_pct`], unit = row[`${what}_unit`];
    if (efficiency === null)
      return h("div", {class: "chip"}, shown, h("p", {class: "note chip-missing"}, row[`${what}_reason`]));
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
    replace(
      side,
      sides.length === 2 &&
        sides.map(
          name =>
            h("button", {type: "button", "aria-pressed": String(name === what), onclick: () => choose(name)},
              t(name === "gld" ? "chips.load" : "chips.store"))));
    side.hidden = sides.length < 2;
    const most = Math.max(1, ...made.map(row => row[`${what}_moved_bytes`]));
    const head =
      h("div", {class: "chip chip-head note"},
        h("span", {class: "chip-count number"}, term("transaction", "transactions")),
        h("span", {class: "chip-percent number"}, term("efficiency")));
    replace(rows, head, predictions.map((row, k) => chip(row, k, predictions, archs, own, most, what)));
  }
  return {node, show};
}

export function occupancyPanel() {
  const title = h("h2", {}), place = h("div", {});
  const node =
    h("section", {class: "panel"}, h("header", {}, title, h("span", {class: "note"}, t("occupancy.what"))), place);
  const ended = new AbortController();
  let shown = null, stairs = null, width = 0;
  const draw = () => shown && width &&
    replace(place, shown.status ? occupancyMissing(shown.reason) : occupancyBars(shown, width),
            stairs && staircasesDraw(stairs, width));
  const watcher = new ResizeObserver(([entry]) => {
    if (Math.floor(entry.contentRect.width) === width) return;
    width = Math.floor(entry.contentRect.width);
    draw();
  });
  watcher.observe(place);
  return {
    node,
    close() {
      watcher.disconnect();
      ended.abort();
    },
    show(occupancy, arch) {
      const own = shown = occupancy ?? {status: "unavailable", reason: ""};
      replace(
        title, term("occupancy"), " ", shown.status ? noValue(shown.reason) : percent(shown.theoretical),
        h("span", {class: "quiet"}, ` ${architectureName(arch)}`));
      draw();
      staircasesAsk(occupancy, ended.signal).then(answer => {
        if (shown !== own) return;
        stairs = answer;
        draw();
      });
    }
  };
}

function copyButton(text) {
  const button =
    h("button", {
      type: "button",
      class: "plain note",
      onclick: async () => {
        await copyText(text());
        button.textContent = t("copy.done");
        setTimeout(() => {
          button.textContent = t("copy");
        }, 1500);
      }
    },
      t("copy"));
  return button;
}

/* The clipboard is there on secure origins alone; elsewhere what is selected is copied. */
export async function copyText(text) {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const area = h("textarea", {class: "unseen", value: text});
  document.body.append(area);
  area.select();
  document.execCommand("copy");
  area.remove();
}

export function commandsPanel() {
  const command = h("pre", {class: "typed"}), curl = h("pre", {class: "typed"});
  const part = (name, place) =>
    h("div", {class: "typed-part"},
      h("div", {class: "field-head"}, h("span", {class: "note"}, name),
        copyButton(() => place.textContent.replaceAll("\u200b", ""))),
      place);
  const node =
    h("section", {class: "panel"}, h("header", {}, h("h2", {}, t("typed.title"))),
      h("div", {class: "typed-parts"}, part("coalesce", command), part("curl", curl)));
  return {
    node,
    show(words, curlText) {
      const lines = [];
      for (const word of words)
        if (lines.length && `${lines.at(-1)} ${word}`.length <= 44)
          lines.push(`${lines.pop()} ${word}`);
        else
          lines.push(word);
      command.textContent = lines.join(" \\\n  ");
      curl.textContent = curlText;
    }
  };
}
