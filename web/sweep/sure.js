/* What may be concluded from measured points. isSure(point): its one run is stable, or it was run so often that there
   is an interval over its runs. concluded(entries, less, known, series), of [{point, value, range, written}] with
   values, is {best, worst, apart, rivals, ahead, unsure, more}: best and worst of those that are known(point), or null.
   Intervals are widened for the number of points, as widened() has it. `same_best` and `same_worst`: the others that
   are alike(a, b), which have no intervals and are `written`, as a text, in the same way; `apart`: the intervals of
   best and worst do not meet; `rivals`: those whose intervals meet that of the best, `worst_rivals`: that of the worst;
   `ahead`: {one, behind}, where best and worst are not apart: the best one of which the interval is apart from some
   behind it, and these, or null; `single`: some were run once, so that their intervals hold for one placement of the
   arrays each, and say nothing of the next run; `kept`: so do those of some that were run several times, because all of
   their runs had one placement; `by_chance`: how many points were compared, where some of these intervals meet only
   because they were widened, otherwise 0; `more`: how many more runs of each point are likely to tell what cannot be
   told, 0 while runs are still to come, and `lack`: how many more runs of each that is left out. `series` are all
   points that the entries were chosen from. sentenceOf(found, say, name) makes it words; say(best, worst) is the
   sentence where these two can be told, name(entry) a text, namesOf(entries, name) names up to three of them. meet(a,
   b): both have intervals, and these overlap as they are. */
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

/* The x that a normal distribution exceeds with this probability below 0.5. Abramowitz and Stegun, 26.2.23. */
function normalAbove(probability) {
  const r = Math.sqrt(-2 * Math.log(probability));
  return r - (2.515517 + 0.802853 * r + 0.010328 * r * r) / (1 + 1.432788 * r + 0.189269 * r * r + 0.001308 * r ** 3);
}

/* Returns the factor by which 95 % intervals are widened, given the number of points, so that among equal points two
   intervals are apart in at most one series of twenty (Bonferroni's correction for the number of pairs). Without it two
   equal points have intervals apart in one case of 200: their values must differ by two half widths, which are
   2 * 1.96 / sqrt(2) standard errors of a difference. */
const NORMAL_95 = 1.96, FALSE_MOST = 0.05;
function factorOf(points) {
  const pairs = points * (points - 1) / 2;
  return pairs < 2 ? 1 : Math.max(1, normalAbove(FALSE_MOST / (2 * pairs)) / (Math.SQRT2 * NORMAL_95));
}

/* Returns the widened intervals of the entries of a series: a map from each entry to {range}. Intervals of few runs are
   now and then narrow by chance, so that none counts as narrower than the typical one. It takes logarithms, so that a
   time and the bandwidth that follows from it are told alike. */
function widened(series) {
  const ranged = series.filter(({value, range}) => range && range[0] > 0 && value > 0),
        factor = factorOf(series.length), typical = side => {
          const halves = ranged.map(side).sort((a, b) => a - b);
          return halves[Math.floor((halves.length - 1) / 2)];
        };
  const below = ({value, range}) => Math.log(value / range[0]), above = ({value, range}) => Math.log(range[1] / value),
        below_typical = typical(below), above_typical = typical(above), wide = new Map(series.map(one => [one, one]));
  for (const one of ranged)
    wide.set(one, {
      range: [
        one.value * Math.exp(-factor * Math.max(below(one), below_typical)),
        one.value * Math.exp(factor * Math.max(above(one), above_typical))
      ]
    });
  return wide;
}

