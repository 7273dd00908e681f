/* Values against one axis, a line a series with its intervals, laid over each other; or small drawings of one scale,
   one a series (`panels`).

   linesDraw(width, {series, axis, xName, unit, write, rules, zero, panels, labels}) gives {svg, canvas, marks, part,
   beyond, cut, dense, frames, cross, within}: a series is {name, note, kind, dash, points: [{x, y, low, high, words,
   unsure}], predicted: [{x, y, words}], published: [{x, y, words}], coming: [x], refused: [{x, words}], without: [x]},
   and scattered where no line may join its points, as they are of several devices. `marks` are what a pointer or the
   keys find: {x, y, words} in pixels, words a text or what gives it; cross(px, py) is the place on the axis that is
   nearest, {x, top, bottom, words}; nearer(px, py) is the half of the axis's values nearest to a pixel, and within(px0,
   py0, px1, py1) the range of the axis between two pixels, {zoom: [from, to]}, or null; there is no within where no
   part of the axis can be drawn alone. The scale is that of the medians: an interval that goes on beyond it ends in an
   arrow (`cut`), and outliers (scaleEnd() in axis.js) are drawn at its end (`beyond`: their values). More points than
   there are pixels for are drawn as a density (dense.js). */
import {svg} from "../dom.js";
import {t} from "../words.js";
import {breakMark, rulesOf, scaleEnd, xScale, xTicks, yScale} from "./axis.js";
import {denseDraw, isDense, ticksOf} from "./dense.js";
import {KINDS, painterFor} from "./painter.js";
import {round, text, textWidth} from "./svg.js";
import "../sweep/words.js";

/* Series that are told apart in one drawing: by colour, and by the dashes of the line and the shape of its marks. */
export const OVERLAID_MOST = 12;
export const styleOf = i => ({kind: KINDS[i % KINDS.length], dash: (i + Math.floor(i / KINDS.length)) % 4});
const TOP = 30, BOTTOM = 44, LEFT = 52, SMALL_HEIGHT = 170, SMALL_WIDTH = 250;

const countOf = (series, wide) => [series.points, series.predicted, series.published].reduce(
  (sum, list, i) => sum + (isDense(list, wide) ? 0 : list.length * (i ? 1 : 2)), 0);

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

function whiskerDraw(painter, point, one, x, y) {
  const [least, most] = y.at.domain();
  painter.whisker(
    x.at(point.x), y.at(Math.min(point.high, most)), y.at(Math.max(point.low, least)),
    {...one, up: point.high > most, down: point.low < least});
  return point.high > most || point.low < least;
}

/* Whether an interval was cut. */
function seriesDraw(drawing, painter, one, {x, y, left, right, base}, marks) {
  const at = point => [x.at(point.x), y.at(point.y)], wide = right - left;
  const gaps = [...one.coming, ...(one.without ?? []), ...one.refused.map(point => point.x)].map(value => x.at(value));
  const seen = (list, py, line = list) =>
    list.forEach(point => marks.push({x: x.at(point.x), y: py ?? y.at(point.y), words: point.words, line}));
  const dense = (list, style) => denseDraw(drawing, list.map(point => [...at(point), point]), gaps, style)
                                   .forEach(mark => marks.push({...mark, line: list}));
  let cut = false;
  if (isDense(one.points, wide)) {
    dense(one.points, one);
  } else {
    for (const point of one.points)
      if (point.low !== null) cut = whiskerDraw(painter, point, one, x, y) || cut;
    /* A line never runs over a place that has no value. */
    const pieces = [[]];
    for (const point of one.points) {
      const [px] = at(point), last = pieces.at(-1).at(-1);
      if (last && gaps.some(gap => gap > last[0] && gap < px)) pieces.push([]);
      pieces.at(-1).push(at(point));
    }
    if (!one.scattered) pieces.forEach(piece => painter.line(piece, one));
    for (const point of one.points) painter.dot(...at(point), {...one, hollow: false, unsure: point.unsure});
    seen(one.points);
  }
  if (isDense(one.predicted, wide)) {
    dense(one.predicted, {...one, hollow: true});
  } else {
    for (const point of one.predicted) painter.dot(...at(point), {...one, hollow: true});
    seen(one.predicted);
  }
  for (const point of one.published) painter.diamond(...at(point));
  for (const px of ticksOf(one.refused.map(point => x.at(point.x)), wide)) painter.cross(px, base - 8);
  seen(one.published);
  if (!isDense(one.refused, wide)) seen(one.refused, base - 8, one.points);
  return cut;
}

