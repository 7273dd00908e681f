/* /ui/experiments: all of them, newest first, a page at a time; the filters stand in the address, so that a list can be
 * shared. Several can be chosen and acted on. */
import {link} from "../api.js";
import {h, redraw, replace} from "../dom.js";
import {blockedBy} from "../devices.js";
import {atMost, onChange, watchLive} from "../live.js";
import {agoCell, asked, askedText, cell, experimentLink, headCell, labelMarks, ownerMark, ownerName, resultCells, stateMark} from "../parts.js";
import {cancelling, experimentsAsked, removing, running} from "../bulk/actions.js";
import {chosenBar, roleRuns, whyNotOwn} from "../bulk/bar.js";
import {Chosen} from "../bulk/chosen.js";
import {compareNodes, experimentsSide} from "../bulk/sides.js";
import {filterForm, filtersOf, LABEL, OWNER, pagesLine, TIMES} from "../filters.js";
import {rowsOf} from "../table.js";
import {windowed} from "../windowed.js";
import {t} from "../words.js";

const FRESH_MS = 3000;
const STATES = ["queued", "running", "succeeded", "failed", "cancelled"];

export const title = () => t("nav.experiments");

/* The end of the id is part of the name, because several experiments may have the same request. */
const nameOf =
  one => [one.entry ?? one.request.kernel, askedText(one.request), `…${one.id.slice(-6)}`].filter(Boolean).join(" ");
const hasEnded = one => one.state !== "queued" && one.state !== "running";

/* What can be done with chosen ones; state as in live.js, now. */
function actionsOf(state) {
  const {me} = state(), paths = one => [one.links.self], name = nameOf;
  if (!roleRuns(me)) return [];
  const own = why => one => whyNotOwn(me, one.owner) ?? why(one),
        ended = one => hasEnded(one) ? null : t("bulk.not_ended");
  return [
    cancelling({name, paths, why: own(one => hasEnded(one) ? t("bulk.has_ended") : null), owner: one => one.owner, me}),
    running({name, why: ended, request: one => ["/v1/experiments", one.request]}), removing({
      name,
      paths,
      why: own(ended),
      ask: ones => ones.length > 1 ? experimentsAsked(ones.length, ones.map(one => one.owner), me) : null
    })
  ];
}

function rowOf(one, result, state, several, chosen) {
  const device = state.devices?.find(known => known.index === one.device);
  return h(
    "tr", {class: chosen.has(one) ? "chosen" : null}, chosen.boxOf(one),
    h("th", {scope: "row", class: "owner"}, ownerMark(one.owner, state.me), ownerName(one.owner, state.me)),
    cell(experimentLink(one.id, asked(one))),
    h("td", {class: "spare"}, stateMark(one.unwritten ? "unwritten" : one.state)), several && cell(one.device_name),
    result && !one.unwritten ? resultCells(result, device) : [cell(), cell(), cell()],
    cell(labelMarks(one.request.labels)), agoCell(one.submitted_at));
}

function headingOf(experiments, filters) {
  const names = filters.toString();
  if (!experiments.length) return t(names ? "lists.none_fits" : "lists.none");
  return t(names ? "lists.some" : "lists.all");
}

export async function open(root, params, {api, query, go, announce, signal}) {
  const filters = filtersOf(query, ["kernel", "state", "device", "owner", "label", "sweep", "since", "until"]);
  const after = query.get("page_token");
  const heading = h("h1", {class: "heading"}, t("nav.experiments")), line = h("div", {});
  let page = null, results = new Map(), state = {};
  const chosen = new Chosen(() => draw());
  const bar = chosenBar({
    chosen,
    actions: () => actionsOf(() => state),
    more: () => compareNodes(
      chosen, ones => experimentsSide(ones.map(one => one.id), ones.map(one => one.request)), {pair: "newest first"}),
    again: () => read()
  });

  const list = windowed({
    caption: t("nav.experiments"),
    heads:
      () => [chosen.allBox(), h("th", {scope: "col", class: "owner"}, t("queue.owner")), headCell(t("lab.experiment")),
             h("th", {scope: "col", class: "spare"}, t("lists.state")), names.length > 1 && headCell(t("device.name")),
             headCell(t("lab.result"), true), h("th", {scope: "col", class: "spare"}, t("lab.of_peaks")),
             headCell(t("lab.note")), headCell(t("lists.labels")), headCell(t("lists.submitted_ago"), true)]
              .filter(Boolean),
    rowOf: one => rowOf(one, results.get(one.id), state, names.length > 1, chosen)
  });
  const draw = () => {
    if (signal.aborted || !page) return;
    const text = headingOf(page.experiments, filters);
    if (heading.textContent !== text) {
      heading.textContent = text;
      announce(text);
    }
    chosen.offer(page.experiments, one => one.id, nameOf);
    list.node.hidden = !page.experiments.length;
    list.node.classList.toggle("unowned", page.experiments.every(one => one.owner === null));
    list.update(page.experiments);
    bar.update();
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
          ...(names.length > 1 ? [{name: "device", options: names}] : []), OWNER, LABEL, ...TIMES
        ],
        go, list.node),
      list.node, bar.node, line));
  await read();
  let queue = null;
  const fresh = atMost(FRESH_MS, () => !after && read().catch(() => {}));
  const stop = [
    watchLive(now => {
      if (now.queue !== queue && blockedBy(now.queue)) fresh(); /* an end that cannot be written sends no event */
      queue = now.queue;
      state = now;
      draw();
    }),
    onChange(event => ["state", "sweep", "removal", "poll"].includes(event.event) && fresh())
  ];
  return () => stop.forEach(end => end());
}
