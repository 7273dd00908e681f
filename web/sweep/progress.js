/* The progress of a sweep: a line of text and a cell for each point, or for several. progressPart(sweep)
 * gives {node, update()}. */
import {h, redraw} from "../dom.js";
import {count, duration} from "../format.js";
import {reasonSaid, t} from "../words.js";
import {hasEnded} from "./data.js";
import {namedValue, pointText} from "./names.js";
import "./words.js";

const CELLS_MOST = 104, GROUPS_MOST = 4;

const runsMeasured = point => point.runs.filter(run => run.state === "succeeded").length;
const failed = point => point.state === "failed" || point.refused;

/* Groups by the outermost axis, where it has few values. */
function groupsOf(sweep) {
  const total = sweep.head.point_count, axes = sweep.axes.filter(one => one.values.length > 1 && !one.factor),
        axis = axes[0], whole = sweep.read === total;
  const one = {name: "", from: 0, size: total};
  if (
    !whole || !axis || axes.length < 2 || axis.values.length > GROUPS_MOST || axis.values.length < 2 ||
    total % axis.values.length)
    return [one];
  const size = total / axis.values.length,
        groups = axis.values.map(
          (_, i) => ({name: namedValue(axis.name, sweep.points[i * size].values[axis.name]), from: i * size, size}));
  return groups.every(
           group => sweep.points.slice(group.from, group.from + size)
                      .every(point => point.values[axis.name] === sweep.points[group.from].values[axis.name])) ?
    groups :
    [one];
}

/* Filled as far as it is measured; what was cancelled is not. */
function cellOf(sweep, from, to) {
  let done = 0, running = false, bad = 0, known = 0, gone = 0;
  for (let i = from; i < to; i++) {
    const point = sweep.points[i];
    if (!point) continue;
    known++;
    const measured = runsMeasured(point);
    done += point.state === "succeeded" ? 1 : point.asked ? measured / point.asked : 0;
    gone += hasEnded(point.state) && !measured && !failed(point);
    running ||= point.state === "running" && (point.asked === 1 || point.runs.some(run => run.state === "running"));
    bad += failed(point);
  }
  const part = to > from ? done / (to - from) : 0;
  const fill = part > 0 && part < 1 && h("i", {style: {width: `${part * 100}%`}});
  return h(
    "i", {
      class: `step ${
        bad && bad === to - from ? "bad" :
          part >= 1              ? "done" :
          running                ? "running" :
          gone === to - from     ? "gone" :
          known                  ? "" :
                                   "unread"}`
    },
    !running && fill);
}

const isRunning = point =>
  point?.state === "running" && (point.asked === 1 || point.runs.some(run => run.state === "running"));

/* Counted over the points, as in the table, so that the numbers add up. */
export function runsOf({head, running, points, read}) {
  if (!running || read < head.point_count || head.unwritten) return head;
  const sum = of => points.reduce((all, point) => all + of(point), 0),
        gone = sum(point => point.runs.filter(run => run.state !== "succeeded" && hasEnded(run.state)).length),
        succeeded = sum(point => point.succeeded), now = points.filter(isRunning).length;
  return {succeeded, queued: Math.max(0, head.total - succeeded - gone - (head.spread ? now : Math.min(1, now)))};
}

function answer(sweep) {
  const {head} = sweep, {succeeded, queued} = runsOf(sweep), refused = head.refused ?? 0, bad = head.failed - refused,
        several = head.repeat > 1;
  /* A kernel of a user runs without being timed. */
  const untimed = succeeded && sweep.has.size && !sweep.has.has("cold_median_us"),
        total =
          t(untimed   ? "progress.untimed" :
              several ? "progress.runs" :
                        "progress.points",
            {n: count(succeeded), of: count(head.total)});
  const now = sweep.points.find(isRunning), rest = [];
  if (sweep.running && now && (head.running || !head.unwritten)) rest.push(t("progress.now", {what: pointText(now)}));
  if (sweep.running && head.paused) rest.push(t("progress.paused"));
  if (sweep.running && queued) rest.push(t("progress.wait", {n: count(queued), words: queued}));
  if (head.unwritten) rest.push(`${count(head.unwritten)} ${t("state.unwritten")}`);
  if (head.waits_for) rest.push(reasonSaid(head.waits_for));
  if (head.cancelling) rest.push(t("progress.cancelling"));
  if (bad) rest.push(t("progress.failed", {n: count(bad)}));
  if (refused) rest.push(t("progress.refused", {n: count(refused)}));
  if (head.removed) rest.push(t("progress.removed", {n: count(head.removed)}));
  if (head.cancelled) rest.push(t("progress.cancelled", {n: count(head.cancelled)}));
  return [total, rest];
}

export function progressPart(sweep) {
  const words = h("p", {class: "progress-words"}), cells = h("div", {class: "steps", "aria-hidden": "true"}),
        node = h("div", {class: "sweep-progress"}, words, cells);
  return {
    node,
    text: () => answer(sweep)[0],
    update() {
      const {head} = sweep, [total, rest] = answer(sweep);
      const eta = sweep.running && head.eta_seconds !== null && head.eta_seconds !== undefined ?
        t("progress.eta", {time: duration(head.eta_seconds)}) :
        "";
      redraw(
        words, h("span", {}, h("strong", {}, total), rest.map(one => ` · ${one}`)), h("span", {class: "quiet"}, eta));
      const each = Math.max(1, Math.ceil(head.point_count / CELLS_MOST));
      redraw(cells, groupsOf(sweep).map(group => {
        const steps = [];
        for (let from = group.from; from < group.from + group.size; from += each)
          steps.push(cellOf(sweep, from, Math.min(group.from + group.size, from + each)));
        return h("div", {class: "steps-group"}, h("div", {class: "steps-row"}, steps), h("div", {class: "note"}, [
                   group.name && t("progress.group", {name: group.name, n: count(group.size), words: group.size}),
                   each > 1 && t("progress.each", {n: count(each)})
                 ].filter(Boolean).join(t("punct.semicolon"))));
      }));
    }
  };
}
