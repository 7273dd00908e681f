/* /ui/sweeps: all sweeps, newest first, with how far they are; filters in the address. Several can be chosen and acted
 * on. */
import {link} from "../api.js";
import {h, redraw, replace} from "../dom.js";
import {count, duration} from "../format.js";
import {cancelling, removing, running} from "../bulk/actions.js";
import {othersSaid} from "../bulk/cancel.js";
import {cancelAsked} from "../bulk/cancel.js";
import {chosenBar, roleRuns, whyNotOwn} from "../bulk/bar.js";
import {Chosen} from "../bulk/chosen.js";
import {compareNodes, fieldsShared} from "../bulk/sides.js";
import {filterForm, filtersOf, LABEL, OWNER, pagesLine, TIMES} from "../filters.js";
import {blockedBy} from "../devices.js";
import {atMost, onChange, watchLive} from "../live.js";
import {ago, barOf, button, cell, headCell, headUnseen, labelMarks, ownerMark, ownerName, spareCell, spareHead, stateMark, TURNS} from "../parts.js";
import {isAxis, listOf, listText} from "../sweep/request.js";
import {windowed} from "../windowed.js";
import {noValue, t} from "../words.js";

const FRESH_MS = 1000;

/* The service calls all that have not ended running, also those of which nothing runs yet. */
const STATE = {
  name: "state",
  options: ["running", "succeeded", "finished", "cancelled"],
  word: one => t(one === "running" ? "lists.not_ended" : `state.${one}`)
};

export const title = () => t("nav.sweeps");

/* Of these the list has columns of its own, or they do not tell sweeps apart. */
const UNSAID = new Set(["kernel", "labels", "repeat", "timeout_s", "tolerance", "reference", "show"]);

/* "copy_offset size 1048576, offset 6 values, block 3 values": all that was asked for. values: of one of its points. */
function whatOf({request, values}, entry) {
  if (request.recipe) return [t("lists.recipe"), " ", h("code", {}, request.recipe)];
  const said = Object.entries(request).flatMap(([name, value]) => {
    if (UNSAID.has(name) && !Array.isArray(value)) return [];
    if (name === "measure" || name === "device" && !Array.isArray(value))
      return Object.entries(Object(value) === value ? value : {[name]: value}).map(pair => pair.join(" "));
    const {length} = listOf(name, value, values);
    return length > 1 ? t("lists.axis", {name, n: count(length), words: length}) :
                        `${name} ${listText(name, value, values).replace(/(\d)x(?=\d)/g, "$1×")}`;
  });
  return [
    h("code", {}, entry ?? [request.kernel].flat().join(", ")), " ",
    h("span", {class: "quiet"}, said.join(t("list.comma"))), " ", labelMarks(request.labels)
  ];
}

/* The service calls it running until all has ended. */
const stateOf = ({state, paused, running, queued, unwritten}) => state !== "running" ? state :
  unwritten && !running && !queued                                                   ? "unwritten" :
  paused                                                                             ? "drained" :
  running                                                                            ? state :
                                                                                       "queued";

function countsOf(sweep) {
  const {total, succeeded, failed: bad, refused = 0, cancelled, removed, unwritten = 0} = sweep;
  const failed = bad - refused;
  return [
    h("span", {class: "quiet share"}, t("lists.done", {n: count(succeeded), of: count(total)})),
    unwritten > 0 && stateOf(sweep) !== "unwritten" &&
      h("span", {class: "warn"}, ` – ${count(unwritten)} ${t("state.unwritten")}`),
    failed > 0 && h("span", {class: "warn"}, ` ✕ ${t("lists.failed", {n: count(failed)})}`),
    refused > 0 && h("span", {class: "warn"}, ` ✕ ${t("lists.refused", {n: count(refused)})}`),
    cancelled > 0 && h("span", {class: "quiet"}, ` – ${t("lists.cancelled", {n: count(cancelled)})}`),
    removed > 0 && h("span", {class: "quiet"}, ` – ${t("lists.removed", {n: count(removed)})}`)
  ];
}

