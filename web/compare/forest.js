/* The rows of a comparison: which point, both times, the ratio on a logarithmic scale with its interval, the verdict in
   a sign and a word. The scale's head, its band of the same and its rules run through all rows. scaleOf(points,
   sameWithin, width) gives {at(ratio), ticks, low, high, same}. */
import {h, svg} from "../dom.js";
import {digits, placesOf, ratio} from "../format.js";
import {round, text} from "../charts/svg.js";
import {t} from "../words.js";

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
  cannot_tell: "◌"
};
const {scaleLog} = globalThis.d3;

/* Wide enough for most; the few far ones get an arrow. */
export function scaleOf(points, same, width) {
  const away = points.map(point => Math.abs(Math.log(point.ratio))).sort((a, b) => a - b),
        most = away[Math.floor((away.length - 1) * 0.75)] ?? 0;
  const span = SPANS.find(one => Math.log1p(one) >= Math.max(most * 1.15, Math.log1p(same) * 2.5)) ?? SPANS.at(-1);
  const edge = width < 300 ? 34 : 56, at = scaleLog([1 / (1 + span), 1 + span], [edge, width - edge]);
  const ticks = STEPS[span].filter(tick => tick >= 1 / (1 + span) && tick <= 1 + span);
  return {
    at,
    ticks: width < 240 ? [1] :
      width < 400      ? [ticks[0], 1, ticks.at(-1)] :
                         ticks,
    low: 1 / (1 + span),
    high: 1 + span,
    same,
    width
  };
}

const times = value => `${value < 10 ? Number(value.toFixed(2)).toFixed(2) : digits(value, 3)}×`;

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

function arrow(scale, point) {
  const left = point.ratio < 1, x = left ? 4 : scale.width - 4, inner = left ? 34 : scale.width - 34, y = ROW / 2;
  return [
    svg("path", {class: "arrow", d: `M${inner} ${y}H${x}m${left ? 7 : -7} -4l${left ? -7 : 7} 4l${left ? 7 : -7} 4`}),
    text(
      left ? inner + 6 : inner - 6, y + 4, times(point.ratio),
      {"text-anchor": left ? "start" : "end", class: "off-scale halo"})
  ];
}

export function rowDraw(scale, point) {
  const [low, high] = point.ratio_ci95, y = ROW / 2, off = point.ratio < scale.low || point.ratio > scale.high,
              at = value => round(scale.at(Math.max(scale.low * 0.985, Math.min(scale.high * 1.015, value))));
  return svg(
    "svg", {class: `forest ${point.verdict}`, width: scale.width, height: ROW, "aria-hidden": "true"},
    ground(scale, ROW), off ? arrow(scale, point) : [
      low !== null && svg("path", {class: "range", d: `M${at(low)} ${y - 5}v10m0 -5H${at(high)}m0 -5v10`}),
      low === null ? svg("circle", {class: "alone", cx: at(point.ratio), cy: y, r: 3.5}) :
                     svg("circle", {class: "middle", cx: at(point.ratio), cy: y, r: 2.6})
    ]);
}

/* "1.054 ± 0.001" */
export function ratioText({ratio: value, ratio_ci95: [low, high]}) {
  if (low === null) return [ratio(value)];
  const half = (high - low) / 2, places = Math.min(3, Math.max(1, placesOf(half)));
  if (Math.abs(high - value - (value - low)) > 0.5 * half)
    return [
      `${value.toFixed(places)} `,
      h("span", {class: "quiet"}, `${low.toFixed(places)} ${t("interval.to")} ${high.toFixed(places)}`)
    ];
  return [`${value.toFixed(places)} `, h("span", {class: "quiet"}, `±\u00a0${half.toFixed(places)}`)];
}

/* The ring is drawn: no letter of it looks alike everywhere. */
export function sign(verdict) {
  if (verdict !== "cannot_tell") return h("span", {class: `sign ${verdict}`, "aria-hidden": "true"}, SIGNS[verdict]);
  return h(
    "span", {class: "sign cannot_tell", "aria-hidden": "true"},
    svg("svg", {width: 12, height: 12}, svg("circle", {cx: 6, cy: 6, r: 4.5, class: "ring"})));
}
