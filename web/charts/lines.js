/* Values against one axis, a line a series with its intervals; more than three series become small drawings of one
   scale each.

   linesDraw(width, {series, axis, xName, unit, write, rules, zero, narrow}) gives {svg, canvas, marks, part}: a series
   is {name, note, kind, points:
   [{x, y, low, high, words}], predicted: [{x, y, words}], published: [{x, y, words}], coming: [x], refused: [{x,
   words}]}, and scattered where no line may join its points, as they are of several devices. `marks` are what a pointer
   or the keys find: {x, y, words} in pixels, words a text or what gives it. */
import {svg} from "../dom.js";
import {t} from "../words.js";
import {breakMark, rulesOf, xScale, xTicks, yScale} from "./axis.js";
import {painterFor} from "./painter.js";
import {round, text, textWidth} from "./svg.js";

export const KINDS = ["measured", "second", "third"];
const TOP = 30, BOTTOM = 44, LEFT = 52, SMALL_HEIGHT = 170, SMALL_WIDTH = 250;

const countOf = series => series.points.length * 2 + series.predicted.length + series.published.length;

/* Names at the ends of their lines, moved apart until each has its place; a name where a line ends before the others.
 */
function labelsDraw(ends, right, top, bottom) {
  const placed = ends.map(end => ({...end, at: end.y})).sort((a, b) => a.at - b.at), height = one => one.note ? 30 : 17;
  placed.forEach((one, i) => {
    if (i) one.at = Math.max(one.at, placed[i - 1].at + height(placed[i - 1]));
  });
  const over = placed.length ? placed.at(-1).at + height(placed.at(-1)) - 12 - bottom : 0;
  if (over > 0)
    placed.forEach(one => {
      one.at = Math.max(top + 8, one.at - over);
    });
  return placed.map(
    one => svg(
      "g", {}, text(Math.min(one.x + 8, right + 8), one.at + 4, one.name, {class: `series-name halo ${one.kind}`}),
      one.note && text(Math.min(one.x + 8, right + 8), one.at + 18, one.note, {class: "small halo"})));
}

function seriesDraw(painter, one, x, y, base, marks) {
  const at = point => [x.at(point.x), y.at(point.y)];
  for (const point of one.points)
    if (point.low !== null) painter.whisker(x.at(point.x), y.at(point.high), y.at(point.low), one);
  /* A line never runs over a place that has no value yet. */
  const broken = [...one.coming, ...one.refused.map(point => point.x)].map(value => x.at(value)), pieces = [[]];
  for (const point of one.points) {
    const [px] = at(point), last = pieces.at(-1).at(-1);
    if (last && broken.some(gap => gap > last[0] && gap < px)) pieces.push([]);
    pieces.at(-1).push(at(point));
  }
  if (!one.scattered) pieces.forEach(piece => painter.line(piece, one));
  for (const point of one.points) painter.dot(...at(point), {...one, hollow: false});
  for (const point of one.predicted) painter.dot(...at(point), {...one, hollow: true});
  for (const point of one.published) painter.diamond(...at(point));
  for (const value of one.coming) painter.dot(x.at(value), base, {...one, hollow: true});
  for (const point of one.refused) painter.cross(x.at(point.x), base - 8);
  const seen = (list, py) =>
    list.forEach(point => marks.push({x: x.at(point.x), y: py ?? y.at(point.y), words: point.words}));
  seen(one.points);
  seen(one.predicted);
  seen(one.published);
  seen(one.refused, base - 8);
}

/* One set of axes with its series, in the box. */
function plotDraw(drawing, painter, {left, right, top, bottom}, spec, series, {x, y, small}) {
  const {axis, rules} = spec, marks = [];
  if (rules)
    for (const rule of rulesOf(x, [axis.values[0], axis.values.at(-1)], rules))
      drawing.append(
        svg("path", {class: rule.line ? "rule strong" : "rule", d: `M${round(x.at(rule.at))} ${top}V${bottom}`}));
  for (const tick of y.ticks)
    drawing.append(
      svg("path", {class: "rule", d: `M${left} ${round(y.at(tick))}H${right}`}),
      text(left - 6, y.at(tick) + 4, y.name(tick), {class: "tick", "text-anchor": "end"}));
  drawing.append(
    svg("path", {
      class: "axis",
      d: x.breakAt ? `M${left} ${bottom}H${round(x.breakAt - 2)}M${round(x.breakAt + 4)} ${bottom}H${right}` :
                     `M${left} ${bottom}H${right}`
    }),
    ...xTicks(x, bottom + 16));
  if (x.breakAt) drawing.append(breakMark(x.breakAt, bottom));
  for (const reference of spec.references ?? [])
    drawing.append(svg("path", {class: "reference", d: `M${left} ${round(y.at(reference.y))}H${right}`}));
  if (spec.stems)
    for (const one of series)
      for (const point of one.predicted)
        drawing.append(svg("path", {class: "stem", d: `M${round(x.at(point.x))} ${top}V${round(y.at(point.y) - 4)}`}));
  series.forEach(one => seriesDraw(painter, one, x, y, bottom, marks));
  if (!small)
    drawing.append(...labelsDraw(
      series
        .flatMap(one => {
          const last = one.points.at(-1) ?? one.predicted.at(-1) ?? one.published.at(-1);
          return last ?
            [{x: spec.stems ? right : x.at(last.x), y: y.at(last.y), name: one.name, note: one.note, kind: one.kind}] :
            [];
        })
        .filter(end => end.name),
      right, top, bottom));
  return marks;
}

