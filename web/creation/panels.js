/* Beside the form: what fits a multiprocessor, and the same to be typed. */
import {copyButton} from "../clipboard.js";
import {h, replace} from "../dom.js";
import {percent} from "../format.js";
import {noValue, reasonSaid, t, term} from "../words.js";
import {architectureName} from "../charts/architectures.js";
import {occupancyBars, occupancyMissing} from "../charts/occupancy.js";
import {staircasesAsk, staircasesDraw} from "../charts/staircase.js";
import "../charts/words.js";
import "./words.js";

export function occupancyPanel() {
  const title = h("h2", {}), place = h("div", {});
  const node =
    h("section", {class: "panel"}, h("header", {}, title, h("span", {class: "note"}, t("occupancy.what"))), place);
  const ended = new AbortController();
  let shown = null, stairs = null, width = 0;
  const draw = () => shown && width &&
    replace(place, shown.status ? occupancyMissing(reasonSaid(shown.reason)) : occupancyBars(shown, width),
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
