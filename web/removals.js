/* What was removed and can still be brought back: a bar on every page has an Undo for each until its time is over. The
   page of what somebody else removes or brings back is opened anew. removalsBar(go, reopen) is that bar; go(path) opens
   a page, reopen() draws the present one anew; above it in the same place stands what bulk/jobs.js puts into jobsPlace.
   removedTogether(paths) is told what was removed at once: it has one Undo. The page that is open stays, and is drawn
   anew where it shows what comes back. Without tokens the service does not know who removed what: there the bar has
   what this browser removed, and what the page is of: removalsDraw() when another page is opened. focusUnder(): where
   the button that was pressed is gone, and the focus with it, the first link or button of the bar gets it.
   bulk/removal.js removes what a page is of. */
import {get, link} from "./api.js";
import {h, redraw} from "./dom.js";
import {count, moment, timeOfDay} from "./format.js";
import {onChange} from "./live.js";
import {button} from "./parts.js";
import {language, t} from "./words.js";

const TIMER_MOST_MS = 1e9, REMOVED_HERE = "removed here";

export const jobsPlace = h("div", {class: "jobs", role: "status", hidden: true});

/* Of this browser: lists of {paths}, each of what was removed at once. */
export const removedHere = () => JSON.parse(localStorage.getItem(REMOVED_HERE)) ?? [];
export const removedHereKeep = batches => localStorage.setItem(REMOVED_HERE, JSON.stringify(batches));
const pathOf = one => `/v1/${one.sweep ? "sweeps" : "experiments"}/${one.id}`;

const asked = new Set(); /* ids of what this page removes or restores itself */

/* null: not read yet. */
let rows = null, undoSeconds = null, draw = () => {}, ending = () => {};

export const removalsDraw = () => draw();

/* True if the service deletes at once what is removed. */
export const deletesAtOnce = () => undoSeconds === 0;

export async function removalsRead() {
  ({removals: rows, undo_seconds: undoSeconds} = await get("/v1/removals?removed_by=me"));
  draw();
}

/* Reads the list if it was not read yet. */
export const removalsKnown = () => rows ? null : removalsRead();

export function focusUnder() {
  if (document.activeElement === document.body)
    document.querySelector(".under-bars :is(a, button)")?.focus({preventScroll: true});
}

export async function removedTogether(paths) {
  if (paths.length) removedHereKeep([{paths}, ...removedHere()]);
  await removalsRead();
}

/* [{rows, paths}] of those that were removed at once, as far as they can be brought back, and [{rows: [one]}] of
   the others, the newest first. */
function grouped(mine) {
  const batches = removedHere().map(batch => ({...batch, rows: mine.filter(one => batch.paths.includes(pathOf(one)))})),
        known = batches.filter(batch => batch.rows.length);
  if (known.length < batches.length) removedHereKeep(known.map(({paths}) => ({paths})));
  const of = one => known.find(batch => batch.rows.includes(one));
  return [...new Set(mine.map(one => of(one) ?? one))]
    .map(one => one.rows ? {rows: one.rows, paths: one.rows.map(pathOf)} : {rows: [one]})
    .filter(({paths, rows: [one]}) => paths || one.removed_by !== null || location.pathname.includes(one.id));
}

/* Runs f(), which removes or restores what is at these paths. Until their removal events arrive, their ids are in
   `asked`, so that the page is not opened a second time for its own change. */
export async function asking(paths, f) {
  const ids = paths.map(path => path.split("/").at(-1));
  ids.forEach(id => asked.add(id));
  try {
    return await f();
  } catch (error) {
    ids.forEach(id => asked.delete(id));
    throw error;
  }
}

const restore = async (paths, go) => (await import("./bulk/removal.js")).restore(paths, go);

export function removalsBar(go, reopen) {
  const node = h("div", {class: "removals", role: "status", hidden: true}),
        place = h("div", {class: "under-bars"}, jobsPlace, node);
  let timer = null;
  const timeSaid = until =>
    (new Date(until).toDateString() === new Date().toDateString() ? timeOfDay : moment)(until, language());
  const line = ({rows: [one], paths = [pathOf(one)]}) => {
    const several = paths.length > 1, id = `…${one.id.slice(-6)}`,
          values = several ? {n: count(paths.length)} : {id, n: count(one.experiments), words: one.experiments};
    return h(
      "p", {},
      t(`removals.${one.sweep ? "sweep" : "experiment"}${several ? "s" : ""}`,
        {...values, time: timeSaid(one.restorable_until)}),
      " ",
      button(
        t("removals.undo"), () => restore(paths, go),
        {key: `undo ${one.id}`, label: t(several ? "removals.undo_all" : "removals.undo_one", values)}));
  };
  draw = () => {
    if (!rows) return;
    const mine = rows.filter(one => Date.parse(one.restorable_until) > Date.now());
    const lines = grouped(mine), most = matchMedia("(max-width: 500px)").matches ? 1 : 3, rest = lines.slice(most);
    node.hidden = !lines.length;
    redraw(
      node, lines.slice(0, most).map(line),
      rest.length > 0 &&
        h("details", {}, h("summary", {}, t("removals.more", {n: count(rest.length), words: rest.length})),
          rest.map(line)));
    clearTimeout(timer);
    const next = Math.min(...mine.map(one => Date.parse(one.restorable_until))) - Date.now();
    if (mine.length) timer = setTimeout(draw, Math.min(Math.max(next, 0) + 100, TIMER_MOST_MS));
  };
  const seen = () => !document.hidden && removalsRead().catch(() => {});
  const endChanges = onChange(({event, data}) => {
    if (event !== "removal") return;
    seen();
    if (asked.delete(data.id)) return;
    /* The page of a single run names its sweep. */
    const ofRun = location.pathname.startsWith(link("experiments/")) &&
      document.querySelector(`main [href$="/${data.id}"], main [data-key*="${data.id}"]`);
    if (ofRun || location.pathname.endsWith(`/${data.id}`)) reopen();
  });
  const height =
    new ResizeObserver(() => document.documentElement.style.setProperty("--under", `${place.offsetHeight}px`));
  ending();
  rows = null; /* they may be another token's */
  height.observe(place);
  document.addEventListener("visibilitychange", seen);
  ending = () => {
    height.disconnect();
    clearTimeout(timer);
    endChanges();
    document.removeEventListener("visibilitychange", seen);
  };
  seen();
  return place;
}
