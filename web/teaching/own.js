/* A lesson asked of one's own device: its sweep, submitted, followed and read. On a CPU with fewer elements (`small` of
   the lesson), and it is said to be one. ownOf({lesson, name, sweep, signal, onOwn, onSweep}): {node, show(bool),
   close}; onOwn({rows, device, short}). */
import {events, get, link, post, text} from "../api.js";
import {h, redraw, replace} from "../dom.js";
import {count} from "../format.js";
import {forRunners, heldNote} from "../live.js";
import {button} from "../parts.js";
import {isSure, RUNS_LEAST} from "../sweep/sure.js";
import {medianOf, rowsOf} from "../table.js";
import {t} from "../words.js";
import {ownRatios, say, sizeText} from "./figures.js";
import "./words.js";

/* With this many runs of each point, more are not offered. */
const RUNS_MOST = 4 * RUNS_LEAST;

const shortOf = device => device.backend === "cpu" ?
  t("lessons.this_cpu") :
  (device.name ?? "").replace(/^(NVIDIA|AMD|Intel) /, "") || t("device.unknown");

export const requestOf = (lesson, device) => ({...lesson.ask, ...(device.backend === "cpu" && lesson.small)});

/* A row for each point: its run; of several runs what the summary has of all of them, and of other numbers the median.
 */
async function rowsRead(id, repeat, signal) {
  const read = view => text(`/v1/sweeps/${id}.csv?view=${view}`, {signal}).then(rowsOf);
  const [all, points] = await Promise.all([read("runs"), repeat > 1 ? read("summary") : []]),
              runs = all.filter(row => row.state === "succeeded");
  if (repeat === 1) return runs;
  return points.filter(point => point.state === "succeeded").map(point => {
    const own = runs.filter(run => run.index === point.index),
          others = Object.entries(own[0]).map(([name, first]) => [name, medianOf(own.map(run => run[name])) ?? first]);
    return {...Object.fromEntries(others), ...point, stable: isSure({...point, asked: repeat})};
  });
}

/* A shape, or the first and the last size of an axis. */
const sizesText = (size, axis) =>
  axis && Array.isArray(size) ? `${count(size[0])} ${t("interval.to")} ${count(size.at(-1))}` : sizeText(size);

export function ownOf({lesson, name, device, sweep, signal, onOwn, onSweep}) {
  const said = h("p", {class: "note", role: "status"}), place = h("div", {class: "row buttons"});
  const node = h("div", {class: "own", hidden: true}, place, heldNote(device.index, signal), said);
  let end = null;

  const sweepLink = id => h("a", {href: link(`sweeps/${id}`)}, t("lessons.its_sweep"));

  /* more: how many runs of each point the second button asks for; 0: there is no second button. */
  function offer(again, more = 0) {
    replace(
      place,
      forRunners(
        button(
          t(again ? "lessons.ask_again" : "lessons.ask", {device: shortOf(device)}), () => submit(1),
          {primary: !again, key: "ask"}),
        signal),
      more > 0 && button(t("lessons.ask_more", {n: more}), () => submit(more), {key: "ask more"}));
  }

  async function submit(repeat) {
    const answer = await post("/v1/sweeps", {...requestOf(lesson, device), repeat, labels: {lesson: name}}, {signal});
    onSweep(answer.id);
    follow(answer.id);
  }

  function follow(id, pressed = true) {
    let looking = false, again = false;
    redraw(said, sweepLink(id));
    replace(place);
    /* In place of the button that was pressed. */
    if (pressed && document.activeElement === document.body) said.querySelector("a").focus({preventScroll: true});
    const look = async () => {
      if (looking) {
        again = true; /* what comes in may be older than this event, and none may come after it */
        return;
      }
      looking = true;
      again = false;
      try {
        const state = await get(`/v1/sweeps/${id}?page_size=1`, {signal});
        if (state.state !== "running") {
          again = false;
          return await finish(id, state);
        }
        redraw(said, t("lessons.runs", {done: count(state.done), total: count(state.total)}), " ", sweepLink(id));
      } catch (error) {
        again = false;
        if (signal.aborted) return;
        stop(); /* it was removed, or may not be seen */
        offer(false);
        replace(said);
        onSweep(null);
      } finally {
        looking = false;
        if (again) look();
      }
    };
    const stop = events(`/v1/sweeps/${id}/events`, {signal, onEvent: look});
    end = stop;
    look();
  }

  async function finish(id, state) {
    end?.();
    const rows = await rowsRead(id, state.repeat, signal), unstable = rows.filter(row => row.stable === false).length;
    offer(true, state.repeat === 1 ? unstable && RUNS_LEAST : state.repeat < RUNS_MOST && 2 * state.repeat);
    const {size} = requestOf(lesson, device),
          axis = typeof state.points[0]?.values.size === "number"; /* else one shape */
    /* lesson.cpu says why a time on a CPU does not answer the lesson; other is that text, or false. */
    const other = device.backend === "cpu" && lesson.cpu;
    const what = device.backend === "cpu" ?
      t(ownRatios(lesson, rows) && !other ? "lessons.cpu_says" : "lessons.cpu_only_says",
        {name: device.name ?? "CPU", n: sizesText(size, axis), words: axis ? 2 : 1}) :
      t("lessons.device_says", {name: device.name});
    redraw(
      said,
      state.succeeded < state.total &&
        [t("lessons.some_failed", {n: count(state.total - state.succeeded), of: count(state.total)}), " "],
      what, " ", other && [say(other), " "],
      unstable > 0 && [t("lessons.own_unstable", {n: count(unstable), of: count(rows.length)}), " "], sweepLink(id));
    const place = said.getBoundingClientRect(), seen = place.top >= 0 && place.top < innerHeight;
    onOwn({
      rows,
      device,
      other,
      short: shortOf(device),
      size: axis ? null : size,
      same_sizes: axis && size.every(one => lesson.ask.size.includes(one))
    });
    /* What came stands above it, and has moved it. */
    if (seen) requestAnimationFrame(() => said.scrollIntoView({block: "nearest"}));
  }

  offer(false);
  if (sweep) follow(sweep, false);
  return {
    node,
    show: open => {
      node.hidden = !open;
    }
  };
}