/* One set of axes with its series, in the box. */
function plotDraw(drawing, painter, {left, right, top, bottom}, spec, series, {x, y, small}, found) {
  const {axis, rules} = spec;
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
    ...xTicks(x, bottom + 16, right + 16));
  if (x.breakAt) drawing.append(breakMark(x.breakAt, bottom));
  for (const reference of spec.references ?? [])
    drawing.append(svg("path", {class: "reference", d: `M${left} ${round(y.at(reference.y))}H${right}`}));
  if (spec.stems)
    for (const one of series.filter(other => !isDense(other.predicted, right - left)))
      for (const point of one.predicted)
        if (y.at(point.y) - 4 > y.at(spec.stems))
          drawing.append(svg("path", {
            class: "stem",
            d: `M${round(x.at(point.x))} ${round(Math.max(top, y.at(spec.stems)))}V${round(y.at(point.y) - 4)}`
          }));
  const marks = [], panel = found.frames.length;
  for (const one of series)
    found.cut = seriesDraw(drawing, painter, one, {x, y, left, right, base: bottom}, marks) || found.cut;
  marks.forEach(mark => found.marks.push({...mark, panel}));
  found.dense ||= series.some(one => isDense(one.points, right - left));
  found.frames.push({left, right, top, bottom, x, series});
  if (!small && spec.labels !== false)
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
}

const extent = values =>
  values.reduce(([a, b], value) => [Math.min(a, value), Math.max(b, value)], [Infinity, -Infinity]);

/* The range of the y axis: all medians without outliers (scaleEnd() in axis.js), and the intervals, on each side
   at most as far as half of the range of the medians or the width of the narrowest interval, whichever is larger.
   Without the latter, medians that differ by noise alone would seem far apart. */
function limitsOf(series, wide, references = []) {
  const measured = series.map(one => one.points),
        known =
          [
            ...series.flatMap(one => [...one.predicted, ...one.published].map(point => point.y)),
            ...references.map(one => one.y)
          ],
        [low] = extent([...known, ...measured.flat().map(point => point.y)]),
        [, high] = extent([...known, scaleEnd(measured)]);
  if (low > high) return null;
  const drawn = series.filter(one => !isDense(one.points, wide)).flatMap(one => one.points),
        [narrowest] = extent(drawn.filter(point => point.low !== null).map(point => point.high - point.low)),
        room = Math.max((high - low || Math.abs(high) * 0.2) / 2, narrowest < Infinity ? narrowest : 0),
        ends = drawn.flatMap(point => [point.low ?? low, point.high ?? high]), [least, most] = extent(ends);
  return [Math.min(low, Math.max(least, low - room)), Math.max(high, Math.min(most, high + room))];
}

function panelsDraw(drawing, painter, {each, across}, spec, values, found) {
  const {series, axis} = spec;
  series.forEach((one, i) => {
    const left = (i % across) * each + LEFT, right = left + each - LEFT - 24,
          top = Math.floor(i / across) * SMALL_HEIGHT + 28, bottom = top + SMALL_HEIGHT - 64;
    const x = xScale(axis, left + 6, right - 4), y = yScale(values, top, bottom, {zero: spec.zero});
    drawing.append(text(left - LEFT + 12, top - 12, one.name, {class: "series-name measured"}));
    if (one.note) drawing.append(text(right, top - 12, one.note, {class: "small", "text-anchor": "end"}));
    plotDraw(
      drawing, painter, {left, right, top, bottom}, spec, [{...one, kind: "measured", dash: 0}], {x, y, small: true},
      found);
  });
}

