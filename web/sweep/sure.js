/* What may be concluded from measured points. isSure(point): its one run is stable, or it was run so often that there
   is an interval over its runs. concluded(entries, less, known), of [{point, value, range}] with values, is {best,
   worst, apart, rivals, ahead, unsure, more}: best and worst of those that are known(point), or null; `apart`: their
   intervals do not meet; `rivals`: those whose intervals meet that of the best, `worst_rivals`: that of the worst;
   `ahead`: {one, behind}, where best and worst are not apart: the best one of which the interval is apart from some
   behind it, and these, or null; `single`: some were run once, so that their intervals hold for one placement of the
   arrays each, and say nothing of the next run; `more`: how many more runs of each point are likely to tell what cannot
   be told, 0 while runs are still to come. sentenceOf(found, say, name) makes it words; say(best, worst) is the
   sentence where these two can be told, name(entry) a text. meet(a, b): both have intervals, and these overlap. */
import {count} from "../format.js";
import {t} from "../words.js";
import "./words.js";

/* The least for an interval over runs (kernels/statistics.h). */
export const RUNS_LEAST = 6;
const MORE_MOST = 1000, NAMED_MOST = 3, AHEAD_MOST = 100;

export const isSure = point => point.asked > 1 ? point.succeeded >= RUNS_LEAST : point.stable !== false;

const lacking = points => Math.max(1, ...points.map(point => RUNS_LEAST - point.succeeded));

/* An interval narrows as one over the root of the runs. In logarithms, so that a time and the bandwidth that follows
   from it need as many. */
function moreFor(best, worst) {
  const width = [best, worst].reduce((sum, {range}) => sum + Math.log(range[1] / range[0]) / 2, 0),
        factor = (width / Math.log(best.value / worst.value)) ** 2, runs = Math.max(1, best.point.succeeded);
  return Math.min(MORE_MOST, Math.max(RUNS_LEAST, Math.ceil(runs * factor)) - runs) || 1;
}

export function concluded(entries, less, known = isSure) {
  const sure = entries.filter(({point}) => known(point)), unsure = entries.filter(({point}) => !known(point));
  const waits = entries.some(({point}) => point.state === "queued" || point.state === "running"),
        more = unsure.length && !waits ? lacking(unsure.map(({point}) => point)) : 0;
  if (!sure.length) return {best: null, worst: null, apart: false, all: entries.length, unsure: unsure.length, more};
  const before = (a, b) => less ? a.value < b.value : a.value > b.value;
  const best = sure.reduce((a, b) => before(b, a) ? b : a), worst = sure.reduce((a, b) => before(a, b) ? b : a);
  const rivals = best.value === worst.value ? [] : sure.filter(one => one !== best && meet(one, best)),
        apart = !rivals.includes(worst),
        single = best !== worst && sure.some(({point, range}) => range && point.asked === 1);
  return {
    best,
    worst,
    apart,
    rivals,
    worst_rivals: apart ? sure.filter(one => one !== worst && one !== best && meet(one, worst)) : [],
    ahead: apart || single ? null : aheadOf(sure, before),
    single,
    all: entries.length,
    unsure: unsure.length,
    more: waits ? 0 :
                  Math.max(more, single ? RUNS_LEAST - 1 : 0, ...(apart ? [] : rivals.map(one => moreFor(best, one))))
  };
}

export const meet = (a, b) => a.range && b.range && a.range[0] <= b.range[1] && b.range[0] <= a.range[1];

function aheadOf(sure, before) {
  const ordered = [...sure].sort((a, b) => before(a, b) ? -1 : before(b, a) ? 1 : 0);
  for (const one of ordered.slice(0, AHEAD_MOST)) {
    const behind = ordered.filter(other => before(one, other) && !meet(one, other));
    if (behind.length) return {one, behind};
  }
  return null;
}

const runsText = (more, key) => ({
  then: more >= MORE_MOST ? t("sure.may_tell_most", {more: count(MORE_MOST)}) :
    more                  ? t(key, {more: count(more), runs: more}) :
                            ""
});

function namesOf(entries, name) {
  const rest = entries.length - NAMED_MOST, names = entries.slice(0, NAMED_MOST).map(name).join(t("list.comma"));
  return rest > 0 ? `${names} ${t("queue.more", {n: count(rest), words: rest})}` : names;
}

export function sentenceOf(
  {best, worst, apart, rivals, worst_rivals: last = [], ahead, single, all, unsure, more}, say, name) {
  if (!best) return t("sure.none", {n: count(all), words: all, ...runsText(more, "sure.may_tell")});
  const others = namesOf(rivals, name),
        told = apart ?
    [
      say(best, worst), rivals.length && t("sure.rivals", {others}),
      last.length && t("sure.worst_rivals", {worst: name(worst), others: namesOf(last, name)})
    ] :
    [
      t("sure.meet", {best: name(best), others, ...runsText(more, "sure.may_tell_about")}),
      ahead && t("sure.ahead", {one: name(ahead.one), others: namesOf(ahead.behind, name)})
    ];
  return [
    ...told, single && t("sure.single", runsText(more, "sure.may_tell")),
    unsure && t("sure.left_out", {n: count(unsure), words: unsure, ...runsText(more, "sure.may_tell")})
  ].filter(Boolean)
    .join(t("punct.space"));
}
