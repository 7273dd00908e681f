/* What may be concluded from measured points. isSure(point): it is stable, or it was run so often that its interval is
   one over runs. concluded(entries, less), of [{point, value, range}] with values, is {best, worst, apart, unsure,
   more}: best and worst of the sure ones, or null; `apart`: their intervals do not meet; `more`: how many more runs of
   each point are likely to tell what cannot be told. sentenceOf(found, say) makes it words; say(best, worst) is the
   sentence where something can be told. */
import {count} from "../format.js";
import {t} from "../words.js";

/* The least for an interval over runs (kernels/statistics.h). */
export const RUNS_LEAST = 6;
const MORE_MOST = 1000;

export const isSure = point => point.stable !== false || point.succeeded >= RUNS_LEAST;

const lacking = points => Math.max(1, ...points.map(point => RUNS_LEAST - point.succeeded));

/* An interval narrows as one over the root of the runs. */
function moreFor(best, worst) {
  const width = [best, worst].reduce((sum, {range}) => sum + (range[1] - range[0]) / 2, 0),
        factor = (width / Math.abs(best.value - worst.value)) ** 2, runs = Math.max(1, best.point.succeeded);
  return Math.min(MORE_MOST, Math.max(RUNS_LEAST, Math.ceil(runs * factor)) - runs) || 1;
}

export function concluded(entries, less) {
  const sure = entries.filter(({point}) => isSure(point)), unsure = entries.filter(({point}) => !isSure(point));
  const more = unsure.length ? lacking(unsure.map(({point}) => point)) : 0;
  if (!sure.length) return {best: null, worst: null, apart: false, all: entries.length, unsure: unsure.length, more};
  const before = (a, b) => less ? a.value < b.value : a.value > b.value;
  const best = sure.reduce((a, b) => before(b, a) ? b : a), worst = sure.reduce((a, b) => before(a, b) ? b : a);
  const meet = best !== worst && best.value !== worst.value && best.range && worst.range &&
    best.range[0] <= worst.range[1] && worst.range[0] <= best.range[1];
  return {
    best,
    worst,
    apart: !meet,
    all: entries.length,
    unsure: unsure.length,
    more: Math.max(more, meet ? moreFor(best, worst) : 0)
  };
}

const runsText = more => ({more: more >= MORE_MOST ? `> ${count(MORE_MOST)}` : count(more), runs: more});

export function sentenceOf({best, worst, apart, all, unsure, more}, say) {
  if (!best) return t("sure.none", {n: count(all), words: all, ...runsText(more)});
  const rest = unsure ? ` ${t("sure.left_out", {n: count(unsure), words: unsure, ...runsText(more)})}` : "";
  return (apart ? say(best, worst) : t("sure.meet", runsText(more))) + rest;
}
