/* What was removed and can still be brought back: remove(path) removes, and a bar on every page has an Undo for each
   until its time is over. removalsBar(go) is that bar, go(path) opens a page. */
import {del, get, send} from "./api.js";
import {h, redraw} from "./dom.js";
import {count, moment, timeOfDay} from "./format.js";
import {button} from "./parts.js";
import {language, t} from "./words.js";

const SHOWN_MOST = 3, TIMER_MOST_MS = 1e9;

let rows = [], draw = () => {}, ending = () => {};

async function read() {
  ({removals: rows} = await get("/v1/removals?removed_by=me"));
  draw();
}

export async function remove(path, options) {
  await del(`${path}?remove=true`, options);
  await read();
}

export function removalsBar(go) {
  const node = h("div", {class: "removals", role: "status", hidden: true});
  let timer = null;
  const undo = one => async () => {
    await send("POST", one.links.restore);
    rows = rows.filter(other => other.id !== one.id);
    draw();
    await go(`${one.sweep ? "sweeps" : "experiments"}/${one.id}`);
  };
  const line = one => {
    const until = one.restorable_until, today = new Date(until).toDateString() === new Date().toDateString();
    const values = {id: `…${one.id.slice(-6)}`, n: count(one.experiments), words: one.experiments};
    return h(
      "p", {},
      t(one.sweep ? "removals.sweep" : "removals.experiment",
        {...values, time: (today ? timeOfDay : moment)(until, language())}),
      " ", button(t("removals.undo"), undo(one), {key: `undo ${one.id}`, label: t("removals.undo_one", values)}));
  };
  draw = () => {
    const mine = rows.filter(one => Date.parse(one.restorable_until) > Date.now());
    const rest = mine.slice(SHOWN_MOST);
    node.hidden = !mine.length;
    redraw(
      node, mine.slice(0, SHOWN_MOST).map(line),
      rest.length > 0 &&
        h("details", {}, h("summary", {}, t("removals.more", {n: count(rest.length), words: rest.length})),
          rest.map(line)));
    clearTimeout(timer);
    const next = Math.min(...mine.map(one => Date.parse(one.restorable_until))) - Date.now();
    if (mine.length) timer = setTimeout(draw, Math.min(Math.max(next, 0) + 100, TIMER_MOST_MS));
  };
  const seen = () => !document.hidden && read().catch(() => {});
  const height =
    new ResizeObserver(() => document.documentElement.style.setProperty("--under", `${node.offsetHeight}px`));
  ending();
  rows = []; /* they may be another token's */
  height.observe(node);
  document.addEventListener("visibilitychange", seen);
  ending = () => {
    height.disconnect();
    clearTimeout(timer);
    document.removeEventListener("visibilitychange", seen);
  };
  seen();
  return node;
}
