/* /ui/sweeps: all sweeps, newest first, with how far they are; filters in the address. */
import {link} from "../api.js";
import {h, redraw, replace} from "../dom.js";
import {count, duration} from "../format.js";
import {filterForm, filtersOf, pagesLine, TIMES} from "../filters.js";
import {atMost, onChange, watchLive} from "../live.js";
import {ago, barOf, button, cell, headCell, numberCell, ownerMark, ownerName, stateMark, table} from "../parts.js";
import {noValue, t} from "../words.js";

const FRESH_MS = 1000;

export const title = () => t("nav.sweeps");

/* "read_offset: offset 6 values, block 3 values". */
function whatOf(request) {
  if (!request) return "…";
  if (request.recipe) return [t("lists.recipe"), " ", h("code", {}, request.recipe)];
  const axes = Object.entries(request).filter(
    ([name, value]) =>
      name !== "labels" && (Array.isArray(value) || (typeof value === "string" && value.includes(".."))));
  const text =
    axes
      .map(
        ([name, value]) => Array.isArray(value) ? t("lists.axis", {name, n: count(value.length), words: value.length}) :
                                                  `${name} ${value}`)
      .join(", ");
  return [h("code", {}, String(request.kernel)), " ", h("span", {class: "quiet"}, text)];
}

function progressOf(sweep) {
  const bad = sweep.failed ? h("span", {class: "warn"}, ` ✕ ${t("lists.failed", {n: count(sweep.failed)})}`) : null;
  return [
    barOf(sweep.total ? sweep.done / sweep.total : 0, "ink"),
    h("span", {class: "quiet share"}, t("lists.done", {n: count(sweep.done), of: count(sweep.total)})), bad
  ];
}

const mayCancel = (sweep, me) =>
  sweep.state === "running" && me && (me.role === "admin" || (me.role === "run" && sweep.owner === me.name));

export async function open(root, params, {api, query, go, announce, signal}) {
  const filters = filtersOf(query, ["owner", "since", "until"]), after = query.get("page_token");
  const heading = h("h1", {class: "heading"}, t("nav.sweeps")), body = h("div", {}), line = h("div", {});
  const requests = new Map(); /* lists leave them out */
  let page = null, state = {};

  const rowOf = sweep =>
    h("tr", {}, h("th", {scope: "row"}, ownerMark(sweep.owner, state.me), ownerName(sweep.owner, state.me)),
      cell(
        h("a", {class: "row-link", href: link(`sweeps/${sweep.id}`)},
          sweep.recipe ? [t("lists.recipe"), " ", h("code", {}, sweep.recipe)] : whatOf(requests.get(sweep.id)))),
      cell(stateMark(sweep.state)), h("td", {class: "bars progress"}, progressOf(sweep)),
      numberCell(
        sweep.state !== "running"                                       ? "" :
          sweep.eta_seconds === null || sweep.eta_seconds === undefined ? noValue(t("queue.no_time")) :
                                                                          duration(sweep.eta_seconds)),
      h("td", {class: "number quiet"}, ago(sweep.submitted_at)),
      h("td", {class: "number act"},
        mayCancel(sweep, state.me) && button(t("queue.cancel"), () => api.del(sweep.links.self), {
          small: true,
          key: `cancel ${sweep.id}`,
          label: t("queue.cancel_sweep", {what: sweep.recipe ?? requests.get(sweep.id)?.kernel ?? sweep.id})
        })));
  const draw = atMost(250, () => {
    if (signal.aborted || !page) return;
    const running = page.sweeps.filter(sweep => sweep.state === "running").length;
    const text = !page.sweeps.length ? t(filters.toString() ? "lists.none_fits" : "lists.no_sweeps") :
      running                        ? t("lists.sweeps_run", {n: count(running), words: running}) :
                                       t("lists.sweeps_ended");
    if (heading.textContent !== text) {
      heading.textContent = text;
      announce(text);
    }
    redraw(
      body,
      page.sweeps.length > 0 &&
        table(
          t("nav.sweeps"),
          [
            headCell(t("queue.owner")), headCell(t("queue.asks")), headCell(t("lists.state")),
            headCell(t("lists.progress")), headCell(t("queue.ends_in"), true), headCell(t("lab.ago"), true),
            headCell("")
          ],
          page.sweeps.map(sweep => rowOf(sweep))));
    redraw(line, pagesLine("sweeps", filters, after, page.next_page_token));
  });
  const read = async () => {
    const all = new URLSearchParams(filters);
    if (after) all.set("page_token", after);
    all.set("page_size", "25");
    page = await api.get(`/v1/sweeps?${all}`, {signal});
    for (const sweep of page.sweeps)
      if (!sweep.recipe && !requests.has(sweep.id)) {
        requests.set(sweep.id, null);
        api.get(`${sweep.links.self}?page_size=1`, {signal}).then(whole => {
          requests.set(sweep.id, whole.request);
          draw();
        }, () => {});
      }
    draw();
  };
  replace(
    root, h("div", {class: "head"}, heading, h("a", {class: "button primary", href: link("new")}, t("lab.new"))),
    h("section", {class: "panel"}, filterForm("sweeps", filters, [{name: "owner"}, ...TIMES], go), body, line));
  await read();
  const fresh = atMost(FRESH_MS, () => !after && read().catch(() => {}));
  const stop = [
    watchLive(now => {
      state = now;
      draw();
    }),
    onChange(event => event.event !== "progress" && event.event !== "device" && fresh())
  ];
  return () => stop.forEach(end => end());
}