const valuesOf = series => series.flatMap(
  one =>
    [...one.points.flatMap(point => [point.y, point.low ?? point.y, point.high ?? point.y]),
     ...one.predicted.map(point => point.y), ...one.published.map(point => point.y)]);

function severalDraw(drawing, painter, width, spec) {
  const {series, axis} = spec, across = Math.max(1, Math.floor((width + 16) / SMALL_WIDTH)),
                 each = (width + 16) / across, marks = [];
  series.forEach((one, i) => {
    const left = (i % across) * each + LEFT, right = left + each - LEFT - 24,
          top = Math.floor(i / across) * SMALL_HEIGHT + 28, bottom = top + SMALL_HEIGHT - 64;
    const x = xScale(axis, left + 6, right - 4), y = yScale(valuesOf(series), top, bottom, {zero: spec.zero});
    drawing.append(text(left - LEFT + 12, top - 12, one.name, {class: "series-name measured"}));
    if (one.note) drawing.append(text(right, top - 12, one.note, {class: "small", "text-anchor": "end"}));
    marks.push(...plotDraw(
      drawing, painter, {left, right, top, bottom}, spec, [{...one, kind: "measured"}], {x, y, small: true}));
  });
  return marks;
}

export function linesDraw(width, spec) {
  const {series, axis} = spec, values = valuesOf(series), several = series.length > KINDS.length;
  const across = Math.max(1, Math.floor((width + 16) / SMALL_WIDTH)),
        height = several ? Math.ceil(series.length / across) * SMALL_HEIGHT + 8 : spec.height ?? 270;
  const drawing = svg("svg", {class: "lines", width, height}),
        painter = painterFor(series.reduce((sum, one) => sum + countOf(one), 0), width, height);
  if (!values.length) {
    drawing.setAttribute("height", 60);
    drawing.append(text(0, 36, t("sweep.nothing_yet"), {class: "small"}));
    return {svg: drawing, canvas: null, marks: [], part: false};
  }
  if (several) {
    const marks = severalDraw(drawing, painter, width, spec);
    if (painter.node) drawing.append(painter.node);
    return {svg: drawing, canvas: painter.canvas, marks, part: yScale(values, 0, 1, {zero: spec.zero}).part};
  }
  const longest =
          Math.max(0, ...series.flatMap(one => [textWidth(one.name ?? "", 7.6), textWidth(one.note ?? "", 6.2)])),
        side = width < 480 ? 12 : Math.min(width * 0.3, longest + 20);
  const phone = side <= 12, left = LEFT, right = width - Math.max(16, side),
        top = phone && series.some(one => one.name) ? TOP + 16 : TOP, bottom = height - BOTTOM;
  const x = xScale(axis, left + 6, right - 6),
        y = yScale([...values, ...(spec.references ?? []).map(one => one.y)], top, bottom, {zero: spec.zero});
  drawing.append(
    text(
      left - 6, 14, spec.unit,
      {class: "tick", "text-anchor": spec.unit.length > 6 ? "start" : "end", ...(spec.unit.length > 6 && {x: 0})}),
    text(
      right, height - 8, textWidth(spec.xName, 6.3) > right - 8 ? spec.xShort ?? axis.name : spec.xName,
      {class: "tick", "text-anchor": "end"}));
  /* On a phone there is no room beside the lines: names stand above. */
  if (phone) {
    let from = 0;
    for (const one of series.filter(other => other.name)) {
      drawing.append(
        text(from, 32, `${one.points.length ? "●" : "○"} ${one.name}`, {class: `series-name ${one.kind}`}));
      from += textWidth(one.name, 8.2) + 28;
    }
  }
  const place = svg("g", {});
  drawing.append(place);
  const marks = plotDraw(
    place, painter, {left, right, top, bottom}, spec, series.map(one => phone ? {...one, name: ""} : one), {x, y});
  if (painter.node) place.insertBefore(painter.node, place.querySelector(".series-name")?.parentNode ?? null);
  return {svg: drawing, canvas: painter.canvas, marks, part: y.part};
}