const mayCancel = (sweep, me) => sweep.state === "running" && roleRuns(me) && !whyNotOwn(me, sweep.owner);

/* What can be done with chosen ones. */
function actionsOf(me, requestOf, name) {
  if (!roleRuns(me)) return [];
  const own = why => sweep => whyNotOwn(me, sweep.owner) ?? why(sweep), paths = sweep => [sweep.links.self],
        ended = sweep => sweep.state === "running" ? t("bulk.not_ended") : null;
  const ask = sweeps => {
    const of = sweeps.reduce((all, sweep) => all + sweep.total - (sweep.refused ?? 0), 0);
    return of < 2 && sweeps.length < 2 ?
      null :
      t("bulk.remove_sweeps_ask", {n: count(sweeps.length), words: sweeps.length, of: count(of)}) +
        othersSaid(sweeps.map(sweep => sweep.owner), me);
  };
  return [
    cancelling({
      name,
      paths,
      why: own(sweep => sweep.state === "running" ? null : t("bulk.has_ended")),
      runs: sweep => sweep.queued + sweep.running,
      owner: sweep => sweep.owner,
      me
    }),
    running({name, why: ended, request: async (sweep, signal) => ["/v1/sweeps", await requestOf(sweep, signal)]}),
    removing({name, paths, ask, why: own(ended)})
  ];
}

/* A side of a comparison: one sweep, or several together. */
function sideOf(sweeps, requests) {
  const shared = fieldsShared(sweeps.map(({id}) => {
    const {request, values} = requests.get(id) ?? {request: {}};
    return Object.fromEntries(Object.entries(request).filter(([name, value]) => !isAxis(name, value, values)));
  }));
  const {recipe, ...fields} = shared;
  return {
    text: `sweep:${sweeps.map(({id}) => id).join(".")}`,
    words: t("bulk.sweeps", {n: count(sweeps.length), words: sweeps.length}),
    fields
  };
}

