/* The rows of a comparison: which point, both times, the ratio on a logarithmic scale with its interval, the verdict in
   a sign and a word. The scale's head, its band of the same and its rules run through all rows. scaleOf(points,
   sameWithin, width) gives {at(ratio), ticks, low, high, same}. */
import {h, svg, tip} from "../dom.js";
import {digits, fixed, intervalForm, ratio} from "../format.js";
import {round, text} from "../charts/svg.js";
import {t} from "../words.js";
import "../d3.js";
import "./words.js";

const SPANS = [0.02, 0.05, 0.12, 0.25, 0.5, 1, 2, 4], ROW = 26;
const STEPS = {
  0.02: [0.98, 0.99, 1, 1.01, 1.02],
  0.05: [0.96, 0.98, 1, 1.02, 1.04],
  0.12: [0.9, 0.95, 1, 1.05, 1.1],
  0.25: [0.8, 0.9, 1, 1.1, 1.2],
  0.5: [0.7, 0.8, 1, 1.2, 1.4],
  1: [0.5, 0.7, 1, 1.4, 2],
  2: [0.4, 0.6, 1, 1.6, 2.5],
  4: [0.25, 0.5, 1, 2, 4]
};
export const SIGNS = {
  better: "▲",
  worse: "▼",
  same: "●",
  cannot_tell: "◌",
  under_way: "…"
};
const {scaleLog} = globalThis.d3;

/* How far a point and its interval reach from 1, on the logarithm. */
const reach = ({ratio: value, ratio_ci95: [low, high]}) =>
  Math.max(...[value, low ?? value, high ?? value].map(one => Math.abs(Math.log(one))));

/* Wide enough for nine intervals of ten; an end that is beyond is an arrow. */
export function scaleOf(points, same, width) {
  const away = points.map(reach).sort((a, b) => a - b), most = away[Math.ceil((away.length - 1) * 0.9)] ?? 0;
  const span = SPANS.find(one => Math.log1p(one) >= Math.max(most * 1.05, Math.log1p(same) * 2.5)) ?? SPANS.at(-1);
  const edge = width < 300 ? 34 : 56, at = scaleLog([1 / (1 + span), 1 + span], [edge, width - edge]);
  const ticks = STEPS[span].filter(tick => tick >= 1 / (1 + span) && tick <= 1 + span);
  return {
    at,
    ticks: width < 400 ? [ticks[0], 1, ticks.at(-1)] : ticks,
    low: 1 / (1 + span),
    high: 1 + span,
    same,
    width
  };
}

const times = value => `${value < 10 ? fixed(value, 2) : digits(value, 3)}×`;

const ground = (scale, height) =>
  [svg("rect", {
     class: "same-band",
     x: round(scale.at(1 / (1 + scale.same))),
     y: 0,
     width: round(scale.at(1 + scale.same) - scale.at(1 / (1 + scale.same))),
     height
   }),
   scale.ticks.map(
     tick => svg("path", {class: tick === 1 ? "one" : "rule", d: `M${round(scale.at(tick))} 0V${height}`}))];

export function headDraw(scale) {
  const small = scale.width < 400;
  return svg(
    "svg", {class: "forest head", width: scale.width, height: 46, "aria-hidden": "true"},
    !small &&
      text(
        scale.at(1), 14, t("compare.same_short", {percent: Number((scale.same * 100).toFixed(4))}),
        {"text-anchor": "middle", class: "tick"}),
    scale.width >= 240 && text(0, 14, `◂ ${t("compare.slower")}`, {class: "slower"}),
    scale.width >= 240 && text(scale.width, 14, `${t("compare.faster")} ▸`, {class: "faster", "text-anchor": "end"}),
    scale.ticks.map(
      tick => text(
        scale.at(tick), 40, `${tick.toFixed(2)}×`,
        {"text-anchor": "middle", class: tick === 1 ? "tick now" : "tick"})));
}

/* An interval: each end has a cap, or an arrow where it lies beyond the scale. */
function rangeDraw(scale, low, high) {
  const y = ROW / 2, left = low<scale.low, right = high>scale.high, last = scale.width - 4,
        from = left ? 4 : round(Math.min(scale.at(low), last - 26)),
        to = right ? last : round(Math.max(scale.at(high), 30)),
        end = (x, beyond, way) => beyond ? `M${x + 7 * way} ${y - 4}L${x} ${y}l${7 * way} 4` : `M${x} ${y - 5}v10`;
  return svg("path", {class: "range", d: `M${from} ${y}H${to}${end(from, left, 1)}${end(to, right, -1)}`});
}

/* A ratio beyond the scale is written at its side. */
function farDraw(scale, value) {
  const left = value < 1;
  return text(
    left ? 14 : scale.width - 14, ROW / 2 - 4, times(value),
    {"text-anchor": left ? "start" : "end", class: "off-scale halo"});
}

export function rowDraw(scale, point) {
  const {ratio: value, ratio_ci95: [low, high]} = point, far = value < scale.low || value > scale.high;
  if (point.uneven)
    return svg(
      "svg", {class: `forest ${point.verdict}`, width: scale.width, height: ROW, "aria-hidden": "true"},
      ground(scale, ROW), low !== null && rangeDraw(scale, low, high));
  const middle = {cx: round(scale.at(value)), cy: ROW / 2};
  return svg(
    "svg", {class: `forest ${point.verdict}`, width: scale.width, height: ROW, "aria-hidden": "true"},
    ground(scale, ROW), (low !== null || far) && rangeDraw(scale, low ?? value, high ?? value),
    far ? farDraw(scale, value) :
          svg("circle", low === null ? {class: "alone", ...middle, r: 3.5} : {class: "middle", ...middle, r: 2.6}));
}

/* "1.054 ± 0.001" */
export function ratioText(point) {
  const {ratio: value, ratio_ci95: [low, high]} = point;
  if (point.uneven) {
    const why = t("compare.uneven", {pairs: ratio(value), medians: ratio(point.a.median_us / point.b.median_us)});
    return [
      tip(h("span", {class: "no-value"}, t("compare.uneven_short")), why),
      low !== null && h("span", {class: "quiet"}, ` ${digits(low, 3)} ${t("interval.to")} ${digits(high, 3)}`)
    ].filter(Boolean);
  }
  if (low === null) return [ratio(value)];
  /* Three decimal places, as the limits of "the same" have: with fewer an interval could seem to contradict its
   * verdict. */
  const form = intervalForm(value, low, high), places = 3;
  if (form.side === null)
    return [
      `${fixed(value, places)} `,
      h("span", {class: "quiet"}, `${fixed(low, places)} ${t("interval.to")} ${fixed(high, places)}`)
    ];
  return [`${fixed(value, places)} `, h("span", {class: "quiet"}, `±\u00a0${form.side.toFixed(places)}`)];
}

/* The ring is drawn: no letter of it looks alike everywhere. */
export function sign(verdict) {
  if (verdict !== "cannot_tell") return h("span", {class: `sign ${verdict}`, "aria-hidden": "true"}, SIGNS[verdict]);
  return h(
    "span", {class: "sign cannot_tell", "aria-hidden": "true"},
    svg("svg", {width: 12, height: 12}, svg("circle", {cx: 6, cy: 6, r: 4.5, class: "ring"})));
}