/* Cross hair and range over the frames of a drawing. A place within NEAR pixels of where a range ends is in it. */
const NEAR = 10;
function foundOver(frames, axis, columnWords) {
  const frameAt = (px, py) =>
    frames.find(one => px >= one.left - 8 && px <= one.right + 8 && py >= one.top - 20 && py <= one.bottom + 20);
  return {
    cross(px, py) {
      const frame = frameAt(px, py);
      if (!frame) return null;
      const value = axis.values.reduce(
        (best, one) => Math.abs(frame.x.at(one) - px) < Math.abs(frame.x.at(best) - px) ? one : best);
      const words = columnWords(value, frame.series);
      return words && {x: frame.x.at(value), top: frame.top, bottom: frame.bottom, words};
    },
    nearer:
      axis.kind === "number" && ((px, py) => {
        const frame = frameAt(px, py) ?? frames[0], {values} = axis, many = Math.max(2, Math.floor(values.length / 2));
        if (!frame || values.length <= many) return null;
        const near = values.map((value, i) => [Math.abs(frame.x.at(value) - px), i]).sort((a, b) => a[0] - b[0])[0][1],
              from = Math.min(Math.max(0, near - Math.floor(many / 2)), values.length - many);
        return {zoom: [values[from], values[from + many - 1]]};
      }),
    within:
      axis.kind === "number" && axis.values.length > 2 && ((px0, py0, px1, py1) => {
        const frame = frameAt((px0 + px1) / 2, (py0 + py1) / 2) ?? frameAt(px0, py0) ?? frameAt(px1, py1);
        const inside = frame && axis.values.filter(value => {
          const at = frame.x.at(value);
          return at >= Math.min(px0, px1) - NEAR && at <= Math.max(px0, px1) + NEAR;
        });
        return inside?.length > 1 && inside.length < axis.values.length ? {zoom: [inside[0], inside.at(-1)]} : null;
      })
  };
}

export function linesDraw(width, spec) {
  const {series, axis} = spec;
  const across = Math.max(1, Math.floor((width + 16) / SMALL_WIDTH)), each = (width + 16) / across,
        height = spec.panels ? Math.ceil(series.length / across) * SMALL_HEIGHT + 8 : spec.height ?? 270;
  const wide = (spec.panels ? each : width) - LEFT - 24, limits = limitsOf(series, wide, spec.references);
  const drawing = svg("svg", {class: "lines", width, height}),
        found = {marks: [], cut: false, dense: false, frames: []};
  if (!limits) {
    drawing.setAttribute("height", 60);
    drawing.append(text(0, 36, spec.nothing ?? t("sweep.nothing_yet"), {class: "small"}));
    return {svg: drawing, canvas: null, marks: [], part: false, beyond: []};
  }
  const painter = painterFor(series.reduce((sum, one) => sum + countOf(one, wide), 0), width, height);
  const beyond = ({at}) => series.flatMap(one => one.points).map(({y}) => y).filter(y => y > at.domain()[1]);
  const result = y => ({
    svg: drawing,
    canvas: painter.canvas,
    part: y.part,
    beyond: beyond(y),
    ...found,
    ...foundOver(found.frames, axis, spec.columnWords ?? (() => null))
  });
  if (spec.panels) {
    panelsDraw(drawing, painter, {each, across}, spec, limits, found);
    if (painter.node) drawing.append(painter.node);
    return result(yScale(limits, 0, 1, {zero: spec.zero}));
  }
  const longest = spec.labels === false ?
    0 :
    Math.max(0, ...series.flatMap(one => [textWidth(one.name ?? "", 7.6), textWidth(one.note ?? "", 6.2)]));
  const side = width < 480 ? 12 : Math.min(width * 0.3, longest + 20);
  const phone = side <= 12, left = LEFT, right = width - Math.max(16, side), named = phone && spec.labels !== false,
        top = named && series.some(one => one.name) ? TOP + 16 : TOP, bottom = height - BOTTOM;
  const x = xScale(axis, left + 6, right - 6), y = yScale(limits, top, bottom, {zero: spec.zero});
  drawing.append(
    text(
      left - 6, 14, spec.unit,
      {class: "tick", "text-anchor": spec.unit.length > 6 ? "start" : "end", ...(spec.unit.length > 6 && {x: 0})}),
    text(
      right, height - 8, textWidth(spec.xName, 6.3) > right - 8 ? spec.xShort ?? axis.name : spec.xName,
      {class: "tick", "text-anchor": "end"}));
  /* On a phone there is no room beside the lines: names stand above. */
  if (named) {
    let from = 0;
    for (const one of series.filter(other => other.name)) {
      drawing.append(
        text(from, 32, `${one.points.length ? "●" : "○"} ${one.name}`, {class: `series-name ${one.kind}`}));
      from += textWidth(one.name, 8.2) + 28;
    }
  }
  const place = svg("g", {});
  drawing.append(place);
  plotDraw(place, painter, {left, right, top, bottom}, phone ? {...spec, labels: false} : spec, series, {x, y}, found);
  if (painter.node) place.insertBefore(painter.node, place.querySelector(".series-name")?.parentNode ?? null);
  return result(y);
}