export async function open(root, params, {api, query, go, announce, signal}) {
  const filters = filtersOf(query, ["state", "owner", "label", "since", "until"]),
        further = query.get("further") === "shown", after = query.get("page_token");
  const heading = h("h1", {class: "heading"}, t("nav.sweeps")), line = h("div", {});
  const requests = new Map(); /* {request, values}: lists leave them out */
  let page = null, state = {};
  const chosen = new Chosen(() => draw());
  const requestOf = async (sweep, signal) =>
    requests.get(sweep.id)?.request ?? (await api.get(`${sweep.links.self}?page_size=1`, {signal})).request;
  const nameOf =
    sweep => [sweep.recipe ?? sweep.entry ?? [sweep.kernel].flat().join(", "), `…${sweep.id.slice(-6)}`].join(" ");
  const bar = chosenBar({
    chosen,
    actions: () => actionsOf(state.me, requestOf, nameOf),
    more: () => compareNodes(chosen, sweeps => sideOf(sweeps, requests), {pair: "newest first"}),
    again: () => read()
  });

  const rowOf = sweep => {
    const eta = sweep.eta_seconds ?? null;
    return h(
      "tr", {class: chosen.has(sweep) ? "chosen" : null}, chosen.boxOf(sweep),
      h("th", {scope: "row"}, ownerMark(sweep.owner, state.me), ownerName(sweep.owner, state.me)),
      cell(
        h("a", {class: "row-link", href: link(`sweeps/${sweep.id}`)},
          sweep.recipe             ? [t("lists.recipe"), " ", h("code", {}, sweep.recipe)] :
            requests.get(sweep.id) ? whatOf(requests.get(sweep.id), sweep.entry) :
                                     "…"),
        h("span", {class: "quiet"}, ` …\u2060${sweep.id.slice(-6)}`),
        h("span", {class: "phone quiet"}, t("punct.comma"), t("lab.ago_cell", {time: ago(sweep.submitted_at)}),
          t("punct.comma"), t(`state.${stateOf(sweep)}`), t("punct.comma"), countsOf(sweep),
          eta !== null && [t("punct.comma"), t("queue.ends_in"), " ", duration(eta)])),
      h("td", {class: "spare"}, stateMark(stateOf(sweep))),
      h("td", {class: "bars progress spare"}, barOf(sweep.total ? sweep.succeeded / sweep.total : 0, "ink"),
        countsOf(sweep)),
      spareCell(
        sweep.state !== "running" ? "" :
          eta === null            ? noValue(t("queue.no_time")) :
                                    duration(eta)),
      spareCell(h("span", {class: "quiet"}, t("lab.ago_cell", {time: ago(sweep.submitted_at)}))),
      h("td", {class: "number act"},
        mayCancel(sweep, state.me) && button(t("queue.cancel"), () => cancelAsked(sweep.links.self, state.me, signal), {
          small: true,
          key: `cancel ${sweep.id}`,
          label:
            t("queue.cancel_sweep",
              {what: sweep.recipe ?? sweep.entry ?? requests.get(sweep.id)?.request.kernel ?? sweep.id})
        })));
  };
  const list = windowed({
    caption: t("nav.sweeps"),
    heads: () =>
      [chosen.allBox(), headCell(t("queue.owner")), headCell(t("queue.asks")),
       h("th", {scope: "col", class: "spare"}, t("lists.state")),
       h("th", {scope: "col", class: "spare"}, t("lists.progress")), spareHead(t("queue.ends_in")),
       spareHead(t("lists.submitted_ago")), headUnseen(t("lists.acts"))],
    rowOf
  });
  const shown = new URLSearchParams([...filters, ["further", "shown"]]);
  const furtherLine = () => !filters.has("label") &&
    h("p", {class: "note further"}, t(further ? "lists.further_shown" : "lists.further_hidden"), " ",
      h("a", {href: link(`sweeps?${further ? filters : shown}`)},
        t(further ? "lists.further_hide" : "lists.further_show")));
  const draw = atMost(250, () => {
    if (signal.aborted || !page) return;
    const states = page.sweeps.map(stateOf), number = state => states.filter(one => one === state).length;
    const said = ["running", "queued", "drained"].map(state => [state, number(state)]).filter(([, n]) => n);
    /* Where there are others, on further pages or left out by a filter, the heading says that it counts these only. */
    const part = after || page.next_page_token || filters.toString();
    const text = !page.sweeps.length ?
      t(filters.toString() ? "lists.none_fits" : "lists.no_sweeps") :
      said.length ?
      [
        part && t("lists.sweeps_of_these", {n: count(page.sweeps.length)}),
        said.map(([state, n]) => t(`lists.sweeps_${state}`, {n: count(n), words: n})).join(t("list.comma"))
      ].filter(Boolean)
        .join("") :
      t(part ? "lists.sweeps_some" : "lists.sweeps_ended");
    if (heading.textContent !== text) {
      heading.textContent = text;
      announce(text);
    }
    chosen.offer(page.sweeps, sweep => sweep.id, nameOf);
    list.node.hidden = !page.sweeps.length;
    list.update(page.sweeps);
    bar.update();
    redraw(line, pagesLine("sweeps", further ? shown : filters, after, page.next_page_token), furtherLine());
  });
  const read = async () => {
    const all = new URLSearchParams(filters);
    if (!further && !filters.has("label")) all.set("without_label", TURNS);
    if (after) all.set("page_token", after);
    all.set("page_size", "25");
    page = await api.get(`/v1/sweeps?${all}`, {signal});
    for (const sweep of page.sweeps)
      if (!sweep.recipe && !requests.has(sweep.id)) {
        requests.set(sweep.id, null);
        api.get(`${sweep.links.self}?page_size=1`, {signal}).then(whole => {
          requests.set(sweep.id, {request: whole.request, values: whole.points[0]?.values});
          draw();
        }, () => {});
      }
    draw();
  };
  replace(
    root, h("div", {class: "head"}, heading, h("a", {class: "button primary", href: link("new")}, t("lab.new"))),
    h("section", {class: "panel"}, filterForm("sweeps", filters, [STATE, OWNER, LABEL, ...TIMES], go, list.node),
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
    onChange(event => event.event !== "progress" && event.event !== "device" && fresh())
  ];
  return () => stop.forEach(end => end());
}
