/* Times of one launch, sample by sample: a dot each, stacked where they meet, with the median as a line and its
   interval as a band below; beyond DOTS samples, or where they were not kept, a box of quantiles. Each of `kinds`
   is {name, note, timing, samples or null}. */
import {svg} from "../dom.js";
import {count, digits, fixed, placesOf} from "../format.js";
import {t, wordsAdd} from "../words.js";
import {rect, round, text} from "./svg.js";
import "../d3.js";

// clang-format off
wordsAdd({
  "strip.cold_note": ["empty caches", "缓存清空"],
  "strip.hot_note": ["back to back", "连续启动"],
  "strip.axis": ["µs a launch", "µs 每次启动"],
  "strip.median": ["median {us}", "中位数 {us}"],
  "strip.sentence": ["{kind}: {n} samples of {low} to {high} µs, median {median} µs.", "{kind}：{n} 个样本，{low} 至 {high} µs，中位数 {median} µs。"],
  "strip.interval": ["95 % interval {from} to {to}", "95 % 置信区间 {from} 至 {to}"],
  "strip.slowest": ["slowest of {n}: {us}", "{n} 个中最慢：{us}"],
  "strip.interval_short": ["{from} to {to}", "{from} 至 {to}"],
});
// clang-format on

const DOTS = 200, RADIUS = 2.7, ROW = 84;
/* On a phone the names stand alone, and what an interval is is told by its note. */
const narrow = width => width < 480, labelWidth = width => narrow(width) ? 44 : 104;

/* What of the times is drawn: all, but for what lies far out; of an interval what lies near them. */
function spanOf({timing}) {
  const far = timing.p75_us + 4 * Math.max(timing.p75_us - timing.p25_us, timing.median_us * 1e-4);
  const last = Math.min(timing.max_us, far), room = (last - timing.min_us || timing.median_us * 0.1) / 2,
        [from, to] = timing.ci95_us;
  const high = Math.max(last, Math.min(to ?? 0, last + room)),
        low = Math.min(timing.min_us, Math.max(from ?? Infinity, timing.min_us - room));
  return [low, high > low ? high : low * 1.001];
}

/* One scale for both where that leaves each of them more than a sliver. */
function scalesOf(kinds, width) {
  const spans = kinds.map(spanOf), low = Math.min(...spans.map(span => span[0])),
        high = Math.max(...spans.map(span => span[1]));
  const shared = spans.every(([a, b]) => (b - a) * 12 > high - low);
  const scale = ([a, b]) =>
    window.d3.scaleLinear().domain([a - (b - a) * 0.06, b + (b - a) * 0.06]).range([labelWidth(width), width - 12]);
  return {shared, scales: spans.map(span => scale(shared ? [low, high] : span))};
}

function axisDraw(drawing, scale, top, bottom, last) {
  const ticks = scale.ticks(Math.max(2, Math.floor((scale.range()[1] - scale.range()[0]) / 90)));
  /* As many places as tell one tick from the next. */
  const places = Math.max(0, -Math.floor(Math.log10(ticks[1] - ticks[0]) + 1e-9)),
        form = tick => places ? tick.toFixed(places) : count(tick);
  for (const tick of ticks) {
    const x = round(scale(tick));
    drawing.append(
      svg("line", {class: "rule", x1: x, x2: x, y1: top, y2: bottom}),
      text(x, bottom + 14, form(tick), {"text-anchor": "middle", class: "small"}));
  }
  if (last)
    drawing.append(text(scale.range()[1] + 10, bottom + 30, t("strip.axis"), {"text-anchor": "end", class: "small"}));
}

function dotsDraw(drawing, samples, scale, base, hollow) {
  const stacks = new Map(), [low, high] = scale.domain(), deepest = Math.floor(ROW * 0.55 / (2 * RADIUS));
  for (const sample of samples.filter(one => one >= low && one <= high)) {
    const column = Math.round(scale(sample) / (2 * RADIUS)), level = stacks.get(column) ?? 0;
    stacks.set(column, level + 1);
    drawing.append(svg("circle", {
      class: hollow ? "dot hollow" : "dot",
      cx: round(column * 2 * RADIUS),
      cy: round(base - Math.min(level, deepest) * 2 * RADIUS),
      r: hollow ? RADIUS - 0.4 : RADIUS
    }));
  }
}