export function concluded(entries, less, known = isSure, series = entries) {
  const sure = entries.filter(({point}) => known(point)), unsure = entries.filter(({point}) => !known(point));
  const waits = entries.some(({point}) => point.state === "queued" || point.state === "running"),
        lack = unsure.length && !waits ? lacking(unsure.map(({point}) => point)) : 0;
  if (!sure.length)
    return {best: null, worst: null, apart: false, all: entries.length, unsure: unsure.length, lack, more: lack};
  const compared = series.filter(({point}) => known(point)), wide = widened(compared),
        near = (a, b) => meet(wide.get(a), wide.get(b));
  const before = (a, b) => less ? a.value < b.value : a.value > b.value;
  const best = sure.reduce((a, b) => before(b, a) ? b : a), worst = sure.reduce((a, b) => before(a, b) ? b : a);
  const rivals = best.value === worst.value ? [] : sure.filter(one => one !== best && near(one, best)),
        apart = !rivals.includes(worst),
        single = best !== worst && sure.some(({point, range}) => range && point.asked === 1),
        kept = best !== worst && sure.some(({point, range}) => range && point.asked > 1 && point.placements === 1),
        worst_rivals = apart && best.value !== worst.value ?
    sure.filter(one => one !== worst && one !== best && near(one, worst)) :
    [],
        chance = rivals.some(one => !meet(one, best)) || worst_rivals.some(one => !meet(one, worst)),
        others = entry => sure.filter(one => one !== entry && !one.range && alike(one, entry));
  return {
    best,
    worst,
    same_best: others(best),
    same_worst: others(worst),
    apart,
    rivals,
    worst_rivals,
    ahead: apart || single || kept ? null : aheadOf(sure, before, near),
    single,
    kept,
    by_chance: chance ? compared.length : 0,
    all: entries.length,
    unsure: unsure.length,
    lack,
    more: waits ?
      0 :
      Math.max(
        lack, single ? RUNS_LEAST - 1 : 0,
        ...(apart ? [] : rivals.map(one => moreFor({...best, ...wide.get(best)}, {...one, ...wide.get(one)}))))
  };
}

/* Returns whether both have the same value, or values that have no intervals and are written alike, as counts are. */
export const alike = (a, b) =>
  a.value === b.value || !a.range && !b.range && a.written !== undefined && a.written === b.written;

export const meet = (a, b) => a.range && b.range && a.range[0] <= b.range[1] && b.range[0] <= a.range[1];

function aheadOf(sure, before, near) {
  const ordered = [...sure].sort((a, b) => before(a, b) ? -1 : before(b, a) ? 1 : 0);
  for (const one of ordered.slice(0, AHEAD_MOST)) {
    const behind = ordered.filter(other => before(one, other) && !near(one, other));
    if (behind.length) return {one, behind};
  }
  return null;
}

const runsText = (more, key) => ({
  then: more >= MORE_MOST ? t("sure.may_tell_most", {more: count(MORE_MOST)}) :
    more                  ? t(key, {more: count(more), runs: more}) :
                            ""
});

export function namesOf(entries, name) {
  const rest = entries.length - NAMED_MOST, some = entries.slice(0, NAMED_MOST).map(name),
        names = some.join(t(some.some(one => one.includes(",")) ? "punct.semicolon" : "list.comma"));
  return rest > 0 ? `${names} ${t("queue.more", {n: count(rest), words: rest})}` : names;
}

export function sentenceOf(
  {
    best,
    worst,
    apart,
    rivals,
    worst_rivals: last = [],
    ahead,
    single,
    kept,
    by_chance: chance,
    all,
    unsure,
    lack,
    more
  },
  say, name) {
  if (!best) return t("sure.none", {n: count(all), words: all, ...runsText(more, "sure.may_tell")});
  const others = namesOf(rivals, name), how = t(chance ? "sure.by_chance" : "sure.overlap", {n: count(chance)}),
        told = unsure && all - unsure === 1 ?
    [t("sure.only_one", {one: name(best)})] :
    apart ?
    [
      say(best, worst), rivals.length && t("sure.rivals", {others, how}),
      last.length && t("sure.worst_rivals", {worst: name(worst), others: namesOf(last, name), how})
    ] :
    [
      t("sure.meet", {best: name(best), others, how, ...runsText(more, "sure.may_tell_about")}),
      ahead && t("sure.ahead", {one: name(ahead.one), others: namesOf(ahead.behind, name)})
    ];
  return [
    ...told, single && t("sure.single", runsText(more, "sure.may_tell")), kept && t("sure.kept"),
    unsure && t("sure.left_out", {n: count(unsure), words: unsure, ...runsText(lack, "sure.may_tell")})
  ].filter(Boolean)
    .join(t("punct.space"));
}
