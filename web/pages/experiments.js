/* /ui/experiments: all of them, newest first, a page at a time; the filters stand in the address, so that a list can be
 * shared. */
import {link} from "../api.js";
import {h, redraw, replace} from "../dom.js";
import {atMost, onChange, watchLive} from "../live.js";
import {ago, asked, cell, experimentLink, headCell, ownerMark, ownerName, resultCells, stateMark, table} from "../parts.js";
import {filterForm, filtersOf, pagesLine, TIMES} from "../filters.js";
import {rowsOf} from "../table.js";
import {t} from "../words.js";

const FRESH_MS = 3000;
const STATES = ["queued", "running", "succeeded", "failed", "cancelled"];

export const title = () => t("nav.experiments");

function rowOf(one, result, state, several) {
  const device = state.devices?.find(known => known.index === one.device);
  return h(
    "tr", {}, h("th", {scope: "row"}, ownerMark(one.owner, state.me), ownerName(one.owner, state.me)),
    cell(experimentLink(one.id, asked(one.request))), cell(stateMark(one.state)), several && cell(one.device_name),
    result ? resultCells(result, device) : [cell(), cell(), cell()],
    cell(
      h("span", {class: "quiet"},
        Object.entries(one.request.labels ?? {}).map(([name, value]) => value ? `${name}:${value}` : name).join(" "))),
    h("td", {class: "number quiet"}, ago(one.submitted_at)));
}

function headingOf(experiments, filters) {
  const names = filters.toString();
  if (!experiments.length) return t(names ? "lists.none_fits" : "lists.none");
  return t(names ? "lists.some" : "lists.all");
}

export async function open(root, params, {api, query, go, announce, signal}) {
  const filters = filtersOf(query, ["kernel", "state", "device", "owner", "label", "sweep", "since", "until"]);
  const after = query.get("page_token");
  const heading = h("h1", {class: "heading"}, t("nav.experiments")), body = h("div", {}), line = h("div", {});
  let page = null, results = new Map(), state = {};

  const draw = () => {
    if (signal.aborted || !page) return;
    const text = headingOf(page.experiments, filters);
    if (heading.textContent !== text) {
      heading.textContent = text;
      announce(text);
    }
    const several = names.length > 1;
    redraw(
      body,
      page.experiments.length > 0 &&
        table(
          t("nav.experiments"),
          [
            headCell(t("queue.owner")), headCell(t("lab.experiment")), headCell(t("lists.state")),
            several && headCell(t("device.name")), headCell(t("lab.result"), true), headCell(t("lab.of_peaks")),
            headCell(t("lab.note")), headCell(t("lists.labels")), headCell(t("lab.ago"), true)
          ].filter(Boolean),
          page.experiments.map(one => rowOf(one, results.get(one.id), state, several))));
    redraw(line, pagesLine("experiments", filters, after, page.next_page_token));
  };
  const read = async () => {
    const all = new URLSearchParams(filters);
    if (after) all.set("page_token", after);
    all.set("page_size", "50");
    const [list, text] = await Promise.all([
      api.get(`/v1/experiments?${all}`, {signal}),
      api.text(`/v1/experiments?${all}`, {signal, headers: {Accept: "text/csv"}})
    ]);
    page = list;
    results = new Map(rowsOf(text).map(row => [row.id, row]));
    draw();
  };
  const [{kernels}, {devices}] =
    await Promise.all([api.get("/v1/kernels", {signal}), api.get("/v1/devices", {signal})]),
                    names = devices.map(device => device.device_name);
  replace(
    root, h("div", {class: "head"}, heading, h("a", {class: "button primary", href: link("new")}, t("lab.new"))),
    h("section", {class: "panel"},
      filterForm(
        "experiments", filters,
        [
          {name: "kernel", options: kernels.map(kernel => kernel.name)},
          {name: "state", options: STATES, word: one => t(`state.${one}`)},
          ...(names.length > 1 ? [{name: "device", options: names}] : []), {name: "owner"}, {name: "label"}, ...TIMES
        ],
        go),
      body, line));
  await read();
  const fresh = atMost(FRESH_MS, () => !after && read().catch(() => {}));
  const stop = [
    watchLive(now => {
      state = now;
      draw();
    }),
    onChange(event => ["state", "sweep", "poll"].includes(event.event) && fresh())
  ];
  return () => stop.forEach(end => end());
}
