/* Panels beside the form: the predicted time, the occupancy, and the equivalent commands for curl and the terminal.

   predictedPanel({ask}): ask(question) posts to /v1/predictions and rejects with the service's answer. show(question,
   product) asks for the device of that name where its constants are known, else for the one whose are shipped; which of
   the two is the reader's choice. */
import {copyButton} from "../clipboard.js";
import {h, replace} from "../dom.js";
import {percent} from "../format.js";
import {noValue, reasonSaid, t, term} from "../words.js";
import {architectureName} from "../charts/architectures.js";
import {timePanel} from "../charts/bounds.js";
import {changesList} from "../charts/changes.js";
import {occupancyBars, occupancyMissing} from "../charts/occupancy.js";
import {staircasesAsk, staircasesDraw} from "../charts/staircase.js";
import "../charts/words.js";
import "./words.js";

const SHIPPED = "NVIDIA H200", PAUSE_MS = 100;
/* An address with this end is of the predicted time. */
const PREDICTED = "#predicted";

export function predictedPanel({ask}) {
  const panel = timePanel(), unknown = new Set();
  let time = null, chosen = null, latest = 0, last = null;

  function draw(request, names) {
    const choice = names.length > 1 &&
      h("select", {
                    "aria-label": t("time.choose"),
                    data: {key: "device", of: time.device_name},
                    value: time.device_name,
                    onchange: ({target}) => {
                      chosen = target.value;
                      show(...last);
                    }
                   },
        names.map(name => h("option", {value: name}, name)));
    const below = !time.status && time.what_if?.length > 0 && changesList(time, request);
    panel.show(time, {device: time.device_name ?? names[0], choice, below});
  }

  /* The answer to what was typed last is shown, and no other. */
  async function show(question, product) {
    last = [question, product];
    const mine = ++latest, names = () => [...new Set([product, SHIPPED])].filter(name => name && !unknown.has(name)),
          name = names().includes(chosen) ? chosen : names()[0];
    if (!name) return;
    const {device, ...request} = question;
    try {
      const {predictions: [made]} = await ask({...request, device_name: name});
      if (mine !== latest) return;
      time = made.time ?? {status: "unavailable", reason: made.reason ?? ""};
      draw(request, names());
      if (location.hash === PREDICTED) {
        history.replaceState(history.state, "", location.pathname + location.search);
        panel.node.scrollIntoView();
      }
    } catch (error) {
      if (!error.errors?.some(one => one.pointer === "#/device_name")) return; /* the form tells what is wrong */
      unknown.add(name);
      if (mine === latest) await show(question, product);
    }
  }
  /* The drawing of what is typed goes first. */
  let later = null;
  return {
    node: panel.node,
    show(...asked) {
      clearTimeout(later);
      later = setTimeout(show, PAUSE_MS, ...asked);
    }
  };
}

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