function boxDraw(drawing, timing, scale, base, hollow) {
  const [low, high] = scale.domain(), at = us => round(scale(Math.max(low, Math.min(high, us))));
  drawing.append(
    svg("path", {
      class: "whisker",
      d: `M${at(timing.min_us)} ${base - 8}H${at(timing.p25_us)}M${at(timing.p75_us)} ${base - 8}H${at(timing.max_us)}`
    }),
    rect(
      at(timing.p25_us), base - 16, Math.max(1, at(timing.p75_us) - at(timing.p25_us)), 16,
      {class: hollow ? "quantiles hollow" : "quantiles"}));
}

function kindDraw(drawing, kind, scale, base, phone) {
  const {timing, samples} = kind, [from, to] = timing.ci95_us,
                 places = Math.max(0, placesOf((to - from) / 2 || timing.median_us * 1e-3) - 1),
                 hollow = kind.name === "hot";
  const write = us => fixed(us, places), median = round(scale(timing.median_us)), right = scale.range()[1];
  if (samples && samples.length <= DOTS)
    dotsDraw(drawing, samples, scale, base, hollow);
  else
    boxDraw(drawing, timing, scale, base, hollow);
  drawing.append(svg("line", {class: "median", x1: median, x2: median, y1: base - 46, y2: base + 12}));
  const start = median > right - 90;
  drawing.append(text(
    median + (start ? 4 : 0), base - 50, t("strip.median", {us: write(timing.median_us)}),
    {class: "strong halo", "text-anchor": start ? "end" : "middle"}));
  if (from !== null && to !== null) {
    const [first, last] = scale.range(), x0 = Math.max(first, scale(from)),
                  x1 = Math.min(last, Math.max(scale(to), x0 + 1.5));
    const words = t(phone ? "strip.interval_short" : "strip.interval", {from: write(from), to: write(to)}),
          label = `${scale(from) < first ? "← " : ""}${words}${scale(to) > last ? " →" : ""}`;
    /* Behind the band, before it, or below where neither side has room. */
    const long = label.length * 6.2, behind = x1 + long<right, before = x0 - 8 - long>scale.range()[0];
    const [x, y, anchor] = behind ? [x1 + 8, 13, "start"] :
      before                      ? [x0 - 8, 13, "end"] :
                                    [(x0 + x1) / 2, 23, "middle"];
    drawing.append(
      rect(x0, base + 5, x1 - x0, 6, {class: "interval"}),
      text(x, base + y, label, {class: "small halo", "text-anchor": anchor}));
  }
  if (timing.max_us > scale.domain()[1]) {
    const us = digits(timing.max_us), words = phone ? `${us}\u00a0µs` : t("strip.slowest", {n: timing.samples, us});
    drawing.append(text(right + (phone ? 0 : 8), base - 22, `${words} →`, {class: "small halo", "text-anchor": "end"}));
  }
  drawing.append(text(0, base - 6, t(`strip.${kind.name}`), {class: "strong"}));
  if (!phone) drawing.append(text(0, base + 10, t(`strip.${kind.name}_note`), {class: "small"}));
}

export function stripDraw(kinds, width) {
  const {shared, scales} = scalesOf(kinds, width), gap = shared ? 0 : 26,
                 height = kinds.length * (ROW + gap) + (shared ? 38 : 16);
  const drawing = svg("svg", {
    class: "strip",
    width,
    height,
    role: "img",
    "aria-label": kinds
                    .map(kind => t("strip.sentence", {
                           kind: t(`strip.${kind.name}`),
                           n: kind.timing.samples,
                           median: digits(kind.timing.median_us),
                           low: digits(kind.timing.min_us),
                           high: digits(kind.timing.max_us)
                         }))
                    .join(" ")
  });
  kinds.forEach((kind, k) => {
    const top = k * (ROW + gap), bottom = top + ROW;
    if (!shared || k === 0)
      axisDraw(drawing, scales[k], top + 14, shared ? kinds.length * ROW : bottom, k === kinds.length - 1 || shared);
  });
  kinds.forEach((kind, k) => kindDraw(drawing, kind, scales[k], k * (ROW + gap) + 62, narrow(width)));
  return drawing;
}
